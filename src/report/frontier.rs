//! Risk against return of many portfolios, their edge beside the exact one, the two best marked.

use std::collections::HashSet;

use cubefold_finance::frontier::ExactFrontier;
use cubefold_finance::{Frontier, Point, Portfolio};
use plotters::chart::SeriesLabelPosition;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{self, ACCENT, Axes, Chart, FONT_SCALE, INK, PlotError, QUIET, STRONG, Sheet, TICK_SIZE};
use super::labels::{Labels, Place};

/// Points closer than this many drawing units are drawn once.
const GRAIN: i32 = 5;
/// Height of the picture: the names beside the points need room.
const HEIGHT: u32 = 1190;
/// Distance between a point and its name.
const BESIDE: i32 = 16;
/// Size of the names.
const NAME_SIZE: u32 = TICK_SIZE - 4;
/// How far past assets and edge the picture goes, in shares of the largest volatility: clouds with shorts go further.
const BEYOND: f64 = 1.25;
/// The exact edge, on which the points of the edge that was found lie.
const EXACT: RGBColor = RGBColor(224, 160, 96);
/// Points of the curve without bounds.
const CURVE_POINTS: u32 = 200;

/// Draws the cloud of portfolios, its edge with the exact one below it and the one without bounds, each asset alone with its
/// name, and the portfolios of least volatility and highest Sharpe ratio.
///
/// Points that would fall onto each other are drawn once, so that 50,000 portfolios keep their outline in a small file.
///
/// # Errors
/// What plotters gives.
pub fn draw(title: &str, frontier: &Frontier, exact: &ExactFrontier) -> Result<String, PlotError> {
    let edges = frontier.edge.iter().chain(&exact.curve).map(|portfolio| &portfolio.point);
    let inner: Vec<&Point> = frontier.singles.iter().chain(edges).collect();
    let widest = BEYOND * inner.iter().map(|point| point.volatility).fold(0.0, f64::max);
    let cloud: Vec<&Point> = frontier.cloud.iter().filter(|point| point.volatility <= widest).collect();
    let shown = || inner.iter().chain(&cloud);
    let risks = canvas::padded(shown().map(|point| point.volatility), 0.06);
    let returns = canvas::padded(shown().map(|point| point.ret), 0.08);
    canvas::draw(HEIGHT, |sheet| {
        let builder = &mut canvas::framed(sheet, title);
        let mut chart = builder.build_cartesian_2d(risks.start.max(0.0)..risks.end, returns.clone())?;
        let percent = |value: &f64| canvas::tick(value * 100.0);
        Axes { x_name: "volatility (% a year)", y_name: "return (% a year)", x_tick: &percent, y_tick: &percent }
            .draw(&mut chart)?;
        draw_cloud(sheet, &chart, &cloud)?;
        draw_edges(sheet, &mut chart, frontier, exact)?;
        draw_marks(sheet, &chart, frontier)?;
        draw_legend(&mut chart, exact)
    })
}

/// Where a point lies on the sheet; none for a point that is not finite.
fn position<X, Y>(chart: &Chart<'_, '_, X, Y>, point: &Point) -> Option<(i32, i32)>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let finite = point.volatility.is_finite() && point.ret.is_finite();
    finite.then(|| chart.backend_coord(&(point.volatility, point.ret)))
}

fn draw_cloud<X, Y>(sheet: &Sheet<'_>, chart: &Chart<'_, '_, X, Y>, cloud: &[&Point]) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let mut drawn = HashSet::new();
    for (x, y) in cloud.iter().filter_map(|point| position(chart, point)) {
        if drawn.insert((x / GRAIN, y / GRAIN)) {
            sheet.draw(&Circle::new((x, y), 3, QUIET.filled()))?;
        }
    }
    Ok(())
}

