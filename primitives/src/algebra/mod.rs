//! The algebra: states, operators, and the laws they obey. Knows no kernels.

mod element;
mod exponential;
mod fixed;
mod laws;
mod local;
mod monoid;
mod operator;
mod power;
mod state;
mod wide;

pub use element::{Element, Real};
pub use exponential::exp;
pub use fixed::{Choice, Fixed};
pub use laws::{LawError, check_commutative, check_idempotent, check_laws, check_semiring};
pub use local::Local;
pub use monoid::*;
pub use operator::Operator;
pub use power::power;
pub use state::{State, WideFields, WordsExpand, state_of, words_of};
pub use wide::{Wide, multiply_high, whole_part, wide_add, wide_mul, wide_product, wrapping_add, wrapping_mul};
