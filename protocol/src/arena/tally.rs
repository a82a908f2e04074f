//! The score of a match, from its game records.
//!
//! Owns every count that a report shows; each game enters once, through [`Tally::add`]. Pairs
//! count when both their games are over. Knows no engine and no file. Start reading at [`Tally`].

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Serialize;

use super::elo::Pentanomial;
use super::record::{GameRecord, Note, Reason};

/// The results of one engine against some others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Finished pairs of games, by half points.
    pub pairs: Pentanomial,
}

impl Score {
    /// Finished games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win is 1, a draw 1/2.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    fn add_game(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        for (count, more) in self.pairs.0.iter_mut().zip(other.pairs.0) {
            *count += more;
        }
    }

    fn reversed(&self) -> Self {
        let mut pairs = self.pairs;
        pairs.0.reverse();
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
            pairs,
        }
    }
}

/// How an engine used what it was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Use {
    /// Moves made.
    pub moves: u64,
    /// Seconds spent on them.
    pub seconds: f64,
    /// Seconds of the moves that had a limit, and what the limits add up to.
    pub limited: (f64, f64),
    /// The most that a move took beyond its limit, in seconds.
    pub largest_overrun: f64,
    /// Moves with a depth, and the sum of the depths.
    pub depths: (u64, u64),
    /// Positions searched, and the seconds of the moves that told them.
    pub nodes: (u64, f64),
    /// Games lost by misbehaviour.
    pub faults: u64,
}

impl Use {
    fn add(&mut self, note: &Note) {
        self.moves += 1;
        self.seconds += note.time;
        if let Some(allowed) = note.allowed {
            self.limited.0 += note.time;
            self.limited.1 += allowed;
            self.largest_overrun = self.largest_overrun.max(note.time - allowed);
        }
        if let Some(depth) = note.depth {
            self.depths.0 += 1;
            self.depths.1 += u64::from(depth);
        }
        if let Some(nodes) = note.nodes {
            self.nodes.0 += nodes;
            self.nodes.1 += note.time;
        }
    }

    /// Mean depth, in plies.
    #[must_use]
    pub fn mean_depth(&self) -> Option<f64> {
        ratio(self.depths.1 as f64, self.depths.0 as f64)
    }

    /// Positions a second.
    #[must_use]
    pub fn nodes_per_second(&self) -> Option<f64> {
        ratio(self.nodes.0 as f64, self.nodes.1)
    }

    /// Seconds a move.
    #[must_use]
    pub fn seconds_per_move(&self) -> Option<f64> {
        ratio(self.seconds, self.moves as f64)
    }

    /// What part of the time that the limits allowed was used. Of a clock this is the mean part
    /// of what was left, which is small; with a fixed time a move it should be near 1.
    #[must_use]
    pub fn time_used(&self) -> Option<f64> {
        ratio(self.limited.0, self.limited.1)
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// A game that an engine lost by misbehaviour, or an error that it reported.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Anomaly {
    /// The game's number.
    pub game: usize,
    /// The culprit.
    pub engine: String,
    /// What lost it the game; `None` for a report that the game survived.
    pub reason: Option<Reason>,
    /// Particulars.
    pub detail: String,
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Game {}: {} ", self.game, self.engine)?;
        match self.reason {
            Some(reason) => write!(f, "lost by {reason}: {}", self.detail),
            None => write!(f, "reports an error: {}", self.detail),
        }
    }
}

/// The score so far.
#[derive(Clone, Debug)]
pub struct Tally {
    names: Vec<String>,
    /// For each pairing that has met, the score of the lower-numbered engine.
    met: BTreeMap<(usize, usize), Score>,
    /// The half points of the lower-numbered engine in pairs with one game finished.
    halves: HashMap<usize, usize>,
    uses: Vec<Use>,
    reasons: BTreeMap<Reason, u64>,
    anomalies: Vec<Anomaly>,
    busy: f64,
}

impl Tally {
    /// The score before the first game.
    #[must_use]
    pub fn new(names: Vec<String>) -> Self {
        Self {
            uses: vec![Use::default(); names.len()],
            names,
            met: BTreeMap::new(),
            halves: HashMap::new(),
            reasons: BTreeMap::new(),
            anomalies: Vec::new(),
            busy: 0.0,
        }
    }

