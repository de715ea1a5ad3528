//! Blocks of paths: the joint moments of what they pay and of their control variates.
//!
//! Draws are addressed by the seed and the path's number: four paths of one step share a Philox block, a path of several steps
//! has one for every four of them. What a scenario's path pays is added up with the scenario's weight: antithetic paths, and
//! differences by a parameter, are scenarios of the same draws.
#![allow(missing_docs)] // of what #[cube] writes beside each method

use cubecl::prelude::*;
use cubefold_primitives::ops::{JointMomentsState, joint_moments_of};
use cubefold_primitives::rng::{Key, Random, normal_pair, philox};
use cubefold_primitives::views::{Mapping, MappingExpand};
use cubefold_primitives::{Captured, Fixed, Operator, State, Wide, wide_add, wrapping_add};

use super::shape::{Control, Shape};
use super::table::head;
use super::walk::Paid;

/// The paths of some options, block after block.
#[derive(Debug, Clone, Operator)]
pub(super) struct Paths {
    /// The scenarios of all options, one after the other.
    pub table: Captured<f32>,
    pub shape: Fixed<Shape>,
    pub seed: Number,
    /// The number of the first block.
    pub first: Number,
    /// Paths of an option.
    pub paths: Number,
    /// Blocks of an option.
    pub blocks: u32,
    /// Scenarios of an option, and the numbers of each.
    pub scenarios: u32,
    pub width: u32,
    /// Steps of a path, and the numbers of each.
    pub steps: u32,
    pub row: u32,
    /// The jumps of a step that are not too many to happen.
    pub jumps: u32,
}

/// A whole number of 64 bits.
#[derive(Debug, Clone, Operator)]
pub(super) struct Number {
    pub low: u32,
    pub high: u32,
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        let wide = Wide::from(value);
        Number { low: wide.low, high: wide.high }
    }
}

/// Sums of a block's differences from its first path.
#[derive(Debug, Clone, Copy, State)]
pub(super) struct Sums {
    value: f32,
    value_squared: f32,
    control: f32,
    control_squared: f32,
    product: f32,
}

/// What four paths pay.
#[derive(Debug, Clone, Copy, State)]
struct Four {
    first: Paid,
    second: Paid,
    third: Paid,
    fourth: Paid,
}

/// Domain of the draws of paths of one step: the last word of the counter, so that no other job draws the same.
const DOMAIN: u32 = 0x4555_524f;

#[cube]
impl Mapping<Wide> for Paths {
    type Output = JointMomentsState<f32>;

    /// One division a block: its moments come from sums of differences.
    fn map(&self, item: Wide) -> JointMomentsState<f32> {
        let at = item.low / self.blocks * (self.scenarios * self.width);
        let first = Wide { low: self.first.low, high: self.first.high };
        let block = wide_add(first, Wide { low: item.low % self.blocks, high: 0u32 });
        let count = self.count(block);
        if comptime!(self.shape.0.leap) {
            let centre = self.four(at, block, 0u32).first;
            let mut sums = self.drawn(at, block, 0u32, centre, count);
            // The last block may have fewer paths.
            if count < comptime!(1u32 << self.shape.0.block_bits) {
                for draw in 1..count.div_ceil(4u32) {
                    sums = self.more(sums, self.drawn(at, block, draw, centre, count - 4u32 * draw));
                }
            } else {
                for draw in 1..comptime!(1u32 << (self.shape.0.block_bits - 2)) {
                    sums = self.more(sums, self.drawn(at, block, draw, centre, 4u32.runtime()));
                }
            }
            self.moments(sums, centre, count)
        } else {
            let centre = self.weighed(at, self.start(block));
            let mut sums = self.apart(centre, centre);
            for path in 1..count {
                let paid = self.weighed(at, wide_add(self.start(block), Wide { low: path, high: 0u32 }));
                sums = self.more(sums, self.apart(paid, centre));
            }
            self.moments(sums, centre, count)
        }
    }
}

#[cube]
impl Paths {
    pub(super) fn key(&self) -> Key {
        Key { low: self.seed.low, high: self.seed.high }
    }

    /// The number of a block's first path.
    pub(super) fn start(&self, block: Wide) -> Wide {
        let bits = comptime!(self.shape.0.block_bits);
        Wide { low: block.low << bits, high: (block.high << bits) | (block.low >> comptime!(32 - bits)) }
    }

