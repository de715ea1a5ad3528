//! The catalogue.

mod resume;
mod sum;

pub use resume::{Resume, States};
pub use sum::Sum;
