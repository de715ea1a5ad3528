//! The CSV reader on any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../reads_back.rs"]
mod reads_back;

fuzz_target!(|bytes: &[u8]| reads_back::check(bytes));
