//! Dates and date-times of the index as seconds, and durations.
//!
//! Days are counted in the proleptic Gregorian calendar by Hinnant's `days_from_civil` ("chrono-Compatible Low-Level Date
//! Algorithms", 2014). A date-time without an offset is taken for UTC; there are no leap seconds.

use super::{Cell, DataError, Table};

const DAY: i64 = 86_400;

impl Table {
    /// The index as seconds since 1970-01-01.
    ///
    /// Accepted are `2024-01-31` and `2024/01/31`, alone or with a time after a blank or a `T`: `09:30`, `09:30:15`,
    /// `09:30:15.250`, each alone or with an offset `Z`, `+01:00` or `+0100`.
    ///
    /// # Errors
    /// [`DataError::NotADate`] for the first row that is something else.
    ///
    /// ```
    /// use cubefold_finance::Table;
    /// let table = Table::from_reader("example", "at,A\n1970-01-02,1\n1970-01-02 01:00:30,2\n".as_bytes())?;
    /// assert_eq!(table.times()?, [86_400.0, 90_030.0]);
    /// # Ok::<(), cubefold_finance::DataError>(())
    /// ```
    pub fn times(&self) -> Result<Vec<f64>, DataError> {
        let time = |(row, text): (usize, &String)| seconds(text).ok_or_else(|| self.not_a_date(row, text));
        self.index.iter().enumerate().map(time).collect()
    }

    fn not_a_date(&self, row: usize, text: &str) -> DataError {
        let at = Cell { file: self.file.clone(), line: self.line(row), column: 1, header: self.index_name.clone() };
        DataError::NotADate { at, text: text.to_owned() }
    }
}

/// The seconds of a number with a unit, `23d`, `36h`, `90m` or `30s`; none for anything else.
///
/// ```
/// use cubefold_finance::data::duration;
/// assert_eq!((duration("36h"), duration("0.5d"), duration("36")), (Some(129_600.0), Some(43_200.0), None));
/// ```
pub fn duration(text: &str) -> Option<f64> {
    let units = [('d', DAY as f64), ('h', 3600.0), ('m', 60.0), ('s', 1.0)];
    let (number, unit) = units.iter().find_map(|&(letter, unit)| Some((text.strip_suffix(letter)?, unit)))?;
    Some(number.parse::<f64>().ok()? * unit)
}

/// Seconds since 1970-01-01 of a date or a date-time.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let (date, time) = text.split_at_checked(10)?;
    let midnight = days(date)? * DAY;
    let Some(time) = time.strip_prefix(['T', ' ']) else {
        return time.is_empty().then_some(midnight as f64);
    };
    let (clock, offset) = split_offset(time)?;
    Some((midnight - offset) as f64 + clock_seconds(clock)?)
}

/// Days since 1970-01-01.
fn days(date: &str) -> Option<i64> {
    let separator = date.as_bytes()[4];
    if !matches!(separator, b'-' | b'/') || date.as_bytes()[7] != separator {
        return None;
    }
    let (year, month, day) = (digits(date.get(..4)?)?, digits(date.get(5..7)?)?, digits(date.get(8..)?)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, 28 + i64::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *lengths.get(usize::try_from(month - 1).ok()?)?;
    (1..=length).contains(&day).then(|| days_from_civil(year, month, day))
}

/// Years begin in March here, so that a leap day is the last of its year.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// A time of day and the seconds by which its zone is ahead of UTC.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix('Z') {
        return Some((clock, 0));
    }
    let Some(place) = time.rfind(['+', '-']) else {
        return Some((time, 0));
    };
    let (clock, offset) = time.split_at(place);
    let (hours, minutes) = match offset.len() {
        6 if offset.as_bytes()[3] == b':' => (offset.get(1..3)?, offset.get(4..)?),
        5 => (offset.get(1..3)?, offset.get(3..)?),
        _ => return None,
    };
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    let ahead = hours * 3600 + minutes * 60;
    (hours < 24 && minutes < 60).then_some((clock, if offset.starts_with('-') { -ahead } else { ahead }))
}

/// The seconds of `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction`.
fn clock_seconds(clock: &str) -> Option<f64> {
    let mut parts = clock.split(':');
    let (hours, minutes) = (two_digits(parts.next()?)?, two_digits(parts.next()?)?);
    let seconds = match parts.next() {
        None => 0.0,
        Some(text) => {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            digits(fraction)?;
            two_digits(whole)?;
            text.parse::<f64>().ok()?
        }
    };
    let ends = parts.next().is_none() && hours < 24 && minutes < 60 && seconds < 60.0;
    ends.then_some((hours * 3600 + minutes * 60) as f64 + seconds)
}

fn two_digits(text: &str) -> Option<i64> {
    (text.len() == 2).then(|| digits(text))?
}

/// A number of nothing but a few digits.
fn digits(text: &str) -> Option<i64> {
    let plain = (1..=18).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_by_the_gregorian_calendar() {
        let table = [
            ("1970-01-01", 0),
            ("1970-03-01", 59),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2000-03-01", 11_017),
            ("1900-03-01", -25_508),
            ("2024/12/31", 20_088),
            ("0001-01-01", -719_162),
            ("9999-12-31", 2_932_896),
        ];
        for (date, expected) in table {
            assert_eq!(days(date), Some(expected), "{date}");
        }
    }

    #[test]
    fn every_day_of_eight_centuries_follows_the_one_before() {
        let mut expected = days("1600-01-01").unwrap();
        for year in 1600..2400 {
            for month in 1..=12 {
                for day in 1..=31 {
                    if let Some(found) = days(&format!("{year}-{month:02}-{day:02}")) {
                        assert_eq!(found, expected, "{year}-{month}-{day}");
                        expected += 1;
                    }
                }
            }
        }
        assert_eq!(expected - days("1600-01-01").unwrap(), 2 * 146_097);
    }

    #[test]
    fn times_of_day_and_offsets_are_seconds() {
        let table = [
            ("1970-01-01", 0.0),
            ("1970-01-01T00:01", 60.0),
            ("1970-01-01 23:59:59", 86_399.0),
            ("1970-01-01T00:00:01.250", 1.25),
            ("1970-01-01T00:00:00Z", 0.0),
            ("1970-01-01T01:00:00+01:00", 0.0),
            ("1969-12-31 19:30-0430", 0.0),
        ];
        for (text, expected) in table {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "Monday",
            "2024",
            "20240131",
            "2024-1-31",
            "2024-13-01",
            "2024-00-01",
            "2023-02-29",
            "1900-02-29",
            "2024-04-31",
            "2024-01-00",
            "2024-01/31",
            "2024-01-31x",
            "2024-01-31T",
            "2024-01-31T24:00",
            "2024-01-31T09:60",
            "2024-01-31T09:30:60",
            "2024-01-31T9:30",
            "2024-01-31T09:30:1",
            "2024-01-31T09:30:15.",
            "2024-01-31T09:30:15.2.5",
            "2024-01-31T09:30:15:20",
            "2024-01-31T09:30+1",
            "2024-01-31T09:30+25:00",
            "2024-01-31T09:30 UTC",
            "+024-01-31",
            "२०२४-०१-३१",
            "2024-01-3é",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn durations_have_one_unit() {
        assert_eq!(duration("23d"), Some(23.0 * 86_400.0));
        assert_eq!(duration("90m"), Some(5400.0));
        assert_eq!(duration("30s"), Some(30.0));
        assert_eq!(duration("-1.5h"), Some(-5400.0));
        for text in ["", "d", "23", "23 d", "23days", "1d12h", "23D"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
