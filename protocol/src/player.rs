//! An engine that plays for a client: what can be set in it, and its searches' events on a channel.
//!
//! Owns the settings and the choice of a move among those that a search has rated. Knows no
//! protocol; every front end that plays is built on it. Start reading at [`Player::go`].

use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender, unbounded};
use engine::engine::{Engine, EngineOptions};
use engine::rules::{Game, Move};
use engine::search::{Answer, HashError, Limits, Observer, Report};
use engine::tablebase::{Damage, FileError, Tablebase};

use crate::choice::{Lines as Candidates, Taste};
use crate::databases::{self, CACHE_MB, Wanted};
use crate::error::ProtocolError;
use crate::message::{Choice, Setting, Settings};

/// The root moves that are rated when the choice is not only the best one.
const LINES_FOR_VARIETY: usize = 6;

/// What a search tells.
#[derive(Debug)]
pub enum Event {
    /// Its state after an iteration, or with a better line.
    Report(Report),
    /// Its end. Each search has exactly one answer.
    Answer(Answer),
    /// Something inside it has failed; the answer comes all the same.
    Fault(String),
    /// A part of the endgame databases is damaged and not used.
    Damage(String),
}

/// Carries reports from the search's thread to a channel.
struct Courier(Sender<Event>);

impl Observer for Courier {
    fn report(&mut self, report: &Report) {
        // A player that has gone does not listen any more.
        let _ = self.0.send(Event::Report(report.clone()));
    }

    fn answer(&mut self, answer: &Answer) {
        let _ = self.0.send(Event::Answer(answer.clone()));
    }

    fn fault(&mut self, what: &str) {
        let _ = self.0.send(Event::Fault(what.into()));
    }

    fn damage(&mut self, damage: &Damage) {
        let _ = self.0.send(Event::Damage(damage.to_string()));
    }
}

/// A search that has not been answered yet.
pub struct Search {
    game: Game,
    candidates: Candidates,
    taste: Taste,
}

impl Search {
    /// What is searched.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Takes a report in, for the choice at the end.
    pub fn hear(&mut self, report: &Report) {
        self.candidates.add(report);
    }

    /// The latest reports of the best `count` lines, the best first.
    #[must_use]
    pub fn lines(&self, count: usize) -> Vec<Report> {
        self.candidates.best(count)
    }

    /// The latest report of the line that begins with `mv`.
    #[must_use]
    pub fn line_of(&self, mv: Move) -> Option<&Report> {
        self.candidates.of(mv)
    }
}

/// An engine with its settings.
pub struct Player {
    engine: Engine,
    settings: Settings,
    wanted: Wanted,
    random: fastrand::Rng,
    sender: Sender<Event>,
    events: Receiver<Event>,
}

impl Player {
    /// A player that chooses the best move, without endgame databases.
    ///
    /// # Errors
    ///
    /// [`HashError`] if the table's memory cannot be had.
    pub fn new(options: EngineOptions) -> Result<Self, HashError> {
        let engine = Engine::new(options)?;
        let (sender, events) = unbounded();
        let settings = Settings {
            hash_mb: engine.hash_mb(),
            threads: engine.threads(),
            variety: 0,
            seed: 0,
            tablebase_mb: CACHE_MB,
            tablebase_pieces: Settings::MOST_PIECES,
        };
        Ok(Self {
            engine,
            settings,
            wanted: Wanted::Off,
            random: fastrand::Rng::new(),
            sender,
            events,
        })
    }

    /// The settings in use.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Changes a setting. Stops a running search first.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::BadValue`] for a table that is out of range or cannot be had, with the size
    /// in use, and for endgame databases that cannot be opened; those in use stay.
    pub fn set(&mut self, setting: Setting) -> Result<(), ProtocolError> {
        let bad = |error: FileError| ProtocolError::BadValue(error.to_string());
        match setting {
            Setting::Hash(mb) => return self.set_hash(mb),
            Setting::Threads(threads) => self.settings.threads = self.engine.set_threads(threads),
            Setting::Tablebase(wanted) => self.open(&wanted).map_err(bad)?,
            Setting::TablebaseCache(mb) => self
                .open_again(|settings| settings.tablebase_mb = mb)
                .map_err(bad)?,
            Setting::TablebasePieces(pieces) => self
                .open_again(|settings| settings.tablebase_pieces = pieces)
                .map_err(bad)?,
            Setting::Variety(variety) => self.settings.variety = variety,
            Setting::Seed(seed) => {
                self.settings.seed = seed;
                self.random = match seed {
                    0 => fastrand::Rng::new(),
                    seed => fastrand::Rng::with_seed(seed),
                };
            }
        }
        Ok(())
    }

