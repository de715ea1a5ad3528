//! Reduce, scan, tiled GEMM and feedback loops over user monoids and semirings, on CubeCL devices and on the host.

extern crate self as cubefold_primitives;

pub use cubecl;

mod algebra;
mod collect;
mod device;
mod error;
mod gemm;
mod histogram;
pub mod iterate;
mod lanes;
mod launch_vectors;
mod lines;
pub mod ops;
mod reduce;
pub mod rng;
mod scan;
mod segments;
mod select;
mod sliding;
mod tile;
pub mod views;

pub use algebra::*;
pub use cubefold_derive::{Operator, State};
pub use device::{Buffer, Captured, Device, Launch, Observer, Profile, WideFieldsSupport};
pub use error::{Error, Feature};
pub use gemm::{GemmLaunch, GemmPlan, GemmReason, GemmStrategy, HostGemm, Precision};
pub use histogram::Outside;
pub use reduce::{ReduceOptions, ReducePlan, fold_pairs};
pub use scan::{ScanOptions, ScanPlan, Strategy};
pub use select::Selected;
pub use views::{Both, Counter, Source};
