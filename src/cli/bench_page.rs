//! `bench.html`: the measured rows, a picture a case, and what they were measured on, in one file.

use super::bench::{BenchAnswer, crossover_text, draw, rate_text};
use super::error::CliError;
use crate::bench::Case;
use crate::bench::measure::Clock;
use crate::report::bars::{self, Bar};
use crate::report::page::{Figure, Page, render as render_page};
use crate::report::table::{duration, grouped, percent, significant};

/// The page of an answer to `cases`.
///
/// # Errors
/// A picture that cannot be drawn.
pub fn render(answer: &BenchAnswer, cases: &[Case]) -> Result<String, CliError> {
    let measured = |case: &&Case| answer.rows.iter().any(|row| row.case == case.name());
    let mut figures =
        cases.iter().filter(measured).map(|&case| figure(case, answer)).collect::<Result<Vec<_>, CliError>>()?;
    figures.extend(tiles(answer)?);
    let row = |row: &crate::bench::Row| {
        let clock = if row.clock == Clock::Device { "device" } else { "host" };
        vec![
            format!("{}: {}", row.case, row.operator),
            row.strategy.to_owned(),
            grouped(row.length),
            duration(row.seconds),
            clock.to_owned(),
            duration(row.seconds_wall),
            duration(row.seconds_first),
            rate_text(row),
            row.of_roofline.map(percent).unwrap_or_default(),
        ]
    };
    let quick = if answer.quick { " A quick run: small lengths and few calls, for a first look." } else { "" };
    Ok(render_page(&Page {
        title: format!("cubefold bench {}", answer.case),
        summary: format!(
            "Measured on {}. Every result was compared with the host's before it was timed.{quick}",
            answer.device
        ),
        header: vec![
            "what",
            "strategy",
            "length",
            "time of a call",
            "clock",
            "with the wait",
            "first call",
            "rate",
            "of roof",
        ],
        rows: answer.rows.iter().map(row).collect(),
        remark: format!(
            "Medians. The device's clock takes a call alone, the host's the call and the wait for its end. The first call has the \
             compilation of kernels in it that no row above had. {}{}",
            roofs(answer),
            overtaking(answer)
        ),
        figures,
        foot: foot(answer),
    }))
}

/// The rates of all tiles for the largest matrices that every one of them multiplied; none where there is nothing to compare.
fn tiles(answer: &BenchAnswer) -> Result<Option<Figure>, CliError> {
    let products = || answer.rows.iter().filter(|row| row.case == Case::Gemm.name());
    let Some(operator) = products().next().map(|row| row.operator) else {
        return Ok(None);
    };
    let at = |side: u64| products().filter(move |row| row.operator == operator && row.length == side);
    let sides = || products().filter(|row| row.operator == operator).map(|row| row.length);
    let most = sides().map(|side| at(side).count()).max().unwrap_or_default();
    let Some(side) = sides().filter(|&side| at(side).count() == most).max().filter(|_| most > 1) else {
        return Ok(None);
    };
    let bar = |row: &crate::bench::Row| Bar {
        name: row.strategy.to_owned(),
        value: row.work.amount() as f64 / row.seconds,
        told: rate_text(row),
    };
    let bars: Vec<_> = at(side).map(bar).collect();
    let title = format!("{operator}, {side} × {side}");
    Ok(Some(Figure::new(
        "tiles",
        "gemm: tile sizes",
        format!("Rate of one product of {side} × {side} matrices by every strategy: longer is faster."),
        bars::draw(&title, "operations a second", &bars),
    )?))
}

/// What rates are parts of.
fn roofs(answer: &BenchAnswer) -> String {
    let copy = answer
        .copy_bytes_per_second
        .map(|rate| format!("a copy, {} GB/s read and written", significant(rate / 1e9, 3)));
    let fma = answer.fma_flops.map(|rate| format!("multiply-adds, {} GFLOP/s", significant(rate / 1e9, 3)));
    let told: Vec<_> = [copy, fma].into_iter().flatten().collect();
    if told.is_empty() {
        String::new()
    } else {
        format!("The roof is {} on the same device; what stays in a cache may pass it. ", told.join(", or "))
    }
}

/// From which sizes on the device is faster than the host.
fn overtaking(answer: &BenchAnswer) -> String {
    let told: Vec<_> = answer.crossovers.iter().map(|found| crossover_text(found).trim().to_owned()).collect();
    match told.is_empty() {
        true => String::new(),
        false => format!("Faster than the host, each with its data where it computes: {}.", told.join("; ")),
    }
}

fn figure(case: Case, answer: &BenchAnswer) -> Result<Figure, CliError> {
    let sentence = format!("Time of one call against {}, both logarithmic: lower is faster.", case.length_name());
    Ok(Figure { name: case.name(), heading: case.name(), sentence, svg: draw(case, answer)? })
}

/// Version, commit and date.
fn foot(answer: &BenchAnswer) -> String {
    let commit = answer.commit.as_deref().map_or(String::new(), |commit| format!(", commit {commit}"));
    let [year, month, day] = date(answer.unix_time);
    let driver = answer.driver.as_deref().map_or(String::new(), |driver| format!(", driver {driver}"));
    format!("cubefold {}{commit}; {}{driver}; {year}-{month:02}-{day:02}", answer.cubefold, answer.device)
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
