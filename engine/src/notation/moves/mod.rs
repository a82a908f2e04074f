//! Moves as text: `11-15`, `15x22`, `22x15x8`, Hub's `27x11x16x24`, `e7xc5xe3xc1`.
//!
//! Three steps: the scanner turns text into squares, [`read`] finds the one legal move that has
//! those squares, and where there is none the explanation says why in a player's words. Knows
//! nothing of games written as a whole; that is [`super::pdn`]'s. Start reading at [`read`].

mod explain;
mod scan;
mod write;

use thiserror::Error;

use self::scan::Scanned;
use super::Found;
use crate::board::{Bitboard, Color, Square, regions};
use crate::rules::{Game, Move, Piece, Position, Route};

pub use write::{list, write, write_full, write_hub, write_route};

/// Why a text is no move here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// No squares at all.
    #[error("no move given; expected one such as 11-15 or 15x22")]
    Empty,
    /// The text does not follow any way of writing moves.
    #[error("move \"{text}\", column {column}: found {found}; expected {expected}")]
    Unexpected {
        /// The text, shortened.
        text: String,
        /// The character where the fault begins, counted from 1.
        column: usize,
        /// What stands there.
        found: Found,
        /// What may stand there.
        expected: &'static str,
    },
    /// A square that does not exist or is light.
    #[error(
        "move \"{text}\": {square} is not a square of play; expected 1 to 32 or a1 to h8 (dark)"
    )]
    NotASquare {
        /// The text, shortened.
        text: String,
        /// The name that was given.
        square: String,
    },
    /// One square, or far too many, or several moves.
    #[error("move \"{text}\": expected {expected}")]
    Shape {
        /// The text, shortened.
        text: String,
        /// What a move consists of.
        expected: &'static str,
    },
    /// Jumps with these squares take different men.
    #[error("{text} is ambiguous: {}", either(routes))]
    Ambiguous {
        /// The text, shortened.
        text: String,
        /// Every full route that it may mean.
        routes: Vec<String>,
    },
    /// The first part of a jump.
    #[error("{text} is not complete: the jump must go on: {}", either(routes))]
    JumpGoesOn {
        /// The text, shortened.
        text: String,
        /// Every full route that begins like this.
        routes: Vec<String>,
    },
    /// A move that the rules forbid.
    #[error("{text} is not legal: {reason}")]
    Illegal {
        /// The text, shortened.
        text: String,
        /// The rule, in a player's words.
        reason: IllegalReason,
    },
}

/// Why a move is illegal. Squares are in the notation that the player used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalReason {
    /// The game is over.
    #[error("{0} has no legal move, the game is over")]
    GameOver(Color),
    /// Nothing stands where the move begins.
    #[error("there is no piece on {0}")]
    EmptySquare(String),
    /// The piece there is not the mover's.
    #[error("the {piece} on {square} is {owner}'s and {} is to move", !*owner)]
    OtherSide {
        /// Where the move begins.
        square: String,
        /// What stands there.
        piece: Piece,
        /// Whose it is.
        owner: Color,
    },
    /// Jumping is compulsory, and this is no jump.
    #[error("{mover} must jump, {}", either(routes))]
    MustJump {
        /// The side to move.
        mover: Color,
        /// Every jump there is.
        routes: Vec<String>,
    },
    /// The jump was written on beyond its end.
    #[error("the jump ends on {square}{}: {route}", if *.crowned { ", where the man is crowned" } else { "" })]
    JumpEnds {
        /// The last square.
        square: String,
        /// Whether it ends by crowning.
        crowned: bool,
        /// The complete jump.
        route: String,
    },
    /// The move ends where it began without any capture.
    #[error("the piece would stay on {0}")]
    SameSquare(String),
    /// Something stands where the move ends.
    #[error("{square} is occupied by a {owner} {piece}")]
    Occupied {
        /// Where the move ends.
        square: String,
        /// What stands there.
        piece: Piece,
        /// Whose it is.
        owner: Color,
    },
    /// A man would step or jump towards its own side.
    #[error("a man does not move backward")]
    Backward,
    /// A jump over an empty square.
    #[error("there is nothing on {0} to jump")]
    NothingToJump(String),
    /// A jump over the mover's own piece.
    #[error("the piece on {0} is {1}'s own and cannot be jumped")]
    OwnPiece(String, Color),
    /// The squares are not next to each other.
    #[error("{to} is not one step from {from}")]
    NotAStep {
        /// Where the move begins.
        from: String,
        /// Where it would end.
        to: String,
    },
}

