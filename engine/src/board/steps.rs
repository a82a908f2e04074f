//! Diagonal steps and jumps of whole sets at once.
//!
//! A row holds four squares, so a step goes up by 4 in one diagonal and by 3 or 5 in the other,
//! depending on the parity of the row; a jump over the next square is always 7 or 9 away:
//!
//! ```text
//!            from an even row (1-4, 9-12 ...)   from an odd row (5-8 ...)   jump
//! up-left            +5                                 +4                   +9
//! up-right           +4                                 +3                   +7
//! down-left          -3                                 -4                   -7
//! down-right         -4                                 -5                   -9
//! ```

use super::regions::{EVEN_ROWS, INTERIOR, LEFT_COLUMN, ODD_ROWS, RIGHT_COLUMN};
use super::{Bitboard, Color, Square};

/// A diagonal, as seen from Black's side of the board (file a at the left).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards higher numbers and file a.
    UpLeft,
    /// Towards higher numbers and file h.
    UpRight,
    /// Towards lower numbers and file a.
    DownLeft,
    /// Towards lower numbers and file h.
    DownRight,
}

impl Direction {
    /// All four.
    pub const ALL: [Self; 4] = [Self::UpLeft, Self::UpRight, Self::DownLeft, Self::DownRight];

    /// The two directions in which a man of `color` moves.
    #[must_use]
    pub const fn forward(color: Color) -> [Self; 2] {
        match color {
            Color::Black => [Self::UpLeft, Self::UpRight],
            Color::White => [Self::DownRight, Self::DownLeft],
        }
    }

    /// The two directions in which only a king of `color` moves.
    #[must_use]
    pub const fn backward(color: Color) -> [Self; 2] {
        Self::forward(color.opponent())
    }

    /// The way back.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::UpLeft => Self::DownRight,
            Self::UpRight => Self::DownLeft,
            Self::DownLeft => Self::UpRight,
            Self::DownRight => Self::UpLeft,
        }
    }

    /// The direction in which `to` lies from `from`, when both are on one diagonal.
    #[must_use]
    pub fn between(from: Square, to: Square) -> Option<Self> {
        let rows = to.row() as i32 - from.row() as i32;
        let files = to.file() as i32 - from.file() as i32;
        if rows == 0 || rows.abs() != files.abs() {
            return None;
        }
        Some(match (rows > 0, files < 0) {
            (true, true) => Self::UpLeft,
            (true, false) => Self::UpRight,
            (false, true) => Self::DownLeft,
            (false, false) => Self::DownRight,
        })
    }
}

/// The squares one step away from `set` in `direction`.
#[must_use]
#[inline(always)]
pub const fn step(set: Bitboard, direction: Direction) -> Bitboard {
    let even = set.0 & EVEN_ROWS.0;
    let odd = set.0 & ODD_ROWS.0;
    Bitboard(match direction {
        Direction::UpLeft => ((even & !LEFT_COLUMN.0) << 5) | (odd << 4),
        Direction::UpRight => (even << 4) | ((odd & !RIGHT_COLUMN.0) << 3),
        Direction::DownLeft => ((even & !LEFT_COLUMN.0) >> 3) | (odd >> 4),
        Direction::DownRight => (even >> 4) | ((odd & !RIGHT_COLUMN.0) >> 5),
    })
}

/// The landing squares of jumps from `movers` over `victims` on to `vacant` in `direction`.
///
/// Victims on the edge cannot be jumped; leaving them out also keeps the shifts by 7 and 9 from
/// wrapping round, so that no further mask is needed.
#[must_use]
#[inline(always)]
pub const fn jump(
    movers: Bitboard,
    victims: Bitboard,
    vacant: Bitboard,
    direction: Direction,
) -> Bitboard {
    let over = step(Bitboard(victims.0 & INTERIOR.0), direction).0;
    Bitboard(far(movers, direction).0 & over & vacant.0)
}

/// Two steps in one shift, right only where the square between is inside the edge.
#[must_use]
#[inline(always)]
pub const fn far(set: Bitboard, direction: Direction) -> Bitboard {
    Bitboard(match direction {
        Direction::UpLeft => set.0 << 9,
        Direction::UpRight => set.0 << 7,
        Direction::DownLeft => set.0 >> 7,
        Direction::DownRight => set.0 >> 9,
    })
}

/// The square between the ends of a jump, which must lie two steps apart on one diagonal.
#[must_use]
pub const fn middle(from: Square, to: Square) -> Square {
    let row = (from.row() + to.row()) / 2;
    let file = (from.file() + to.file()) / 2;
    match Square::at(row, file) {
        Some(square) => square,
        None => from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow twin: one square, by row and file.
    fn by_rank_and_file(square: Square, direction: Direction, distance: i32) -> Option<Square> {
        let (up, left) = match direction {
            Direction::UpLeft => (1, 1),
            Direction::UpRight => (1, -1),
            Direction::DownLeft => (-1, 1),
            Direction::DownRight => (-1, -1),
        };
        let row = u32::try_from(square.row() as i32 + distance * up).ok()?;
        let file = u32::try_from(square.file() as i32 - distance * left).ok()?;
        Square::at(row, file)
    }

    #[test]
    fn steps_and_jumps_agree_with_rows_and_files() {
        for direction in Direction::ALL {
            for square in Square::all() {
                let near = by_rank_and_file(square, direction, 1);
                assert_eq!(
                    step(square.bit(), direction).first(),
                    near,
                    "{square} {direction:?}"
                );
                let two = by_rank_and_file(square, direction, 2);
                let landing = jump(square.bit(), Bitboard::ALL, Bitboard::ALL, direction);
                assert_eq!(landing.first(), two, "{square} {direction:?}");
                assert!(landing.len() <= 1);
                if let (Some(near), Some(two)) = (near, two) {
                    assert_eq!(middle(square, two), near);
                    assert_eq!(Direction::between(square, two), Some(direction));
                    let lone = jump(square.bit(), near.bit(), two.bit(), direction);
                    assert_eq!(lone, two.bit());
                    let missed = jump(square.bit(), !near.bit(), two.bit(), direction);
                    assert!(missed.is_empty());
                }
            }
        }
    }

    #[test]
    fn every_direction_has_its_opposite() {
        for direction in Direction::ALL {
            assert_eq!(direction.opposite().opposite(), direction);
            let back = step(step(INTERIOR, direction), direction.opposite());
            assert_eq!(back, INTERIOR);
        }
    }
}
