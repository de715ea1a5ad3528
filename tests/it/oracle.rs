//! What results must be: one item after another, with nothing of the library but the operator.

use cubefold::{Lift, Lower, ScanOptions, State};

/// The fold of all items.
pub fn reduce<T: State, O: Lift<T> + Lower>(items: &[T], op: &O) -> O::Output {
    let mut folded = op.identity();
    for &item in items {
        folded = op.combine(folded, op.lift(item));
    }
    op.lower(folded)
}

/// The folds of all prefixes, with or without the item itself.
pub fn scan<T: State, O: Lift<T> + Lower>(items: &[T], op: &O, exclusive: bool) -> Vec<O::Output> {
    let mut folded = op.identity();
    let mut results = Vec::new();
    for &item in items {
        let next = op.combine(folded, op.lift(item));
        results.push(op.lower(if exclusive { folded } else { next }));
        folded = next;
    }
    results
}

/// The scan of one line, from its first item or from its last.
pub fn line<T: State, O: Lift<T> + Lower>(items: &[T], op: &O, options: &ScanOptions) -> Vec<O::Output> {
    let mut running = op.identity();
    let mut results = Vec::new();
    for step in 0..items.len() {
        let item = op.lift(items[if options.reverse { items.len() - 1 - step } else { step }]);
        let next = if options.reverse { op.combine(item, running) } else { op.combine(running, item) };
        results.push(op.lower(if options.exclusive { running } else { next }));
        running = next;
    }
    if options.reverse {
        results.reverse();
    }
    results
}

/// Lengths that have been wrong somewhere, and why.
pub fn lengths() -> Vec<(usize, &'static str)> {
    vec![
        (0, "nothing: the identity"),
        (1, "no combine at all"),
        (2, "one combine"),
        (3, "odd"),
        (15, "one item less than a unit's run"),
        (16, "a unit's run"),
        (17, "one item more than a unit's run"),
        (63, "less than a cube of 64"),
        (64, "a cube of 64"),
        (65, "more than a cube of 64"),
        (255, "one less than the units of a cube"),
        (256, "the units of a cube"),
        (257, "one more than the units of a cube"),
        (1023, "one less than a tile of the recursive scans"),
        (1024, "a tile of the recursive scans"),
        (1025, "one more than a tile of the recursive scans"),
        (4095, "one less than a tile"),
        (4096, "a tile"),
        (4097, "one more than a tile: a second cube, a tail of one"),
        (8191, "two tiles less one"),
        (12289, "three tiles and one"),
        (1 << 18, "many full tiles"),
        ((1 << 20) + 3, "over 256 tiles: a second window of look-back; over 1024 tiles of 1024: a third level"),
    ]
}

/// Panics at the first result that differs in its bits.
pub fn assert_same<T: State + std::fmt::Debug>(got: &[T], expected: &[T], case: &str) {
    assert_eq!(got.len(), expected.len(), "{case}: length");
    for (index, (&left, &right)) in got.iter().zip(expected).enumerate() {
        assert!(left.gap(right) == 0.0, "{case}: item {index} is {left:?}, not {right:?}");
    }
}

/// Panics at the first result that is further off than `tolerance`, relatively.
pub fn assert_close<T: State + std::fmt::Debug>(got: &[T], expected: &[T], tolerance: f64, case: &str) {
    assert_eq!(got.len(), expected.len(), "{case}: length");
    for (index, (&left, &right)) in got.iter().zip(expected).enumerate() {
        let gap = left.gap(right);
        assert!(gap <= tolerance, "{case}: item {index} is {left:?}, not {right:?} (off by {gap:e})");
    }
}
