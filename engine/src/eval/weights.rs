//! What each term is worth, in hundredths of a man, on the full and on the empty board.

use std::ops::{Add, Mul, Sub};

use crate::board::Bitboard;

/// A weight on the full board and on the empty one, added as one number:
/// `opening + (ending << 16)`, both within 16 bits with their sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight(i32);

const fn w(opening: i32, ending: i32) -> Weight {
    Weight(opening + (ending << 16))
}

impl Weight {
    pub(super) const ZERO: Self = Self(0);

    const fn opening(self) -> i32 {
        self.0 as i16 as i32
    }

    const fn ending(self) -> i32 {
        (self.0 - self.opening()) >> 16
    }

    /// Interpolated for a board with `pieces` pieces, 0 to 24.
    #[inline]
    pub(super) const fn at(self, pieces: i32) -> i32 {
        (self.opening() * pieces + self.ending() * (24 - pieces)) / 24
    }

    /// Times `numerator / denominator`.
    #[inline]
    pub(super) const fn scaled(self, numerator: i32, denominator: i32) -> Self {
        if denominator == 0 {
            return Self::ZERO;
        }
        w(
            self.opening() * numerator / denominator,
            self.ending() * numerator / denominator,
        )
    }
}

impl Add for Weight {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Weight {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<i32> for Weight {
    type Output = Self;

    #[inline]
    fn mul(self, times: i32) -> Self {
        Self(self.0 * times)
    }
}

/// Sums of square weights for every eight squares: a board is four look-ups.
type ByteTable = [[Weight; 256]; 4];

const fn by_byte(squares: &[Weight; 32]) -> ByteTable {
    let mut table = [[Weight::ZERO; 256]; 4];
    let mut index = 0;
    while index < 4 * 256 {
        let (byte, set) = (index / 256, index % 256);
        let mut sum = 0;
        let mut bit = 0;
        while bit < 8 {
            if set >> bit & 1 == 1 {
                sum += squares[byte * 8 + bit].0;
            }
            bit += 1;
        }
        table[byte][set] = Weight(sum);
        index += 1;
    }
    table
}

#[inline]
fn sum(table: &ByteTable, set: Bitboard) -> Weight {
    let bytes = set.0.to_le_bytes();
    table[0][usize::from(bytes[0])]
        + table[1][usize::from(bytes[1])]
        + table[2][usize::from(bytes[2])]
        + table[3][usize::from(bytes[3])]
}

/// The squares of men, their material included.
#[inline]
pub(super) fn men_at(men: Bitboard) -> Weight {
    static TABLE: ByteTable = by_byte(&MEN);
    sum(&TABLE, men)
}

/// The squares of kings, their material included.
#[inline]
pub(super) fn kings_at(kings: Bitboard) -> Weight {
    static TABLE: ByteTable = by_byte(&KINGS);
    sum(&TABLE, kings)
}

/// By square from 1, the side moving up.
const MEN: [Weight; 32] = [
    w(100, 100),
    w(100, 100),
    w(100, 100),
    w(100, 100),
    w(100, 100),
    w(100, 100),
    w(100, 100),
    w(100, 100),
    w(101, 102),
    w(101, 102),
    w(101, 102),
    w(101, 102),
    w(103, 104),
    w(103, 104),
    w(103, 104),
    w(103, 104),
    w(104, 108),
    w(104, 108),
    w(104, 108),
    w(104, 108),
    w(105, 112),
    w(105, 112),
    w(105, 112),
    w(105, 112),
    w(108, 118),
    w(108, 118),
    w(108, 118),
    w(108, 118),
    w(0, 0),
    w(0, 0),
    w(0, 0),
    w(0, 0),
];

/// By square from 1, the side moving up.
const KINGS: [Weight; 32] = [
    w(125, 130),
    w(125, 130),
    w(125, 130),
    w(125, 130),
    w(125, 130),
    w(128, 134),
    w(128, 134),
    w(128, 134),
    w(128, 134),
    w(131, 138),
    w(131, 138),
    w(125, 130),
    w(125, 130),
    w(131, 138),
    w(134, 142),
    w(128, 134),
    w(128, 134),
    w(134, 142),
    w(131, 138),
    w(125, 130),
    w(125, 130),
    w(131, 138),
    w(131, 138),
    w(128, 134),
    w(128, 134),
    w(128, 134),
    w(128, 134),
    w(125, 130),
    w(125, 130),
    w(125, 130),
    w(125, 130),
    w(125, 130),
];

/// By which of the squares 1 (bit 0) to 4 hold men; 1 and 3 are the bridge.
pub(super) const BACK_RANK: [Weight; 16] = [
    w(0, 0),
    w(3, 1),
    w(3, 1),
    w(4, 2),
    w(3, 1),
    w(12, 6),
    w(5, 2),
    w(8, 4),
    w(3, 1),
    w(4, 2),
    w(5, 2),
    w(6, 3),
    w(4, 2),
    w(10, 5),
    w(7, 3),
    w(10, 5),
];
/// A safe step of a man.
pub(super) const MAN_STEP: Weight = w(2, 3);
/// A man without a step.
pub(super) const STUCK_MAN: Weight = w(-2, -4);
/// A man held for ever in the corner of the left edge.
pub(super) const DOG_HOLE: Weight = w(-20, -15);
/// A safe square that some king can reach.
pub(super) const KING_STEP: Weight = w(2, 4);
/// A king without a safe step.
pub(super) const TRAPPED_KING: Weight = w(-20, -30);
/// A king of the weaker side in a double corner.
pub(super) const SHELTER_BEHIND: Weight = w(0, 20);
/// A man with a piece behind it.
pub(super) const SUPPORTED: Weight = w(1, 1);
/// A man with two.
pub(super) const DOUBLY_SUPPORTED: Weight = w(1, 1);
/// Each man that one half of the board holds more than the other.
pub(super) const SKEW: Weight = w(-1, -1);
/// A majority of one in [`MAJORITY_SCALE`] pieces.
pub(super) const MAJORITY: Weight = w(20, 20);
/// Having the move.
pub(super) const OPPOSITION: Weight = w(1, 8);
/// Being to move.
pub(super) const TO_MOVE: Weight = w(3, 3);
/// The board size for which [`MAJORITY`] is stated.
pub(super) const MAJORITY_SCALE: i32 = 12;
/// A man whom no foe can stop, on row 2 to 6; then the same where the foe has a king.
pub(super) const FREE_MAN: [[Weight; 5]; 2] = [
    [w(5, 5), w(10, 15), w(15, 20), w(20, 25), w(25, 30)],
    [w(2, 2), w(4, 4), w(6, 6), w(8, 8), w(10, 12)],
];