    /// Opens the databases in use again after a `change` of settings.
    fn open_again(&mut self, change: impl FnOnce(&mut Settings)) -> Result<(), FileError> {
        let mut settings = self.settings;
        change(&mut settings);
        self.open_databases(self.wanted.clone(), settings)
    }

    /// Opens databases by `settings`, which hold from then on.
    fn open_databases(&mut self, wanted: Wanted, settings: Settings) -> Result<(), FileError> {
        let (cache, pieces) = (settings.tablebase_mb, settings.tablebase_pieces);
        let found = databases::open_up_to(&wanted, cache, pieces)?;
        self.engine.set_tablebase(found.tablebase.map(Arc::new));
        self.wanted = wanted;
        self.settings = settings;
        Ok(())
    }

    /// Opens endgame databases and uses them. Stops a running search first.
    ///
    /// # Errors
    ///
    /// When one cannot be opened; those in use stay.
    pub fn open(&mut self, wanted: &Wanted) -> Result<(), FileError> {
        self.open_databases(wanted.clone(), self.settings)
    }

    /// The endgame databases in use.
    #[must_use]
    pub fn tablebase(&self) -> Option<&Tablebase> {
        self.engine.tablebase().map(Arc::as_ref)
    }

    /// The endgame databases that were asked for.
    #[must_use]
    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    fn set_hash(&mut self, mb: usize) -> Result<(), ProtocolError> {
        let (most, in_use) = (Settings::MOST_HASH, self.settings.hash_mb);
        if !(1..=most).contains(&mb) {
            return Err(ProtocolError::BadValue(format!(
                "hash: expected 1 to {most}, found {mb}; {in_use} MB are in use"
            )));
        }
        match self.engine.set_hash_mb(mb) {
            Ok(mb) => {
                self.settings.hash_mb = mb;
                Ok(())
            }
            Err(error) => {
                self.settings.hash_mb = error.in_use;
                Err(ProtocolError::BadValue(error.to_string()))
            }
        }
    }

    /// Sets the endgame databases that searches ask; none at first. Stops a running search first.
    pub fn set_tablebase(&mut self, tablebase: Option<Arc<Tablebase>>) {
        self.engine.set_tablebase(tablebase);
    }

    /// Forgets what was learnt from the games before. Stops a running search first.
    pub fn new_game(&mut self) {
        self.engine.new_game();
    }

    /// Starts a search and returns at once; its events come through [`Player::events`]. Those of
    /// the search before must have been taken up to its answer, or dropped by [`Player::abandon`].
    pub fn go(&mut self, game: Game, mut limits: Limits) -> Search {
        let taste = Taste::within(self.settings.variety);
        if taste.is_choosy() {
            limits.lines = limits.lines.max(LINES_FOR_VARIETY);
        }
        self.engine.set_game(game.clone());
        self.engine
            .go(limits, Box::new(Courier(self.sender.clone())));
        Search {
            game,
            candidates: Candidates::default(),
            taste,
        }
    }

    /// Where the events of searches arrive, in order.
    #[must_use]
    pub fn events(&self) -> Receiver<Event> {
        self.events.clone()
    }

    /// Asks a running search for its answer.
    pub fn stop(&self) {
        self.engine.stop();
    }

    /// The expected reply was played.
    pub fn ponder_hit(&self) {
        self.engine.ponder_hit();
    }

    /// Whether a search runs whose answer was not delivered yet.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.engine.is_searching()
    }

    /// Stops a running search, waits for its end and drops what it had to say. No thread of the
    /// search runs afterwards.
    pub fn abandon(&mut self) {
        self.engine.stop();
        self.engine.wait();
        while self.events.try_recv().is_ok() {}
    }

    /// The move to play when a search has ended; nothing to ponder on where the game ends.
    #[must_use]
    pub fn choose(&mut self, search: &Search, answer: &Answer) -> Choice {
        let best = Choice {
            best: answer.best,
            ponder: answer.ponder,
            score: answer.report.score,
        };
        let choice = search
            .candidates
            .choose(search.taste, best, &mut self.random);
        Choice {
            ponder: playable_ponder(&search.game, &choice),
            ..choice
        }
    }
}

/// The expected reply, if it is legal and the game goes on after it.
fn playable_ponder(game: &Game, choice: &Choice) -> Option<Move> {
    let mut game = game.clone();
    game.play(choice.best?).ok()?;
    let ponder = choice.ponder?;
    if game.outcome().is_some() {
        return None;
    }
    game.play(ponder).ok()?;
    game.outcome().is_none().then_some(ponder)
}
