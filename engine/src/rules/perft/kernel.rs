//! Loops over many positions at once, compiled for three machines.
//!
//! The loops have no branch, so the compiler turns them into vector code: 16 positions at a time
//! with AVX-512 and its popcount, 8 with AVX2. The machine is asked at run time, and all three
//! give the same counts. The only unsafe code of the rules is the call of a function that was
//! compiled for more than the baseline.

use super::columns::Columns;
use crate::board::Color;
use crate::rules::side::{Side, for_side};

/// Positions that a loop handles together.
pub(super) const LANES: usize = 16;

/// Which compilation of the loops runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// The baseline of the target.
    Portable,
    /// x86-64 with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ, VL and VPOPCNTDQ.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// All that this machine can run, the fastest last.
    pub(super) fn available() -> Vec<Self> {
        let mut kernels = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                kernels.push(Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vpopcntdq")
            {
                kernels.push(Self::Avx512);
            }
        }
        kernels
    }

    /// The fastest that this machine can run.
    pub(super) fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Portable)
    }
}

/// A loop over the positions of [`Columns`].
pub(super) trait Pass {
    /// What the loop says of each position.
    type Verdicts;

    /// Looks at the first `lanes` positions, a multiple of [`LANES`], and adds up what it can
    /// count. Must be `inline(always)`, to be compiled anew for each machine.
    fn run<S: Side>(columns: &Columns, lanes: usize, verdicts: &mut Self::Verdicts) -> u64;
}

/// Runs a pass over all positions, in which `color` is to move.
pub(super) fn run<P: Pass>(
    kernel: Kernel,
    color: Color,
    columns: &mut Columns,
    verdicts: &mut P::Verdicts,
) -> u64 {
    let lanes = columns.pad();
    for_side!(color, S => run_for::<P, S>(kernel, columns, lanes, verdicts))
}

#[cfg_attr(
    target_arch = "x86_64",
    allow(
        unsafe_code,
        reason = "calls functions compiled for more than the baseline"
    )
)]
fn run_for<P: Pass, S: Side>(
    kernel: Kernel,
    columns: &Columns,
    lanes: usize,
    verdicts: &mut P::Verdicts,
) -> u64 {
    match kernel {
        Kernel::Portable => P::run::<S>(columns, lanes, verdicts),
        // SAFETY: the values Avx2 and Avx512 come only from `Kernel::available`, which has asked
        // this machine for every feature that the called function is compiled with.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => unsafe { run_avx2::<P, S>(columns, lanes, verdicts) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => unsafe { run_avx512::<P, S>(columns, lanes, verdicts) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn run_avx2<P: Pass, S: Side>(columns: &Columns, lanes: usize, verdicts: &mut P::Verdicts) -> u64 {
    P::run::<S>(columns, lanes, verdicts)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
fn run_avx512<P: Pass, S: Side>(
    columns: &Columns,
    lanes: usize,
    verdicts: &mut P::Verdicts,
) -> u64 {
    P::run::<S>(columns, lanes, verdicts)
}
