//! Distances of 16,384 positions, coded together.
//!
//! Only lost positions without a capture have a stored distance: that of a won one follows from
//! its moves. Among them are positions whose value is not stored (module `rest`), so that for these
//! it is told first whether they are lost. Positions are coded in the order of their numbers. A
//! distance is told as its difference from what is known nearby, in binary decisions whose
//! probabilities adapt within the unit:
//!
//! ```text
//! lost?     in the context of the last two answers, and of whether the position before in which
//!           our kings are placed alike and theirs as they were is lost, not lost, or out of the unit
//! nearby    the last distance of the same parity of the sum of rows, the one where our kings are
//!           placed alike and theirs as they were before, the one where our second king stands one
//!           square lower; their median M (of two the first, of none 2)
//! spread    how many are known, and how far they are apart: 6 classes
//! decisions odd or even, in the context of M's parity and the spread; then with h = distance / 2
//!           and m = M / 2, in the context of m (8 classes) and the spread: h = m? h < m?
//!           and |h - m| - 1 as so many times yes and a no, from the thirteenth on with
//!           probabilities of a half
//! estimate  starts at a half; the n-th decision moves it by 1/(n + 1), later ones by 1/32
//! ```
//!
//! Start reading at `code`.

use super::super::coder::{Decoder, Encoder};
use super::super::index::{Index, choose};
use super::super::walk::Walk;
use crate::board::regions;

/// Positions in a unit.
pub const UNIT: usize = 16_384;

/// A place without a stored distance.
pub const NONE: u8 = u8::MAX;

/// The longest distance that can be told.
pub const MOST: u8 = 2 * MOST_HALF;

/// What is known of a position before its distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Not lost, or with a capture: without a stored distance.
    Other,
    /// Perhaps lost, without a capture.
    Perhaps,
    /// Lost, without a capture.
    Lost,
}

const SPREADS: usize = 6;
const SIZES: usize = 8;
/// Decisions of one context: equal, below, and the steps.
const DECISIONS: usize = 2 + STEPS;
const STEPS: usize = 12;
/// Half of the longest distance that can be told.
const MOST_HALF: u8 = 126;
const SLOWEST: u16 = 31;

/// An adapting probability of a yes.
#[derive(Clone, Copy)]
struct Estimate {
    yes: u16,
    seen: u16,
}

impl Estimate {
    const NEW: Self = Self {
        yes: 1 << 15,
        seen: 0,
    };

    fn learn(&mut self, yes: bool) {
        self.seen = (self.seen + 1).min(SLOWEST);
        let target = if yes { 65_535 } else { 0 };
        let step = (target - i32::from(self.yes)) / i32::from(self.seen + 1);
        // Never certain, so that anything can be told.
        self.yes = (i32::from(self.yes) + step).clamp(64, 65_536 - 64) as u16;
    }
}

/// Either end of the coder: the writer is told each decision, the reader finds it.
trait Decide {
    fn decide(&mut self, told: bool, yes: u16) -> bool;

    fn learn(&mut self, estimate: &mut Estimate, told: bool) -> bool {
        let yes = self.decide(told, estimate.yes);
        estimate.learn(yes);
        yes
    }
}

impl Decide for Encoder {
    fn decide(&mut self, told: bool, yes: u16) -> bool {
        self.encode(told, yes);
        told
    }
}

impl Decide for Decoder<'_> {
    fn decide(&mut self, _: bool, yes: u16) -> bool {
        self.decode(yes)
    }
}

struct Estimates {
    lost: [Estimate; 12],
    parity: [Estimate; 2 * SPREADS],
    rest: [Estimate; SIZES * SPREADS * DECISIONS],
}

impl Estimates {
    const fn new() -> Self {
        Self {
            lost: [Estimate::NEW; 12],
            parity: [Estimate::NEW; 2 * SPREADS],
            rest: [Estimate::NEW; SIZES * SPREADS * DECISIONS],
        }
    }

