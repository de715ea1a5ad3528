//! A figure of several columns over time.

use plotters::chart::SeriesLabelPosition;
use plotters::prelude::*;

use super::canvas::{self, ACCENT, Axes, HEIGHT, INK, Marked, PlotError, QUIET, STRONG};
use super::moving_average::{date_ticks, draw_line};

/// What [`draw`] shows.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    /// Title of the picture.
    pub title: &'a str,
    /// Name and unit of the vertical axis.
    pub unit: &'a str,
    /// The date or index of each row.
    pub dates: &'a [String],
    /// Name and values of each line, NaN where one is missing.
    pub lines: Vec<(&'a str, Vec<f64>)>,
}

/// Lines that can be told apart; of more, only the first are named.
const STYLES: [(RGBColor, u32); 4] = [(STRONG, 6), (ACCENT, 4), (QUIET, 4), (INK, 2)];

/// Draws a line for every column: the first ones in styles of their own and named in the legend, the others thin and grey
/// behind them.
///
/// # Errors
/// What plotters gives.
pub fn draw(picture: &Lines<'_>) -> Result<String, PlotError> {
    let ticks = date_ticks(picture.dates);
    let marks = ticks.iter().map(|(row, _)| *row as f64).collect();
    let last = picture.dates.len().saturating_sub(1).max(1) as f64;
    let across = Marked { range: 0.0..last, marks };
    let values = picture.lines.iter().flat_map(|(_, values)| values.iter().copied());
    // A row of the legend takes some 7 % of the height.
    let named = picture.lines.len().min(STYLES.len()) as f64;
    let heights = canvas::with_headroom(canvas::padded(values, 0.05), 0.03 + 0.08 * named);
    let date = |row: &f64| ticks.iter().find(|tick| tick.0 as f64 == *row).map(|tick| tick.1.clone());
    canvas::draw(HEIGHT, |sheet| {
        let mut chart = canvas::framed(sheet, picture.title).build_cartesian_2d(across, heights)?;
        Axes {
            x_name: "date",
            y_name: picture.unit,
            x_tick: &|row| date(row).unwrap_or_default(),
            y_tick: &|value| canvas::tick(*value),
        }
        .draw(&mut chart)?;
        for (_, values) in picture.lines.iter().skip(STYLES.len()) {
            draw_line(&mut chart, None, values, QUIET.stroke_width(1))?;
        }
        for ((name, values), (colour, width)) in picture.lines.iter().zip(STYLES) {
            draw_line(&mut chart, Some(name), values, colour.stroke_width(width))?;
        }
        canvas::legend(&mut chart, SeriesLabelPosition::UpperLeft)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_are_drawn_and_the_first_are_named() {
        let dates: Vec<String> = (0..4).map(|row| row.to_string()).collect();
        let names = ["one", "two", "three", "four", "five"];
        let lines = names.map(|name| (name, vec![f64::NAN, 2.0, f64::NAN, 4.0])).to_vec();
        let svg = draw(&Lines { title: "many", unit: "figure", dates: &dates, lines }).expect("it is drawn");
        assert!(svg.contains("four") && !svg.contains("five"), "{svg}");
    }

    #[test]
    fn nothing_at_all_is_drawn_as_an_empty_sheet() {
        let lines = vec![("A", vec![f64::NAN])];
        draw(&Lines { title: "none", unit: "figure", dates: &["1".to_owned()], lines }).expect("it is drawn");
        draw(&Lines { title: "none", unit: "figure", dates: &[], lines: Vec::new() }).expect("it is drawn");
    }
}
