//! Operators made of operators.

mod opposite;
mod pair;
mod segmented;

pub use opposite::Opposite;
pub use pair::Pair;
pub use segmented::{Segment, Segmented};
