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

/// A man by square from 1, his side moving up; material included.
const MEN: [Weight; 32] = [
    w(145, 89),
    w(144, 88),
    w(131, 84),
    w(111, 78),
    w(105, 107),
    w(125, 76),
    w(113, 94),
    w(99, 86),
    w(101, 80),
    w(111, 85),
    w(83, 98),
    w(107, 91),
    w(93, 116),
    w(97, 84),
    w(107, 90),
    w(81, 107),
    w(51, 126),
    w(84, 102),
    w(80, 114),
    w(82, 119),
    w(71, 114),
    w(99, 97),
    w(85, 115),
    w(77, 100),
    w(117, 90),
    w(116, 99),
    w(102, 111),
    w(122, 105),
    w(0, 0),
    w(0, 0),
    w(0, 0),
    w(0, 0),
];

/// A king by square from 1, its side moving up; material included.
const KINGS: [Weight; 32] = [
    w(156, 120),
    w(131, 134),
    w(120, 113),
    w(136, 129),
    w(146, 119),
    w(140, 151),
    w(116, 120),
    w(104, 129),
    w(136, 149),
    w(110, 140),
    w(95, 132),
    w(130, 130),
    w(135, 114),
    w(149, 134),
    w(120, 138),
    w(141, 132),
    w(142, 121),
    w(148, 133),
    w(150, 136),
    w(145, 137),
    w(135, 125),
    w(160, 129),
    w(158, 136),
    w(90, 166),
    w(130, 136),
    w(157, 138),
    w(97, 170),
    w(131, 138),
    w(127, 109),
    w(172, 121),
    w(149, 140),
    w(119, 145),
];

/// By which of the squares 1 (bit 0) to 4 hold men; 1 and 3 are the bridge.
pub(super) const BACK_RANK: [Weight; 16] = [
    w(0, 0),
    w(17, -31),
    w(0, 6),
    w(21, -18),
    w(-5, 8),
    w(9, 35),
    w(4, 25),
    w(20, -1),
    w(-1, 4),
    w(-11, -22),
    w(9, 11),
    w(2, 13),
    w(25, -13),
    w(0, 21),
    w(13, -14),
    w(-3, -1),
];

/// A step of a man on to a square where he cannot be jumped.
pub(super) const MAN_STEP: Weight = w(4, 12);

/// A man without a step.
pub(super) const STUCK_MAN: Weight = w(3, 2);

/// A man held for ever in the corner of the left edge.
pub(super) const DOG_HOLE: Weight = w(-41, -46);

/// A safe square that some king can reach.
pub(super) const KING_STEP: Weight = w(19, -8);

/// A king without a safe step.
pub(super) const TRAPPED_KING: Weight = w(-16, -23);

/// A king of the weaker side in a double corner.
pub(super) const SHELTER_BEHIND: Weight = w(26, 67);

/// A man with a piece behind him.
pub(super) const SUPPORTED: Weight = w(2, 7);

/// A man with two, in addition.
pub(super) const DOUBLY_SUPPORTED: Weight = w(-2, 4);

/// Each man that one half of the board holds more than the other.
pub(super) const SKEW: Weight = w(1, -6);

/// A majority of one in [`MAJORITY_SCALE`] pieces.
pub(super) const MAJORITY: Weight = w(97, 12);

/// Having the move.
pub(super) const OPPOSITION: Weight = w(-4, 5);

/// Being to move.
pub(super) const TO_MOVE: Weight = w(3, 1);

/// The board size for which [`MAJORITY`] is stated.
pub(super) const MAJORITY_SCALE: i32 = 12;

/// A man whom no foe can stop, on row 2 to 6; then the same where the foe has a king.
pub(super) const FREE_MAN: [[Weight; 5]; 2] = [
    [w(-2, 7), w(-7, -12), w(-11, -7), w(9, 2), w(41, 2)],
    [w(-10, 7), w(9, 6), w(7, 2), w(3, 24), w(20, 12)],
];
