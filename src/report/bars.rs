//! Rates side by side: a bar each, named on its left, with its number at its end.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{self, INK, LABEL_SIZE, PlotError, SHADE, STRONG, Sheet, TICK_SIZE, TITLE_SIZE, WIDTH};

/// Where bars begin, and how long the longest is: names stand before, numbers behind.
const LEFT: i32 = 400;
const LONGEST: f64 = 560.0;
/// Top of the first bar, distance of one from the next, and how thick each is.
const TOP: i32 = 110;
const PITCH: i32 = 84;
const THICK: i32 = 52;
/// Room under the last bar for what the lengths mean.
const FOOT: i32 = 90;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// Its length; what is not positive has none.
    pub value: f64,
    /// The number at its end, with its unit.
    pub told: String,
}

/// Draws `bars` from zero on, the longest dark; `value_name` says what a length means.
///
/// # Errors
/// What plotters gives.
pub fn draw(title: &str, value_name: &str, bars: &[Bar]) -> Result<String, PlotError> {
    let longest = bars.iter().map(|bar| bar.value).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let bottom = TOP + PITCH * bars.len() as i32;
    canvas::draw((bottom + FOOT) as u32, |sheet| {
        let middle = Pos::new(HPos::Center, VPos::Center);
        let centre = WIDTH as i32 / 2;
        sheet.draw(&Text::new(title.to_owned(), (centre, TOP / 2), canvas::text(TITLE_SIZE).pos(middle)))?;
        sheet.draw(&Text::new(
            value_name.to_owned(),
            (centre, bottom + FOOT / 2),
            canvas::text(LABEL_SIZE).pos(middle),
        ))?;
        for (index, bar) in bars.iter().enumerate() {
            draw_bar(sheet, TOP + PITCH * index as i32, bar, longest)?;
        }
        sheet.draw(&PathElement::new([(LEFT, TOP - 12), (LEFT, bottom)], INK.stroke_width(3)))?;
        Ok(())
    })
}

fn draw_bar(sheet: &Sheet<'_>, top: i32, bar: &Bar, longest: f64) -> Result<(), PlotError> {
    let length = if bar.value > 0.0 && longest > 0.0 { (bar.value / longest * LONGEST).round() as i32 } else { 0 };
    let ink = if bar.value >= longest { STRONG } else { SHADE };
    let corners = [(LEFT, top), (LEFT + length, top + THICK)];
    sheet.draw(&Rectangle::new(corners, ink.filled()))?;
    sheet.draw(&Rectangle::new(corners, INK.stroke_width(2)))?;
    let beside = |side| canvas::text(TICK_SIZE).pos(Pos::new(side, VPos::Center));
    let level = top + THICK / 2;
    sheet.draw(&Text::new(bar.name.clone(), (LEFT - 16, level), beside(HPos::Right)))?;
    sheet.draw(&Text::new(bar.told.clone(), (LEFT + length + 16, level), beside(HPos::Left)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bar_has_its_name_and_number() {
        let bar = |name: &str, value: f64| Bar { name: name.to_owned(), value, told: format!("{value} GFLOP/s") };
        let svg = draw("tiles", "rate", &[bar("Naive", 10.0), bar("Tiled8", 20.0), bar("odd", f64::NAN)])
            .expect("it is drawn");
        for told in ["Naive", "10 GFLOP/s", "Tiled8", "20 GFLOP/s", "NaN GFLOP/s"] {
            assert!(svg.contains(told), "{told}");
        }
        assert!(svg.contains("width=\"560\""), "the longest takes all the room");
        draw("nothing", "rate", &[]).expect("no bars are drawn");
    }
}
