//! The move that is played when it need not be the very best one.
//!
//! Owns the choice among the lines of a search: for variety between games, and for the levels at
//! which people can win. Knows no protocol and starts no search. Start reading at [`Taste`].

use engine::rules::Move;
use engine::score::{Bound, Score};
use engine::search::Report;

use crate::message::Choice;

/// How a move is chosen among those that a search has rated.
///
/// Each score gets a random amount of up to `noise` on either side, then the best one is taken
/// among the moves that truly lie within `margin` of the best. So a choice is never worse than
/// `margin`, whatever chance says, and a proven win or a forced loss is recognised for what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taste {
    /// The most that a move may be worse than the best one, in hundredths of a man.
    pub margin: i16,
    /// The most that a score is misjudged by, in hundredths of a man.
    pub noise: i16,
}

impl Taste {
    /// Only the best move.
    pub const BEST: Self = Self {
        margin: 0,
        noise: 0,
    };

    /// Every move within `margin` is as likely as the other.
    #[must_use]
    pub fn within(margin: i16) -> Self {
        // Noise so much larger than the margin that the true scores do not show through it.
        Self {
            margin,
            noise: margin.saturating_mul(20),
        }
    }

    /// Whether the choice needs more than the best line.
    #[must_use]
    pub fn is_choosy(self) -> bool {
        self.margin > 0
    }
}

/// The latest report of every root move.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<Report>);

impl Lines {
    /// Takes a report in; it replaces the one of the same first move.
    pub fn add(&mut self, report: &Report) {
        let first = report.pv.first();
        match self.0.iter_mut().find(|known| known.pv.first() == first) {
            Some(known) => *known = report.clone(),
            None => self.0.push(report.clone()),
        }
    }

    /// The report of the line that begins with `mv`.
    #[must_use]
    pub fn of(&self, mv: Move) -> Option<&Report> {
        self.0.iter().find(|report| report.pv.first() == Some(&mv))
    }

    /// The latest exact report of the line with this number, from 1.
    #[must_use]
    pub fn numbered(&self, line: usize) -> Option<&Report> {
        let of_number = self.0.iter().filter(|report| {
            report.line == line && report.bound == Bound::Exact && !report.pv.is_empty()
        });
        of_number.max_by_key(|report| (report.depth, report.nodes))
    }

    /// Chooses among the lines; `best` (the answer of the search) if nothing else comes close, or
    /// if the taste is for the best move alone. Lines that lag more than one iteration behind were
    /// given up by the search and do not count; a line that the last iteration has not looked at
    /// counts at most as much as the best, whatever it was worth before.
    pub fn choose(&self, taste: Taste, best: Choice, random: &mut fastrand::Rng) -> Choice {
        if !taste.is_choosy() {
            return best;
        }
        let deepest = self
            .0
            .iter()
            .map(|report| report.depth)
            .max()
            .unwrap_or_default();
        let floor = best.score - taste.margin;
        let candidates = self.0.iter().filter(|report| {
            report.depth + 1 >= deepest
                && report.score >= floor
                && report.score.is_win() == best.score.is_win()
        });
        let mut misjudged = |score: Score| {
            i32::from(score.0) + random.i32(-i32::from(taste.noise)..=i32::from(taste.noise))
        };
        let chosen = candidates
            .map(|report| (misjudged(report.score.min(best.score)), report))
            .max_by_key(|c| c.0);
        match chosen {
            Some((_, report)) if report.pv.first() != best.best.as_ref() => Choice {
                best: report.pv.first().copied(),
                ponder: report.pv.get(1).copied(),
                score: report.score,
            },
            _ => best,
        }
    }
}
