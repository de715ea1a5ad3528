//! The sheet that every picture is drawn on: size, inks, fonts, axes.
//!
//! Plotters rounds SVG coordinates to whole units, so the sheet is drawn at twice its nominal size: lines stay smooth
//! when the page scales it. The drawing keeps its `viewBox` and can be shown at any width.

use std::io;
use std::ops::Range;

use plotters::chart::SeriesLabelPosition;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged, ValueFormatter};
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::TextStyle;

/// Width of every picture in drawing units; shown at half of it.
pub const WIDTH: u32 = 1280;
/// Height of the pictures with axes.
pub const HEIGHT: u32 = 900;

/// Text and the lines that matter most.
pub const INK: RGBColor = RGBColor(24, 28, 36);
/// The line that is being explained.
pub const STRONG: RGBColor = RGBColor(0, 62, 125);
/// The best point, the reference.
pub const ACCENT: RGBColor = RGBColor(176, 48, 0);
/// What is compared with: raw data, clouds.
pub const QUIET: RGBColor = RGBColor(128, 138, 150);
/// Areas behind lines.
pub const SHADE: RGBColor = RGBColor(196, 206, 218);
/// Lighter areas.
pub const PALE: RGBColor = RGBColor(230, 235, 241);

/// Title of a picture.
pub const TITLE_SIZE: u32 = 50;
/// Names of axes and legends.
pub const LABEL_SIZE: u32 = 46;
/// Numbers at ticks, names of points.
pub const TICK_SIZE: u32 = 44;

/// Plotters divides the sizes of fonts by this when it writes them into SVG.
pub const FONT_SCALE: f64 = 1.24;

/// The root of a picture.
pub type Sheet<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A chart on a sheet.
pub type Chart<'sheet, 'svg, X, Y> = ChartContext<'sheet, SVGBackend<'svg>, Cartesian2d<X, Y>>;

/// A picture that plotters could not draw.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the picture: {0}")]
pub struct PlotError(#[from] DrawingAreaErrorKind<io::Error>);

/// Draws a picture of [`WIDTH`] × `height` units.
///
/// # Errors
/// What `paint` gives.
pub fn draw(height: u32, paint: impl FnOnce(&Sheet<'_>) -> Result<(), PlotError>) -> Result<String, PlotError> {
    let mut svg = String::new();
    let sheet = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    sheet.fill(&WHITE)?;
    paint(&sheet)?;
    sheet.present()?;
    drop(sheet);
    let drawn = format!("width=\"{WIDTH}\" height=\"{height}\"");
    let shown = format!("width=\"{}\" height=\"{}\"", WIDTH / 2, height / 2);
    Ok(svg.replacen(&drawn, &shown, 1))
}

/// Text of `size` in the ink colour.
pub fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// A builder with the title and the margins that all pictures with axes share.
pub fn framed<'sheet, 'svg>(sheet: &'sheet Sheet<'svg>, title: &str) -> ChartBuilder<'sheet, 'sheet, SVGBackend<'svg>> {
    let mut builder = ChartBuilder::on(sheet);
    builder
        .caption(title, text(TITLE_SIZE))
        .margin_top(14)
        .margin_bottom(10)
        .margin_left(10)
        .margin_right(56)
        .x_label_area_size(118)
        .y_label_area_size(164);
    builder
}

/// An axis over `range` that is marked at `marks` only.
#[derive(Debug, Clone)]
pub struct Marked {
    /// Ends of the axis.
    pub range: Range<f64>,
    /// Where ticks and grid lines go.
    pub marks: Vec<f64>,
}

impl Ranged for Marked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.marks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// The names of two axes and how their ticks are written.
pub struct Axes<'a> {
    /// Name and unit of the horizontal axis.
    pub x_name: &'a str,
    /// Name and unit of the vertical axis.
    pub y_name: &'a str,
    /// Text of a horizontal tick.
    pub x_tick: &'a dyn Fn(&f64) -> String,
    /// Text of a vertical tick.
    pub y_tick: &'a dyn Fn(&f64) -> String,
}

