//! Which positions need no stored value.
//!
//! A capture must be made, so a position with one is worth what its captures lead to. A position
//! in which only the other side threatens to capture is worth what its quiet moves lead to; it
//! is left out when each of these is either itself a capture for the other side or at rest. The
//! prober then finds any value within a bounded number of moves: it never follows one threat
//! with another. Everything else is stored.

use crate::rules::Position;

/// Whether the value of `position` follows from other positions at once and is not stored.
#[must_use]
#[inline]
pub fn is_left_out(position: &Position) -> bool {
    if position.has_jump() {
        return true;
    }
    let us = position.turn();
    if !position.with_turn(us.opponent()).has_jump() {
        return false;
    }
    position.legal_moves().into_iter().all(|mv| {
        let next = position.play(mv);
        next.has_jump() || !next.with_turn(us).has_jump()
    })
}
