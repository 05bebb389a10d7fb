//! Kernels compiled once more for wide registers, where the processor has them.
//!
//! Builds are for baseline x86-64, whose registers hold two f64; with AVX2 they hold four. A
//! step of a dish of soft balls takes 46 ms so and 51 ms without (`pliant run fruit-dish --set
//! duration=3 --threads 1 --json`, in turn). The operations and their order are those of the source
//! either way, and nothing is fused, so that the bits are the same.

/// A loop that is worth wide registers.
///
/// Not a closure, which cannot be made to be inlined: what is not inlined is not compiled anew.
pub(crate) trait Kernel {
    /// What it gives.
    type Output;

    /// Runs it; to be marked `#[inline(always)]`, with all that it spends its time in.
    fn run(self) -> Self::Output;
}

/// Runs a kernel, compiled for the widest registers that are known.
///
/// Choosing costs a load and a branch.
#[inline(always)]
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the processor was asked in the line above")]
        return unsafe { with_avx2(kernel) };
    }
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
