//! Scores in bands, depths and plies.
//!
//! ```text
//!   0 ........ 20,000   evaluation, 100 a man
//!   22,000 +- 1,500      won by an endgame database in an unknown time, with the evaluation
//!   25,000 - plies       won by an endgame database, less the plies to the next capture or man's move
//!   32,000 - ply        won by a line that was searched to the end
//! ```
//!
//! A loss is the negative of a win. The only module that knows the bands; it imports nothing.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// The value of a position for the side to move, in hundredths of a man, or a proven result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i16);

/// What a proven score says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The side to move wins in this many plies at most.
    WinIn(u16),
    /// The side to move loses in this many plies at most.
    LossIn(u16),
    /// A database won position is reached after this many plies.
    DatabaseWinIn(u16),
    /// A database lost position is reached after this many plies.
    DatabaseLossIn(u16),
}

impl Score {
    /// Nobody is better, or a draw.
    pub const DRAW: Self = Self(0);
    /// Above every score.
    pub const INFINITY: Self = Self(32_001);
    /// The largest evaluation.
    pub const MOST_EVALUATION: Self = Self(20_000);
    const WIN: i16 = 32_000;
    const DATABASE_WIN: i16 = 25_000;
    const DATABASE_WIN_SOMETIME: i16 = 22_000;
    const DATABASE_EVALUATION: i16 = 1_500;
    /// The longest distance that a proven score can carry, in plies.
    pub const MOST_PLIES: u16 = 1_000;

    /// The game is won in `plies` plies (0 to [`Score::MOST_PLIES`]).
    #[must_use]
    pub const fn win_in(plies: u16) -> Self {
        Self(Self::WIN - Self::bounded(plies))
    }

    /// The game is lost in `plies` plies.
    #[must_use]
    pub const fn loss_in(plies: u16) -> Self {
        Self(-Self::WIN + Self::bounded(plies))
    }

    /// A database win, reached after `plies` plies.
    #[must_use]
    pub const fn database_win_in(plies: u16) -> Self {
        Self(Self::DATABASE_WIN - Self::bounded(plies))
    }

    /// A database loss, reached after `plies` plies.
    #[must_use]
    pub const fn database_loss_in(plies: u16) -> Self {
        Self(-Self::DATABASE_WIN + Self::bounded(plies))
    }

    /// A database win after an unknown number of plies; the evaluation tells better from worse.
    #[must_use]
    pub fn database_win_by(evaluation: Self) -> Self {
        let most = Self::DATABASE_EVALUATION;
        Self(Self::DATABASE_WIN_SOMETIME + evaluation.0.clamp(-most, most))
    }

    const fn bounded(plies: u16) -> i16 {
        if plies > Self::MOST_PLIES {
            Self::MOST_PLIES as i16
        } else {
            plies as i16
        }
    }

    /// An evaluation, clamped into its band.
    #[must_use]
    pub const fn evaluation(value: i32) -> Self {
        let most = Self::MOST_EVALUATION.0 as i32;
        let clamped = if value > most {
            most
        } else if value < -most {
            -most
        } else {
            value
        };
        Self(clamped as i16)
    }

    /// Whether the score is a proven win or loss, by search or database.
    #[must_use]
    pub const fn is_proven(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// Whether the score is a proven win or loss with a known distance to it.
    #[must_use]
    pub fn is_proven_soon(self) -> bool {
        self.verdict().is_some_and(|verdict| {
            let (Verdict::WinIn(plies)
            | Verdict::LossIn(plies)
            | Verdict::DatabaseWinIn(plies)
            | Verdict::DatabaseLossIn(plies)) = verdict;
            plies <= Self::MOST_PLIES
        })
    }

    /// Whether the side to move wins for certain.
    #[must_use]
    pub const fn is_win(self) -> bool {
        self.0 > Self::MOST_EVALUATION.0
    }

    /// Whether the side to move loses for certain.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        self.0 < -Self::MOST_EVALUATION.0
    }

    /// What a proven score says; `None` for an evaluation.
    #[must_use]
    pub const fn verdict(self) -> Option<Verdict> {
        let size = self.0.unsigned_abs();
        if !self.is_proven() {
            return None;
        }
        let searched = size as i16 >= Self::WIN - Self::MOST_PLIES as i16;
        let plies = if searched {
            Self::WIN
        } else {
            Self::DATABASE_WIN
        } - size as i16;
        let plies = if plies < 0 { 0 } else { plies as u16 };
        Some(match (searched, self.0 > 0) {
            (true, true) => Verdict::WinIn(plies),
            (true, false) => Verdict::LossIn(plies),
            (false, true) => Verdict::DatabaseWinIn(plies),
            (false, false) => Verdict::DatabaseLossIn(plies),
        })
    }

