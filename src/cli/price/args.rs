//! Flags of `cubefold price`, and the instrument, model and engine that they say.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cubefold_finance::{
    Asset, Barrier, Basket, Correlation, Direction, Dynamics, Fixings, Instrument, Knock, Model, Monitoring,
    MonteCarlo, Payoff, Style,
};

use super::super::error::CliError;
use super::correlation;

/// Flags of `cubefold price`.
#[derive(Debug, Clone, Args)]
pub struct PriceArgs {
    /// Price of the underlying today
    #[arg(long, value_name = "NUMBER", default_value_t = 100.0, allow_hyphen_values = true)]
    spot: f64,
    /// Price at which the option is exercised
    #[arg(long, value_name = "NUMBER", default_value_t = 100.0, allow_hyphen_values = true)]
    strike: f64,
    /// Riskless rate a year, continuously compounded
    #[arg(long, value_name = "NUMBER", default_value_t = 0.05, allow_hyphen_values = true)]
    rate: f64,
    /// Dividend yield a year, continuously compounded
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_hyphen_values = true)]
    dividend: f64,
    /// Volatility a year; of Heston's model the one today
    #[arg(long, value_name = "NUMBER", default_value_t = 0.2, allow_hyphen_values = true)]
    vol: f64,
    /// Years until the option expires
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, allow_hyphen_values = true)]
    expiry: f64,
    /// Right to buy or to sell
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = StyleArg::Call)]
    style: StyleArg,
    /// Simulated paths; with a tolerance the most
    #[arg(long, value_name = "COUNT", default_value_t = 20_000_000, allow_hyphen_values = true)]
    pub paths: u64,
    /// Key of the random numbers
    #[arg(long, value_name = "KEY", default_value_t = 42, allow_hyphen_values = true)]
    pub seed: u64,
    /// What the option pays
    #[arg(long, value_enum, value_name = "PAYOFF", default_value_t = PayoffArg::European)]
    pub payoff: PayoffArg,
    /// Prices of an average, or dates of a lookback: equally spaced, the last at expiry [default: 50 for an average]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    fixings: Option<u32>,
    /// Level that brings a barrier option into being or ends it
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    barrier: Option<f64>,
    /// Paid when a barrier option ends, or at expiry if it never began [default: 0]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    rebate: Option<f64>,
    /// When a barrier or the farthest price is looked at: continuous, or at so many equally spaced dates [default: continuous]
    #[arg(long, value_name = "DATES", value_parser = parse_monitoring)]
    monitoring: Option<Monitoring>,
    /// Prices today of a basket's assets
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    spots: Option<Vec<f64>>,
    /// Their volatilities [default: --vol for each]
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    vols: Option<Vec<f64>>,
    /// Their dividend yields [default: --dividend for each]
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    dividends: Option<Vec<f64>>,
    /// Correlation of their log prices: one number for every two, or a CSV file of a matrix without a header [default: 0]
    #[arg(long, value_name = "NUMBER|FILE", allow_hyphen_values = true)]
    correlation: Option<String>,
    /// How prices move
    #[arg(long, value_enum, value_name = "MODEL", default_value_t = ModelArg::Gbm)]
    model: ModelArg,
    /// Merton: jumps a year [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    jump_intensity: Option<f64>,
    /// Merton: mean of a jump of the log price [default: -0.1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    jump_mean: Option<f64>,
    /// Merton: standard deviation of a jump of the log price [default: 0.15]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    jump_vol: Option<f64>,
    /// Heston: speed at which the variance reverts, a year [default: 2]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    kappa: Option<f64>,
    /// Heston: variance in the long run [default: 0.04]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    theta: Option<f64>,
    /// Heston: volatility of the variance [default: 0.3]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    xi: Option<f64>,
    /// Heston: correlation of price and variance [default: -0.7]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    rho: Option<f64>,
    /// Draw every path twice, the second time with its random numbers negated
    #[arg(long)]
    antithetic: bool,
    /// Take off what a quantity of known mean is off by
    #[arg(long)]
    control: bool,
    /// Draw scrambled Sobol points in place of random numbers
    #[arg(long)]
    sobol: bool,
    /// Estimate delta, gamma, vega, rho and theta, too
    #[arg(long)]
    greeks: bool,
    /// Stop once the standard error is no larger
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Price an option for each row of this CSV: columns strike and expiry, and style (call or put) if there is one
    #[arg(long, value_name = "FILE.csv")]
    pub grid: Option<PathBuf>,
    /// Draw the convergence with its error band into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Write price.json, price.csv and price.svg (the convergence) into this directory
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Right to buy or to sell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StyleArg {
    Call,
    Put,
}

