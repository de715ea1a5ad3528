//! Linear recurrences as scans over affine maps: AR(1), GARCH(1,1), order 2, and powers of a map.
//!
//! `s <- a s + b` looks sequential, but the composition of two such steps is a step again, and composition is
//! associative. Blelloch, "Prefix Sums and Their Applications" (1990), section 1.4.

mod ar1;
mod garch;
mod lcg;
mod second_order;

pub use ar1::{Ar1, ar1};
pub use cubefold_primitives::power;
pub use garch::{Garch, garch};
pub use lcg::Lcg;
pub use second_order::{SecondOrder, StepMap, second_order};
