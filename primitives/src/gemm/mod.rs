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
//! `matrixmultiply` crate, and every other semiring in tiles on rayon.
//!
//! [`Device::tiled_gemm_batched`] multiplies many pairs in one launch, [`Device::gram`] a matrix with its own transpose at half
//! the work, [`Device::closure`] a matrix with itself until nothing is found any more. [`Device::explain_gemm`] says what would
//! run, and why.

mod blocked;
mod closure;
mod explain;
mod host;
mod kernel;
mod launch;
mod launch_floats;
mod matrix_units;
mod plan;

pub use explain::{GemmLaunch, GemmPlan, GemmReason, HostGemm};

use crate::device::{Gpu, Launch};
use crate::views::{Batch, Matrix, Transposed, same_length};
use crate::{Buffer, CommutativeProduct, Device, Error, Feature, Lower, Monoid, PlainProducts, Semiring};
use plan::Product;

/// How a product runs on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GemmStrategy {
    /// RegisterBlocked where there are blocks enough to keep a large GPU busy, SplitK where there are too few for their depth or
    /// where the loops of a device end before the depth does; for small products and wide states the largest tile that the
    /// device has room for. [`Device::explain_gemm`] says which, and why.
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
    /// Every strategy that can be asked for: all but [`Auto`](GemmStrategy::Auto), from the one that loads an element most often
    /// to those that load it least.
    pub const NAMED: [GemmStrategy; 6] = [
        GemmStrategy::Naive,
        GemmStrategy::Tiled8,
        GemmStrategy::Tiled16,
        GemmStrategy::Tiled32,
        GemmStrategy::RegisterBlocked,
        GemmStrategy::SplitK,
    ];

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

