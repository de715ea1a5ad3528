//! Random numbers that are values: `f(key, counter)`, never a stream that somebody has advanced.
//!
//! A draw is addressed by what it is for (a seed; a path or an agent; a step; a domain), so it is the same on every
//! device and the host, whatever the grid, the order or the number of threads.

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