    /// Counts a game. A game of engines that do not take part is ignored.
    pub fn add(&mut self, game: &GameRecord) {
        let number = |name: &str| self.names.iter().position(|known| known == name);
        let (Some(black), Some(white)) = (number(&game.black), number(&game.white)) else {
            return;
        };
        self.add_result(game, black.min(white), black.max(white));
        for (mover, note) in game.played() {
            let player = [black, white][mover.index()];
            self.uses[player].add(note);
            self.busy += note.time;
        }
        *self.reasons.entry(game.reason).or_insert(0) += 1;
        for complaint in &game.complaints {
            self.anomalies.push(Anomaly {
                game: game.game,
                engine: complaint.engine.clone(),
                reason: None,
                detail: complaint.text.clone(),
            });
        }
        if game.reason.is_anomaly() {
            let culprit = if game.half_points(&game.black) == 0 {
                black
            } else {
                white
            };
            self.uses[culprit].faults += 1;
            self.anomalies.push(Anomaly {
                game: game.game,
                engine: self.names[culprit].clone(),
                reason: Some(game.reason),
                detail: game.detail.clone(),
            });
        }
    }

    fn add_result(&mut self, game: &GameRecord, one: usize, other: usize) {
        let half_points = game.half_points(&self.names[one]);
        let score = self.met.entry((one, other)).or_default();
        score.add_game(half_points);
        match self.halves.remove(&game.pair) {
            None => {
                self.halves.insert(game.pair, half_points);
            }
            Some(first) => score.pairs.add(first + half_points),
        }
    }

    /// The engines, by number.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The score of an engine against all others.
    #[must_use]
    pub fn score(&self, engine: usize) -> Score {
        let mut total = Score::default();
        for (&(one, other), score) in &self.met {
            if one == engine {
                total.add(score);
            } else if other == engine {
                total.add(&score.reversed());
            }
        }
        total
    }

    /// The score of one engine against another.
    #[must_use]
    pub fn between(&self, engine: usize, opponent: usize) -> Score {
        let score = |one, other| self.met.get(&(one, other)).copied().unwrap_or_default();
        if engine < opponent {
            score(engine, opponent)
        } else {
            score(opponent, engine).reversed()
        }
    }

    /// What an engine did with its time.
    #[must_use]
    pub fn usage(&self, engine: usize) -> Use {
        self.uses[engine]
    }

    /// How often games ended for each reason.
    #[must_use]
    pub fn reasons(&self) -> &BTreeMap<Reason, u64> {
        &self.reasons
    }

    /// Games lost by misbehaviour, and errors that engines reported, in the order they were counted.
    #[must_use]
    pub fn anomalies(&self) -> &[Anomaly] {
        &self.anomalies
    }

    /// All finished games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.reasons.values().sum()
    }

    /// Seconds that engines have thought, all together.
    #[must_use]
    pub fn busy_seconds(&self) -> f64 {
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::GameResult;
    use super::*;

    fn game(game: usize, black: &str, white: &str, result: GameResult) -> GameRecord {
        GameRecord {
            game,
            pair: game.div_ceil(2),
            black: black.into(),
            white: white.into(),
            opening: "o".into(),
            fen: "W:W21:B1".into(),
            opening_plies: 1,
            moves: vec![],
            notes: vec![Note {
                score: None,
                depth: Some(8),
                nodes: Some(500),
                time: 0.5,
                allowed: Some(0.4),
                clock: None,
            }],
            result,
            reason: Reason::NoMove,
            detail: String::new(),
            complaints: vec![],
            ended: String::new(),
            seconds: 1.0,
        }
    }

    #[test]
    fn pairs_count_once_and_from_both_sides() {
        let mut tally = Tally::new(vec!["a".into(), "b".into()]);
        tally.add(&game(2, "b", "a", GameResult::Draw));
        assert_eq!(tally.score(0).pairs.pairs(), 0);
        tally.add(&game(1, "a", "b", GameResult::Black));
        tally.add(&game(3, "a", "b", GameResult::White));
        let (first, second) = (tally.score(0), tally.score(1));
        assert_eq!((first.wins, first.draws, first.losses), (1, 1, 1));
        assert_eq!(first.pairs, Pentanomial([0, 0, 0, 1, 0]));
        assert_eq!(second.pairs, Pentanomial([0, 1, 0, 0, 0]));
        assert_eq!(tally.between(1, 0), second);
    }

    #[test]
    fn time_belongs_to_the_side_that_moved() {
        let mut tally = Tally::new(vec!["a".into(), "b".into()]);
        // White begins, but that move is the opening's: Black makes the first noted one.
        tally.add(&game(1, "a", "b", GameResult::Draw));
        let used = tally.usage(0);
        assert_eq!((used.moves, tally.usage(1).moves), (1, 0));
        assert_eq!(used.nodes_per_second(), Some(1000.0));
        assert!((used.largest_overrun - 0.1).abs() < 1e-9);
    }
}
