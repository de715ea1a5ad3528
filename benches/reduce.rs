//! Folds of a whole array. See `harness`.

mod harness;

fn main() {
    harness::run(&[harness::Case::Reduce]);
}
