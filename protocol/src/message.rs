//! What clients ask and what they are told, whatever the dialect.
//!
//! Each dialect is a [`Codec`]: it turns a line into a [`Request`] and a [`Reply`] into lines,
//! and does nothing else. The state machine between them is [`crate::session`].

use engine::rules::{Game, Move, Position};
use engine::score::Score;
use engine::search::{Limits, Report};

use crate::databases::Wanted;
use crate::error::ProtocolError;

/// A line from the client, understood.
#[derive(Debug)]
pub enum Request {
    /// Nothing to do and nothing to say.
    Nothing,
    /// The dialect knows the answer itself: one or more lines.
    Say(String),
    /// Who are you, and what can be set?
    Identify,
    /// The settings are complete; get ready to search.
    Prepare,
    /// Are you still there?
    Ping,
    /// Forget what was learnt from the games before.
    NewGame,
    /// Look at this game. If a move was at fault, the game ends before it.
    Position(Box<Game>, Option<ProtocolError>),
    /// Search.
    Go(Limits),
    /// The expected reply was played.
    PonderHit,
    /// Answer now.
    Stop,
    /// Leave.
    Quit,
    /// Change a setting.
    Set(Setting),
    /// Tell a value.
    Ask(Question),
}

/// A setting with its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Size of the transposition table in MiB.
    Hash(usize),
    /// Search threads.
    Threads(usize),
    /// How much worse than the best a move may be and still be played, in hundredths of a man.
    Variety(i16),
    /// Where the choice among such moves begins; 0 for a different seed in every process.
    Seed(u64),
    /// Endgame databases.
    Tablebase(Wanted),
    /// Memory for decoded values of endgame databases, in MiB.
    TablebaseCache(usize),
    /// Endgame databases of so many pieces at most.
    TablebasePieces(u32),
}

impl Setting {
    /// A size of the table as typed. Whether it can be had, the session decides, which also knows
    /// the size in use.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::BadValue`] for anything but digits.
    pub fn hash(name: &str, text: &str) -> Result<Self, ProtocolError> {
        if text.is_empty() || !text.bytes().all(|digit| digit.is_ascii_digit()) {
            let expected = format!("1 to {}", Settings::MOST_HASH);
            return Err(ProtocolError::bad_value(name, &expected, text));
        }
        // More digits than a size has: too large in any case.
        Ok(Self::Hash(text.parse().unwrap_or(usize::MAX)))
    }
}

/// Something that the session knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The size of the transposition table in MiB.
    Hash,
    /// The number of search threads.
    Threads,
    /// 1 if endgame databases are used, else 0.
    DatabasesAreUsed,
    /// The most pieces for which there are endgame databases.
    DatabasePieces,
    /// The folders of endgame databases that were asked for.
    DatabaseFolders,
    /// Memory for decoded values of endgame databases, in MiB.
    DatabaseCache,
    /// Whether the game is over.
    GameOver,
    /// Whether the player that moves first, Black, is to move.
    BlackToMove,
    /// Who has won.
    Outcome,
    /// The static evaluation of the given position, or of the current one.
    Evaluation(Option<Position>),
    /// The current position.
    Board,
}

/// What can be set, as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the transposition table in MiB.
    pub hash_mb: usize,
    /// Search threads.
    pub threads: usize,
    /// See [`Setting::Variety`].
    pub variety: i16,
    /// See [`Setting::Seed`].
    pub seed: u64,
    /// See [`Setting::TablebaseCache`].
    pub tablebase_mb: usize,
    /// See [`Setting::TablebasePieces`].
    pub tablebase_pieces: u32,
}

/// The ranges that handshakes declare.
impl Settings {
    /// The largest table that may be asked for, in MiB (1 TiB); the machine may have less.
    pub const MOST_HASH: usize = 1 << 20;
    /// The most memory for decoded values of endgame databases, in MiB (64 GiB).
    pub const MOST_TABLEBASE: usize = 1 << 16;
    /// As many pieces as there can be.
    pub const MOST_PIECES: u32 = 24;
    /// The most threads.
    pub const MOST_THREADS: usize = engine::engine::Engine::MOST_THREADS;
    /// The most variety, in hundredths of a man.
    pub const MOST_VARIETY: i16 = 200;
    /// The largest seed, so that it fits every client's integers.
    pub const MOST_SEED: u64 = i32::MAX as u64;
}

/// An answer of the session.
#[derive(Debug)]
pub enum Reply<'a> {
    /// Who we are, and the settings.
    Identity(&'a Settings),
    /// Ready to search.
    Ready,
    /// Still here.
    Pong,
    /// Lines that need no translation.
    Text(&'a str),
    /// A setting has this value now.
    Changed(Setting),
    /// The answer to a question.
    Value(Question, Value),
    /// The state of a search of this game.
    Info(&'a Game, &'a Report),
    /// The end of a search of this game.
    Done(&'a Game, &'a Choice),
    /// A line that could not be followed.
    Fault(&'a ProtocolError),
}

/// What a [`Question`] is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Yes or no.
    Truth(bool),
    /// A number.
    Number(usize),
    /// Words.
    Text(String),
    /// How the game stands.
    Outcome(Option<engine::rules::Outcome>),
    /// An evaluation of the position, for its side to move.
    Score(Position, Score),
    /// A position.
    Board(Position),
}

/// The move that a search ends with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The move; `None` if the side to move has none, or there is no position.
    pub best: Option<Move>,
    /// The reply to ponder on; never one that ends the game.
    pub ponder: Option<Move>,
    /// For the side to move.
    pub score: Score,
}

/// A way of writing requests and replies as lines.
pub trait Codec: Send {
    /// Understands a line.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if it makes no sense in this dialect. After a
    /// [`ProtocolError::BadPosition`] the session has no position.
    fn decode(&mut self, line: &str) -> Result<Request, ProtocolError>;

    /// Calls `write` with each line, without its end, that says `reply`; with none where the
    /// dialect is silent about it.
    fn encode(&self, reply: &Reply<'_>, write: &mut dyn FnMut(&str));

    /// Whether lines that answer each other quickly should be kept apart: py-draughts loses the
    /// second of two lines that arrive together.
    fn spaces_lines(&self) -> bool {
        false
    }
}
