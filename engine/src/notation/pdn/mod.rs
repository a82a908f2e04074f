//! Games as PDN text: tags, moves, comments, variations, results.
//!
//! [`Reader`] takes a stream of any length and yields one [`PdnGame`] at a time, in memory that
//! does not grow with the stream. It is as tolerant as files are odd; what it had to guess it
//! says in [`PdnGame::warnings`]. A move that is no move ends its game, never the file.
//! [`write()`] has one form. Start reading at [`PdnGame`]. Rules of the format: PDN 3.0
//! (Nemesis and Wiger, 2014).

mod build;
mod clock;
mod lexer;
mod line;
mod reader;
mod source;
mod writer;

use std::fmt;

use thiserror::Error;

use super::{FenError, MoveError};
use crate::board::Color;
use crate::rules::{Game, Move, Outcome, Position};

pub use clock::{Clock, clocks};
pub use line::{LineError, play_line};
pub use reader::Reader;
pub use writer::{to_text, write};

/// The warning about a text in the encoding of old files.
pub(super) const LEGACY: &str = "not UTF-8: read as Windows-1252 (CP1252)";

/// One game with everything that was written about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdnGame {
    /// Which game of its file this is, from 1; 0 for a game that comes from no file.
    pub number: usize,
    /// The line on which it begins, from 1; 0 for a game that comes from no file.
    pub line: usize,
    /// The tags in order, without [`PdnGame::start`]'s FEN and SetUp.
    pub tags: Vec<Tag>,
    /// Where the game begins.
    pub start: Position,
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The main line.
    pub moves: Vec<PlayedMove>,
    /// Who won. The first player, Black, is the `1` of `1-0`, whoever moves first in a set-up.
    pub result: GameResult,
    /// What was odd or had to be guessed.
    pub warnings: Vec<String>,
    /// Why the moves end before the text does, if they do.
    pub fault: Option<PdnError>,
}

/// A tag pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Such as `Event`.
    pub name: String,
    /// The text between the quotes, unescaped.
    pub value: String,
}

/// A move and what is written after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The move, legal where it stands.
    pub mv: Move,
    /// `!`, `?` and `*` (forced) as written.
    pub marks: String,
    /// Numeric annotations (`$n`).
    pub nags: Vec<u16>,
    /// Comments after the move, clocks included; see [`clocks`].
    pub comments: Vec<String>,
    /// Other lines that begin instead of this move.
    pub variations: Vec<Variation>,
    /// A position set up after this move, from which the next one is played.
    pub setup: Option<Position>,
}

/// A line that was not played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// Comments before its first move.
    pub comments: Vec<String>,
    /// Its moves.
    pub moves: Vec<PlayedMove>,
}

/// How a game ended, as its text says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GameResult {
    /// `1-0`: Black, the first player, won.
    BlackWins,
    /// `0-1`: White won.
    WhiteWins,
    /// `1/2-1/2`.
    Draw,
    /// `*`: not finished, or nobody knows.
    #[default]
    Unknown,
    /// Anything else, such as the score of a match.
    Other(String),
}

/// Why a game could be read only in part.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("game {game}, ply {ply} (line {line}): {reason}")]
pub struct PdnError {
    /// Which game of the file, from 1.
    pub game: usize,
    /// The ply that could not be played, from 1; 0 for the set-up.
    pub ply: usize,
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: PdnFault,
}

/// What can be wrong in a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PdnFault {
    /// A move that is illegal or no move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A FEN tag or a FEN between moves that cannot be read.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// More text in one game than any game has.
    #[error("the game is longer than {0} bytes; expected a result or a tag before that")]
    TooLong(usize),
}

impl PdnGame {
    /// A game without moves.
    #[must_use]
    pub fn new(start: Position) -> Self {
        Self {
            start,
            ..Self::default()
        }
    }

    /// The moves of a played game, with its result if it is over.
    #[must_use]
    pub fn from_game(game: &Game) -> Self {
        Self {
            start: game.start(),
            moves: game.moves().map(PlayedMove::new).collect(),
            result: game.outcome().map_or(GameResult::Unknown, GameResult::from),
            ..Self::default()
        }
    }

    /// The value of the first tag with this name, in any case.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|tag| tag.name.eq_ignore_ascii_case(name))
            .map(|tag| tag.value.as_str())
    }

    /// Adds a tag, or changes the first one with this name.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        let same = |tag: &&mut Tag| tag.name.eq_ignore_ascii_case(name);
        match self.tags.iter_mut().find(same) {
            Some(tag) => value.clone_into(&mut tag.value),
            None => self.tags.push(Tag {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
        }
    }

    /// The main line replayed, up to `plies` moves. A set-up between moves begins a new history.
    #[must_use]
    pub fn replay(&self, plies: usize) -> Game {
        let mut game = Game::new(self.start);
        for played in self.moves.iter().take(plies) {
            if game.play(played.mv).is_err() {
                break;
            }
            if let Some(setup) = played.setup {
                game = Game::new(setup);
            }
        }
        game
    }
}

impl PlayedMove {
    /// A move without annotation.
    #[must_use]
    pub fn new(mv: Move) -> Self {
        Self {
            mv,
            marks: String::new(),
            nags: Vec::new(),
            comments: Vec::new(),
            variations: Vec::new(),
            setup: None,
        }
    }
}

impl GameResult {
    /// Reads a result tag or terminator. Points of other scales (`2-0`, `1-1`) count as what they
    /// say; everything that is no result of one game is kept as text.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text.trim() {
            "1-0" | "2-0" => Self::BlackWins,
            "0-1" | "0-2" => Self::WhiteWins,
            "1/2-1/2" | "1/2" | "\u{BD}-\u{BD}" | "1-1" => Self::Draw,
            "*" | "" | "?" | "-" => Self::Unknown,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win(Color::Black) => Self::BlackWins,
            Outcome::Win(Color::White) => Self::WhiteWins,
            Outcome::Draw(_) => Self::Draw,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::BlackWins => "1-0",
            Self::WhiteWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
            Self::Other(text) => text,
        })
    }
}

#[cfg(test)]
mod tests;
