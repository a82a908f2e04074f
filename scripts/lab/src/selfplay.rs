//! One game of the engine against itself, and what is learnt from it.
//!
//! A game is over as an event when the databases know its position: from there on its value is
//! exact, and everything before gets this value too. A few plies more are recorded, each with its
//! own exact value, so that the endings just outside of the built-in databases are seen as well.

use std::ops::Neg;

use engine::board::Color;
use engine::engine::Engine;
use engine::rules::{Game, Outcome, Position};
use engine::score::Score;
use engine::search::{Limits, Report};
use engine::tablebase::{Tablebase, Wld};
use fastrand::Rng;

use crate::opening;
use crate::record::{Label, Record};

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Nodes a move.
    pub nodes: u64,
    /// One move in so many is picked at random among the first [`RANDOM_PLIES`].
    pub random_one_in: usize,
    /// Positions off the game that are searched and recorded for each move of it.
    pub asides: usize,
    /// Positions that a search proves won or lost are recorded, with this as their exact value.
    pub keep_proven: bool,
}

/// Plies in which a move may be picked at random.
pub const RANDOM_PLIES: usize = 40;
/// Openings that the search gives more than this to either side are not played, in hundredths of
/// a man.
const UNBALANCED: i16 = 200;
/// Plies after which a game counts as drawn.
const LONGEST: usize = 240;
/// Plies without a capture or a man's move after which it does, too.
const QUIET_TO_DRAW: u32 = 30;
/// Positions with more quiet plies behind them are not recorded: they differ little.
const QUIET_TO_RECORD: u32 = 10;
/// A game is given up when the score was beyond this for [`GIVEN_UP_AFTER`] plies.
const GIVEN_UP: i16 = 700;
const GIVEN_UP_AFTER: usize = 8;
/// A position off the game is this many random plies away at most.
const ASIDE_PLIES: usize = 4;
/// It gets this part of the nodes of a move.
const ASIDE_SHARE: u64 = 4;
/// Plies that are recorded where the databases know the position.
const EXACT_PLIES: usize = 10;
/// Positions of so few pieces are never evaluated: the built-in databases know them.
const BUILT_IN: u32 = 5;

/// Plays a game from a random opening. So that `rng` decides everything, the engine must be of one
/// thread, and its databases, if it has any, nobody else's: what a search finds depends on what was
/// decoded before it. Empty if the opening was not playable.
pub fn play(
    engine: &mut Engine,
    tablebase: &Tablebase,
    manner: Manner,
    rng: &mut Rng,
) -> Vec<Record> {
    let Some(game) = opening::random(rng) else {
        return Vec::new();
    };
    engine.new_game();
    let mut play = Play::from(game);
    let result = loop {
        if let Some(end) = play.end(tablebase) {
            break end;
        }
        if !play.step(engine, tablebase, manner, rng) {
            return Vec::new();
        }
    };
    play.label(result)
}

/// A game under way.
struct Play {
    game: Game,
    ply: usize,
    records: Vec<Record>,
    /// Positions off the game.
    asides: Vec<Record>,
    /// The game's value for Black, from the first position that the databases know.
    known: Option<Wld>,
    /// The value of the position on the board for its side to move, if the databases know it.
    exact: Option<Wld>,
    exact_plies: usize,
    /// Records before this one were followed by a random move.
    trusted_from: usize,
    /// Plies in a row for which one side's score was beyond [`GIVEN_UP`]; negative for White.
    one_sided: isize,
}

impl From<Game> for Play {
    fn from(game: Game) -> Self {
        Self {
            game,
            ply: 0,
            records: Vec::new(),
            asides: Vec::new(),
            known: None,
            exact: None,
            exact_plies: 0,
            trusted_from: 0,
            one_sided: 0,
        }
    }
}

/// The value for Black of what is `value` for `turn`, and the other way round.
fn for_black<T: Neg<Output = T>>(value: T, turn: Color) -> T {
    match turn {
        Color::Black => value,
        Color::White => -value,
    }
}

impl Manner {
    /// Whether a position with this score is recorded.
    fn keeps(self, score: Score) -> bool {
        self.keep_proven || !score.is_proven()
    }
}

impl Play {
    /// The result for Black, if the game need not go on.
    fn end(&mut self, tablebase: &Tablebase) -> Option<Wld> {
        let position = self.game.position();
        match self.game.outcome() {
            Some(Outcome::Win(Color::Black)) => return Some(self.known.unwrap_or(Wld::Win)),
            Some(Outcome::Win(Color::White)) => return Some(self.known.unwrap_or(Wld::Loss)),
            Some(Outcome::Draw(_)) => return Some(self.known.unwrap_or(Wld::Draw)),
            None => {}
        }
        self.exact = tablebase.probe(&position).ok();
        if let Some(value) = self.exact {
            self.exact_plies += 1;
            self.known.get_or_insert(for_black(value, position.turn()));
            let over = position.occupied().len() <= BUILT_IN || self.exact_plies > EXACT_PLIES;
            if over {
                return self.known;
            }
        }
        if self.ply >= LONGEST || self.game.quiet_plies() >= QUIET_TO_DRAW {
            return Some(self.known.unwrap_or(Wld::Draw));
        }
        match self.one_sided {
            count if count >= GIVEN_UP_AFTER as isize => Some(Wld::Win),
            count if count <= -(GIVEN_UP_AFTER as isize) => Some(Wld::Loss),
            _ => None,
        }
    }

