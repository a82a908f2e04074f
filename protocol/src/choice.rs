//! The move that is played when it need not be the very best one.
//!
//! Owns the choice among the lines of a search: for variety between games, and for the levels at
//! which people can win. Knows no protocol and starts no search. Start reading at [`Taste`].

use std::cmp::Reverse;

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

    /// The best `count` lines that are known exactly, the best first, numbered from 1: those of the
    /// last iteration, and where it was cut short the rest of the one before.
    #[must_use]
    pub fn best(&self, count: usize) -> Vec<Report> {
        let exact = |report: &&Report| report.bound == Bound::Exact && !report.pv.is_empty();
        let mut best: Vec<Report> = self.0.iter().filter(exact).cloned().collect();
        best.sort_by_key(|report| (Reverse(report.depth), report.line));
        best.truncate(count);
        for (line, report) in (1..).zip(&mut best) {
            report.line = line;
        }
        best
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

#[cfg(test)]
mod tests {
    use super::*;
    use engine::rules::Position;
    use engine::score::Depth;

    #[test]
    fn an_iteration_cut_short_is_filled_up_from_the_one_before() {
        let moves = Position::START.legal_moves();
        let mut lines = Lines::default();
        let mut add = |depth: i16, line: usize, mv: usize| {
            lines.add(&Report {
                line,
                depth: Depth(depth),
                deepest: 0,
                score: Score(10),
                bound: Bound::Exact,
                nodes: 1,
                value: None,
                time: std::time::Duration::ZERO,
                pv: vec![moves[mv]],
            });
        };
        for (depth, line, mv) in [(8, 1, 0), (8, 2, 1), (8, 3, 2), (9, 1, 1)] {
            add(depth, line, mv);
        }
        let best: Vec<_> = lines.best(3).iter().map(|it| (it.line, it.pv[0])).collect();
        assert_eq!(best, [(1, moves[1]), (2, moves[0]), (3, moves[2])]);
    }
}
