//! Single steps and single jumps by their landing square, as words to be combined with a board.

use crate::board::steps::{far, step};
use crate::board::{Bitboard, Direction, Square};
use crate::rules::side::Side;

/// What a step or a single jump changes on the board.
#[derive(Clone, Copy)]
pub(super) struct Hop {
    /// The origin and the landing square.
    pub(super) ends: Bitboard,
    /// The square jumped over; none for a step.
    pub(super) victim: Bitboard,
}

/// Hops in two directions: indices 0-31 for landings in the first, 32-63 in the second.
pub(super) type Hops = [Hop; 64];

/// Landing sets of two directions in one word, in the order of [`Hops`].
#[inline(always)]
pub(super) fn pair([first, second]: [Bitboard; 2]) -> u64 {
    u64::from(first.0) | u64::from(second.0) << 32
}

/// Calls `visit` with the hop of each landing in a [`pair`].
#[inline(always)]
pub(super) fn each(landings: u64, hops: &Hops, mut visit: impl FnMut(Hop)) {
    let mut rest = landings;
    while rest != 0 {
        visit(hops[(rest.trailing_zeros() & 63) as usize]);
        rest &= rest - 1;
    }
}

/// The tables of a side: forward, then backward.
pub(super) trait Hopper: Side {
    const STEPS: [Hops; 2] = [table(Self::FORWARD, false), table(Self::BACKWARD, false)];
    const JUMPS: [Hops; 2] = [table(Self::FORWARD, true), table(Self::BACKWARD, true)];
}

impl<S: Side> Hopper for S {}

const fn table(directions: [Direction; 2], jumps: bool) -> Hops {
    let mut hops = [Hop {
        ends: Bitboard::EMPTY,
        victim: Bitboard::EMPTY,
    }; 64];
    let mut index = 0;
    while index < 64 {
        let landing = Square::from_index(index).bit();
        let back = directions[index as usize / 32].opposite();
        let near = step(landing, back);
        hops[index as usize] = if jumps {
            Hop {
                ends: Bitboard(landing.0 | far(landing, back).0),
                victim: near,
            }
        } else {
            Hop {
                ends: Bitboard(landing.0 | near.0),
                victim: Bitboard::EMPTY,
            }
        };
        index += 1;
    }
    hops
}
