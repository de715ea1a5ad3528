//! What paths pay, as an operator: an item is a path, or four of them that share a draw; the state is sums of what they pay and of
//! their control variates, less a number near both means.
//!
//! Draws are addressed by the seed and the path's number: four paths of one step share a Philox block, a path of several steps
//! has one for every four of them. What a scenario's path pays is added up with the scenario's weight: antithetic paths, and
//! differences by a parameter, are scenarios of the same draws.
#![allow(missing_docs)] // of what #[cube] writes beside each method

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::rng::{Key, Random, normal_pair, philox};
use cubefold_primitives::{
    Captured, Fixed, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, State, Wide, wide_add,
};

use super::shape::{Any, Compiled, Control, Plain, Shape};
use super::table::{Table, head};
use super::walk::Paid;

/// The paths of some options, those of one option after those of another.
#[derive(Debug, Clone, Operator)]
pub(super) struct Paths<S: Compiled> {
    /// The scenarios of all options, one after the other.
    pub table: Captured<f32>,
    pub shape: Fixed<Shape>,
    /// What the host's code knows of it.
    pub compiled: PhantomData<S>,
    pub seed: Number,
    /// Items of an option before the first.
    pub first: Number,
    /// The last item of an option, and the paths of it.
    pub last: Number,
    pub rest: u32,
    /// Blocks of an option, of two to the power of a number of items.
    pub blocks: u32,
    pub block_bits: u32,
    pub extent: Extent,
}

/// How large the table is.
#[derive(Debug, Clone, Operator)]
pub(super) struct Extent {
    /// Scenarios of an option, and the numbers of each.
    pub scenarios: u32,
    pub width: u32,
    /// Steps of a path, and the numbers of each.
    pub steps: u32,
    pub row: u32,
    /// The jumps of a step that are not too many to happen.
    pub jumps: u32,
}

impl Paths<Any> {
    /// The same paths, if their shape is the plain one, and code that knows it.
    pub fn plain(&self) -> Option<Paths<Plain>> {
        let Paths { table, shape, seed, first, last, rest, blocks, block_bits, extent, .. } = self.clone();
        let compiled = PhantomData;
        let plain = Paths { table, shape, compiled, seed, first, last, rest, blocks, block_bits, extent };
        (shape.0 == Plain::SHAPE).then_some(plain)
    }
}

impl Extent {
    pub fn of(table: &Table) -> Self {
        let Table { scenarios, width, steps, row, jumps, .. } = *table;
        Extent { scenarios, width, steps, row, jumps }
    }
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

/// Sums of differences from the option's centre; without a control variate those of the payoffs stand for it.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Sums {
    pub(super) value: f32,
    pub(super) value_squared: f32,
    pub(super) control: f32,
    pub(super) control_squared: f32,
    pub(super) product: f32,
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
impl<S: Compiled> Monoid for Paths<S> {
    type State = Sums;

    fn identity(&self) -> Sums {
        nothing()
    }

    fn combine(&self, left: Sums, right: Sums) -> Sums {
        self.both(left, right)
    }
}

#[cube]
impl<S: Compiled> Lift<Wide> for Paths<S> {
    fn lift(&self, item: Wide) -> Sums {
        self.more(nothing(), item, item)
    }

    #[inline(always)]
    fn open(&self, first: Wide) -> Sums {
        self.more(nothing(), first, first)
    }

    /// Where the option stands in the table follows from the run's first item: that is worked out once a run.
    #[inline(always)]
    fn extend(&self, run: Sums, first: Wide, item: Wide) -> Sums {
        self.more(run, first, item)
    }

    #[inline(always)]
    fn close(&self, run: Sums, _first: Wide) -> Sums {
        run
    }
}

#[cube]
impl<S: Compiled> Lower for Paths<S> {
    type Output = Sums;

