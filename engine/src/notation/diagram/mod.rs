//! Boards printed as text, in both forms of the old books, and drawn as SVG.
//!
//! The numbered form carries square numbers at its corners and edges, the algebraic form ranks
//! and files; both have White (`o`, `oo`) at the top and Black (`*`, `**`) at the bottom. Frames
//! may be ragged, broken over lines or joined into one line. The reader finds the eight rows
//! (`rows`), learns from labels which way the board lies (`orientation`), then reads the
//! symbols. Start at [`read`] and [`print()`].

mod caption;
mod orientation;
mod print;
mod rows;
mod svg;
mod symbol;

use thiserror::Error;

use self::rows::{Page, Row};
use self::symbol::Symbol;
use super::{Placement, excerpt};
use crate::board::Square;
use crate::rules::{Position, Setup, SetupError};

pub use print::{print, print_from};
pub use svg::svg;

/// Why a text is no diagram, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DiagramError {
    /// The number of rows is wrong.
    #[error("diagram: found {0} rows with cells between '|'; expected 8")]
    Rows(usize),
    /// The number of cells in a row is wrong.
    #[error("diagram line {line}: found {found} cells; expected 8 between '|'")]
    Cells {
        /// The line of the text, counted from 1.
        line: usize,
        /// The cells in it.
        found: usize,
    },
    /// An unknown symbol.
    #[error(
        "diagram line {line}, cell {cell}: found \"{text}\"; expected o, oo, *, ** or an empty cell"
    )]
    Symbol {
        /// The line of the text, counted from 1.
        line: usize,
        /// The cell in its row, counted from 1.
        cell: usize,
        /// What stands there, shortened.
        text: String,
    },
    /// A piece where none can stand.
    #[error(
        "diagram line {line}, cell {cell}: \"{text}\" stands on a light square; expected it one cell beside"
    )]
    LightSquare {
        /// The line of the text, counted from 1.
        line: usize,
        /// The cell in its row, counted from 1.
        cell: usize,
        /// What stands there, shortened.
        text: String,
    },
    /// Labels that fit no way of laying the board, or two ways equally.
    #[error(
        "diagram: the numbers or letters at the edge contradict each other; expected 32 or a8 at the top left, or the board turned by half"
    )]
    Labels,
    /// Nothing says which way the board lies.
    #[error(
        "diagram: nothing shows which way the board lies; expected square numbers, or ranks and files, at the edge"
    )]
    Orientation,
    /// The squares' names without a piece.
    #[error("diagram: it names the squares and shows no piece; expected o, oo, * or **")]
    NamesOnly,
    /// A placement that the rules forbid.
    #[error("diagram: {0}")]
    Setup(#[from] SetupError),
}

/// Reads a printed board. The turn is known if a caption such as "White to move" says so;
/// otherwise the position has Black to move and the caller chooses.
///
/// # Errors
///
/// [`DiagramError`] with the line of the first fault.
pub fn read(text: &str) -> Result<Placement, DiagramError> {
    let text = rows::with_bars(text);
    let page = rows::find(&text)?;
    let turned = orientation::is_turned(&page)?;
    let setup = place(&page, turned)?;
    let turn = caption::turn(&page);
    let mut position = Position::try_from(setup)?;
    if let Some(turn) = turn {
        position = position.with_turn(turn);
    }
    Ok(Placement { position, turn })
}

/// Whether the text has rows of a board, so that [`read`] is the reader to try.
#[must_use]
pub fn is_likely(text: &str) -> bool {
    !matches!(
        rows::find(&rows::with_bars(text)),
        Err(DiagramError::Rows(0))
    )
}

fn place(page: &Page<'_>, turned: bool) -> Result<Setup, DiagramError> {
    let mut setup = Setup::default();
    let mut named = false;
    for (index, row) in page.rows.iter().enumerate() {
        for (cell, text) in row.cells.iter().enumerate() {
            let symbol = read_cell(row, cell, text)?;
            named |= matches!(symbol, Symbol::Name(_));
            let Symbol::Piece(color, piece) = symbol else {
                continue;
            };
            let Some(square) = square_at(index, cell, turned) else {
                return Err(light_square(row, cell, text));
            };
            setup.put(square, color, piece);
        }
    }
    if named && setup == Setup::default() {
        return Err(DiagramError::NamesOnly);
    }
    Ok(setup)
}

fn read_cell(row: &Row<'_>, cell: usize, text: &str) -> Result<Symbol, DiagramError> {
    symbol::read(text).ok_or_else(|| DiagramError::Symbol {
        line: row.line,
        cell: cell + 1,
        text: excerpt(text),
    })
}

fn light_square(row: &Row<'_>, cell: usize, text: &str) -> DiagramError {
    DiagramError::LightSquare {
        line: row.line,
        cell: cell + 1,
        text: excerpt(text),
    }
}

/// The square printed in row 0-7 from the top and cell 0-7 from the left.
fn square_at(row: usize, cell: usize, turned: bool) -> Option<Square> {
    let (row, cell) = (row as u32, cell as u32);
    if turned {
        Square::at(row, 7 - cell)
    } else {
        Square::at(7 - row, cell)
    }
}

#[cfg(test)]
mod tests;
