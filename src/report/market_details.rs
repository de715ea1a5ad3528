//! What a market's price is made of and like: demand by kind of agent, the returns' histogram, their autocorrelations.

use cubefold_finance::market::Statistics;
use plotters::chart::SeriesLabelPosition;
use plotters::prelude::*;

use super::canvas::{self, ACCENT, Axes, Chart, HEIGHT, PlotError, QUIET, SHADE, STRONG};

/// Kinds of agents, in the order of the mix.
pub const KINDS: [&str; 3] = ["fundamentalists", "trend followers", "noise traders"];

/// Bars of the histogram.
const BARS: usize = 40;

/// Standard deviations that the histogram shows on both sides.
const WIDE: f64 = 4.0;

/// Draws the excess demand of each kind at every step.
///
/// # Errors
/// What plotters gives.
pub fn draw_demand(title: &str, demand: &[[f64; 3]]) -> Result<String, PlotError> {
    let heights = canvas::padded(demand.iter().flatten().copied().chain([0.0]), 0.08);
    let last = demand.len().saturating_sub(1).max(1) as f64;
    canvas::draw(HEIGHT, |sheet| {
        let heights = canvas::with_headroom(heights, 0.35);
        let mut chart = canvas::framed(sheet, title).build_cartesian_2d(0.0..last, heights)?;
        let tick = |value: &f64| canvas::tick(*value);
        Axes { x_name: "step", y_name: "excess demand", x_tick: &tick, y_tick: &tick }.draw(&mut chart)?;
        for (kind, ink) in [(2, QUIET), (0, STRONG), (1, ACCENT)] {
            let points = demand.iter().enumerate().map(|(step, demand)| (step as f64, demand[kind]));
            draw_line(&mut chart, points.collect(), KINDS[kind], ink)?;
        }
        canvas::legend(&mut chart, SeriesLabelPosition::UpperRight)
    })
}

/// Draws how often returns of each size occur, beside the normal law of the same mean and deviation.
///
/// # Errors
/// What plotters gives.
pub fn draw_returns(title: &str, returns: &[f64]) -> Result<String, PlotError> {
    let count = returns.len() as f64;
    let mean = returns.iter().sum::<f64>() / count.max(1.0);
    let variance = returns.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count.max(1.0);
    let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    let bars = histogram(returns, mean, deviation);
    let normal = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    let highest = bars.iter().copied().fold(normal(0.0), f64::max);
    canvas::draw(HEIGHT, |sheet| {
        let heights = canvas::with_headroom(0.0..highest, 0.35);
        let mut chart = canvas::framed(sheet, title).build_cartesian_2d(-WIDE..WIDE, heights)?;
        let tick = |value: &f64| canvas::tick(*value);
        Axes { x_name: "return (standard deviations)", y_name: "density", x_tick: &tick, y_tick: &tick }
            .draw(&mut chart)?;
        let width = 2.0 * WIDE / BARS as f64;
        let bars = bars.iter().enumerate().map(|(index, &height)| {
            let left = -WIDE + index as f64 * width;
            Rectangle::new([(left, 0.0), (left + width, height)], SHADE.filled())
        });
        chart
            .draw_series(bars)?
            .label("returns")
            .legend(|(x, y)| Rectangle::new([(x, y - 12), (x + 56, y + 12)], SHADE.filled()));
        let curve = (-80..=80).map(|step| f64::from(step) * WIDE / 80.0).map(|x| (x, normal(x))).collect();
        draw_line(&mut chart, curve, "normal law", STRONG)?;
        canvas::legend(&mut chart, SeriesLabelPosition::UpperRight)
    })
}

/// The density of the returns in bars of standard deviations from the mean.
fn histogram(returns: &[f64], mean: f64, deviation: f64) -> [f64; BARS] {
    let width = 2.0 * WIDE / BARS as f64;
    let mut bars = [0.0; BARS];
    for value in returns.iter().filter(|value| value.is_finite()) {
        let place = ((value - mean) / deviation + WIDE) / width;
        if (0.0..BARS as f64).contains(&place) {
            bars[place as usize] += 1.0 / (returns.len() as f64 * width);
        }
    }
    bars
}

/// Draws the autocorrelations of the returns and of their sizes, and the band within which those of pure chance lie.
///
/// # Errors
/// What plotters gives.
pub fn draw_memory(title: &str, found: &Statistics, steps: u32) -> Result<String, PlotError> {
    let chance = 1.96 / f64::from(steps.max(1)).sqrt();
    let all = found.autocorrelation.iter().chain(&found.size_autocorrelation).copied();
    let heights = canvas::padded(all.chain([chance, -chance]), 0.08);
    let last = found.autocorrelation.len().max(2) as f64;
    canvas::draw(HEIGHT, |sheet| {
        let heights = canvas::with_headroom(heights, 0.35);
        let mut chart = canvas::framed(sheet, title).build_cartesian_2d(1.0..last, heights)?;
        let tick = |value: &f64| canvas::tick(*value);
        Axes { x_name: "steps apart", y_name: "correlation (no unit)", x_tick: &tick, y_tick: &tick }
            .draw(&mut chart)?;
        let band = Rectangle::new([(1.0, -chance), (last, chance)], SHADE.filled());
        chart
            .draw_series([band])?
            .label("95 % of pure chance")
            .legend(|(x, y)| Rectangle::new([(x, y - 12), (x + 56, y + 12)], SHADE.filled()));
        let points =
            |values: &[f64]| values.iter().enumerate().map(|(lag, &value)| (lag as f64 + 1.0, value)).collect();
        draw_line(&mut chart, points(&found.autocorrelation), "returns", STRONG)?;
        draw_line(&mut chart, points(&found.size_autocorrelation), "sizes of returns", ACCENT)?;
        canvas::legend(&mut chart, SeriesLabelPosition::UpperRight)
    })
}

fn draw_line<'sheet, 'svg, X, Y>(
    chart: &mut Chart<'sheet, 'svg, X, Y>,
    points: Vec<(f64, f64)>,
    name: &str,
    ink: RGBColor,
) -> Result<(), PlotError>
where
    'svg: 'sheet,
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let style = ink.stroke_width(4);
    let mut named = false;
    for stretch in canvas::stretches(points) {
        let drawn = chart.draw_series(LineSeries::new(stretch, style))?;
        if !named {
            drawn.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 56, y)], style));
            named = true;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_finance::market::statistics;

    #[test]
    fn a_histogram_is_a_density() {
        let returns: Vec<f64> = (0..1000).map(|index| f64::from(index % 7) - 3.0).collect();
        let sum: f64 = histogram(&returns, 0.0, 2.0).iter().sum::<f64>() * 2.0 * WIDE / BARS as f64;
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn runs_of_no_steps_and_of_equal_prices_are_drawn() {
        for log_price in [vec![0.0], vec![0.5; 30]] {
            let found = statistics(&log_price, &vec![0.0; log_price.len()]);
            draw_memory("memory", &found, log_price.len() as u32 - 1).expect("it is drawn");
            draw_returns("returns", &vec![0.0; log_price.len() - 1]).expect("it is drawn");
            draw_demand("demand", &vec![[0.0; 3]; log_price.len() - 1]).expect("it is drawn");
        }
    }
}
