//! Matrix products. See `harness`.

mod harness;

fn main() {
    harness::run(&[harness::Case::Gemm]);
}
