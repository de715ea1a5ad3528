//! `cubefold frontier`: many portfolios, the best of them, and the edge.

mod answer;

use std::path::PathBuf;

use clap::Args;
use cubefold_finance::frontier::{exact, read_bounds};
use cubefold_finance::{Frontier, FrontierOptions, Objective, Sampler, Target, frontier};

use super::args::ReturnsArgs;
use super::cov::read_returns;
use super::error::CliError;
use super::output;
use super::session::Session;
use crate::report;
use crate::report::table::grouped;
use answer::FrontierAnswer;

/// Flags of `cubefold frontier`.
#[derive(Debug, Clone, Args)]
pub struct FrontierArgs {
    /// Portfolios evaluated in all rounds together
    #[arg(long, value_name = "COUNT", default_value_t = 50_000, allow_hyphen_values = true)]
    portfolios: u32,
    /// Riskless return a year
    #[arg(long, value_name = "NUMBER", default_value_t = 0.02, allow_hyphen_values = true)]
    rf: f64,
    /// How weights are drawn: small A holds few assets, 1 is uniform, large A holds the same of each
    #[arg(long, value_name = "dirichlet:A", default_value = "dirichlet:0.5", value_parser = parse_sampler)]
    sampler: Sampler,
    /// Rounds at most: the plain cloud, then others around the best of the round before; 1 is the plain cloud
    #[arg(long, value_name = "N", default_value_t = 8, allow_hyphen_values = true)]
    rounds: u32,
    /// Least and largest weights: a CSV with the columns asset, lower, upper; an empty cell is no bound
    #[arg(long, value_name = "FILE.csv")]
    bounds: Option<PathBuf>,
    /// Allow weights below 0: from -1 to 1, unless they have a bound
    #[arg(long)]
    short: bool,
    /// Points of the edge at most
    #[arg(long, value_name = "N", default_value_t = 20, allow_hyphen_values = true)]
    points: u32,
    /// Look for the least volatility alone, also where nothing returns more than the riskless rate
    #[arg(long)]
    min_volatility: bool,
    /// Also the least volatility at this return a year or more; may be given again
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    target_return: Vec<f64>,
    /// Also the largest return at this volatility a year or less; may be given again
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    target_volatility: Vec<f64>,
    /// Where the returns come from.
    #[command(flatten)]
    returns: ReturnsArgs,
    /// Key of the random numbers
    #[arg(long, value_name = "KEY", default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Write frontier.json, frontier.csv and frontier.svg into this directory
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,
}

impl FrontierArgs {
    fn options(&self) -> Result<FrontierOptions, CliError> {
        let returns = self.target_return.iter().map(|ret| Target::Return(*ret));
        let risks = self.target_volatility.iter().map(|volatility| Target::Volatility(*volatility));
        Ok(FrontierOptions {
            portfolios: self.portfolios,
            rf: self.rf,
            periods_per_year: self.returns.periods_per_year,
            seed: self.seed,
            sampler: self.sampler,
            rounds: self.rounds,
            points: self.points,
            short: self.short,
            bounds: self.bounds.as_deref().map(read_bounds).transpose()?.unwrap_or_default(),
            targets: returns.chain(risks).collect(),
            objective: if self.min_volatility { Objective::MinVolatility } else { Objective::Both },
        })
    }
}

/// Why a sampler was not understood.
#[derive(Debug, PartialEq, thiserror::Error)]
enum SamplerError {
    /// Another name, or none.
    #[error("dirichlet:A is known, with a number for A")]
    Unknown,
    /// A parameter that is no number.
    #[error("\"{text}\" is not a number")]
    Number { text: String },
}

/// Parses `dirichlet:A`.
fn parse_sampler(text: &str) -> Result<Sampler, SamplerError> {
    let alpha = text.strip_prefix("dirichlet:").ok_or(SamplerError::Unknown)?;
    let alpha = alpha.parse().map_err(|_| SamplerError::Number { text: alpha.to_owned() })?;
    Ok(Sampler::Dirichlet { alpha })
}

/// What is to be said of a covariance of which some portfolios have no risk by chance.
fn warning(found: &Frontier) -> Option<String> {
    let (assets, periods) = (found.assets.len(), found.estimate.periods);
    (periods <= assets).then(|| {
        format!(
            "warning: {assets} assets and {periods} returns: the covariance is singular and shows less risk than there is; {} \
             variances below 0 were taken for 0",
            grouped(found.clamped),
        )
    })
}

/// Evaluates the portfolios and, where files are asked for, draws them.
///
/// # Errors
/// A file or number that cannot be used, a device or output that cannot be used.
pub fn run(arguments: &FrontierArgs, session: &Session) -> Result<(), CliError> {
    let options = arguments.options()?;
    let returns = read_returns(&arguments.returns)?;
    options.check_returns(&returns)?;
    let directory = arguments.output.as_deref();
    output::prepare::<FrontierAnswer>(directory)?;
    let (found, exact) = session.run(1, |device, progress| {
        progress.say("evaluating portfolios");
        let found = frontier(device, &returns, &options)?;
        progress.say("solving for the exact frontier");
        let exact = exact(&found, &options)?;
        if let Some(warning) = warning(&found) {
            progress.note(&warning);
        }
        Ok((found, exact))
    })?;
    let picture = match directory {
        Some(_) => report::frontier::draw("Risk and return of portfolios", &found, &exact)?,
        None => String::new(),
    };
    session.finish(&FrontierAnswer::new(&found, &exact), directory, &picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sampler_is_its_name_and_a_number() {
        assert_eq!(parse_sampler("dirichlet:0.5"), Ok(Sampler::Dirichlet { alpha: 0.5 }));
        for text in ["", "dirichlet", "uniform:1", "Dirichlet:1"] {
            assert_eq!(parse_sampler(text), Err(SamplerError::Unknown), "{text}");
        }
        assert_eq!(parse_sampler("dirichlet:x"), Err(SamplerError::Number { text: "x".to_owned() }));
    }
}
