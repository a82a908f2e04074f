//! Positions as Hub writes them: a letter for the side to move and one for each square in
//! numeric order.
//!
//! What the letters mean when a client turns the board is decided in [`super::reading`].

use engine::board::{Color, Square};
use engine::rules::{Piece, Position, Setup};

use crate::error::{ProtocolError, excerpt};

/// The letters of a position, honestly: square n of the board is letter n after the side's.
///
/// ```
/// use engine::rules::Position;
///
/// let letters = protocol::hub::write_position(&Position::START);
/// assert_eq!(letters, "Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww");
/// assert_eq!(protocol::hub::read_position(&letters)?, Position::START);
/// # Ok::<(), protocol::ProtocolError>(())
/// ```
#[must_use]
pub fn write_position(position: &Position) -> String {
    let mut letters = String::with_capacity(33);
    letters.push(position.turn().letter());
    letters.extend(Square::all().map(|square| match position.at(square) {
        None => 'e',
        Some((color, Piece::Man)) => color.letter().to_ascii_lowercase(),
        Some((color, Piece::King)) => color.letter(),
    }));
    letters
}

/// Reads the letters of a position at their face value.
///
/// # Errors
///
/// [`ProtocolError::BadPosition`] with the place, if there are not 33 letters of the known ones
/// or the position is not legal.
pub fn read_position(letters: &str) -> Result<Position, ProtocolError> {
    let bad = ProtocolError::BadPosition;
    let count = letters.chars().count();
    if count != 33 {
        return Err(bad(format!(
            "expected a side letter and 32 squares, found {count} letters"
        )));
    }
    let mut letters = letters.chars();
    let mut setup = Setup::empty(match letters.next() {
        Some('B' | 'b') => Color::Black,
        Some('W' | 'w') => Color::White,
        side => {
            return Err(bad(format!(
                "expected W or B to move, found {}",
                shown(side)
            )));
        }
    });
    for (square, letter) in Square::all().zip(letters) {
        match letter {
            'e' => {}
            'b' => setup.put(square, Color::Black, Piece::Man),
            'B' => setup.put(square, Color::Black, Piece::King),
            'w' => setup.put(square, Color::White, Piece::Man),
            'W' => setup.put(square, Color::White, Piece::King),
            other => {
                let other = shown(Some(other));
                return Err(bad(format!(
                    "square {square}: expected w b W B or e, found {other}"
                )));
            }
        }
    }
    Position::try_from(setup).map_err(|error| bad(error.to_string()))
}

fn shown(letter: Option<char>) -> String {
    letter.map_or_else(String::new, |letter| {
        excerpt(letter.encode_utf8(&mut [0; 4]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_positions_say_where() {
        for (letters, place) in [
            ("", "found 0 letters"),
            (
                "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww",
                "found 51 letters",
            ),
            (
                "Xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
                "W or B to move, found X",
            ),
            (
                "Beeeexeeeeeeeeeeeeeeeeeeeeeeeeeee",
                "square 5: expected w b W B or e, found x",
            ),
            ("Beeeewwwwwwwwwwwwweeeeeeeeeeeeeee", "White has 13 pieces"),
            (
                "Bweeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
                "White man on 1 stands on its crown row",
            ),
        ] {
            let error = read_position(letters).expect_err(letters);
            assert_eq!(error.to_string(), "bad position");
            let detail = error.detail().unwrap_or_default();
            assert!(detail.contains(place), "{letters}: {detail}");
        }
    }
}
