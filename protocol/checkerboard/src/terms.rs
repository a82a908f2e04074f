//! CheckerBoard's ways of writing a board, a clock and a result.

use std::time::Duration;

use engine::board::{Color, Square};
use engine::rules::{Piece, Position, Setup};
use engine::search::{Clock, Limits};
use engine::tablebase::Wld;

/// `board[x][y]`, x from Black's right: 0 for an empty square, else the codes below or-ed.
pub(crate) type Board = [[i32; 8]; 8];

const WHITE: i32 = 1;
const BLACK: i32 = 2;
const MAN: i32 = 4;
const KING: i32 = 8;

/// What `getmove` returns. The GUI ends a match game at once on a draw.
pub(crate) const DRAW: i32 = 0;
pub(crate) const WIN: i32 = 1;
pub(crate) const LOSS: i32 = 2;
pub(crate) const UNKNOWN: i32 = 3;

/// From this many seconds on, the GUI means "until told to stop".
const ENDLESS: f64 = 86_000.0;

/// The answer of `getmove`: the board after the move, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) board: Option<Board>,
    pub(crate) value: i32,
}

impl Reply {
    pub(crate) fn nothing(value: i32) -> Self {
        Self { board: None, value }
    }

    /// Any legal move, for when nothing better can be had.
    pub(crate) fn first_move(board: &Board, color: i32) -> Self {
        let moved = read(board, color).ok().and_then(|position| {
            let first = position.legal_moves().first().copied()?;
            Some(write(&position.play(first)))
        });
        Self {
            board: moved,
            value: UNKNOWN,
        }
    }
}

/// The value for the mover.
pub(crate) fn value(proven: Option<Wld>) -> i32 {
    match proven {
        Some(Wld::Win) => WIN,
        Some(Wld::Loss) => LOSS,
        Some(Wld::Draw) => DRAW,
        None => UNKNOWN,
    }
}

/// Where a square lies in a board.
fn place(square: Square) -> (usize, usize) {
    let (y, column) = (square.index() / 4, square.index() % 4);
    (2 * (3 - column) + y % 2, y)
}

/// Reads a board with the side to move.
///
/// # Errors
///
/// What is wrong with it, in words.
pub(crate) fn read(board: &Board, color: i32) -> Result<Position, String> {
    let turn = match color {
        WHITE => Color::White,
        BLACK => Color::Black,
        other => return Err(format!("side to move: expected 1 or 2, found {other}")),
    };
    let mut setup = Setup::empty(turn);
    for square in Square::all() {
        let (x, y) = place(square);
        let code = board[x][y];
        let side = match code & (WHITE | BLACK) {
            WHITE => Color::White,
            BLACK => Color::Black,
            _ => continue,
        };
        let piece = if code & KING != 0 {
            Piece::King
        } else {
            Piece::Man
        };
        setup.put(square, side, piece);
    }
    Position::try_from(setup).map_err(|error| error.to_string())
}

/// The board of a position.
pub(crate) fn write(position: &Position) -> Board {
    let mut board = Board::default();
    for square in Square::all() {
        let (x, y) = place(square);
        board[x][y] = match position.at(square) {
            None => 0,
            Some((color, piece)) => {
                let side = if color == Color::White { WHITE } else { BLACK };
                side | if piece == Piece::King { KING } else { MAN }
            }
        };
    }
    board
}

/// Whether the GUI wants the history forgotten.
pub(crate) fn forgets(info: i32) -> bool {
    info & 1 != 0
}

/// What bounds the search. The high word of `more_info` is what is left, this move's increment
/// included, the low word the increment; the unit is in `info`.
pub(crate) fn limits(max_time: f64, (info, more_info): (i32, i32)) -> Limits {
    let unit = match info >> 2 & 3 {
        1 => Some(1),
        2 => Some(10),
        3 => Some(100),
        _ => None,
    };
    if let Some(unit) = unit {
        let words = more_info as u32;
        let time = |word: u32| Duration::from_millis(u64::from(word) * unit);
        let (remaining, increment) = (time(words >> 16), time(words & 0xFFFF));
        return Limits {
            clock: Some(Clock {
                remaining: remaining.saturating_sub(increment),
                increment: increment.min(remaining),
                moves_to_go: None,
            }),
            ..Limits::default()
        };
    }
    if max_time >= ENDLESS {
        return Limits {
            infinite: true,
            ..Limits::default()
        };
    }
    // Anything that is no time at all is none.
    let seconds = if max_time > 0.0 { max_time } else { 0.0 };
    Limits::for_time(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use engine::notation::fen;

    use super::*;

    #[test]
    fn boards_are_written_as_the_gui_does() {
        let board = write(&Position::START);
        // Squares 1, 4 and 5 are g1, a1 and h2 of a board with Black below.
        for (x, y) in [(6, 0), (0, 0), (7, 1), (5, 1)] {
            assert_eq!(board[x][y], BLACK | MAN, "{x} {y}");
        }
        assert_eq!(board[0][6], WHITE | MAN);
        assert_eq!(board[7][7], WHITE | MAN);
        assert_eq!((board[0][1], board[3][3]), (0, 0));
        for text in [
            "B:W21-32:B1-12",
            "W:WK9,K14:B13,K19,K31,K32",
            "W:W5:B1",
            "B:W:B",
        ] {
            let position = fen::read(text).expect(text);
            let color = if position.turn() == Color::White {
                1
            } else {
                2
            };
            assert_eq!(read(&write(&position), color), Ok(position), "{text}");
        }
        assert!(read(&board, 3).is_err());
        let mut crowned = Board::default();
        crowned[6][0] = WHITE | MAN;
        assert!(read(&crowned, 1).is_err_and(|it| it.contains("crown row")));
    }

    #[test]
    fn clocks_come_in_three_units() {
        let clock = |info, more: u32| {
            let limits = limits(0.3, (info, more as i32));
            let clock = limits.clock.expect("a clock");
            (clock.remaining.as_millis(), clock.increment.as_millis())
        };
        assert_eq!(clock(4, 0x1450_00c8), (5_000, 200));
        assert_eq!(clock(8, 0xFFFF_0001), (655_340, 10));
        assert_eq!(clock(12 | 3, 10 << 16 | 20), (0, 1_000));
        assert_eq!(clock(4, 0), (0, 0));
    }

    #[test]
    fn times_of_a_move() {
        let time = |max| limits(max, (2, 0)).move_time;
        assert_eq!(time(0.2), Some(Duration::from_millis(200)));
        for nothing in [0.0, -1.0, f64::NAN] {
            assert_eq!(time(nothing), Some(Duration::ZERO));
        }
        for endless in [8_600_000.0, f64::INFINITY] {
            assert!(limits(endless, (0, 0)).infinite);
        }
    }
}
