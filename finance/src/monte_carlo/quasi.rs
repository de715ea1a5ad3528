//! Blocks of paths along quasi-random points: the same walks, whose normal numbers come from a scrambled Sobol sequence.
//!
//! The steps of one path are built by a Brownian bridge, so that the first dimensions decide most of it.
#![allow(missing_docs)] // of what #[cube] writes beside each method

use cubecl::prelude::*;
use cubefold_primitives::ops::JointMomentsState;
use cubefold_primitives::rng::{Bridge, Sobol, normal_from};
use cubefold_primitives::views::{Mapping, MappingExpand};
use cubefold_primitives::{Operator, Wide, wide_add};

use super::paths::Paths;
use super::shape::Motion;
use super::walk::Paid;

/// The paths of some options along the points of one scrambling.
#[derive(Debug, Clone, Operator)]
pub(super) struct QuasiPaths {
    pub paths: Paths,
    /// A dimension a step or asset, and one for the farthest price where one is looked for.
    pub sobol: Sobol,
    pub bridge: Bridge,
}

#[cube]
impl Mapping<Wide> for QuasiPaths {
    type Output = JointMomentsState<f32>;

    fn map(&self, item: Wide) -> JointMomentsState<f32> {
        let first = Wide { low: self.paths.first.low, high: self.paths.first.high };
        let block = wide_add(first, item);
        let count = self.paths.count(block);
        let start = self.paths.start(block).low;
        let centre = self.weighed(start);
        let mut sums = self.paths.apart(centre, centre);
        for path in 1..count {
            sums = self.paths.more(sums, self.paths.apart(self.weighed(start + path), centre));
        }
        self.paths.moments(sums, centre, count)
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
        for scenario in 1..self.paths.scenarios {
            let at = scenario * self.paths.width;
            total = self.paths.added(total, self.paths.scaled(at, self.paths.walk_along(at, &normals, word)));
        }
        total
    }
}
