//! The order in which a node tries its moves: the table's move, then by statistics.

use arrayvec::ArrayVec;

use super::history::{Earlier, Statistics};
use super::table::MoveCode;
use crate::board::Color;
use crate::rules::{MOST_MOVES, Move, MoveList, Position};

/// Above every statistic.
const TABLE_MOVE: i32 = (1 << 20) - 1;
/// A captured piece, when several jumps can be chosen.
const CAPTURE: i32 = 1 << 16;
/// Bits below the rating in which both ends of the move, as its own side sees them, break ties:
/// so that both colours try their moves in the same order.
const TIE_BITS: u32 = 10;

fn tie_break(position: &Position, mv: Move) -> i32 {
    let (from, to) = match position.turn() {
        Color::Black => (mv.from(), mv.to()),
        Color::White => (mv.from().rotated(), mv.to().rotated()),
    };
    (from.index() * 32 + to.index()) as i32
}

/// Added to the rating of a move that is put off: below every other, and still to be told from it.
const PUT_OFF: i32 = 1 << 30;

/// Hands out moves, best first, sorting only as far as asked.
#[derive(Default)]
pub(super) struct Picker {
    moves: ArrayVec<(i32, Move), MOST_MOVES>,
    next: usize,
}

impl Picker {
    /// Rates the moves of `list`. Done in place, since the whole of a picker is 1.5 KiB.
    #[inline]
    pub(super) fn fill(
        &mut self,
        position: &Position,
        list: &MoveList,
        table_move: MoveCode,
        statistics: &Statistics,
        earlier: Earlier,
    ) {
        let rate = |mv: Move| {
            if MoveCode::of(mv) == table_move {
                TABLE_MOVE
            } else {
                let captures = mv.captured().len() as i32 * CAPTURE;
                captures + statistics.rate(position, mv, earlier)
            }
        };
        for &mv in list {
            let key = (rate(mv) << TIE_BITS) + tie_break(position, mv);
            self.moves.push((key, mv));
        }
    }

    /// Hands the last move out again after all others; `false` if that was done before.
    pub(super) fn put_off(&mut self) -> bool {
        let Some(last) = self.next.checked_sub(1) else {
            return false;
        };
        let key = &mut self.moves[last].0;
        if *key < -PUT_OFF / 2 {
            return false;
        }
        *key -= PUT_OFF;
        self.next = last;
        true
    }
}

impl Iterator for Picker {
    type Item = (i32, Move);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.moves.get_mut(self.next..)?;
        let best = (0..rest.len()).reduce(|best, index| {
            if rest[index].0 > rest[best].0 {
                index
            } else {
                best
            }
        })?;
        rest.swap(0, best);
        self.next += 1;
        let (key, mv) = rest[0];
        let key = if key < -PUT_OFF / 2 {
            key + PUT_OFF
        } else {
            key
        };
        Some((key >> TIE_BITS, mv))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_put_off_comes_last_once_with_its_rating() {
        let position = Position::START;
        let list = position.legal_moves();
        let mut picker = Picker::default();
        let (none, statistics) = (MoveCode::NONE, Statistics::default());
        picker.fill(&position, &list, none, &statistics, Earlier::default());
        let first = picker.next();
        assert!(picker.put_off());
        let mut rest: Vec<_> = std::iter::from_fn(|| picker.next()).collect();
        assert_eq!(rest.len(), list.len());
        assert_eq!(rest.pop(), first);
        assert!(!picker.put_off());
        assert!(picker.next().is_none());
    }
}
