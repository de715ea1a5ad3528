//! Finance jobs: the Monte-Carlo mean and the agent market. See `harness`.

mod harness;

fn main() {
    harness::run(&[harness::Case::Mc, harness::Case::Market]);
}
