//! Arguments that several subcommands share, and the list of subcommands.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use cubefold::device::KINDS;
use cubefold_finance::data::Returns;

use super::cov::CovArgs;
use super::demo::DemoArgs;
use super::drawdown::DrawdownArgs;
use super::ema::EmaArgs;
use super::frontier::FrontierArgs;
use super::market::MarketArgs;
use super::price::PriceArgs;
use super::rolling::RollingArgs;

/// Lines to start from.
const EXAMPLES: &str = "\
Examples:
  cubefold demo                                  the five jobs on real prices, with a report
  cubefold devices                               what can compute here, and why the rest cannot
  cubefold devices --explain                     what the device is made of, measured, and what that means
  cubefold price --strike 105 --vol 0.25         an option, with its standard error
  cubefold ema --span 20 prices.csv -o ema.csv   a moving average of every column
  cubefold bench all --quick -o out              this machine's own numbers, in out/bench.html
  cubefold completions bash                      a script by which a shell completes these lines";

/// Prices, smooths, estimates and simulates on any GPU or on the host, with the same answers.
#[derive(Debug, Parser)]
#[command(name = "cubefold", version, about, disable_help_subcommand = true, arg_required_else_help = false)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Flags that every subcommand takes.
    #[command(flatten)]
    pub shared: SharedArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every subcommand takes.
#[derive(Debug, Clone, Args)]
pub struct SharedArgs {
    /// auto, host, wgpu, vulkan, cuda, hip, metal, cpu or lavapipe; NAME:1 is the second one
    #[arg(long, global = true, value_name = "NAME", default_value = "auto")]
    #[arg(value_parser = DeviceName, hide_possible_values = true)]
    pub device: String,
    /// How the answer is printed on standard output
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    pub format: Format,
}

/// Takes any text, as a name may be followed by the number of the device; shells complete the names. Whether it is a device's is
/// for the session to say.
#[derive(Debug, Clone)]
struct DeviceName;

impl TypedValueParser for DeviceName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(KINDS.iter().map(|(name, _)| PossibleValue::new(*name))))
    }
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns for people.
    Table,
    /// One object, snake_case, missing values and NaN as null.
    Json,
    /// A header and rows, missing values and NaN empty.
    Csv,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the devices, what is usable and why the rest is not; or explain one
    Devices(DevicesArgs),
    /// Monte-Carlo price of an option of one of 14 payoffs, with its standard error
    Price(Box<PriceArgs>),
    /// Exponentially weighted average, variance or deviation of every price column
    Ema(EmaArgs),
    /// Mean, deviation, variance, extremes or sum of the last rows of every price column
    Rolling(RollingArgs),
    /// Deepest fall of every price: depth, start, trough and recovery
    Drawdown(DrawdownArgs),
    /// Mean and covariance of the returns
    Cov(CovArgs),
    /// Risk, return and Sharpe ratio of many portfolios: the best, and the edge
    Frontier(FrontierArgs),
    /// A market of fundamentalists, trend followers and noise traders
    Market(MarketArgs),
    /// Time one primitive or job over sizes and strategies
    Bench(BenchArgs),
    /// The five jobs on real prices, on the host and on the best device, with a report
    Demo(DemoArgs),
    /// Print a script by which a shell completes the command line
    Completions(CompletionsArgs),
}

/// What is told of devices.
#[derive(Debug, Clone, Args)]
pub struct DevicesArgs {
    /// Tell what the chosen device is, what each strategy needs of it, and measure what it is made of
    #[arg(long)]
    pub explain: bool,
}

