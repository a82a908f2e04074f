//! Repeatable random positions for tests that compare two ways of doing one thing.

use engine::board::{Color, Square, regions};
use engine::rules::{Piece, Position, Setup};

/// A source of words (SplitMix64, Steele, Lea and Flood 2014).
pub(crate) struct Words(pub(crate) u64);

impl Words {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A legal placement with up to 12 pieces a side, of which about `kings` in eight are kings.
    pub(crate) fn setup(&mut self, kings: u64) -> Setup {
        let mut setup = Setup::empty(Color::BOTH[self.below(2) as usize]);
        for color in Color::BOTH {
            for _ in 0..self.below(13) {
                self.put(&mut setup, color, kings);
            }
        }
        setup
    }

    pub(crate) fn position(&mut self, kings: u64) -> Position {
        Position::try_from(self.setup(kings)).expect("a legal placement")
    }

    /// Puts a piece on a random square, if that is vacant.
    pub(crate) fn put(&mut self, setup: &mut Setup, color: Color, kings: u64) {
        let square = Square::from_index(self.below(32) as u32);
        if setup.is_occupied(square) {
            return;
        }
        let must_be_king = regions::crownhead(color).contains(square);
        let king = must_be_king || self.below(8) < kings;
        setup.put(square, color, if king { Piece::King } else { Piece::Man });
    }
}
