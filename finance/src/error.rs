//! What the finance layer refuses, with the numbers that were wrong and what to give instead.

use thiserror::Error;

use crate::data::DataError;

/// A mistake in the input of a job, or a failure below it.
///
/// Every message is one line: what was given, then what is accepted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FinanceError {
    /// A quantity that cannot be below zero (spot, strike, vol, expiry, a share of the mix) is.
    #[error("{name} is {value}; it must be 0 or more")]
    Negative {
        /// The quantity.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// A number is NaN or infinite, or leads to one (a discount factor that overflows).
    #[error("{name} is {value}; it must be a finite number")]
    NotFinite {
        /// The quantity.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// A number lies outside its range.
    #[error("{name} is {value}; it must be {range}")]
    OutOfRange {
        /// The quantity.
        name: &'static str,
        /// What was given.
        value: f64,
        /// The range in words that follow "it must be".
        range: &'static str,
    },
    /// A number is finite, but would overflow the f32 arithmetic of the devices.
    #[error("{name} is {value}; its magnitude must be at most {limit}")]
    TooLarge {
        /// The quantity.
        name: &'static str,
        /// What was given.
        value: f64,
        /// The largest magnitude that is accepted.
        limit: f64,
    },
    /// A number of things (paths, agents, portfolios) is zero.
    #[error("the number of {name} is 0; it must be at least 1")]
    Zero {
        /// What there are none of.
        name: &'static str,
    },
    /// The shares of the three kinds of agents do not sum to one.
    #[error("the mix sums to {sum}; its three shares must sum to 1 within 1e-6")]
    MixSum {
        /// The sum of the shares given.
        sum: f64,
    },
    /// There are not enough return rows for the divisor n − ddof.
    #[error("ddof is {ddof} and there are {periods} periods of returns; ddof must be below the number of periods")]
    DdofTooLarge {
        /// The degrees of freedom taken off the divisor.
        ddof: u32,
        /// The return rows there are.
        periods: usize,
    },
    /// A matrix of correlations that is none.
    #[error("the correlation {what}; give a symmetric matrix of full rank or one number")]
    Correlation {
        /// What is wrong with it.
        what: &'static str,
    },
    /// Not as many assets as the payoff is of.
    #[error("there are {given} assets; {payoff} is of {needed}")]
    AssetCount {
        /// Assets given.
        given: usize,
        /// What is paid.
        payoff: &'static str,
        /// How many it takes.
        needed: &'static str,
    },
    /// An odd number of paths that come in pairs.
    #[error("antithetic paths come in pairs, and {paths} is odd; give an even number of paths")]
    OddPaths {
        /// The paths asked for.
        paths: u64,
    },
    /// Paths of more steps than a device's loops have rounds.
    #[error(
        "paths of {rounds} steps a unit are too long for the device, whose loops end after {limit}; take fewer dates or --device host"
    )]
    TooManySteps {
        /// Steps that a unit would take.
        rounds: u64,
        /// The most that it can.
        limit: u32,
    },
    /// Two options that exclude each other.
    #[error("{what} and {with} do not go together; leave one of them out")]
    Combination {
        /// The one.
        what: &'static str,
        /// The other.
        with: &'static str,
    },
    /// The largest ratio would be below 0, where more risk makes it better.
    #[error(
        "no portfolio returns more than the riskless rate {rf}: the best returns {best} a year; ask for the least volatility \
         alone (--min-volatility), or give a smaller rate"
    )]
    NothingAboveRate {
        /// The riskless rate a year.
        rf: f64,
        /// The largest return within the bounds.
        best: f64,
    },
    /// A quadratic program that its solver gave up.
    #[error("the exact portfolio of {problem} was not found; check that means and covariances have one scale")]
    NotSolved {
        /// What was asked for.
        problem: &'static str,
    },
    /// A table that holds no bounds.
    #[error("{file} has no bounds; give the columns asset, lower, upper")]
    BoundColumns {
        /// The table's source.
        file: String,
    },
    /// A bound of an asset that there is none of.
    #[error("there is no asset {asset:?} to give a bound; take its name from the header of the prices")]
    BoundUnknown {
        /// The name in the bounds.
        asset: String,
    },
    /// Two bounds of one asset.
    #[error("asset {asset:?} has two bounds; leave one of them out")]
    BoundTwice {
        /// The asset.
        asset: String,
    },
    /// A lower bound above the upper one.
    #[error("the bounds of {asset:?} are {lower} and {upper}; the lower one must not be above the upper one")]
    BoundOrder {
        /// The asset.
        asset: String,
        /// The least weight.
        lower: f64,
        /// The largest.
        upper: f64,
    },
    /// A bound below 0 where nothing may be owed.
    #[error("the lower bound of {asset:?} is {lower}; weights below 0 need short = true (--short)")]
    BoundShort {
        /// The asset.
        asset: String,
        /// The least weight.
        lower: f64,
    },
    /// Bounds that no portfolio lies within.
    #[error("the {which} bounds of all assets sum to {sum}; weights sum to 1, so that it must be {needed}")]
    BoundSum {
        /// Which of the two.
        which: &'static str,
        /// Their sum.
        sum: f64,
        /// What it must be.
        needed: &'static str,
    },
    /// Not one weight a row.
    #[error("there are {weights} weights for {rows} rows; give one a row")]
    WeightCount {
        /// Weights given.
        weights: usize,
        /// Rows of returns.
        rows: usize,
    },
    /// Weights that leave a divisor of 0 or less.
    #[error("the weights leave nothing to divide by with ddof {ddof}; give larger ones, or a smaller ddof")]
    WeightsTooSmall {
        /// The degrees of freedom taken off the divisor.
        ddof: u32,
    },
    /// Neither one decay for all columns nor one for each.
    #[error("{given} decays for {columns} columns; give one, or one a column")]
    DecayCount {
        /// Decays given.
        given: usize,
        /// Columns to smooth.
        columns: usize,
    },
    /// Weights that are divided by their sum leave nothing to start from.
    #[error("adjusted weights start at the first value; a start at zero or at a simple mean needs adjust = false")]
    AdjustedStart,
    /// A sum that decays is defined for adjusted weights only.
    #[error("a weighted sum needs adjust = true; take the mean for the recurrence")]
    RecursiveSum,
    /// Rows at times of their own decay by a half-life in the unit of the times.
    #[error("rows with times need a half-life; give one in the unit of the times")]
    TimesWithoutHalfLife,
    /// A series with times has no step before its first row in which a zero could fade.
    #[error("rows with times cannot start at zero; start at the first value")]
    TimesFromZero,
    /// Not one time a row.
    #[error("there are {times} times for {rows} rows; give one a row")]
    TimesCount {
        /// Times given.
        times: usize,
        /// Rows of the table.
        rows: usize,
    },
    /// Time goes backwards.
    #[error("{file}: line {line} is earlier than the row before it; sort the rows by time")]
    TimesDecrease {
        /// The table's source.
        file: String,
        /// The line of the earlier row, from 1.
        line: usize,
    },
    /// Two tables that should have one shape have two.
    #[error("the tables are {} by {} and {} by {}; give two of one shape", left.0, left.1, right.0, right.1)]
    Shapes {
        /// Rows and columns of the one.
        left: (usize, usize),
        /// Rows and columns of the other.
        right: (usize, usize),
    },
    /// A demand that its fixed point has no room for.
    #[error("a demand at step {step} does not fit into 31 bits with {bits} after the point; give fewer, or none")]
    DemandOverflow {
        /// The step.
        step: u32,
        /// Binary digits after the point.
        bits: i32,
    },
    /// A path of the fundamental value that ends before the market does.
    #[error("the path of the fundamental value has {given} rows; the steps need {needed}, one a price")]
    PathLength {
        /// Rows there are.
        given: u64,
        /// Rows that are needed.
        needed: u64,
    },
    /// Text that names no parameter of a market.
    #[error(
        "{text:?} is no parameter; vary mix.fundamental, mix.trend, mix.noise, strength.fundamental, strength.trend, \
             strength.noise, lag, lambda, log-fundamental, initial-log-price or seed"
    )]
    NoParameter {
        /// What was given.
        text: String,
    },
    /// Text that is no axis of an ensemble.
    #[error("{text:?} is no axis; write PARAMETER=LOW:HIGH:COUNT, with the ends included")]
    NoAxis {
        /// What was given.
        text: String,
    },
    /// Not one or two axes.
    #[error("{given} axes; vary one parameter or two different ones")]
    AxisCount {
        /// Axes given.
        given: usize,
    },
    /// More markets than are run at once.
    #[error("{markets} markets; an ensemble has 1 to {limit}")]
    MarketCount {
        /// Markets asked for.
        markets: u64,
        /// The most.
        limit: u64,
    },
    /// The table of prices is at fault.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A primitive failed: a device that is missing, lost or out of memory.
    #[error(transparent)]
    Primitive(#[from] cubefold_primitives::Error),
}

