//! Prints a board as the old books do, with every label.

use std::fmt::Write as _;

use super::square_at;
use crate::board::{Color, Square};
use crate::notation::Notation;
use crate::rules::{Piece, Position};

const EDGE: &str = "   +---------------------------------------+";
const RULE: &str = "   |---------------------------------------|";

/// The board as text, White at the top, without a line for the turn. [`super::read`] reads it.
///
/// ```
/// use engine::notation::{Notation, diagram};
/// use engine::rules::Position;
///
/// let text = diagram::print(&Position::START, Notation::Numeric);
/// assert!(text.lines().any(|line| line.trim_end() == "28 |  o |    |  o |    |  o |    |  o |    |"));
/// assert_eq!(diagram::read(&text)?.position, Position::START);
/// # Ok::<(), diagram::DiagramError>(())
/// ```
#[must_use]
pub fn print(position: &Position, notation: Notation) -> String {
    print_from(position, notation, Color::Black)
}

/// The board as the player of `near` sees it, with that side's home row at the bottom.
#[must_use]
pub fn print_from(position: &Position, notation: Notation, near: Color) -> String {
    let turned = near == Color::White;
    let mut text = String::new();
    if notation == Notation::Numeric {
        text.push_str(&number_line(0, turned));
    }
    text.push_str(EDGE);
    text.push('\n');
    for index in 0..8 {
        if index > 0 {
            text.push_str(RULE);
            text.push('\n');
        }
        text.push_str(&row(position, index, notation, turned));
    }
    text.push_str(EDGE);
    text.push('\n');
    text.push_str(&match notation {
        Notation::Numeric => number_line(7, turned),
        Notation::Algebraic if turned => "     h    g    f    e    d    c    b    a\n".into(),
        Notation::Algebraic => "     a    b    c    d    e    f    g    h\n".into(),
    });
    text
}

/// The numbers above the first row or below the last, except the one printed at its side.
fn number_line(index: usize, turned: bool) -> String {
    let mut line = String::new();
    for cell in 0..8 {
        let at_side = (index == 0 && cell == 7) || (index == 7 && cell == 0);
        let Some(square) = square_at(index, cell, turned).filter(|_| !at_side) else {
            continue;
        };
        let column = 5 + 5 * cell;
        let _ = write!(line, "{:width$}{square}", "", width = column - line.len());
    }
    line + "\n"
}

fn row(position: &Position, index: usize, notation: Notation, turned: bool) -> String {
    let (lead, trail) = match notation {
        Notation::Numeric => (edge_number(index, 0, turned), edge_number(index, 7, turned)),
        Notation::Algebraic => (
            (if turned { index + 1 } else { 8 - index }).to_string(),
            String::new(),
        ),
    };
    let mut line = format!("{lead:>2} |");
    for cell in 0..8 {
        let piece = square_at(index, cell, turned).and_then(|square| position.at(square));
        line.push_str(symbol(piece));
        line.push('|');
    }
    let _ = write!(line, " {trail}");
    line.truncate(line.trim_end().len());
    line + "\n"
}

fn edge_number(index: usize, cell: usize, turned: bool) -> String {
    let square = square_at(index, cell, turned);
    square.as_ref().map(Square::to_string).unwrap_or_default()
}

fn symbol(piece: Option<(Color, Piece)>) -> &'static str {
    match piece {
        None => "    ",
        Some((Color::White, Piece::Man)) => "  o ",
        Some((Color::White, Piece::King)) => " oo ",
        Some((Color::Black, Piece::Man)) => "  * ",
        Some((Color::Black, Piece::King)) => " ** ",
    }
}