    /// Searches, records and moves. False if the opening is too one-sided to play.
    fn step(
        &mut self,
        engine: &mut Engine,
        tablebase: &Tablebase,
        manner: Manner,
        rng: &mut Rng,
    ) -> bool {
        let position = self.game.position();
        engine.set_game(self.game.clone());
        let answer = engine.search(Limits::to_nodes(manner.nodes));
        let score = answer.report.score;
        if self.ply == 0 && (score.0.abs() > UNBALANCED || score.is_proven()) {
            return false;
        }
        let fresh = self.game.quiet_plies() <= QUIET_TO_RECORD;
        if fresh && !position.has_jump() && manner.keeps(score) {
            let record = self.record(position, &answer.report, self.exact);
            self.records.push(record);
        }
        if fresh && self.known.is_none() {
            (0..manner.asides).for_each(|_| self.step_aside(engine, tablebase, manner, rng));
        }
        self.count_one_sided(score, position.turn());
        let random = self.ply < RANDOM_PLIES && rng.usize(..manner.random_one_in) == 0;
        self.ply += 1;
        if random && self.known.is_none() {
            self.trusted_from = self.records.len();
        }
        if random {
            return opening::play_random(rng, &mut self.game).is_some();
        }
        answer.best.is_some_and(|mv| self.game.play(mv).is_ok())
    }

    /// Records a position that a few random moves lead to: what a search meets is mostly such,
    /// and seldom on the path of a good game.
    fn step_aside(
        &mut self,
        engine: &mut Engine,
        tablebase: &Tablebase,
        manner: Manner,
        rng: &mut Rng,
    ) {
        let mut game = self.game.clone();
        for _ in 0..1 + rng.usize(..ASIDE_PLIES) {
            if opening::play_random(rng, &mut game).is_none() {
                return;
            }
        }
        let position = game.position();
        let few = position.occupied().len() <= BUILT_IN;
        if few || position.has_jump() || game.outcome().is_some() {
            return;
        }
        engine.set_game(game);
        let answer = engine.search(Limits::to_nodes(manner.nodes / ASIDE_SHARE));
        let score = answer.report.score;
        if manner.keeps(score) {
            let exact = tablebase.probe(&position).ok();
            let record = self.record(position, &answer.report, exact);
            self.asides.push(record);
        }
    }

    /// `exact` is the value of `position`, if the databases know it.
    fn record(&self, position: Position, report: &Report, exact: Option<Wld>) -> Record {
        let exact = exact.or(report.proven());
        Record {
            position,
            score: report.score,
            label: exact.map_or(Label::Unknown, Label::Known),
            exact: exact.is_some(),
            ply: self.ply.min(255) as u8,
        }
    }

    fn count_one_sided(&mut self, score: Score, turn: Color) {
        let sign = match for_black(score, turn).0 {
            score if score > GIVEN_UP => 1,
            score if score < -GIVEN_UP => -1,
            _ => 0,
        };
        let goes_on = sign != 0 && self.one_sided.signum() != -sign;
        self.one_sided = if goes_on { self.one_sided + sign } else { 0 };
    }

    /// The records with their labels; `result` is for Black.
    fn label(mut self, result: Wld) -> Vec<Record> {
        for (number, record) in self.records.iter_mut().enumerate() {
            if number >= self.trusted_from && !record.exact {
                record.label = Label::Known(for_black(result, record.position.turn()));
            }
        }
        self.records.append(&mut self.asides);
        self.records
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::engine::EngineOptions;
    use std::sync::Arc;

    fn games(seed: u64, ask: bool) -> Vec<Record> {
        let options = EngineOptions {
            hash_mb: 1,
            threads: 1,
        };
        let mut engine = Engine::new(options).expect("a megabyte");
        let tablebase = Tablebase::built_in(8);
        let manner = Manner {
            nodes: 100,
            random_one_in: 25,
            asides: 2,
            keep_proven: ask,
        };
        if ask {
            engine.set_tablebase(Some(Arc::new(Tablebase::built_in(8))));
        }
        let mut rng = Rng::with_seed(seed);
        (0..6)
            .flat_map(|_| play(&mut engine, &tablebase, manner, &mut rng))
            .collect()
    }

    #[test]
    fn the_seed_decides_the_games() {
        for ask in [false, true] {
            let records = games(5, ask);
            assert!(records.len() > 100, "{}", records.len());
            assert_eq!(records, games(5, ask));
            assert_ne!(records, games(6, ask));
        }
    }

    #[test]
    fn exact_labels_are_the_databases_and_all_positions_are_quiet() {
        let tablebase = Tablebase::built_in(8);
        for record in games(7, false) {
            assert!(!record.position.has_jump());
            let value = tablebase.probe(&record.position).ok();
            assert_eq!(value.is_some(), record.exact);
            if let Some(value) = value {
                assert_eq!(record.label, Label::Known(value));
            }
        }
    }

    #[test]
    fn proven_positions_are_kept_with_the_value_that_was_proven() {
        let tablebase = Tablebase::built_in(8);
        let records = games(7, true);
        let proven: Vec<_> = records.iter().filter(|it| it.score.is_proven()).collect();
        assert!(proven.len() > 10, "{}", proven.len());
        for record in proven {
            let value = tablebase.probe(&record.position).ok();
            let proven = if record.score.is_win() {
                Wld::Win
            } else {
                Wld::Loss
            };
            let label = Label::Known(value.unwrap_or(proven));
            assert!(record.exact && record.label == label, "{record:?}");
        }
        for record in records.iter().filter(|it| it.exact) {
            let known = tablebase.probe(&record.position).is_ok();
            assert!(known || record.score.is_proven(), "{record:?}");
        }
    }
}
