//! A path: what a scenario's table says of each step, what is seen on the way, and what is paid at the end.
//!
//! Log prices are relative to the forward price: `S_t = F_t · exp(x_t)`, so that `exp(x)` has the mean 1 under all dynamics. What
//! is paid is formed from `exp(x) − 1` and a sum that the host formed in f64: where nothing moves nothing is rounded.
#![allow(missing_docs)] // of what #[cube] writes beside each method

use cubecl::prelude::*;
use cubefold_primitives::ops::choose;
use cubefold_primitives::rng::{NormalPair, Random, normal_pair, philox, uniform};
use cubefold_primitives::{Local, State, Wide, exp};

use super::paths::{Paths, PathsExpand};
use super::shape::{Compiled, Control, Kind, Motion};
use super::table::{head, step};

/// What a path has seen so far.
#[derive(Debug, Clone, Copy, State)]
pub(super) struct Walk {
    /// The log of the price over its forward price.
    x: f32,
    /// The log of the price over today's.
    level: f32,
    /// Σ amount · (exp(x) − 1) over the fixings.
    sum: f32,
    /// Σ share · x over the fixings; of a basket the mean of exp(x) − 1.
    logs: f32,
    /// The farthest level, times the direction.
    extreme: f32,
    /// The probability that the barrier has not been reached.
    alive: f32,
    /// What was paid when it was reached.
    rebate: f32,
    /// The variance a year.
    variance: f32,
}

/// What a step of a path that has but one does: read before the first number is drawn, so that a loop over paths has checked
/// the table's length before it begins.
#[derive(Debug, Clone, Copy, State)]
pub(super) struct Leap {
    drift: f32,
    spread: f32,
    amount: f32,
}

/// What a path pays, and its control variate.
#[derive(Debug, Clone, Copy, State)]
pub(super) struct Paid {
    /// The payoff, discounted, in units of the table.
    pub value: f32,
    /// The control variate.
    pub control: f32,
}

/// Domain of the draws of paths of several steps: the last word of the counter, so that no other job draws the same.
const DOMAIN: u32 = 0x5041_5448;

#[cube]
impl<S: Compiled> Paths<S> {
    /// The number at `place` of the table.
    #[inline(always)]
    pub(super) fn cell(&self, at: u32, #[comptime] place: u32) -> f32 {
        self.table[(at + place) as usize]
    }

    /// What a path pays in the scenario at `at`, over all of its steps.
    pub(super) fn walk(&self, at: u32, path: Wide) -> Paid {
        let mut walk = self.begun(at);
        let rows = at + head::CELLS;
        if comptime!(S::shape(self.shape.0).motion == Motion::Basket) {
            for asset in 0..self.extent.steps {
                let row = rows + asset * self.extent.row;
                let x = self.cell(row, step::DRIFT) + self.signed(at, self.mixed(row, path));
                walk = choose::<Walk>(
                    asset < self.extent.steps,
                    self.observed(walk, at, row, x, walk.variance, 0u32),
                    walk,
                );
            }
        } else if comptime!(S::shape(self.shape.0).draws_more_than_one_number()) {
            for index in 0..self.extent.steps {
                let words = self.words(path, index);
                let moved = self.stepped(walk, at, rows + index * self.extent.row, words);
                walk = choose::<Walk>(index < self.extent.steps, moved, walk);
            }
        } else {
            let full = self.extent.steps / 4u32;
            for four in 0..full {
                let words = self.words(path, four);
                let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
                let row = rows + 4u32 * four * self.extent.row;
                let mut moved = self.diffused(walk, at, row, front.first);
                moved = self.diffused(moved, at, row + self.extent.row, front.second);
                moved = self.diffused(moved, at, row + 2u32 * self.extent.row, back.first);
                moved = self.diffused(moved, at, row + 3u32 * self.extent.row, back.second);
                walk = choose::<Walk>(four < full, moved, walk);
            }
            // One to three steps are left, or none.
            let left = self.extent.steps - 4u32 * full;
            if left > 0u32 {
                let words = self.words(path, full);
                let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
                let row = rows + 4u32 * full * self.extent.row;
                walk = self.diffused(walk, at, row, front.first);
                if left > 1u32 {
                    walk = self.diffused(walk, at, row + self.extent.row, front.second);
                }
                if left > 2u32 {
                    walk = self.diffused(walk, at, row + 2u32 * self.extent.row, back.first);
                }
            }
        }
        self.paid(at, walk)
    }

