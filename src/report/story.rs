//! The pictures of the demo and what one sees in them.

use cubefold_finance::market::stretches;
use cubefold_finance::{Covariance, Estimate, Point};

use super::answers::mean_correlation;
use super::canvas::PlotError;
use super::comparison::{Inputs, Line, Results, SPAN};
use super::moving_average::Smoothed;
use super::page::Figure;
use super::table::{grouped, percent, significant};
use super::timing::Times;
use super::{convergence, frontier, heat_map, market, moving_average, timing};

/// All figures in the order of the page.
///
/// # Errors
/// What plotters gives.
pub fn figures(
    inputs: &Inputs,
    results: &Results,
    estimates: &[Estimate],
    lines: &[Line],
) -> Result<Vec<Figure>, PlotError> {
    Ok(vec![
        smoothing(inputs, results)?,
        correlation(results)?,
        portfolios(results)?,
        bubbles(inputs, results)?,
        pricing(inputs, estimates)?,
        times(lines)?,
    ])
}

/// The first column and its average.
fn smoothing(inputs: &Inputs, results: &Results) -> Result<Figure, PlotError> {
    let (price, average) = (inputs.prices.column(0), results.averages.column(0));
    let name = inputs.prices.columns.first().map_or("", String::as_str);
    let last = price.len().saturating_sub(1);
    let date = inputs.prices.index.get(last).map_or("", String::as_str);
    let distance = price.last().zip(average.last()).map_or(f64::NAN, |(price, average)| price / average - 1.0);
    let side = if distance < 0.0 { "under" } else { "over" };
    let sentence = format!(
        "The thin grey line is the adjusted close of {name}, the thick dark one its exponential moving average with a span \
         of {SPAN} trading days. The average follows late: on {date} the price was {} {side} it.",
        percent(distance.abs()),
    );
    let average_name = format!("EMA, span {SPAN}");
    let picture = moving_average::draw(&Smoothed {
        title: &format!("{name} and its moving average"),
        average_name: &average_name,
        unit: "adjusted close (USD)",
        dates: &inputs.prices.index,
        price: &price,
        average: &average,
    });
    Figure::new("ema", "Moving average", sentence, picture)
}

fn correlation(results: &Results) -> Result<Figure, PlotError> {
    let covariance = &results.covariance;
    let sentence = format!(
        "The darker a cell, the more the daily returns of two stocks move together: most {}, least {}. Over {} days the mean \
         between different stocks is {}.",
        pair(covariance, |value, best| value > best),
        pair(covariance, |value, best| value < best),
        grouped(covariance.periods as u64),
        significant(mean_correlation(covariance), 3),
    );
    let picture = heat_map::draw("Correlation of daily returns", &covariance.assets, &covariance.correlation());
    Figure::new("cov", "Correlation", sentence, picture)
}

/// The two different assets whose correlation `better` prefers to all others.
fn pair(covariance: &Covariance, better: fn(f64, f64) -> bool) -> String {
    let (assets, correlation) = (&covariance.assets, covariance.correlation());
    let count = assets.len();
    let above = correlation.into_iter().enumerate().filter(|(index, _)| index / count < index % count);
    let finite = above.filter(|(_, value)| value.is_finite());
    let best = finite.reduce(|best, next| if better(next.1, best.1) { next } else { best });
    best.map_or_else(String::new, |(index, value)| {
        format!("{} and {} ({})", assets[index / count], assets[index % count], significant(value, 2))
    })
}

fn portfolios(results: &Results) -> Result<Figure, PlotError> {
    let found = &results.frontier;
    let at = |point: Point| format!("{} return at {} volatility", percent(point.ret), percent(point.volatility));
    let sentence = format!(
        "Each grey point is one of {} random long-only portfolios, half of them drawn anywhere and half around the best so far; \
         each cross is a stock alone. Mixing lowers the risk: the square is the calmest portfolio ({}), the triangle the one \
         with the best Sharpe ratio, {} ({}). The dots are the edge that was found, at most {} above the exact one.",
        grouped(found.portfolios.into()),
        at(found.min_volatility.point),
        significant(found.max_sharpe.point.sharpe, 3),
        at(found.max_sharpe.point),
        percent(results.exact.distance.edge.max(0.0)),
    );
    let picture = frontier::draw("Risk and return of portfolios", found, &results.exact);
    Figure::new("frontier", "Efficient frontier", sentence, picture)
}

fn bubbles(inputs: &Inputs, results: &Results) -> Result<Figure, PlotError> {
    let options = &inputs.market;
    let (log_price, log_fundamental) = (&results.market.log_price, &results.market.log_fundamental);
    let stretches = stretches(log_price, log_fundamental);
    let steps = |above: bool| -> usize {
        let stretches = stretches.iter().filter(|stretch| stretch.above == above);
        stretches.map(|stretch| stretch.end + 1 - stretch.start).sum()
    };
    let sentence = format!(
        "{} agents trade for {} steps; trend followers drive the price past its fundamental value, fundamentalists pull it back. \
         Dark ground marks bubbles (over 10 % above, {} steps), pale ground slumps (over 10 % below, {} steps).",
        grouped(options.agents.into()),
        grouped(options.steps.into()),
        steps(true),
        steps(false),
    );
    let picture = market::draw("Price of the simulated market", log_price, log_fundamental);
    Figure::new("market", "Agent market", sentence, picture)
}

fn pricing(inputs: &Inputs, estimates: &[Estimate]) -> Result<Figure, PlotError> {
    let closed_form = inputs.option.black_scholes();
    let last = estimates.last();
    let (paths, value) = last.map_or((0, f64::NAN), |estimate| (estimate.paths, estimate.value));
    let away = last.map_or(f64::NAN, |estimate| (estimate.value - closed_form).abs() / estimate.std_error);
    let sentence = format!(
        "The band around the mean shrinks with the square root of the number of paths and closes on the dashed Black–Scholes value \
         {}. With {} paths the price is {}, {} standard errors away.",
        significant(closed_form, 8),
        grouped(paths),
        significant(value, 8),
        significant(away, 2),
    );
    let picture =
        convergence::draw("Convergence of the Monte-Carlo price", estimates, Some(("Black–Scholes", closed_form)));
    Figure::new("price", "Option price", sentence, picture)
}

fn times(lines: &[Line]) -> Result<Figure, PlotError> {
    let rows: Vec<Times> = lines
        .iter()
        .map(|line| Times {
            job: line.job.to_owned(),
            host: Some(line.measured.host_seconds),
            cold: line.measured.device_seconds_cold,
            warm: line.measured.device_seconds_warm,
        })
        .collect();
    let sentence = if rows.iter().any(|row| row.warm.is_some()) {
        "Further left is faster; every grid line is ten times the one before. The device's first call includes compiling its kernels."
    } else {
        "Further left is faster; every grid line is ten times the one before. Only the host was timed."
    };
    Figure::new("demo", "Time", sentence.to_owned(), timing::draw("Host and device", &rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_pair_is_named_and_the_diagonal_is_not_a_pair() {
        let covariance = Covariance {
            assets: ["A", "B", "C"].map(str::to_owned).to_vec(),
            periods: 9,
            ddof: 1,
            mean: vec![0.0; 3],
            covariance: vec![1.0, 0.5, -0.25, 0.5, 1.0, 0.0, -0.25, 0.0, 1.0],
            shrinkage: 0.0,
        };
        assert_eq!(pair(&covariance, |value, best| value > best), "A and B (0.50)");
        assert_eq!(pair(&covariance, |value, best| value < best), "A and C (-0.25)");
    }
}
