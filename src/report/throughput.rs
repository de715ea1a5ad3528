//! Times of calls against their lengths, both logarithmic: one line an operator and strategy.

use plotters::prelude::*;
use plotters::style::ShapeStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{
    self, ACCENT, Axes, Chart, HEIGHT, INK, Marked, PlotError, QUIET, STRONG, Sheet, TICK_SIZE, WIDTH,
};
use super::convergence::power;
use super::timing::round_duration;

/// Height of a line of the legend, which stands under the axes.
const LEGEND_LINE: i32 = 54;

/// Left edge of the legend.
const LEGEND_LEFT: i32 = 60;

/// Letters of a name up to which two stand side by side.
const SHORT: usize = 24;

/// One line of the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Length and seconds, in order of the lengths.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Logarithms of the points that have them: of the length to `base`, of the time to 10.
    fn logarithms(&self, base: u32) -> Vec<(f64, f64)> {
        let drawn =
            self.points.iter().filter(|(length, seconds)| *length > 0.0 && *seconds > 0.0 && seconds.is_finite());
        let log = |length: f64| length.ln() / f64::from(base).ln();
        drawn.map(|(length, seconds)| (log(*length), seconds.log10())).collect()
    }
}

/// Draws all series; `length_name` says what a length counts, `time_name` whose clock took the times.
///
/// # Errors
/// What plotters gives.
pub fn draw(title: &str, length_name: &str, time_name: &str, series: &[Series]) -> Result<String, PlotError> {
    let base = base_of(series);
    let lines: Vec<_> = series.iter().map(|series| series.logarithms(base)).collect();
    let points = || lines.iter().flatten();
    let across = marked(canvas::padded(points().map(|point| point.0), 0.04));
    let up = canvas::padded(points().map(|point| point.1), 0.06);
    let up = marked(up.start.floor()..up.end.ceil());
    let shown = round_duration;
    let columns = if series.iter().all(|series| series.name.chars().count() <= SHORT) { 2 } else { 1 };
    let legend = LEGEND_LINE * series.len().div_ceil(columns) as i32;
    canvas::draw(HEIGHT + legend as u32, |sheet| {
        let (upper, lower) = sheet.split_vertically(HEIGHT as i32);
        let mut chart = canvas::framed(&upper, title).build_cartesian_2d(across, up)?;
        Axes {
            x_name: length_name,
            y_name: time_name,
            x_tick: &|exponent| power(base, exponent.round() as u32),
            y_tick: &|exponent| shown(exponent.round() as i32),
        }
        .draw(&mut chart)?;
        for (index, (series, points)) in series.iter().zip(&lines).enumerate() {
            let look = Look::of(index);
            draw_line(&mut chart, look, points)?;
            let place = (index % columns * WIDTH as usize / columns, index / columns);
            draw_name(&lower, look, (place.0 as i32 + LEGEND_LEFT, place.1 as i32), &series.name)?;
        }
        Ok(())
    })
}

/// 2 where most lengths are powers of it, as charts beside one another then have one axis; else 10 where all are powers of that, or
/// where they span two of them; else 2, whose powers lie closer.
fn base_of(series: &[Series]) -> u32 {
    let lengths = || series.iter().flat_map(|series| &series.points).map(|(length, _)| *length);
    let powers_of_two = lengths().filter(|length| length.log2().fract() == 0.0).count();
    if 2 * powers_of_two > lengths().count() {
        return 2;
    }
    let decades = lengths().fold(f64::NEG_INFINITY, |high, length| length.log10().max(high)).floor()
        - lengths().fold(f64::INFINITY, |low, length| length.log10().min(low)).ceil();
    if decades >= 1.0 || lengths().all(|length| length.log10().fract() == 0.0) { 10 } else { 2 }
}

/// An axis of logarithms, marked at whole ones: all of a few, every other or fourth of many.
fn marked(range: std::ops::Range<f64>) -> Marked {
    let whole = range.start.ceil() as i32..=range.end.floor() as i32;
    let step = match whole.clone().count() {
        0..=8 => 1,
        9..=16 => 2,
        _ => 4,
    };
    let marks = whole.filter(|mark| mark % step == 0).map(f64::from).collect();
    Marked { range, marks }
}

/// How a line looks: shapes and lightness differ, so that lines are told apart without colour.
#[derive(Debug, Clone, Copy)]
struct Look {
    ink: RGBColor,
    shape: usize,
}

impl Look {
    fn of(index: usize) -> Self {
        const INKS: [RGBColor; 4] = [INK, STRONG, ACCENT, QUIET];
        Look { ink: INKS[index % INKS.len()], shape: index }
    }