/// How exactly a plain product of `f32` is computed.
///
/// `|C - exact|[i, j]` is at most the `error` of a sum's terms, `Σₖ |A[i, k]| · |B[k, j]|`, as long as factors and products are normal
/// numbers:
///
/// | precision | factors | products and sums | error |
/// |---|---|---|---|
/// | `F32` | as they are | f32 | `k · 2⁻²³` |
/// | `Tf32` | rounded to 11 significant bits | f32 | `2⁻¹⁰ + k · 2⁻²²` |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// As the operator says, in `f32`.
    #[default]
    F32,
    /// TensorFloat-32: the device's matrix units multiply factors of 11 significant bits, three decimal digits, and `f32`'s range.
    /// Never taken unless asked for. Infinities and NaN go through as they do in `f32`.
    Tf32,
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
        self.product(a, b, op, strategy, 1)
    }

    /// Multiplies plain floats as exactly as `precision` says: on the device's matrix units for [`Precision::Tf32`].
    ///
    /// # Errors
    ///
    /// As [`tiled_gemm_with`](Device::tiled_gemm_with); [`Error::Unsupported`] also for [`Precision::Tf32`] on a device without
    /// matrix units for it, as the host is.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, Error, Feature, Precision, ops::PlusTimes, views::Dense};
    ///
    /// let a = Dense::new(vec![1.0f32, 2.0, 3.0, 4.0], 2, 2)?;
    /// let refused = Device::host().tiled_gemm_rounded(&a, &a, &PlusTimes::new(), Precision::Tf32).unwrap_err();
    /// assert!(matches!(refused, Error::Unsupported { feature: Feature::Tf32, .. }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tiled_gemm_rounded<A, B, O>(
        &self,
        a: &A,
        b: &B,
        op: &O,
        precision: Precision,
    ) -> Result<Buffer<O::Output>, Error>
    where
        A: Matrix<Item = f32>,
        B: Matrix<Item = f32>,
        O: PlainProducts + Lower,
    {
        match precision {
            Precision::F32 => self.tiled_gemm(a, b, op),
            Precision::Tf32 => {
                let product = shape(a, b, 1)?;
                launch::multiply_tf32(self, self.matrix_units()?, a, b, op, product)
            }
        }
    }

    /// What [`tiled_gemm_rounded`](Device::tiled_gemm_rounded) would run, and why; nothing runs.
    ///
    /// # Errors
    ///
    /// As [`tiled_gemm_rounded`](Device::tiled_gemm_rounded).
    pub fn explain_gemm_rounded<A, B, O>(&self, a: &A, b: &B, op: &O, precision: Precision) -> Result<GemmPlan, Error>
    where
        A: Matrix<Item = f32>,
        B: Matrix<Item = f32>,
        O: PlainProducts + Lower,
    {
        match precision {
            Precision::F32 => self.explain_gemm(a, b, op, GemmStrategy::Auto),
            Precision::Tf32 => {
                let product = shape(a, b, 1)?;
                let plan = launch::plan_tf32::<O>(self, self.matrix_units()?, product)?;
                Ok(GemmPlan::Device(GemmLaunch::on_matrix_units(product, plan)))
            }
        }
    }

    /// The GPU, which may have matrix units; the host has none.
    fn matrix_units(&self) -> Result<&Gpu, Error> {
        self.gpu().ok_or_else(|| Error::Unsupported { device: self.label(), feature: Feature::Tf32 })
    }

    /// Multiplies pair after pair of two batches in one launch: the results of one product after those of the one before.
    ///
    /// # Errors
    ///
    /// As [`tiled_gemm_with`](Device::tiled_gemm_with); [`Error::Length`] also for batches of different lengths.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::PlusTimes, views::{Batch, Dense}};
    ///
    /// let rotations = Dense::new(vec![0i32, -1, 1, 0, -1, 0, 0, -1], 4, 2)?; // two of 2 × 2, one below the other
    /// let points = Batch::strided(vec![3i32, 4], [2, 2, 1], [0, 1, 1])?; // the same column for both
    /// let turned = Device::host().tiled_gemm_batched(&Batch::new(rotations, 2)?, &points, &PlusTimes::new())?;
    /// assert_eq!(turned.to_vec()?, [-4, 3, -3, -4]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn tiled_gemm_batched<A, B, O>(&self, a: &Batch<A>, b: &Batch<B>, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        A: Matrix,
        B: Matrix,
        O: Semiring<A::Item, B::Item> + Lower,
    {
        self.tiled_gemm_batched_with(a, b, op, GemmStrategy::Auto)
    }

    /// The same by a strategy of the caller's.
    ///
    /// # Errors
    ///
    /// As [`tiled_gemm_batched`](Device::tiled_gemm_batched).
    pub fn tiled_gemm_batched_with<A, B, O>(
        &self,
        a: &Batch<A>,
        b: &Batch<B>,
        op: &O,
        strategy: GemmStrategy,
    ) -> Result<Buffer<O::Output>, Error>
    where
        A: Matrix,
        B: Matrix,
        O: Semiring<A::Item, B::Item> + Lower,
    {
        same_length("the right batch", b.count(), a.count())?;
        self.product(a.matrix(), b.matrix(), op, strategy, a.count())
    }

    /// What [`tiled_gemm_with`](Device::tiled_gemm_with) would run, and why; nothing runs.
    ///
    /// # Errors
    ///
    /// As [`tiled_gemm_with`](Device::tiled_gemm_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, GemmStrategy, ops::MinPlus, views::Dense};
    ///
    /// let a = Dense::new(vec![1.0f32; 6], 2, 3)?;
    /// let b = Dense::new(vec![1.0f32; 3], 3, 1)?;
    /// let plan = Device::host().explain_gemm(&a, &b, &MinPlus::new(), GemmStrategy::Auto)?;
    /// assert!(plan.to_string().starts_with("the host's tiles of 4 × 1"), "{plan}");
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn explain_gemm<A, B, O>(&self, a: &A, b: &B, op: &O, strategy: GemmStrategy) -> Result<GemmPlan, Error>
    where
        A: Matrix,
        B: Matrix,
        O: Semiring<A::Item, B::Item> + Lower,
    {
        self.explain::<A, B, O>(op, shape(a, b, 1)?, strategy)
    }

    /// What [`gram_with`](Device::gram_with) would run, and why; nothing runs.
    ///
    /// # Errors
    ///
    /// As [`gram_with`](Device::gram_with).
    pub fn explain_gram<M, O>(&self, x: &M, op: &O, strategy: GemmStrategy) -> Result<GemmPlan, Error>
    where
        M: Matrix,
        O: CommutativeProduct<M::Item> + Lower,
    {
        let left = x.transposed();
        self.explain::<Transposed<&M>, M, O>(op, Product { symmetric: true, ..shape(&left, x, 1)? }, strategy)
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
        let product = Product { symmetric: true, ..shape(&left, x, 1)? };
        match self.gpu() {
            None => self.on_host(op, strategy, || host::gram(x, op)),
            Some(gpu) => launch::multiply(self, gpu, &left, x, op, product, strategy),
        }
    }

    /// `count` products of factors that lie below one another.
    fn product<A, B, O>(
        &self,
        a: &A,
        b: &B,
        op: &O,
        strategy: GemmStrategy,
        count: u32,
    ) -> Result<Buffer<O::Output>, Error>
    where
        A: Matrix,
        B: Matrix,
        O: Semiring<A::Item, B::Item> + Lower,
    {
        let product = shape(a, b, count)?;
        match self.gpu() {
            None => self.on_host(op, strategy, || host::multiply(a, b, op, count)),
            Some(gpu) => launch::multiply(self, gpu, a, b, op, product, strategy),
        }
    }

    fn on_host<O: Monoid + Lower>(
        &self,
        op: &O,
        strategy: GemmStrategy,
        results: impl FnOnce() -> Result<Vec<O::Output>, Error>,
    ) -> Result<Buffer<O::Output>, Error> {
        op.check_host()?;
        self.notify(&Launch { kernel: "host", strategy: strategy.name(), cubes: 0, units: 0 });
        results().map(Buffer::on_host)
    }

    fn explain<A, B, O>(&self, op: &O, product: Product, strategy: GemmStrategy) -> Result<GemmPlan, Error>
    where
        A: Matrix,
        B: Matrix,
        O: Semiring<A::Item, B::Item> + Lower,
    {
        match self.gpu() {
            None => Ok(GemmPlan::Host(host::plan(op, product.columns))),
            Some(gpu) => {
                let plan = launch::plan::<A, B, O>(self, gpu, product, strategy)?;
                Ok(GemmPlan::Device(GemmLaunch::new::<A::Item, B::Item>(product, plan)))
            }
        }
    }
}

/// The shape of `count` products of factors that lie below one another.
fn shape<A: Matrix, B: Matrix>(a: &A, b: &B, count: u32) -> Result<Product, Error> {
    let (rows, depth) = (a.rows() / count.max(1), a.columns());
    if count > 0 {
        same_length("the right matrix's column", b.rows() / count, depth)?;
    }
    let row_major = (a.row_major(), b.row_major());
    Ok(Product { rows, columns: b.columns(), depth, row_major, symmetric: false, count })
}
