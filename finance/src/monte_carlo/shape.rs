//! What kernels of paths are compiled for.

use std::fmt::Debug;

use super::MonteCarlo;
use crate::error::FinanceError;
use crate::instrument::{Basket, Instrument, Monitoring, Payoff};
use crate::model::{Dynamics, Model};

/// The formulas of a kernel; all numbers are in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// What is paid.
    pub kind: Kind,
    /// How a price moves.
    pub motion: Motion,
    /// What is looked at beside the payoff.
    pub control: Control,
    /// Whether a price is looked at between dates.
    pub continuous: bool,
    /// One step by one normal number, for four paths at a time.
    pub leap: bool,
    /// One scenario, whose weight and sign are 1.
    pub single: bool,
    /// Many options, each in whole blocks.
    pub many: bool,
    /// No item has fewer paths than others.
    pub even: bool,
}

/// What is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// On a weighted sum of prices: European, arithmetic Asian, mean of a basket.
    Mean,
    Geometric,
    Cash,
    Asset,
    /// On the farthest price: lookback, largest or smallest of a basket.
    Fixed,
    Floating,
    Barrier,
}

/// How a price moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Motion {
    Gbm,
    Merton,
    Heston,
    /// Several prices, a step each.
    Basket,
}

/// What is looked at beside the payoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Control {
    Nothing,
    /// The price of the asset, or the mean of a basket's, at the end: exp(x) − 1, whose mean is 0.
    Asset,
    /// The option on the geometric mean beside one on the arithmetic mean.
    Geometric,
}

/// Which shapes the host's code is compiled for; a kernel is compiled for each in any case.
pub(super) trait Compiled: Debug + Clone + Send + Sync + 'static {
    /// The shape, of which the code may know more than it is told.
    fn shape(told: Shape) -> Shape;
}

/// All: what a path does is looked up as it goes.
#[derive(Debug, Clone)]
pub(super) struct Any;

impl Compiled for Any {
    fn shape(told: Shape) -> Shape {
        told
    }
}

/// That of European options without control variates or scenarios: nothing is looked up, and eight or sixteen paths go abreast.
#[derive(Debug, Clone)]
pub(super) struct Plain;

impl Plain {
    /// The one shape.
    pub const SHAPE: Shape = Shape {
        kind: Kind::Mean,
        motion: Motion::Gbm,
        control: Control::Nothing,
        continuous: false,
        leap: true,
        single: true,
        many: false,
        even: true,
    };
}

impl Compiled for Plain {
    #[inline(always)]
    fn shape(_: Shape) -> Shape {
        Self::SHAPE
    }
}

/// Paths of a block, as a power of two.
pub(super) const BLOCK_BITS: u32 = 16;

impl Shape {
    /// For an option and a market that go together.
    ///
    /// # Errors
    /// [`FinanceError::AssetCount`] and [`FinanceError::Combination`] where they do not.
    pub fn new(instrument: &Instrument, model: &Model, engine: &MonteCarlo) -> Result<Self, FinanceError> {
        let motion = match (&instrument.payoff, model.dynamics) {
            (Payoff::Basket(_), Dynamics::Gbm) => Motion::Basket,
            (Payoff::Basket(_), _) => {
                return Err(FinanceError::Combination { what: "a basket", with: "jumps or Heston's model" });
            }
            (_, Dynamics::Gbm) => Motion::Gbm,
            (_, Dynamics::Merton { .. }) => Motion::Merton,
            (_, Dynamics::Heston { .. }) => Motion::Heston,
        };
        let assets = model.assets.len();
        if motion != Motion::Basket && assets != 1 {
            return Err(FinanceError::AssetCount { given: assets, payoff: "the payoff", needed: "one asset" });
        }
        let continuous = monitoring(&instrument.payoff) == Some(Monitoring::Continuous);
        if continuous && motion != Motion::Gbm {
            let with = "jumps or Heston's model, whose price between two dates is not known";
            return Err(FinanceError::Combination { what: "continuous monitoring", with });
        }
        if engine.sobol && matches!(motion, Motion::Merton | Motion::Heston) {
            return Err(FinanceError::Combination { what: "Sobol points", with: "jumps or Heston's model" });
        }
        let kind = kind(&instrument.payoff);
        let geometric = matches!(instrument.payoff, Payoff::AsianArithmetic(_)) && motion == Motion::Gbm;
        let control = match (engine.control, geometric) {
            (false, _) => Control::Nothing,
            (true, true) => Control::Geometric,
            (true, false) => Control::Asset,
        };
        let at_the_end = matches!(instrument.payoff, Payoff::European | Payoff::CashDigital | Payoff::AssetDigital);
        let leap = at_the_end && motion == Motion::Gbm && !engine.sobol;
        Ok(Shape { kind, motion, control, continuous, leap, single: false, many: false, even: true })
    }

    /// Paths of an item, as a power of two: those that share a draw.
    pub fn item_bits(self) -> u32 {
        if self.leap { 2 } else { 0 }
    }

    /// Whether what is paid comes less the centre, at no cost.
    pub fn pays_from_the_centre(self) -> bool {
        self.single && self.kind == Kind::Mean
    }

    /// Whether a step takes a Philox block of its own.
    pub fn draws_more_than_one_number(self) -> bool {
        let extreme = matches!(self.kind, Kind::Fixed | Kind::Floating);
        matches!(self.motion, Motion::Merton | Motion::Heston) || (self.continuous && extreme)
    }

    /// Whether logarithms are summed up.
    pub fn takes_logs(self) -> bool {
        self.kind == Kind::Geometric || self.control == Control::Geometric
    }
}

fn kind(payoff: &Payoff) -> Kind {
    match payoff {
        Payoff::European | Payoff::AsianArithmetic(_) | Payoff::Basket(Basket::Average) => Kind::Mean,
        Payoff::CashDigital => Kind::Cash,
        Payoff::AssetDigital => Kind::Asset,
        Payoff::AsianGeometric(_) => Kind::Geometric,
        Payoff::LookbackFixed(_) | Payoff::Basket(_) => Kind::Fixed,
        Payoff::LookbackFloating(_) => Kind::Floating,
        Payoff::Barrier(_) => Kind::Barrier,
    }
}

/// When the price is looked at, where the payoff asks.
pub(super) fn monitoring(payoff: &Payoff) -> Option<Monitoring> {
    match payoff {
        Payoff::Barrier(barrier) => Some(barrier.monitoring),
        Payoff::LookbackFixed(monitoring) | Payoff::LookbackFloating(monitoring) => Some(*monitoring),
        _ => None,
    }
}