    fn line(self) -> ShapeStyle {
        self.ink.stroke_width(3)
    }

    fn mark(self) -> Polygon<(i32, i32)> {
        Polygon::new(outline(self.shape), self.ink.filled())
    }
}

fn draw_line<'sheet, 'svg, X, Y>(
    chart: &mut Chart<'sheet, 'svg, X, Y>,
    look: Look,
    points: &[(f64, f64)],
) -> Result<(), PlotError>
where
    'svg: 'sheet,
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let line = LineSeries::new(points.iter().copied(), look.line());
    chart.draw_series(line)?;
    let marks = points.iter().map(|point| EmptyElement::at(*point) + look.mark());
    chart.draw_series(marks)?;
    Ok(())
}

/// The mark and the name of a line, at a left edge and in a row of the legend.
fn draw_name(legend: &Sheet<'_>, look: Look, (left, row): (i32, i32), name: &str) -> Result<(), PlotError> {
    let level = row * LEGEND_LINE + LEGEND_LINE / 2;
    let beside = canvas::text(TICK_SIZE).pos(Pos::new(HPos::Left, VPos::Center));
    legend.draw(&(EmptyElement::at((left, level)) + look.mark()))?;
    legend.draw(&Text::new(name.to_owned(), (left + 36, level), beside))?;
    Ok(())
}

/// Corners of a mark around its place, in drawing units: square, disc, triangle, plus, diamond, triangle on its tip.
fn outline(shape: usize) -> Vec<(i32, i32)> {
    const REACH: i32 = 15;
    const SIDE: i32 = 11;
    const BAR: i32 = 4;
    let upright = [(0, -REACH), (REACH, SIDE), (-REACH, SIDE)];
    match shape % 6 {
        0 => vec![(-SIDE, -SIDE), (SIDE, -SIDE), (SIDE, SIDE), (-SIDE, SIDE)],
        1 => disc(f64::from(SIDE)),
        2 => upright.to_vec(),
        3 => {
            let arm = [(BAR, -BAR), (BAR, -REACH), (-BAR, -REACH), (-BAR, -BAR)];
            // The arm above, then turned to the left, below and right.
            let turned = |(x, y): (i32, i32), turns| (0..turns).fold((x, y), |(x, y): (i32, i32), _| (y, -x));
            let arms = (0..4).flat_map(|turns| arm.map(|corner| turned(corner, turns)));
            arms.collect()
        }
        4 => vec![(0, -REACH), (REACH, 0), (0, REACH), (-REACH, 0)],
        _ => upright.map(|(x, y)| (x, -y)).to_vec(),
    }
}

fn disc(radius: f64) -> Vec<(i32, i32)> {
    let corner = |index: u32| {
        let (sine, cosine) = (f64::from(index) * std::f64::consts::TAU / 24.0).sin_cos();
        ((radius * cosine).round() as i32, (radius * sine).round() as i32)
    };
    (0..24).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, points: &[(f64, f64)]) -> Series {
        Series { name: name.to_owned(), points: points.to_vec() }
    }

    #[test]
    fn axes_count_in_powers_of_two_or_ten() {
        let twos = series("twos", &[(1024.0, 1e-5), (65536.0, 1e-4)]);
        let tens =
            |count: i32| series("tens", &(3..3 + count).map(|power| (10f64.powi(power), 1e-3)).collect::<Vec<_>>());
        assert_eq!(base_of(std::slice::from_ref(&twos)), 2);
        assert_eq!(base_of(&[twos.clone(), tens(1)]), 2, "most are");
        assert_eq!(base_of(&[twos, tens(2)]), 10);
        assert_eq!(base_of(&[series("no power", &[(128.0, 1e-3), (500.0, 1e-2)])]), 2, "no decade is in between");
        assert_eq!(marked(9.5..28.5).marks, [12.0, 16.0, 20.0, 24.0, 28.0]);
        assert_eq!(marked(-4.2..-1.9).marks, [-4.0, -3.0, -2.0]);
    }

    #[test]
    fn lines_without_points_or_times_are_drawn() {
        let odd = [series("sum f32, Tree", &[(1024.0, 1e-5), (2048.0, f64::NAN)]), series("nothing", &[])];
        let svg = draw("times", "items", "time of one call", &odd).expect("it is drawn");
        assert!(svg.contains("sum f32, Tree"));
        draw("nothing", "items", "time", &[]).expect("no lines are drawn");
    }
}