    /// What a path has seen before its first step.
    fn begun(&self, at: u32) -> Walk {
        Walk {
            x: self.cell(at, head::NOTHING),
            level: self.cell(at, head::NOTHING),
            sum: self.cell(at, head::NOTHING),
            logs: self.cell(at, head::NOTHING),
            extreme: self.cell(at, head::START),
            alive: self.cell(at, head::ALIVE),
            rebate: self.cell(at, head::REBATE),
            variance: self.cell(at, head::VARIANCE),
        }
    }

    /// What a path pays in the scenario at `at`, given the normal numbers of its steps or assets, and a word for the farthest
    /// price of its only one.
    pub(super) fn walk_along(&self, at: u32, normals: &Local<f32>, word: u32) -> Paid {
        let mut walk = self.begun(at);
        let rows = at + head::CELLS;
        for index in 0..self.extent.steps {
            let row = rows + index * self.extent.row;
            let mut x = walk.x + self.cell(row, step::DRIFT) + self.cell(row, step::SPREAD) * normals.get(index);
            if comptime!(S::shape(self.shape.0).motion == Motion::Basket) {
                x = self.cell(row, step::DRIFT);
                for asset in 0..self.extent.steps {
                    x += self.cell(row + asset, step::CELLS) * normals.get(asset);
                }
            }
            walk =
                choose::<Walk>(index < self.extent.steps, self.observed(walk, at, row, x, walk.variance, word), walk);
        }
        self.paid(at, walk)
    }

    /// A normal number, or for the antithetic path the same negated.
    #[inline(always)]
    fn signed(&self, at: u32, normal: f32) -> f32 {
        let mut signed = normal;
        if comptime!(!S::shape(self.shape.0).single) {
            signed = self.cell(at, head::SIGN) * normal;
        }
        signed
    }

    fn words(&self, path: Wide, index: u32) -> Random {
        philox(self.key(), Random { a: path.low, b: path.high, c: index, d: DOMAIN })
    }

    /// Normal numbers of all assets times the asset's row of the triangle.
    fn mixed(&self, row: u32, path: Wide) -> f32 {
        let mut total = self.cell(row, step::SPREAD);
        for four in 0..self.extent.steps.div_ceil(4u32) {
            let words = self.words(path, four);
            let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
            let place = row + step::CELLS + 4u32 * four;
            total += (self.cell(place, 0u32) * front.first + self.cell(place, 1u32) * front.second)
                + (self.cell(place, 2u32) * back.first + self.cell(place, 3u32) * back.second);
        }
        total
    }

    /// A step of geometric Brownian motion.
    fn diffused(&self, walk: Walk, at: u32, row: u32, normal: f32) -> Walk {
        let x = walk.x + self.cell(row, step::DRIFT) + self.cell(row, step::SPREAD) * self.signed(at, normal);
        self.observed(walk, at, row, x, walk.variance, 0u32)
    }

    /// A step that takes more than one random number.
    fn stepped(&self, walk: Walk, at: u32, row: u32, words: Random) -> Walk {
        let pair = normal_pair(words.a, words.b);
        let signed = NormalPair { first: self.signed(at, pair.first), second: self.signed(at, pair.second) };
        if comptime!(S::shape(self.shape.0).motion == Motion::Heston) {
            self.reverted(walk, at, row, signed, words)
        } else {
            let mut x = walk.x + self.cell(row, step::DRIFT) + self.cell(row, step::SPREAD) * signed.first;
            if comptime!(S::shape(self.shape.0).motion == Motion::Merton) {
                x += self.jumped(row, signed.second, uniform(words.c));
            }
            self.observed(walk, at, row, x, walk.variance, words.d)
        }
    }

    /// The sum of a step's jumps: their number by inversion, their sizes by one normal number.
    fn jumped(&self, row: u32, normal: f32, uniform: f32) -> f32 {
        let expected = self.cell(row, step::JUMPS);
        let mut weight = self.cell(row, step::NO_JUMP);
        let mut below = weight;
        let mut count = self.cell(row, step::NOTHING);
        for jump in 1..self.extent.jumps {
            count += select(uniform > below, 1.0f32, 0.0f32);
            weight *= expected / (jump as f32);
            below += weight;
        }
        count * self.cell(row, step::JUMP_MEAN) + count.sqrt() * self.cell(row, step::JUMP_VOL) * normal
    }

