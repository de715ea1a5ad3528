//! How prices move: assets, their correlation and the dynamics, under the risk-neutral measure.

use crate::error::{FinanceError, finite, not_negative, positive};

/// An asset and the market it is in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asset {
    /// Price now, `S ≥ 0`.
    pub spot: f64,
    /// Dividend yield `q` a year, continuously compounded.
    pub dividend: f64,
    /// Volatility `σ ≥ 0` of the log price over a year; under Heston's model the one now, `√v₀`.
    pub vol: f64,
}

/// A market of one asset or several.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Riskless rate `r` a year, continuously compounded.
    pub rate: f64,
    /// The assets; all payoffs but baskets are of the first, and take one only.
    pub assets: Vec<Asset>,
    /// Correlation of the assets' log prices.
    pub correlation: Correlation,
    /// How a price moves.
    pub dynamics: Dynamics,
}

/// How the log prices of several assets move together.
#[derive(Debug, Clone, PartialEq)]
pub enum Correlation {
    /// Every two alike.
    Uniform(f64),
    /// A symmetric matrix with ones on its diagonal, row after row.
    Matrix(Vec<Vec<f64>>),
}

/// How a price moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dynamics {
    /// Geometric Brownian motion, `dS/S = (r − q) dt + σ dW`: exact steps.
    Gbm,
    /// With jumps: `dS/S = (r − q − λk) dt + σ dW + (J − 1) dN`, `ln J ~ N(μ, δ²)`, `k = exp(μ + δ²/2) − 1`. Exact steps.
    ///
    /// R. C. Merton, "Option pricing when underlying stock returns are discontinuous", J. Financ. Econ. 3 (1976).
    Merton {
        /// Jumps a year, `λ ≥ 0`.
        intensity: f64,
        /// Mean `μ` of a jump of the log price.
        mean: f64,
        /// Its standard deviation, `δ ≥ 0`.
        vol: f64,
    },
    /// With a variance of its own: `dS/S = (r − q) dt + √v dW`, `dv = κ(θ − v) dt + ξ √v dB`, `dW dB = ρ dt`.
    ///
    /// Steps of 1/64 year or shorter by the quadratic-exponential scheme with martingale correction: L. Andersen, "Simple and
    /// efficient simulation of the Heston stochastic volatility model", J. Comput. Finance 11 (2008).
    Heston {
        /// Speed of reversion, `κ ≥ 0` a year.
        reversion: f64,
        /// Variance in the long run, `θ ≥ 0`.
        variance: f64,
        /// Volatility of the variance, `ξ ≥ 0.001`.
        vol: f64,
        /// Correlation `ρ` of price and variance, from −1 to 1.
        correlation: f64,
    },
}

/// The smallest volatility of a variance: below it f32 loses what `ρ/ξ` multiplies.
const SMALLEST_VOL: f64 = 1e-3;

/// The most jumps expected between two fixings.
pub(crate) const MOST_JUMPS: f64 = 30.0;

impl Model {
    /// One asset that moves by geometric Brownian motion.
    pub fn gbm(spot: f64, rate: f64, dividend: f64, vol: f64) -> Self {
        let assets = vec![Asset { spot, dividend, vol }];
        Model { rate, assets, correlation: Correlation::Uniform(0.0), dynamics: Dynamics::Gbm }
    }

    /// Accepts what can be simulated.
    ///
    /// # Errors
    /// [`FinanceError::Zero`] for no assets, [`FinanceError::NotFinite`], [`FinanceError::Negative`] or
    /// [`FinanceError::OutOfRange`] for a parameter, [`FinanceError::Correlation`] for a matrix that is none.
    pub fn check(&self) -> Result<(), FinanceError> {
        finite("rate", self.rate)?;
        crate::error::at_least_one("assets", self.assets.len() as u64)?;
        for asset in &self.assets {
            not_negative("spot", asset.spot)?;
            not_negative("vol", asset.vol)?;
            finite("dividend", asset.dividend)?;
        }
        self.dynamics.check()?;
        self.cholesky().map(|_| ())
    }

    /// The lower triangle `L` of the correlation, `L·Lᵀ`, row after row, of full length.
    ///
    /// # Errors
    /// [`FinanceError::Correlation`] where there is none: not one row and column an asset, not symmetric, a diagonal other than
    /// 1, or a combination of assets of negative variance.
    pub(crate) fn cholesky(&self) -> Result<Vec<Vec<f64>>, FinanceError> {
        let assets = self.assets.len();
        let entry = |row: usize, column: usize| match &self.correlation {
            Correlation::Uniform(_) if row == column => 1.0,
            Correlation::Uniform(all) => *all,
            Correlation::Matrix(rows) => rows[row][column],
        };
        if let Correlation::Matrix(rows) = &self.correlation {
            let shape = rows.len() == assets && rows.iter().all(|row| row.len() == assets);
            if !shape {
                return Err(FinanceError::Correlation { what: "does not have one row and one column an asset" });
            }
        }
        let mut lower = vec![vec![0.0; assets]; assets];
        for row in 0..assets {
            for column in 0..=row {
                let (here, across) = (entry(row, column), entry(column, row));
                // A NaN is no correlation either.
                if !((here - across).abs() <= SYMMETRY && here.abs() <= 1.0) || (row == column && here != 1.0) {
                    let what = "is not symmetric with a diagonal of ones and the rest from -1 to 1";
                    return Err(FinanceError::Correlation { what });
                }
                let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
                let rest = here - known;
                lower[row][column] = match row == column {
                    true if rest < -SINGULAR => {
                        return Err(FinanceError::Correlation { what: "gives some combination a negative variance" });
                    }
                    true => rest.max(0.0).sqrt(),
                    false if lower[column][column] > SINGULAR.sqrt() => rest / lower[column][column],
                    // The column's asset moves as those before it do: nothing of its own is left to share.
                    false if rest.abs() > SINGULAR.sqrt() => {
                        return Err(FinanceError::Correlation { what: "gives some combination a negative variance" });
                    }
                    false => 0.0,
                };
            }
        }
        Ok(lower)
    }
}

