//! `tiled_gemm`: `C[i, j] = lower(⊕ₖ A[i, k] ⊗ B[k, j])` over any semiring.
//!
//! | strategy | loads of an element | shared memory |
//! |---|---|---|
//! | [`GemmStrategy::Naive`] | once for every product | none |
//! | `Tiled8`, `Tiled16`, `Tiled32` | once for every 8, 16, 32 products | two tiles |
//! | [`GemmStrategy::RegisterBlocked`] | once for every 64 or 128 products, and from shared memory once for every 4 or 8 | two steps of two tiles |
//! | [`GemmStrategy::SplitK`] | the same, and a state for every slice and result | the same |
//!
//! Work m n k products and combines, span k. The products of one element are combined in the order of k, for every
//! strategy: an operator that does not commute is right everywhere. The host runs plain float products through the
//! `matrixmultiply` crate, and every other semiring row by row on rayon.

mod blocked;
mod host;
mod kernel;
mod launch;
mod launch_floats;
mod plan;

use crate::device::Launch;
use crate::views::{Matrix, same_length};
use crate::{Buffer, CommutativeProduct, Device, Error, Lower, Semiring};

/// How a product runs on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GemmStrategy {
    /// The largest tile that the device has room for: of the strategies that are measured, the fastest.
    #[default]
    Auto,
    /// One unit an element, straight from memory.
    Naive,
    /// Tiles of 8 × 8.
    Tiled8,
    /// Tiles of 16 × 16.
    Tiled16,
    /// Tiles of 32 × 32.
    Tiled32,
    /// Blocks of 128 × 128 or 64 × 64, of which a unit holds 8 × 8 or 4 × 4 in registers.
    RegisterBlocked,
    /// The same for few results of a great depth: the depth is cut into slices, whose sums are folded in their order by a
    /// second launch. How it is cut depends on the shape alone.
    SplitK,
}

impl GemmStrategy {
    /// The name that launches are observed under.
    pub fn name(self) -> &'static str {
        match self {
            GemmStrategy::Auto => "Auto",
            GemmStrategy::Naive => "Naive",
            GemmStrategy::Tiled8 => "Tiled8",
            GemmStrategy::Tiled16 => "Tiled16",
            GemmStrategy::Tiled32 => "Tiled32",
            GemmStrategy::RegisterBlocked => "RegisterBlocked",
            GemmStrategy::SplitK => "SplitK",
        }
    }
}

impl Device {
    /// Multiplies `a` (m × k) by `b` (k × n) over a semiring: m · n results, row after row, still on the device.
    ///
    /// `k = 0` gives the identity, lowered.
    ///
    /// # Errors
    ///
    /// As [`tiled_gemm_with`](Device::tiled_gemm_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::PlusTimes, views::Dense};
    ///
    /// let a = Dense::new(vec![1.0f32, 2.0, 3.0, 4.0], 2, 2)?;
    /// let square = Device::host().tiled_gemm(&a, &a, &PlusTimes::new())?;
    /// assert_eq!(square.to_vec()?, [7.0, 10.0, 15.0, 22.0]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn tiled_gemm<A, B, O>(&self, a: &A, b: &B, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        A: Matrix,
        B: Matrix,
        O: Semiring<A::Item, B::Item> + Lower,
    {
        self.tiled_gemm_with(a, b, op, GemmStrategy::Auto)
    }

    /// The same by a strategy of the caller's. The strategy that was asked for is the one that runs.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where `a` has as many columns as `b` has rows does not hold, [`Error::Unsupported`] for an
    /// element type, units or shared memory that the device lacks, [`Error::BindingTooLarge`] for results that it
    /// cannot hold, [`Error::ForeignBuffer`] or [`Error::NotOnHost`] for elements that live elsewhere.
    pub fn tiled_gemm_with<A, B, O>(
        &self,
        a: &A,
        b: &B,
        op: &O,
        strategy: GemmStrategy,
    ) -> Result<Buffer<O::Output>, Error>
    where
        A: Matrix,
        B: Matrix,
        O: Semiring<A::Item, B::Item> + Lower,
    {
        same_length("the right matrix's column", b.rows(), a.columns())?;
        match self.gpu() {
            None => {
                op.check_host()?;
                self.notify(&Launch { kernel: "host", strategy: strategy.name(), cubes: 0, units: 0 });
                Ok(Buffer::on_host(host::multiply(a, b, op)?))
            }
            Some(gpu) => launch::multiply(self, gpu, a, b, op, strategy, false),
        }
    }

    /// `XᵀX` over a semiring whose product commutes: n · n results of an m × n matrix, row after row and exactly symmetric.
    ///
    /// # Errors
    ///
    /// As [`tiled_gemm_with`](Device::tiled_gemm_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::PlusTimes, views::Dense};
    ///
    /// let x = Dense::new(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 2)?;
    /// assert_eq!(Device::host().gram(&x, &PlusTimes::new())?.to_vec()?, [35.0, 44.0, 44.0, 56.0]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn gram<M, O>(&self, x: &M, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: CommutativeProduct<M::Item> + Lower,
    {
        self.gram_with(x, op, GemmStrategy::Auto)
    }

    /// The same by a strategy of the caller's. RegisterBlocked and SplitK compute the blocks on and above the diagonal alone:
    /// half the work.
    ///
    /// # Errors
    ///
    /// As [`tiled_gemm_with`](Device::tiled_gemm_with).
    pub fn gram_with<M, O>(&self, x: &M, op: &O, strategy: GemmStrategy) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: CommutativeProduct<M::Item> + Lower,
    {
        let left = x.transposed();
        match self.gpu() {
            None => {
                op.check_host()?;
                self.notify(&Launch { kernel: "host", strategy: strategy.name(), cubes: 0, units: 0 });
                Ok(Buffer::on_host(host::mirrored(host::multiply(&left, x, op)?, x.columns() as usize)))
            }
            Some(gpu) => launch::multiply(self, gpu, &left, x, op, strategy, true),
        }
    }
}
