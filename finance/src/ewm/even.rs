//! The steps of a column without a gap, from no memory: all rows but the first have one.

use cubecl::prelude::*;
use cubefold_primitives::views::{Mapping, MappingExpand};
use cubefold_primitives::{Operator, Real, Wide};

use super::fade::Step;

/// The step of a row by its index.
#[derive(Debug, Clone, Operator)]
pub(super) struct EvenSteps<T: Real> {
    first_forgotten: T,
    first_kept: T,
    first_weight: T,
    forgotten: T,
    kept: T,
    weight: T,
}

impl<T: Real> EvenSteps<T> {
    /// The first row's, and that of all others.
    pub(super) fn new(first: Step<T>, other: Step<T>) -> Self {
        EvenSteps {
            first_forgotten: first.forgotten,
            first_kept: first.kept,
            first_weight: first.weight,
            forgotten: other.forgotten,
            kept: other.kept,
            weight: other.weight,
        }
    }
}

#[cube]
fn step_of<T: Real>(forgotten: T, kept: T, weight: T) -> Step<T> {
    Step::<T> { forgotten, kept, weight }
}

#[cube]
impl<T: Real> Mapping<Wide> for EvenSteps<T> {
    type Output = Step<T>;

    fn map(&self, row: Wide) -> Step<T> {
        let first = (row.low | row.high) == 0u32;
        step_of::<T>(
            select(first, self.first_forgotten, self.forgotten),
            select(first, self.first_kept, self.kept),
            select(first, self.first_weight, self.weight),
        )
    }
}
