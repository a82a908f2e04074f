//! Why a move is illegal, in the words of a player.
//!
//! Called only when no legal move fits. The first rule broken is named: whose piece, then the
//! duty to jump, then how pieces move.

use super::scan::Scanned;
use super::{IllegalReason, MoveError, crowned, name, write_route};
use crate::board::{Direction, Square, steps};
use crate::rules::{Position, Route};

/// The error for squares that fit none of `routes`, which are all legal ones.
pub(super) fn explain(scanned: &Scanned, position: &Position, routes: &[Route]) -> MoveError {
    let text = scanned.text.clone();
    let continued = beginning_with(scanned, routes);
    if !continued.is_empty() {
        return MoveError::JumpGoesOn {
            text,
            routes: continued,
        };
    }
    let reason = whose_piece(scanned, position, routes)
        .or_else(|| jump_ends(scanned, position, routes))
        .or_else(|| must_jump(scanned, position, routes))
        .unwrap_or_else(|| how_pieces_move(scanned, position));
    MoveError::Illegal { text, reason }
}

fn beginning_with(scanned: &Scanned, routes: &[Route]) -> Vec<String> {
    routes
        .iter()
        .filter(|route| route.squares().starts_with(&scanned.squares))
        .map(|route| write_route(route, scanned.notation))
        .collect()
}

fn whose_piece(scanned: &Scanned, position: &Position, routes: &[Route]) -> Option<IllegalReason> {
    let from = scanned.squares[0];
    if routes.is_empty() {
        return Some(IllegalReason::GameOver(position.turn()));
    }
    match position.at(from) {
        None => Some(IllegalReason::EmptySquare(name(scanned, from))),
        Some((owner, piece)) if owner != position.turn() => Some(IllegalReason::OtherSide {
            square: name(scanned, from),
            piece,
            owner,
        }),
        Some(_) => None,
    }
}

fn jump_ends(scanned: &Scanned, position: &Position, routes: &[Route]) -> Option<IllegalReason> {
    let route = routes
        .iter()
        .find(|route| route.as_move().is_jump() && scanned.squares.starts_with(route.squares()))?;
    let mv = route.as_move();
    Some(IllegalReason::JumpEnds {
        square: name(scanned, mv.to()),
        crowned: crowned(position, mv),
        route: write_route(route, scanned.notation),
    })
}

/// Names the jumps of the piece that was to move, or, if it has none, those of all others.
fn must_jump(scanned: &Scanned, position: &Position, routes: &[Route]) -> Option<IllegalReason> {
    if !position.has_jump() {
        return None;
    }
    let own = |route: &&Route| route.squares()[0] == scanned.squares[0];
    let its_own = routes.iter().any(|route| own(&route));
    Some(IllegalReason::MustJump {
        mover: position.turn(),
        routes: routes
            .iter()
            .filter(|route| !its_own || own(route))
            .map(|route| write_route(route, scanned.notation))
            .collect(),
    })
}

/// The side to move has no jump: why is this no step of its piece?
fn how_pieces_move(scanned: &Scanned, position: &Position) -> IllegalReason {
    let (from, to) = (scanned.squares[0], scanned.squares[1]);
    if from == to {
        return IllegalReason::SameSquare(name(scanned, from));
    }
    if let Some((owner, piece)) = position.at(to) {
        return IllegalReason::Occupied {
            square: name(scanned, to),
            piece,
            owner,
        };
    }
    match from.row().abs_diff(to.row()) {
        1 if adjacent(from, to) => IllegalReason::Backward,
        2 if Direction::between(from, to).is_some() => no_jump(scanned, position, from, to),
        _ => IllegalReason::NotAStep {
            from: name(scanned, from),
            to: name(scanned, to),
        },
    }
}

fn adjacent(from: Square, to: Square) -> bool {
    Direction::between(from, to).is_some()
}

fn no_jump(scanned: &Scanned, position: &Position, from: Square, to: Square) -> IllegalReason {
    let over = steps::middle(from, to);
    match position.at(over) {
        None => IllegalReason::NothingToJump(name(scanned, over)),
        Some((owner, _)) if owner == position.turn() => {
            IllegalReason::OwnPiece(name(scanned, over), owner)
        }
        // Forward, or with a king, this would have been a legal jump.
        Some(_) => IllegalReason::Backward,
    }
}
