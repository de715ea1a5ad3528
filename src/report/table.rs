//! Aligned text tables and numbers for people.

/// Which side of its column a cell leans to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// A table of text cells, each column as wide as its widest cell.
#[derive(Debug, Clone)]
pub struct TextTable {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with one header cell and one side a column.
    pub fn new<H: Into<String>>(header: impl IntoIterator<Item = (H, Side)>) -> Self {
        let (names, sides): (Vec<String>, Vec<Side>) =
            header.into_iter().map(|(name, side)| (name.into(), side)).unzip();
        TextTable { sides, rows: vec![names] }
    }

    /// Adds a row; cells beyond the header are left out.
    pub fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).take(self.sides.len()).collect());
    }

    /// The text, one line a row.
    pub fn render(&self) -> String {
        let mut widths = vec![0; self.sides.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        self.rows.iter().map(|row| self.line(row, &widths)).collect()
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, &width), side) in row.iter().zip(widths).zip(&self.sides) {
            match side {
                Side::Left => line.push_str(&format!("{cell:<width$}  ")),
                Side::Right => line.push_str(&format!("{cell:>width$}  ")),
            }
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

/// `value` with `digits` significant digits, "–" where it is not a number.
pub fn significant(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-4..9).contains(&exponent) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    format!("{value:.decimals$}")
}

/// `value` as a percentage with two decimals.
pub fn percent(value: f64) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{:.2} %", value * 100.0) }
}

/// A duration with three significant digits in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "–".to_owned();
    }
    let (scaled, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    format!("{} {unit}", significant(scaled, 3))
}

/// A whole number with its thousands apart.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = TextTable::new([("name", Side::Left), ("n", Side::Right)]);
        table.row(["é", "10"]);
        assert_eq!(table.render(), "name   n\né     10\n");
    }

    #[test]
    fn numbers_keep_their_significant_digits() {
        assert_eq!(significant(10.450_583_57, 6), "10.4506");
        assert_eq!(significant(0.001_234_56, 3), "0.00123");
        assert_eq!(significant(1e-7, 3), "1.00e-7");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(f64::NAN, 3), "–");
        assert_eq!(significant(123_456.0, 3), "123456");
    }

    #[test]
    fn durations_and_counts_read_well() {
        assert_eq!(duration(1.5), "1.50 s");
        assert_eq!(duration(0.0123), "12.3 ms");
        assert_eq!(duration(4.2e-5), "42.0 µs");
        assert_eq!(grouped(20_000_000), "20,000,000");
        assert_eq!(grouped(999), "999");
    }
}
