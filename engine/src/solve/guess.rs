//! The first proof and disproof number of a node: a guess from the evaluation and the databases.
//!
//! A side far ahead wins with little work; a level position is held with little work. The
//! numbers only steer the search, so nothing that is proven depends on them.
//!
//! Looking 1 to 4 plies ahead for the evaluation proved none of 29 positions of 8 to 10 pieces on
//! which 4 seconds had failed, with databases of up to 7 pieces.

use super::leaf;
use super::numbers::Numbers;
use crate::board::Color;
use crate::eval::Evaluator;
use crate::rules::Position;
use crate::tablebase::{Effort, Tablebase};

/// Added to both numbers for each piece above those of the databases: exchanges are work for
/// whoever needs them. Of 0, 4, 12 and 30, 4 proves the most.
const WORK_PER_PIECE: u32 = 4;
/// Hundredths of a man for each step of a number.
const STEP: i32 = 20;
/// The lead from which a win counts as near, and the one up to which a draw counts as near.
const NEAR_WIN: i32 = 300;
const NEAR_DRAW: i32 = -150;
const MOST_STEPS: i32 = 60;
/// Jumps followed before the board is judged.
const MOST_JUMPS: u32 = 6;
const LOST: i32 = -3_000;

/// What a guess is made from.
pub(super) struct Guess<'a> {
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) tablebase: &'a Tablebase,
    pub(super) attacker: Color,
}

impl Guess<'_> {
    /// The numbers of `position`.
    pub(super) fn numbers(&mut self, position: &Position) -> Numbers {
        let attacks = position.turn() == self.attacker;
        let value = self.after_jumps(position, MOST_JUMPS);
        let lead = if attacks { value } else { -value };
        let above = position
            .occupied()
            .len()
            .saturating_sub(self.tablebase.most_pieces());
        let exchanges = WORK_PER_PIECE * above;
        let win = steps(NEAR_WIN - lead) + exchanges;
        let hold = steps(lead - NEAR_DRAW) + exchanges;
        let (phi, delta) = if attacks { (win, hold) } else { (hold, win) };
        Numbers { phi, delta }
    }

    /// The evaluation for the mover once nobody need jump any more. A draw of the databases is
    /// all that the holder wants.
    fn after_jumps(&mut self, position: &Position, jumps: u32) -> i32 {
        if jumps == 0 || !position.has_jump() {
            return self.quiet(position);
        }
        let moves = position.legal_moves();
        let values = moves
            .iter()
            .map(|&mv| -self.after_jumps(&position.play(mv), jumps - 1));
        values.max().unwrap_or(LOST)
    }

    fn quiet(&mut self, position: &Position) -> i32 {
        if !position.can_move() {
            return LOST;
        }
        let few = position.occupied().len() <= self.tablebase.most_pieces();
        if few && !position.has_jump() && !position.is_threatened() {
            let value = self.tablebase.probe_quiet(position, Effort::AtHand);
            if let Some(value) = value {
                let won = leaf::is_won(value, position.turn(), self.attacker);
                let good = won == (position.turn() == self.attacker);
                return if good { -LOST } else { LOST };
            }
        }
        i32::from(self.evaluator.evaluate_alone(position).0)
    }
}

fn steps(distance: i32) -> u32 {
    1 + (distance / STEP).clamp(0, MOST_STEPS) as u32
}