impl From<StyleArg> for Style {
    fn from(style: StyleArg) -> Self {
        match style {
            StyleArg::Call => Style::Call,
            StyleArg::Put => Style::Put,
        }
    }
}

/// What the option pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PayoffArg {
    /// What the price at expiry is above the strike (below it for a put)
    European,
    /// 1 where it is
    CashDigital,
    /// The asset where it is
    AssetDigital,
    /// On the mean of the fixings
    AsianArithmetic,
    /// On their geometric mean
    AsianGeometric,
    /// European, from when the price has risen to the barrier
    BarrierUpIn,
    /// European, until the price has risen to the barrier
    BarrierUpOut,
    /// European, from when the price has fallen to the barrier
    BarrierDownIn,
    /// European, until the price has fallen to the barrier
    BarrierDownOut,
    /// On the highest price (the lowest for a put)
    LookbackFixed,
    /// The price at expiry less the lowest (the highest less it for a put)
    LookbackFloating,
    /// On the largest of several prices
    BasketMax,
    /// On the smallest
    BasketMin,
    /// On their mean
    BasketAverage,
}

/// How prices move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelArg {
    /// Geometric Brownian motion
    Gbm,
    /// With jumps
    Merton,
    /// With a variance of its own
    Heston,
}

/// `continuous`, or a number of dates.
fn parse_monitoring(text: &str) -> Result<Monitoring, String> {
    match text {
        "continuous" => Ok(Monitoring::Continuous),
        _ => text.parse().map(Monitoring::Dates).map_err(|_| "continuous or a number of dates is needed".to_owned()),
    }
}

/// Fixings of an average that says nothing of them.
const FIXINGS: u32 = 50;

impl PriceArgs {
    /// What is paid.
    ///
    /// # Errors
    /// [`CliError::Needs`] for a barrier option without a barrier, [`CliError::NotFor`] for a flag that the payoff has no use for.
    pub fn instrument(&self) -> Result<Instrument, CliError> {
        let payoff = self.kind()?;
        Ok(Instrument { payoff, style: self.style.into(), strike: self.strike, expiry: self.expiry })
    }

    fn kind(&self) -> Result<Payoff, CliError> {
        use PayoffArg as P;
        let average = matches!(self.payoff, P::AsianArithmetic | P::AsianGeometric);
        let lookback = matches!(self.payoff, P::LookbackFixed | P::LookbackFloating);
        let barrier = matches!(self.payoff, P::BarrierUpIn | P::BarrierUpOut | P::BarrierDownIn | P::BarrierDownOut);
        self.only(average || lookback, "--fixings", self.fixings.is_some())?;
        self.only(barrier || lookback, "--monitoring", self.monitoring.is_some())?;
        self.only(barrier, "--barrier", self.barrier.is_some())?;
        self.only(barrier, "--rebate", self.rebate.is_some())?;
        if self.fixings.is_some() && self.monitoring.is_some() {
            return Err(CliError::NotFor { flag: "--fixings", with: "--monitoring".to_owned() });
        }
        let fixings = Fixings::Equal(self.fixings.unwrap_or(FIXINGS));
        let dates = self.fixings.map(Monitoring::Dates).or(self.monitoring).unwrap_or(Monitoring::Continuous);
        let knocked = |direction, knock| match self.barrier {
            None => Err(CliError::Needs { what: name(self.payoff), flag: "--barrier" }),
            Some(level) => {
                let rebate = self.rebate.unwrap_or(0.0);
                Ok(Payoff::Barrier(Barrier { direction, knock, level, rebate, monitoring: dates }))
            }
        };
        Ok(match self.payoff {
            P::European => Payoff::European,
            P::CashDigital => Payoff::CashDigital,
            P::AssetDigital => Payoff::AssetDigital,
            P::AsianArithmetic => Payoff::AsianArithmetic(fixings),
            P::AsianGeometric => Payoff::AsianGeometric(fixings),
            P::BarrierUpIn => knocked(Direction::Up, Knock::In)?,
            P::BarrierUpOut => knocked(Direction::Up, Knock::Out)?,
            P::BarrierDownIn => knocked(Direction::Down, Knock::In)?,
            P::BarrierDownOut => knocked(Direction::Down, Knock::Out)?,
            P::LookbackFixed => Payoff::LookbackFixed(dates),
            P::LookbackFloating => Payoff::LookbackFloating(dates),
            P::BasketMax => Payoff::Basket(Basket::Maximum),
            P::BasketMin => Payoff::Basket(Basket::Minimum),
            P::BasketAverage => Payoff::Basket(Basket::Average),
        })
    }

