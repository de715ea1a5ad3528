//! Times of several jobs on a logarithmic axis.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{self, ACCENT, INK, LABEL_SIZE, PALE, PlotError, STRONG, Sheet, TICK_SIZE, TITLE_SIZE, WIDTH};
use super::table::duration;

/// Ends of the time axis.
const LEFT: i32 = 210;
const RIGHT: i32 = WIDTH as i32 - 90;
/// Top of the first job's row, under title and legend.
const TOP: i32 = 180;
/// Height that one job takes.
const ROW: i32 = 84;

/// The times of one job in seconds; missing ones are not drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// Name of the job.
    pub job: String,
    /// On the host.
    pub host: Option<f64>,
    /// First call on the device.
    pub cold: Option<f64>,
    /// Later call on the device.
    pub warm: Option<f64>,
}

impl Times {
    /// The times that can be drawn, each with its mark.
    fn marked(&self) -> impl Iterator<Item = (Mark, f64)> {
        let times = [(Mark::Host, self.host), (Mark::Cold, self.cold), (Mark::Warm, self.warm)];
        let drawn = times.into_iter().filter_map(|(mark, time)| Some((mark, time?)));
        drawn.filter(|(_, seconds)| *seconds > 0.0 && seconds.is_finite())
    }
}

/// What a time is the time of: shapes differ, so that they are told apart without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Host,
    Cold,
    Warm,
}

impl Mark {
    fn name(self) -> &'static str {
        match self {
            Mark::Host => "host",
            Mark::Cold => "device, first call",
            Mark::Warm => "device, later call",
        }
    }

    fn draw(self, sheet: &Sheet<'_>, (x, y): (i32, i32)) -> Result<(), PlotError> {
        match self {
            Mark::Host => sheet.draw(&Rectangle::new([(x - 12, y - 12), (x + 12, y + 12)], INK.stroke_width(4)))?,
            Mark::Cold => sheet.draw(&TriangleMarker::new((x, y), 17, ACCENT.filled()))?,
            Mark::Warm => sheet.draw(&Circle::new((x, y), 13, STRONG.filled()))?,
        }
        Ok(())
    }
}

/// Draws one row a job with a mark for each of its times; further left is faster.
///
/// # Errors
/// What plotters gives.
pub fn draw(title: &str, jobs: &[Times]) -> Result<String, PlotError> {
    let bottom = TOP + ROW * jobs.len() as i32;
    let (low, high) = decades(jobs);
    let across = |exponent: f64| LEFT + ((exponent - low) / (high - low) * f64::from(RIGHT - LEFT)).round() as i32;
    canvas::draw((bottom + 156) as u32, |sheet| {
        let middle = canvas::text(TITLE_SIZE).pos(Pos::new(HPos::Center, VPos::Center));
        sheet.draw(&Text::new(title.to_owned(), (WIDTH as i32 / 2, 44), middle))?;
        draw_legend(sheet)?;
        let marks = (low as i32..=high as i32).map(|decade| (across(f64::from(decade)), decade));
        draw_axis(sheet, marks, bottom)?;
        let name = canvas::text(LABEL_SIZE).pos(Pos::new(HPos::Right, VPos::Center));
        for (index, times) in jobs.iter().enumerate() {
            let y = TOP + ROW * index as i32 + ROW / 2;
            sheet.draw(&PathElement::new([(LEFT, y), (RIGHT, y)], PALE.stroke_width(2)))?;
            sheet.draw(&Text::new(times.job.clone(), (LEFT - 20, y), name.clone()))?;
            for (mark, seconds) in times.marked() {
                mark.draw(sheet, (across(seconds.log10()), y))?;
            }
        }
        Ok(())
    })
}

/// The whole powers of ten around all times.
fn decades(jobs: &[Times]) -> (f64, f64) {
    let exponents = jobs.iter().flat_map(Times::marked).map(|(_, seconds)| seconds.log10());
    let around = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = exponents.fold(around, |(low, high), exponent| (exponent.min(low), exponent.max(high)));
    if low > high { (-1.0, 0.0) } else { (low.floor(), high.ceil().max(low.floor() + 1.0)) }
}

fn draw_legend(sheet: &Sheet<'_>) -> Result<(), PlotError> {
    let beside = canvas::text(TICK_SIZE).pos(Pos::new(HPos::Left, VPos::Center));
    for (mark, x) in [(Mark::Host, 190), (Mark::Cold, 380), (Mark::Warm, 820)] {
        mark.draw(sheet, (x, 118))?;
        sheet.draw(&Text::new(mark.name(), (x + 28, 118), beside.clone()))?;
    }
    Ok(())
}

/// Lines at the powers of ten, their times and the axis' name.
fn draw_axis(sheet: &Sheet<'_>, decades: impl Iterator<Item = (i32, i32)>, bottom: i32) -> Result<(), PlotError> {
    let below = canvas::text(TICK_SIZE).pos(Pos::new(HPos::Center, VPos::Top));
    for (x, decade) in decades {
        sheet.draw(&PathElement::new([(x, TOP), (x, bottom)], PALE.stroke_width(2)))?;
        sheet.draw(&Text::new(round_duration(decade), (x, bottom + 16), below.clone()))?;
    }
    sheet.draw(&PathElement::new([(LEFT, bottom), (RIGHT, bottom)], INK.stroke_width(2)))?;
    let name = canvas::text(LABEL_SIZE).pos(Pos::new(HPos::Center, VPos::Top));
    sheet.draw(&Text::new("time of one call (logarithmic)", ((LEFT + RIGHT) / 2, bottom + 78), name))?;
    Ok(())
}

/// 10 to the power of `decade` seconds without decimals.
pub fn round_duration(decade: i32) -> String {
    if decade < -6 {
        return format!("{} ns", 10f64.powi(decade + 9));
    }
    // The factor keeps 10^-3 from rounding to 999.999 µs.
    let text = duration(10f64.powi(decade) * (1.0 + 1e-12));
    let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let whole = number.split_once('.').map_or(number, |(whole, _)| whole);
    format!("{whole} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_are_whole_durations() {
        let texts: Vec<String> = (-8..=2).map(round_duration).collect();
        assert_eq!(
            texts,
            ["10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"]
        );
    }

    #[test]
    fn jobs_without_device_times_are_drawn() {
        let times = Times { job: "price".to_owned(), host: Some(0.5), cold: None, warm: Some(f64::NAN) };
        let svg = draw("times", &[times]).expect("it is drawn");
        assert!(svg.contains("price"));
        draw("nothing", &[]).expect("no jobs are drawn");
    }
}
