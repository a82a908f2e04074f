//! Named sets of squares.

use super::{Bitboard, Color};

/// Rows 1, 3, 5 and 7 from Black's side: squares 1-4, 9-12, 17-20, 25-28.
pub const EVEN_ROWS: Bitboard = Bitboard(0x0F0F_0F0F);
/// Rows 2, 4, 6 and 8 from Black's side: squares 5-8, 13-16, 21-24, 29-32.
pub const ODD_ROWS: Bitboard = Bitboard(0xF0F0_F0F0);
/// Squares 4, 8, 12 ... 32: files a and b.
pub const LEFT_COLUMN: Bitboard = Bitboard(0x8888_8888);
/// Squares 1, 5, 9 ... 29: files g and h.
pub const RIGHT_COLUMN: Bitboard = Bitboard(0x1111_1111);
/// The squares that are not on the edge; only pieces on these can be jumped.
pub const INTERIOR: Bitboard = Bitboard(
    !(row(0).0 | row(7).0 | (EVEN_ROWS.0 & LEFT_COLUMN.0) | (ODD_ROWS.0 & RIGHT_COLUMN.0)),
);
/// Squares 1, 5 and 28, 32: the two ends of the long double-corner diagonals.
pub const DOUBLE_CORNERS: Bitboard = Bitboard(0x8800_0011);
/// Squares 4 and 29: the ends of the long diagonal, where a king is caught.
pub const SINGLE_CORNERS: Bitboard = Bitboard(0x1000_0008);

/// Row 0 (squares 1-4) to row 7 (squares 29-32).
#[must_use]
pub const fn row(index: u32) -> Bitboard {
    Bitboard(0xF << (4 * (index & 7)))
}

/// The row where men of `color` are crowned: 29-32 for Black, 1-4 for White.
#[must_use]
pub const fn crownhead(color: Color) -> Bitboard {
    match color {
        Color::Black => row(7),
        Color::White => row(0),
    }
}

/// The row where `color`'s back men start: 1-4 for Black, 29-32 for White.
#[must_use]
pub const fn back_rank(color: Color) -> Bitboard {
    crownhead(color.opponent())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Direction, Square, steps};

    #[test]
    fn interior_squares_have_four_neighbours() {
        for square in Square::all() {
            let neighbours = Direction::ALL
                .iter()
                .filter(|&&direction| steps::step(square.bit(), direction).any())
                .count();
            assert_eq!(
                INTERIOR.contains(square),
                neighbours == 4,
                "square {square}"
            );
        }
        assert_eq!(INTERIOR.len(), 18);
    }

    #[test]
    fn double_corner_squares_are_next_to_each_other() {
        let named: Vec<u32> = DOUBLE_CORNERS.squares().map(Square::number).collect();
        assert_eq!(named, [1, 5, 28, 32]);
    }
}
