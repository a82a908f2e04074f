//! Positions, moves and games as text.
//!
//! Knows the board and the rules; knows nothing of search, evaluation, files or terminals. Every
//! reader accepts what is odd but means one thing, and refuses the rest with a typed error that
//! says where, what was found and what was expected. Every writer has one form, and what it
//! writes reads back as itself. Start reading at [`fen`] for positions and [`moves`] for moves.

pub mod algebraic;
mod any;
pub mod ballot;
pub mod diagram;
pub mod fen;
pub mod moves;
pub mod pdn;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{Color, Square};
use crate::rules::Position;

pub use any::{
    Choice, Form, PositionError, ReadPosition, read_position, read_position_from, read_starts_from,
};
pub use ballot::Ballot;
pub use diagram::DiagramError;
pub use fen::FenError;
pub use moves::MoveError;
pub use pdn::PdnError;

/// How squares are named when moves are written. Readers always take both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// 1 to 32, as in English-language books.
    #[default]
    Numeric,
    /// a1 to h8, with a1 = 4 and h8 = 29, as in Polish and Russian books.
    Algebraic,
}

impl Notation {
    /// The name of a square: `15`, or `d4`.
    ///
    /// ```
    /// use engine::board::Square;
    /// use engine::notation::Notation;
    ///
    /// let corner = Square::new(4).expect("on the board");
    /// assert_eq!(Notation::Numeric.name(corner), "4");
    /// assert_eq!(Notation::Algebraic.name(corner), "a1");
    /// ```
    #[must_use]
    pub fn name(self, square: Square) -> String {
        match self {
            Self::Numeric => square.to_string(),
            Self::Algebraic => algebraic::name(square),
        }
    }
}

/// The text names no notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("unknown notation; expected numeric or algebraic")]
pub struct UnknownNotation;

impl FromStr for Notation {
    type Err = UnknownNotation;

    fn from_str(text: &str) -> Result<Self, UnknownNotation> {
        match text.to_ascii_lowercase().as_str() {
            "numeric" => Ok(Self::Numeric),
            "algebraic" => Ok(Self::Algebraic),
            _ => Err(UnknownNotation),
        }
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Numeric => "numeric",
            Self::Algebraic => "algebraic",
        })
    }
}

/// A position as a FEN or a diagram gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The position; Black to move where the text leaves that open.
    pub position: Position,
    /// The side to move, if the text names it.
    pub turn: Option<Color>,
}

/// The character at which a reader stopped, or the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found(pub Option<char>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(character) => write!(f, "{character:?}"),
            None => f.write_str("the end"),
        }
    }
}

/// Whether `character` is a dash of any kind: hyphen, figure dash, en dash, minus, box line.
fn is_dash(character: char) -> bool {
    matches!(
        character,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2500}' | '\u{2501}' | '\u{2550}'
    )
}

/// Whether `character` is a blank, the byte-order mark included.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{FEFF}'
}

/// Single blanks instead of any white space: how comments are kept.
fn tidy(text: &str) -> String {
    text.split(is_blank)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// `text` cut to what fits into a one-line message, with control characters made visible.
fn excerpt(text: &str) -> String {
    const MOST: usize = 40;
    let mut short: String = text
        .trim()
        .chars()
        .take(MOST)
        .flat_map(|character| {
            let visible = !character.is_control();
            let plain = visible.then_some(character);
            let escaped = (!visible).then(|| character.escape_default());
            plain.into_iter().chain(escaped.into_iter().flatten())
        })
        .collect();
    if text.trim().chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}
