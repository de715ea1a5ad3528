//! Random numbers that are values: `f(key, counter)`, never a stream that somebody has advanced.
//!
//! A draw is addressed by what it is for (a seed; a path or an agent; a step; a domain), so it is the same on every
//! device and the host, whatever the grid, the order or the number of threads.
//!
//! | words from | address | for |
//! |---|---|---|
//! | [`philox()`] | key and counter of 64 and 128 bits | random numbers |
//! | [`Pcg32`] | seed, stream and number of the draw; a draw costs the logarithm of its number, the next one a step | the bits of other programs |
//! | [`Sobol`] | number of the point and dimension | averages of smooth functions, to which they converge faster |
//!
//! | numbers from words | |
//! |---|---|
//! | [`uniform()`] | one a word, in (0, 1] |
//! | [`normal_pair()`] | two normal ones of two words (Box and Muller) |
//! | [`normal_from()`] | a normal one a word, rising with it: what quasi-random points need |
//! | [`Bridge`] | a Brownian path from normal numbers in the order of their importance |

mod bridge;
mod normal;
mod pcg32;
mod philox4x32;
mod quantile;
mod sobol;

pub use bridge::{Bridge, BridgeExpand};
pub use normal::{NormalPair, NormalPairExpand, normal_pair, uniform};
pub use pcg32::{Pcg32, Pcg32Expand, pcg32_stream};
pub use philox4x32::{Key, KeyExpand, Random, RandomExpand, philox};
pub use quantile::normal_from;
pub use sobol::{Sobol, SobolExpand};
