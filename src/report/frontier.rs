//! Risk against return of many portfolios, the two best ones marked.

use std::collections::HashSet;

use cubefold_finance::{Frontier, Point};
use plotters::chart::SeriesLabelPosition;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{self, ACCENT, Axes, Chart, FONT_SCALE, INK, PlotError, QUIET, STRONG, Sheet, TICK_SIZE};
use super::labels::{Labels, Place};

/// Points closer than this many drawing units are drawn once.
const GRAIN: i32 = 5;
/// Height of the picture: the names beside the points need room.
const HEIGHT: u32 = 1090;
/// Distance between a point and its name.
const BESIDE: i32 = 16;
/// Size of the names.
const NAME_SIZE: u32 = TICK_SIZE - 4;

/// Draws the cloud of portfolios, each asset alone with its name, and the portfolios of least volatility and highest Sharpe ratio.
///
/// Points that would fall onto each other are drawn once, so that 50,000 portfolios keep their outline in a small file.
///
/// # Errors
/// What plotters gives.
pub fn draw(title: &str, frontier: &Frontier) -> Result<String, PlotError> {
    let shown = || frontier.cloud.iter().chain(&frontier.singles);
    let risks = canvas::padded(shown().map(|point| point.volatility), 0.06);
    let returns = canvas::padded(shown().map(|point| point.ret), 0.08);
    canvas::draw(HEIGHT, |sheet| {
        let mut chart = canvas::framed(sheet, title).build_cartesian_2d(risks.start.max(0.0)..risks.end, returns)?;
        let percent = |value: &f64| canvas::tick(value * 100.0);
        Axes { x_name: "volatility (% a year)", y_name: "return (% a year)", x_tick: &percent, y_tick: &percent }
            .draw(&mut chart)?;
        draw_cloud(sheet, &chart, &frontier.cloud)?;
        draw_marks(sheet, &chart, frontier)?;
        draw_legend(&mut chart)
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

fn draw_cloud<X, Y>(sheet: &Sheet<'_>, chart: &Chart<'_, '_, X, Y>, cloud: &[Point]) -> Result<(), PlotError>
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
fn draw_legend<'sheet, 'svg, X, Y>(chart: &mut Chart<'sheet, 'svg, X, Y>) -> Result<(), PlotError>
where
    'svg: 'sheet,
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let none = std::iter::empty::<Circle<(f64, f64), i32>>;
    chart
        .draw_series(none())?
        .label("min volatility")
        .legend(|(x, y)| Rectangle::new([(x + 14, y - 14), (x + 42, y + 14)], STRONG.filled()));
    chart
        .draw_series(none())?
        .label("max Sharpe ratio")
        .legend(|(x, y)| TriangleMarker::new((x + 28, y), 20, ACCENT.filled()));
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
    use cubefold_finance::Portfolio;

    fn point(volatility: f64, ret: f64) -> Point {
        Point { ret, volatility, sharpe: f64::NAN }
    }

    #[test]
    fn a_riskless_market_is_drawn() {
        let best = Portfolio { point: point(0.0, 0.02), riskless: true, weights: vec![1.0] };
        let frontier = Frontier {
            assets: vec!["CASH".to_owned()],
            portfolios: 1,
            min_volatility: best.clone(),
            max_sharpe: Portfolio { point: point(f64::NAN, f64::NAN), ..best },
            cloud: vec![point(0.0, 0.02)],
            singles: vec![point(0.0, 0.02)],
            rf: 0.02,
        };
        let svg = draw("riskless", &frontier).expect("it is drawn");
        assert!(svg.contains("CASH") && svg.contains("min volatility"));
    }
}
