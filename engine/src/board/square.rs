//! One dark square.

use std::fmt;

use super::Bitboard;

/// A dark square. People call it 1-32; [`Square::index`] is 0-31. Absence is `Option<Square>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square with a number of 1 to 32, or `None`.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        match number {
            1..=32 => Some(Self(number as u8 - 1)),
            _ => None,
        }
    }

    /// The square with an index of 0 to 31. Larger indices wrap (only the low five bits count),
    /// so that tables of 32 need no bounds check.
    #[must_use]
    pub const fn from_index(index: u32) -> Self {
        Self(index as u8 & 31)
    }

    /// The square in row 0-7 (from Black's side) and file 0-7 (from a), if it is a dark one.
    #[must_use]
    pub const fn at(row: u32, file: u32) -> Option<Self> {
        if row > 7 || file > 7 || (row + file) % 2 == 1 {
            return None;
        }
        Some(Self((row * 4 + 3 - file / 2) as u8))
    }

    /// 1 to 32.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0 as u32 + 1
    }

    /// 0 to 31.
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 31) as usize
    }

    /// 0 (squares 1-4, Black's home row) to 7 (squares 29-32).
    #[must_use]
    pub const fn row(self) -> u32 {
        self.0 as u32 / 4
    }

    /// 0 (file a, at Black's left) to 7 (file h).
    #[must_use]
    pub const fn file(self) -> u32 {
        6 - 2 * (self.0 as u32 % 4) + self.row() % 2
    }

    /// The square after a turn of the board by 180 degrees: 1 becomes 32.
    #[must_use]
    pub const fn rotated(self) -> Self {
        Self(31 - self.0)
    }

    /// The set that holds this square alone.
    #[must_use]
    pub const fn bit(self) -> Bitboard {
        Bitboard(1 << (self.0 & 31))
    }

    /// All squares, 1 to 32.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..32u8).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.number(), f)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.number(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rows_and_files_agree_with_the_printed_board() {
        let named = [
            (4, 0, 0),
            (1, 0, 6),
            (8, 1, 1),
            (5, 1, 7),
            (12, 2, 0),
            (32, 7, 1),
            (29, 7, 7),
        ];
        for (number, row, file) in named {
            let square = Square::new(number).expect("a dark square");
            assert_eq!(
                (square.row(), square.file()),
                (row, file),
                "square {number}"
            );
        }
    }

    #[test]
    fn row_and_file_invert() {
        for square in Square::all() {
            assert_eq!(Square::at(square.row(), square.file()), Some(square));
            assert_eq!(square.rotated().row(), 7 - square.row());
            assert_eq!(square.rotated().file(), 7 - square.file());
        }
        assert_eq!(Square::at(0, 1), None);
        assert_eq!(Square::at(8, 0), None);
        assert_eq!(Square::new(0), None);
        assert_eq!(Square::new(33), None);
    }
}
