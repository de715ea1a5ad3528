//! [`Optional`]: the state of `First` and `Last`.

use cubecl::prelude::*;

use super::selection::zeroed;
use crate::State;

/// An item, or none.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Optional<T: State> {
    /// The item; zeros where there is none.
    pub value: T,
    /// 1 where there is one.
    pub present: u32,
}

impl<T: State> Optional<T> {
    /// The item, if there is one.
    pub fn get(self) -> Option<T> {
        (self.present != 0).then_some(self.value)
    }
}

/// No item.
#[cube]
pub(crate) fn absent<T: State>() -> Optional<T> {
    Optional::<T> { value: zeroed::<T>(), present: 0u32 }
}

/// An item.
#[cube]
pub(crate) fn present<T: State>(value: T) -> Optional<T> {
    Optional::<T> { value, present: 1u32 }
}