    fn lower(&self, state: Sums) -> Sums {
        state
    }
}

/// No paths.
#[cube]
#[inline(always)]
pub(super) fn nothing() -> Sums {
    Sums {
        value: 0.0f32.runtime(),
        value_squared: 0.0f32.runtime(),
        control: 0.0f32.runtime(),
        control_squared: 0.0f32.runtime(),
        product: 0.0f32.runtime(),
    }
}

#[cube]
impl<S: Compiled> Paths<S> {
    #[inline(always)]
    pub(super) fn key(&self) -> Key {
        Key { low: self.seed.low, high: self.seed.high }
    }

    /// Where the option that an item is of begins in the table.
    #[inline(always)]
    fn place(&self, item: Wide) -> u32 {
        let mut place = 0u32.runtime();
        if comptime!(S::shape(self.shape.0).many) {
            place = self.block(item) / self.blocks * (self.extent.scenarios * self.extent.width);
        }
        place
    }

    /// The block of the launch that an item is in.
    #[inline(always)]
    fn block(&self, item: Wide) -> u32 {
        (item.high << (32u32 - self.block_bits)) | (item.low >> self.block_bits)
    }

    /// The number of an item among all of its option.
    #[inline(always)]
    fn number(&self, item: Wide) -> Wide {
        let first = Wide { low: self.first.low, high: self.first.high };
        let mut number = item;
        if comptime!(S::shape(self.shape.0).many) {
            let block = self.block(item) % self.blocks;
            let within = item.low & ((1u32 << self.block_bits) - 1u32);
            number = Wide { low: (block << self.block_bits) | within, high: block >> (32u32 - self.block_bits) };
        }
        wide_add(first, number)
    }

    /// How many paths of an item there are, which has `most`: fewer of the last one, and none after it.
    #[inline(always)]
    fn there(&self, number: Wide, #[comptime] most: u32) -> u32 {
        let is_last = select(number.high == self.last.high, number.low == self.last.low, false);
        let mut there = select(is_last, self.rest, most);
        // Items after it only fill up the last block of an option.
        if comptime!(S::shape(self.shape.0).many) {
            let after = select(number.high == self.last.high, number.low > self.last.low, number.high > self.last.high);
            there = select(after, 0u32, there);
        }
        there
    }

    /// What lies near the mean, where it is still to be taken off.
    #[inline(always)]
    pub(super) fn centre(&self, at: u32) -> Paid {
        let mut centre = Paid { value: self.cell(at, head::CENTRE), control: self.cell(at, head::CONTROL_CENTRE) };
        if comptime!(S::shape(self.shape.0).pays_from_the_centre()) {
            centre.value = 0.0f32.runtime();
        }
        centre
    }

    /// A run that begins with item `first`, and an item more: items of a run differ in their low word only.
    #[inline(always)]
    fn more(&self, run: Sums, first: Wide, item: Wide) -> Sums {
        let at = self.place(first);
        let start = self.number(first);
        let number = Wide { low: start.low + (item.low - first.low), high: start.high };
        let centre = self.centre(at);
        if comptime!(S::shape(self.shape.0).leap) {
            let mut four = self.four(at, number);
            if comptime!(!S::shape(self.shape.0).even) {
                let there = self.there(number, 4u32);
                if there < 4u32 {
                    four = Four {
                        first: self.chosen(there > 0u32, four.first, centre),
                        second: self.chosen(there > 1u32, four.second, centre),
                        third: self.chosen(there > 2u32, four.third, centre),
                        fourth: centre,
                    };
                }
            }
            let front = self.and(self.and(run, four.first, centre), four.second, centre);
            self.and(self.and(front, four.third, centre), four.fourth, centre)
        } else {
            let mut paid = self.weighed(at, number);
            if comptime!(!S::shape(self.shape.0).even) {
                paid = self.chosen(self.there(number, 1u32) > 0u32, paid, centre);
            }
            self.and(run, paid, centre)
        }
    }

    /// What a path pays in all scenarios together.
    fn weighed(&self, at: u32, path: Wide) -> Paid {
        let mut total = self.scaled(at, self.walk(at, path));
        if comptime!(!S::shape(self.shape.0).single) {
            for scenario in 1..self.extent.scenarios {
                let place = at + scenario * self.extent.width;
                total = self.added(total, self.scaled(place, self.walk(place, path)));
            }
        }
        total
    }

