//! A legal position, small enough to be copied at every move.

use super::{Move, Piece, Setup, SetupError};
use crate::board::{Bitboard, Color, Square, regions};

/// A legal placement and the side to move: 16 bytes, copied rather than unmade.
///
/// ```
/// use engine::board::Color;
/// use engine::rules::Position;
///
/// let start = Position::START;
/// assert_eq!(start.turn(), Color::Black);
/// assert_eq!(start.legal_moves().len(), 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pieces: [Bitboard; 2],
    kings: Bitboard,
    turn: Color,
}

const _: () = assert!(size_of::<Position>() == 16);

impl Position {
    /// Black's men on 1-12, White's on 21-32, Black to move.
    pub const START: Self = Self {
        pieces: [Bitboard(0x0000_0FFF), Bitboard(0xFFF0_0000)],
        kings: Bitboard::EMPTY,
        turn: Color::Black,
    };

    /// The position of sets that come from a legal one.
    pub(crate) const fn of_sides(
        turn: Color,
        own: Bitboard,
        theirs: Bitboard,
        kings: Bitboard,
    ) -> Self {
        let pieces = match turn {
            Color::Black => [own, theirs],
            Color::White => [theirs, own],
        };
        Self {
            pieces,
            kings,
            turn,
        }
    }

    /// The side to move.
    #[must_use]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// All pieces of one side.
    #[must_use]
    pub const fn pieces(&self, color: Color) -> Bitboard {
        self.pieces[color.index()]
    }

    /// The men of one side.
    #[must_use]
    pub const fn men(&self, color: Color) -> Bitboard {
        Bitboard(self.pieces[color.index()].0 & !self.kings.0)
    }

    /// The kings of one side.
    #[must_use]
    pub const fn kings(&self, color: Color) -> Bitboard {
        Bitboard(self.pieces[color.index()].0 & self.kings.0)
    }

    /// The kings of both sides.
    #[must_use]
    pub const fn all_kings(&self) -> Bitboard {
        self.kings
    }

    /// The pieces of the side to move.
    #[must_use]
    pub const fn own(&self) -> Bitboard {
        self.pieces(self.turn)
    }

    /// The pieces of the side that waits.
    #[must_use]
    pub const fn theirs(&self) -> Bitboard {
        self.pieces(self.turn.opponent())
    }

    /// Every occupied square.
    #[must_use]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.pieces[0].0 | self.pieces[1].0)
    }

    /// Every vacant square.
    #[must_use]
    pub const fn vacant(&self) -> Bitboard {
        Bitboard(!self.occupied().0)
    }

    /// What stands on `square`.
    #[must_use]
    pub fn at(&self, square: Square) -> Option<(Color, Piece)> {
        let color = Color::BOTH
            .into_iter()
            .find(|&color| self.pieces(color).contains(square))?;
        let piece = if self.kings.contains(square) {
            Piece::King
        } else {
            Piece::Man
        };
        Some((color, piece))
    }

    /// The position after `mv`, which must be one of [`Position::legal_moves`]; any other move
    /// gives a position of no meaning (never a panic). Borders check with [`super::Game::play`].
    #[must_use]
    #[inline]
    pub const fn play(self, mv: Move) -> Self {
        let us = self.turn.index();
        let from = mv.from().bit().0;
        let to = mv.to().bit().0;
        let crowned = if self.kings.0 & from != 0 {
            to
        } else {
            to & regions::crownhead(self.turn).0
        };
        let mut pieces = self.pieces;
        pieces[us] = Bitboard((pieces[us].0 & !from) | to);
        pieces[us ^ 1] = Bitboard(pieces[us ^ 1].0 & !mv.captured().0);
        let kings = Bitboard((self.kings.0 & !from & !mv.captured().0) | crowned);
        Self {
            pieces,
            kings,
            turn: self.turn.opponent(),
        }
    }

    /// Whether `mv` can never be taken back by later moves: a capture or a man's move. It resets
    /// the count of the 40-move rule.
    #[must_use]
    #[inline]
    pub const fn is_irreversible(&self, mv: Move) -> bool {
        mv.is_jump() || !self.kings.contains(mv.from())
    }

    /// The same position with the other side to move.
    #[must_use]
    pub const fn with_turn(self, turn: Color) -> Self {
        Self { turn, ..self }
    }

    /// The board turned by 180 degrees with colours exchanged: the same position to the player.
    #[must_use]
    pub const fn rotated(self) -> Self {
        Self {
            pieces: [self.pieces[1].rotated(), self.pieces[0].rotated()],
            kings: self.kings.rotated(),
            turn: self.turn.opponent(),
        }
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::START
    }
}

impl TryFrom<Setup> for Position {
    type Error = SetupError;

    fn try_from(setup: Setup) -> Result<Self, SetupError> {
        setup.validate()?;
        let [black, white] = setup.men;
        let [black_kings, white_kings] = setup.kings;
        Ok(Self {
            pieces: [black | black_kings, white | white_kings],
            kings: black_kings | white_kings,
            turn: setup.turn,
        })
    }
}
