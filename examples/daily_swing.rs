//! Sliding windows: how far the temperature of every 24 hours swung, by two operators of the catalogue in one pass.
//!
//! `cargo run --example daily_swing`
//!
//! Neither a minimum nor a maximum can be taken back out of a window; `sliding` needs no inverse, and its work does not grow with
//! the window.

use cubefold::ops::{Maximum, Minimum, Pair};
use cubefold::prelude::*;

const HOURS: usize = 24 * 365;

/// A year of hours, in degrees: seasons, days, and weather of a few days.
fn temperatures() -> Vec<f32> {
    let wave = |hour: usize, period: f32| (hour as f32 / period * std::f32::consts::TAU).sin();
    (0..HOURS)
        .map(|hour| 10.0 - 9.0 * wave(hour + 2190, 8760.0) + 4.0 * wave(hour, 24.0) + 3.0 * wave(hour, 107.0))
        .collect()
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let degrees = temperatures();
    let both = Pair::new(Minimum::<f32>::new(), Maximum::<f32>::new());
    for window in [24, 24 * 7, 24 * 30] {
        let extremes = device.sliding(&degrees, window as u64, &both)?.to_vec()?;
        for (hour, extreme) in extremes.iter().enumerate() {
            let inside = &degrees[(hour + 1).saturating_sub(window)..=hour];
            assert_eq!(extreme.left, inside.iter().copied().fold(f32::INFINITY, f32::min));
            assert_eq!(extreme.right, inside.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        }
        let swings = extremes.iter().map(|extreme| extreme.right - extreme.left);
        let widest = swings.fold(0.0, f32::max);
        println!("{}: the widest swing of {} days was {widest:.1} degrees", device.label(), window / 24);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