/// The edge without bounds as a dashed line, the exact one as a broad line, the one that was found as dots upon it.
fn draw_edges<X, Y>(
    sheet: &Sheet<'_>,
    chart: &mut Chart<'_, '_, X, Y>,
    frontier: &Frontier,
    exact: &ExactFrontier,
) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let (across, up) = (chart.x_range(), chart.y_range());
    if let Some(unbounded) = &exact.unbounded {
        let part = |step: u32| f64::from(step) / f64::from(CURVE_POINTS);
        let returns = (0..=CURVE_POINTS).map(|step| up.start + (up.end - up.start) * part(step));
        let curve = returns.map(|ret| (unbounded.volatility(ret), ret)).filter(|(risk, _)| across.contains(risk));
        chart.draw_series(DashedLineSeries::new(curve, 14, 10, INK.stroke_width(3)))?;
    }
    let at = |portfolios: &[Portfolio]| -> Vec<(i32, i32)> {
        portfolios.iter().filter_map(|portfolio| position(chart, &portfolio.point)).collect()
    };
    sheet.draw(&PathElement::new(at(&exact.curve), EXACT.stroke_width(9)))?;
    for dot in at(&frontier.edge) {
        sheet.draw(&Circle::new(dot, 6, STRONG.filled()))?;
    }
    Ok(())
}

/// The stocks by name, then the two best portfolios on top of them.
fn draw_marks<X, Y>(sheet: &Sheet<'_>, chart: &Chart<'_, '_, X, Y>, frontier: &Frontier) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let (across, down) = chart.plotting_area().get_pixel_range();
    let bounds = Place { left: across.start, top: down.start, right: across.end, bottom: down.end };
    let mut labels = Labels::new(bounds, (f64::from(NAME_SIZE) / FONT_SCALE).round() as i32);
    let named = frontier.assets.iter().zip(&frontier.singles);
    let singles: Vec<(&str, (i32, i32))> =
        named.filter_map(|(asset, point)| Some((asset.as_str(), position(chart, point)?))).collect();
    let best = [(Best::Volatility, &frontier.min_volatility), (Best::Sharpe, &frontier.max_sharpe)];
    let best = best.map(|(mark, portfolio)| (mark, position(chart, &portfolio.point)));
    singles.iter().for_each(|(_, at)| labels.take(*at, 14));
    best.iter().filter_map(|(_, at)| *at).for_each(|at| labels.take(at, 26));
    for (name, at) in singles {
        draw_name(sheet, at, labels.place(name, at, BESIDE), name)?;
        sheet.draw(&Cross::new(at, 8, INK.stroke_width(4)))?;
    }
    for (mark, at) in best {
        at.map_or(Ok(()), |at| mark.draw(sheet, at))?;
    }
    Ok(())
}

/// A portfolio that is best in one respect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Best {
    Volatility,
    Sharpe,
}

impl Best {
    /// A square for the least volatility, a triangle for the highest Sharpe ratio, both ringed in white.
    fn draw(self, sheet: &Sheet<'_>, (x, y): (i32, i32)) -> Result<(), PlotError> {
        match self {
            Best::Volatility => {
                sheet.draw(&Rectangle::new([(x - 19, y - 19), (x + 19, y + 19)], WHITE.filled()))?;
                sheet.draw(&Rectangle::new([(x - 14, y - 14), (x + 14, y + 14)], STRONG.filled()))?;
            }
            Best::Sharpe => {
                sheet.draw(&TriangleMarker::new((x, y), 28, WHITE.filled()))?;
                sheet.draw(&TriangleMarker::new((x, y), 20, ACCENT.filled()))?;
            }
        }
        Ok(())
    }
}