/// Accepts finite numbers.
pub(crate) fn finite(name: &'static str, value: f64) -> Result<(), FinanceError> {
    match value.is_finite() {
        true => Ok(()),
        false => Err(FinanceError::NotFinite { name, value }),
    }
}

/// Accepts finite numbers from 0 up.
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<(), FinanceError> {
    finite(name, value)?;
    match value < 0.0 {
        true => Err(FinanceError::Negative { name, value }),
        false => Ok(()),
    }
}

/// Accepts finite numbers above 0.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), FinanceError> {
    finite(name, value)?;
    match value > 0.0 {
        true => Ok(()),
        false => Err(FinanceError::OutOfRange { name, value, range: "above 0" }),
    }
}

/// Accepts counts from 1 up.
pub(crate) fn at_least_one(name: &'static str, count: u64) -> Result<(), FinanceError> {
    match count {
        0 => Err(FinanceError::Zero { name }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: f64 = f64::from_bits(1);

    #[test]
    fn validators_accept_up_to_the_edge_and_refuse_the_next_value() {
        type Validator = fn(&'static str, f64) -> Result<(), FinanceError>;
        let table: [(Validator, &[f64], &[f64]); 3] = [
            (finite, &[f64::MAX, f64::MIN, 0.0], &[f64::INFINITY, f64::NEG_INFINITY, f64::NAN]),
            (not_negative, &[0.0, -0.0, f64::MAX], &[-TINY, f64::INFINITY, f64::NAN]),
            (positive, &[TINY, f64::MAX], &[0.0, -0.0, -TINY, f64::INFINITY, f64::NAN]),
        ];
        for (check, accepted, refused) in table {
            for &value in accepted {
                assert!(check("x", value).is_ok(), "{value} must be accepted");
            }
            for &value in refused {
                assert!(check("x", value).is_err(), "{value} must be refused");
            }
        }
        assert!(at_least_one("paths", 1).is_ok());
        assert!(matches!(at_least_one("paths", 0), Err(FinanceError::Zero { name: "paths" })));
    }

    #[test]
    fn every_message_is_one_line_with_its_numbers() {
        let table = [
            (FinanceError::Negative { name: "spot", value: -1.5 }, "spot is -1.5; it must be 0 or more"),
            (FinanceError::NotFinite { name: "vol", value: f64::NAN }, "vol is NaN; it must be a finite number"),
            (
                FinanceError::OutOfRange { name: "span", value: 0.5, range: "at least 1" },
                "span is 0.5; it must be at least 1",
            ),
            (
                FinanceError::TooLarge { name: "lambda", value: 2e9, limit: 1e9 },
                "lambda is 2000000000; its magnitude must be at most 1000000000",
            ),
            (FinanceError::Zero { name: "agents" }, "the number of agents is 0; it must be at least 1"),
            (FinanceError::MixSum { sum: 0.9 }, "the mix sums to 0.9; its three shares must sum to 1 within 1e-6"),
            (
                FinanceError::DdofTooLarge { ddof: 1, periods: 1 },
                "ddof is 1 and there are 1 periods of returns; ddof must be below the number of periods",
            ),
            (
                FinanceError::from(DataError::Empty { file: "p.csv".into() }),
                "p.csv is empty; give a CSV with a header and rows of prices",
            ),
        ];
        for (error, message) in table {
            assert_eq!(error.to_string(), message);
        }
    }
}
