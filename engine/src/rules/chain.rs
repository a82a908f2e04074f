//! Jumps of any length, one way after the other.

use crate::board::Bitboard;
use crate::board::steps::{jump, step};
use crate::rules::side::Side;

/// A piece in the middle of its jump. Captured pieces stay on the board until the jump is over;
/// the square where the piece began is vacant.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    pub(super) is_king: bool,
    pub(super) theirs: Bitboard,
    pub(super) vacant: Bitboard,
}

impl Chain {
    /// Calls `visit` with the end and the captures of every way on from `at`, where the pieces
    /// `captured` have been jumped already.
    pub(super) fn each_way<S: Side>(
        &self,
        at: Bitboard,
        captured: Bitboard,
        visit: &mut impl FnMut(Bitboard, Bitboard),
    ) {
        let mut ended = true;
        let ways = if self.is_king { 4 } else { 2 };
        for &direction in &S::DIRECTIONS[..ways] {
            let landing = jump(at, self.theirs - captured, self.vacant, direction);
            if landing.any() {
                ended = false;
                self.each_way::<S>(landing, captured | step(at, direction), visit);
            }
        }
        if ended {
            visit(at, captured);
        }
    }
}
