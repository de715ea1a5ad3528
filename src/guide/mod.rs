//! Six pages for those who write operators and run them.
//!
//! | page | answers |
//! |---|---|
//! | [`operators`] | what an operator is, its laws, and which programs are operators |
//! | [`strategies`] | which scan or product runs, why, and when to name another |
//! | [`promises`] | order, bits, sizes, errors |
//! | [`devices`] | how a device is chosen, what it needs, and what happens without one |
//! | [`finance`] | prices, averages, covariances and portfolios as compositions |
//! | [`performance`] | how to time, and how the published figures were |

#[doc = include_str!("operators.md")]
pub mod operators {}

#[doc = include_str!("strategies.md")]
pub mod strategies {}

#[doc = include_str!("promises.md")]
pub mod promises {}

#[doc = include_str!("devices.md")]
pub mod devices {}

#[doc = include_str!("finance.md")]
pub mod finance {}

#[doc = include_str!("performance.md")]
pub mod performance {}
