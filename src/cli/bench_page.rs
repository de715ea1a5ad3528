//! `bench.html`: the measured rows, a picture a case, and what they were measured on, in one file.

use super::bench::{BenchAnswer, draw, rate_text};
use super::error::CliError;
use crate::bench::Case;
use crate::bench::measure::Clock;
use crate::report::page::{Figure, Page, render as render_page};
use crate::report::table::{duration, grouped};

/// The page of an answer to `cases`.
///
/// # Errors
/// A picture that cannot be drawn.
pub fn render(answer: &BenchAnswer, cases: &[Case]) -> Result<String, CliError> {
    let measured = |case: &&Case| answer.rows.iter().any(|row| row.case == case.name());
    let figures = cases.iter().filter(measured).map(|&case| figure(case, answer)).collect::<Result<_, _>>()?;
    let row = |row: &crate::bench::Row| {
        let clock = if row.clock == Clock::Device { "device" } else { "host" };
        vec![
            format!("{}: {}", row.case, row.operator),
            row.strategy.to_owned(),
            grouped(row.length),
            duration(row.seconds),
            clock.to_owned(),
            duration(row.seconds_wall),
            rate_text(row),
        ]
    };
    let quick = if answer.quick { " A quick run: small lengths and few calls, for a first look." } else { "" };
    Ok(render_page(&Page {
        title: format!("cubefold bench {}", answer.case),
        summary: format!(
            "Measured on {}. Every result was compared with the host's before it was timed.{quick}",
            answer.device
        ),
        header: vec!["what", "strategy", "length", "time of a call", "clock", "with the wait", "rate"],
        rows: answer.rows.iter().map(row).collect(),
        remark: "Medians. The device's clock takes a call alone, the host's the call and the wait for its end."
            .to_owned(),
        figures,
        foot: foot(answer),
    }))
}

fn figure(case: Case, answer: &BenchAnswer) -> Result<Figure, CliError> {
    let sentence = format!("Time of one call against {}, both logarithmic: lower is faster.", case.length_name());
    Ok(Figure { name: case.name(), heading: case.name(), sentence, svg: draw(case, answer)? })
}

/// Version, commit and date.
fn foot(answer: &BenchAnswer) -> String {
    let commit = answer.commit.as_deref().map_or(String::new(), |commit| format!(", commit {commit}"));
    let [year, month, day] = date(answer.unix_time);
    format!("cubefold {}{commit}; {}; {year}-{month:02}-{day:02}", answer.cubefold, answer.device)
}

/// Year, month and day of a time in seconds since 1970, in UTC (Hinnant, "chrono-compatible low-level date algorithms").
fn date(unix_time: u64) -> [u64; 3] {
    let days = unix_time / 86_400 + 719_468; // from the first of March of the year 0
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153; // from March
    let january = u64::from(month >= 10);
    [era * 400 + year + january, month + 3 - 12 * january, of_year - (153 * month + 2) / 5 + 1]
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), [1970, 1, 1]);
        assert_eq!(date(951_782_400), [2000, 2, 29]);
        assert_eq!(date(1_735_689_599), [2024, 12, 31]);
    }
}
