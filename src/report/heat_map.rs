//! The correlation matrix as a heat map with its colour bar.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::canvas::{self, INK, LABEL_SIZE, PlotError, Sheet, TICK_SIZE, TITLE_SIZE, WIDTH};

/// Left and top edge of the matrix.
const LEFT: i32 = 160;
const TOP: i32 = 90;
/// Side of the matrix.
const SIDE: i32 = 860;
/// Height of the picture: the matrix and the names under it.
const HEIGHT: u32 = 1090;
/// Left edge and width of the colour bar.
const BAR_LEFT: i32 = LEFT + SIDE + 40;
const BAR_WIDTH: i32 = 44;
/// Steps of the colour bar.
const BAR_STEPS: i32 = 86;
/// Names closer than this to each other would run together.
const NAME_HEIGHT: i32 = 36;

/// Draws the square matrix `correlation` (row-major) of `assets`; the darker, the higher.
///
/// The scale runs from the lowest correlation, rounded down to a tenth, to 1. Missing values (an asset without variance)
/// stay white.
///
/// # Errors
/// What plotters gives.
pub fn draw(title: &str, assets: &[String], correlation: &[f64]) -> Result<String, PlotError> {
    let lowest = correlation.iter().copied().filter(|value| value.is_finite()).fold(0.9, f64::min);
    let floor = (lowest * 10.0).floor() / 10.0;
    canvas::draw(HEIGHT, |sheet| {
        let middle = canvas::text(TITLE_SIZE).pos(Pos::new(HPos::Center, VPos::Center));
        sheet.draw(&Text::new(title.to_owned(), (WIDTH as i32 / 2, TOP / 2), middle))?;
        draw_cells(sheet, assets.len(), correlation, floor)?;
        draw_names(sheet, assets)?;
        draw_bar(sheet, floor)
    })
}

/// The pixels that cell `index` of `count` takes along one side.
fn edges(index: usize, count: usize) -> (i32, i32) {
    let edge = |index: usize| (index as f64 * f64::from(SIDE) / count as f64).round() as i32;
    (edge(index), edge(index + 1))
}

fn draw_cells(sheet: &Sheet<'_>, count: usize, correlation: &[f64], floor: f64) -> Result<(), PlotError> {
    for (index, value) in correlation.iter().enumerate() {
        let (top, bottom) = edges(index / count, count);
        let (left, right) = edges(index % count, count);
        // One unit of overlap leaves no seams between cells.
        let corners = [(LEFT + left, TOP + top), (LEFT + right + 1, TOP + bottom + 1)];
        sheet.draw(&Rectangle::new(corners, shade(*value, floor).filled()))?;
    }
    let frame = [(LEFT, TOP), (LEFT + SIDE, TOP + SIDE)];
    sheet.draw(&Rectangle::new(frame, INK.stroke_width(2)))?;
    Ok(())
}

fn draw_names(sheet: &Sheet<'_>, assets: &[String]) -> Result<(), PlotError> {
    let count = assets.len();
    let pitch = SIDE / (count.max(1) as i32);
    let every = (NAME_HEIGHT / pitch.max(1)).max(1) as usize;
    let size = TICK_SIZE - 4;
    let beside = canvas::text(size).pos(Pos::new(HPos::Right, VPos::Center));
    let below = canvas::text(size).transform(FontTransform::Rotate270).pos(Pos::new(HPos::Right, VPos::Center));
    for (index, asset) in assets.iter().enumerate().step_by(every) {
        let (start, end) = edges(index, count);
        let middle = (start + end) / 2;
        sheet.draw(&Text::new(shortened(asset), (LEFT - 12, TOP + middle), beside.clone()))?;
        sheet.draw(&Text::new(shortened(asset), (LEFT + middle, TOP + SIDE + 12), below.clone()))?;
    }
    Ok(())
}

fn draw_bar(sheet: &Sheet<'_>, floor: f64) -> Result<(), PlotError> {
    let right = BAR_LEFT + BAR_WIDTH;
    for step in 0..BAR_STEPS {
        let value = 1.0 - (f64::from(step) + 0.5) / f64::from(BAR_STEPS) * (1.0 - floor);
        let corners = [(BAR_LEFT, TOP + step * SIDE / BAR_STEPS), (right, TOP + (step + 1) * SIDE / BAR_STEPS + 1)];
        sheet.draw(&Rectangle::new(corners, shade(value, floor).filled()))?;
    }
    sheet.draw(&Rectangle::new([(BAR_LEFT, TOP), (right, TOP + SIDE)], INK.stroke_width(2)))?;
    let beside = canvas::text(TICK_SIZE).pos(Pos::new(HPos::Left, VPos::Center));
    let tenths = ((1.0 - floor) * 10.0).round() as i32;
    for tenth in (0..=tenths).step_by(if tenths > 10 { 2 } else { 1 }) {
        let height = TOP + tenth * SIDE / tenths;
        sheet.draw(&PathElement::new([(right, height), (right + 10, height)], INK.stroke_width(2)))?;
        let value = canvas::tick(1.0 - f64::from(tenth) / 10.0);
        sheet.draw(&Text::new(value, (right + 16, height), beside.clone()))?;
    }
    let upward = canvas::text(LABEL_SIZE).transform(FontTransform::Rotate270).pos(Pos::new(HPos::Center, VPos::Bottom));
    sheet.draw(&Text::new("correlation (no unit)", (WIDTH as i32 - 14, TOP + SIDE / 2), upward))?;
    Ok(())
}

/// The ink of a correlation: white-blue at `floor`, near black at 1, lightness falling all the way.
pub fn shade(value: f64, floor: f64) -> RGBColor {
    if !value.is_finite() {
        return WHITE;
    }
    let part = ((value - floor) / (1.0 - floor)).clamp(0.0, 1.0);
    let mix = |light: f64, dark: f64| (light + (dark - light) * part).round() as u8;
    RGBColor(mix(238.0, 6.0), mix(243.0, 24.0), mix(250.0, 72.0))
}

/// The first characters of a long name.
fn shortened(name: &str) -> String {
    if name.chars().count() <= 6 { name.to_owned() } else { name.chars().take(5).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_darkens_from_its_floor_to_one() {
        let light = |value| {
            let RGBColor(red, green, blue) = shade(value, -0.2);
            u32::from(red) + u32::from(green) + u32::from(blue)
        };
        assert!(light(-0.2) > light(0.3) && light(0.3) > light(1.0));
        assert_eq!(shade(f64::NAN, 0.0), WHITE);
    }

    #[test]
    fn cells_cover_the_side_without_gaps() {
        for count in [1, 3, 20, 700] {
            assert_eq!(edges(0, count).0, 0);
            assert_eq!(edges(count - 1, count).1, SIDE);
            assert!((1..count).all(|index| edges(index - 1, count).1 == edges(index, count).0));
        }
    }

    #[test]
    fn no_asset_and_one_riskless_asset_are_drawn() {
        draw("none", &[], &[]).expect("an empty matrix is drawn");
        draw("one", &["CASH".to_owned()], &[f64::NAN]).expect("a missing value is drawn");
    }
}
