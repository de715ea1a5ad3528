//! The reproducible reduction: one combine tree, whatever the device, its planes, its cubes and the length.
//!
//! Items are cut into runs of 16 from the first on; a run is folded in order, and runs as a tree of neighbours:
//!
//! ```text
//! items     0 … 15   16 … 31   32 … 47   48 … 63   64 … 70
//! runs         r0  ⊕  r1          r2  ⊕  r3          r4
//!                 (r0 r1)    ⊕      (r2 r3)           r4
//!                        (r0 r1 r2 r3)         ⊕      r4
//! ```
//!
//! Node `j` of level `k` is always the fold of the runs `j 2^k` to before `(j + 1) 2^k`, and one that has no right neighbour goes
//! up as it is. So aligned blocks of a power of two items, 16 at least, that are folded apart and combined by
//! [`fold_pairs`] give the bits of the whole.
//!
//! A cube folds an aligned block of runs, by planes and through shared memory, and the states of cubes are folded likewise until
//! one is left: how large a block is does not matter.

mod host;
mod kernel;
mod launch;
mod plan;

pub use host::{fold, fold_blocks, fold_pairs};
pub use launch::reduce;

/// Items of a run.
pub const RUN: u32 = 16;