    /// A step of Heston's model: Andersen's quadratic-exponential scheme with martingale correction.
    fn reverted(&self, walk: Walk, at: u32, row: u32, normals: NormalPair, words: Random) -> Walk {
        let now = walk.variance;
        let mean = self.cell(row, step::FADE) * now + self.cell(row, step::PULL);
        let square = self.cell(row, step::NOISE) * now + self.cell(row, step::NOISE_PULL);
        let positive = mean.max(1e-30f32);
        let wide = square / (positive * positive);
        let (k1, k2) = (self.cell(row, step::K1), self.cell(row, step::K2));
        let (k3, k4) = (self.cell(row, step::K3), self.cell(row, step::K4));
        let slope = k2 + 0.5f32 * k4;
        // Quadratic: v = a (b + Z)².
        let inverse = 2.0f32 / wide.clamp(1e-12f32, 1.5f32);
        let b_square = inverse - 1.0f32 + (inverse * (inverse - 1.0f32)).max(0.0f32).sqrt();
        let a = mean / (1.0f32 + b_square);
        let root = b_square.max(0.0f32).sqrt() + normals.second;
        let denominator = (1.0f32 - 2.0f32 * slope * a).max(1e-6f32);
        let near_correction = 0.5f32 * denominator.ln() - slope * b_square * a / denominator;
        // Exponential: 0 with probability p, else exponential of rate beta.
        let p = (wide.max(1.5f32) - 1.0f32) / (wide.max(1.5f32) + 1.0f32);
        let beta = (1.0f32 - p) / positive;
        let drawn = uniform(words.c);
        let chance = select(self.cell(at, head::SIGN) > 0.0f32, drawn, 1.0f32 - drawn);
        let tail = ((1.0f32 - p) / (1.0f32 - chance).max(1e-9f32)).max(1.0f32).ln() / beta;
        let far_correction = -(p + beta * (1.0f32 - p) / (beta - slope).max(1e-6f32 * beta)).max(1e-30f32).ln();
        let quadratic = wide <= 1.5f32;
        let next = select(quadratic, a * root * root, tail).max(0.0f32);
        let correction = select(quadratic, near_correction, far_correction) - (k1 + 0.5f32 * k3) * now;
        let spread = (k3 * now + k4 * next).max(0.0f32).sqrt();
        let x = walk.x + correction + k1 * now + k2 * next + spread * normals.first;
        self.observed(walk, at, row, x, next, words.d)
    }

    /// What is seen where a step ends. Fields that the payoff does not look at follow `x`: nothing that a loop carries is constant.
    fn observed(&self, walk: Walk, at: u32, row: u32, x: f32, variance: f32, word: u32) -> Walk {
        let level = x + self.cell(row, step::FORWARD);
        let mut seen = Walk { x, level, sum: x, logs: x, extreme: x, alive: x, rebate: x, variance: x };
        if comptime!(S::shape(self.shape.0).motion == Motion::Heston) {
            seen.variance = variance;
        }
        if comptime!(S::shape(self.shape.0).kind == Kind::Mean) {
            seen.sum = walk.sum + self.cell(row, step::AMOUNT) * (x.exp() - 1.0f32);
        }
        if comptime!(S::shape(self.shape.0).takes_logs()) {
            seen.logs = walk.logs + self.cell(row, step::SHARE) * x;
        }
        if comptime!(
            S::shape(self.shape.0).motion == Motion::Basket && S::shape(self.shape.0).control == Control::Asset
        ) {
            seen.logs = walk.logs + self.cell(row, step::SHARE) * (x.exp() - 1.0f32);
        }
        if comptime!(S::shape(self.shape.0).kind == Kind::Fixed || S::shape(self.shape.0).kind == Kind::Floating) {
            seen.extreme = self.farthest(walk, at, row, level, word);
        }
        if comptime!(S::shape(self.shape.0).kind == Kind::Barrier) {
            let alive = walk.alive * (1.0f32 - self.reached(walk, at, row, level));
            seen.rebate = walk.rebate + (walk.alive - alive) * self.cell(row, step::REBATE);
            seen.alive = alive;
        }
        seen
    }

    /// The farthest level so far, times the direction; between two dates the farthest of a Brownian bridge, by inversion.
    fn farthest(&self, walk: Walk, at: u32, row: u32, level: f32, word: u32) -> f32 {
        let direction = self.cell(at, head::DIRECTION);
        let end = direction * level;
        if comptime!(S::shape(self.shape.0).continuous) {
            let start = direction * walk.level;
            let spread = self.cell(row, step::SPREAD);
            let gap = end - start;
            let reach = (gap * gap - 2.0f32 * spread * spread * uniform(word).ln()).sqrt();
            walk.extreme.max(0.5f32 * (start + end + reach))
        } else {
            walk.extreme.max(select(self.cell(row, step::FIXING) > 0.0f32, end, walk.extreme))
        }
    }

