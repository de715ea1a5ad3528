//! The kernel of line folds: one unit a run.

use cubecl::prelude::*;

use crate::ops::carried;
use crate::tile::store;
use crate::views::{MatrixView, MatrixViewExpand};
use crate::{Lift, LiftExpand, Lower, LowerExpand, MonoidExpand};

/// The sizes of the lines.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Extent {
    /// Lines there are.
    pub lines: u32,
    /// Elements of a line.
    pub len: u32,
    /// Elements of a run.
    pub run: u32,
    /// Cubes that cover the lines once.
    pub across: u32,
}

/// Folds run `r` of line `l` into item `r · lines + l` of `output`; `lowered` where there is one run.
#[cube(launch_unchecked)]
pub fn fold_lines<V: MatrixView, O: Lift<V::Item> + Lower>(
    view: V,
    op: O,
    output: &mut [u32],
    extent: Extent,
    runs: u32,
    #[comptime] lowered: bool,
) {
    let cube = CUBE_POS as u32;
    let line = cube % extent.across * CUBE_DIM + UNIT_POS;
    let run = cube / extent.across;
    if line < extent.lines && run < runs {
        let start = run * extent.run;
        let end = min(start + extent.run, extent.len);
        let mut folded = op.identity();
        for index in start..end {
            folded = carried::<O>(&op, index < end, op.push(folded, view.element(line, index)));
        }
        let place = run * extent.lines + line;
        if comptime!(lowered) {
            store::<O::Output>(output, place, op.lower(folded));
        } else {
            store::<O::State>(output, place, folded);
        }
    }
}
