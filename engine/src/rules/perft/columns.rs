//! Positions as columns, so that vector code reads neighbours with one load.

use super::kernel::LANES;
use super::node::Node;
use crate::board::Bitboard;

/// Room for a batch and for the children of the parent that fills it: as many again, where
/// `tests/rules.rs` climbs to 34 routes in a position.
pub(super) const ROOM: usize = 512;
const BATCH: usize = 256;

/// A word for each position.
pub(super) type Column = [u32; ROOM];

/// Up to [`ROOM`] positions.
pub(super) struct Columns {
    own: Column,
    theirs: Column,
    kings: Column,
    len: usize,
}

impl Columns {
    pub(super) fn new() -> Self {
        Self {
            own: [0; ROOM],
            theirs: [0; ROOM],
            kings: [0; ROOM],
            len: 0,
        }
    }

    /// Adds a position, without looking whether there is room.
    #[inline(always)]
    pub(super) fn push(&mut self, node: Node) {
        let at = self.len % ROOM;
        self.own[at] = node.own.0;
        self.theirs[at] = node.theirs.0;
        self.kings[at] = node.kings.0;
        self.len += 1;
    }

    /// Adds a position if `wanted`: without a branch, as it cannot be foreseen.
    #[inline(always)]
    pub(super) fn push_if(&mut self, wanted: bool, node: Node) {
        self.push(node);
        self.len -= usize::from(!wanted);
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len >= BATCH
    }

    pub(super) fn has_room_for(&self, more: usize) -> bool {
        self.len + more <= ROOM
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(super) fn node(&self, at: usize) -> Node {
        let at = at % ROOM;
        Node {
            own: Bitboard(self.own[at]),
            theirs: Bitboard(self.theirs[at]),
            kings: Bitboard(self.kings[at]),
        }
    }

    /// Fills the last block of lanes with empty boards, which have no moves; how many lanes there
    /// are then.
    pub(super) fn pad(&mut self) -> usize {
        let lanes = self.len.next_multiple_of(LANES);
        for column in [&mut self.own, &mut self.theirs, &mut self.kings] {
            column[self.len..lanes].fill(0);
        }
        lanes
    }
}
