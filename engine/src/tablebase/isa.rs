//! Coding and decoding compiled for newer instructions, chosen at run time.
//!
//! The only unsafe code of the database's codec: the call of a function that was compiled for more
//! than the baseline, and one of the instructions that it may use. What it computes is the same bit
//! for bit. Knows nothing of what is done.
#![allow(unsafe_code, reason = "instruction sets chosen at run time")]

/// An instruction set that this processor has: values other than `Portable` come only from
/// [`Isa::available`], which asks the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isa {
    /// The baseline of the target.
    Portable,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Isa {
    /// All that this processor has, slowest first.
    pub(super) fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let better = {
            let has_bits = is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            (has_bits && is_x86_feature_detected!("avx2")).then_some(Self::Avx2)
        };
        #[cfg(not(target_arch = "x86_64"))]
        let better = None;
        std::iter::once(Self::Portable).chain(better)
    }

    /// The fastest one that this processor has.
    #[inline]
    pub(super) fn best() -> Self {
        Self::available().last().unwrap_or(Self::Portable)
    }

    /// Does something in a function for this instruction set.
    pub(super) fn run<W: Work>(self, work: W) -> W::Done {
        match self {
            Self::Portable => work.run(Plain),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the instruction set was found on this processor.
            Self::Avx2 => unsafe { x86::run(work) },
        }
    }
}

/// Something to do that is compiled for each instruction set.
pub(super) trait Work {
    /// What comes of it.
    type Done;

    /// Does it; always inlined, with all that shall be compiled for the instruction set.
    fn run(self, machine: impl Machine) -> Self::Done;
}

/// What differs between instruction sets.
pub(super) trait Machine: Copy {
    /// Whether [`Machine::deposit`] is a single instruction.
    const HAS_DEPOSIT: bool;

    /// The lowest bits of `bits`, each where the next bit of `mask` is.
    fn deposit(self, bits: u64, mask: u64) -> u64;
}

/// Any processor.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Machine for Plain {
    const HAS_DEPOSIT: bool = false;

    #[inline(always)]
    fn deposit(self, mut bits: u64, mut mask: u64) -> u64 {
        let mut found = 0;
        while mask != 0 {
            found |= (mask & mask.wrapping_neg()) * (bits & 1);
            bits >>= 1;
            mask &= mask - 1;
        }
        found
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::_pdep_u64;

    use super::{Machine, Work};

    /// A processor with BMI2: made in [`run`] alone.
    #[derive(Clone, Copy)]
    struct Bmi2(());

    impl Machine for Bmi2 {
        const HAS_DEPOSIT: bool = true;

        #[inline(always)]
        fn deposit(self, bits: u64, mask: u64) -> u64 {
            // SAFETY: there is a value of this type only where BMI2 was found.
            unsafe { _pdep_u64(bits, mask) }
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn run<W: Work>(work: W) -> W::Done {
        work.run(Bmi2(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_deposited_in_order() {
        assert_eq!(Plain.deposit(0b1_1010, 0b1001_1100), 0b1000_1000);
        assert_eq!(Plain.deposit(u64::MAX, 1 << 63 | 1), 1 << 63 | 1);
        assert!(Isa::available().any(|isa| isa == Isa::best()));
    }
}
