//! A price and its moving average over time.

use plotters::chart::SeriesLabelPosition;
use plotters::prelude::*;

use super::canvas::{self, Axes, Chart, HEIGHT, Marked, PlotError, QUIET, STRONG};

/// What [`draw`] shows.
#[derive(Debug, Clone, Copy)]
pub struct Smoothed<'a> {
    /// Title of the picture.
    pub title: &'a str,
    /// Name of the average in the legend.
    pub average_name: &'a str,
    /// Name and unit of the vertical axis.
    pub unit: &'a str,
    /// The date or index of each row.
    pub dates: &'a [String],
    /// The price of each row, NaN where it is missing.
    pub price: &'a [f64],
    /// The average of each row.
    pub average: &'a [f64],
}

/// Draws the price as a thin grey line and its average as a thick dark one.
///
/// # Errors
/// What plotters gives.
pub fn draw(smoothed: &Smoothed<'_>) -> Result<String, PlotError> {
    let ticks = date_ticks(smoothed.dates);
    let marks = ticks.iter().map(|(row, _)| *row as f64).collect();
    let last = smoothed.dates.len().saturating_sub(1).max(1) as f64;
    let across = Marked { range: 0.0..last, marks };
    let heights = canvas::padded(smoothed.price.iter().chain(smoothed.average).copied(), 0.05);
    let date = |row: &f64| ticks.iter().find(|tick| tick.0 as f64 == *row).map(|tick| tick.1.clone());
    canvas::draw(HEIGHT, |sheet| {
        let mut chart = canvas::framed(sheet, smoothed.title).build_cartesian_2d(across, heights)?;
        Axes {
            x_name: "date",
            y_name: smoothed.unit,
            x_tick: &|row| date(row).unwrap_or_default(),
            y_tick: &|value| canvas::tick(*value),
        }
        .draw(&mut chart)?;
        draw_line(&mut chart, Some("price"), smoothed.price, QUIET.stroke_width(2))?;
        draw_line(&mut chart, Some(smoothed.average_name), smoothed.average, STRONG.stroke_width(6))?;
        canvas::legend(&mut chart, SeriesLabelPosition::UpperLeft)
    })
}

/// A line over the rows, cut where values are missing, and its name in the legend.
///
/// # Errors
/// What plotters gives.
pub(super) fn draw_line<X, Y>(
    chart: &mut Chart<'_, '_, X, Y>,
    name: Option<&str>,
    values: &[f64],
    style: ShapeStyle,
) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let points = values.iter().enumerate().map(|(row, value)| (row as f64, *value));
    for (index, stretch) in canvas::stretches(points).into_iter().enumerate() {
        let series = chart.draw_series(LineSeries::new(stretch, style))?;
        if let (0, Some(name)) = (index, name) {
            series.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 56, y)], style));
        }
    }
    Ok(())
}

/// The rows at which the horizontal axis is marked, with their texts: the turns of at most 12 years where the index holds
/// dates of 2 years or more, else five rows.
pub(super) fn date_ticks(dates: &[String]) -> Vec<(usize, String)> {
    let turns: Vec<(usize, String)> = dates
        .iter()
        .enumerate()
        .filter_map(|(row, date)| Some((row, year(date)?)))
        .filter(|(row, turn)| *row == 0 || year(&dates[*row - 1]).is_some_and(|before| before != *turn))
        .map(|(row, turn)| (row, turn.to_owned()))
        .collect();
    if turns.len() >= 2 {
        let every = if turns.len() > 12 { turns.len().div_ceil(8) } else { 1 };
        return turns.into_iter().step_by(every).collect();
    }
    let mut rows: Vec<usize> = (0..5).map(|part| part * dates.len().saturating_sub(1) / 4).collect();
    rows.dedup();
    rows.into_iter().filter_map(|row| Some((row, dates.get(row)?.clone()))).collect()
}

/// The year of a date that starts with it (`2018-01-02`).
fn year(date: &str) -> Option<&str> {
    let (year, _) = date.split_at_checked(4)?;
    let separated = date[4..].starts_with(['-', '/']);
    (separated && year.bytes().all(|digit| digit.is_ascii_digit())).then_some(year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_marked_at_the_turn_of_the_year_and_an_index_evenly() {
        let dates = ["2018-12-30", "2018-12-31", "2019-01-02"].map(str::to_owned);
        assert_eq!(date_ticks(&dates), [(0, "2018".to_owned()), (2, "2019".to_owned())]);
        let years: Vec<String> = (1990..2023).map(|year| format!("{year}-06-01")).collect();
        let found: Vec<String> = date_ticks(&years).into_iter().map(|tick| tick.1).collect();
        assert_eq!((found.len(), found[1].as_str()), (7, "1995"));
        let index: Vec<String> = (0..9).map(|row| row.to_string()).collect();
        let rows: Vec<usize> = date_ticks(&index).into_iter().map(|tick| tick.0).collect();
        assert_eq!(rows, [0, 2, 4, 6, 8]);
        assert!(date_ticks(&[]).is_empty());
    }

    #[test]
    fn a_series_with_a_gap_is_drawn() {
        let dates: Vec<String> = (0..4).map(|row| row.to_string()).collect();
        let price = [1.0, f64::NAN, 2.0, 3.0];
        let smoothed = Smoothed {
            title: "gap",
            average_name: "average",
            unit: "price",
            dates: &dates,
            price: &price,
            average: &price,
        };
        assert!(draw(&smoothed).expect("it is drawn").contains("average"));
    }
}
