//! What the network sees: for each side's view of the board, which piece stands where.
//!
//! A feature is a number below [`FEATURES`]: `64 * (kind / 2) + 32 * (kind % 2) + square`, seen by a side
//! that moves up the numbers. Kinds: 0 own men, 1 own kings, 2 the foe's men, 3 the foe's kings. The
//! other side's view of the same piece swaps own and foe and turns the board, which [`turned`]
//! does to the number alone.

use crate::board::{Bitboard, Color};
use crate::rules::Position;

/// Numbers of features in one view; some never occur (men on their crownhead).
pub const FEATURES: usize = 128;

/// The same piece on the same square, as the other side sees it.
#[must_use]
#[inline]
pub const fn turned(feature: usize) -> usize {
    feature ^ 0b101_1111
}

/// The pieces by kind in Black's view: Black's men and kings, White's men and kings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pieces(pub [Bitboard; 4]);

impl Pieces {
    /// Of `position`.
    #[must_use]
    #[inline]
    pub fn of(position: &Position) -> Self {
        Self([
            position.men(Color::Black),
            position.kings(Color::Black),
            position.men(Color::White),
            position.kings(Color::White),
        ])
    }

    /// The features of what is here and not in `other`, in Black's view.
    #[inline]
    pub fn without(self, other: Self) -> impl Iterator<Item = usize> {
        (0..4).flat_map(move |kind| {
            let set = self.0[kind] - other.0[kind];
            set.into_iter()
                .map(move |square| 32 * kind + square.index())
        })
    }

    /// How many features differ between `self` and `other`.
    #[must_use]
    #[inline]
    pub fn difference(self, other: Self) -> u32 {
        let differ = |kind: usize| (self.0[kind].0 ^ other.0[kind].0).count_ones();
        differ(0) + differ(1) + differ(2) + differ(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    fn features(position: &Position) -> Vec<usize> {
        Pieces::of(position).without(Pieces::default()).collect()
    }

    #[test]
    fn every_piece_is_a_feature_and_turning_the_board_turns_them() {
        let position = fen::read("B:WK2,19,20,23,31:B8,11,12,13,K30").expect("a position");
        let mut turned_board = features(&position.rotated());
        let mut turned_numbers: Vec<usize> = features(&position).into_iter().map(turned).collect();
        turned_board.sort_unstable();
        turned_numbers.sort_unstable();
        assert_eq!(turned_board, turned_numbers);
        assert_eq!(turned_board.len(), 10);
    }

    #[test]
    fn a_step_is_two_differences() {
        let before = Position::START;
        let after = before.play(before.legal_moves()[0]);
        let (before, after) = (Pieces::of(&before), Pieces::of(&after));
        assert_eq!(before.difference(after), 2);
        assert_eq!(before.without(after).count(), 1);
        assert_eq!(after.without(before).count(), 1);
    }
}
