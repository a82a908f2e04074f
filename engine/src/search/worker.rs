//! One thread of a search: its state, and iterative deepening.
//!
//! Threads share the table, the flags and the rounds at the root, nothing else. Thread 0 alone
//! reports and watches the clock. Start reading at [`Worker::deepen`].

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crossbeam::utils::CachePadded;

use super::busy::Busy;
use super::clock::Budget;
use super::control::Control;
use super::database::Databases;
use super::history::{Context, Earlier, Statistics};
use super::limits::Limits;
use super::params::{LOOK_UPS_PER_LOOK, NODES_PER_LOOK, PROVEN_DEPTH};
use super::report::{Observer, Report};
use super::root::RootMove;
use super::rounds::Rounds;
use super::table::{MoveCode, Table};
use crate::eval::Evaluator;
use crate::rules::{Game, Key, Move, Position};
use crate::score::{Bound, Depth, Ply, Score};

/// What all threads of one search see.
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    pub(super) control: &'a Control,
    pub(super) limits: &'a Limits,
    pub(super) budget: Budget,
    pub(super) databases: Option<Databases<'a>>,
    /// Nodes of each thread, published now and then.
    pub(super) nodes: Vec<CachePadded<AtomicU64>>,
    pub(super) rounds: Rounds,
    /// Who is where; `None` for a thread alone.
    pub(super) busy: Option<Busy>,
}

impl Shared<'_> {
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|count| count.load(Relaxed)).sum()
    }
}

/// Where a line of the search stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) position: Position,
    pub(super) key: Key,
    /// Plies since the last capture or man's move, the game's included.
    pub(super) quiet_plies: u16,
    pub(super) ply: Ply,
    /// What the table key differs by; see [`Databases::salt`].
    pub(super) salt: u64,
}

impl Node {
    pub(super) fn root(game: &Game, databases: Option<&Databases<'_>>) -> Self {
        Self {
            position: game.position(),
            key: game.key(),
            quiet_plies: game.quiet_plies().min(u32::from(u16::MAX / 2)) as u16,
            ply: Ply(0),
            salt: databases.map_or(0, |it| it.salt(&game.position())),
        }
    }

    #[inline]
    pub(super) fn after(&self, mv: Move) -> Self {
        let quiet_plies = if self.position.is_irreversible(mv) {
            0
        } else {
            self.quiet_plies + 1
        };
        Self {
            position: self.position.play(mv),
            key: self.key.after(&self.position, mv),
            quiet_plies,
            ply: self.ply.next(),
            salt: self.salt,
        }
    }
}

/// What a thread remembers of the node at each ply of its line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    /// The move being searched there.
    pub(super) played: Option<Context>,
    /// The static evaluation, where no jump was pending.
    pub(super) eval: Option<Score>,
    /// A move left out while the others are compared with it.
    pub(super) excluded: MoveCode,
}

