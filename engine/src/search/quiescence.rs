//! Below the horizon: jumps are followed, and quiet positions evaluated.

use super::worker::{Node, Worker};
use crate::rules::MoveList;
use crate::score::Score;

impl Worker<'_> {
    /// The value of `node` with only pending jumps played out.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        if let Some(score) = self.enter::<PV>(node) {
            return score;
        }
        let mut jumps = MoveList::new();
        node.position.push_jumps(&mut jumps);
        if jumps.is_empty() {
            if !node.position.can_move() {
                return Score::loss_in(node.ply.0);
            }
            return self.evaluator.evaluate(&node.position);
        }
        let mut best = -Score::INFINITY;
        for mv in jumps {
            let next = node.after(mv);
            let score = -self.quiescence::<PV>(&next, -beta, -alpha);
            if self.aborted {
                return Score::DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    if PV {
                        self.extend_line(node.ply, mv);
                    }
                }
            }
            if score >= beta {
                break;
            }
        }
        best
    }
}
