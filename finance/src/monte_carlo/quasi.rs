//! Paths along quasi-random points: the same walks, whose normal numbers come from a scrambled Sobol sequence.
//!
//! The steps of one path are built by a Brownian bridge, so that the first dimensions decide most of it.
#![allow(missing_docs)] // of what #[cube] writes beside each method

use cubecl::prelude::*;
use cubefold_primitives::rng::{Bridge, Sobol, normal_from};
use cubefold_primitives::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Wide};

use super::paths::{Paths, Sums, nothing};
use super::shape::{Any, Motion};
use super::walk::Paid;

/// The paths of some options along the points of one scrambling.
#[derive(Debug, Clone, Operator)]
pub(super) struct QuasiPaths {
    pub paths: Paths<Any>,
    /// A dimension a step or asset, and one for the farthest price where one is looked for.
    pub sobol: Sobol,
    pub bridge: Bridge,
}

#[cube]
impl Monoid for QuasiPaths {
    type State = Sums;

    fn identity(&self) -> Sums {
        nothing()
    }

    fn combine(&self, left: Sums, right: Sums) -> Sums {
        self.paths.both(left, right)
    }
}

#[cube]
impl Lift<Wide> for QuasiPaths {
    fn lift(&self, item: Wide) -> Sums {
        self.paths.and(nothing(), self.weighed(item.low), self.paths.centre(0u32.runtime()))
    }
}

#[cube]
impl Lower for QuasiPaths {
    type Output = Sums;

    fn lower(&self, state: Sums) -> Sums {
        state
    }
}

#[cube]
impl QuasiPaths {
    /// What the path of a point pays in all scenarios together.
    fn weighed(&self, index: u32) -> Paid {
        let steps = self.bridge.steps();
        let mut normals = self.bridge.path();
        if comptime!(self.paths.shape.0.motion == Motion::Basket) {
            for asset in 0..steps {
                normals.set(asset, normal_from(self.sobol.point(index, asset)));
            }
        } else {
            for rank in 0..steps {
                self.bridge.place(&mut normals, rank, normal_from(self.sobol.point(index, rank)));
            }
            // The path's values become its moves, the last one first.
            for step in 1..steps {
                let last = steps - step;
                let moved = normals.get(last) - normals.get(last - 1u32);
                normals.set(last, moved);
            }
        }
        let mut word = 0u32.runtime();
        if comptime!(self.paths.shape.0.draws_more_than_one_number()) {
            word = self.sobol.point(index, steps);
        }
        let mut total = self.paths.scaled(0u32.runtime(), self.paths.walk_along(0u32.runtime(), &normals, word));
        if comptime!(!self.paths.shape.0.single) {
            for scenario in 1..self.paths.extent.scenarios {
                let at = scenario * self.paths.extent.width;
                total = self.paths.added(total, self.paths.scaled(at, self.paths.walk_along(at, &normals, word)));
            }
        }
        total
    }
}
