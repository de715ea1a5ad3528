//! The host's inner loop, compiled for wider vectors where the processor has them.

use super::host::{HEIGHT, fold};
use crate::{Semiring, State};

/// [`fold`], with 256-bit vectors on x86 processors that have them: which ones is known at run time only.
pub fn fold_widest<L: State, R: State, O: Semiring<L, R>, const WIDTH: usize>(
    op: &O,
    left: &[[L; HEIGHT]],
    right: &[[R; WIDTH]],
    sums: &mut [[O::State; WIDTH]; HEIGHT],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { fold_avx2(op, left, right, sums) };
    }
    fold(op, left, right, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fold_avx2<L: State, R: State, O: Semiring<L, R>, const WIDTH: usize>(
    op: &O,
    left: &[[L; HEIGHT]],
    right: &[[R; WIDTH]],
    sums: &mut [[O::State; WIDTH]; HEIGHT],
) {
    fold(op, left, right, sums);
}