    /// As the root sees it to as the node at `ply` sees it: what a transposition table stores.
    #[must_use]
    #[inline]
    pub const fn to_node(self, ply: Ply) -> Self {
        match (self.is_win(), self.is_loss()) {
            (true, _) => Self(self.0 + ply.0 as i16),
            (_, true) => Self(self.0 - ply.0 as i16),
            _ => self,
        }
    }

    /// The inverse of [`Score::to_node`].
    #[must_use]
    #[inline]
    pub const fn to_root(self, ply: Ply) -> Self {
        match (self.is_win(), self.is_loss()) {
            (true, _) => Self(self.0 - ply.0 as i16),
            (_, true) => Self(self.0 + ply.0 as i16),
            _ => self,
        }
    }

    /// In men, for people.
    #[must_use]
    pub fn men(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl Neg for Score {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add<i16> for Score {
    type Output = Self;

    #[inline]
    fn add(self, margin: i16) -> Self {
        Self(self.0.saturating_add(margin))
    }
}

impl Sub<i16> for Score {
    type Output = Self;

    #[inline]
    fn sub(self, margin: i16) -> Self {
        Self(self.0.saturating_sub(margin))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.verdict() {
            None => write!(f, "{:+.2}", self.men()),
            Some(Verdict::WinIn(plies)) => write!(f, "win in {plies}"),
            Some(Verdict::LossIn(plies)) => write!(f, "loss in {plies}"),
            Some(Verdict::DatabaseWinIn(_)) => f.write_str("database win"),
            Some(Verdict::DatabaseLossIn(_)) => f.write_str("database loss"),
        }
    }
}

/// Remaining search depth in plies; at most [`Depth::MOST`], below 1 in quiescence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(pub i16);

impl Depth {
    /// The deepest iteration.
    pub const MOST: Self = Self(200);
}

impl Add<i16> for Depth {
    type Output = Self;

    #[inline]
    fn add(self, plies: i16) -> Self {
        Self(self.0 + plies)
    }
}

impl Sub<i16> for Depth {
    type Output = Self;

    #[inline]
    fn sub(self, plies: i16) -> Self {
        Self(self.0 - plies)
    }
}

/// Distance from the root in plies, 0 to [`Ply::MOST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ply(pub u16);

impl Ply {
    /// The longest line that the search follows, extensions and jumps included.
    pub const MOST: Self = Self(400);

    /// One further from the root.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// What a stored score is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Bound {
    /// The true value is at most this.
    Upper = 1,
    /// The true value is at least this.
    Lower = 2,
    /// This is the true value (at its depth).
    Exact = 3,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_do_not_overlap() {
        let most = Score::MOST_PLIES;
        assert!(Score::MOST_EVALUATION < Score::database_win_in(most));
        assert!(Score::database_win_in(0) < Score::win_in(most));
        assert!(Score::win_in(0) < Score::INFINITY);
        assert_eq!(Score::evaluation(1_000_000), Score::MOST_EVALUATION);
    }

    #[test]
    fn verdicts_read_back() {
        for plies in [0, 1, 61, 400] {
            assert_eq!(Score::win_in(plies).verdict(), Some(Verdict::WinIn(plies)));
            assert_eq!(
                Score::loss_in(plies).verdict(),
                Some(Verdict::LossIn(plies))
            );
            assert_eq!(
                Score::database_win_in(plies).verdict(),
                Some(Verdict::DatabaseWinIn(plies))
            );
            assert_eq!(
                (-Score::database_win_in(plies)).verdict(),
                Some(Verdict::DatabaseLossIn(plies))
            );
        }
        assert_eq!(Score(150).verdict(), None);
    }

    #[test]
    fn table_scores_are_relative_to_the_node() {
        let ply = Ply(7);
        let seen_from_root = Score::win_in(20);
        assert_eq!(seen_from_root.to_node(ply), Score::win_in(13));
        assert_eq!(seen_from_root.to_node(ply).to_root(ply), seen_from_root);
        assert_eq!(Score::loss_in(20).to_node(ply), Score::loss_in(13));
        assert_eq!(Score(33).to_node(ply), Score(33));
    }
}
