//! The tests of the whole: every device against oracles and closed forms.

#![allow(clippy::unwrap_used)] // a test that cannot go on fails

mod accuracy;
mod batched;
mod cli;
mod controls;
mod devices;
mod errors;
mod finance;
mod gemm;
mod iterate;
mod lines;
#[cfg(all(feature = "wgpu", not(feature = "vulkan")))] // SPIR-V needs what is unsafe to ask of wgpu
mod lost;
mod operators;
mod oracle;
mod paths;
mod plans;
mod products;
mod random;
mod reduce;
mod reproducible;
mod samples;
mod scan;
mod segments;
mod select;
mod sinks;
mod sliding;
mod tf32;
mod threads;
