//! Tries an operator's laws on samples, so that a wrong operator is found before its silent garbage is.

use std::fmt::Debug;

use super::{Commutative, Monoid, Semiring, State};

/// A law that does not hold, with the counterexample.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LawError<S: Debug> {
    /// Grouping changes the result.
    #[error("not associative: with a = {a:?}, b = {b:?}, c = {c:?}, (a b) c = {grouped_left:?} but a (b c) = {grouped_right:?}")]
    Associativity {
        /// First operand.
        a: S,
        /// Second operand.
        b: S,
        /// Third operand.
        c: S,
        /// `combine(combine(a, b), c)`.
        grouped_left: S,
        /// `combine(a, combine(b, c))`.
        grouped_right: S,
    },
    /// The identity on the left changes a state.
    #[error("not a left identity: combine(identity, {state:?}) = {result:?}")]
    LeftIdentity {
        /// The state.
        state: S,
        /// What it became.
        result: S,
    },
    /// The identity on the right changes a state.
    #[error("not a right identity: combine({state:?}, identity) = {result:?}")]
    RightIdentity {
        /// The state.
        state: S,
        /// What it became.
        result: S,
    },
    /// The operands cannot be exchanged, although `Commutative` is claimed.
    #[error("not commutative: combine({a:?}, {b:?}) = {forward:?} but combine({b:?}, {a:?}) = {backward:?}")]
    Commutativity {
        /// First operand.
        a: S,
        /// Second operand.
        b: S,
        /// `combine(a, b)`.
        forward: S,
        /// `combine(b, a)`.
        backward: S,
    },
    /// `multiply` does not distribute over `combine`.
    #[error("not distributive: with a = {a:?}, b = {b:?}, c = {c:?}, the product of a sum is {product_of_sum:?} but the sum of products is {sum_of_products:?}")]
    Distributivity {
        /// The factor.
        a: S,
        /// First term.
        b: S,
        /// Second term.
        c: S,
        /// `multiply(a, combine(b, c))`, or the same with `a` on the right.
        product_of_sum: S,
        /// `combine(multiply(a, b), multiply(a, c))`, or the same with `a` on the right.
        sum_of_products: S,
    },
}

/// Two results are taken for the same law-abiding value when they differ by no more than this, relatively.
/// Wide enough for the rounding of f32 states, far below what a wrong operator does.
const ROUNDING: f64 = 1e-3;

fn same<S: State>(left: S, right: S) -> bool {
    left.gap(right) <= ROUNDING
}

/// Tries associativity and both identities on all triples of `samples`.
///
/// Integers must agree exactly, floats within a relative 1e-3 (rounding). Take samples that look like the
/// states of your data, extremes included; cancelling sums of floats may need milder ones. Cost: `samples³`.
///
/// # Errors
///
/// The first law that fails, with its counterexample.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{check_laws, ops::Maximum};
///
/// assert!(check_laws(&Maximum::<f32>::new(), &[-1.0, 0.5, f32::NEG_INFINITY]).is_ok());
/// ```
pub fn check_laws<O: Monoid<State: Debug>>(op: &O, samples: &[O::State]) -> Result<(), LawError<O::State>> {
    for &state in samples {
        let result = op.combine(op.identity(), state);
        if !same(result, state) {
            return Err(LawError::LeftIdentity { state, result });
        }
        let result = op.combine(state, op.identity());
        if !same(result, state) {
            return Err(LawError::RightIdentity { state, result });
        }
    }
    for (a, b, c) in triples(samples) {
        let grouped_left = op.combine(op.combine(a, b), c);
        let grouped_right = op.combine(a, op.combine(b, c));
        if !same(grouped_left, grouped_right) {
            return Err(LawError::Associativity { a, b, c, grouped_left, grouped_right });
        }
    }
    Ok(())
}

/// Tries [`check_laws`] and commutativity on all pairs of `samples`.
///
/// # Errors
///
/// The first law that fails, with its counterexample.
pub fn check_commutative<O: Commutative + Monoid<State: Debug>>(
    op: &O,
    samples: &[O::State],
) -> Result<(), LawError<O::State>> {
    check_laws(op, samples)?;
    for &a in samples {
        for &b in samples {
            let (forward, backward) = (op.combine(a, b), op.combine(b, a));
            if !same(forward, backward) {
                return Err(LawError::Commutativity { a, b, forward, backward });
            }
        }
    }
    Ok(())
}

/// Tries [`check_laws`] and distributivity, on both sides, on all triples of `samples`.
///
/// # Errors
///
/// The first law that fails, with its counterexample.
pub fn check_semiring<O>(op: &O, samples: &[O::State]) -> Result<(), LawError<O::State>>
where
    O: Monoid<State: Debug> + Semiring<<O as Monoid>::State, <O as Monoid>::State>,
{
    check_laws(op, samples)?;
    for (a, b, c) in triples(samples) {
        let sum = op.combine(b, c);
        let sides = [
            (op.multiply(a, sum), op.combine(op.multiply(a, b), op.multiply(a, c))),
            (op.multiply(sum, a), op.combine(op.multiply(b, a), op.multiply(c, a))),
        ];
        for (product_of_sum, sum_of_products) in sides {
            if !same(product_of_sum, sum_of_products) {
                return Err(LawError::Distributivity { a, b, c, product_of_sum, sum_of_products });
            }
        }
    }
    Ok(())
}

fn triples<S: Copy>(samples: &[S]) -> impl Iterator<Item = (S, S, S)> {
    samples.iter().flat_map(move |&a| {
        samples.iter().flat_map(move |&b| samples.iter().map(move |&c| (a, b, c)))
    })
}
