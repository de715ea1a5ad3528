//! Operators made of operators.

mod continued;
mod opposite;
mod pair;
mod segmented;

pub use continued::Continued;
pub use opposite::Opposite;
pub use pair::Pair;
pub use segmented::{Segment, Segmented};
