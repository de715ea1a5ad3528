//! Semirings: a product beside the monoid.

mod arg_min_plus;
mod count_min_plus;
mod log_prob;
mod max_plus;
mod max_times;
mod min_plus;
mod or_and;
mod plus_times;

pub use arg_min_plus::{ArgMinPlus, Edges, Hop};
pub use count_min_plus::{CountMinPlus, Paths};
pub use log_prob::LogProb;
pub use max_plus::MaxPlus;
pub use max_times::MaxTimes;
pub use min_plus::MinPlus;
pub use or_and::OrAnd;
pub use plus_times::PlusTimes;
