//! What stands in a cell.
//!
//! The symbols of the old books (`o oo * **`), of Scan (`O @ * #`), of the Python libraries
//! (`w W b B`) and of Unicode never contradict each other, so all are read.

use crate::board::{Color, Square};
use crate::notation::{algebraic, is_blank, is_dash};
use crate::rules::Piece;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Empty,
    Piece(Color, Piece),
    /// The square's own number or name.
    Name(Square),
}

/// Reads a cell between bars; `None` for anything unknown.
pub(super) fn read(cell: &str) -> Option<Symbol> {
    let bare: Vec<char> = cell
        .chars()
        .filter(|&character| !is_blank(character))
        .take(4)
        .collect();
    match bare[..] {
        [] => Some(Symbol::Empty),
        [one] => single(one),
        [one, two] => double(one, two),
        _ if bare.len() < 4 && bare.iter().all(|&character| is_filler(character)) => {
            Some(Symbol::Empty)
        }
        _ => None,
    }
}

fn single(character: char) -> Option<Symbol> {
    let piece = match character {
        'o' | 'O' | '0' | 'w' | '\u{25CB}' | '\u{26C0}' => (Color::White, Piece::Man),
        '@' | 'W' | '\u{26C1}' => (Color::White, Piece::King),
        '*' | 'b' | '\u{25CF}' | '\u{26C2}' => (Color::Black, Piece::Man),
        '#' | 'B' | '\u{26C3}' => (Color::Black, Piece::King),
        _ if is_filler(character) => return Some(Symbol::Empty),
        _ => return named(&character.to_string()),
    };
    Some(Symbol::Piece(piece.0, piece.1))
}

fn double(one: char, two: char) -> Option<Symbol> {
    match (one.to_ascii_lowercase(), two.to_ascii_lowercase()) {
        ('o' | '0', 'o' | '0') => Some(Symbol::Piece(Color::White, Piece::King)),
        ('*', '*') => Some(Symbol::Piece(Color::Black, Piece::King)),
        _ if is_filler(one) && is_filler(two) => Some(Symbol::Empty),
        _ => named(&String::from_iter([one, two])),
    }
}

fn named(text: &str) -> Option<Symbol> {
    let numbered = text.parse().ok().and_then(Square::new);
    numbered.or_else(|| algebraic::read(text)).map(Symbol::Name)
}

/// Dots, dashes and shading mark an empty square.
fn is_filler(character: char) -> bool {
    is_dash(character)
        || matches!(
            character,
            '.' | '_' | ':' | '/' | '\u{B7}' | '\u{2591}'..='\u{2593}' | '\u{2588}'
        )
}

/// Whether the word is a symbol of a print without bars: a piece or a mark for an empty square.
pub(super) fn is_open(word: &str) -> bool {
    matches!(read(word), Some(Symbol::Empty | Symbol::Piece(..)))
}
