//! `blend`: the mean of two weighted values.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

use crate::Real;

/// `(left_weight left + right_weight right) / total`, moving from the heavier value by the lighter one's share: the mean
/// of two equal values is exactly that value. For operators of weighted means; `total` is the sum of the weights, not 0.
#[cube]
pub fn blend<T: Real>(left: T, left_weight: T, right: T, right_weight: T, total: T) -> T {
    let right_leads = right_weight >= left_weight;
    let leader = select(right_leads, right, left);
    let other = select(right_leads, left, right);
    let share = T::ratio(select(right_leads, left_weight, right_weight), total);
    // What has no share may differ infinitely.
    select(share > T::whole(0), leader + share * (other - leader), leader)
}