    /// The probability that the barrier is reached in a step that ends at `level`; between two dates that of a Brownian bridge.
    fn reached(&self, walk: Walk, at: u32, row: u32, level: f32) -> f32 {
        let (direction, barrier) = (self.cell(at, head::DIRECTION), self.cell(at, head::LEVEL));
        let after = barrier - direction * level;
        if comptime!(S::shape(self.shape.0).continuous) {
            let before = barrier - direction * walk.level;
            let away = (before.max(0.0f32) * after * self.cell(row, step::BRIDGE)).min(80.0f32);
            select(after > 0.0f32, (-away.max(0.0f32)).exp(), 1.0f32)
        } else {
            select(after > 0.0f32, 0.0f32, self.cell(row, step::FIXING))
        }
    }

    /// What is paid at the end of a path.
    #[inline(always)]
    fn paid(&self, at: u32, walk: Walk) -> Paid {
        let kind = comptime!(S::shape(self.shape.0).kind);
        let (style, amount, excess) =
            (self.cell(at, head::STYLE), self.cell(at, head::AMOUNT), self.cell(at, head::EXCESS));
        let mut value = walk.sum + excess;
        if comptime!(kind == Kind::Geometric) {
            value = amount * (walk.logs.exp() - 1.0f32) + excess;
        }
        if comptime!(kind == Kind::Barrier) {
            value = amount * (walk.x.exp() - 1.0f32) + excess;
        }
        if comptime!(kind == Kind::Fixed) {
            value = amount * ((self.cell(at, head::DIRECTION) * walk.extreme).exp() - 1.0f32) + excess;
        }
        if comptime!(kind == Kind::Floating) {
            let extreme = (self.cell(at, head::DIRECTION) * walk.extreme).exp() - 1.0f32;
            value = amount * (walk.x.exp() - 1.0f32) - self.cell(at, head::EXTRA) * extreme + excess;
        }
        if comptime!(kind == Kind::Mean) {
            // Its amounts have the style's sign already, and may be less the centre.
            value = value.max(self.cell(at, head::FLOOR));
        } else {
            value = (style * value).max(0.0f32);
        }
        if comptime!(kind == Kind::Cash || kind == Kind::Asset) {
            let mut prize = amount;
            if comptime!(kind == Kind::Asset) {
                prize = amount * walk.x.exp();
            }
            value = select(style * (walk.x - self.cell(at, head::CUT)) > 0.0f32, prize, 0.0f32);
        }
        if comptime!(kind == Kind::Barrier) {
            let exercised = self.cell(at, head::BEGUN) + self.cell(at, head::ALIVE_SHARE) * walk.alive;
            value = exercised * value + walk.rebate + walk.alive * self.cell(at, head::AT_EXPIRY);
        }
        Paid { value, control: self.controlled(at, walk, value) }
    }

    #[inline(always)]
    fn controlled(&self, at: u32, walk: Walk, value: f32) -> f32 {
        let mut control = value;
        if comptime!(S::shape(self.shape.0).control == Control::Asset) {
            if comptime!(S::shape(self.shape.0).motion == Motion::Basket) {
                control = walk.logs;
            } else {
                control = walk.x.exp() - 1.0f32;
            }
        }
        if comptime!(S::shape(self.shape.0).control == Control::Geometric) {
            let mean = self.cell(at, head::EXTRA) * (walk.logs.exp() - 1.0f32) + self.cell(at, head::EXTRA_EXCESS);
            control = (self.cell(at, head::STYLE) * mean).max(0.0f32);
        }
        control
    }

    /// The one step of a path.
    #[inline(always)]
    pub(super) fn leap(&self, at: u32) -> Leap {
        let row = at + head::CELLS;
        Leap {
            drift: self.cell(row, step::DRIFT),
            spread: self.cell(row, step::SPREAD),
            amount: self.cell(row, step::AMOUNT),
        }
    }

    /// What a path of one step pays, given its normal number.
    #[inline(always)]
    pub(super) fn leapt(&self, at: u32, leap: Leap, normal: f32) -> Paid {
        let x = leap.drift + leap.spread * self.signed(at, normal);
        let mut sum = x;
        if comptime!(S::shape(self.shape.0).kind == Kind::Mean) {
            let mut growth = exp(x);
            // Else the 1 is in the table's excess.
            if comptime!(!S::shape(self.shape.0).pays_from_the_centre()) {
                growth -= 1.0f32;
            }
            sum = leap.amount * growth;
        }
        self.paid(at, Walk { x, level: x, sum, logs: x, extreme: x, alive: x, rebate: x, variance: x })
    }
}
