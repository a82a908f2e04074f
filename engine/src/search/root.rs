//! The root: its moves with their scores and lines, and the search over them.

use super::margins::{Prospect, reduction};
use super::node::Plan;
use super::params::BUSY_DEPTH;
use super::worker::{Node, Worker};
use crate::rules::{Move, Position};
use crate::score::{Bound, Depth, Score};
use crate::tablebase::Wld;

/// A legal move of the root with what is known about it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Of this iteration, or below every score. A bound from above is never kept: a search that
    /// ends before the other moves were tried would pass it off as the value.
    pub(super) score: Score,
    /// Exact, or a bound from below where the window was too low.
    pub(super) bound: Bound,
    /// The score of the iteration before.
    pub(super) previous: Score,
    pub(super) pv: Vec<Move>,
    /// What the databases say of it, for the side that makes it.
    pub(super) value: Option<Wld>,
    /// Plies to the next capture or man's move, if it wins and the databases tell.
    pub(super) distance: Option<u32>,
}

impl RootMove {
    pub(super) fn all(position: &Position) -> Vec<Self> {
        let new = |&mv: &Move| Self {
            mv,
            score: -Score::INFINITY,
            bound: Bound::Exact,
            previous: -Score::INFINITY,
            pv: vec![mv],
            value: None,
            distance: None,
        };
        position.legal_moves().iter().map(new).collect()
    }

    pub(super) fn begin_iteration(&mut self) {
        self.previous = self.score;
        self.score = -Score::INFINITY;
    }

    /// Whether this iteration has found its score, or a bound from below.
    pub(super) fn is_known(&self) -> bool {
        self.score > -Score::INFINITY
    }

    /// The value that the databases give, if the search has not found the 40-move rule or a
    /// repetition in the way.
    pub(super) fn known_value(&self) -> Option<Wld> {
        let score = self.known();
        self.value.filter(|value| match value {
            Wld::Win => score.is_win(),
            Wld::Draw => true,
            Wld::Loss => score.is_loss(),
        })
    }

    /// The latest score there is.
    pub(super) fn known(&self) -> Score {
        if self.value == Some(Wld::Draw) {
            return Score::DRAW;
        }
        let latest = if self.is_known() {
            self.score
        } else {
            self.previous
        };
        let latest = if latest > -Score::INFINITY {
            latest
        } else {
            Score::DRAW
        };
        match self.distance {
            Some(plies) => latest.max(Score::database_win_in(plies as u16)),
            None => latest,
        }
    }
}

impl Worker<'_> {
    /// Searches the root moves from number `first` on and sorts them, best first. An aborted
    /// search, and one in which all moves fail low, leave the first move first unless another was
    /// seen to be better.
    pub(super) fn search_root(
        &mut self,
        mut alpha: Score,
        beta: Score,
        depth: Depth,
        first: usize,
    ) -> Score {
        let mut best = -Score::INFINITY;
        let mut queue: Vec<usize> = (first..self.roots.len()).collect();
        let moves = queue.len();
        let mut at = 0;
        while at < queue.len() {
            let index = queue[at];
            at += 1;
            if at > 1 && at <= moves && self.is_busy(index, depth) {
                queue.push(index);
                continue;
            }
            let score = self.search_root_move(alpha, beta, depth, index, index == first);
            if self.aborted {
                break;
            }
            let root = &mut self.roots[index];
            if score > alpha {
                root.score = score;
                root.bound = if score < beta {
                    Bound::Exact
                } else {
                    Bound::Lower
                };
                root.pv.truncate(1);
                root.pv.extend_from_slice(&self.lines[1]);
            } else {
                root.score = -Score::INFINITY;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if score >= beta {
                break;
            }
        }
        self.roots[first..].sort_by_key(|root| -root.score);
        best
    }

    /// Whether another thread searches root move `index`.
    fn is_busy(&self, index: usize, depth: Depth) -> bool {
        let busy = self.shared.busy.as_ref();
        busy.is_some_and(|busy| {
            depth.0 >= BUSY_DEPTH && busy.has(self.root.after(self.roots[index].mv).table_key())
        })
    }

    fn search_root_move(
        &mut self,
        alpha: Score,
        beta: Score,
        depth: Depth,
        index: usize,
        first: bool,
    ) -> Score {
        let root = self.root;
        let mv = self.roots[index].mv;
        let next = root.after(mv);
        self.note(&root, mv);
        self.lines[1].clear();
        let busy = self.shared.busy.as_ref();
        let key = next.table_key();
        busy.inspect(|busy| busy.begin(key));
        let score = self.search_root_child(&next, (alpha, beta), depth, index, first);
        busy.inspect(|busy| busy.end(key));
        score
    }

    fn search_root_child(
        &mut self,
        next: &Node,
        (alpha, beta): (Score, Score),
        depth: Depth,
        index: usize,
        first: bool,
    ) -> Score {
        let whole = Plan {
            alpha: -beta,
            beta: -alpha,
            depth: depth - 1,
            cut: false,
        };
        if !first {
            let reduced = reduction(depth, index, Prospect::default()) / 2;
            let test = Plan::test(-alpha - 1, (whole.depth - reduced).max(Depth(0)), true);
            let score = -self.search::<false>(next, test);
            if score <= alpha || self.aborted {
                return score;
            }
        }
        -self.search::<true>(next, whole)
    }
}
