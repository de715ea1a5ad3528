//! Tries an operator's laws on samples, so that a wrong operator is found before its silent garbage is.

use std::fmt::Debug;

use super::{Commutative, Idempotent, Monoid, Semiring, State};

/// A law that does not hold, with the counterexample.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LawError<S: Debug> {
    /// Grouping changes the result.
    #[error(
        "not associative: with a = {a:?}, b = {b:?}, c = {c:?}, (a b) c = {grouped_left:?} but a (b c) = {grouped_right:?}"
    )]
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
    /// A state combined with itself is another one, although `Idempotent` is claimed.
    #[error("not idempotent: combine({state:?}, {state:?}) = {result:?}")]
    Idempotence {
        /// The state.
        state: S,
        /// What it became.
        result: S,
    },
    /// `multiply` does not distribute over `combine`.
    #[error(
        "not distributive: with a = {a:?}, b = {b:?}, c = {c:?}, the product of a sum is {product_of_sum:?} but the sum of products is {sum_of_products:?}"
    )]
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
    triples(samples).try_for_each(|triple| associativity(op, triple))
}

fn associativity<O: Monoid<State: Debug>>(op: &O, [a, b, c]: [O::State; 3]) -> Result<(), LawError<O::State>> {
    let grouped_left = op.combine(op.combine(a, b), c);
    let grouped_right = op.combine(a, op.combine(b, c));
    if same(grouped_left, grouped_right) {
        Ok(())
    } else {
        Err(LawError::Associativity { a, b, c, grouped_left, grouped_right })
    }
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

/// Tries [`check_commutative`] and idempotence on all of `samples`.
///
/// # Errors
///
/// The first law that fails, with its counterexample.
pub fn check_idempotent<O: Idempotent + Monoid<State: Debug>>(
    op: &O,
    samples: &[O::State],
) -> Result<(), LawError<O::State>> {
    check_commutative(op, samples)?;
    for &state in samples {
        let result = op.combine(state, state);
        if !same(result, state) {
            return Err(LawError::Idempotence { state, result });
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
    for [a, b, c] in triples(samples) {
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

fn triples<S: Copy>(samples: &[S]) -> impl Iterator<Item = [S; 3]> {
    samples.iter().flat_map(move |&a| samples.iter().flat_map(move |&b| samples.iter().map(move |&c| [a, b, c])))
}

/// Negative controls: operators that are wrong on purpose must be rejected, with the counterexample.
#[cfg(test)]
mod tests {
    use cubecl::prelude::*;

    use super::*;
    use crate::ops::{Affine, AffineMap, Last, MinPlus, Sum};
    use crate::views::both;
    use crate::{Both, Lift, MonoidExpand, Operator, SemiringExpand};

    /// `a g + b`: the step of a recurrence, taken for an associative operator.
    #[derive(Debug, Clone, Operator)]
    struct Step {
        g: f32,
    }

    #[cube]
    impl Monoid for Step {
        type State = f32;

        fn identity(&self) -> f32 {
            0.0f32
        }

        fn combine(&self, left: f32, right: f32) -> f32 {
            left * self.g + right
        }
    }

    /// A maximum that starts at the smallest positive float.
    #[derive(Debug, Clone, Operator)]
    struct MaximumFromTiny;

    #[cube]
    impl Monoid for MaximumFromTiny {
        type State = f32;

        fn identity(&self) -> f32 {
            f32::MIN_POSITIVE
        }

        fn combine(&self, left: f32, right: f32) -> f32 {
            select(left >= right, left, right)
        }
    }

    /// Maps composed the wrong way around in one of their two parts.
    #[derive(Debug, Clone, Operator)]
    struct SwappedAffine;

    #[cube]
    impl Monoid for SwappedAffine {
        type State = Both<f32, f32>;

        fn identity(&self) -> Both<f32, f32> {
            both::<f32, f32>(1.0f32, 0.0f32)
        }

        fn combine(&self, left: Both<f32, f32>, right: Both<f32, f32>) -> Both<f32, f32> {
            both::<f32, f32>(left.left * right.left, right.left * right.right + left.right)
        }
    }

    /// The last item that is not 0, said to commute.
    #[derive(Debug, Clone, Operator)]
    struct Claims;

    #[cube]
    impl Monoid for Claims {
        type State = u32;

        fn identity(&self) -> u32 {
            0u32
        }

        fn combine(&self, left: u32, right: u32) -> u32 {
            select(right == 0u32, left, right)
        }
    }

    impl Commutative for Claims {}

    /// Sums whose product is a sum again.
    #[derive(Debug, Clone, Operator)]
    struct PlusPlus;

    #[cube]
    impl Monoid for PlusPlus {
        type State = i32;

        fn identity(&self) -> i32 {
            0i32
        }

        fn combine(&self, left: i32, right: i32) -> i32 {
            left + right
        }
    }

    #[cube]
    impl Semiring<i32, i32> for PlusPlus {
        fn multiply(&self, left: i32, right: i32) -> i32 {
            left + right
        }
    }

    impl Commutative for PlusPlus {}

    impl Idempotent for PlusPlus {}

    #[test]
    fn a_false_claim_of_idempotence_is_found() {
        let error = check_idempotent(&PlusPlus, &[0, 3]).unwrap_err();
        assert_eq!(error, LawError::Idempotence { state: 3, result: 6 });
        assert_eq!(error.to_string(), "not idempotent: combine(3, 3) = 6");
        assert_eq!(check_idempotent(&MinPlus::<i32>::new(), &[0, 1, i32::MAX]), Ok(()));
    }

    #[test]
    fn a_recurrence_step_is_not_associative() {
        // Its zero is no identity on the right, which is found first; nor is the grouping free.
        let step = Step { g: 0.5 };
        let error = check_laws(&step, &[1.0, 2.0]).unwrap_err();
        assert!(matches!(error, LawError::RightIdentity { state: 1.0, result: 0.5 }), "{error}");
        assert_eq!(error.to_string(), "not a right identity: combine(1.0, identity) = 0.5");
        let message = associativity(&step, [1.0, 2.0, 3.0]).unwrap_err().to_string();
        assert_eq!(message, "not associative: with a = 1.0, b = 2.0, c = 3.0, (a b) c = 4.25 but a (b c) = 4.5");
    }

    #[test]
    fn the_smallest_positive_float_is_no_identity_of_the_maximum() {
        let error = check_laws(&MaximumFromTiny, &[1.0, -1.0]).unwrap_err();
        assert!(matches!(error, LawError::LeftIdentity { state: -1.0, result: f32::MIN_POSITIVE }), "{error}");
    }

    #[test]
    fn swapped_operands_are_found() {
        let maps = [(1.0f32, 0.0), (2.0, 3.0), (0.5, 1.0)];
        let error = check_laws(&SwappedAffine, &maps.map(|(scale, shift)| both(scale, shift))).unwrap_err();
        assert_eq!(error, LawError::LeftIdentity { state: both(2.0, 3.0), result: both(2.0, 6.0) });
        assert!(error.to_string().contains("right: 6.0"), "{error}");
        assert_eq!(check_laws(&Affine::new(), &maps.map(|(scale, shift)| AffineMap { scale, shift })), Ok(()));
    }

    #[test]
    fn a_false_claim_of_commutativity_is_found() {
        let error = check_commutative(&Claims, &[1, 2]).unwrap_err();
        assert_eq!(error, LawError::Commutativity { a: 1, b: 2, forward: 2, backward: 1 });
        let last = Last::<u32>::new();
        assert_eq!(check_laws(&last, &[last.lift(1), last.lift(2)]), Ok(()));
    }

    #[test]
    fn a_product_that_does_not_distribute_is_found() {
        let error = check_semiring(&PlusPlus, &[0, 1]).unwrap_err();
        let expected = LawError::Distributivity { a: 1, b: 0, c: 0, product_of_sum: 1, sum_of_products: 2 };
        assert_eq!(error, expected);
        assert!(error.to_string().starts_with("not distributive: with a = 1, b = 0, c = 0"), "{error}");
        assert_eq!(check_semiring(&MinPlus::<i32>::new(), &[0, 1, i32::MAX]), Ok(()));
    }

    #[test]
    fn rounding_is_forgiven_and_cancellation_is_not() {
        assert_eq!(check_laws(&Sum::<f32>::new(), &[0.1, 0.2, 0.3]), Ok(()));
        assert!(check_laws(&Sum::<f32>::new(), &[1e8, 1.0, -1e8]).is_err());
    }
}
