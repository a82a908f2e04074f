//! The loops over words of a lone king's square, for many placements of the other side's men.
//!
//! ```text
//! word    a bit for each square of the king, as his side sees it
//! value   two words: L or what wins in the lower half, N or what saves in the upper one
//! ```
//!
//! `kernel` compiles them for each instruction set. Arrays of a chunk keep the loops plain enough
//! to become vectors; what is looked up is collected first, one value at a time.

use engine::board::{Bitboard, Direction, regions, steps};

use super::LANES;
use super::body::Bits;
use crate::kings::neighbours;

/// A word of L, or of what wins, in the lower half; of N, or of what saves, in the upper one.
pub(crate) type Value = u64;

type Words = [u32; LANES];
type Values = [Value; LANES];

/// What captures of the lone king lead to, for placements of the other side's men.
pub(crate) struct KingTakes<'a> {
    /// The men of the king's side.
    pub(crate) own: u32,
    /// The other side's men.
    pub(crate) sets: &'a [Words],
    /// For each chunk and man the place without him in `taken`.
    pub(crate) without: &'a [Words],
    /// Values with one man fewer, at the king's landing square.
    pub(crate) taken: &'a [u64],
    /// Before: the values of positions where the king has landed and does not go on; then: of
    /// all positions where he has just landed.
    pub(crate) landed: &'a mut [Values],
}

