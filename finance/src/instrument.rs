//! What an option pays, and when: the contract alone, without a market or a way to price it.

use crate::error::{FinanceError, at_least_one, finite, not_negative, positive};
use crate::european::Style;

/// An option. `S` is the price of its asset, `φ` is 1 for a call and −1 for a put.
#[derive(Debug, Clone, PartialEq)]
pub struct Instrument {
    /// What is paid at expiry.
    pub payoff: Payoff,
    /// Call or put.
    pub style: Style,
    /// Price agreed on, `K ≥ 0`; not used by floating lookbacks.
    pub strike: f64,
    /// Time to expiry `T ≥ 0` in years.
    pub expiry: f64,
}

/// What an [`Instrument`] pays at expiry.
#[derive(Debug, Clone, PartialEq)]
pub enum Payoff {
    /// `max(φ(S_T − K), 0)`.
    European,
    /// 1 where `φ(S_T − K) > 0`.
    CashDigital,
    /// `S_T` where `φ(S_T − K) > 0`.
    AssetDigital,
    /// `max(φ(A − K), 0)`, `A` the mean of the fixings.
    AsianArithmetic(Fixings),
    /// `max(φ(G − K), 0)`, `G` the geometric mean of the fixings.
    AsianGeometric(Fixings),
    /// The European payoff, if the price has reached a level, or if it has not.
    Barrier(Barrier),
    /// `max(φ(X − K), 0)`, `X` the highest price for a call and the lowest for a put.
    LookbackFixed(Monitoring),
    /// `S_T − lowest` for a call, `highest − S_T` for a put.
    LookbackFloating(Monitoring),
    /// `max(φ(B − K), 0)`, `B` made of the prices of several assets at expiry.
    Basket(Basket),
}

/// When an average is taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Fixings {
    /// So many, equally spaced, the last at expiry.
    Equal(u32),
    /// At times of one's own.
    Listed {
        /// Prices already fixed; they count as much as the others.
        past: Vec<f64>,
        /// Years from now, in increasing order, none after the expiry.
        times: Vec<f64>,
    },
}

/// A level that brings an option into being or ends it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Barrier {
    /// From where the level is reached.
    pub direction: Direction,
    /// What happens then.
    pub knock: Knock,
    /// The level, above 0. Where the spot is there or beyond, it has been reached.
    pub level: f64,
    /// Paid at once when the option ends, or at expiry if it never began; 0 or more.
    pub rebate: f64,
    /// When the price is looked at.
    pub monitoring: Monitoring,
}

/// From where a level is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From below.
    Up,
    /// From above.
    Down,
}

/// What happens when the price reaches the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knock {
    /// The option begins.
    In,
    /// The option ends.
    Out,
}

/// When the price is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Monitoring {
    /// Always, from now on.
    Continuous,
    /// At so many dates, equally spaced, the last at expiry; not now.
    Dates(u32),
}

/// What is made of the prices of several assets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basket {
    /// The largest.
    Maximum,
    /// The smallest.
    Minimum,
    /// The mean.
    Average,
}

impl Instrument {
    /// Accepts what has a payoff.
    ///
    /// # Errors
    /// [`FinanceError::Negative`] or [`FinanceError::NotFinite`] for a strike, expiry, rebate or past fixing;
    /// [`FinanceError::OutOfRange`] for a barrier of 0 or less and for listed times that decrease or lie outside of the option's
    /// life; [`FinanceError::Zero`] for no fixings or dates.
    pub fn check(&self) -> Result<(), FinanceError> {
        not_negative("strike", self.strike)?;
        not_negative("expiry", self.expiry)?;
        match &self.payoff {
            Payoff::European | Payoff::CashDigital | Payoff::AssetDigital | Payoff::Basket(_) => Ok(()),
            Payoff::AsianArithmetic(fixings) | Payoff::AsianGeometric(fixings) => fixings.check(self.expiry),
            Payoff::LookbackFixed(monitoring) | Payoff::LookbackFloating(monitoring) => monitoring.check(),
            Payoff::Barrier(barrier) => {
                positive("barrier", barrier.level)?;
                not_negative("rebate", barrier.rebate)?;
                barrier.monitoring.check()
            }
        }
    }

    /// 1 for a call, −1 for a put.
    pub(crate) fn sign(&self) -> f64 {
        match self.style {
            Style::Call => 1.0,
            Style::Put => -1.0,
        }
    }
}

