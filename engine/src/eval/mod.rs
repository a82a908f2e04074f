//! The static evaluation: what a quiet position is worth, without searching.
//!
//! Knows the rules and the score bands, nothing of search. [`Evaluator`] is the only door; what
//! stands behind it may change without anybody else noticing. `terms` finds what there is to
//! see on a board, `weights` says what it is worth. Start reading at [`Evaluator::evaluate`].

mod terms;
mod view;
mod weights;

use crate::rules::Position;
use crate::score::Score;

/// Gives positions their value. Every search thread owns one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evaluator {}

impl Evaluator {
    /// An evaluator with the shipped weights.
    #[must_use]
    pub fn new() -> Self {
        Self {}
    }

    /// The value of `position` for the side to move, inside the evaluation band of [`Score`].
    /// Only meaningful where neither side can jump.
    #[must_use]
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Score {
        Score::evaluation(terms::value(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of a game in which the moves are picked by a fixed rule.
    fn some_positions() -> Vec<Position> {
        let mut positions = vec![Position::START];
        for start in 0..40usize {
            let mut position = Position::START;
            for ply in 0..80usize {
                let moves = position.legal_moves();
                let Some(mv) = moves.get((start * 7 + ply * ply) % moves.len().max(1)) else {
                    break;
                };
                position = position.play(*mv);
                positions.push(position);
            }
        }
        positions
    }

    #[test]
    fn colours_are_judged_alike() {
        let mut evaluator = Evaluator::new();
        for position in some_positions() {
            let turned = evaluator.evaluate(&position.rotated());
            assert_eq!(evaluator.evaluate(&position), turned, "{position:?}");
        }
    }

    #[test]
    fn a_man_more_is_better() {
        let mut evaluator = Evaluator::new();
        let mut setup = crate::rules::Setup::from(Position::START);
        setup.men[1] = crate::board::Bitboard(0xFFE0_0000);
        let ahead = Position::try_from(setup).expect("legal");
        let gain = evaluator.evaluate(&ahead).0 - evaluator.evaluate(&Position::START).0;
        assert!((50..200).contains(&gain), "{gain}");
    }
}
