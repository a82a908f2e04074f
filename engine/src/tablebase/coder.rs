//! A binary range coder with 16-bit probabilities.
//!
//! ```text
//! range   32 bits, kept at 2^24 or more; the upper `miss` / 65536 of it stands for a miss
//! bytes   most significant first; beyond the last one zeros are read
//! pair    two codes in one run of bytes: the first reads them forwards, the second backwards from
//!         the end, so that one length does for both; what either reads beyond its own bytes does
//!         not matter
//! ```
//!
//! Knows nothing of positions. The last bytes are chosen so that as few as possible are needed.

use std::hint::cold_path;

const BOTTOM: u32 = 1 << 24;

/// Writes decisions.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    low: u64,
    range: u32,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) const fn new() -> Self {
        Self {
            low: 0,
            range: u32::MAX,
            bytes: Vec::new(),
        }
    }

    /// Writes one decision, a miss having the probability `miss` / 65536 (not 0).
    pub(super) fn encode(&mut self, is_miss: bool, miss: u16) {
        let bound = (self.range >> 16) * u32::from(miss);
        if is_miss {
            self.low += u64::from(self.range - bound);
            self.range = bound;
        } else {
            self.range -= bound;
        }
        while self.range < BOTTOM {
            self.shift();
            self.range <<= 8;
        }
    }

    fn shift(&mut self) {
        self.carry();
        self.bytes.push((self.low >> 24) as u8);
        self.low = (self.low << 8) & 0xFFFF_FFFF;
    }

    /// Moves what has grown beyond 32 bits into the bytes already written.
    fn carry(&mut self) {
        if self.low >> 32 != 0 {
            self.low &= 0xFFFF_FFFF;
            for byte in self.bytes.iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
    }

    /// The shortest bytes that stand for what was written, zeros following.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = self.before(&[]);
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        bytes
    }

    /// The shortest bytes that stand for what was written when `after` and then zeros follow.
    fn before(self, after: &[u8]) -> Vec<u8> {
        let next = |nth: usize| u64::from(after.get(nth).copied().unwrap_or(0));
        self.end(|left| {
            let known = (0..left).fold(0, |known, nth| known << 8 | next(nth));
            (known, known)
        })
    }

    /// The shortest bytes that stand for what was written, whatever follows.
    fn before_any(self) -> Vec<u8> {
        self.end(|left| (0, (1 << (8 * left)) - 1))
    }

    /// Adds as few bytes as will do, at most four; `following` tells between what those lie that
    /// follow, of four bytes so many as are left, as a number.
    fn end(mut self, following: impl Fn(usize) -> (u64, u64)) -> Vec<u8> {
        let end = self.low + u64::from(self.range);
        for len in 0..=4 {
            let step = 1_u64 << (8 * (4 - len));
            let (least, most) = following(4 - len);
            let value = self.low.saturating_sub(least).div_ceil(step) * step;
            // With all four bytes chosen nothing follows, so this ends.
            if value + most < end {
                self.low = value;
                self.carry();
                let chosen = (self.low as u32).to_be_bytes();
                self.bytes.extend(&chosen[..len]);
                break;
            }
        }
        self.bytes
    }

    /// The bytes of two: the first is read forwards, the second backwards from the end. At least
    /// one byte, so that there is something.
    pub(super) fn join(first: Option<&Self>, second: Option<&Self>) -> Vec<u8> {
        let reversed = |mut bytes: Vec<u8>| {
            bytes.reverse();
            bytes
        };
        let mut bytes = match (first.cloned(), second.cloned()) {
            (Some(first), Some(second)) => Self::join_both(first, second),
            (Some(first), None) => first.finish(),
            (None, Some(second)) => reversed(second.finish()),
            (None, None) => Vec::new(),
        };
        if bytes.is_empty() {
            bytes.push(0);
        }
        bytes
    }

    /// Either may end so that it does not matter what follows, and the other knows it then.
    fn join_both(first: Self, second: Self) -> Vec<u8> {
        let mut back = second.clone().before_any();
        back.reverse();
        let mut one_way = first.clone().before(&back);
        one_way.extend(back);
        let mut other_way = first.before_any();
        let turned: Vec<u8> = other_way.iter().rev().copied().collect();
        other_way.extend(second.before(&turned).into_iter().rev());
        if other_way.len() < one_way.len() {
            other_way
        } else {
            one_way
        }
    }
}

/// Reads decisions back.
#[derive(Clone, Debug)]
pub(super) struct Decoder<'a> {
    code: u32,
    range: u32,
    bytes: &'a [u8],
    at: usize,
    step: usize,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self::from(bytes, 0, 1)
    }

    /// Reads from the last byte to the first.
    pub(super) fn backwards(bytes: &'a [u8]) -> Self {
        Self::from(bytes, bytes.len().wrapping_sub(1), usize::MAX)
    }

    fn from(bytes: &'a [u8], at: usize, step: usize) -> Self {
        let mut decoder = Self {
            code: 0,
            range: u32::MAX,
            bytes,
            at,
            step,
        };
        for _ in 0..4 {
            decoder.shift();
        }
        decoder
    }

    #[inline(always)]
    fn shift(&mut self) {
        self.code = self.code << 8 | byte(self.bytes, self.at);
        self.at = self.at.wrapping_add(self.step);
    }

    /// Whether the next decision is a miss, of probability `miss` / 65536.
    ///
    /// A branch, not a choice between numbers: the next decision need not wait for this one.
    #[inline(always)]
    pub(super) fn decode(&mut self, miss: u16) -> bool {
        let bound = (self.range >> 16) * u32::from(miss);
        let hits = self.range - bound;
        if self.code < hits {
            self.range = hits;
            self.normalise();
            return false;
        }
        cold_path();
        self.code -= hits;
        self.range = bound;
        self.normalise();
        true
    }

    #[inline(always)]
    fn normalise(&mut self) {
        while self.range < BOTTOM {
            cold_path();
            self.shift();
            self.range <<= 8;
        }
    }
}

