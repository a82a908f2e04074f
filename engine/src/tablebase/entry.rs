//! The probabilities of three values in 13 bits, and what coding with them costs.
//!
//! Knows nothing of contexts. Start reading at [`Entry`].

use std::sync::LazyLock;

const ORDERS: [[u8; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Probabilities in 65536ths, each 27/32 of the last, from two thirds down.
pub(super) const FIRST_MISS: [u16; 64] = ladder(43_690, 27, 32);
/// Probabilities in 65536ths, each 5/8 of the last, from a half down.
const SECOND_MISS: [u16; 16] = ladder(32_768, 5, 8);

/// Probabilities in 65536ths, each 4/5 of the last, from a half down.
const EVEN_MISS: [u16; 32] = ladder(32_768, 4, 5);

const fn ladder<const N: usize>(top: u64, up: u64, down: u64) -> [u16; N] {
    let mut steps = [0; N];
    let mut exact = top << 16;
    let mut i = 0;
    while i < N {
        let rounded = (exact + (1 << 15)) >> 16;
        steps[i] = if rounded == 0 { 1 } else { rounded as u16 };
        exact = exact * up / down;
        i += 1;
    }
    steps
}

/// How often each value was seen.
pub(super) type Tally = [u32; 3];

/// The probabilities of the three values, rounded to what an entry can say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry(pub(super) u16);

impl Entry {
    /// The best entry; with `doubt`, as if one more surprise had been seen.
    pub(super) fn fit(tally: Tally, doubt: u32) -> Self {
        let order = (0..6)
            .max_by_key(|&order| {
                let [first, second, third] = ORDERS[order].map(|value| tally[usize::from(value)]);
                (first >= second && second >= third, 6 - order)
            })
            .unwrap_or(0);
        let [first, second, third] = ORDERS[order].map(|value| tally[usize::from(value)]);
        let miss = nearest(&LADDERS.first, second + third + doubt, first);
        let last = nearest(&LADDERS.second, third + doubt, second);
        Self((order * 1024 + miss * 16 + last) as u16)
    }

    #[inline]
    pub(super) const fn order(self) -> [u8; 3] {
        ORDERS[(self.0 as usize / 1024) % 6]
    }

    /// The first of the order: two orders begin with each value.
    #[inline]
    pub(super) const fn likely(self) -> u8 {
        (self.0 >> 11) as u8
    }

    /// The probability that it is not the first.
    #[inline]
    pub(super) const fn first_miss(self) -> u16 {
        FIRST_MISS[self.0 as usize / 16 % 64]
    }

    /// The probability that it is then not the second.
    #[inline]
    pub(super) const fn second_miss(self) -> u16 {
        SECOND_MISS[self.0 as usize % 16]
    }

    /// The numbers of the order and of the two steps.
    pub(super) const fn parts(self) -> [usize; 3] {
        let code = self.0 as usize;
        [code / 1024, code / 16 % 64, code % 16]
    }

    /// What coding `tally` with this entry costs, in bits.
    pub(super) fn cost(self, tally: Tally) -> f64 {
        let [first, second, third] = self.order().map(|value| tally[usize::from(value)]);
        let code = usize::from(self.0);
        LADDERS.first[code / 16 % 64].cost(second + third, first)
            + LADDERS.second[code % 16].cost(third, second)
    }
}

/// What a miss and a hit cost with one step of a ladder, in bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    miss: f64,
    hit: f64,
}

impl Step {
    fn cost(self, misses: u32, hits: u32) -> f64 {
        f64::from(misses) * self.miss + f64::from(hits) * self.hit
    }
}

pub(super) struct Ladders {
    pub(super) first: [Step; 64],
    second: [Step; 16],
    even: [Step; 32],
}

pub(super) static LADDERS: LazyLock<Ladders> = LazyLock::new(|| {
    let step = |chance: u16| {
        let chance = f64::from(chance) / 65_536.0;
        Step {
            miss: -chance.log2(),
            hit: -(1.0 - chance).log2(),
        }
    };
    Ladders {
        first: FIRST_MISS.map(step),
        second: SECOND_MISS.map(step),
        even: EVEN_MISS.map(step),
    }
});

/// The probability of a one, in 65536ths: one of 32 steps from a half down and, numbered from 32 on,
/// what those leave.
pub(super) const fn chance(step: u8) -> u16 {
    let miss = EVEN_MISS[step as usize % 32];
    if step < 32 {
        miss
    } else {
        0_u16.wrapping_sub(miss)
    }
}

/// The best step for a decision that was a zero and a one so often.
pub(super) fn fit_chance([zeros, ones]: [u32; 2]) -> u8 {
    let (rare, common) = (zeros.min(ones), zeros.max(ones));
    let step = nearest(&LADDERS.even, rare, common) as u8;
    if ones > zeros { step + 32 } else { step }
}

/// What so many zeros and ones cost with a step, in bits.
pub(super) fn chance_cost(step: u8, [zeros, ones]: [u32; 2]) -> f64 {
    let costs = LADDERS.even[usize::from(step) % 32];
    if step < 32 {
        costs.cost(ones, zeros)
    } else {
        costs.cost(zeros, ones)
    }
}

/// The step of a ladder under which `misses` among `misses + hits` cost least. The cost falls and
/// then rises along the ladder.
pub(super) fn nearest(ladder: &[Step], misses: u32, hits: u32) -> usize {
    let (mut low, mut high) = (0, ladder.len() - 1);
    while low < high {
        let middle = (low + high) / 2;
        if ladder[middle + 1].cost(misses, hits) < ladder[middle].cost(misses, hits) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
