//! The rounds of a search: one depth, line and window after another, for all threads together.
//!
//! A round asks one question at the root. Every thread works on it; the first to know the answer
//! writes it down and sets the next question, and the others drop theirs and join. So all
//! threads search the same window, and what one of them stores in the table serves the others.
//! Knows the root moves, nothing of the tree. Start reading at [`Round::answered`].

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use super::params::{ASPIRATION, ASPIRATION_DEPTH, ASPIRATION_MOST};
use super::root::RootMove;
use crate::score::{Depth, Score};

/// The question, and what is known so far.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) depth: Depth,
    /// Which line is sought, from 0: the moves before it are settled at this depth.
    pub(super) line: usize,
    pub(super) alpha: Score,
    pub(super) beta: Score,
    /// Half of the window.
    half: i16,
    /// All root moves, in the order in which to try them.
    pub(super) roots: Vec<RootMove>,
    /// Depth and line that were answered last.
    pub(super) settled: Option<(Depth, usize)>,
}

impl Round {
    fn first(roots: Vec<RootMove>) -> Self {
        let mut round = Self {
            depth: Depth(1),
            line: 0,
            alpha: -Score::INFINITY,
            beta: Score::INFINITY,
            half: ASPIRATION,
            roots,
            settled: None,
        };
        round.open();
        round
    }

    /// Sets the first window of the line.
    fn open(&mut self) {
        let guess = self.roots.get(self.line).map(|root| root.previous);
        self.half = ASPIRATION;
        (self.alpha, self.beta) = match guess {
            Some(guess) if self.depth.0 >= ASPIRATION_DEPTH && !guess.is_proven() => {
                (guess - self.half, guess + self.half)
            }
            _ => (-Score::INFINITY, Score::INFINITY),
        };
    }

    /// The round after this one, of which `lines` are wanted at each depth: `score` was found.
    fn answered(&mut self, score: Score, lines: usize) {
        if score <= self.alpha || score >= self.beta {
            self.widen(score);
            return;
        }
        self.settled = Some((self.depth, self.line));
        self.line += 1;
        if self.line == lines {
            self.line = 0;
            self.depth = self.depth + 1;
            self.roots.iter_mut().for_each(RootMove::begin_iteration);
        }
        self.open();
    }

    fn widen(&mut self, score: Score) {
        self.half = self.half.saturating_mul(2);
        if self.half > ASPIRATION_MOST {
            (self.alpha, self.beta) = (-Score::INFINITY, Score::INFINITY);
        } else if score <= self.alpha {
            self.alpha = (score - self.half).max(-Score::INFINITY);
        } else {
            self.beta = (score + self.half).min(Score::INFINITY);
        }
    }
}

/// The current round, and its number for those who look whether it is still theirs.
#[derive(Debug)]
pub(super) struct Rounds {
    number: AtomicU64,
    current: Mutex<Round>,
    lines: usize,
}

impl Rounds {
    /// The rounds of a search for the best `lines` of `roots`.
    pub(super) fn new(roots: Vec<RootMove>, lines: usize) -> Self {
        let lines = lines.clamp(1, roots.len().max(1));
        Self {
            number: AtomicU64::new(0),
            current: Mutex::new(Round::first(roots)),
            lines,
        }
    }

    /// How many lines are sought at each depth.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// The number of the current round.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        self.number.load(Relaxed)
    }

    /// The current round with its number.
    pub(super) fn join(&self) -> (u64, Round) {
        let round = self.current.lock();
        (self.number(), round.clone())
    }

    /// Ends round `number` with `score` and the order of `roots` that the search left. Nothing
    /// happens if another thread was first.
    pub(super) fn finish(&self, number: u64, score: Score, roots: &[RootMove]) {
        let mut round = self.current.lock();
        if self.number() == number {
            round.roots.clone_from_slice(roots);
            round.answered(score, self.lines);
            self.number.store(number + 1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;

    fn roots() -> Vec<RootMove> {
        RootMove::all(&Position::START)
    }

    #[test]
    fn lines_then_depths_follow_each_other() {
        let mut round = Round::first(roots());
        for (depth, line) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0)] {
            assert_eq!((round.depth, round.line), (Depth(depth), line));
            round.answered(Score(5), 2);
            assert_eq!(round.settled, Some((Depth(depth), line)));
        }
    }

    #[test]
    fn a_missed_window_is_widened_on_its_side_and_at_last_opened() {
        let mut round = Round::first(roots());
        round.depth = Depth(ASPIRATION_DEPTH);
        round.roots[0].previous = Score(40);
        round.open();
        assert_eq!(round.alpha, Score(40) - ASPIRATION);
        round.answered(Score(100), 1);
        assert_eq!(round.beta, Score(100) + 2 * ASPIRATION);
        assert_eq!((round.alpha, round.settled), (Score(40) - ASPIRATION, None));
        for _ in 0..10 {
            round.answered(round.alpha, 1);
        }
        assert_eq!(round.beta, Score::INFINITY);
        assert_eq!(round.alpha, -Score::INFINITY);
    }

    #[test]
    fn only_the_first_answer_to_a_round_counts() {
        let rounds = Rounds::new(roots(), 1);
        let (number, round) = rounds.join();
        rounds.finish(number, Score(1), &round.roots);
        rounds.finish(number, Score(2), &round.roots);
        assert_eq!(rounds.number(), number + 1);
        assert_eq!(rounds.join().1.depth, Depth(2));
    }
}