    /// A flag that is given must be of use.
    fn only(&self, useful: bool, flag: &'static str, given: bool) -> Result<(), CliError> {
        match given && !useful {
            true => Err(CliError::NotFor { flag, with: format!("--payoff {}", name(self.payoff)) }),
            false => Ok(()),
        }
    }

    /// How prices move.
    ///
    /// # Errors
    /// As [`instrument`](Self::instrument), and [`CliError::ListLength`] for lists of other lengths than that of the spots; what is
    /// wrong with a file of correlations.
    pub fn model(&self) -> Result<Model, CliError> {
        let basket = matches!(self.payoff, PayoffArg::BasketMax | PayoffArg::BasketMin | PayoffArg::BasketAverage);
        for (flag, given) in [
            ("--spots", self.spots.is_some()),
            ("--vols", self.vols.is_some()),
            ("--dividends", self.dividends.is_some()),
            ("--correlation", self.correlation.is_some()),
        ] {
            self.only(basket, flag, given)?;
        }
        let spots = match (&self.spots, basket) {
            (Some(spots), _) => spots.clone(),
            (None, false) => vec![self.spot],
            (None, true) => return Err(CliError::Needs { what: name(self.payoff), flag: "--spots" }),
        };
        let each = |flag, list: &Option<Vec<f64>>, alike: f64| match list {
            None => Ok(vec![alike; spots.len()]),
            Some(list) if list.len() == spots.len() => Ok(list.clone()),
            Some(list) => Err(CliError::ListLength { flag, given: list.len(), spots: spots.len() }),
        };
        let vols = each("--vols", &self.vols, self.vol)?;
        let dividends = each("--dividends", &self.dividends, self.dividend)?;
        let assets = spots.iter().zip(vols).zip(dividends);
        let correlation = match &self.correlation {
            None => Correlation::Uniform(0.0),
            Some(text) => match text.parse() {
                Ok(number) => Correlation::Uniform(number),
                Err(_) => Correlation::Matrix(correlation::read(text)?),
            },
        };
        Ok(Model {
            rate: self.rate,
            assets: assets.map(|((&spot, vol), dividend)| Asset { spot, dividend, vol }).collect(),
            correlation,
            dynamics: self.dynamics()?,
        })
    }

    fn dynamics(&self) -> Result<Dynamics, CliError> {
        let merton =
            [("--jump-intensity", self.jump_intensity), ("--jump-mean", self.jump_mean), ("--jump-vol", self.jump_vol)];
        let heston = [("--kappa", self.kappa), ("--theta", self.theta), ("--xi", self.xi), ("--rho", self.rho)];
        let (used, model) = match self.model {
            ModelArg::Gbm => ([false, false], "gbm"),
            ModelArg::Merton => ([true, false], "merton"),
            ModelArg::Heston => ([false, true], "heston"),
        };
        for (flags, used) in [(&merton[..], used[0]), (&heston[..], used[1])] {
            for (flag, given) in flags {
                if given.is_some() && !used {
                    return Err(CliError::NotFor { flag, with: format!("--model {model}") });
                }
            }
        }
        Ok(match self.model {
            ModelArg::Gbm => Dynamics::Gbm,
            ModelArg::Merton => Dynamics::Merton {
                intensity: self.jump_intensity.unwrap_or(1.0),
                mean: self.jump_mean.unwrap_or(-0.1),
                vol: self.jump_vol.unwrap_or(0.15),
            },
            ModelArg::Heston => Dynamics::Heston {
                reversion: self.kappa.unwrap_or(2.0),
                variance: self.theta.unwrap_or(0.04),
                vol: self.xi.unwrap_or(0.3),
                correlation: self.rho.unwrap_or(-0.7),
            },
        })
    }

    /// How paths are drawn.
    pub fn engine(&self) -> MonteCarlo {
        MonteCarlo {
            paths: self.paths,
            seed: self.seed,
            antithetic: self.antithetic,
            control: self.control,
            sobol: self.sobol,
            greeks: self.greeks,
            tolerance: self.tolerance,
        }
    }
}

/// The payoff as the command line says it.
fn name(payoff: PayoffArg) -> String {
    payoff.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
