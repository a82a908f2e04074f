//! The static evaluation: what a quiet position is worth, without searching.
//!
//! Knows the rules and the score bands, nothing of search. [`Evaluator`] is the only door; what
//! stands behind it may change without anybody else noticing. Start reading at
//! [`Evaluator::evaluate`].

use crate::board::Color;
use crate::rules::Position;
use crate::score::Score;

/// Gives positions their value. Every search thread owns one.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {}

const MAN: i32 = 100;
const KING: i32 = 130;

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
        let us = position.turn();
        Score::evaluation(material(position, us) - material(position, !us))
    }
}

fn material(position: &Position, color: Color) -> i32 {
    MAN * position.men(color).len() as i32 + KING * position.kings(color).len() as i32
}