    /// Tells or finds one distance; `told` counts for the writer alone.
    fn code(&mut self, end: &mut impl Decide, (near, spread): (u8, usize), told: u8) -> u8 {
        let odd = &mut self.parity[usize::from(near & 1) * SPREADS + spread];
        let odd = end.learn(odd, told & 1 != 0);
        let (half, middle) = (told / 2, near / 2);
        let first = (size(middle) * SPREADS + spread) * DECISIONS;
        let [equal, below, steps @ ..] = &mut self.rest[first..first + DECISIONS] else {
            return NONE;
        };
        if end.learn(equal, half == middle) {
            return (middle * 2) | u8::from(odd);
        }
        let is_below = end.learn(below, half < middle);
        let beyond = half.abs_diff(middle).wrapping_sub(1);
        let mut count = 0;
        while count < MOST_HALF {
            let mut even = Estimate::NEW;
            let step = steps.get_mut(usize::from(count)).unwrap_or(&mut even);
            if !end.learn(step, count < beyond) {
                break;
            }
            count += 1;
        }
        let half = if is_below {
            middle.saturating_sub(count + 1)
        } else {
            middle + count + 1
        };
        (half.min(MOST_HALF) * 2) | u8::from(odd)
    }
}

/// The class of half a distance.
const fn size(half: u8) -> usize {
    match half {
        0..=3 => half as usize,
        4..=5 => 4,
        6..=9 => 5,
        10..=17 => 6,
        _ => 7,
    }
}

/// What is known of the distances before the current one.
struct Nearby {
    /// The last distance of each parity.
    same: [u8; 2],
    /// The last two answers to "lost?".
    answers: usize,
    row: usize,
    two_kings: bool,
}

impl Nearby {
    fn new(index: &Index) -> Self {
        Self {
            same: [NONE; 2],
            answers: 0,
            row: usize::try_from(index.row_len()).unwrap_or(UNIT),
            two_kings: index.slice().own.kings > 1,
        }
    }

    fn is_lost(
        &mut self,
        estimates: &mut Estimates,
        end: &mut impl Decide,
        distances: &[u8],
        at: usize,
    ) -> bool {
        let above = match at.checked_sub(self.row) {
            Some(before) => usize::from(distances[before] != NONE),
            None => 2,
        };
        let estimate = &mut estimates.lost[self.answers * 3 + above];
        let lost = end.learn(estimate, distances[at] != NONE);
        self.answers = (self.answers << 1 | usize::from(lost)) & 3;
        lost
    }

    fn guess(&self, distances: &[u8], at: usize, walk: &Walk) -> (u8, usize) {
        let back = |by: usize| at.checked_sub(by).map_or(NONE, |before| distances[before]);
        let lower = if self.two_kings { lower(walk) } else { None };
        let last = self.same[parity(walk)];
        let mut known = [last, back(self.row), lower.map_or(NONE, back)];
        let first = known.into_iter().find(|&it| it != NONE);
        known.sort_unstable();
        let Some(first) = first else {
            return (2, 0);
        };
        let apart = |low: u8, high: u8| match (high - low) / 2 {
            0 => 2,
            1 => 3,
            2..=3 => 4,
            _ => 5,
        };
        match known {
            [_, NONE, _] => (first, 1),
            [low, high, NONE] => (first, apart(low, high)),
            [low, middle, high] => (middle, apart(low, high)),
        }
    }
}

/// How far back the position is in which our second king stands one square lower.
fn lower(walk: &Walk) -> Option<usize> {
    let [kings, ..] = walk.digits();
    let second = kings.0 & (kings.0 - 1);
    let square = second.trailing_zeros();
    if square == 0 || square >= 32 || kings.0 >> (square - 1) & 1 != 0 {
        return None;
    }
    Some(choose(square - 1, 1) as usize)
}

