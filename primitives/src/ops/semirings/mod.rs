//! Semirings: a product beside the monoid.

mod log_prob;
mod max_plus;
mod max_times;
mod min_plus;
mod or_and;
mod plus_times;

pub use log_prob::LogProb;
pub use max_plus::MaxPlus;
pub use max_times::MaxTimes;
pub use min_plus::MinPlus;
pub use or_and::OrAnd;
pub use plus_times::PlusTimes;
