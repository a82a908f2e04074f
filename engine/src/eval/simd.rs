//! The network's arithmetic for AVX2 and for AVX-512 with VNNI.
//!
//! The only unsafe code of the evaluation. Two contracts: a function for an instruction set is
//! called only through an [`Isa`] that [`best`] or [`all`] found on this machine; loads and stores
//! go through pointers to arrays of the very size, aligned to 64 bytes by their type. Along random
//! games an evaluation takes 96 ns with AVX-512, 143 ns with AVX2 and 790 ns in plain loops
//! (2.3 GHz).
#![allow(unsafe_code, reason = "instruction sets chosen at run time")]

use super::kernel::Isa;

/// See [`Isa::best`].
pub(super) fn best() -> Isa {
    *all().last().unwrap_or(&Isa::Portable)
}

/// What this machine has, the slowest first.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn all() -> Vec<Isa> {
    vec![Isa::Portable]
}

/// What this machine has, the slowest first.
#[cfg(target_arch = "x86_64")]
pub(super) fn all() -> Vec<Isa> {
    let mut found = vec![Isa::Portable];
    if is_x86_feature_detected!("avx2") {
        found.push(Isa::Avx2);
    }
    let wide = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni");
    if wide && found.contains(&Isa::Avx2) {
        found.push(Isa::Avx512);
    }
    found
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{follow, products};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use crate::eval::accumulator::{Changes, Sums};
    use crate::eval::kernel::{self, Isa};
    use crate::eval::network::{Aligned, FIRST, Head, Network, SECOND, SUMS, VALUES};

    /// See [`Isa::follow`].
    #[inline]
    pub(in crate::eval) fn follow(
        isa: Isa,
        network: &Network,
        from: Option<&Sums>,
        changes: &Changes,
        to: &mut Sums,
    ) {
        match isa {
            Isa::Portable => kernel::follow(network, from, changes, to),
            // SAFETY: the instruction set was found on this machine.
            Isa::Avx2 => unsafe { follow_avx2(network, from, changes, to) },
            // SAFETY: the instruction set was found on this machine.
            Isa::Avx512 => unsafe { follow_avx512(network, from, changes, to) },
        }
    }

    /// The last product's sum, for the side whose view is `turn`.
    #[inline]
    pub(in crate::eval) fn products(isa: Isa, head: &Head, sums: &Sums, turn: usize) -> i32 {
        match isa {
            Isa::Portable => kernel::products(head, &kernel::values(sums, turn)),
            // SAFETY: the instruction set was found on this machine.
            Isa::Avx2 => unsafe { products_avx2(head, sums, turn) },
            // SAFETY: the instruction set was found on this machine.
            Isa::Avx512 => unsafe { products_avx512(head, sums, turn) },
        }
    }

    #[target_feature(enable = "avx2")]
    fn follow_avx2(network: &Network, from: Option<&Sums>, changes: &Changes, to: &mut Sums) {
        kernel::follow(network, from, changes, to);
    }

    /// All sums of a view stay in registers.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx2,bmi1,popcnt")]
    fn follow_avx512(network: &Network, from: Option<&Sums>, changes: &Changes, to: &mut Sums) {
        for view in 0..2 {
            let mut sums = load(&from.unwrap_or(to)[view]);
            for feature in changes.added(view) {
                let row = load(&network.rows[feature]);
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum = _mm512_add_epi16(*sum, weight);
                }
            }
            for feature in changes.removed(view) {
                let row = load(&network.rows[feature]);
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum = _mm512_sub_epi16(*sum, weight);
                }
            }
            let place = to[view].0.as_mut_ptr().cast::<__m512i>();
            for (number, sum) in sums.into_iter().enumerate() {
                // SAFETY: so many registers are all the sums, aligned.
                unsafe { _mm512_store_si512(place.add(number), sum) };
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(sums: &Aligned<[i16; SUMS]>) -> [__m512i; SUMS / 32] {
        let place = sums.0.as_ptr().cast::<__m512i>();
        // SAFETY: so many registers are all the sums, aligned.
        std::array::from_fn(|number| unsafe { _mm512_load_si512(place.add(number)) })
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx2,bmi1,popcnt")]
    fn products_avx512(head: &Head, sums: &Sums, turn: usize) -> i32 {
        let mut values = Aligned([0u8; 2 * VALUES]);
        for (part, view) in [turn, 1 - turn].into_iter().enumerate() {
            values_avx512(&sums[view], &mut values, part);
        }
        // Eight sums, so that no product waits for the one before.
        let bias = &head.first_bias;
        // SAFETY: sixteen sums of 32 bits.
        let mut first = unsafe { _mm512_loadu_si512(bias.as_ptr().cast()) };
        let mut sums = [_mm512_setzero_si512(); 8];
        // Through memory, where a load spreads four inputs over a register for nothing; taken apart in
        // registers they cost two shuffles each, on the one port that has them.
        let values = std::hint::black_box(&values);
        let (inputs, _) = values.0.as_chunks::<4>();
        for (inputs, weights) in inputs.chunks_exact(8).zip(head.first.chunks_exact(8)) {
            for number in 0..8 {
                let input = _mm512_set1_epi32(i32::from_ne_bytes(inputs[number]));
                // SAFETY: the weights of four inputs are 64 bytes, aligned.
                let weight =
                    unsafe { _mm512_load_si512(std::ptr::from_ref(&weights[number]).cast()) };
                sums[number] = _mm512_dpbusd_epi32(sums[number], input, weight);
            }
        }
        for sum in sums {
            first = _mm512_add_epi32(first, sum);
        }
        let inputs = _mm512_cvtepi32_epi8(cut(first));
        let mut bytes = [[0u8; 4]; FIRST / 4];
        // SAFETY: sixteen bytes.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), inputs) };
        last_avx512(head, bytes)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    fn last_avx512(head: &Head, inputs: [[u8; 4]; FIRST / 4]) -> i32 {
        let mut total = _mm512_setzero_si512();
        for half in 0..SECOND / 16 {
            let bias = head.second_bias[16 * half..].as_ptr();
            // SAFETY: sixteen sums of 32 bits from the half's first on.
            let mut second = unsafe { _mm512_loadu_si512(bias.cast()) };
            for (inputs, weights) in inputs.iter().zip(&head.second) {
                let input = _mm512_set1_epi32(i32::from_ne_bytes(*inputs));
                let place = weights[16 * half..].as_ptr();
                // SAFETY: the weights of four inputs for sixteen results are 64 bytes.
                let weight = unsafe { _mm512_loadu_si512(place.cast()) };
                second = _mm512_dpbusd_epi32(second, input, weight);
            }
            let last = head.last[16 * half..].as_ptr();
            // SAFETY: sixteen weights of 32 bits from the half's first on.
            let weight = unsafe { _mm512_loadu_si512(last.cast()) };
            total = _mm512_add_epi32(total, _mm512_mullo_epi32(cut(second), weight));
        }
        head.last_bias.wrapping_add(_mm512_reduce_add_epi32(total))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn cut(sums: __m512i) -> __m512i {
        let values = _mm512_srai_epi32::<6>(sums);
        let values = _mm512_max_epi32(values, _mm512_setzero_si512());
        _mm512_min_epi32(values, _mm512_set1_epi32(127))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn values_avx512(
        sums: &Aligned<[i16; SUMS]>,
        values: &mut Aligned<[u8; 2 * VALUES]>,
        part: usize,
    ) {
        let sums = load(sums);
        let most = _mm512_set1_epi16(127);
        let cut = |sum| _mm512_min_epi16(_mm512_max_epi16(sum, _mm512_setzero_si512()), most);
        let (ones, others) = sums.split_at(VALUES / 32);
        for (number, (one, other)) in ones.iter().zip(others).enumerate() {
            let product = _mm512_mullo_epi16(cut(*one), cut(*other));
            let bytes = _mm512_cvtepi16_epi8(_mm512_srli_epi16::<7>(product));
            let place = values.0[part * VALUES + 32 * number..].as_mut_ptr();
            // SAFETY: 32 bytes from there on are inside, and aligned.
            unsafe { _mm256_store_si256(place.cast(), bytes) };
        }
    }

    #[target_feature(enable = "avx2")]
    fn products_avx2(head: &Head, sums: &Sums, turn: usize) -> i32 {
        let values = kernel::values(sums, turn);
        let mut first = [
            load_avx2(&head.first_bias, 0),
            load_avx2(&head.first_bias, 8),
        ];
        for (inputs, weights) in values.0.as_chunks::<4>().0.iter().zip(&head.first) {
            for (half, sum) in first.iter_mut().enumerate() {
                *sum = add_products(*sum, *inputs, &weights[8 * half..]);
            }
        }
        let mut results = [0i32; FIRST];
        for (half, sum) in first.into_iter().enumerate() {
            // SAFETY: eight sums of 32 bits from the half's first on.
            unsafe { _mm256_storeu_si256(results[8 * half..].as_mut_ptr().cast(), sum) };
        }
        let inputs = results.map(|sum| kernel::cut(sum) as u8);
        let mut total = head.last_bias;
        for quarter in 0..SECOND / 8 {
            let mut sum = load_avx2(&head.second_bias, 8 * quarter);
            for (inputs, weights) in inputs.as_chunks::<4>().0.iter().zip(&head.second) {
                sum = add_products(sum, *inputs, &weights[8 * quarter..]);
            }
            let mut results = [0i32; 8];
            // SAFETY: eight sums of 32 bits.
            unsafe { _mm256_storeu_si256(results.as_mut_ptr().cast(), sum) };
            for (result, weight) in results.into_iter().zip(&head.last[8 * quarter..]) {
                total = total.wrapping_add(kernel::cut(result).wrapping_mul(*weight));
            }
        }
        total
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_avx2(numbers: &[i32], from: usize) -> __m256i {
        let numbers: &[i32; 8] = numbers[from..].first_chunk().unwrap_or(&[0; 8]);
        // SAFETY: eight numbers of 32 bits.
        unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
    }

    /// Adds the products of four inputs for eight results. Pairs of products fit 16 bits: inputs
    /// and weights are at most 127.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_products(sum: __m256i, inputs: [u8; 4], weights: &[[i8; 4]]) -> __m256i {
        let weights: &[[i8; 4]; 8] = weights.first_chunk().unwrap_or(&[[0; 4]; 8]);
        let input = _mm256_set1_epi32(i32::from_ne_bytes(inputs));
        // SAFETY: 32 bytes.
        let weight = unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) };
        let pairs = _mm256_maddubs_epi16(input, weight);
        _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }
}
