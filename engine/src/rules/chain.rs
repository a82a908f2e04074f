//! Jumps of any length, one way after the other.

use crate::board::steps::{jump, step};
use crate::board::{Bitboard, Direction};
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
        let [left, right, back_left, back_right] = S::DIRECTIONS;
        let mut goes_on = self.hop::<S>(at, captured, left, visit);
        goes_on |= self.hop::<S>(at, captured, right, visit);
        if self.is_king {
            goes_on |= self.hop::<S>(at, captured, back_left, visit);
            goes_on |= self.hop::<S>(at, captured, back_right, visit);
        }
        if !goes_on {
            visit(at, captured);
        }
    }

    /// Follows one direction; whether there was a jump.
    #[inline(always)]
    fn hop<S: Side>(
        &self,
        at: Bitboard,
        captured: Bitboard,
        direction: Direction,
        visit: &mut impl FnMut(Bitboard, Bitboard),
    ) -> bool {
        let landing = jump(at, self.theirs - captured, self.vacant, direction);
        if landing.any() {
            self.each_way::<S>(landing, captured | step(at, direction), visit);
        }
        landing.any()
    }
}
