//! `cubefold ema`: exponentially weighted averages, variances and deviations of price columns.

use clap::{ArgAction, Args, ValueEnum};
use cubefold_finance::data::{Table, duration};
use cubefold_finance::{Decay, Ewm, Init, Missing};

use super::error::CliError;
use super::series::{self, SeriesAnswer, SeriesArgs};
use super::session::Session;
use crate::report::PlotError;
use crate::report::moving_average::{self, Smoothed};

/// Flags of `cubefold ema`.
#[derive(Debug, Clone, Args)]
pub struct EmaArgs {
    /// Weight of the newest value, in (0, 1]
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    alpha: Option<f64>,
    /// alpha = 2 / (S + 1), S at least 1
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    span: Option<f64>,
    /// Centre of mass: alpha = 1 / (1 + C), C at least 0
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    com: Option<f64>,
    /// alpha = 1 - exp(-ln 2 / H), H above 0 rows; with --times a duration: 23d, 36h, 90m or 30s
    #[arg(long, value_name = "H", allow_hyphen_values = true, value_parser = parse_halflife)]
    halflife: Option<HalfLife>,
    /// Take the first column for dates or date-times, between which weights fade by the half-life
    #[arg(long)]
    times: bool,
    /// Divide the weights by their sum (pandas' adjust=True); else run the recurrence
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, default_value_t = false)]
    adjust: bool,
    /// Let missing rows take no time (pandas' ignore_na=True)
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, default_value_t = false)]
    ignore_na: bool,
    /// Values that a row needs before it shows a result
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    min_periods: usize,
    /// Where the recurrence starts: at the first value (pandas' adjust=False), at zero, or at the mean of the first span of
    /// values (TA-Lib)
    #[arg(long, value_enum, value_name = "START", default_value_t = InitArg::First)]
    init: InitArg,
    /// What a row shows whose value is missing: the last result (pandas) or nothing (polars)
    #[arg(long, value_enum, value_name = "WAY", default_value_t = MissingArg::Carry)]
    missing: MissingArg,
    /// The figure; variance and deviation are unbiased
    #[arg(long, value_enum, value_name = "STAT", default_value_t = StatArg::Mean)]
    stat: StatArg,
    /// Divide variances by the weights alone
    #[arg(long)]
    bias: bool,
    /// The prices and the files.
    #[command(flatten)]
    series: SeriesArgs,
}

/// Where the recurrence starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InitArg {
    First,
    Zero,
    Sma,
}

/// What a row shows whose value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MissingArg {
    Carry,
    Preserve,
}

/// The figure of the weighted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatArg {
    Mean,
    Var,
    Std,
}

/// A half-life in rows or in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum HalfLife {
    Rows(f64),
    Seconds(f64),
}

/// What is no half-life.
#[derive(Debug, thiserror::Error)]
#[error("a number of rows or a duration such as 23d, 36h, 90m or 30s is needed")]
struct HalfLifeError;

fn parse_halflife(text: &str) -> Result<HalfLife, HalfLifeError> {
    let rows = text.parse().ok().map(HalfLife::Rows);
    rows.or_else(|| duration(text).map(HalfLife::Seconds)).ok_or(HalfLifeError)
}

impl EmaArgs {
    /// The one decay that was given, its range checked.
    fn decay(&self) -> Result<Decay, CliError> {
        let halflife = |halflife| match halflife {
            HalfLife::Rows(length) | HalfLife::Seconds(length) => Decay::HalfLife(length),
        };
        let given = [
            self.alpha.map(Decay::Alpha),
            self.span.map(Decay::Span),
            self.com.map(Decay::Com),
            self.halflife.map(halflife),
        ];
        let given: Vec<Decay> = given.into_iter().flatten().collect();
        let [decay] = given[..] else {
            return Err(CliError::DecayCount { given: given.len() });
        };
        decay.alpha()?;
        match (self.times, self.halflife) {
            (true, Some(HalfLife::Seconds(_))) | (false, None | Some(HalfLife::Rows(_))) => Ok(decay),
            (true, _) => Err(CliError::TimesWithoutDuration),
            (false, _) => Err(CliError::DurationWithoutTimes),
        }
    }

    /// The window that the flags describe, checked against the prices.
    fn ewm(&self, decay: Decay, prices: &Table) -> Result<Ewm, CliError> {
        let ewm = Ewm {
            adjust: self.adjust,
            ignore_na: self.ignore_na,
            min_periods: self.min_periods,
            bias: self.bias,
            init: match self.init {
                InitArg::First => Init::First,
                InitArg::Zero => Init::Zero,
                InitArg::Sma => Init::Sma,
            },
            missing: match self.missing {
                MissingArg::Carry => Missing::Carry,
                MissingArg::Preserve => Missing::Preserve,
            },
            times: if self.times { Some(prices.times()?) } else { None },
            ..Ewm::new(decay)
        };
        ewm.check(prices)?;
        Ok(ewm)
    }

    /// A price and its average, or the figure of every column.
    fn picture(&self, prices: &Table, figures: &Table) -> Result<String, PlotError> {
        let name = match self.stat {
            StatArg::Mean => "moving average",
            StatArg::Var => "moving variance",
            StatArg::Std => "moving deviation",
        };
        match &prices.columns[..] {
            [column] if self.stat == StatArg::Mean => moving_average::draw(&Smoothed {
                title: &format!("{column} and its {name}"),
                average_name: name,
                unit: "price",
                dates: &prices.index,
                price: &prices.column(0),
                average: &figures.column(0),
            }),
            _ => series::picture(figures, &format!("Exponential {name}"), name),
        }
    }
}

/// Smooths the columns; `-o` and `--plot` write files whatever is printed.
///
/// # Errors
/// None or several decays, one out of range, flags that do not go together, a file or column that cannot be used, a device
/// or output that cannot be used.
pub fn run(arguments: &EmaArgs, session: &Session) -> Result<(), CliError> {
    let decay = arguments.decay()?;
    let prices = arguments.series.read()?;
    let ewm = arguments.ewm(decay, &prices)?;
    arguments.series.prepare()?;
    let figures = session.run(1, |device, progress| {
        progress.say("smoothing");
        Ok(match arguments.stat {
            StatArg::Mean => ewm.mean(device, &prices)?,
            StatArg::Var => ewm.var(device, &prices)?,
            StatArg::Std => ewm.std(device, &prices)?,
        })
    })?;
    let answer = SeriesAnswer { figures };
    arguments.series.finish(session, &answer, || arguments.picture(&prices, &answer.figures))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_halflife_is_a_number_of_rows_or_a_duration() {
        let parse = |text| parse_halflife(text).ok();
        assert_eq!(parse("2.5"), Some(HalfLife::Rows(2.5)));
        assert_eq!(parse("-1"), Some(HalfLife::Rows(-1.0)));
        assert_eq!(parse("36h"), Some(HalfLife::Seconds(129_600.0)));
        for text in ["", "d", "2w", "1d 12h", "soon"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