/// The marks' meanings, in the corner of high risk and low return, where portfolios are rare.
fn draw_legend<'sheet, 'svg, X, Y>(
    chart: &mut Chart<'sheet, 'svg, X, Y>,
    exact: &ExactFrontier,
) -> Result<(), PlotError>
where
    'svg: 'sheet,
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let none = std::iter::empty::<Circle<(f64, f64), i32>>;
    let line = |(x, y)| [(x, y), (x + 56, y)];
    chart
        .draw_series(none())?
        .label("min volatility")
        .legend(|(x, y)| Rectangle::new([(x + 14, y - 14), (x + 42, y + 14)], STRONG.filled()));
    chart
        .draw_series(none())?
        .label("max Sharpe ratio")
        .legend(|(x, y)| TriangleMarker::new((x + 28, y), 20, ACCENT.filled()));
    chart.draw_series(none())?.label("edge found").legend(|(x, y)| Circle::new((x + 28, y), 6, STRONG.filled()));
    chart.draw_series(none())?.label("exact edge").legend(move |at| PathElement::new(line(at), EXACT.stroke_width(9)));
    if exact.unbounded.is_some() {
        chart.draw_series(none())?.label("without bounds").legend(|(x, y)| {
            let dash = |from: i32| PathElement::new([(x + from, y), (x + from + 14, y)], INK.stroke_width(3));
            EmptyElement::at((0, 0)) + dash(0) + dash(21) + dash(42)
        });
    }
    chart
        .draw_series(none())?
        .label("one stock alone")
        .legend(|(x, y)| Cross::new((x + 28, y), 8, INK.stroke_width(4)));
    chart.draw_series(none())?.label("random portfolio").legend(|(x, y)| Circle::new((x + 28, y), 4, QUIET.filled()));
    canvas::legend(chart, SeriesLabelPosition::LowerRight)
}

/// A name on a white ground, readable on the cloud, with a line to its point where that is not beside it.
fn draw_name(sheet: &Sheet<'_>, at: (i32, i32), place: Place, name: &str) -> Result<(), PlotError> {
    let near = place.nearest(at);
    if (near.0 - at.0).abs().max((near.1 - at.1).abs()) > BESIDE {
        sheet.draw(&PathElement::new([at, near], INK.stroke_width(2)))?;
    }
    let ground = [(place.left, place.top), (place.right, place.bottom)];
    sheet.draw(&Rectangle::new(ground, WHITE.mix(0.8).filled()))?;
    let style = canvas::text(NAME_SIZE).pos(Pos::new(HPos::Left, VPos::Center));
    sheet.draw(&Text::new(name.to_owned(), place.anchor(), style))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_finance::frontier::exact;
    use cubefold_finance::{FrontierOptions, Returns, bundled_prices, frontier};

    fn drawn(assets: &[&str], options: &FrontierOptions) -> String {
        let returns = bundled_prices().select(assets).expect("they are there").returns(Returns::Simple);
        let found = frontier(&cubefold::Device::host(), &returns.expect("prices are above 0"), options);
        let found = found.expect("the options are right");
        draw("portfolios", &found, &exact(&found, options).expect("it is solved")).expect("it is drawn")
    }

    #[test]
    fn cloud_edges_marks_and_names_are_drawn() {
        let options = FrontierOptions { portfolios: 500, ..FrontierOptions::default() };
        let svg = drawn(&["AAPL", "JNJ", "XOM"], &options);
        for text in ["AAPL", "XOM", "min volatility", "max Sharpe", "edge found", "exact edge", "without bounds"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn shorts_stay_on_the_sheet() {
        let options = FrontierOptions { portfolios: 500, short: true, ..FrontierOptions::default() };
        let svg = drawn(&["AAPL", "JNJ", "XOM"], &options);
        for circle in svg.split("<circle").skip(1) {
            let number = |name: &str| -> i32 {
                let from = circle.find(name).expect("a circle has a centre") + name.len();
                circle[from..].split('"').next().and_then(|text| text.parse().ok()).expect("it is a number")
            };
            assert!((0..1280).contains(&number("cx=\"")) && (0..1190).contains(&number("cy=\"")), "{circle}");
        }
    }

    #[test]
    fn a_riskless_market_is_drawn() {
        let index = (0..9).map(|row| row.to_string()).collect();
        let cash = cubefold_finance::Table::new("day".to_owned(), index, vec!["CASH".to_owned()], vec![0.001; 9]);
        let options = FrontierOptions { portfolios: 9, ..FrontierOptions::default() };
        let cash = cash.expect("a table of one column");
        let found = frontier(&cubefold::Device::host(), &cash, &options).expect("it returns more than the rate");
        let exact = exact(&found, &options).expect("it is solved");
        assert!(exact.unbounded.is_none());
        let svg = draw("riskless", &found, &exact).expect("it is drawn");
        assert!(svg.contains("CASH") && svg.contains("min volatility") && !svg.contains("without bounds"));
    }
}
