//! A statistic over one parameter as a line, or over two as a map, with the border that the theory draws.

use plotters::chart::SeriesLabelPosition;
use plotters::prelude::*;

use super::canvas::{self, ACCENT, Axes, Chart, HEIGHT, PlotError, STRONG};
use super::heat_map::shade;
use super::table::significant;

/// A parameter and its values, in order and evenly spaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// Name on the axis.
    pub name: String,
    /// The values.
    pub values: Vec<f64>,
}

impl Scale {
    /// The edges of cell `index`: halfway to its neighbours.
    fn edges(&self, index: usize) -> (f64, f64) {
        let last = self.values.len() - 1;
        let step = if last == 0 { 1.0 } else { (self.values[last] - self.values[0]) / last as f64 };
        let half = if step == 0.0 { 0.5 } else { step / 2.0 };
        let value = if step == 0.0 { self.values[0] + index as f64 } else { self.values[index] };
        (value - half, value + half)
    }

    fn range(&self) -> std::ops::Range<f64> {
        let ends = [self.edges(0).0, self.edges(self.values.len() - 1).1];
        ends[0].min(ends[1])..ends[0].max(ends[1])
    }
}

/// What is drawn of each point of a grid, in which the second parameter runs fastest.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a> {
    /// What the values are.
    pub name: &'a str,
    /// The statistic; NaN stays white.
    pub values: &'a [f64],
    /// Whether the theory says that the point is beyond the border.
    pub beyond: &'a [bool],
}

/// Draws the statistic over the first parameter.
///
/// # Errors
/// What plotters gives.
pub fn draw_line(title: &str, across: &Scale, cells: Cells<'_>) -> Result<String, PlotError> {
    let heights = canvas::padded(cells.values.iter().copied(), 0.08);
    canvas::draw(HEIGHT, |sheet| {
        let mut chart = canvas::framed(sheet, title).build_cartesian_2d(across.range(), heights)?;
        let tick = |value: &f64| canvas::tick(*value);
        Axes { x_name: &across.name, y_name: cells.name, x_tick: &tick, y_tick: &tick }.draw(&mut chart)?;
        let points = across.values.iter().copied().zip(cells.values.iter().copied());
        for stretch in canvas::stretches(points.clone()) {
            chart.draw_series(LineSeries::new(stretch, STRONG.stroke_width(4)))?;
        }
        let beyond = points.zip(cells.beyond).filter(|((_, value), beyond)| **beyond && value.is_finite());
        chart
            .draw_series(beyond.map(|(point, _)| Circle::new(point, 9, ACCENT.filled())))?
            .label("largest root over 1")
            .legend(|(x, y)| Circle::new((x + 28, y), 9, ACCENT.filled()));
        canvas::legend(&mut chart, SeriesLabelPosition::UpperLeft)
    })
}

/// Draws the statistic as a map, the darker, the higher its place among all, and the border of the theory upon it. By its place:
/// markets that run away would leave all others one shade.
///
/// # Errors
/// What plotters gives.
pub fn draw_map(title: &str, across: &Scale, up: &Scale, cells: Cells<'_>) -> Result<String, PlotError> {
    let mut sorted: Vec<f64> = cells.values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let place = |value: f64| match sorted.len() {
        _ if !value.is_finite() => f64::NAN,
        0 | 1 => 0.0,
        count => sorted.partition_point(|other| *other < value) as f64 / (count - 1) as f64,
    };
    canvas::draw(HEIGHT, |sheet| {
        let heights = canvas::with_headroom(up.range(), 0.4);
        let mut chart = canvas::framed(sheet, title).build_cartesian_2d(across.range(), heights)?;
        let tick = |value: &f64| canvas::tick(*value);
        let rows = up.values.len();
        let filled = cells.values.iter().enumerate().map(|(index, &value)| {
            let ((left, right), (bottom, top)) = (across.edges(index / rows), up.edges(index % rows));
            Rectangle::new([(left, bottom), (right, top)], shade(place(value), 0.0).filled())
        });
        Axes { x_name: &across.name, y_name: &up.name, x_tick: &tick, y_tick: &tick }.draw(&mut chart)?;
        chart.draw_series(filled)?;
        draw_border(&mut chart, across, up, cells.beyond)?;
        for (name, index) in [("lowest", 0), ("median", sorted.len() / 2), ("highest", sorted.len().saturating_sub(1))]
        {
            let value = sorted.get(index).copied().unwrap_or(f64::NAN);
            let ink = shade(place(value), 0.0).filled();
            chart
                .draw_series(std::iter::empty::<Rectangle<(f64, f64)>>())?
                .label(format!("{name}: {}", significant(value, 3)))
                .legend(move |(x, y)| Rectangle::new([(x, y - 12), (x + 56, y + 12)], ink));
        }
        canvas::legend(&mut chart, SeriesLabelPosition::UpperLeft)
    })
}

/// The sides of cells within the border that have a neighbour beyond it.
fn draw_border<X, Y>(
    chart: &mut Chart<'_, '_, X, Y>,
    across: &Scale,
    up: &Scale,
    beyond: &[bool],
) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let style = ACCENT.stroke_width(5);
    let rows = up.values.len();
    let mut sides = Vec::new();
    for (index, &own) in beyond.iter().enumerate() {
        let (column, row) = (index / rows, index % rows);
        let ((left, right), (bottom, top)) = (across.edges(column), up.edges(row));
        if row + 1 < rows && beyond[index + 1] != own {
            sides.push(PathElement::new([(left, top), (right, top)], style));
        }
        if column + 1 < across.values.len() && beyond[index + rows] != own {
            sides.push(PathElement::new([(right, bottom), (right, top)], style));
        }
    }
    chart
        .draw_series(sides)?
        .label("largest root 1")
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 56, y)], style));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: &[f64]) -> Scale {
        Scale { name: "x".to_owned(), values: values.to_vec() }
    }

    #[test]
    fn cells_lie_halfway_to_their_neighbours() {
        let three = scale(&[0.0, 0.5, 1.0]);
        assert_eq!((three.edges(0), three.edges(2)), ((-0.25, 0.25), (0.75, 1.25)));
        assert_eq!(scale(&[3.0]).range(), 2.5..3.5);
        assert_eq!(scale(&[1.0, 0.0]).range(), -0.5..1.5);
        assert_eq!(scale(&[2.0, 2.0]).range(), 1.5..3.5, "one value twice");
    }

    #[test]
    fn grids_of_one_point_and_without_numbers_are_drawn() {
        let one = scale(&[1.0]);
        for value in [0.5, f64::NAN] {
            let cells = Cells { name: "height", values: &[value], beyond: &[true] };
            draw_map("one", &one, &one, cells).expect("it is drawn");
            draw_line("one", &one, cells).expect("it is drawn");
        }
        let cells = Cells { name: "height", values: &[0.0, 1.0, 2.0, 3.0], beyond: &[false, true, false, true] };
        let drawn = draw_map("four", &scale(&[0.0, 1.0]), &scale(&[5.0, 6.0]), cells).expect("it is drawn");
        assert!(drawn.contains("largest root 1"));
    }
}
