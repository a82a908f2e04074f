//! A placement of pieces that nobody has checked yet.

use thiserror::Error;

use super::law::MOST_PIECES_A_SIDE;
use super::{Piece, Position};
use crate::board::{Bitboard, Color, Square, regions};

/// Any placement of pieces on the board, legal or not: what readers of text fill in before
/// [`Position::try_from`] judges it.
///
/// ```
/// use engine::board::{Color, Square};
/// use engine::rules::{Piece, Position, Setup};
///
/// let mut setup = Setup::empty(Color::White);
/// setup.put(Square::new(18).expect("on the board"), Color::White, Piece::King);
/// let position = Position::try_from(setup)?;
/// assert!(position.pieces(Color::Black).is_empty());
/// # Ok::<(), engine::rules::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The men of each side, indexed by [`Color::index`].
    pub men: [Bitboard; 2],
    /// The kings of each side, indexed by [`Color::index`].
    pub kings: [Bitboard; 2],
    /// The side to move.
    pub turn: Color,
}

/// Why a [`Setup`] is no legal position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// Two pieces on one square.
    #[error("square {0} holds two pieces; expected one")]
    Occupied(Square),
    /// A man where it would have been crowned.
    #[error("{0} man on {1} stands on its crown row; a king?")]
    ManOnCrownhead(Color, Square),
    /// More pieces than a side starts with.
    #[error("{0} has {1} pieces; expected at most 12")]
    TooManyPieces(Color, u32),
}

impl Setup {
    /// An empty board.
    #[must_use]
    pub fn empty(turn: Color) -> Self {
        Self {
            turn,
            ..Self::default()
        }
    }

    /// Adds a piece, whatever stands there already.
    pub fn put(&mut self, square: Square, color: Color, piece: Piece) {
        let side = match piece {
            Piece::Man => &mut self.men,
            Piece::King => &mut self.kings,
        };
        side[color.index()] |= square.bit();
    }

    /// Whether any piece stands on `square`.
    #[must_use]
    pub fn is_occupied(&self, square: Square) -> bool {
        let [black, white] = self.men;
        let [black_kings, white_kings] = self.kings;
        (black | white | black_kings | white_kings).contains(square)
    }

    /// The first fault, or nothing.
    ///
    /// # Errors
    ///
    /// Returns a [`SetupError`] for two pieces on a square, a man on its own crownhead, or more
    /// than 12 pieces of a side. A side may be empty.
    pub fn validate(&self) -> Result<(), SetupError> {
        let mut seen = Bitboard::EMPTY;
        for set in self.men.into_iter().chain(self.kings) {
            if let Some(square) = (seen & set).first() {
                return Err(SetupError::Occupied(square));
            }
            seen |= set;
        }
        Color::BOTH
            .into_iter()
            .try_for_each(|color| self.validate_side(color))
    }

    fn validate_side(&self, color: Color) -> Result<(), SetupError> {
        let men = self.men[color.index()];
        if let Some(square) = (men & regions::crownhead(color)).first() {
            return Err(SetupError::ManOnCrownhead(color, square));
        }
        let count = (men | self.kings[color.index()]).len();
        if count > MOST_PIECES_A_SIDE {
            return Err(SetupError::TooManyPieces(color, count));
        }
        Ok(())
    }
}

impl From<Position> for Setup {
    fn from(position: Position) -> Self {
        Self {
            men: Color::BOTH.map(|color| position.men(color)),
            kings: Color::BOTH.map(|color| position.kings(color)),
            turn: position.turn(),
        }
    }
}
