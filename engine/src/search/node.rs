//! One inner node of the search, in numbered steps.
//!
//! Principal variation search (Marsland and Campbell 1982): the first move gets the whole
//! window, later ones must prove that they are better. Fail-soft. Start at [`Worker::search`].

use super::margins::{
    Prospect, futility, history_bonus, hopeless, probcut, razor, reduction, singular, too_late,
};
use super::order::Picker;
use super::params::{
    BUSY_DEPTH, PROBCUT_GATE, QUIET_PLIES_IN_KEY, SINGULAR_SHORTEN, UNKNOWN_DEPTH,
};
use super::table::{Found, MoveCode};
use super::worker::{Node, Worker};
use crate::rules::{Move, MoveList, law::QUIET_PLIES_TO_DRAW};
use crate::score::{Bound, Depth, Ply, Score, Verdict};

impl Node {
    /// Whether a proven `score`, as seen from the root, is reached before the 40-move rule can
    /// end the game: the table may have it from a path with fewer quiet plies behind it.
    #[inline]
    pub(super) fn is_in_time(&self, score: Score) -> bool {
        let plies = match score.verdict() {
            Some(Verdict::WinIn(plies) | Verdict::LossIn(plies)) => u32::from(plies),
            Some(Verdict::DatabaseWinIn(plies) | Verdict::DatabaseLossIn(plies))
                if plies <= Score::MOST_PLIES =>
            {
                u32::from(plies)
            }
            _ => return true,
        };
        let left = plies.saturating_sub(u32::from(self.ply.0));
        self.quiet_plies == 0 || u32::from(self.quiet_plies) + left < QUIET_PLIES_TO_DRAW
    }

