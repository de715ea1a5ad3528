//! Run-time parameters: a reservoir that overflows at its capacity and never falls below empty, for any capacity.
//!
//! `cargo run --example reservoir`
//!
//! A day is the map `level <- clamp(level + inflow, 0, capacity)`. Such maps compose into maps `clamp(level + shift, low, high)`.

use cubefold::Element;
use cubefold::prelude::*;

/// The map `level -> clamp(level + shift, low, high)`.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Clamped {
    shift: f32,
    low: f32,
    high: f32,
}

/// Fields are run-time parameters: a kernel is compiled once, whatever they are.
#[derive(Clone, Debug, Operator)]
struct Reservoir {
    capacity: f32,
    start: f32,
}

#[cube]
impl Monoid for Reservoir {
    type State = Clamped;
    fn identity(&self) -> Clamped {
        Clamped { shift: 0.0f32.runtime(), low: f32::lowest(), high: f32::highest() }
    }
    fn combine(&self, left: Clamped, right: Clamped) -> Clamped {
        Clamped {
            shift: left.shift + right.shift,
            low: min(max(left.low + right.shift, right.low), right.high),
            high: min(max(left.high + right.shift, right.low), right.high),
        }
    }
}

#[cube]
impl Lift<f32> for Reservoir {
    fn lift(&self, inflow: f32) -> Clamped {
        Clamped { shift: inflow, low: 0.0f32.runtime(), high: self.capacity }
    }
}

#[cube]
impl Lower for Reservoir {
    type Output = f32;
    fn lower(&self, days: Clamped) -> f32 {
        min(max(self.start + days.shift, days.low), days.high)
    }
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let inflows: Vec<f32> = (0..30_000u32).map(|day| (day * 7919 % 41) as f32 - 20.0).collect();
    for capacity in [50.0, 200.0, 800.0] {
        let op = Reservoir { capacity, start: capacity / 2.0 };
        check_laws(&op, &[op.identity(), op.lift(30.0), op.lift(-45.0), op.combine(op.lift(9.0), op.lift(-4.0))])?;
        let levels = device.scan(&inflows, &op)?.to_vec()?;
        let mut level = op.start;
        for (day, &inflow) in inflows.iter().enumerate() {
            level = (level + inflow).clamp(0.0, capacity);
            assert_eq!(levels[day], level, "day {day}");
        }
        let days = |mark: f32| levels.iter().filter(|&&level| level == mark).count();
        println!("{}: of {capacity}, full on {} days, empty on {}", device.label(), days(capacity), days(0.0));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
