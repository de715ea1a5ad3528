//! [`Local`]: a few scalars of a unit's own, indexed at run time.
#![allow(missing_docs)] // of what is written beside each documented method

use cubecl::prelude::*;

use super::Element;

/// How many scalars a [`Local`] holds at most.
const MOST: usize = 64;

/// Up to 64 scalars that a body writes and reads by index, the same on the host and on devices: a path, say. They begin as
/// zeros.
///
/// A device keeps them beside the registers, in memory that is each unit's own: they cost what a read and a write in the cache
/// cost.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::cubecl::prelude::*;
/// use cubefold_primitives::{Local, cubecl};
///
/// /// Fibonacci number `index` of the first eight.
/// #[cube]
/// fn fibonacci(index: u32) -> u32 {
///     let mut numbers = Local::<u32>::new(8u32);
///     numbers.set(1u32, 1u32);
///     for place in 2..8u32 {
///         let sum = numbers.get(place - 1u32) + numbers.get(place - 2u32);
///         numbers.set(place, sum);
///     }
///     numbers.get(index)
/// }
///
/// # fn main() {
/// assert_eq!(fibonacci(7), 13);
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Local<T: Element> {
    items: [T; MOST],
}

impl<T: Element> Local<T> {
    /// `len` zeros, known when a kernel is compiled.
    ///
    /// # Panics
    ///
    /// For more than 64.
    #[inline]
    pub fn new(len: u32) -> Self {
        assert!(len as usize <= MOST, "a unit keeps at most {MOST} scalars, not {len}");
        Local { items: [T::default(); MOST] }
    }

    /// Scalar `index`.
    #[inline]
    pub fn get(&self, index: u32) -> T {
        self.items[index as usize]
    }

    /// Makes scalar `index` this one.
    #[inline]
    pub fn set(&mut self, index: u32, value: T) {
        self.items[index as usize] = value;
    }

    pub fn __expand_new(scope: &Scope, len: u32) -> SlotsExpand<T> {
        assert!(len as usize <= MOST, "a unit keeps at most {MOST} scalars, not {len}");
        device::slots::expand(scope, len)
    }
}

impl<T: Element> CubeType for Local<T> {
    type ExpandType = SlotsExpand<T>;
}

impl<T: Element> SlotsExpand<T> {
    pub fn __expand_get_method(&self, scope: &Scope, index: NativeExpand<u32>) -> NativeExpand<T> {
        device::get::expand(scope, self, index)
    }

    pub fn __expand_set_method(&mut self, scope: &Scope, index: NativeExpand<u32>, value: NativeExpand<T>) {
        device::set::expand(scope, self, index, value);
    }
}

/// What a [`Local`] is while a kernel is being written.
#[derive(CubeType)]
pub struct Slots<T: Element> {
    items: Array<T>,
}

/// The device's halves of the methods above.
mod device {
    use super::*;

    #[cube]
    pub fn slots<T: Element>(#[comptime] len: u32) -> Slots<T> {
        Slots::<T> { items: Array::<T>::new(comptime!(len.max(1) as usize)) }
    }

    #[cube]
    pub fn get<T: Element>(slots: &Slots<T>, index: u32) -> T {
        slots.items[index as usize]
    }

    #[cube]
    pub fn set<T: Element>(slots: &mut Slots<T>, index: u32, value: T) {
        slots.items[index as usize] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_begin_as_zeros_and_hold_what_was_set() {
        let mut local = Local::<f32>::new(64);
        assert_eq!((local.get(0), local.get(63)), (0.0, 0.0));
        local.set(63, 2.5);
        assert_eq!((local.get(62), local.get(63)), (0.0, 2.5));
    }
}
