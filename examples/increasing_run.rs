//! The longest increasing run: the longest stretch of days on which a price rose every day.
//!
//! `cargo run --example increasing_run`

use cubefold::prelude::*;

/// A stretch of prices: how many, its ends, and the rising runs at its ends and inside.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Rises {
    len: u32,
    first: f32,
    last: f32,
    prefix: u32,
    suffix: u32,
    longest: u32,
}

#[derive(Clone, Debug, Operator)]
struct LongestRise;

#[cube]
impl Monoid for LongestRise {
    type State = Rises;
    fn identity(&self) -> Rises {
        let (none, price) = (0u32.runtime(), 0.0f32.runtime());
        Rises { len: none, first: price, last: price, prefix: none, suffix: none, longest: none }
    }
    fn combine(&self, left: Rises, right: Rises) -> Rises {
        // A run goes on from the one into the other where both are there and the price rises between them.
        let rises = select(left.last < right.first, 1u32, 0u32);
        let across = rises * (left.suffix + right.prefix);
        let grown = select(left.prefix == left.len, max(across, left.prefix), left.prefix);
        let behind = select(right.suffix == right.len, max(across, right.suffix), right.suffix);
        let both = min(left.len, right.len);
        Rises {
            len: left.len + right.len,
            first: select(left.len > 0, left.first, right.first),
            last: select(right.len > 0, right.last, left.last),
            prefix: select(both > 0, grown, left.prefix + right.prefix),
            suffix: select(both > 0, behind, left.suffix + right.suffix),
            longest: max(select(both > 0, across, 0u32), max(left.longest, right.longest)),
        }
    }
}

#[cube]
impl Lift<f32> for LongestRise {
    fn lift(&self, price: f32) -> Rises {
        let one = 1u32.runtime();
        Rises { len: one, first: price, last: price, prefix: one, suffix: one, longest: one }
    }
}

#[cube]
impl Lower for LongestRise {
    type Output = u32;
    fn lower(&self, state: Rises) -> u32 {
        state.longest
    }
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let op = LongestRise;
    check_laws(&op, &[3.0, 5.0, 1.0].map(|price| op.combine(op.lift(price), op.lift(4.0))))?;
    let prices: Vec<f32> = (0..50_000u32).map(|day| (day.wrapping_pow(3) % 10_007) as f32).collect();
    let records = device.scan(&prices, &op)?.to_vec()?;
    let (mut run, mut longest) = (0, 0);
    for day in 0..prices.len() {
        run = if day > 0 && prices[day - 1] < prices[day] { run + 1 } else { 1 };
        longest = longest.max(run);
        assert_eq!(records[day], longest, "day {day}");
    }
    println!("{}: {} prices, the longest run of rises has {longest}", device.label(), prices.len());
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
