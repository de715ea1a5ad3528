//! One associative operator, written once in Rust, runs as a `reduce`, a `scan` or a `tiled_gemm` on any GPU through
//! CubeCL, and on the host, from the same source.
//!
//! ```
//! use cubefold::prelude::*;
//!
//! #[derive(Clone, Copy, Debug, State)]
//! struct Run {
//!     longest: u32,
//! }
//!
//! #[derive(Clone, Operator)]
//! struct Longest {
//!     at_least: u32,
//! }
//!
//! #[cube]
//! impl Monoid for Longest {
//!     type State = Run;
//!     fn identity(&self) -> Run {
//!         Run { longest: 0u32.runtime() }
//!     }
//!     fn combine(&self, left: Run, right: Run) -> Run {
//!         Run { longest: max(left.longest, right.longest) }
//!     }
//! }
//!
//! #[cube]
//! impl Lift<u32> for Longest {
//!     fn lift(&self, item: u32) -> Run {
//!         Run { longest: select(item >= self.at_least, item, 0u32) }
//!     }
//! }
//!
//! #[cube]
//! impl Lower for Longest {
//!     type Output = u32;
//!     fn lower(&self, state: Run) -> u32 {
//!         state.longest
//!     }
//! }
//!
//! let device = Device::host();
//! let records = device.scan(&vec![3u32, 9, 4, 12], &Longest { at_least: 5 })?;
//! assert_eq!(records.to_vec()?, [0, 9, 9, 12]);
//! # Ok::<(), cubefold::Error>(())
//! ```
//!
//! The crates beneath: [`primitives`] has the algebra and the executors, [`finance`] is made of them alone, and
//! [`device`] chooses where they run. The [`guide`] has six pages.

extern crate self as cubefold;

pub mod device;
pub mod guide;

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;

#[cfg(feature = "finance")]
pub use cubefold_finance as finance;
pub use cubefold_primitives as primitives;
pub use cubefold_primitives::*;
pub use device::{DeviceChoice, DeviceError};

/// What a program that writes operators needs in scope.
pub mod prelude {
    pub use crate::device::DeviceChoice as _;
    pub use crate::views::{Dense, Mapping, MappingExpand, Matrix, Source};
    pub use cubecl;
    pub use cubecl::prelude::*;
    pub use cubefold_primitives::{
        Both, Buffer, Captured, Commutative, Counter, Device, Error, Lift, LiftExpand, Lower, LowerExpand, Monoid,
        MonoidExpand, Operator, Semiring, SemiringExpand, State, Wide, check_laws, ops,
    };
}