    /// The table key: the 40-move count is part of it where it begins to matter for evaluations.
    #[inline]
    pub(super) fn table_key(&self) -> u64 {
        if self.quiet_plies <= QUIET_PLIES_IN_KEY {
            return self.key.0 ^ self.salt;
        }
        self.key.0 ^ self.salt ^ u64::from(self.quiet_plies).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// How a node is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) alpha: Score,
    pub(super) beta: Score,
    pub(super) depth: Depth,
    /// A cutoff is expected.
    pub(super) cut: bool,
}

impl Plan {
    /// Only whether the value is above `alpha`.
    pub(super) fn test(alpha: Score, depth: Depth, cut: bool) -> Self {
        Self {
            alpha,
            beta: alpha + 1,
            depth,
            cut,
        }
    }
}

impl Worker<'_> {
    /// The value of `node` for its side to move: exact inside the window, else a bound.
    pub(super) fn search<const PV: bool>(&mut self, node: &Node, mut plan: Plan) -> Score {
        // 1. The horizon.
        if plan.depth.0 <= 0 {
            return self.quiescence::<PV>(node, plan.alpha, plan.beta, 0);
        }
        if let Some(score) = self.enter::<PV>(node) {
            return score;
        }

        // 2. No line can be worth more than a win at the next ply, or less than a loss here.
        plan.alpha = plan.alpha.max(Score::loss_in(node.ply.0));
        plan.beta = plan.beta.min(Score::win_in(node.ply.0 + 1));
        if plan.alpha >= plan.beta {
            return plan.alpha;
        }

        // 3. The moves and the static evaluation (where no jump is pending), while the table's line
        // comes from memory: with the table asked first, 0.88 times as many nodes a second. Without
        // a move the game is lost.
        let mut list = MoveList::new();
        node.position.fill_moves(&mut list);
        let Some(first) = list.first() else {
            return Score::loss_in(node.ply.0);
        };
        let quiet = !first.is_jump();
        let eval = quiet.then(|| self.evaluator.evaluate(&node.position, node.ply));

        // 4. The table. A search without some move knows nothing from it and adds nothing to it.
        let key = node.table_key();
        let excluded = self.frames[usize::from(node.ply.0)].excluded;
        let partial = excluded != MoveCode::NONE;
        let found = self.shared.table.probe(key, node.ply).filter(|_| !partial);
        if let Some(found) = found
            && !PV
            && found.depth >= plan.depth
            && found.decides(plan.alpha, plan.beta)
            && node.is_in_time(found.score)
        {
            return found.score;
        }

        // 5. The endgame databases.
        if let Some(score) = self.consult(node, plan.depth) {
            return score;
        }

        // 6. Is the evaluation better than two plies ago?
        let improving = self.note_eval(node.ply, eval);

        // 7. Far above the window, with nothing hanging: not worth a search.
        if let Some(eval) = eval
            && !PV
            && !partial
            && let Some(margin) = futility(plan.depth, improving)
            && eval - margin >= plan.beta
            && !plan.beta.is_proven()
            && !node.position.is_threatened()
        {
            return eval;
        }

        // 8. Far below it, near the horizon: jumps alone could help.
        if let Some(eval) = eval
            && !PV
            && !partial
            && let Some(margin) = razor(plan.depth)
            && eval + margin <= plan.alpha
            && !plan.alpha.is_proven()
        {
            let score = self.quiescence::<false>(node, plan.alpha, plan.beta, 0);
            if score <= plan.alpha {
                return score;
            }
        }

        // 9. ProbCut: what a shallow search puts well above the window, a deep one hardly
        // brings down (Buro 1995).
        if !PV
            && !partial
            && let Some(score) = self.probcut(node, eval, &plan)
        {
            return score;
        }

        // 10. No move known: not worth the full depth before one is.
        let table_move = found.map_or(MoveCode::NONE, |found| found.mv);
        if table_move == MoveCode::NONE && plan.depth.0 >= UNKNOWN_DEPTH && list.len() > 1 {
            plan.depth = plan.depth - 1;
        }

        // 11. Is the table's move the only good one, or one of several?
        let extension = match self.singular(node, found, &list, &plan) {
            Singular::Extend(plies) => plies,
            Singular::Cut(score) => return score,
        };

        // 12. The moves in turn.
        let mut tried = Tried::above(plan.alpha);
        let hints = (table_move, extension, improving);
        self.try_moves::<PV>(node, &list, hints, &plan, &mut tried);
        if self.aborted || partial {
            return tried.best;
        }

        // 13. What was learnt.
        let bound = match tried.best {
            best if best >= plan.beta => Bound::Lower,
            best if best > plan.alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let found = Found {
            score: tried.best,
            mv: tried.mv.map_or(MoveCode::NONE, MoveCode::of),
            depth: plan.depth,
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
        (node.ply >= Ply::MOST).then(|| self.evaluator.evaluate(&node.position, node.ply))
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

    /// Remembers the evaluation at `ply`; returns whether it is better than two plies ago.
    #[inline]
    pub(super) fn note_eval(&mut self, ply: Ply, eval: Option<Score>) -> bool {
        let at = usize::from(ply.0);
        self.frames[at].eval = eval;
        let before = at.checked_sub(2).and_then(|at| self.frames[at].eval);
        matches!((eval, before), (Some(now), Some(before)) if now > before)
    }

    fn probcut(&mut self, node: &Node, eval: Option<Score>, plan: &Plan) -> Option<Score> {
        let (shallow, margin) = probcut(plan.depth)?;
        if self.in_probcut || plan.beta.is_proven() || eval? < plan.beta + PROBCUT_GATE {
            return None;
        }
        self.in_probcut = true;
        let above = plan.beta + margin;
        let score = self.search::<false>(node, Plan::test(above - 1, shallow, true));
        self.in_probcut = false;
        (score >= above || self.aborted).then_some(score)
    }

    /// Whether no quiet move of `node` is likely to reach the window.
    fn is_hopeless(&self, node: &Node, plan: &Plan) -> bool {
        let eval = self.frames[usize::from(node.ply.0)].eval;
        let margin = hopeless(plan.depth).filter(|_| !plan.alpha.is_proven());
        matches!((eval, margin), (Some(eval), Some(margin)) if eval + margin <= plan.alpha)
    }

    fn singular(
        &mut self,
        node: &Node,
        found: Option<Found>,
        list: &MoveList,
        plan: &Plan,
    ) -> Singular {
        const NO: Singular = Singular::Extend(0);
        let Some(found) = found.filter(|found| found.mv != MoveCode::NONE && list.len() > 1) else {
            return NO;
        };
        let Some((target, depth)) = singular(&found, plan.depth) else {
            return NO;
        };
        let at = usize::from(node.ply.0);
        self.frames[at].excluded = found.mv;
        let score = self.search::<false>(node, Plan::test(target - 1, depth, plan.cut));
        self.frames[at].excluded = MoveCode::NONE;
        if self.aborted {
            return Singular::Cut(score);
        }
        if score < target {
            return Singular::Extend(1);
        }
        if target >= plan.beta && plan.beta - plan.alpha.0 == Score(1) {
            // Several moves are good enough.
            return Singular::Cut(target);
        }
        Singular::Extend(if found.score >= plan.beta {
            -SINGULAR_SHORTEN
        } else {
            0
        })
    }

    fn try_moves<const PV: bool>(
        &mut self,
        node: &Node,
        list: &MoveList,
        (table_move, extension, improving): (MoveCode, i16, bool),
        plan: &Plan,
        tried: &mut Tried,
    ) {
        let earlier = self.earlier(node.ply);
        let excluded = self.frames[usize::from(node.ply.0)].excluded;
        let shared = self.shared;
        let busy = shared.busy.as_ref().filter(|_| plan.depth.0 >= BUSY_DEPTH);
        let hopeless = !PV && excluded == MoveCode::NONE && self.is_hopeless(node, plan);
        let mut picker = Picker::default();
        picker.fill(&node.position, list, table_move, self.statistics, earlier);
        while let Some((history, mv)) = picker.next() {
            let code = MoveCode::of(mv);
            if code == excluded {
                continue;
            }
            let index = tried.moves.len();
            if !PV && !mv.is_jump() && too_late(plan.depth, index) && !tried.best.is_loss() {
                break;
            }
            if hopeless && index > 0 && !tried.best.is_loss() {
                break;
            }
            let next = node.after(mv);
            let key = next.table_key();
            shared.table.prefetch(key);
            let is_busy = index > 0 && busy.is_some_and(|busy| busy.has(key));
            if is_busy && picker.put_off() {
                continue;
            }
            let longer = match list.len() {
                1 => 1,
                _ if code == table_move => extension,
                _ => 0,
            };
            let prospect = Prospect {
                jump: mv.is_jump(),
                history,
                cut: plan.cut,
                improving,
                pv: PV,
            };
            let child = Plan {
                alpha: tried.alpha,
                depth: plan.depth - 1 + longer,
                ..*plan
            };
            self.note(node, mv);
            let reduction = reduction(plan.depth, index, prospect);
            busy.inspect(|busy| busy.begin(key));
            let score = self.search_child::<PV>(&next, &child, reduction, index);
            busy.inspect(|busy| busy.end(key));
            if self.aborted {
                return;
            }
            if tried.take(mv, score) && PV {
                self.extend_line(node.ply, mv);
            }
            if score >= plan.beta {
                self.reward(node, &tried.moves, plan.depth);
                break;
            }
        }
    }

    /// The child `next` as the parent sees it: first a test against alpha, for all but the first
    /// move, then the whole window. `plan` is the parent's, with the child's depth.
    #[inline]
    fn search_child<const PV: bool>(
        &mut self,
        next: &Node,
        plan: &Plan,
        reduction: i16,
        index: usize,
    ) -> Score {
        let Plan {
            alpha,
            beta,
            depth,
            cut,
        } = *plan;
        if PV {
            // The line of an earlier move would stay there if this one fails high at once.
            self.lines[usize::from(next.ply.0)].clear();
        }
        if index > 0 || !PV {
            let expected = index > 0 || !cut;
            let reduced = (depth - reduction).max(Depth(0)).min(depth);
            let test = |depth| Plan::test(-alpha - 1, depth, expected);
            let mut score = -self.search::<false>(next, test(reduced));
            if score > alpha && reduced < depth {
                score = -self.search::<false>(next, Plan::test(-alpha - 1, depth, !cut));
            }
            if !PV || score <= alpha || score >= beta {
                return score;
            }
        }
        let whole = Plan {
            alpha: -beta,
            beta: -alpha,
            depth,
            cut: false,
        };
        -self.search::<PV>(next, whole)
    }

    /// Credits the last of `tried`, which refuted the opponent's move, and blames the others.
    fn reward(&mut self, node: &Node, tried: &[Move], depth: Depth) {
        let earlier = self.earlier(node.ply);
        let bonus = history_bonus(depth);
        if let Some((&best, others)) = tried.split_last() {
            self.statistics.update(&node.position, best, earlier, bonus);
            for &mv in others {
                self.statistics.update(&node.position, mv, earlier, -bonus);
            }
        }
    }
}

/// What the singular test says.
enum Singular {
    /// Search the table's move so much deeper.
    Extend(i16),
    /// The node is decided.
    Cut(Score),
}

/// The outcome of a node's moves.
struct Tried {
    best: Score,
    alpha: Score,
    /// The best move, where one raised alpha.
    mv: Option<Move>,
    /// All moves searched, the last one last.
    moves: MoveList,
}

impl Tried {
    fn above(alpha: Score) -> Self {
        Self {
            best: -Score::INFINITY,
            alpha,
            mv: None,
            moves: MoveList::new(),
        }
    }

    /// Notes the score of `mv`; whether it raised alpha.
    #[inline]
    fn take(&mut self, mv: Move, score: Score) -> bool {
        self.moves.push(mv);
        self.best = self.best.max(score);
        let raised = score > self.alpha;
        if raised {
            self.alpha = score;
            self.mv = Some(mv);
        }
        raised
    }
}
