//! The Monte-Carlo mean and its error band at growing path counts, against the closed form.

use std::ops::Range;

use cubefold_finance::Estimate;
use plotters::chart::SeriesLabelPosition;
use plotters::prelude::*;

use super::canvas::{self, Axes, Chart, HEIGHT, Marked, PlotError, SHADE, STRONG};
use super::table::grouped;

/// Fewest paths that are drawn when there are more.
const FIRST: u64 = 1 << 10;

/// The path counts to draw: 2^10, then four times as many each, up to half of `paths`, which is the last one.
pub fn path_counts(paths: u64) -> Vec<u64> {
    let growing = std::iter::successors(Some(FIRST), |count| count.checked_mul(4));
    growing.take_while(|count| *count <= paths / 2).chain([paths]).collect()
}

/// Draws the estimates, which are in order of their path counts, with their 95 % band and the price by formula, where there is one: its
/// name and value.
///
/// # Errors
/// What plotters gives.
pub fn draw(title: &str, estimates: &[Estimate], closed_form: Option<(&str, f64)>) -> Result<String, PlotError> {
    let drawn: Vec<&Estimate> = estimates.iter().filter(|estimate| estimate.value.is_finite()).collect();
    let prices = drawn.iter().flat_map(|estimate| ends(estimate)).chain(closed_form.map(|(_, value)| value));
    let heights = canvas::with_headroom(canvas::padded(prices, 0.1), 0.25);
    let exponents = canvas::padded(drawn.iter().map(|estimate| exponent(estimate)), 0.03);
    let marks = marks(&exponents, &drawn);
    let across = Marked { range: exponents.clone(), marks };
    canvas::draw(HEIGHT, |sheet| {
        let mut chart = canvas::framed(sheet, title).build_cartesian_2d(across, heights)?;
        Axes {
            x_name: "paths",
            y_name: "price (currency)",
            x_tick: &|exponent| count_text(*exponent),
            y_tick: &|value| canvas::tick(*value),
        }
        .draw(&mut chart)?;
        draw_band(&mut chart, &drawn)?;
        let across = [exponents.start, exponents.end];
        if let Some((name, value)) = closed_form {
            canvas::reference(&mut chart, across, value, name)?;
        }
        draw_means(&mut chart, &drawn)?;
        canvas::legend(&mut chart, SeriesLabelPosition::UpperRight)
    })
}

/// The means as points joined by a line.
fn draw_means<X, Y>(chart: &mut Chart<'_, '_, X, Y>, drawn: &[&Estimate]) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let points = || drawn.iter().map(|estimate| (exponent(estimate), estimate.value));
    chart.draw_series(LineSeries::new(points(), STRONG.stroke_width(4)))?;
    chart
        .draw_series(points().map(|point| Circle::new(point, 9, STRONG.filled())))?
        .label("mean of the paths")
        .legend(|(x, y)| Circle::new((x + 28, y), 9, STRONG.filled()));
    Ok(())
}

/// The 95 % band as an area with a bar at each path count.
fn draw_band<X, Y>(chart: &mut Chart<'_, '_, X, Y>, drawn: &[&Estimate]) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let lower = drawn.iter().map(|estimate| (exponent(estimate), ends(estimate)[0]));
    let upper = drawn.iter().rev().map(|estimate| (exponent(estimate), ends(estimate)[1]));
    let outline: Vec<(f64, f64)> = lower.chain(upper).collect();
    chart
        .draw_series([Polygon::new(outline, SHADE.filled())])?
        .label("95 % band")
        .legend(|(x, y)| Rectangle::new([(x, y - 12), (x + 56, y + 12)], SHADE.filled()));
    let thin = STRONG.stroke_width(2);
    chart.draw_series(drawn.iter().map(|estimate| {
        let [low, high] = ends(estimate);
        PathElement::new([(exponent(estimate), low), (exponent(estimate), high)], thin)
    }))?;
    Ok(())
}

/// Ends of the 95 % interval; the value itself where there is none.
fn ends(estimate: &Estimate) -> [f64; 2] {
    estimate.ci95.map(|end| if end.is_finite() { end } else { estimate.value })
}

/// Decimal logarithm of the path count.
fn exponent(estimate: &Estimate) -> f64 {
    (estimate.paths as f64).log10()
}

/// Where the axis is marked: at the powers of ten, or at the counts themselves where there is no power of ten between.
fn marks(exponents: &Range<f64>, drawn: &[&Estimate]) -> Vec<f64> {
    let decades = (0..20).map(f64::from).filter(|decade| exponents.contains(decade));
    let decades: Vec<f64> = decades.collect();
    if decades.is_empty() { drawn.iter().map(|estimate| exponent(estimate)).collect() } else { decades }
}

/// The path count whose decimal logarithm is `exponent`.
fn count_text(exponent: f64) -> String {
    if exponent.fract() == 0.0 { power_of_ten(exponent as u32) } else { grouped(10f64.powf(exponent).round() as u64) }
}

/// 10 to the power of `exponent`, with raised digits.
fn power_of_ten(exponent: u32) -> String {
    power(10, exponent)
}

/// `base` to the power of `exponent`, with raised digits.
pub fn power(base: u32, exponent: u32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    let raised = digits.bytes().map(|digit| RAISED[usize::from(digit - b'0')]);
    base.to_string().chars().chain(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_grow_up_to_the_last_one() {
        assert_eq!(path_counts(8192), [1024, 4096, 8192]);
        assert_eq!(path_counts(8191), [1024, 8191]);
        assert_eq!(path_counts(1), [1]);
    }

    #[test]
    fn powers_of_ten_are_raised() {
        assert_eq!(count_text(12.0), "10¹²");
        assert_eq!(count_text(2000f64.log10()), "2,000");
    }

    #[test]
    fn one_path_without_an_error_is_drawn() {
        let estimate = Estimate {
            value: 3.0,
            std_error: f64::NAN,
            ci95: [f64::NAN; 2],
            paths: 1,
            seed: 0,
            device: "host".to_owned(),
            seconds_cold: 0.0,
            seconds_warm: 0.0,
            variance_reduction: None,
            greeks: None,
        };
        draw("one path", &[estimate], Some(("Black–Scholes", 3.0))).expect("it is drawn");
    }
}