/// By how much two correlations of the same assets may differ, from rounding in a file.
const SYMMETRY: f64 = 1e-9;
/// A variance that is 0 but for rounding.
const SINGULAR: f64 = 1e-12;

impl Dynamics {
    fn check(&self) -> Result<(), FinanceError> {
        match *self {
            Dynamics::Gbm => Ok(()),
            Dynamics::Merton { intensity, mean, vol } => {
                not_negative("the jumps' intensity", intensity)?;
                finite("the jumps' mean", mean)?;
                not_negative("the jumps' volatility", vol)?;
                finite("the mean jump exp(mean + vol^2 / 2)", (mean + vol * vol / 2.0).exp())
            }
            Dynamics::Heston { reversion, variance, vol, correlation } => {
                not_negative("the variance's reversion", reversion)?;
                not_negative("the variance in the long run", variance)?;
                positive("the variance's volatility", vol)?;
                finite("the correlation of price and variance", correlation)?;
                if vol < SMALLEST_VOL {
                    let name = "the variance's volatility";
                    return Err(FinanceError::OutOfRange { name, value: vol, range: "at least 0.001" });
                }
                match correlation.abs() <= 1.0 {
                    true => Ok(()),
                    false => Err(FinanceError::OutOfRange {
                        name: "the correlation of price and variance",
                        value: correlation,
                        range: "from -1 to 1",
                    }),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assets(count: usize, correlation: Correlation) -> Model {
        let asset = Asset { spot: 100.0, dividend: 0.0, vol: 0.2 };
        Model { rate: 0.05, assets: vec![asset; count], correlation, dynamics: Dynamics::Gbm }
    }

    #[test]
    fn the_triangle_times_its_transpose_is_the_correlation() {
        let rows = vec![vec![1.0, 0.5, -0.2], vec![0.5, 1.0, 0.3], vec![-0.2, 0.3, 1.0]];
        let lower = assets(3, Correlation::Matrix(rows.clone())).cholesky().unwrap();
        for (row, expected) in rows.iter().enumerate() {
            for (column, expected) in expected.iter().enumerate() {
                let found: f64 = (0..3).map(|k| lower[row][k] * lower[column][k]).sum();
                assert!((found - expected).abs() < 1e-15, "{row}, {column}: {found}");
            }
        }
    }

    #[test]
    fn what_is_no_correlation_is_refused() {
        for uniform in [-0.5, 0.0, 1.0] {
            assert!(assets(3, Correlation::Uniform(uniform)).check().is_ok(), "{uniform}");
        }
        assert!(assets(2, Correlation::Uniform(-1.0)).check().is_ok());
        let refused = [
            Correlation::Uniform(-0.501),
            Correlation::Uniform(1.1),
            Correlation::Uniform(f64::NAN),
            Correlation::Matrix(vec![vec![1.0; 3]; 2]),
            Correlation::Matrix(vec![vec![1.0, 0.2, 0.0], vec![0.3, 1.0, 0.0], vec![0.0, 0.0, 1.0]]),
            Correlation::Matrix(vec![vec![1.0, 0.0, 0.0], vec![0.0, 0.9, 0.0], vec![0.0, 0.0, 1.0]]),
            Correlation::Matrix(vec![vec![1.0, 1.0, 0.0], vec![1.0, 1.0, 0.5], vec![0.0, 0.5, 1.0]]),
        ];
        for correlation in refused {
            let model = assets(3, correlation);
            assert!(matches!(model.check(), Err(FinanceError::Correlation { .. })), "{model:?}");
        }
    }

    #[test]
    fn parameters_are_accepted_up_to_their_edges() {
        let heston = |vol, correlation| {
            let dynamics = Dynamics::Heston { reversion: 0.0, variance: 0.0, vol, correlation };
            Model { dynamics, ..Model::gbm(100.0, 0.0, 0.0, 0.2) }.check()
        };
        assert!(heston(0.001, 1.0).is_ok() && heston(0.5, -1.0).is_ok());
        assert!(heston(0.000_999, 0.0).is_err() && heston(0.5, 1.000_001).is_err() && heston(0.0, 0.0).is_err());
        let merton = |intensity, mean, vol| {
            let dynamics = Dynamics::Merton { intensity, mean, vol };
            Model { dynamics, ..Model::gbm(100.0, 0.0, 0.0, 0.2) }.check()
        };
        assert!(merton(0.0, 0.0, 0.0).is_ok());
        assert!(
            merton(-1e-9, 0.0, 0.0).is_err() && merton(1.0, 800.0, 0.0).is_err() && merton(1.0, 0.0, -1.0).is_err()
        );
    }
}
