//! A struct state: the largest sum of consecutive items, in one pass and in any grouping.
//!
//! `cargo run --example best_stretch`

use cubefold::prelude::*;

/// What a stretch of items says: its sum, the best sums at its ends, and the best inside. No items at all sum to 0.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Stretch {
    sum: i32,
    prefix: i32,
    suffix: i32,
    best: i32,
}

#[derive(Clone, Debug, Operator)]
struct BestStretch;

#[cube]
impl Monoid for BestStretch {
    type State = Stretch;
    fn identity(&self) -> Stretch {
        let zero = 0i32.runtime();
        Stretch { sum: zero, prefix: zero, suffix: zero, best: zero }
    }
    fn combine(&self, left: Stretch, right: Stretch) -> Stretch {
        Stretch {
            sum: left.sum + right.sum,
            prefix: max(left.prefix, left.sum + right.prefix),
            suffix: max(right.suffix, left.suffix + right.sum),
            best: max(left.suffix + right.prefix, max(left.best, right.best)),
        }
    }
}

#[cube]
impl Lift<i32> for BestStretch {
    fn lift(&self, item: i32) -> Stretch {
        let gain = max(item, 0i32);
        Stretch { sum: item, prefix: gain, suffix: gain, best: gain }
    }
}

#[cube]
impl Lower for BestStretch {
    type Output = i32;
    fn lower(&self, state: Stretch) -> i32 {
        state.best
    }
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let op = BestStretch;
    check_laws(&op, &[-3, 5, 0, -1].map(|item| op.combine(op.lift(item), op.lift(2))))?;
    let profits: Vec<i32> = (0..100_000u32).map(|day| (day * 7919 % 1009) as i32 - 505).collect();
    let best = device.reduce(&profits, &op)?.get(0)?;
    // Kadane's loop, which needs one item after another.
    let (mut ending, mut expected) = (0, 0);
    for profit in &profits {
        ending = (ending + profit).max(0);
        expected = expected.max(ending);
    }
    assert_eq!(best, expected);
    println!("{}: {} days, the best stretch of them earned {best}", device.label(), profits.len());
    // The same operator scans: the best so far, and slides: the best within a month.
    let so_far = device.scan(&profits, &op)?.get(profits.len() - 1)?;
    assert_eq!(so_far, expected);
    let monthly = device.sliding(&profits, 21, &op)?.to_vec()?;
    println!("  within any 21 days at most {}", monthly.iter().max().copied().unwrap_or(0));
    assert!(monthly.iter().all(|&within| within <= best));
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
