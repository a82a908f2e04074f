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
    let mut text = String::new();
    if notation == Notation::Numeric {
        text.push_str(&number_line(0));
    }
    text.push_str(EDGE);
    text.push('\n');
    for index in 0..8 {
        if index > 0 {
            text.push_str(RULE);
            text.push('\n');
        }
        text.push_str(&row(position, index, notation));
    }
    text.push_str(EDGE);
    text.push('\n');
    text.push_str(&match notation {
        Notation::Numeric => number_line(7),
        Notation::Algebraic => String::from("     a    b    c    d    e    f    g    h\n"),
    });
    text
}

/// The numbers above the first row or below the last, except the one printed at its side.
fn number_line(index: usize) -> String {
    let mut line = String::new();
    for cell in 0..8 {
        let at_side = (index == 0 && cell == 7) || (index == 7 && cell == 0);
        let Some(square) = square_at(index, cell, false).filter(|_| !at_side) else {
            continue;
        };
        let column = 5 + 5 * cell;
        let _ = write!(line, "{:width$}{square}", "", width = column - line.len());
    }
    line + "\n"
}

fn row(position: &Position, index: usize, notation: Notation) -> String {
    let (lead, trail) = match notation {
        Notation::Numeric => (edge_number(index, 0), edge_number(index, 7)),
        Notation::Algebraic => ((8 - index).to_string(), String::new()),
    };
    let mut line = format!("{lead:>2} |");
    for cell in 0..8 {
        let piece = square_at(index, cell, false).and_then(|square| position.at(square));
        line.push_str(symbol(piece));
        line.push('|');
    }
    let _ = write!(line, " {trail}");
    line.truncate(line.trim_end().len());
    line + "\n"
}

fn edge_number(index: usize, cell: usize) -> String {
    let square = square_at(index, cell, false);
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
