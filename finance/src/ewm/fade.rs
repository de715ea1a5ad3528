//! How much of what came before is left: the part of the state that every weighted fold shares.
//!
//! The share that is forgotten and the share that is kept add up to 1, and both are held: the small one of the two has
//! digits that 1 less the other has lost. With rates near 0 rows forget little, and the products of what they keep would
//! drift; past a half, what is kept is the product.
//!
//! ```text
//! f = f₁ k₂ + f₂,   k = 1 − f if f ≤ ½, else k₁ k₂        identity (0, 1)
//! ```

use cubecl::prelude::*;
use cubefold_primitives::{Real, State};

/// The shares that some rows forget and keep.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub(super) struct Fade<T: Real> {
    pub(super) forgotten: T,
    pub(super) kept: T,
}

/// A row: what it does to history, and what its own value weighs.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub(super) struct Step<T: Real> {
    pub(super) forgotten: T,
    pub(super) kept: T,
    pub(super) weight: T,
}

impl Step<f64> {
    /// The same as a device holds it.
    pub(super) fn narrow<T: Real>(self) -> Step<T> {
        let [forgotten, kept, weight] = [self.forgotten, self.kept, self.weight].map(T::constant);
        Step { forgotten, kept, weight }
    }
}

/// No rows at all.
#[cube]
pub(super) fn unfaded<T: Real>() -> Fade<T> {
    Fade::<T> { forgotten: T::whole(0), kept: T::whole(1) }
}

/// The shares of one row.
#[cube]
pub(super) fn fade_of<T: Real>(step: Step<T>) -> Fade<T> {
    Fade::<T> { forgotten: step.forgotten, kept: step.kept }
}

/// The shares of `left` and then `right`.
#[cube]
pub(super) fn faded<T: Real>(left: Fade<T>, right: Fade<T>) -> Fade<T> {
    let forgotten = left.forgotten * right.kept + right.forgotten;
    let most = forgotten + forgotten > T::whole(1);
    Fade::<T> { forgotten, kept: select(most, left.kept * right.kept, T::whole(1) - forgotten) }
}
