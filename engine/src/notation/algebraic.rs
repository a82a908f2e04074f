//! Squares as file and rank: a1 is square 4, h8 is square 29.
//!
//! Knows only the board. The files run from a at Black's left, the ranks from 1 at Black's side.

use crate::board::Square;

/// `a1` to `h8`.
#[must_use]
pub fn name(square: Square) -> String {
    let file = char::from(b'a' + square.file() as u8);
    format!("{file}{}", square.row() + 1)
}

/// The square at a file letter (either case) and rank digit, or `None` for a light square or
/// anything else.
#[must_use]
pub fn square(file: char, rank: char) -> Option<Square> {
    let file = (file.to_ascii_lowercase() as u32).checked_sub('a' as u32)?;
    let row = rank.to_digit(10)?.checked_sub(1)?;
    Square::at(row, file)
}

/// Reads `a1` to `h8` in either case; `None` if the text names no dark square.
#[must_use]
pub fn read(text: &str) -> Option<Square> {
    let mut characters = text.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some(file), Some(rank), None) => square(file, rank),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_with_the_polish_board() {
        // Edward Lasker's Diagram 86 in the numbered and the algebraic print.
        let named = [
            ("a1", 4),
            ("c1", 3),
            ("e1", 2),
            ("g1", 1),
            ("b2", 8),
            ("h2", 5),
            ("a3", 12),
            ("b8", 32),
            ("d8", 31),
            ("f8", 30),
            ("h8", 29),
            ("E7", 26),
        ];
        for (text, number) in named {
            assert_eq!(read(text), Square::new(number), "{text}");
        }
    }

    #[test]
    fn every_name_reads_back() {
        for square in Square::all() {
            assert_eq!(read(&name(square)), Some(square));
        }
        for wrong in ["", "a", "a2", "i1", "a9", "a0", "a1x", "11", "é1"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
