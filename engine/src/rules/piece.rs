//! The two kinds of pieces.

use std::fmt;

/// A man or a king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Steps and jumps forward only, and is crowned on the far row.
    Man,
    /// Steps and jumps one square's distance in all four directions.
    King,
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Man => "man",
            Self::King => "king",
        })
    }
}
