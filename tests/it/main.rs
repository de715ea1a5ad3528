//! The tests of the whole: every device against oracles and closed forms.

mod cli;
mod controls;
mod devices;
mod errors;
mod finance;
mod gemm;
mod operators;
mod oracle;
mod reduce;
mod samples;
mod scan;
