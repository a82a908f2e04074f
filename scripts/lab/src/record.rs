//! What is kept of a position of a self-play game: 16 bytes.
//!
//! Layout, little-endian: pieces of Black (4 bytes), pieces of White (4), kings (4), search score
//! in hundredths of a man for the side to move (2, signed), flags (1), ply of the game (1).
//! Flags: bit 0 White to move; bits 1-2 the [`Label`]; bit 3 the label comes from a database.

use engine::board::{Bitboard, Color};
use engine::rules::{Position, Setup};
use engine::score::Score;
use engine::tablebase::Wld;

/// How the game ended for the side to move, as far as that says something about the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The value.
    Known(Wld),
    /// A move was picked at random later, so the end of the game says nothing.
    Unknown,
}

/// A position with what was learnt of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Neither empty of own pieces nor with a jump to make.
    pub position: Position,
    /// What the search said, for the side to move.
    pub score: Score,
    /// The end of the game, for the side to move.
    pub label: Label,
    /// The label is this very position's database value.
    pub exact: bool,
    /// Plies from the opening, 255 for more.
    pub ply: u8,
}

impl Record {
    /// Bytes of a record.
    pub const BYTES: usize = 16;

    /// The bytes that [`Record::read`] reads.
    #[must_use]
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let position = &self.position;
        bytes[..4].copy_from_slice(&position.pieces(Color::Black).0.to_le_bytes());
        bytes[4..8].copy_from_slice(&position.pieces(Color::White).0.to_le_bytes());
        bytes[8..12].copy_from_slice(&position.all_kings().0.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.score.0.to_le_bytes());
        let label = match self.label {
            Label::Known(Wld::Loss) => 0,
            Label::Known(Wld::Draw) => 1,
            Label::Known(Wld::Win) => 2,
            Label::Unknown => 3,
        };
        bytes[14] = position.turn().index() as u8 | label << 1 | u8::from(self.exact) << 3;
        bytes[15] = self.ply;
        bytes
    }

    /// The record of `bytes`; `None` if they hold no legal position.
    #[must_use]
    pub fn read(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let [black, white, kings] = [0, 4, 8].map(|at| word(bytes, at));
        let flags = bytes[14];
        let turn = Color::BOTH[usize::from(flags & 1)];
        let mut setup = Setup::empty(turn);
        setup.men = [black, white].map(|side| Bitboard(side & !kings));
        setup.kings = [black, white].map(|side| Bitboard(side & kings));
        let label = match flags >> 1 & 3 {
            0 => Label::Known(Wld::Loss),
            1 => Label::Known(Wld::Draw),
            2 => Label::Known(Wld::Win),
            _ => Label::Unknown,
        };
        Some(Self {
            position: Position::try_from(setup).ok()?,
            score: Score(i16::from_le_bytes([bytes[12], bytes[13]])),
            label,
            exact: flags >> 3 & 1 == 1,
            ply: bytes[15],
        })
    }
}

/// The little-endian number of four bytes from `at` on.
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was() {
        let position = Position::START.play(Position::START.legal_moves()[3]);
        for label in [Wld::Loss, Wld::Draw, Wld::Win].map(Label::Known) {
            let record = Record {
                position,
                score: Score(-123),
                label,
                exact: label == Label::Known(Wld::Draw),
                ply: 77,
            };
            assert_eq!(Record::read(&record.bytes()), Some(record));
        }
    }

    #[test]
    fn pieces_on_one_square_are_no_record() {
        let mut bytes = [0; Record::BYTES];
        bytes[0] = 1;
        bytes[4] = 1;
        assert_eq!(Record::read(&bytes), None);
    }
}