    /// How many paths a block has: none beyond the last one.
    pub(super) fn count(&self, block: Wide) -> u32 {
        let size = comptime!(1u32 << self.shape.0.block_bits);
        let start = self.start(block);
        let low = wrapping_add(self.paths.low, wrapping_add(start.low ^ 0xffff_ffffu32, 1u32.runtime()));
        let less = select(start.low > self.paths.low, 1u32, 0u32);
        let beyond = select(start.high == self.paths.high, less != 0u32, start.high > self.paths.high);
        let near = wrapping_add(start.high, less) == self.paths.high;
        let count = select(near, min(low, size), size);
        select(beyond, 0u32, count)
    }

    /// What a path pays in all scenarios together.
    fn weighed(&self, at: u32, path: Wide) -> Paid {
        let mut total = self.scaled(at, self.walk(at, path));
        for scenario in 1..self.scenarios {
            let place = at + scenario * self.width;
            total = self.added(total, self.scaled(place, self.walk(place, path)));
        }
        total
    }

    pub(super) fn scaled(&self, at: u32, paid: Paid) -> Paid {
        Paid {
            value: self.cell(at, head::WEIGHT) * paid.value,
            control: self.cell(at, head::CONTROL_WEIGHT) * paid.control,
        }
    }

    pub(super) fn added(&self, left: Paid, right: Paid) -> Paid {
        Paid { value: left.value + right.value, control: left.control + right.control }
    }

    /// What the four paths of a draw of a block pay in all scenarios together.
    fn four(&self, at: u32, block: Wide, draw: u32) -> Four {
        let bits = comptime!(self.shape.0.block_bits - 2);
        let (low, high) = (block.low << bits, block.high << bits);
        let place = Random { a: low | draw, b: high | (block.low >> comptime!(32 - bits)), c: 0u32, d: DOMAIN };
        let words = philox(self.key(), place);
        let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
        let mut four = Four {
            first: self.scaled(at, self.leapt(at, front.first)),
            second: self.scaled(at, self.leapt(at, front.second)),
            third: self.scaled(at, self.leapt(at, back.first)),
            fourth: self.scaled(at, self.leapt(at, back.second)),
        };
        for scenario in 1..self.scenarios {
            let other = at + scenario * self.width;
            four = Four {
                first: self.added(four.first, self.scaled(other, self.leapt(other, front.first))),
                second: self.added(four.second, self.scaled(other, self.leapt(other, front.second))),
                third: self.added(four.third, self.scaled(other, self.leapt(other, back.first))),
                fourth: self.added(four.fourth, self.scaled(other, self.leapt(other, back.second))),
            };
        }
        four
    }

    /// The sums of the first `count` of the four paths of a draw.
    fn drawn(&self, at: u32, block: Wide, draw: u32, centre: Paid, count: u32) -> Sums {
        let four = self.four(at, block, draw);
        let first = self.apart(self.chosen(count > 0, four.first, centre), centre);
        let second = self.apart(self.chosen(count > 1, four.second, centre), centre);
        let third = self.apart(self.chosen(count > 2, four.third, centre), centre);
        let fourth = self.apart(self.chosen(count > 3, four.fourth, centre), centre);
        self.more(self.more(first, second), self.more(third, fourth))
    }

    fn chosen(&self, there: bool, paid: Paid, centre: Paid) -> Paid {
        Paid { value: select(there, paid.value, centre.value), control: select(there, paid.control, centre.control) }
    }

    /// The sums of one path.
    pub(super) fn apart(&self, paid: Paid, centre: Paid) -> Sums {
        let value = paid.value - centre.value;
        let square = value * value;
        if comptime!(self.shape.0.control == Control::Nothing) {
            Sums { value, value_squared: square, control: value, control_squared: square, product: square }
        } else {
            let control = paid.control - centre.control;
            Sums { value, value_squared: square, control, control_squared: control * control, product: value * control }
        }
    }

    pub(super) fn more(&self, left: Sums, right: Sums) -> Sums {
        Sums {
            value: left.value + right.value,
            value_squared: left.value_squared + right.value_squared,
            control: left.control + right.control,
            control_squared: left.control_squared + right.control_squared,
            product: left.product + right.product,
        }
    }

    pub(super) fn moments(&self, sums: Sums, centre: Paid, count: u32) -> JointMomentsState<f32> {
        let number = count.max(1u32) as f32;
        let (value, control) = (sums.value / number, sums.control / number);
        // Below 0 by rounding only. What is not a number stays so: it is no error of 0.
        let value_m2 = sums.value_squared - sums.value * value;
        let control_m2 = sums.control_squared - sums.control * control;
        joint_moments_of::<f32>(
            Wide { low: count, high: 0u32 },
            centre.value + value,
            select(value_m2 < 0.0f32, 0.0f32, value_m2),
            centre.control + control,
            select(control_m2 < 0.0f32, 0.0f32, control_m2),
            sums.product - sums.value * control,
        )
    }
}