    #[inline(always)]
    pub(super) fn scaled(&self, at: u32, paid: Paid) -> Paid {
        let mut scaled = paid;
        if comptime!(!S::shape(self.shape.0).single) {
            scaled.value = self.cell(at, head::WEIGHT) * paid.value;
            scaled.control = self.cell(at, head::CONTROL_WEIGHT) * paid.control;
        }
        scaled
    }

    #[inline(always)]
    pub(super) fn added(&self, left: Paid, right: Paid) -> Paid {
        Paid { value: left.value + right.value, control: left.control + right.control }
    }

    /// What the four paths of a draw pay in all scenarios together.
    #[inline(always)]
    fn four(&self, at: u32, draw: Wide) -> Four {
        let leap = self.leap(at);
        let words = philox(self.key(), Random { a: draw.low, b: draw.high, c: 0u32, d: DOMAIN });
        let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
        let mut four = Four {
            first: self.scaled(at, self.leapt(at, leap, front.first)),
            second: self.scaled(at, self.leapt(at, leap, front.second)),
            third: self.scaled(at, self.leapt(at, leap, back.first)),
            fourth: self.scaled(at, self.leapt(at, leap, back.second)),
        };
        if comptime!(!S::shape(self.shape.0).single) {
            for scenario in 1..self.extent.scenarios {
                let other = at + scenario * self.extent.width;
                let leap = self.leap(other);
                four = Four {
                    first: self.added(four.first, self.scaled(other, self.leapt(other, leap, front.first))),
                    second: self.added(four.second, self.scaled(other, self.leapt(other, leap, front.second))),
                    third: self.added(four.third, self.scaled(other, self.leapt(other, leap, back.first))),
                    fourth: self.added(four.fourth, self.scaled(other, self.leapt(other, leap, back.second))),
                };
            }
        }
        four
    }

    #[inline(always)]
    fn chosen(&self, there: bool, paid: Paid, centre: Paid) -> Paid {
        Paid { value: select(there, paid.value, centre.value), control: select(there, paid.control, centre.control) }
    }

    /// The sums with one path more.
    #[inline(always)]
    pub(super) fn and(&self, sums: Sums, paid: Paid, centre: Paid) -> Sums {
        let mut more = paid.value;
        if comptime!(!S::shape(self.shape.0).pays_from_the_centre()) {
            more = paid.value - centre.value;
        }
        let (value, squared) = (sums.value + more, sums.value_squared + more * more);
        let mut next =
            Sums { value, value_squared: squared, control: value, control_squared: squared, product: squared };
        if comptime!(S::shape(self.shape.0).control != Control::Nothing) {
            let control = paid.control - centre.control;
            next.control = sums.control + control;
            next.control_squared = sums.control_squared + control * control;
            next.product = sums.product + more * control;
        }
        next
    }

    /// The paths of both.
    pub(super) fn both(&self, left: Sums, right: Sums) -> Sums {
        let (value, squared) = (left.value + right.value, left.value_squared + right.value_squared);
        let mut both =
            Sums { value, value_squared: squared, control: value, control_squared: squared, product: squared };
        if comptime!(S::shape(self.shape.0).control != Control::Nothing) {
            both.control = left.control + right.control;
            both.control_squared = left.control_squared + right.control_squared;
            both.product = left.product + right.product;
        }
        both
    }

    /// What is near the mean of what paths pay: where nothing moves it is the mean.
    pub(super) fn central(&self, at: u32) -> Paid {
        let mut paid = Paid { value: 0.0f32.runtime(), control: 0.0f32.runtime() };
        for scenario in 0..self.extent.scenarios {
            let place = at + scenario * self.extent.width;
            if comptime!(S::shape(self.shape.0).leap) {
                paid = self.added(paid, self.scaled(place, self.leapt(place, self.leap(place), 0.0f32)));
            } else {
                let first = Wide { low: 0u32.runtime(), high: 0u32.runtime() };
                paid = self.added(paid, self.scaled(place, self.walk(place, first)));
            }
        }
        paid
    }
}
