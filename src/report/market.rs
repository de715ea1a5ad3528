//! The simulated price against its fundamental value, bubbles and slumps shaded.

use cubefold_finance::market::{Stretch, stretches};
use plotters::chart::SeriesLabelPosition;
use plotters::prelude::*;

use super::canvas::{self, ACCENT, Axes, Chart, HEIGHT, PALE, PlotError, SHADE, STRONG};

/// Draws the price exp(`log_price`) and the fundamental value of every step; bubbles lie on dark, slumps on pale ground.
///
/// # Errors
/// What plotters gives.
pub fn draw(title: &str, log_price: &[f64], log_fundamental: &[f64]) -> Result<String, PlotError> {
    let fundamentals = log_fundamental.iter().map(|value| value.exp());
    let prices = log_price.iter().map(|price| price.exp());
    let heights = canvas::padded(prices.clone().chain(fundamentals.clone()), 0.08);
    let heights = canvas::with_headroom(heights, 0.4);
    let last = log_price.len().saturating_sub(1).max(1) as f64;
    canvas::draw(HEIGHT, |sheet| {
        let mut chart = canvas::framed(sheet, title).build_cartesian_2d(0.0..last, heights)?;
        draw_grounds(&mut chart, &stretches(log_price, log_fundamental))?;
        let tick = |value: &f64| canvas::tick(*value);
        Axes { x_name: "step", y_name: "price (1 = log price 0)", x_tick: &tick, y_tick: &tick }.draw(&mut chart)?;
        let path = fundamentals.enumerate().map(|(step, value)| (step as f64, value));
        let style = ACCENT.stroke_width(4);
        chart
            .draw_series(DashedLineSeries::new(path, 16, 12, style))?
            .label("fundamental value")
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
        let points = prices.enumerate().map(|(step, price)| (step as f64, price));
        for stretch in canvas::stretches(points) {
            if let [alone] = stretch[..] {
                chart.draw_series([Circle::new(alone, 9, STRONG.filled())])?;
            }
            chart.draw_series(LineSeries::new(stretch, STRONG.stroke_width(4)))?;
        }
        canvas::legend(&mut chart, SeriesLabelPosition::UpperRight)
    })
}

/// The grounds of bubbles and slumps over the whole height of the chart.
fn draw_grounds<X, Y>(chart: &mut Chart<'_, '_, X, Y>, stretches: &[Stretch]) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let (width, height) = (chart.x_range(), chart.y_range());
    let grounds = [("bubble: over 10 % above", true, SHADE), ("slump: over 10 % below", false, PALE)];
    for (name, above, ground) in grounds {
        let bands = stretches.iter().filter(|stretch| stretch.above == above);
        let bands = bands.map(|band| {
            let left = (band.start as f64 - 0.5).max(width.start);
            let right = (band.end as f64 + 0.5).min(width.end);
            Rectangle::new([(left, height.start), (right, height.end)], ground.filled())
        });
        chart
            .draw_series(bands)?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 12), (x + 56, y + 12)], ground.filled()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_no_steps_is_drawn() {
        draw("no steps", &[0.0], &[0.0]).expect("one value is drawn");
    }
}
