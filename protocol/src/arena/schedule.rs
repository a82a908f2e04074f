//! Which game comes when: who meets whom, from which opening, with which colour.
//!
//! Games are numbered in the order of play and everything about a game follows from its number,
//! so that a match can go on after any interruption. Start reading at [`Schedule::task`].

use serde::{Deserialize, Serialize};

use super::openings::Order;

/// Who meets whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first engine meets all others.
    Gauntlet,
}

impl Form {
    /// The pairings among `engines` engines, each with the lower number first.
    #[must_use]
    pub fn pairings(self, engines: usize) -> Vec<(usize, usize)> {
        let first = match self {
            Self::RoundRobin => engines,
            Self::Gauntlet => 1,
        };
        (0..first)
            .flat_map(|one| (one + 1..engines).map(move |other| (one, other)))
            .collect()
    }
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// From 0.
    pub game: usize,
    /// The pair of games with one opening and both colours, from 0.
    pub pair: usize,
    /// The engine with the black pieces.
    pub black: usize,
    /// The engine with the white pieces.
    pub white: usize,
    /// The opening.
    pub opening: usize,
}

/// The games of a match.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    rounds: usize,
    order: Order,
}

impl Schedule {
    /// `rounds` openings for every pairing, each played twice.
    #[must_use]
    pub fn new(pairings: Vec<(usize, usize)>, rounds: usize, order: Order) -> Self {
        Self {
            pairings,
            rounds,
            order,
        }
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> usize {
        2 * self.rounds * self.pairings.len()
    }

    /// The game with a number below [`Schedule::games`]. In each round all pairings play the
    /// round's opening, the lower-numbered engine first with Black, then with White.
    pub fn task(&mut self, game: usize) -> Task {
        let pair = game / 2;
        let (one, other) = self.pairings[pair % self.pairings.len()];
        let (black, white) = match game % 2 {
            0 => (one, other),
            _ => (other, one),
        };
        Task {
            game,
            pair,
            black,
            white,
            opening: self.order.at(pair / self.pairings.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_meets_everybody_with_both_colours() {
        let pairings = Form::RoundRobin.pairings(3);
        assert_eq!(pairings, [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(Form::Gauntlet.pairings(3), [(0, 1), (0, 2)]);
        let mut schedule = Schedule::new(pairings, 2, Order::new(7, 1));
        assert_eq!(schedule.games(), 12);
        let tasks: Vec<Task> = (0..12).map(|game| schedule.task(game)).collect();
        for pair in tasks.chunks(2) {
            assert_eq!(
                (pair[0].black, pair[0].white),
                (pair[1].white, pair[1].black)
            );
            assert_eq!(pair[0].opening, pair[1].opening);
        }
        assert!(
            tasks[..6]
                .iter()
                .all(|task| task.opening == tasks[0].opening)
        );
        assert_ne!(tasks[0].opening, tasks[6].opening);
    }
}
