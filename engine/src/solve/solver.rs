//! A whole proof: two questions, as many threads as wanted, and an answer that was checked.
//!
//! "Does the mover win?" and "does the other side win?" are searched side by side, each thread
//! at one of them; a thread whose question is answered helps with the other. An answer counts
//! only when its strategy is complete. Start reading at [`Solver::solve`].

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::certificate::{Certificate, Claim};
use super::leaf::Rules;
use super::prover::{Prover, STACK_BYTES, Shared};
use super::strategy::{Aim, Builder, Gap, Strategy};
use super::table::Table;
use crate::board::Color;
use crate::rules::{Move, Position};
use crate::tablebase::{Tablebase, Wld};

/// Nodes of a question before its thread looks at the other one.
const FIRST_SLICE: u64 = 20_000;
const LONGEST_SLICE: u64 = 2_000_000;

/// What a solver works with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads, at least one.
    pub threads: usize,
    /// Size of its table in MiB, at least one.
    pub table_mb: usize,
    /// The databases in which lines end.
    pub tablebase: Arc<Tablebase>,
    /// The rules to prove under.
    pub rules: Rules,
}

/// What a position is worth at least and at most, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// At least.
    pub lower: Wld,
    /// At most.
    pub upper: Wld,
}

impl Bounds {
    /// Nothing is known.
    pub const OPEN: Self = Self {
        lower: Wld::Loss,
        upper: Wld::Win,
    };

    /// The value, if it is known.
    #[must_use]
    pub fn value(self) -> Option<Wld> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// What is proven; `None` for nothing.
    #[must_use]
    pub fn claim(self) -> Option<Claim> {
        match (self.value(), self.lower, self.upper) {
            (Some(value), ..) => Some(Claim::Exactly(value)),
            (None, Wld::Draw, _) => Some(Claim::AtLeastDraw),
            (None, _, Wld::Draw) => Some(Claim::AtMostDraw),
            _ => None,
        }
    }
}

/// What became of a position.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The position.
    pub position: Position,
    /// The rules that hold.
    pub rules: Rules,
    /// What is proven.
    pub bounds: Bounds,
    /// The proofs, at most one for each side.
    pub strategies: Vec<Strategy>,
    /// Positions searched.
    pub nodes: u64,
    /// The time it took.
    pub time: Duration,
}

impl Solution {
    /// The certificate; `None` if nothing is proven.
    #[must_use]
    pub fn certificate(&self) -> Option<Certificate<'_>> {
        Some(Certificate {
            root: self.position,
            rules: self.rules,
            claim: self.bounds.claim()?,
            strategies: self.strategies.iter().collect(),
        })
    }

    /// The strategy of `side`.
    #[must_use]
    pub fn strategy(&self, side: Color) -> Option<&Strategy> {
        self.strategies.iter().find(|it| it.side == side)
    }
}

/// A move and what is proven of it, for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveValue {
    /// The move.
    pub mv: Move,
    /// Its value.
    pub bounds: Bounds,
    /// The opponent's answer in the proof of what it is worth, if there is one.
    pub reply: Option<Move>,
}

/// Proves values, and remembers what it has learnt for the next position.
#[derive(Debug)]
pub struct Solver {
    settings: Settings,
    pub(super) table: Table,
}

/// Which answers are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wanted {
    /// For each colour, whether it is asked if that side wins.
    asked: [bool; 2],
}

/// What the threads of one proof have found.
struct Progress {
    /// For each colour as the attacker.
    answers: [Option<Strategy>; 2],
    began: Instant,
}