impl Axes<'_> {
    /// Draws axes, ticks and a faint grid.
    ///
    /// # Errors
    /// What plotters gives.
    pub fn draw<X, Y>(&self, chart: &mut Chart<'_, '_, X, Y>) -> Result<(), PlotError>
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        chart
            .configure_mesh()
            .x_desc(self.x_name)
            .y_desc(self.y_name)
            .x_label_formatter(self.x_tick)
            .y_label_formatter(self.y_tick)
            .x_labels(6)
            .y_labels(7)
            .axis_desc_style(text(LABEL_SIZE))
            .label_style(text(TICK_SIZE))
            .axis_style(INK.stroke_width(2))
            .bold_line_style(PALE.stroke_width(2))
            .light_line_style(TRANSPARENT)
            .draw()?;
        Ok(())
    }
}

/// Draws the legend of a chart at `position`.
///
/// # Errors
/// What plotters gives.
pub fn legend<'sheet, 'svg, X, Y>(
    chart: &mut Chart<'sheet, 'svg, X, Y>,
    position: SeriesLabelPosition,
) -> Result<(), PlotError>
where
    'svg: 'sheet,
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    chart
        .configure_series_labels()
        .position(position)
        .margin(14)
        .legend_area_size(66)
        .label_font(text(TICK_SIZE))
        .background_style(WHITE.mix(0.85))
        .draw()?;
    Ok(())
}

/// Draws a dashed line at `level` between `ends` and names it in the legend.
///
/// # Errors
/// What plotters gives.
pub fn reference<X, Y>(chart: &mut Chart<'_, '_, X, Y>, ends: [f64; 2], level: f64, name: &str) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let style = ACCENT.stroke_width(4);
    let points = ends.map(|end| (end, level));
    chart
        .draw_series(DashedLineSeries::new(points, 16, 12, style))?
        .label(name)
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
    Ok(())
}

/// The finite values' range with a margin of `share` on both sides; never empty.
pub fn padded(values: impl IntoIterator<Item = f64>, share: f64) -> Range<f64> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.into_iter().filter(|value| value.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    if low > high {
        return 0.0..1.0;
    }
    let margin = if high > low { (high - low) * share } else { (low.abs() * 0.05).max(0.05) };
    low - margin..high + margin
}

/// `range` with room for a legend above.
pub fn with_headroom(range: Range<f64>, share: f64) -> Range<f64> {
    range.start..range.end + (range.end - range.start) * share
}

/// A tick's number without the noise of its last bits.
pub fn tick(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if rounded.abs() < 1e-12 {
        "0".to_owned()
    } else if (1e-4..1e7).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// The stretches of `points` between missing values, each a line of its own.
pub fn stretches(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<Vec<(f64, f64)>> {
    let mut stretches = vec![Vec::new()];
    for point in points {
        match stretches.last_mut() {
            Some(stretch) if point.1.is_finite() => stretch.push(point),
            _ => stretches.push(Vec::new()),
        }
    }
    stretches.retain(|stretch| !stretch.is_empty());
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_scales_and_is_shown_at_half_its_size() {
        let svg = draw(HEIGHT, |_| Ok(())).expect("an empty sheet is drawn");
        assert!(svg.starts_with("<svg width=\"640\" height=\"450\" viewBox=\"0 0 1280 900\""), "{svg}");
        assert!(svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(padded([], 0.1), 0.0..1.0);
        assert_eq!(padded([f64::NAN], 0.1), 0.0..1.0);
        assert_eq!(padded([2.0, 2.0], 0.1), 1.9..2.1);
        assert_eq!(padded([0.0, 10.0], 0.1), -1.0..11.0);
    }

    #[test]
    fn missing_values_cut_a_line() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0), (3.0, 4.0)];
        assert_eq!(stretches(points), [vec![(0.0, 1.0)], vec![(2.0, 3.0), (3.0, 4.0)]]);
    }

    #[test]
    fn ticks_lose_their_rounding_noise() {
        assert_eq!(tick(0.1 + 0.2), "0.3");
        assert_eq!(tick(-1e-17), "0");
        assert_eq!(tick(2e7), "2e7");
    }
}
