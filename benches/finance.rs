//! Finance jobs: the Monte-Carlo mean, the agent market and the portfolios of a frontier. See `harness`.

mod harness;

fn main() {
    harness::run(&[harness::Case::Mc, harness::Case::Market, harness::Case::Frontier]);
}
