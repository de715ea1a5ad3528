//! Viterbi by max-plus: when was the die loaded? `cargo run --example viterbi`
//!
//! A roll is a 2 × 2 matrix over (max, +): the score of going from one die to another and seeing it. Their product is associative:
//! a scan gives the best score up to every roll, one in reverse that from there on, and the better sum of both names the die.

use cubefold::prelude::*;
use cubefold::{Element, ScanOptions};

/// Best scores from die to die over a stretch of rolls: fair (f) and loaded (l).
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Paths {
    ff: i32,
    fl: i32,
    lf: i32,
    ll: i32,
}

/// A die is changed with probability 0.05; the loaded one shows a six every other time. Logarithms in thousandths: sums are exact.
#[derive(Clone, Debug, Operator)]
struct Casino;

#[cube]
impl Monoid for Casino {
    type State = Paths;
    fn identity(&self) -> Paths {
        Paths { ff: 0i32.runtime(), fl: i32::lowest(), lf: i32::lowest(), ll: 0i32.runtime() }
    }
    fn combine(&self, left: Paths, right: Paths) -> Paths {
        Paths {
            ff: i32::farther(i32::plus_or_lowest(left.ff, right.ff), left.fl, right.lf),
            fl: i32::farther(i32::plus_or_lowest(left.ff, right.fl), left.fl, right.ll),
            lf: i32::farther(i32::plus_or_lowest(left.lf, right.ff), left.ll, right.lf),
            ll: i32::farther(i32::plus_or_lowest(left.lf, right.fl), left.ll, right.ll),
        }
    }
}

#[cube]
impl Lift<u32> for Casino {
    fn lift(&self, roll: u32) -> Paths {
        let (fair, loaded) = (-1792i32, select(roll == 6u32, -693i32, -2303i32));
        let (stays, changes) = (-51i32, -2996i32);
        Paths { ff: stays + fair, fl: changes + loaded, lf: changes + fair, ll: stays + loaded }
    }
}

#[cube]
impl Lower for Casino {
    type Output = Paths;
    fn lower(&self, paths: Paths) -> Paths {
        paths
    }
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let op = Casino;
    check_laws(&op, &[op.identity(), op.lift(6), op.lift(1), op.combine(op.lift(6), op.lift(2))])?;
    let (hash, cheats) = (|roll: u32| roll.wrapping_pow(3) % 10_007, |roll: u32| roll / 500 % 3 == 2);
    let roll = |roll: u32| if cheats(roll) && hash(roll) < 5_000 { 6 } else { hash(roll + 77) % 6 + 1 };
    let rolls: Vec<u32> = (0..20_000).map(roll).collect();
    let back = ScanOptions { reverse: true, exclusive: true, ..ScanOptions::default() };
    let (before, after) = (device.scan(&rolls, &op)?.to_vec()?, device.scan_with(&rolls, &op, &back)?.to_vec()?);
    let through = |f: Paths, b: Paths| [f.ff.max(f.lf) + b.ff.max(b.fl), f.fl.max(f.ll) + b.lf.max(b.ll)];
    let best: Vec<[i32; 2]> = before.iter().zip(&after).map(|(&f, &b)| through(f, b)).collect();
    let step = |[fair, loaded]: [i32; 2], &roll: &u32| {
        let seen = if roll == 6 { -693 } else { -2303 };
        [(fair - 51).max(loaded - 2996) - 1792, (fair - 2996).max(loaded - 51) + seen]
    };
    assert_eq!(best[0].iter().max(), rolls.iter().fold([0, 0], step).iter().max(), "roll by roll");
    assert!(best.iter().all(|roll| roll.iter().max() == best[0].iter().max()), "the best path passes every roll");
    let right = (0..).zip(&best).filter(|(roll, score)| cheats(*roll) == (score[1] > score[0])).count();
    println!("{}: the die is named rightly for {right} of {} rolls", device.label(), rolls.len());
    assert!(right * 10 > rolls.len() * 7);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
