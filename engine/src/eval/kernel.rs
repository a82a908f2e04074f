//! The network's arithmetic in plain loops, and the choice of the instructions that do it.
//!
//! `simd` has the same functions for single instruction sets; all give the same numbers, because
//! no sum can pass 32 bits.

use super::accumulator::{Changes, Sums};
use super::network::{Aligned, FIRST, Head, Network, SECOND, SUMS, VALUES, head};
use super::simd;

/// The instructions that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isa {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The values of both views: the mover's, then the other's.
pub(super) type Values = Aligned<[u8; 2 * VALUES]>;

impl Isa {
    /// The fastest that this machine has.
    pub(super) fn best() -> Self {
        simd::best()
    }

    /// All that this machine has.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        simd::all()
    }

    /// Makes `to` what `from`, or without it what it is itself, becomes by `changes`.
    #[inline]
    pub(super) fn follow(
        self,
        network: &Network,
        from: Option<&Sums>,
        changes: &Changes,
        to: &mut Sums,
    ) {
        match self {
            Self::Portable => follow(network, from, changes, to),
            #[cfg(target_arch = "x86_64")]
            other => simd::follow(other, network, from, changes, to),
        }
    }

    /// The value in hundredths of a man for the side whose view is `turn`, 0 Black or 1 White.
    #[inline]
    pub(super) fn value(self, network: &Network, sums: &Sums, turn: usize, pieces: usize) -> i32 {
        let head = &network.heads[head(pieces)];
        let sum = match self {
            Self::Portable => products(head, &values(sums, turn)),
            #[cfg(target_arch = "x86_64")]
            other => simd::products(other, head, sums, turn),
        };
        (sum + (1 << 11)) >> 12
    }
}

/// See [`Isa::follow`].
#[inline(always)]
pub(super) fn follow(network: &Network, from: Option<&Sums>, changes: &Changes, to: &mut Sums) {
    for view in 0..2 {
        let mut sums = from.unwrap_or(to)[view].0;
        for feature in changes.added(view) {
            let row = &network.rows[feature].0;
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
        }
        for feature in changes.removed(view) {
            let row = &network.rows[feature].0;
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
        }
        to[view].0 = sums;
    }
}

/// Half of the sums times the other half.
#[inline(always)]
pub(super) fn values(sums: &Sums, turn: usize) -> Values {
    let mut values = Aligned([0; 2 * VALUES]);
    for (part, view) in [turn, 1 - turn].into_iter().enumerate() {
        let sums: &[i16; SUMS] = &sums[view].0;
        for value in 0..VALUES {
            let (one, other) = (cut16(sums[value]), cut16(sums[value + VALUES]));
            values.0[part * VALUES + value] = ((one * other) >> 7) as u8;
        }
    }
    values
}

#[inline(always)]
fn cut16(sum: i16) -> i16 {
    sum.clamp(0, 127)
}

/// A result of a product as the input of the next.
#[inline(always)]
pub(super) fn cut(sum: i32) -> i32 {
    (sum >> 6).clamp(0, 127)
}

/// The last product's sum.
#[inline(always)]
pub(super) fn products(head: &Head, values: &Values) -> i32 {
    let mut first: [i32; FIRST] = head.first_bias;
    add_products(&mut first, &values.0, &head.plain_first);
    let inputs = first.map(|sum| cut(sum) as u8);
    let mut second: [i32; SECOND] = head.second_bias;
    add_products(&mut second, &inputs, &head.plain_second);
    let products = second.iter().zip(&head.last);
    products.fold(head.last_bias, |sum, (&result, &weight)| {
        sum.wrapping_add(cut(result).wrapping_mul(weight))
    })
}

/// Adds every input times its row. Most inputs are zero, often four in a row.
#[inline(always)]
fn add_products<const N: usize>(sums: &mut [i32; N], inputs: &[u8], rows: &[[i16; N]]) {
    for (inputs, rows) in inputs
        .as_chunks::<4>()
        .0
        .iter()
        .zip(rows.as_chunks::<4>().0)
    {
        if *inputs == [0; 4] {
            continue;
        }
        for (&input, row) in inputs.iter().zip(rows) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += i32::from(i16::from(input)) * i32::from(*weight);
            }
        }
    }
}
