//! The first proof and disproof number of a node: a guess from the evaluation.
//!
//! A side far ahead wins with little work; a level position is held with little work. The
//! numbers only steer the search, so nothing that is proven depends on them.

use super::numbers::Numbers;
use crate::eval::Evaluator;
use crate::rules::Position;

/// Hundredths of a man for each step of a number.
const STEP: i32 = 20;
/// The lead from which a win counts as near, and the one up to which a draw counts as near.
const NEAR_WIN: i32 = 300;
const NEAR_DRAW: i32 = -150;
const MOST_STEPS: i32 = 60;
/// Jumps followed before the board is judged.
const MOST_JUMPS: u32 = 6;
const LOST: i32 = -3_000;

/// The numbers of `position`, where the attacker moves or waits.
pub(super) fn numbers(evaluator: &mut Evaluator, position: &Position, attacks: bool) -> Numbers {
    let value = after_jumps(evaluator, position, MOST_JUMPS);
    let lead = if attacks { value } else { -value };
    let win = steps(NEAR_WIN - lead);
    let hold = steps(lead - NEAR_DRAW);
    let (phi, delta) = if attacks { (win, hold) } else { (hold, win) };
    Numbers { phi, delta }
}

fn steps(distance: i32) -> u32 {
    1 + (distance / STEP).clamp(0, MOST_STEPS) as u32
}

/// The evaluation for the mover once nobody need jump any more.
fn after_jumps(evaluator: &mut Evaluator, position: &Position, jumps: u32) -> i32 {
    if jumps == 0 || !position.has_jump() {
        return if position.can_move() {
            i32::from(evaluator.evaluate(position).0)
        } else {
            LOST
        };
    }
    let moves = position.legal_moves();
    let values = moves
        .iter()
        .map(|&mv| -after_jumps(evaluator, &position.play(mv), jumps - 1));
    values.max().unwrap_or(LOST)
}
