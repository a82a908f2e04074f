//! One inner node of the search, in numbered steps.
//!
//! Principal variation search (Marsland and Campbell 1982): the first move gets the whole
//! window, later ones must prove that they are better. Fail-soft. Start at [`Worker::search`].

use super::margins::{history_bonus, reduction};
use super::order::Picker;
use super::params::QUIET_PLIES_IN_KEY;
use super::table::{Found, MoveCode};
use super::worker::{Node, Worker};
use crate::rules::{Move, MoveList, law::QUIET_PLIES_TO_DRAW};
use crate::score::{Bound, Depth, Ply, Score};

impl Node {
    /// The table key: the 40-move count is part of it where it begins to matter.
    #[inline]
    pub(super) fn table_key(&self) -> u64 {
        if self.quiet_plies <= QUIET_PLIES_IN_KEY {
            return self.key.0;
        }
        self.key.0 ^ u64::from(self.quiet_plies).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

impl Worker<'_> {
    /// The value of `node` for its side to move: exact inside `alpha..beta`, else a bound.
    pub(super) fn search<const PV: bool>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        mut beta: Score,
        depth: Depth,
    ) -> Score {
        // 1. The horizon.
        if depth.0 <= 0 {
            return self.quiescence::<PV>(node, alpha, beta);
        }
        if let Some(score) = self.enter::<PV>(node) {
            return score;
        }

        // 2. No line can be worth more than a win at the next ply, or less than a loss here.
        alpha = alpha.max(Score::loss_in(node.ply.0));
        beta = beta.min(Score::win_in(node.ply.0 + 1));
        if alpha >= beta {
            return alpha;
        }

        // 3. The table.
        let key = node.table_key();
        let found = self.shared.table.probe(key, node.ply);
        if let Some(found) = found
            && !PV
            && found.depth >= depth
            && found.decides(alpha, beta)
        {
            return found.score;
        }

        // 4. The moves. Without one the game is lost.
        let list = node.position.legal_moves();
        if list.is_empty() {
            return Score::loss_in(node.ply.0);
        }

        // 5. The static evaluation, where no jump is pending.
        let eval = match found.and_then(|found| found.eval) {
            Some(eval) => Some(eval),
            None if list[0].is_jump() => None,
            None => Some(self.evaluator.evaluate(&node.position)),
        };

        // 6. The moves in turn.
        let table_move = found.map_or(MoveCode::NONE, |found| found.mv);
        let tried = self.try_moves::<PV>(node, &list, table_move, (alpha, beta), depth);
        if self.aborted {
            return Score::DRAW;
        }

        // 7. What was learnt.
        let bound = match tried.best {
            best if best >= beta => Bound::Lower,
            best if best > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let found = Found {
            score: tried.best,
            eval,
            mv: tried.mv.map_or(MoveCode::NONE, MoveCode::of),
            depth,
            bound,
        };
        self.shared.table.store(key, node.ply, found);
        tried.best
    }

    /// What every node does first; `Some` ends it.
    #[inline]
    pub(super) fn enter<const PV: bool>(&mut self, node: &Node) -> Option<Score> {
        if PV {
            self.lines[usize::from(node.ply.0)].clear();
        }
        if self.tick() {
            return Some(Score::DRAW);
        }
        self.deepest = self.deepest.max(node.ply);
        self.path[self.root_at + usize::from(node.ply.0)] = node.key;
        if u32::from(node.quiet_plies) >= QUIET_PLIES_TO_DRAW {
            let lost = !node.position.can_move();
            return Some(if lost {
                Score::loss_in(node.ply.0)
            } else {
                Score::DRAW
            });
        }
        if node.quiet_plies >= 4 && self.is_repeated(node) {
            return Some(Score::DRAW);
        }
        (node.ply >= Ply::MOST).then(|| self.evaluator.evaluate(&node.position))
    }

    /// Whether the position stood before on the line, or twice in the game up to the root. One
    /// return to the root or to an earlier position of the game is no draw yet: the side that
    /// can win may still do so (FIDE-like "first repetition" scoring is sound only inside the
    /// line, where a cycle gains nobody anything).
    fn is_repeated(&self, node: &Node) -> bool {
        let at = self.root_at + usize::from(node.ply.0);
        let reach = usize::from(node.quiet_plies).min(at);
        let mut seen_before_root = 0;
        for back in (4..=reach).step_by(2) {
            if self.path[at - back] == node.key {
                seen_before_root += 1;
                if back < usize::from(node.ply.0) || seen_before_root == 2 {
                    return true;
                }
            }
        }
        false
    }

    fn try_moves<const PV: bool>(
        &mut self,
        node: &Node,
        list: &MoveList,
        table_move: MoveCode,
        (mut alpha, beta): (Score, Score),
        depth: Depth,
    ) -> Tried {
        let earlier = self.earlier(node.ply);
        let picker = Picker::new(&node.position, list, table_move, self.statistics, earlier);
        let mut tried = Tried::default();
        let full = if list.len() == 1 { depth } else { depth - 1 };
        for (index, (_, mv)) in picker.enumerate() {
            let next = node.after(mv);
            self.note(node, mv);
            let score = self.search_child::<PV>(&next, (alpha, beta), full, index);
            if self.aborted {
                return tried;
            }
            if score > tried.best {
                tried.best = score;
                if score > alpha {
                    alpha = score;
                    tried.mv = Some(mv);
                    if PV {
                        self.extend_line(node.ply, mv);
                    }
                }
            }
            if score >= beta {
                self.reward(node, list, mv, depth);
                break;
            }
        }
        tried
    }

    #[inline]
    fn search_child<const PV: bool>(
        &mut self,
        next: &Node,
        (alpha, beta): (Score, Score),
        depth: Depth,
        index: usize,
    ) -> Score {
        if index > 0 || !PV {
            let reduced = depth - reduction(depth.0, index);
            let mut score = -self.search::<false>(next, -alpha - 1, -alpha, reduced);
            if score > alpha && reduced < depth {
                score = -self.search::<false>(next, -alpha - 1, -alpha, depth);
            }
            if !PV || score <= alpha || score >= beta {
                return score;
            }
        }
        -self.search::<PV>(next, -beta, -alpha, depth)
    }

    /// Credits the move that refuted the opponent's, blames the others.
    fn reward(&mut self, node: &Node, list: &MoveList, best: Move, depth: Depth) {
        let earlier = self.earlier(node.ply);
        let bonus = history_bonus(depth.0);
        if list.len() == 1 {
            return;
        }
        self.statistics.update(&node.position, best, earlier, bonus);
        for &mv in list.iter().filter(|&&mv| mv != best) {
            self.statistics
                .update(&node.position, mv, earlier, -bonus / 4);
        }
    }
}

/// The outcome of a node's moves.
struct Tried {
    best: Score,
    /// The best move, where one raised alpha.
    mv: Option<Move>,
}

impl Default for Tried {
    fn default() -> Self {
        Self {
            best: -Score::INFINITY,
            mv: None,
        }
    }
}
