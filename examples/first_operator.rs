//! Your first operator: the longest run of equal items, by a monoid over a struct.
//!
//! `cargo run --example first_operator`

use cubefold::prelude::*;

/// What a stretch of items says about runs: how long it is, its ends, and the runs at its ends and inside.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Runs {
    len: u32,
    first: u32,
    last: u32,
    prefix: u32,
    suffix: u32,
    longest: u32,
}

#[derive(Clone, Debug, Operator)]
struct LongestRun;

#[cube]
impl Monoid for LongestRun {
    type State = Runs;
    fn identity(&self) -> Runs {
        let zero = 0u32.runtime();
        Runs { len: zero, first: zero, last: zero, prefix: zero, suffix: zero, longest: zero }
    }
    fn combine(&self, left: Runs, right: Runs) -> Runs {
        let joins = left.len > 0 && right.len > 0 && left.last == right.first;
        let across = select(joins, left.suffix + right.prefix, 0u32);
        let whole_left = joins && left.prefix == left.len;
        let whole_right = joins && right.suffix == right.len;
        let prefix = select(whole_left, across, left.prefix);
        let suffix = select(whole_right, across, right.suffix);
        Runs {
            len: left.len + right.len,
            first: select(left.len > 0, left.first, right.first),
            last: select(right.len > 0, right.last, left.last),
            prefix: select(left.len > 0, prefix, right.prefix),
            suffix: select(right.len > 0, suffix, left.suffix),
            longest: max(across, max(left.longest, right.longest)),
        }
    }
}

#[cube]
impl Lift<u32> for LongestRun {
    fn lift(&self, item: u32) -> Runs {
        let one = 1u32.runtime();
        Runs { len: one, first: item, last: item, prefix: one, suffix: one, longest: one }
    }
}

#[cube]
impl Lower for LongestRun {
    type Output = u32;
    fn lower(&self, state: Runs) -> u32 {
        state.longest
    }
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let op = LongestRun;
    check_laws(&op, &[7, 7, 8].map(|item| op.lift(item)))?;
    let rolls = vec![3u32, 3, 1, 6, 6, 6, 6, 2, 2, 5];
    let longest = device.reduce(&rolls, &op)?.get(0)?;
    let so_far = device.scan(&rolls, &op)?.to_vec()?;
    println!("{}: longest run {longest}, so far {so_far:?}", device.label());
    assert_eq!(longest, 4);
    assert_eq!(so_far, [1, 2, 2, 2, 2, 3, 4, 4, 4, 4]);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
