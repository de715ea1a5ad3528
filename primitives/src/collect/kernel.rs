//! The kernel of `collect`: one unit a run.

use cubecl::prelude::*;
use cubefold_derive::launched;

use crate::Wide;
use crate::tile::{keep, registers};
use crate::views::{Place, PlaceExpand, View, ViewExpand};

/// Writes item `i` of `view` as result `i` of `place`, for all `len`.
#[launched]
#[cube(launch_unchecked)]
pub fn collect<V: View, P: Place<Item = V::Item>>(view: V, place: &mut P, len: u32, #[comptime] run: u32) {
    let start = (CUBE_POS as u32 * CUBE_DIM + UNIT_POS) * run;
    if start < len {
        let mut items = registers::<V::Item>(run);
        let valid = min(run, len - start);
        if valid == run {
            view.read_run(Wide { low: start, high: 0u32.runtime() }, &mut items, 0u32, run);
            place.write_run(start, &items, 0u32, run);
        } else {
            #[unroll]
            for item in 0..run {
                if item < valid {
                    let index = Wide { low: start + item, high: 0u32.runtime() };
                    keep::<V::Item>(&mut items, view.read(index), item);
                }
            }
            place.write_part(start, &items, 0u32, run, valid);
        }
    }
}
