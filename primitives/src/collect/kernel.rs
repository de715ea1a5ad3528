//! The kernel of `collect`: one unit an item.

use cubecl::prelude::*;

use crate::Wide;
use crate::tile::store;
use crate::views::{View, ViewExpand};

/// Stores item `i` of `view` as item `i` of `output`, for all `len`.
#[cube(launch_unchecked)]
pub fn collect<V: View>(view: V, output: &mut [u32], len: u32) {
    let index = CUBE_POS as u32 * CUBE_DIM + UNIT_POS;
    if index < len {
        store::<V::Item>(output, index, view.read(Wide { low: index, high: 0u32.runtime() }));
    }
}