fn parity(walk: &Walk) -> usize {
    let placement = walk.placement();
    let turned = placement.their_men.0 ^ placement.their_kings.0;
    let sets = placement.own_men.0 ^ placement.own_kings.0 ^ turned;
    ((sets & regions::ODD_ROWS.0).count_ones() & 1) as usize
}

/// Runs through a unit and tells or finds whether positions are lost, and their distances.
fn code(
    index: &Index,
    unit: u64,
    mut kind: impl FnMut(usize, &Walk) -> Kind,
    end: &mut impl Decide,
    distances: &mut [u8],
) {
    let mut estimates = Estimates::new();
    let mut nearby = Nearby::new(index);
    let mut walk = Walk::new(index, unit * UNIT as u64);
    for at in 0..distances.len() {
        let lost = match kind(at, &walk) {
            Kind::Other => false,
            Kind::Perhaps => nearby.is_lost(&mut estimates, end, distances, at),
            Kind::Lost => true,
        };
        distances[at] = if lost {
            let near = nearby.guess(distances, at, &walk);
            let found = estimates.code(end, near, distances[at]);
            nearby.same[parity(&walk)] = found;
            found
        } else {
            NONE
        };
        walk.advance();
    }
}

/// The bytes that tell the distances of a unit (at most [`MOST`] plies each, [`NONE`] where a
/// position is not lost); `kind` says what is known before, with a place in the unit.
#[must_use]
pub fn encode(
    index: &Index,
    unit: u64,
    distances: &[u8],
    kind: impl FnMut(usize, &Walk) -> Kind,
) -> Vec<u8> {
    let mut encoder = Encoder::new();
    code(index, unit, kind, &mut encoder, &mut distances.to_vec());
    encoder.finish()
}

/// The distances that `bytes` tell, `len` of them, [`NONE`] where there is none. Bytes that
/// [`encode`] did not write give distances without meaning, never a panic.
#[must_use]
pub fn decode(
    index: &Index,
    unit: u64,
    len: usize,
    bytes: &[u8],
    kind: impl FnMut(usize, &Walk) -> Kind,
) -> Box<[u8]> {
    let mut distances = vec![NONE; len].into_boxed_slice();
    code(index, unit, kind, &mut Decoder::new(bytes), &mut distances);
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::Slice;

    /// Kinds and distances with some regularity and some without.
    fn made_up(number: u64, at: usize) -> (Kind, u8) {
        let kind = [Kind::Lost, Kind::Perhaps, Kind::Other][(number as usize + at / 3) % 3];
        let distance = match (number + at as u64) % 7 {
            0..=2 if kind == Kind::Perhaps => NONE,
            _ if kind == Kind::Other => NONE,
            1 => (at * 37 % 251) as u8,
            _ => (at / 50 % 120 * 2) as u8,
        };
        (kind, distance)
    }

    #[test]
    fn distances_come_back() {
        for slice in (3..=4).flat_map(|pieces| Slice::all(pieces, 3)) {
            let index = Index::new(slice);
            for unit in (0..index.len().div_ceil(UNIT as u64)).step_by(5) {
                let len = (index.len() - unit * UNIT as u64).min(UNIT as u64) as usize;
                let told: Vec<u8> = (0..len).map(|at| made_up(unit, at).1).collect();
                let kind = |at: usize, _: &Walk| made_up(unit, at).0;
                let bytes = encode(&index, unit, &told, kind);
                let found = decode(&index, unit, len, &bytes, kind);
                assert!(told == *found, "{slice} unit {unit}");
            }
        }
    }

    #[test]
    fn any_bytes_decode_to_something() {
        let index = Index::new(Slice::all(4, 2)[4]);
        for first in 0..=255 {
            let bytes = [first, !first, 77, first];
            let found = decode(&index, 0, UNIT, &bytes, |_, _| Kind::Lost);
            assert!(found.iter().all(|&it| it != NONE));
        }
    }
}
