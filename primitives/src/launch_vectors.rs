//! The host's inner loops, compiled for the vectors that the processor has: which ones is known at run time only.

/// A loop that is worth compiling for wider vectors. `run` and all that it calls in its innermost loop must be `#[inline(always)]` or
/// generic: what is not inlined stays compiled for the narrowest ones.
pub trait Loop {
    /// What comes of it.
    type Output;

    /// Runs it.
    fn run(self) -> Self::Output;
}

/// Runs the loop in the widest vectors of the processor. The bits are the same in any: lanes do not mix, and nothing is fused.
pub fn run_widest<L: Loop>(work: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor has the instructions.
            return unsafe { x86::run_512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            return unsafe { x86::run_256(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Loop;

    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn run_512<L: Loop>(work: L) -> L::Output {
        work.run()
    }

    #[target_feature(enable = "avx2")]
    pub fn run_256<L: Loop>(work: L) -> L::Output {
        work.run()
    }
}