impl Solver {
    /// A solver with an empty table.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let table = Table::new(settings.table_mb);
        Self { settings, table }
    }

    /// The databases in use.
    #[must_use]
    pub fn tablebase(&self) -> &Tablebase {
        &self.settings.tablebase
    }

    /// Forgets what earlier proofs have learnt.
    pub fn clear(&self) {
        self.table.clear();
    }

    /// The value of `position`, as far as it is found within `time`.
    #[must_use]
    pub fn solve(&self, position: &Position, time: Duration) -> Solution {
        let wanted = Wanted { asked: [true; 2] };
        self.prove(position, time, wanted)
    }

    /// Whether the side to move wins: an upper or lower bound.
    #[must_use]
    pub fn solve_win(&self, position: &Position, time: Duration) -> Solution {
        self.prove(position, time, Wanted::only(position.turn()))
    }

    /// Whether the side to move at least draws.
    #[must_use]
    pub fn solve_draw(&self, position: &Position, time: Duration) -> Solution {
        self.prove(position, time, Wanted::only(position.turn().opponent()))
    }

    fn prove(&self, position: &Position, time: Duration, wanted: Wanted) -> Solution {
        let shared = Shared::new(&self.table, &self.settings.tablebase, self.settings.rules);
        let progress = Mutex::new(Progress {
            answers: [None, None],
            began: Instant::now(),
        });
        let alone = self.settings.threads < 2;
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.settings.threads.max(1))
                .filter_map(|index| {
                    let worker = Worker::new(&shared, &progress, wanted, index);
                    let work = move || worker.work(position, alone);
                    let builder = thread::Builder::new().stack_size(STACK_BYTES);
                    builder.spawn_scoped(scope, work).ok()
                })
                .collect();
            let began = Instant::now();
            while workers.iter().any(|worker| !worker.is_finished()) {
                thread::park_timeout(Duration::from_millis(1));
                if began.elapsed() >= time {
                    shared.stop.store(true, Relaxed);
                }
            }
        });
        let nodes = shared.nodes.load(Relaxed);
        solution(*position, self.settings.rules, progress.into_inner(), nodes)
    }

    /// What is known of every move without more work than `time` for all: databases, the proofs
    /// so far, and short proofs. `aim` is the value of the position.
    #[must_use]
    pub fn moves(&self, position: &Position, value: Wld, time: Duration) -> Vec<MoveValue> {
        let began = Instant::now();
        let moves = position.legal_moves();
        let count = moves.len().max(1);
        let mut found = Vec::new();
        for (nth, mv) in moves.into_iter().enumerate() {
            let left = time.saturating_sub(began.elapsed()) / (count - nth) as u32;
            let next = position.play(mv);
            let solution = match value {
                // Does it win too? Does it draw too? Every move loses a lost position.
                Wld::Win => self.prove(&next, left, Wanted::only(position.turn())),
                Wld::Draw => self.prove(&next, left, Wanted::only(next.turn())),
                Wld::Loss => self.prove(&next, Duration::ZERO, Wanted::only(next.turn())),
            };
            let bounds = Bounds {
                lower: -solution.bounds.upper,
                upper: (-solution.bounds.lower).min(value),
            };
            let reply = self.answer(&solution);
            found.push(MoveValue { mv, bounds, reply });
        }
        found
    }
}

impl Solver {
    /// What the side to move plays in the proof of its own result.
    #[must_use]
    pub fn answer(&self, solution: &Solution) -> Option<Move> {
        let position = &solution.position;
        let strategy = solution.strategy(position.turn());
        let step = strategy.and_then(|it| it.steps.iter().find(|step| step.0 == *position));
        if let Some((_, mv)) = step {
            return Some(*mv);
        }
        let value = |mv: &Move| self.tablebase().probe(&position.play(*mv)).ok();
        let moves = position.legal_moves().into_iter();
        let (_, best) = moves
            .filter_map(|mv| Some((value(&mv)?, mv)))
            .min_by_key(|it| it.0)?;
        strategy.map(|_| best)
    }
}

impl Wanted {
    fn only(attacker: Color) -> Self {
        let mut asked = [false; 2];
        asked[attacker.index()] = true;
        Self { asked }
    }
}

