//! The two sides.

use std::fmt;
use std::ops::Not;

/// A side. Black starts on squares 1-12, moves up the numbers and moves first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first, from square 1 towards square 32.
    #[default]
    Black = 0,
    /// The side that moves second, from square 32 towards square 1.
    White = 1,
}

impl Color {
    /// Both sides, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// 0 for Black, 1 for White: for tables of two.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other side; `!color` is the same, outside constants.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// `B` or `W`, as FEN writes the side.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'B',
            Self::White => 'W',
        }
    }
}

impl Not for Color {
    type Output = Self;

    fn not(self) -> Self {
        self.opponent()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "Black",
            Self::White => "White",
        })
    }
}
