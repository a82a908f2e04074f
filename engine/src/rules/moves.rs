//! A move as a value, and the lists that hold moves.

use std::fmt;

use arrayvec::ArrayVec;

use crate::board::{Bitboard, Square};

/// A step or a complete jump: where from, where to, and whom it captures.
///
/// Two routes round the same captured pieces between the same ends are one `Move`, since they
/// lead to the same position; [`Route`] tells them apart where people must.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    from: Square,
    to: Square,
    captured: Bitboard,
}

const _: () = assert!(size_of::<Move>() == 8);

impl Move {
    /// A quiet move.
    #[must_use]
    #[inline]
    pub const fn step(from: Square, to: Square) -> Self {
        Self {
            from,
            to,
            captured: Bitboard::EMPTY,
        }
    }

    /// A jump, complete to its last capture.
    #[must_use]
    #[inline]
    pub const fn jump(from: Square, to: Square, captured: Bitboard) -> Self {
        Self { from, to, captured }
    }

    /// The square that the piece leaves.
    #[must_use]
    pub const fn from(self) -> Square {
        self.from
    }

    /// The square where it stops; equal to [`Move::from`] after a round trip.
    #[must_use]
    pub const fn to(self) -> Square {
        self.to
    }

    /// The captured pieces; empty for a step.
    #[must_use]
    pub const fn captured(self) -> Bitboard {
        self.captured
    }

    /// Whether the move captures.
    #[must_use]
    pub const fn is_jump(self) -> bool {
        self.captured.any()
    }
}

impl fmt::Display for Move {
    /// `11-15`, `15x22`: the ends only. Text that must be read back comes from `notation`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.is_jump() { 'x' } else { '-' };
        write!(f, "{}{separator}{}", self.from, self.to)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        if self.captured.several() {
            write!(f, "{:?}", self.captured)
        } else {
            Ok(())
        }
    }
}

/// Room for the legal moves of any position.
///
/// Steps: 12 kings with four steps each make 48 at the most. Jumps: `tests/rules.rs` climbs
/// towards positions with many; it finds 42 steps and 28 different jumps (34 routes), and asks for a list
/// twice as long as anything it finds.
pub const MOST_MOVES: usize = 128;

/// The legal moves of a position, without allocation.
pub type MoveList = ArrayVec<Move, MOST_MOVES>;

/// A jump or step with every square it touches, in order: what a player points at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    squares: ArrayVec<Square, 13>,
    captured: Bitboard,
}

impl Route {
    pub(super) fn new(squares: &[Square], captured: Bitboard) -> Self {
        Self {
            squares: squares.iter().copied().collect(),
            captured,
        }
    }

    /// The squares touched: the start, every landing, the end. At least two, at most 13.
    #[must_use]
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// The move that this route makes.
    #[must_use]
    pub fn as_move(&self) -> Move {
        let from = self.squares[0];
        let to = self.squares[self.squares.len() - 1];
        Move {
            from,
            to,
            captured: self.captured,
        }
    }
}