impl Fixings {
    fn check(&self, expiry: f64) -> Result<(), FinanceError> {
        match self {
            Fixings::Equal(count) => at_least_one("fixings", u64::from(*count)),
            Fixings::Listed { past, times } => {
                at_least_one("fixings", (past.len() + times.len()) as u64)?;
                past.iter().try_for_each(|&price| not_negative("a past fixing", price))?;
                let mut before = 0.0;
                for &time in times {
                    finite("the time of a fixing", time)?;
                    if !(before..=expiry).contains(&time) {
                        let range = "from now to the expiry, and not before the one in front of it";
                        return Err(FinanceError::OutOfRange { name: "the time of a fixing", value: time, range });
                    }
                    before = time;
                }
                Ok(())
            }
        }
    }

    /// The times that are still to come, in years.
    pub(crate) fn times(&self, expiry: f64) -> Vec<f64> {
        match self {
            Fixings::Equal(count) => equal(*count, expiry),
            Fixings::Listed { times, .. } => times.clone(),
        }
    }

    /// The prices already fixed.
    pub(crate) fn past(&self) -> &[f64] {
        match self {
            Fixings::Equal(_) => &[],
            Fixings::Listed { past, .. } => past,
        }
    }
}

impl Monitoring {
    fn check(self) -> Result<(), FinanceError> {
        match self {
            Monitoring::Continuous => Ok(()),
            Monitoring::Dates(count) => at_least_one("monitoring dates", u64::from(count)),
        }
    }
}

impl Barrier {
    /// 1 for a level above, −1 for one below.
    pub(crate) fn side(&self) -> f64 {
        match self.direction {
            Direction::Up => 1.0,
            Direction::Down => -1.0,
        }
    }

    /// Whether a price is at the level or beyond it.
    pub fn is_reached(&self, price: f64) -> bool {
        self.side() * (price - self.level) >= 0.0
    }
}

/// `count` times, equally spaced, the last at `expiry`.
pub(crate) fn equal(count: u32, expiry: f64) -> Vec<f64> {
    (1..=count).map(|fixing| expiry * f64::from(fixing) / f64::from(count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(payoff: Payoff) -> Instrument {
        Instrument { payoff, style: Style::Call, strike: 100.0, expiry: 1.0 }
    }

    fn listed(past: &[f64], times: &[f64]) -> Instrument {
        with(Payoff::AsianArithmetic(Fixings::Listed { past: past.to_vec(), times: times.to_vec() }))
    }

    #[test]
    fn fixings_lie_in_order_between_now_and_the_expiry() {
        for (past, times) in [(&[][..], &[0.0, 0.5, 0.5, 1.0][..]), (&[90.0], &[]), (&[0.0], &[1.0])] {
            assert!(listed(past, times).check().is_ok(), "{past:?}, {times:?}");
        }
        for (past, times) in [(&[][..], &[0.5, 0.4][..]), (&[], &[1.0 + 1e-9]), (&[], &[-1e-9]), (&[-1.0], &[1.0])] {
            assert!(listed(past, times).check().is_err(), "{past:?}, {times:?}");
        }
        assert!(matches!(listed(&[], &[]).check(), Err(FinanceError::Zero { name: "fixings" })));
        assert_eq!(equal(4, 2.0), [0.5, 1.0, 1.5, 2.0]);
    }

    #[test]
    fn counts_and_levels_are_checked_at_their_edges() {
        let barrier = |level, rebate, dates| {
            let monitoring = Monitoring::Dates(dates);
            let (direction, knock) = (Direction::Down, Knock::Out);
            with(Payoff::Barrier(Barrier { direction, knock, level, rebate, monitoring })).check()
        };
        assert!(barrier(f64::from_bits(1), 0.0, 1).is_ok());
        assert!(matches!(barrier(0.0, 0.0, 1), Err(FinanceError::OutOfRange { name: "barrier", .. })));
        assert!(matches!(barrier(90.0, -1.0, 1), Err(FinanceError::Negative { name: "rebate", .. })));
        assert!(matches!(barrier(90.0, 0.0, 0), Err(FinanceError::Zero { name: "monitoring dates" })));
        assert!(with(Payoff::LookbackFixed(Monitoring::Continuous)).check().is_ok());
        assert!(with(Payoff::AsianGeometric(Fixings::Equal(0))).check().is_err());
    }
}