/// One thread.
pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) index: usize,
    pub(super) statistics: &'a mut Statistics,
    pub(super) evaluator: Evaluator,
    pub(super) observer: Option<&'a mut dyn Observer>,
    pub(super) root: Node,
    pub(super) roots: Vec<RootMove>,
    /// Keys of the game since its last irreversible move, then of the line.
    pub(super) path: Vec<Key>,
    /// Where in `path` the root is.
    pub(super) root_at: usize,
    pub(super) frames: Vec<Frame>,
    /// Principal variations by ply.
    pub(super) lines: Vec<Vec<Move>>,
    pub(super) nodes: u64,
    node_limit: u64,
    /// Look-ups in databases.
    look_ups: u32,
    pub(super) deepest: Ply,
    /// Every score from now on is meaningless: the search is over, or this round is.
    pub(super) aborted: bool,
    /// Another thread has ended the round.
    outrun: bool,
    /// The number of the round.
    round: u64,
    /// Inside ProbCut's shallow search, which does not nest.
    pub(super) in_probcut: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        index: usize,
        game: &Game,
        statistics: &'a mut Statistics,
        observer: Option<&'a mut dyn Observer>,
    ) -> Self {
        let room = usize::from(Ply::MOST.0) + 2;
        let mut path: Vec<Key> = game.reversible_keys().collect();
        let root_at = path.len();
        path.resize(root_at + room, game.key());
        let alone = shared.nodes.len() == 1;
        Self {
            shared,
            index,
            statistics,
            evaluator: Evaluator::default(),
            observer,
            root: Node::root(game, shared.databases.as_ref()),
            roots: Vec::new(),
            path,
            root_at,
            frames: vec![Frame::default(); room],
            lines: vec![Vec::new(); room],
            nodes: 0,
            look_ups: 0,
            node_limit: shared.limits.nodes.filter(|_| alone).unwrap_or(u64::MAX),
            deepest: Ply(0),
            aborted: false,
            outrun: false,
            round: 0,
            in_probcut: false,
        }
    }

    /// Plays rounds until a limit is reached and returns the state of the best line.
    pub(super) fn deepen(&mut self) -> Report {
        let last = self.shared.limits.depth.unwrap_or(Depth::MOST);
        let last = Depth(last.0.clamp(1, Depth::MOST.0));
        let position = self.root.position;
        let eval = (!position.has_jump()).then(|| self.evaluator.evaluate(&position, Ply(0)));
        self.note_eval(Ply(0), eval);
        let mut settled = Settled::default();
        let mut told = None;
        let mut overtaken = false;
        loop {
            let (number, round) = self.shared.rounds.join();
            self.round = number;
            self.roots = round.roots;
            let done = self.tell(&mut told, round.settled)
                && self.is_enough(round.depth - 1, &mut settled);
            if done || round.depth > last || (overtaken && self.shared.control.is_halted()) {
                break;
            }
            let score = self.search_root(round.alpha, round.beta, round.depth, round.line);
            overtaken = self.aborted && self.outrun;
            if overtaken {
                (self.aborted, self.outrun) = (false, false);
            } else if self.aborted {
                // A line that was cut short is told only where a better move was found.
                if self.roots[round.line].is_known() {
                    self.report(round.depth, round.line);
                }
                break;
            } else {
                self.shared.rounds.finish(number, score, &self.roots);
            }
        }
        let reached = told.map_or(Depth(0), |(depth, line)| {
            let whole = line + 1 == self.shared.rounds.lines();
            if whole { depth } else { depth - 1 }
        });
        self.state(reached, 0)
    }

    /// Reports the lines that were settled since `told`. Whether that ended a depth.
    fn tell(&mut self, told: &mut Option<(Depth, usize)>, settled: Option<(Depth, usize)>) -> bool {
        let Some((depth, line)) = settled.filter(|_| *told != settled) else {
            return false;
        };
        let first = match *told {
            Some((before, line)) if before == depth => line + 1,
            _ => 0,
        };
        for line in first..=line {
            self.report(depth, line);
        }
        *told = settled;
        line + 1 == self.shared.rounds.lines()
    }

    /// Whether another iteration would be of no use.
    fn is_enough(&mut self, depth: Depth, settled: &mut Settled) -> bool {
        if self.index > 0 {
            return false;
        }
        let best = &self.roots[0];
        let factor = settled.factor(best.mv, best.known());
        let proven = best.known().is_proven_soon() && depth.0 > PROVEN_DEPTH;
        let limits = self.shared.limits;
        let Some(charged) = self.shared.control.charged().filter(|_| !limits.infinite) else {
            return false;
        };
        let timed = limits.clock.is_some() || limits.move_time.is_some();
        let forced = timed && !limits.analysis && self.roots.len() == 1;
        let soft = self.shared.budget.soft.filter(|_| limits.clock.is_some());
        forced || soft.is_some_and(|soft| proven || charged >= soft.mul_f64(factor))
    }

    /// Counts a node; returns whether to give up.
    #[inline]
    pub(super) fn tick(&mut self) -> bool {
        if self.aborted {
            return true;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_LOOK) {
            self.look();
        }
        self.aborted |= self.nodes >= self.node_limit;
        self.aborted
    }

    /// Counts a look-up in the databases, which may take as long as many nodes.
    #[inline]
    pub(super) fn count_look_up(&mut self) {
        self.look_ups = self.look_ups.wrapping_add(1);
        if self.look_ups.is_multiple_of(LOOK_UPS_PER_LOOK) {
            self.look();
        }
    }

    #[cold]
    fn look(&mut self) {
        self.publish_nodes();
        let shared = self.shared;
        if self.index == 0 {
            let late = shared
                .budget
                .hard
                .is_some_and(|hard| shared.control.charged() >= Some(hard));
            let most = shared.limits.nodes.unwrap_or(u64::MAX);
            if late || shared.total_nodes() >= most {
                shared.control.halt();
            }
        }
        self.outrun = shared.rounds.number() != self.round;
        self.aborted |= self.outrun || shared.control.is_halted();
    }

    fn publish_nodes(&self) {
        self.shared.nodes[self.index].store(self.nodes, Relaxed);
    }

    fn report(&mut self, depth: Depth, line: usize) {
        let report = self.state(depth, line);
        if let Some(observer) = &mut self.observer {
            observer.report(&report);
        }
    }

    /// The state of the search as a report on root move number `line`.
    pub(super) fn state(&self, depth: Depth, line: usize) -> Report {
        self.publish_nodes();
        let root = &self.roots[line];
        Report {
            line: line + 1,
            depth,
            deepest: self.deepest.0,
            score: root.known(),
            bound: if root.is_known() {
                root.bound
            } else {
                Bound::Exact
            },
            nodes: self.shared.total_nodes(),
            time: self.shared.control.elapsed(),
            pv: root.pv.clone(),
            value: root.known_value(),
        }
    }

    /// The moves that led to `ply`, as context for the statistics.
    #[inline]
    pub(super) fn earlier(&self, ply: Ply) -> Earlier {
        let before = |plies: usize| {
            let at = usize::from(ply.0).checked_sub(plies)?;
            self.frames[at].played
        };
        Earlier {
            theirs: before(1),
            ours: before(2),
        }
    }

    /// Notes that `mv` is about to be searched from `node`.
    #[inline]
    pub(super) fn note(&mut self, node: &Node, mv: Move) {
        self.frames[usize::from(node.ply.0)].played = Some(Context::of(&node.position, mv));
    }

    /// Makes `mv`, then the line of the next ply, the line of `ply`.
    pub(super) fn extend_line(&mut self, ply: Ply, mv: Move) {
        let (upper, lower) = self.lines.split_at_mut(usize::from(ply.0) + 1);
        let line = &mut upper[usize::from(ply.0)];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0]);
    }
}

/// How long the best move has stood, and whether its score falls.
#[derive(Debug, Default)]
struct Settled {
    best: Option<(Move, Score)>,
    iterations: u32,
}

impl Settled {
    /// How much of the soft limit the move is worth: less when settled, more when in trouble.
    fn factor(&mut self, mv: Move, score: Score) -> f64 {
        let fell = self
            .best
            .is_some_and(|(_, before)| score.0 < before.0.saturating_sub(15));
        let same = self.best.is_some_and(|(before, _)| before == mv);
        self.iterations = if same { self.iterations + 1 } else { 0 };
        self.best = Some((mv, score));
        let calm = 1.3 - 0.1 * f64::from(self.iterations.min(8));
        if fell { calm.max(1.0) * 1.5 } else { calm }
    }
}
