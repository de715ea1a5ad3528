//! Running folds. See `harness`.

mod harness;

fn main() {
    harness::run(&[harness::Case::Scan]);
}
