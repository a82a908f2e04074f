//! From moves to text.

use std::fmt::Write as _;

use crate::board::Square;
use crate::notation::Notation;
use crate::rules::{Move, Position, Route};

/// Writes a legal move of `position` by its ends, or by its full route where another jump with
/// the same ends takes different men.
#[must_use]
pub fn write(mv: Move, position: &Position, notation: Notation) -> String {
    let same_ends = |other: &Move| other.from() == mv.from() && other.to() == mv.to();
    let several = mv.is_jump()
        && position
            .legal_moves()
            .iter()
            .filter(|mv| same_ends(mv))
            .count()
            > 1;
    if several {
        return write_full(mv, position, notation);
    }
    joined(&[mv.from(), mv.to()], mv.is_jump(), notation)
}

/// Writes a legal move of `position` with every square on which it lands.
#[must_use]
pub fn write_full(mv: Move, position: &Position, notation: Notation) -> String {
    let routes = position.routes();
    match routes.iter().find(|route| route.as_move() == mv) {
        Some(route) => write_route(route, notation),
        None => joined(&[mv.from(), mv.to()], mv.is_jump(), notation),
    }
}

/// Writes a route with every square on which it lands.
#[must_use]
pub fn write_route(route: &Route, notation: Notation) -> String {
    joined(route.squares(), route.as_move().is_jump(), notation)
}

/// Writes a move as the Hub protocol does: both ends, then the captured squares, ascending.
#[must_use]
pub fn write_hub(mv: Move) -> String {
    let mut text = joined(&[mv.from(), mv.to()], mv.is_jump(), Notation::Numeric);
    for square in mv.captured() {
        // Writing to a String cannot fail.
        let _ = write!(text, "x{square}");
    }
    text
}

/// Every legal move with its full route, by square numbers, so that no two texts are alike. Two
/// ways round the same men are both listed, though they are one [`Move`].
#[must_use]
pub fn list(position: &Position, notation: Notation) -> Vec<String> {
    sorted_routes(position)
        .iter()
        .map(|route| write_route(route, notation))
        .collect()
}

fn joined(squares: &[Square], jump: bool, notation: Notation) -> String {
    let separator = if jump { "x" } else { "-" };
    let names: Vec<String> = squares
        .iter()
        .map(|&square| notation.name(square))
        .collect();
    names.join(separator)
}

/// The legal routes by square numbers: the order in which people look for them.
pub(super) fn sorted_routes(position: &Position) -> Vec<Route> {
    let mut routes = position.routes();
    routes.sort_unstable_by(|one, other| one.squares().cmp(other.squares()));
    routes
}
