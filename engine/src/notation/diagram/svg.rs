//! Draws a board as SVG: one self-contained picture, 8 x 8 squares with a margin.
//!
//! Pieces are discs; a king carries a crown, so that nothing depends on colour alone. Lengths
//! are in the picture's own units, 48 a square.

use std::fmt::Write as _;

use super::square_at;
use crate::board::{Color, Square};
use crate::notation::Notation;
use crate::rules::{Piece, Position};

const CELL: u32 = 48;
const MARGIN: u32 = 24;
const SIDE: u32 = 8 * CELL + 2 * MARGIN;

const STYLE: &str = "\
.frame{fill:#5b4636}.light{fill:#f1e3c8}.dark{fill:#8a9a6b}\
.label{font:11px sans-serif;fill:#2f3a1f}.edge{font:14px sans-serif;fill:#f1e3c8;text-anchor:middle}\
.white{fill:#fdfaf3;stroke:#3b2f25;stroke-width:2}.black{fill:#2b2422;stroke:#0e0b0a;stroke-width:2}\
.white-ring{fill:none;stroke:#b9ab94;stroke-width:1.5}.black-ring{fill:none;stroke:#6d605a;stroke-width:1.5}\
.white-crown{fill:#a3341f}.black-crown{fill:#f2c14e}";

/// The position as a complete SVG document, White at the top. Every dark square carries its
/// number; with algebraic notation files and ranks stand at the edge as well.
#[must_use]
pub fn svg(position: &Position, notation: Notation) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIDE} {SIDE}\" width=\"{SIDE}\" height=\"{SIDE}\" role=\"img\">\n"
    );
    let fen = super::super::fen::write(position);
    let turn = position.turn();
    let _ = writeln!(
        text,
        "<title>{turn} to move, {fen}</title>\n<style>{STYLE}</style>"
    );
    let _ = writeln!(
        text,
        "<rect class=\"frame\" width=\"{SIDE}\" height=\"{SIDE}\"/>"
    );
    let board = 8 * CELL;
    let _ = writeln!(
        text,
        "<rect class=\"light\" x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{board}\" height=\"{board}\"/>"
    );
    for (square, x, y) in dark_squares() {
        draw_square(&mut text, square, x, y);
        if let Some((color, piece)) = position.at(square) {
            draw_piece(&mut text, color, piece, x, y);
        }
    }
    if notation == Notation::Algebraic {
        draw_edges(&mut text);
    }
    draw_turn(&mut text, turn);
    text + "</svg>\n"
}

/// The dark squares with the top left corner of each.
fn dark_squares() -> impl Iterator<Item = (Square, u32, u32)> {
    (0..64).filter_map(|index: u32| {
        let (row, cell) = (index / 8, index % 8);
        let square = square_at(row as usize, cell as usize, false)?;
        Some((square, MARGIN + cell * CELL, MARGIN + row * CELL))
    })
}

fn draw_square(text: &mut String, square: Square, x: u32, y: u32) {
    let _ = writeln!(
        text,
        "<rect class=\"dark\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\"/>\
         <text class=\"label\" x=\"{}\" y=\"{}\">{square}</text>",
        x + 2,
        y + 11
    );
}

fn draw_piece(text: &mut String, color: Color, piece: Piece, x: u32, y: u32) {
    let name = match color {
        Color::White => "white",
        Color::Black => "black",
    };
    // A little off the centre, clear of the number.
    let (x, y) = (x + CELL / 2 + 1, y + CELL / 2 + 2);
    let _ = write!(
        text,
        "<circle class=\"{name}\" cx=\"{x}\" cy=\"{y}\" r=\"17\"/>\
         <circle class=\"{name}-ring\" cx=\"{x}\" cy=\"{y}\" r=\"13\"/>"
    );
    if piece == Piece::King {
        let (left, top) = (x - 9, y - 8);
        let _ = write!(
            text,
            "<path class=\"{name}-crown\" d=\"M{left} {top}l4.5 6 4.5-8 4.5 8 4.5-6v14h-18z\"/>"
        );
    }
    text.push('\n');
}

fn draw_edges(text: &mut String) {
    for index in 0..8 {
        let along = MARGIN + index * CELL + CELL / 2;
        let file = char::from(b'a' + index as u8);
        let bottom = SIDE - 7;
        let _ = writeln!(
            text,
            "<text class=\"edge\" x=\"{along}\" y=\"{bottom}\">{file}</text>\
             <text class=\"edge\" x=\"{}\" y=\"{}\">{}</text>",
            MARGIN / 2,
            along + 5,
            8 - index
        );
    }
}

/// A small disc at the edge of the side to move.
fn draw_turn(text: &mut String, turn: Color) {
    let (name, y) = match turn {
        Color::White => ("white", MARGIN / 2),
        Color::Black => ("black", SIDE - MARGIN / 2),
    };
    let x = SIDE - MARGIN / 2;
    let _ = writeln!(
        text,
        "<circle class=\"{name}\" cx=\"{x}\" cy=\"{y}\" r=\"7\"/>"
    );
}
