//! The laws, stated once: [`Monoid`], [`Lift`], [`Lower`], [`Semiring`], [`Commutative`].
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;

use super::{Operator, State};

/// An associative operation with an identity.
///
/// For all states `a`, `b`, `c`:
///
/// ```text
/// combine(combine(a, b), c) = combine(a, combine(b, c))      associativity
/// combine(identity, a) = a = combine(a, identity)            identity
/// ```
///
/// `left` always holds earlier items than `right`: nothing here needs `combine` to commute. Rounding breaks
/// associativity in the last bits; which grouping is used is fixed by the device and the call, so the same
/// call gives the same bits. [`check_laws`](crate::check_laws) tries the laws on samples.
///
/// A body holds concrete scalars, `as` casts, arithmetic, comparisons and the inherent float methods, so the
/// same method runs on the host. CubeCL 0.11.3 cannot write an infinity as WGSL: give
/// [`f32::highest()`](crate::Element::highest) and [`f32::lowest()`](crate::Element::lowest). Integer `+` must not overflow there; [`Element::plus`](crate::Element::plus)
/// wraps on both sides.
#[cube]
pub trait Monoid: Operator {
    /// What is folded.
    type State: State;

    /// The state of no items at all.
    fn identity(&self) -> Self::State;

    /// The state of the items of `left` followed by those of `right`.
    fn combine(&self, left: Self::State, right: Self::State) -> Self::State;
}

/// How an item becomes a state; fused into the load.
///
/// Written out as `#[cube]` would, which has no provided methods.
pub trait Lift<T: State>: Monoid + CubeType<ExpandType: LiftExpand<T>> {
    /// The state of the one item.
    fn lift(&self, item: T) -> Self::State;

    /// `combine(state, lift(item))`, the state of an item more: for operators that get there in fewer steps.
    fn push(&self, state: Self::State, item: T) -> Self::State {
        self.combine(state, self.lift(item))
    }

    /// Begins a run: the items that a unit folds from scratch, `close(extend(extend(open(a), a, b), a, c), a)` for `a`, `b`, `c`.
    ///
    /// The state of a run may be anything until it is closed. An operator that divides for every item can sum differences from
    /// the run's first item instead, and divide once. All three are given, or none.
    fn open(&self, first: T) -> Self::State {
        self.lift(first)
    }

    /// A run and an item more, where the run began with `first`.
    fn extend(&self, run: Self::State, _first: T, item: T) -> Self::State {
        self.push(run, item)
    }

    /// The state of the items of a run that began with `first`.
    fn close(&self, run: Self::State, _first: T) -> Self::State {
        run
    }
}

/// The kernel's half of [`Lift`].
pub trait LiftExpand<T: State>: MonoidExpand {
    fn __expand_lift_method(&self, scope: &Scope, item: T::ExpandType) -> <Self::State as CubeType>::ExpandType;

    fn __expand_push_method(
        &self,
        scope: &Scope,
        state: <Self::State as CubeType>::ExpandType,
        item: T::ExpandType,
    ) -> <Self::State as CubeType>::ExpandType {
        let lifted = self.__expand_lift_method(scope, item);
        self.__expand_combine_method(scope, state, lifted)
    }

    fn __expand_open_method(&self, scope: &Scope, first: T::ExpandType) -> <Self::State as CubeType>::ExpandType {
        self.__expand_lift_method(scope, first)
    }

    fn __expand_extend_method(
        &self,
        scope: &Scope,
        run: <Self::State as CubeType>::ExpandType,
        _first: T::ExpandType,
        item: T::ExpandType,
    ) -> <Self::State as CubeType>::ExpandType {
        self.__expand_push_method(scope, run, item)
    }

    fn __expand_close_method(
        &self,
        _scope: &Scope,
        run: <Self::State as CubeType>::ExpandType,
        _first: T::ExpandType,
    ) -> <Self::State as CubeType>::ExpandType {
        run
    }
}

/// How a state becomes a result; fused into the store.
///
/// The result is an associated type: an operator has one meaning, and a call needs no annotation.
#[cube(expand_base_traits = "MonoidExpand")]
pub trait Lower: Monoid {
    /// What a caller reads.
    type Output: State;

    /// The result that the state stands for.
    fn lower(&self, state: Self::State) -> Self::Output;
}

/// A monoid with a product that distributes over `combine`.
///
/// ```text
/// multiply(a, b ⊕ c) = multiply(a, b) ⊕ multiply(a, c)       and the same on the left
/// ```
///
/// where elements are lifted as [`Lift`] does. A product with the additive identity is the identity.
///
/// Written out as `#[cube]` would, which has no provided methods.
pub trait Semiring<L: State, R: State>: Monoid + CubeType<ExpandType: SemiringExpand<L, R>> {
    /// The product of an element of the left matrix and one of the right.
    fn multiply(&self, left: L, right: R) -> Self::State;

    /// `combine(state, multiply(left, right))`, the state of a product more: for operators that get there in fewer steps.
    #[inline]
    fn accumulate(&self, state: Self::State, left: L, right: R) -> Self::State {
        self.combine(state, self.multiply(left, right))
    }
}

/// The kernel's half of [`Semiring`].
pub trait SemiringExpand<L: State, R: State>: MonoidExpand {
    fn __expand_multiply_method(
        &self,
        scope: &Scope,
        left: L::ExpandType,
        right: R::ExpandType,
    ) -> <Self::State as CubeType>::ExpandType;

    fn __expand_accumulate_method(
        &self,
        scope: &Scope,
        state: <Self::State as CubeType>::ExpandType,
        left: L::ExpandType,
        right: R::ExpandType,
    ) -> <Self::State as CubeType>::ExpandType {
        let product = self.__expand_multiply_method(scope, left, right);
        self.__expand_combine_method(scope, state, product)
    }
}

/// Claims `multiply(a, b) = multiply(b, a)`: a matrix times its own transpose is then symmetric, and half the work is enough.
pub trait CommutativeProduct<T: State>: Semiring<T, T> {}

/// Claims that states are sums of plain products: `combine(a, b) = a + b` and `multiply(a, b) = a · b` of `f32`, whatever
/// [`Lower`] makes of them. Matrix units may then stand in for both, where the caller asks for
/// [`Precision::Tf32`](crate::Precision::Tf32).
pub trait PlainProducts: Semiring<f32, f32, State = f32> {}

/// Claims `combine(a, b) = combine(b, a)`: strategies that reorder items ask for it.
pub trait Commutative: Monoid {}

/// Claims `combine(a, a) = a`, as a smallest or a largest has it: what is found twice counts once.
pub trait Idempotent: Commutative {}
