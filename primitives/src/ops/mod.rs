//! The catalogue: monoids, semirings, and operators made of operators.
//!
//! Bit classes say when a fixed grouping gives the same bits on every device:
//!
//! | class | bits agree |
//! |---|---|
//! | exact | always: integers, selections |
//! | adds | additions alone; or products that no addition follows. Subnormals excepted |
//! | fuses | not for floats: compilers may fuse a product with the addition after it. Integers are exact |
//! | device | from run to run only: division, `exp`, `ln` |
//!
//! Integers wrap. Words are those of a state over 32-bit items.
//!
//! | operator | result | words | identity | commutative | class |
//! |---|---|---|---|---|---|
//! | [`Sum`] | `Σ x` | 1 | 0 | yes | adds |
//! | [`Product`] | `Π x` | 1 | 1 | yes | adds |
//! | [`Minimum`], [`Maximum`] | the smallest, the largest; NaN if one is | 1 | ∞, −∞, or the integer's end | yes | exact |
//! | [`ArgMinimum`], [`ArgMaximum`] | the same and its lowest index; the first NaN | 4 | none found | yes | exact |
//! | [`Count`] | n | 2 | 0 | yes | exact |
//! | [`First`], [`Last`] | the first, the last | 2 | none | no | exact |
//! | [`CompensatedSum`] | `Σ x` in twice the precision | 2 | (0, 0) | yes | adds |
//! | [`LogSumExp`] | `ln Σ exp(x)` | 2 | (−∞, 0) | yes | device |
//! | [`Moments`] | n, mean, M₂ | 4 | (0, 0, 0) | yes | device |
//! | [`Moments4`] | n, mean, M₂, M₃, M₄ | 6 | zeros | yes | device |
//! | [`JointMoments`] | n, x̄, M₂x, ȳ, M₂y, C over pairs (x, y) | 7 | zeros | yes | device |
//! | [`Affine`] | `s <- a s + b` over pairs (a, b) | 2 | (1, 0) | no | fuses |
//! | [`Ewma`] | the exponentially weighted mean; NaN is missing | 3 | zeros | no | device |
//!
//! | semiring | result | words | identity | class |
//! |---|---|---|---|---|
//! | [`PlusTimes`] | `Σ a b` | 1 | 0 | fuses |
//! | [`MinPlus`], [`MaxPlus`] | `min (a + b)`, `max (a + b)` | 1 | ∞, −∞, or the integer's end | adds |
//! | [`ArgMinPlus`] | `min (a + b)` and where it was found | 2 | (∞, none) | adds |
//! | [`CountMinPlus`] | `min (a + b)` and how often it was found | 2 | (∞, 0) | adds |
//! | [`MaxTimes`] | `max (a b)`, not negative | 1 | 0 | adds |
//! | [`OrAnd`] | `or (a and b)` | 1 | 0 | exact |
//! | [`LogProb`] | `ln Σ exp(a + b)` | 2 | (−∞, 0) | device |
//!
//! | adaptor | result | words | commutative |
//! |---|---|---|---|
//! | [`Pair<A, B>`](Pair) | both folds in one pass | A + B | if both are |
//! | [`Segmented<M>`](Segmented) | `M` anew from every head, over pairs (head, x) | 1 + M | no |
//! | [`Opposite<M>`](Opposite) | `M` with its operands exchanged | M | if M is |
//! | [`Continued<M>`](Continued) | `M` from a state known before | M | no |
//! | [`Resume<O>`](Resume), [`States<O>`](States) | `O` over items that are states; and without its lower | O | no |
//!
//! For operators of one's own: [`blend()`], [`choose()`], [`zeroed()`], [`multiply_then_add()`].

mod adaptors;
mod affine;
mod arg_maximum;
mod arg_minimum;

mod compensated_sum;
mod count;
mod ewma;
mod extremum;
mod first;
mod joint_moments;
mod last;
mod log_sum_exp;
mod maximum;
mod minimum;
mod moments;
mod moments4;
mod optional;
mod product;
mod resume;
mod rounding;
mod selection;
mod semirings;
mod sum;
mod weighted;

pub use adaptors::*;
pub use affine::{Affine, AffineMap};
pub use arg_maximum::ArgMaximum;
pub use arg_minimum::ArgMinimum;

pub use compensated_sum::{Compensated, CompensatedSum};
pub use count::Count;
pub use ewma::{Ewma, EwmaState, Start};
pub use extremum::Extremum;
pub use first::First;
pub use joint_moments::{JointMoments, JointMomentsState};
pub use last::Last;
pub use log_sum_exp::{LogSum, LogSumExp};
pub use maximum::Maximum;
pub use minimum::Minimum;
pub use moments::{Moments, MomentsState, moments_of};
pub use moments4::{Moments4, Moments4State};
pub use optional::Optional;
pub(crate) use optional::{absent, present};
pub use product::Product;
pub use resume::{Resume, States};
pub use rounding::multiply_then_add;
pub(crate) use selection::carried;
pub use selection::{choose, zeroed};
pub use semirings::*;
pub use sum::Sum;
pub use weighted::blend;