/// The byte at a place, or zero beyond the last. Not inlined, which leaves more registers to the
/// loops that seldom need a byte.
#[cold]
#[inline(never)]
fn byte(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at).copied().unwrap_or(0).into()
}

/// Something that writes decisions or reads them, so that one description of a form serves both.
///
/// Chances are learnt on the way: each decision moves its own by a 32nd part.
pub(super) trait Tape {
    /// Writes a decision, or reads the one in whose place `known` stands.
    fn decide(&mut self, known: bool, miss: u16) -> bool;

    /// The same with a chance that is learnt.
    fn learn(&mut self, known: bool, miss: &mut u16) -> bool {
        let found = self.decide(known, *miss);
        if found {
            *miss += (u16::MAX - *miss) >> 5;
        } else {
            *miss -= *miss >> 5;
        }
        found
    }

    /// A number of `bits` bits, high ones first, each with the chance at the node where it is
    /// decided; there are 2^`bits` nodes.
    fn number(&mut self, bits: u32, known: usize, nodes: &mut [u16]) -> usize {
        let mut node = 1;
        for bit in (0..bits).rev() {
            let found = self.learn(known >> bit & 1 != 0, &mut nodes[node]);
            node = node << 1 | usize::from(found);
        }
        node - (1 << bits)
    }
}

impl Tape for Encoder {
    fn decide(&mut self, known: bool, miss: u16) -> bool {
        self.encode(known, miss);
        known
    }
}

impl Tape for Decoder<'_> {
    fn decide(&mut self, _: bool, miss: u16) -> bool {
        self.decode(miss)
    }
}

/// The chance of a decision of which nothing is known.
pub(super) const EVEN: u16 = 1 << 15;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn learnt_numbers_come_back(numbers in prop::collection::vec(0_usize..64, 0..300)) {
            let mut encoder = Encoder::new();
            let mut nodes = [EVEN; 64];
            for &number in &numbers {
                encoder.number(6, number, &mut nodes);
            }
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            nodes = [EVEN; 64];
            for &number in &numbers {
                prop_assert_eq!(decoder.number(6, 0, &mut nodes), number);
            }
        }

        #[test]
        fn decisions_come_back(decisions in prop::collection::vec((any::<bool>(), 1..=u16::MAX), 0..600)) {
            let mut encoder = Encoder::new();
            for &(is_miss, miss) in &decisions {
                encoder.encode(is_miss, miss);
            }
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            for &(is_miss, miss) in &decisions {
                prop_assert_eq!(decoder.decode(miss), is_miss);
            }
        }
    }

    proptest! {
        #[test]
        fn pairs_come_back(
            pair in prop::array::uniform2(
                prop::collection::vec((any::<bool>(), 1..=u16::MAX), 0..60),
            ),
        ) {
            let encoders = [0, 1].map(|nth| {
                let mut encoder = Encoder::new();
                for &(is_miss, miss) in &pair[nth] {
                    encoder.encode(is_miss, miss);
                }
                encoder
            });
            let [first, second] = &encoders;
            let bytes = Encoder::join(Some(first), Some(second));
            // Each of them could end so that it does not matter what follows.
            let apart = first.clone().before_any().len() + second.clone().before_any().len();
            prop_assert!(bytes.len() <= apart.max(1));
            for (mut decoder, decisions) in
                [Decoder::new(&bytes), Decoder::backwards(&bytes)].into_iter().zip(&pair)
            {
                for &(is_miss, miss) in decisions {
                    prop_assert_eq!(decoder.decode(miss), is_miss);
                }
            }
            let alone = Encoder::join(None, Some(second));
            let mut decoder = Decoder::backwards(&alone);
            for &(is_miss, miss) in &pair[1] {
                prop_assert_eq!(decoder.decode(miss), is_miss);
            }
        }
    }

    #[test]
    fn what_is_expected_costs_next_to_nothing() {
        let mut encoder = Encoder::new();
        for _ in 0..4096 {
            encoder.encode(false, 1);
        }
        assert_eq!(encoder.finish(), []);
    }

    #[test]
    fn a_carry_runs_through_all_bytes() {
        let mut encoder = Encoder::new();
        for _ in 0..200 {
            encoder.encode(true, 1);
            encoder.encode(false, u16::MAX);
        }
        let bytes = encoder.finish();
        let mut decoder = Decoder::new(&bytes);
        for _ in 0..200 {
            assert!(decoder.decode(1));
            assert!(!decoder.decode(u16::MAX));
        }
    }
}
