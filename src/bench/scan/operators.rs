//! The operators that only the benches need.

use cubefold::prelude::*;
use cubefold::views::both;
use cubefold::{Element, Lift, Lower};

/// The step of the recurrence that an item stands for: `y <- left y + right`.
#[derive(Debug, Clone, Operator)]
pub struct Step {
    /// The weight of the newest item.
    pub alpha: f32,
}

#[cube]
impl Mapping<f32> for Step {
    type Output = Both<f32, f32>;

    fn map(&self, item: f32) -> Both<f32, f32> {
        both::<f32, f32>(1.0f32 - self.alpha, self.alpha * item)
    }
}

/// What a stretch of items adds to the average, and how many items it has.
#[derive(Debug, Clone, Copy, State)]
pub struct Stretch {
    value: f32,
    length: u32,
}

/// `(a, n) ∘ (b, m) = (a (1 − α)^m + b, n + m)`, for 0 < α < 1; the form that the others do without.
#[derive(Debug, Clone, Operator)]
pub struct PowerAverage {
    /// The weight of the newest item.
    pub alpha: f32,
}

#[cube]
impl Monoid for PowerAverage {
    type State = Stretch;

    fn identity(&self) -> Stretch {
        Stretch { value: 0.0f32.runtime(), length: 0u32.runtime() }
    }

    fn combine(&self, left: Stretch, right: Stretch) -> Stretch {
        let kept = (1.0f32 - self.alpha).powf(right.length as f32);
        Stretch { value: left.value * kept + right.value, length: left.length + right.length }
    }
}

#[cube]
impl Lift<f32> for PowerAverage {
    fn lift(&self, item: f32) -> Stretch {
        Stretch { value: self.alpha * item, length: 1u32.runtime() }
    }
}

#[cube]
impl Lower for PowerAverage {
    type Output = f32;

    fn lower(&self, state: Stretch) -> f32 {
        state.value
    }
}

/// The first, highest, lowest and last of some prices: 16 bytes.
#[derive(Debug, Clone, Copy, State)]
pub struct Candle {
    open: f32,
    high: f32,
    low: f32,
    close: f32,
}

/// A candle's body over its range, `(close − open) / (high − low)`; 0 where there is no range.
#[derive(Debug, Clone, Operator)]
pub struct Candles;

#[cube]
impl Monoid for Candles {
    type State = Candle;

    /// No price is above the highest of none.
    fn identity(&self) -> Candle {
        Candle { open: 0.0f32.runtime(), high: f32::lowest(), low: f32::highest(), close: 0.0f32.runtime() }
    }

    fn combine(&self, left: Candle, right: Candle) -> Candle {
        Candle {
            open: select(left.high < left.low, right.open, left.open),
            high: max(left.high, right.high),
            low: min(left.low, right.low),
            close: select(right.high < right.low, left.close, right.close),
        }
    }
}

#[cube]
impl Lift<f32> for Candles {
    fn lift(&self, item: f32) -> Candle {
        Candle { open: item, high: item, low: item, close: item }
    }
}

#[cube]
impl Lower for Candles {
    type Output = f32;

    fn lower(&self, state: Candle) -> f32 {
        let range = state.high - state.low;
        select(range > 0.0f32, (state.close - state.open) / range, 0.0f32)
    }
}
