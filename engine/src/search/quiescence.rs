//! Below the horizon: jumps are followed, threats of jumps answered by any move, and quiet
//! positions evaluated. The table has no part in it: probing it here, and answering threats where
//! the value is low already, cost more than they found (-10 +- 9 Elo at equal time).

use super::params::THREATS_ANSWERED;
use super::worker::{Node, Worker};
use crate::rules::MoveList;
use crate::score::{Depth, Score};

impl Worker<'_> {
    /// The value of `node` with jumps played out, and with threats of jumps answered as long as
    /// `threats` in a row are not too many.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        node: &Node,
        alpha: Score,
        beta: Score,
        threats: i16,
    ) -> Score {
        if let Some(score) = self.enter::<PV>(node) {
            return score;
        }
        if let Some(score) = self.consult(node, Depth(0)) {
            return score;
        }
        let mut jumps = MoveList::new();
        node.position.push_jumps(&mut jumps);
        if !jumps.is_empty() {
            // A threat that arises amid jumps is left to the evaluation: answering it too was
            // measured to cost more than it finds.
            return self.follow::<PV>(node, &jumps, (alpha, beta), THREATS_ANSWERED);
        }
        if !node.position.can_move() {
            return Score::loss_in(node.ply.0);
        }
        let eval = self.evaluator.evaluate(&node.position, node.ply);
        // A threat can only make it worse.
        if eval > alpha && threats < THREATS_ANSWERED && node.position.is_threatened() {
            let mut moves = MoveList::new();
            node.position.fill_moves(&mut moves);
            return self.follow::<PV>(node, &moves, (alpha, beta), threats + 1);
        }
        self.at_horizon(node, eval)
    }

    fn follow<const PV: bool>(
        &mut self,
        node: &Node,
        moves: &MoveList,
        (mut alpha, beta): (Score, Score),
        threats: i16,
    ) -> Score {
        let mut best = -Score::INFINITY;
        for &mv in moves {
            let next = node.after(mv);
            let score = -self.quiescence::<PV>(&next, -beta, -alpha, threats);
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