/// All placements of the other side's men beside one of the king's side's.
pub(crate) struct LoneRow<'a> {
    /// As in [`KingTakes`].
    pub(crate) own: u32,
    pub(crate) sets: &'a [Words],
    pub(crate) without: &'a [Words],
    pub(crate) taken: &'a [u64],
    /// For each chunk, man and direction, down and right first, the place after a step in `after`,
    /// and after a jump over the king in `king_taken`.
    pub(crate) steps: &'a [Words],
    pub(crate) jumps: &'a [Words],
    /// Values after a jump over the king, at the square on which the man has landed.
    pub(crate) king_taken: &'a [u64],
    /// What the steps of the men of the king's side lead to.
    pub(crate) quiet: &'a [Values],
    /// What captures by and of men lead to, with the men's and with the king's side to move; and
    /// where there are any.
    pub(crate) captures: [&'a [Values]; 2],
    pub(crate) any: [&'a [Words]; 2],
    /// The results with the king's side to move, and behind them what else steps lead to.
    pub(crate) after: &'a mut [u64],
    /// The results with the men's side to move.
    pub(crate) before: &'a mut [Values],
}

/// Two words as one value.
#[inline(always)]
pub(crate) const fn value(low: u32, high: u32) -> Value {
    low as Value | (high as Value) << 32
}

/// A word in both halves of a value.
#[inline(always)]
pub(crate) const fn both(word: u32) -> Value {
    value(word, word)
}

#[inline(always)]
const fn step(squares: u32, direction: Direction) -> u32 {
    steps::step(Bitboard(squares), direction).0
}

#[inline(always)]
fn gather(from: &[u64], at: &Words) -> Values {
    let mut found = [0; LANES];
    for lane in 0..LANES {
        found[lane] = from[at[lane] as usize];
    }
    found
}

/// Moves both halves of a value by two steps; right only where the square between is inside the
/// edge.
#[inline(always)]
const fn far(value: u64, direction: Direction) -> u64 {
    match direction {
        Direction::UpLeft => value << 9,
        Direction::UpRight => value << 7,
        Direction::DownLeft => value >> 7,
        Direction::DownRight => value >> 9,
    }
}

/// Moves both halves of a value by a step; right only for squares from which there is one.
#[inline(always)]
const fn step_both(value: u64, direction: Direction) -> u64 {
    let (even, odd) = (both(0x0F0F_0F0F) & value, both(0xF0F0_F0F0) & value);
    match direction {
        Direction::UpLeft => even << 5 | odd << 4,
        Direction::UpRight => even << 4 | odd << 3,
        Direction::DownLeft => even >> 3 | odd >> 4,
        Direction::DownRight => even >> 4 | odd >> 5,
    }
}

/// Adds the values of landings behind `men` in one direction.
#[inline(always)]
fn add_landings(into: &mut Values, values: &Values, men: &Words, direction: Direction) {
    for lane in 0..LANES {
        let landing = step(men[lane] & regions::INTERIOR.0, direction);
        into[lane] |= values[lane] & both(landing);
    }
}

/// What captures of the king in one chunk lead to, by the square he comes from.
#[inline(always)]
fn king_takes(sets: &Words, without: &[Words], taken: &[u64]) -> Values {
    let mut rest = *sets;
    let mut landings = [[0; LANES]; 4];
    let [up_left, up_right, down_left, down_right] = &mut landings;
    for without in without {
        let values = gather(taken, without);
        let mut men = [0; LANES];
        for lane in 0..LANES {
            men[lane] = rest[lane] & rest[lane].wrapping_neg();
            rest[lane] ^= men[lane];
        }
        add_landings(up_left, &values, &men, Direction::UpLeft);
        add_landings(up_right, &values, &men, Direction::UpRight);
        add_landings(down_left, &values, &men, Direction::DownLeft);
        add_landings(down_right, &values, &men, Direction::DownRight);
    }
    let mut found = [0; LANES];
    for lane in 0..LANES {
        found[lane] = far(up_left[lane], Direction::DownRight)
            | far(up_right[lane], Direction::DownLeft)
            | far(down_left[lane], Direction::UpRight)
            | far(down_right[lane], Direction::UpLeft);
    }
    found
}

/// The squares from which the king can take: behind a man with a free square beyond.
#[inline(always)]
fn takers(sets: &Words, own: u32) -> Words {
    let mut found = [0; LANES];
    for lane in 0..LANES {
        let (set, free) = (sets[lane], !(own | sets[lane]));
        let from = |direction: Direction| step(step(free, direction) & set, direction);
        found[lane] = from(Direction::UpLeft)
            | from(Direction::UpRight)
            | from(Direction::DownLeft)
            | from(Direction::DownRight);
    }
    found
}

/// What captures of the king by men in one chunk lead to, by the square he stands on.
#[inline(always)]
fn king_taken(sets: &Words, jumps: &[Words], taken: &[u64]) -> Values {
    let mut rest = *sets;
    let [mut right, mut left] = [[0; LANES]; 2];
    for jumps in jumps.chunks_exact(2) {
        let [to_right, to_left] = [&jumps[0], &jumps[1]].map(|jumps| gather(taken, jumps));
        for lane in 0..LANES {
            let man = rest[lane] & rest[lane].wrapping_neg();
            rest[lane] ^= man;
            right[lane] |= to_right[lane] & both(man >> 9);
            left[lane] |= to_left[lane] & both(man >> 7);
        }
    }
    let mut found = [0; LANES];
    for lane in 0..LANES {
        found[lane] =
            step_both(right[lane], Direction::UpLeft) | step_both(left[lane], Direction::UpRight);
    }
    found
}

/// The squares on which the king can be taken: between a man and a free square below.
#[inline(always)]
fn takable(sets: &Words, own: u32) -> Words {
    let mut found = [0; LANES];
    for lane in 0..LANES {
        let (set, free) = (sets[lane], !(own | sets[lane]));
        found[lane] = step(set, Direction::DownLeft) & step(free, Direction::UpRight)
            | step(set, Direction::DownRight) & step(free, Direction::UpLeft);
    }
    found
}

/// The squares on which the king can stand; none where men of both sides meet.
#[inline(always)]
fn legal(sets: &Words, own: u32) -> Words {
    let mut found = [0; LANES];
    for lane in 0..LANES {
        let meet = sets[lane] & own != 0 || sets[lane] == u32::MAX;
        found[lane] = if meet { 0 } else { !(own | sets[lane]) };
    }
    found
}

/// The values of positions from what steps and captures lead to.
#[inline(always)]
fn decide(legal: &Words, quiet: &Values, captures: [&Values; 2], any: [&Words; 2]) -> Values {
    let mut found = [0; LANES];
    for lane in 0..LANES {
        let quiet = quiet[lane] & !both(any[0][lane] | any[1][lane]);
        let led = quiet | captures[0][lane] | captures[1][lane];
        // Lost is what nothing saves; open is what nothing wins.
        found[lane] = both(legal[lane]) & !led.rotate_left(32);
    }
    found
}

#[inline(always)]
pub(super) fn king_landed<B: Bits>(takes: &mut KingTakes<'_>) {
    let men = takes.without.len() / takes.sets.len();
    let chunks = takes.sets.iter().zip(takes.without.chunks_exact(men));
    for ((sets, without), landed) in chunks.zip(&mut *takes.landed) {
        let found = king_takes(sets, without, takes.taken);
        let (any, legal) = (takers(sets, takes.own), legal(sets, takes.own));
        for lane in 0..LANES {
            let stays = landed[lane] & !both(any[lane]);
            landed[lane] = both(legal[lane]) & (found[lane] | stays);
        }
    }
}

#[inline(always)]
pub(super) fn lone_row<B: Bits>(row: &mut LoneRow<'_>) {
    let men = row.without.len() / row.sets.len();
    for (nth, sets) in row.sets.iter().enumerate() {
        let ways = 2 * men * nth..2 * men * (nth + 1);
        let legal = legal(sets, row.own);
        let mut quiet = [0; LANES];
        for steps in &row.steps[ways.clone()] {
            let values = gather(row.after, steps);
            for lane in 0..LANES {
                quiet[lane] |= values[lane];
            }
        }
        let taken = king_taken(sets, &row.jumps[ways], row.king_taken);
        let captures = [&taken, &row.captures[0][nth]];
        let any = [&takable(sets, row.own), &row.any[0][nth]];
        let before = decide(&legal, &quiet, captures, any);
        row.before[nth] = before;

        let mut quiet = row.quiet[nth];
        for lane in 0..LANES {
            let low = neighbours(before[lane] as u32);
            let high = neighbours((before[lane] >> 32) as u32);
            quiet[lane] |= value(low, high);
        }
        let takes = king_takes(sets, &row.without[men * nth..men * (nth + 1)], row.taken);
        let captures = [&takes, &row.captures[1][nth]];
        let any = [&takers(sets, row.own), &row.any[1][nth]];
        let after = decide(&legal, &quiet, captures, any);
        row.after[LANES * nth..LANES * (nth + 1)].copy_from_slice(&after);
    }
}
