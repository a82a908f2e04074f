//! Positions in DXP requests: a letter for each of 32 squares, `w z W Z` and `e` for empty.
//!
//! The published protocol has 50 squares and no word on English draughts. Letter n is square n
//! here; but pydraughts' client, which thinks of White as the first player, sends the opposite
//! colour's piece of square 33-n, while its side to move and its moves are true.

use engine::board::{Color, Square};
use engine::rules::{Piece, Position, Setup};

use super::message::Start;
use crate::error::{ProtocolError, excerpt};
use crate::hub::reading::{PosStyle, Reading};

/// The name under which pydraughts introduces itself, always.
const PYDRAUGHTS: &str = "DXP Client";

/// Whether the initiator of this name is pydraughts.
#[must_use]
pub fn is_pydraughts(name: &str) -> bool {
    name == PYDRAUGHTS
}

/// How the boards of an initiator are meant.
#[must_use]
pub fn reading(style: PosStyle, name: &str) -> Reading {
    match style {
        PosStyle::Fixed(reading) => reading,
        PosStyle::Auto if is_pydraughts(name) => Reading::Swapped,
        PosStyle::Auto => Reading::Plain,
    }
}

/// The position as a request carries it.
#[must_use]
pub fn write(position: &Position, reading: Reading) -> Start {
    let shown = match reading {
        Reading::Plain => *position,
        Reading::Swapped => position.rotated(),
    };
    let letter = |square| match shown.at(square) {
        None => 'e',
        Some((Color::Black, Piece::Man)) => 'z',
        Some((Color::Black, Piece::King)) => 'Z',
        Some((Color::White, Piece::Man)) => 'w',
        Some((Color::White, Piece::King)) => 'W',
    };
    Start::Board(position.turn(), Square::all().map(letter).collect())
}

/// The position where a game begins.
///
/// # Errors
///
/// [`ProtocolError::BadPosition`] with the place.
pub fn read(start: &Start, reading: Reading) -> Result<Position, ProtocolError> {
    let Start::Board(turn, letters) = start else {
        return Ok(Position::START);
    };
    let literal = place(letters, *turn)?;
    Ok(match reading {
        Reading::Plain => literal,
        Reading::Swapped => literal.rotated().with_turn(*turn),
    })
}

fn place(letters: &str, turn: Color) -> Result<Position, ProtocolError> {
    let bad = ProtocolError::BadPosition;
    let count = letters.chars().count();
    if count != Square::all().len() {
        return Err(bad(format!(
            "expected 32 squares (English draughts), found {count}"
        )));
    }
    let mut setup = Setup::empty(turn);
    for (square, letter) in Square::all().zip(letters.chars()) {
        match letter {
            'e' => {}
            'z' => setup.put(square, Color::Black, Piece::Man),
            'Z' => setup.put(square, Color::Black, Piece::King),
            'w' => setup.put(square, Color::White, Piece::Man),
            'W' => setup.put(square, Color::White, Piece::King),
            other => {
                let other = excerpt(other.encode_utf8(&mut [0; 4]));
                return Err(bad(format!(
                    "square {square}: expected w z W Z or e, found {other}"
                )));
            }
        }
    }
    Position::try_from(setup).map_err(|error| bad(error.to_string()))
}

#[cfg(test)]
mod tests {
    use engine::notation::fen;

    use super::*;

    #[test]
    fn both_readings_of_a_recorded_board() {
        // `W:WK18,21,30:BK5,7,12` as pydraughts sends it.
        let sent = Start::Board(Color::White, "eezeeeeeeeezeeZeeeeeweeeeweWeeee".into());
        let found = read(&sent, Reading::Swapped).expect("a board");
        assert_eq!(fen::write(&found), "W:WK18,21,30:BK5,7,12");
        let plain = read(&sent, Reading::Plain).expect("a board");
        for reading in [Reading::Plain, Reading::Swapped] {
            assert_eq!(read(&write(&plain, reading), reading), Ok(plain));
        }
        assert_eq!(write(&found, Reading::Swapped), sent);
        assert_ne!(write(&found, Reading::Plain), sent);
        assert_eq!(read(&Start::Normal, Reading::Swapped), Ok(Position::START));
    }

    #[test]
    fn the_name_decides_unless_told_otherwise() {
        assert_eq!(reading(PosStyle::Auto, "DXP Client"), Reading::Swapped);
        assert_eq!(reading(PosStyle::Auto, "DXP Client 2"), Reading::Plain);
        let fixed = PosStyle::Fixed(Reading::Plain);
        assert_eq!(reading(fixed, "DXP Client"), Reading::Plain);
    }

    #[test]
    fn bad_boards_say_where() {
        for (letters, place) in [
            ("", "found 0"),
            (&"e".repeat(50), "found 50"),
            ("zeeeeeeeeeeeeeeeeeeeeeeeeeeeeeex", "square 32: expected"),
            ("wzeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "crown row"),
        ] {
            let start = Start::Board(Color::Black, letters.into());
            let error = read(&start, Reading::Plain).expect_err(letters);
            assert!(
                error.detail().is_some_and(|it| it.contains(place)),
                "{letters}"
            );
        }
    }
}
