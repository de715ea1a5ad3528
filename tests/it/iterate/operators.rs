//! Loops of other kinds: a fold that must not be asked for some items, and a power iteration.

use cubefold::iterate::{Feedback, FeedbackExpand, Iteration, Moment, total};
use cubefold::prelude::*;

use crate::devices::{devices, ways};

/// A fold that cannot be asked for an item of no key: it would divide by zero.
#[derive(Clone, Debug, Operator)]
pub struct Picky {
    pub keys: u32,
}

#[cube]
impl Monoid for Picky {
    type State = u32;
    fn identity(&self) -> u32 {
        0u32.runtime()
    }
    fn combine(&self, left: u32, right: u32) -> u32 {
        cubefold::wrapping_add(left, right)
    }
}

impl Commutative for Picky {}

#[cube]
impl Feedback<u32> for Picky {
    type Setting = u32;
    type Shared = u32;
    fn setting(&self, member: u32) -> u32 {
        member
    }
    fn start(&self, _setting: u32) -> u32 {
        0u32.runtime()
    }
    fn key(&self, item: u32, _setting: u32, _shared: u32, _now: Moment) -> u32 {
        item % (self.keys + 2u32)
    }
    fn respond(&self, item: u32, _setting: u32, _shared: u32, _now: Moment) -> u32 {
        (item * 100u32) / (self.keys - min(item % (self.keys + 2u32), self.keys))
    }
    fn update(&self, totals: &[u32], _history: &[u32], _setting: u32, shared: u32, _now: Moment) -> u32 {
        let mut sum = shared;
        for key in 0..self.keys {
            sum = cubefold::wrapping_add(sum, total::<u32>(totals, key));
        }
        sum
    }
}

#[test]
fn items_without_a_key_are_never_asked() {
    let keys = 3u32;
    let items: Vec<u32> = (0..5_000).collect();
    let of_step = items.iter().filter(|&&item| item % (keys + 2) < keys);
    let of_step = of_step.fold(0u32, |sum, &item| sum.wrapping_add(item * 100 / (keys - item % (keys + 2))));
    for (name, device) in devices() {
        let held = device.upload(&items).unwrap();
        for way in ways(device) {
            let iteration = Iteration { steps: 3, keys, way, ..Iteration::default() };
            let found = device.iterate(&held, &Picky { keys }, &iteration).unwrap().to_vec().unwrap();
            let expected: Vec<u32> = (0..4).map(|step| of_step.wrapping_mul(step)).collect();
            assert_eq!(found, expected, "{name}, {way:?}");
        }
    }
}

/// A vector of four numbers, and its length before it was made 1.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Direction {
    a: f32,
    b: f32,
    c: f32,
    d: f32,
    length: f32,
}

/// `v ← Σv / |Σv|` for a matrix of four rows, whose items are in the order of the rows: |Σv| becomes the largest eigenvalue.
#[derive(Clone, Debug, Operator)]
struct PowerIteration;

#[cube]
impl Monoid for PowerIteration {
    type State = f32;
    fn identity(&self) -> f32 {
        0.0f32.runtime()
    }
    fn combine(&self, left: f32, right: f32) -> f32 {
        left + right
    }
}

impl Commutative for PowerIteration {}

#[cube]
impl Feedback<Both<Wide, f32>> for PowerIteration {
    type Setting = u32;
    type Shared = Direction;
    fn setting(&self, member: u32) -> u32 {
        member
    }
    fn start(&self, _setting: u32) -> Direction {
        let half = 0.5f32.runtime();
        Direction { a: half, b: half, c: half, d: half, length: 0.0f32.runtime() }
    }
    fn key(&self, item: Both<Wide, f32>, _setting: u32, _shared: Direction, _now: Moment) -> u32 {
        item.left.low / 4u32
    }
    fn respond(&self, item: Both<Wide, f32>, _setting: u32, v: Direction, _now: Moment) -> f32 {
        let column = item.left.low % 4u32;
        let front = select(column == 0u32, v.a, v.b);
        let back = select(column == 2u32, v.c, v.d);
        item.right * select(column < 2u32, front, back)
    }
    fn update(&self, totals: &[u32], _history: &[u32], _setting: u32, _v: Direction, _now: Moment) -> Direction {
        let (a, b) = (total::<f32>(totals, 0u32), total::<f32>(totals, 1u32));
        let (c, d) = (total::<f32>(totals, 2u32), total::<f32>(totals, 3u32));
        let length = (a * a + b * b + c * c + d * d).sqrt();
        Direction { a: a / length, b: b / length, c: c / length, d: d / length, length }
    }
}

#[test]
fn power_iteration_finds_the_top_eigenvalue_of_a_covariance() {
    // Equal variances 2 and covariances 0.5: 2 + 3 · 0.5, along (1, 1, 1, 1); then one asset alone, whose variance is 9.
    let even: Vec<f32> = (0..16).map(|index| if index % 5 == 0 { 2.0 } else { 0.5 }).collect();
    let alone: Vec<f32> =
        (0..16).map(|index| [0.0, [1.0, 9.0, 2.0, 3.0][index / 4]][usize::from(index % 5 == 0)]).collect();
    for (name, device) in devices() {
        for way in ways(device) {
            for (matrix, expected) in [(&even, 3.5), (&alone, 9.0)] {
                let source = Counter::new(16).zip(device.upload(matrix).unwrap());
                let iteration = Iteration { steps: 40, keys: 4, way, ..Iteration::default() };
                let found = device.iterate(&source, &PowerIteration, &iteration).unwrap().get(40).unwrap();
                assert!((found.length - expected).abs() < 1e-4, "{name}, {way:?}: {found:?}, not {expected}");
            }
        }
    }
}