fn solution(position: Position, rules: Rules, progress: Progress, nodes: u64) -> Solution {
    let mut bounds = Bounds::OPEN;
    let mover = position.turn();
    for strategy in progress.answers.iter().flatten() {
        match (strategy.aim, strategy.side == mover) {
            (Aim::Win, true) => bounds.lower = Wld::Win,
            (Aim::Win, false) => bounds.upper = Wld::Loss,
            (Aim::Hold, true) => bounds.lower = bounds.lower.max(Wld::Draw),
            (Aim::Hold, false) => bounds.upper = bounds.upper.min(Wld::Draw),
        }
    }
    let mut strategies: Vec<Strategy> = progress.answers.into_iter().flatten().collect();
    // Who wins does not need to hold, though that may have been proven first.
    if let Some(winner) = strategies.iter().find(|it| it.aim == Aim::Win) {
        let winner = winner.side;
        strategies.retain(|it| it.aim == Aim::Win || it.side != winner);
    }
    Solution {
        position,
        rules,
        bounds,
        strategies,
        nodes,
        time: progress.began.elapsed(),
    }
}

/// One thread of a proof.
struct Worker<'a> {
    shared: &'a Shared<'a>,
    progress: &'a Mutex<Progress>,
    wanted: Wanted,
    provers: [Prover<'a>; 2],
    /// The attacker whose question is looked at now, by index.
    current: usize,
}

impl<'a> Worker<'a> {
    fn new(
        shared: &'a Shared<'a>,
        progress: &'a Mutex<Progress>,
        wanted: Wanted,
        index: usize,
    ) -> Self {
        Self {
            shared,
            progress,
            wanted,
            provers: Color::BOTH.map(|attacker| Prover::new(shared, attacker)),
            current: index % 2,
        }
    }

    fn is_open(&self, attacker: usize) -> bool {
        self.wanted.asked[attacker] && self.progress.lock().answers[attacker].is_none()
    }

    /// Works until there is nothing left to do; `alone`, on both questions by turns. What needs no
    /// search is answered even if the time is over at once.
    fn work(mut self, position: &Position, alone: bool) {
        let mut slice = FIRST_SLICE;
        for round in 1.. {
            if !self.is_open(self.current) {
                self.current ^= 1;
                if !self.is_open(self.current) {
                    return;
                }
            }
            self.advance(position, slice);
            slice = (slice * 5 / 4).min(LONGEST_SLICE);
            if alone {
                self.current ^= 1;
            }
            let looked_at_all = round > usize::from(alone);
            if looked_at_all && self.shared.stop.load(Relaxed) {
                return;
            }
        }
    }

    /// Works on the current question for a while.
    fn advance(&mut self, position: &Position, slice: u64) {
        let prover = &mut self.provers[self.current];
        let Some(won) = prover.run(position, slice) else {
            return;
        };
        let builder = Builder::new(prover);
        let built = if won {
            builder.win(position)
        } else {
            builder.hold(position)
        };
        match built {
            // Another win may be quick enough, but the table leads to this one again.
            Ok(strategy) if won && !self.is_in_time(&strategy, position) => {
                self.wanted.asked[self.current] = false;
            }
            Ok(strategy) => self.deliver(strategy, won),
            Err(Gap::Stopped) => {}
            Err(Gap::Wrong) => self.provers[self.current].forget(position),
        }
    }

    fn is_in_time(&self, strategy: &Strategy, position: &Position) -> bool {
        let ends = &self.provers[self.current].ends;
        self.shared.rules == Rules::Endless || strategy.is_in_time(position, ends)
    }

    fn deliver(&self, strategy: Strategy, won: bool) {
        let mut progress = self.progress.lock();
        let answer = &mut progress.answers[self.current];
        if answer.is_none() {
            *answer = Some(strategy);
        }
        let over = won || (0..2).all(|it| !self.wanted.asked[it] || progress.answers[it].is_some());
        if over {
            self.shared.stop.store(true, Relaxed);
        }
    }
}
