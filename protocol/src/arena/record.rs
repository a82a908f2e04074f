//! A finished game as it is kept: in the journal, on standard output, and as the source of the
//! PDN file and of every figure.
//!
//! Owns no rules; moves are text in full numeric form. Start reading at [`GameRecord`].

use std::fmt;

use engine::board::Color;
use engine::notation::{fen, moves};
use engine::rules::{DrawReason, Game, Position};
use serde::{Deserialize, Serialize};

/// Who won a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    /// Black, which moves first.
    #[serde(rename = "1-0")]
    Black,
    /// White.
    #[serde(rename = "0-1")]
    White,
    /// Nobody.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameResult {
    /// The result in which `color` has won.
    #[must_use]
    pub fn win(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }

    /// Half points of `color`: 2, 1 or 0.
    #[must_use]
    pub fn half_points(self, color: Color) -> usize {
        match self {
            Self::Draw => 1,
            won if won == Self::win(color) => 2,
            _ => 0,
        }
    }
}

impl fmt::Display for GameResult {
    /// As English draughts files have it: `1-0` if Black won.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "1-0",
            Self::White => "0-1",
            Self::Draw => "1/2-1/2",
        })
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The loser had no legal move.
    NoMove,
    /// The position stood three times.
    Repetition,
    /// 80 plies without a capture or a man's move.
    FortyMoves,
    /// Both engines saw the same winner for long enough.
    AgreedWin,
    /// Both engines saw an even game for long enough.
    AgreedDraw,
    /// An endgame database has the value.
    Database,
    /// The loser answered with something that is no legal move.
    IllegalMove,
    /// The loser's process ended.
    Crash,
    /// The loser did not answer.
    Hang,
    /// The loser answered, but too late.
    Time,
    /// The loser could not be started, or did not become ready.
    NotReady,
}

impl Reason {
    /// Whether an engine misbehaved.
    #[must_use]
    pub fn is_anomaly(self) -> bool {
        use Reason::{Crash, Hang, IllegalMove, NotReady, Time};
        matches!(self, IllegalMove | Crash | Hang | Time | NotReady)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoMove => "no legal move",
            Self::Repetition => "threefold repetition",
            Self::FortyMoves => "40-move rule",
            Self::AgreedWin => "adjudicated a win",
            Self::AgreedDraw => "adjudicated a draw",
            Self::Database => "adjudicated by database",
            Self::IllegalMove => "illegal move",
            Self::Crash => "crash",
            Self::Hang => "no answer",
            Self::Time => "time",
            Self::NotReady => "not ready",
        })
    }
}

impl From<DrawReason> for Reason {
    fn from(reason: DrawReason) -> Self {
        match reason {
            DrawReason::Repetition => Self::Repetition,
            DrawReason::FortyMoves => Self::FortyMoves,
        }
    }
}

/// What an engine said about a move, and what the move took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// In men, for the mover.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// In plies.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<u32>,
    /// Positions searched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nodes: Option<u64>,
    /// Seconds that the move took.
    pub time: f64,
    /// Seconds that it was allowed to take, if there was a limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed: Option<f64>,
    /// Seconds left on the mover's clock after it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock: Option<f64>,
}

/// A line in which an engine reports an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// The engine.
    pub engine: String,
    /// What it said.
    pub text: String,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the match, from 1.
    pub game: usize,
    /// The number of its opening's pair of games, from 1.
    pub pair: usize,
    /// The engine with the black pieces.
    pub black: String,
    /// The engine with the white pieces.
    pub white: String,
    /// The name of the opening.
    pub opening: String,
    /// Where the record begins.
    pub fen: String,
    /// How many of `moves` belong to the opening.
    pub opening_plies: usize,
    /// All moves, legal, each with every square it touches.
    pub moves: Vec<String>,
    /// One for each move after the opening.
    pub notes: Vec<Note>,
    /// Who won.
    pub result: GameResult,
    /// Why it ended.
    pub reason: Reason,
    /// Particulars of the end, for people; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// What the engines complained of, though the game went on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<Complaint>,
    /// When it ended, in ISO 8601.
    pub ended: String,
    /// How long it took.
    pub seconds: f64,
}

impl GameRecord {
    /// Half points of the engine with this name: 0 to 2.
    #[must_use]
    pub fn half_points(&self, name: &str) -> usize {
        let color = if self.black == name {
            Color::Black
        } else {
            Color::White
        };
        self.result.half_points(color)
    }

    /// The engine that plays the side.
    #[must_use]
    pub fn player(&self, color: Color) -> &str {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The side to move in the position where the record begins; Black if it cannot be read.
    #[must_use]
    pub fn first_mover(&self) -> Color {
        fen::read(&self.fen).map_or(Color::Black, |position| position.turn())
    }

    /// Each note with the side that moved.
    pub fn played(&self) -> impl Iterator<Item = (Color, &Note)> {
        let first = match self.opening_plies % 2 {
            0 => self.first_mover(),
            _ => !self.first_mover(),
        };
        let movers = [first, !first].into_iter().cycle();
        movers.zip(&self.notes)
    }

    /// The game again, move by move; `None` if the record is not one of legal moves.
    #[must_use]
    pub fn replay(&self) -> Option<Game> {
        let start: Position = fen::read(&self.fen).ok()?;
        let mut game = Game::new(start);
        for text in &self.moves {
            moves::play(text, &mut game).ok()?;
        }
        Some(game)
    }
}
