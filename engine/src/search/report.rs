//! What a search tells its observer.

use std::time::Duration;

use crate::rules::Move;
use crate::score::{Bound, Depth, Score};
use crate::tablebase::{Damage, Wld};

/// The state of a search after an iteration, or when the best line changed within one.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Which of the requested lines this is, from 1 (the best).
    pub line: usize,
    /// The iteration.
    pub depth: Depth,
    /// The deepest ply reached.
    pub deepest: u16,
    /// For the side to move at the root.
    pub score: Score,
    /// Whether `score` is exact or a bound (an aspiration window that failed).
    pub bound: Bound,
    /// Positions searched by all threads so far.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// The line, all of it legal from the root; empty only in a finished position.
    pub pv: Vec<Move>,
    /// What the line is worth for certain, by the endgame databases.
    pub value: Option<Wld>,
}

impl Report {
    /// What the line is worth for certain, by the databases or because it was searched to the end.
    #[must_use]
    pub fn proven(&self) -> Option<Wld> {
        self.value.or(if self.score.is_win() {
            Some(Wld::Win)
        } else if self.score.is_loss() {
            Some(Wld::Loss)
        } else {
            None
        })
    }

    /// Nodes a second so far; 0 before the clock has moved.
    #[must_use]
    pub fn nodes_per_second(&self) -> u64 {
        let seconds = self.time.as_secs_f64();
        if seconds > 0.0 {
            (self.nodes as f64 / seconds) as u64
        } else {
            0
        }
    }
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The move to play; `None` only where the side to move has none.
    pub best: Option<Move>,
    /// The reply that the engine expects, legal after `best`; `None` if that ends the game.
    pub ponder: Option<Move>,
    /// The last full report for the best line.
    pub report: Report,
}

/// Receives reports and, once, the answer. Called from the search's own thread.
pub trait Observer: Send {
    /// A new or deeper line.
    fn report(&mut self, report: &Report);

    /// The search is over; called exactly once for every `go`, even after a panic inside.
    fn answer(&mut self, answer: &Answer);

    /// A part of the endgame databases is damaged, so that nothing is answered from it; told once.
    fn damage(&mut self, damage: &Damage) {
        let _ = damage;
    }

    /// A search thread failed, which is a fault of the engine; the answer comes all the same.
    fn fault(&mut self, what: &str) {
        let _ = what;
    }
}

/// An observer that nobody listens to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn report(&mut self, _: &Report) {}

    fn answer(&mut self, _: &Answer) {}
}