/// `a`, `a or b`, `a, b or c`; a long list is cut short.
fn either(routes: &[String]) -> String {
    const MOST: usize = 8;
    match routes {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] if routes.len() <= MOST => format!("{} or {last}", first.join(", ")),
        _ => format!("{} …", routes[..MOST].join(", ")),
    }
}

/// Finds the legal move that `text` means in `position`.
///
/// The separator does not matter (`10x14` may be a step and `15-22` a jump), nor do blanks,
/// leading zeros and trailing marks; `1118` is 11-18 and `11x18 18x25` is one jump. Between the
/// ends of a jump all its landing squares may be given, or some, or, as Hub does, the squares of
/// the captured men after both ends.
///
/// ```
/// use engine::notation::{fen, moves};
///
/// let position = fen::read("W:W18:B15,8")?;
/// let jump = moves::read("18x4", &position)?;
/// let refused = moves::read("18x11", &position).expect_err("only half of the jump");
/// assert_eq!(refused.to_string(), "18x11 is not complete: the jump must go on: 18x11x4");
/// assert_eq!(moves::write_hub(jump), "18x4x8x15");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`MoveError`]: the text is no move, means several, or breaks a rule, which is named.
pub fn read(text: &str, position: &Position) -> Result<Move, MoveError> {
    let mut readings = scan::scan(text)?.into_iter();
    let first = readings.next().ok_or(MoveError::Empty)?;
    let result = resolve(&first, position);
    if result.is_ok() {
        return result;
    }
    readings
        .find_map(|reading| resolve(&reading, position).ok())
        .map_or(result, Ok)
}

/// Reads a move and plays it.
///
/// # Errors
///
/// As [`read`]; the game stays as it was.
pub fn play(text: &str, game: &mut Game) -> Result<Move, MoveError> {
    let mv = read(text, &game.position())?;
    let played = game.play(mv);
    debug_assert!(played.is_ok(), "read returns legal moves only");
    Ok(mv)
}

fn resolve(scanned: &Scanned, position: &Position) -> Result<Move, MoveError> {
    if let [from, to] = scanned.squares[..] {
        let legal = position.legal_moves();
        let mut fitting = legal.iter().filter(|mv| mv.from() == from && mv.to() == to);
        if let (Some(&only), None) = (fitting.next(), fitting.next()) {
            return Ok(only);
        }
    } else if let Some(mv) = hub_move(scanned, position) {
        return Ok(mv);
    }
    by_route(scanned, position)
}

/// Hub's form: both ends, then the captured squares in any order. A captured square always lies
/// an odd number of rows away from the landing squares, so no list of squares reads both ways.
fn hub_move(scanned: &Scanned, position: &Position) -> Option<Move> {
    let [from, to, captured @ ..] = &scanned.squares[..] else {
        return None;
    };
    let captured: Bitboard = captured.iter().copied().collect();
    let mv = Move::jump(*from, *to, captured);
    position.legal_moves().contains(&mv).then_some(mv)
}

/// A full route, or some of its squares with both its ends. A full route counts before any
/// longer one that also touches its squares.
fn by_route(scanned: &Scanned, position: &Position) -> Result<Move, MoveError> {
    let routes = write::sorted_routes(position);
    let squares = &scanned.squares[..];
    if let Some(exact) = routes.iter().find(|route| route.squares() == squares) {
        return Ok(exact.as_move());
    }
    let fitting: Vec<&Route> = routes
        .iter()
        .filter(|route| touches(route, squares))
        .collect();
    let Some(first) = fitting.first().map(|route| route.as_move()) else {
        return Err(explain::explain(scanned, position, &routes));
    };
    if fitting.iter().all(|route| route.as_move() == first) {
        return Ok(first);
    }
    Err(MoveError::Ambiguous {
        text: scanned.text.clone(),
        routes: fitting
            .iter()
            .map(|route| write_route(route, scanned.notation))
            .collect(),
    })
}

/// Whether the route has these ends and touches the squares between them in this order.
fn touches(route: &Route, squares: &[Square]) -> bool {
    let path = route.squares();
    let mut rest = path[1..path.len() - 1].iter();
    squares.len() >= 2
        && path.first() == squares.first()
        && path.last() == squares.last()
        && squares[1..squares.len() - 1]
            .iter()
            .all(|square| rest.any(|landing| landing == square))
}

/// Whether a man that begins `route` in `position` is crowned at its end.
fn crowned(position: &Position, mv: Move) -> bool {
    !position.all_kings().contains(mv.from())
        && regions::crownhead(position.turn()).contains(mv.to())
}

/// The notation of the squares in a player's text decides how answers name squares.
fn name(scanned: &Scanned, square: Square) -> String {
    scanned.notation.name(square)
}

#[cfg(test)]
mod tests;
