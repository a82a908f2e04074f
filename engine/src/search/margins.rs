//! Every depth-dependent decision of the search as one small named function.

use super::params::{
    FUTILITY_DEPTH, FUTILITY_MARGIN, HOPELESS_BASE, HOPELESS_DEPTH, HOPELESS_SLOPE, LATE_BASE,
    LATE_DEPTH, PROBCUT_BASE, PROBCUT_DEPTH, PROBCUT_SHARE, PROBCUT_SLOPE, RAZOR_DEPTH,
    RAZOR_MARGIN, REDUCTION_BASE, REDUCTION_CUT, REDUCTION_DEPTH, REDUCTION_HISTORY,
    REDUCTION_MOVES, REDUCTION_PV, REDUCTION_SLOPE, REDUCTION_WORSE, SINGULAR_BASE, SINGULAR_DEPTH,
    SINGULAR_LAG, SINGULAR_SLOPE,
};
use super::table::Found;
use crate::score::{Bound, Depth, Score};

/// 64 times the binary logarithm of `number`, rounded down; 0 for 0. Integers only, so that
/// every machine reduces alike.
const fn log2_64(number: u64) -> i32 {
    if number == 0 {
        return 0;
    }
    let whole = number.ilog2();
    // The fraction bit by bit: squaring doubles the logarithm.
    let mut square = (number << 31) >> whole;
    let mut result = whole as i32;
    let mut bit = 0;
    while bit < 6 {
        square = (square * square) >> 31;
        result *= 2;
        if square >= 1 << 32 {
            square >>= 1;
            result += 1;
        }
        bit += 1;
    }
    result
}

const LOGARITHMS: [i32; 256] = {
    let mut table = [0; 256];
    let mut number = 0;
    while number < table.len() {
        table[number] = log2_64(number as u64);
        number += 1;
    }
    table
};

/// What a reduction depends on besides depth and number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prospect {
    /// A jump, which is never reduced.
    pub(super) jump: bool,
    /// How well the move did before.
    pub(super) history: i32,
    /// A cutoff is expected.
    pub(super) cut: bool,
    /// The evaluation is better than two plies ago.
    pub(super) improving: bool,
    /// On the principal variation.
    pub(super) pv: bool,
}

/// Plies taken off move number `index` (from 0) at `depth`.
pub(super) fn reduction(depth: Depth, index: usize, prospect: Prospect) -> i16 {
    if prospect.jump || depth.0 < REDUCTION_DEPTH || index < REDUCTION_MOVES {
        return 0;
    }
    let logarithm = |number: usize| LOGARITHMS[number.min(255)];
    let product = logarithm(depth.0 as usize) * logarithm(index + 1) / 64;
    let when = |condition, amount| if condition { amount } else { 0 };
    let reduction = REDUCTION_BASE + REDUCTION_SLOPE * product / 64
        - prospect.history * 64 / REDUCTION_HISTORY
        + when(prospect.cut, REDUCTION_CUT)
        + when(!prospect.improving, REDUCTION_WORSE)
        - when(prospect.pv, REDUCTION_PV);
    (reduction / 64).clamp(0, i32::from(depth.0)) as i16
}

/// Whether move number `index` comes too late to be tried at `depth`.
pub(super) fn too_late(depth: Depth, index: usize) -> bool {
    depth.0 <= LATE_DEPTH && index as i16 >= LATE_BASE + depth.0 * depth.0 / 2
}

/// How far above the window the static evaluation must be to end a node at `depth`; `None` where
/// it never may.
pub(super) fn futility(depth: Depth, improving: bool) -> Option<i16> {
    let plies = depth.0 - i16::from(improving);
    (depth.0 <= FUTILITY_DEPTH).then_some(FUTILITY_MARGIN * plies.max(1))
}

/// How far below the window the static evaluation must be for quiescence to end a node at
/// `depth`; `None` where it never may.
pub(super) fn razor(depth: Depth) -> Option<i16> {
    (depth.0 <= RAZOR_DEPTH).then_some(RAZOR_MARGIN * depth.0)
}

/// How far below the window it must be for all quiet moves but the first to be left out.
pub(super) fn hopeless(depth: Depth) -> Option<i16> {
    (depth.0 <= HOPELESS_DEPTH).then_some(HOPELESS_BASE + HOPELESS_SLOPE * depth.0)
}

/// Depth of ProbCut's shallow search, and how far above the window it must come.
pub(super) fn probcut(depth: Depth) -> Option<(Depth, i16)> {
    let margin = PROBCUT_BASE + PROBCUT_SLOPE * depth.0;
    let shallow = Depth(depth.0 * PROBCUT_SHARE / 10);
    (depth.0 >= PROBCUT_DEPTH).then_some((shallow, margin))
}

/// The score that all other moves must miss to make the table's move singular, and the depth
/// of the search for it.
pub(super) fn singular(found: &Found, depth: Depth) -> Option<(Score, Depth)> {
    let worth = depth.0 >= SINGULAR_DEPTH
        && found.depth + SINGULAR_LAG >= depth
        && found.bound != Bound::Upper
        && !found.score.is_proven();
    worth.then_some((
        found.score - SINGULAR_BASE - SINGULAR_SLOPE * depth.0 / 2,
        Depth((depth.0 - 1) / 2),
    ))
}

/// How much a history counter moves for a cutoff at `depth`.
pub(super) fn history_bonus(depth: Depth) -> i32 {
    let depth = i32::from(depth.0);
    (depth * depth * 4).min(1_200) + 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_a_64th() {
        for number in [1u64, 2, 3, 5, 10, 100, 255] {
            let exact = (number as f64).log2() * 64.0;
            let found = f64::from(log2_64(number));
            assert!((exact - found).abs() < 1.0 + 1e-9, "{number}: {found}");
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_number() {
        let of = |depth, index| reduction(Depth(depth), index, Prospect::default());
        assert_eq!(of(20, 0), 0);
        assert!(of(20, 8) > of(20, 2) && of(20, 8) > of(5, 8));
    }
}
