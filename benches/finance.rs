//! Finance jobs: the Monte-Carlo mean, moving averages, a covariance, the agent market and the portfolios of a frontier. See `harness`.

mod harness;

fn main() {
    use harness::Case::{Cov, Ema, Frontier, Market, Mc};
    harness::run(&[Mc, Ema, Cov, Market, Frontier]);
}
