//! `cubefold rolling`: figures of the last so many rows.

use clap::{Args, ValueEnum};
use cubefold_finance::Rolling;

use super::error::CliError;
use super::series::{self, SeriesAnswer, SeriesArgs};
use super::session::Session;

/// Flags of `cubefold rolling`.
#[derive(Debug, Clone, Args)]
pub struct RollingArgs {
    /// Rows of the window, at least 1
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    window: usize,
    /// The figure; variance and deviation are unbiased
    #[arg(long, value_enum, value_name = "STAT", default_value_t = StatArg::Mean)]
    stat: StatArg,
    /// Values that a window needs before it shows a result; all of them where no number is given
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    min_periods: Option<usize>,
    /// The prices and the files.
    #[command(flatten)]
    series: SeriesArgs,
}

/// The figure of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatArg {
    Mean,
    Std,
    Var,
    Min,
    Max,
    Sum,
}

impl StatArg {
    fn name(self) -> &'static str {
        match self {
            StatArg::Mean => "mean",
            StatArg::Std => "standard deviation",
            StatArg::Var => "variance",
            StatArg::Min => "minimum",
            StatArg::Max => "maximum",
            StatArg::Sum => "sum",
        }
    }
}

/// Folds the windows of every column; `-o` and `--plot` write files whatever is printed.
///
/// # Errors
/// A window of no rows or one that cannot hold what it needs, a file or column that cannot be used, a device or output that
/// cannot be used.
pub fn run(arguments: &RollingArgs, session: &Session) -> Result<(), CliError> {
    let rolling = Rolling { min_periods: arguments.min_periods, ..Rolling::new(arguments.window) };
    rolling.check()?;
    let prices = arguments.series.read()?;
    arguments.series.prepare()?;
    let (needed, rows) = (arguments.min_periods.unwrap_or(arguments.window), prices.rows());
    let figures = session.run(1, |device, progress| {
        progress.say("rolling");
        if needed > rows {
            progress.note(&format!(
                "warning: a window needs {needed} values and there are {rows} rows: no row has a result"
            ));
        }
        Ok(match arguments.stat {
            StatArg::Mean => rolling.mean(device, &prices)?,
            StatArg::Std => rolling.std(device, &prices)?,
            StatArg::Var => rolling.var(device, &prices)?,
            StatArg::Min => rolling.min(device, &prices)?,
            StatArg::Max => rolling.max(device, &prices)?,
            StatArg::Sum => rolling.sum(device, &prices)?,
        })
    })?;
    let answer = SeriesAnswer { figures };
    let title = format!("Rolling {} of {} rows", arguments.stat.name(), arguments.window);
    let draw = || series::picture(&answer.figures, &title, arguments.stat.name());
    arguments.series.finish(session, &answer, draw)
}
