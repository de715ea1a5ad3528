//! The kernel that marks heads: every unit searches the offsets for those in its words.
//!
//! No word is written twice, so nothing is cleared first, nothing is atomic, and many segments that begin at one item cost
//! what one costs.

use cubecl::prelude::*;
use cubefold_derive::launched;

use super::marks::BITS;
use crate::Wide;
use crate::views::{View, ViewExpand};

/// Words of a unit, for one search of the offsets.
pub const RUN: u32 = 4;

/// Sets bit `i` of `bits` where `i` is one of the sorted offsets, and clears the others. Of offsets that are not sorted,
/// some mark nothing.
#[launched]
#[cube(launch_unchecked)]
pub fn mark<V: View<Item = u32>>(offsets: V, bits: &mut [u32], starts: u32, words: u32) {
    let first = (CUBE_POS as u32 * CUBE_DIM + UNIT_POS) * comptime!(RUN);
    if first < words {
        let mut at = first_from::<V>(&offsets, 0u32, starts, first * comptime!(BITS));
        #[unroll]
        for word in 0..comptime!(RUN) {
            let start = (first + word) * comptime!(BITS);
            let mut mask = 0u32;
            let mut more = at < starts;
            while more {
                let place = offset_at::<V>(&offsets, at) - start;
                if place < comptime!(BITS) {
                    mask |= 1u32 << place;
                    // Past all segments that begin here.
                    at += 1u32;
                    if at < starts && offset_at::<V>(&offsets, at) == start + place {
                        at = first_from::<V>(&offsets, at, starts, start + place + 1);
                    }
                    more = at < starts;
                } else {
                    more = false;
                }
            }
            bits[(first + word) as usize] = mask;
        }
    }
}

#[cube]
fn offset_at<V: View<Item = u32>>(offsets: &V, index: u32) -> u32 {
    offsets.read(Wide { low: index, high: 0u32.runtime() })
}

/// The first of the sorted offsets `from..starts` that is not below `item`; `starts` where there is none.
#[cube]
fn first_from<V: View<Item = u32>>(offsets: &V, from: u32, starts: u32, item: u32) -> u32 {
    let mut low = from;
    let mut high = starts;
    while low < high {
        let middle = low + (high - low) / 2;
        if offset_at::<V>(offsets, middle) < item {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
