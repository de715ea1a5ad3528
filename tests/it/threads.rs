//! The host's bits do not depend on how many threads it has.

use cubefold::iterate::{Feedback, FeedbackExpand, Iteration, Moment, total};
use cubefold::ops::Sum;
use cubefold::prelude::*;
use cubefold::rng;

use crate::samples::floats;

/// Sums of floats that depend on the sums before, by three keys that items change between.
#[derive(Clone, Debug, Operator)]
struct Drifting;

#[cube]
impl Monoid for Drifting {
    type State = f32;
    fn identity(&self) -> f32 {
        0.0f32.runtime()
    }
    fn combine(&self, left: f32, right: f32) -> f32 {
        left + right
    }
}

impl Commutative for Drifting {}

#[cube]
impl Feedback<f32> for Drifting {
    type Setting = u32;
    type Shared = f32;
    fn setting(&self, member: u32) -> u32 {
        member
    }
    fn start(&self, setting: u32) -> f32 {
        0.25f32 + setting as f32
    }
    fn key(&self, item: f32, _setting: u32, shared: f32, _now: Moment) -> u32 {
        select(item < shared, 0u32, select(item < 2.0f32 * shared, 1u32, 2u32))
    }
    fn respond(&self, item: f32, _setting: u32, shared: f32, _now: Moment) -> f32 {
        item * (1.0f32 + shared)
    }
    fn update(&self, totals: &[u32], _history: &[u32], _setting: u32, shared: f32, now: Moment) -> f32 {
        let all = total::<f32>(totals, 0u32) - total::<f32>(totals, 1u32) + 0.5f32 * total::<f32>(totals, 2u32);
        // The lowest bits of the sum become high ones, which a uniform number keeps.
        let bits = cubefold::wrapping_mul(all.to_bits() ^ now.step, 0x9e37_79b1u32.runtime());
        0.5f32 * shared + 0.25f32 * rng::uniform(bits)
    }
}

/// What one, two, three and seven threads find.
fn by_threads<T: Send>(find: impl Fn() -> T + Sync) -> Vec<(usize, T)> {
    let found = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        (threads, pool.install(&find))
    };
    [1, 2, 3, 7].map(found).into()
}

fn assert_equal<T: Send + PartialEq>(case: &str, find: impl Fn() -> T + Sync) {
    let all = by_threads(find);
    for (threads, found) in &all[1..] {
        assert!(*found == all[0].1, "{case}: {threads} threads give other bits than one");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let host = Device::host();
    for len in [1, 257, 4_099, 150_001] {
        let items = floats(len, 5);
        assert_equal(&format!("sum of {len}"), || {
            host.reduce(&items, &Sum::<f32>::new()).unwrap().get(0).unwrap().to_bits()
        });
        assert_equal(&format!("scan of {len}"), || {
            let sums = host.scan(&items, &Sum::<f32>::new()).unwrap().to_vec().unwrap();
            sums.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        });
        let shares: Vec<f32> = items.iter().map(|item| item.fract().abs()).collect();
        for members in [1, 3] {
            assert_equal(&format!("{members} loops of {len}"), || {
                let iteration = Iteration { steps: 9, keys: 3, members, ..Iteration::default() };
                let found = host.iterate(&shares, &Drifting, &iteration).unwrap().to_vec().unwrap();
                found.into_iter().map(f32::to_bits).collect::<Vec<_>>()
            });
        }
    }
}

#[test]
fn the_comparison_rejects_items_that_are_grouped_otherwise() {
    let mut items: Vec<f32> = floats(70_001, 5).iter().map(|item| item.fract().abs()).collect();
    let iteration = Iteration { steps: 9, keys: 3, ..Iteration::default() };
    let host = Device::host();
    let sum = |items: &[f32]| host.reduce(items, &Sum::<f32>::new()).unwrap().get(0).unwrap().to_bits();
    let last = |items: &[f32]| host.iterate(items, &Drifting, &iteration).unwrap().get(9).unwrap().to_bits();
    let found = (sum(&items), last(&items));
    // The same items, every chunk of which begins one later.
    items.rotate_left(1);
    assert_ne!(sum(&items), found.0);
    assert_ne!(last(&items), found.1);
}