/// For which shell.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// What `cubefold bench` measures.
#[derive(Debug, Clone, Args)]
pub struct BenchArgs {
    /// The primitive or job; all for every one, compare for two files of earlier runs
    #[arg(value_enum)]
    pub case: BenchCase,
    /// For compare: bench.json of the earlier and of the later run
    #[arg(value_name = "A.json B.json")]
    pub files: Vec<PathBuf>,
    /// Smaller lengths and fewer calls: a first look, whose figures are rough
    #[arg(long)]
    pub quick: bool,
    /// Only the operators whose name holds this text, in any case
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Time these lengths alone, of one primitive or job: numbers or powers such as 2^20, separated by commas
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = parse_size)]
    pub sizes: Vec<u64>,
    /// Leave out the host's times, and with them the size from which the device is faster
    #[arg(long)]
    pub without_host: bool,
    /// Write bench.json, bench.csv, bench.svg and bench.html into this directory
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// The primitive or job that `cubefold bench` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenchCase {
    /// Fold a whole array.
    Reduce,
    /// Running fold of an array.
    Scan,
    /// Matrix product over a semiring.
    Gemm,
    /// Monte-Carlo mean.
    Mc,
    /// Moving averages of a table, end to end.
    Ema,
    /// Covariance of a table, end to end.
    Cov,
    /// The agent market.
    Market,
    /// Return, risk and ratio of many portfolios.
    Frontier,
    /// Every one of them.
    All,
    /// Two earlier runs, row by row.
    Compare,
}

/// A price file and how its rows become returns.
#[derive(Debug, Clone, Args)]
pub struct ReturnsArgs {
    /// CSV: a header, then one row a date; the first column is the date or index
    #[arg(value_name = "PRICES.csv")]
    pub prices: PathBuf,
    /// How prices become returns; none takes the rows as returns
    #[arg(long, value_enum, value_name = "KIND", default_value_t = ReturnsKind::Simple)]
    pub returns: ReturnsKind,
    /// Periods in a year, by which means and covariances are multiplied
    #[arg(long, value_name = "NUMBER", default_value_t = 252.0, allow_hyphen_values = true)]
    pub periods_per_year: f64,
}

/// How prices become returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReturnsKind {
    /// x_t / x_(t-1) - 1
    Simple,
    /// ln(x_t / x_(t-1))
    Log,
    /// The rows are returns already
    None,
}

impl From<ReturnsKind> for Returns {
    fn from(kind: ReturnsKind) -> Self {
        match kind {
            ReturnsKind::Simple => Returns::Simple,
            ReturnsKind::Log => Returns::Log,
            ReturnsKind::None => Returns::None,
        }
    }
}

/// Why a triple such as `0.4,0.3,0.3` was not understood.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum TripleError {
    /// Too few or too many parts.
    #[error("three numbers separated by commas are needed, {found} found")]
    Count { found: usize },
    /// A part that is no number.
    #[error("\"{text}\" is not a number")]
    Number { text: String },
}

/// Why a size was not understood.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("give a whole number, or a power such as 2^20")]
pub struct SizeError;

/// Parses `1000` or `2^20`.
pub fn parse_size(text: &str) -> Result<u64, SizeError> {
    let size = match text.trim().split_once('^') {
        Some((of, power)) => {
            of.parse::<u64>().ok().zip(power.parse().ok()).and_then(|(of, power)| of.checked_pow(power))
        }
        None => text.trim().parse().ok(),
    };
    size.ok_or(SizeError)
}

/// Parses `fundamentalists,trend followers,noise traders`.
pub fn parse_triple(text: &str) -> Result<[f64; 3], TripleError> {
    let mut numbers = Vec::with_capacity(3);
    for part in text.split(',') {
        let number = part.trim().parse();
        numbers.push(number.map_err(|_| TripleError::Number { text: part.to_owned() })?);
    }
    let found = numbers.len();
    numbers.try_into().map_err(|_| TripleError::Count { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_or_a_power() {
        assert_eq!([parse_size("1000"), parse_size(" 2^20"), parse_size("10^0")], [Ok(1000), Ok(1 << 20), Ok(1)]);
        for wrong in ["", "-1", "1.5", "2^", "2^64", "2^2^2", "many"] {
            assert_eq!(parse_size(wrong), Err(SizeError), "{wrong}");
        }
    }

    #[test]
    fn a_triple_is_exactly_three_numbers() {
        assert_eq!(parse_triple("0.4,0.3, -0.3"), Ok([0.4, 0.3, -0.3]));
        assert_eq!(parse_triple("1,2"), Err(TripleError::Count { found: 2 }));
        assert_eq!(parse_triple("1,2,3,4"), Err(TripleError::Count { found: 4 }));
        assert_eq!(parse_triple("1,,3"), Err(TripleError::Number { text: String::new() }));
        assert_eq!(parse_triple("1,x,3"), Err(TripleError::Number { text: "x".to_owned() }));
    }
}
