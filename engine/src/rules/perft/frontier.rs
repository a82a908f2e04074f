//! The last two plies of the tree, gathered so that they are counted many positions at a time.
//!
//! Positions with two plies to go pass a first sieve: the replies to all steps after which the
//! opponent has no jump are counted in bulk; only the children of the other moves are made. These
//! pass three more sieves: steps and single jumps are counted in bulk; positions where a jump goes
//! on are gathered again and men's chains counted in bulk; what is left, where a king goes on
//! jumping, is counted route by route.

use super::columns::{Column, Columns, ROOM};
use super::hops::Hopper;
use super::kernel::{self, Kernel};
use super::node::{Node, each_hop};
use super::passes::{Chaining, Hopping, Left, Replying, Rest};
use crate::board::Color;
use crate::rules::side::{Side, for_side};

/// The gathered positions, and the count so far.
pub(super) struct Frontier {
    /// Two plies to go; the opponent of `color` moves.
    parents: Columns,
    rest: Rest,
    leaves: Leaves,
}

/// Positions with one ply to go.
struct Leaves {
    gathered: Columns,
    goes_on: Column,
    chains: Columns,
    king_goes_on: Column,
    /// Who moves in them.
    color: Color,
    merged: bool,
    kernel: Kernel,
    count: u64,
}

impl Frontier {
    /// `color` moves at the last ply.
    pub(super) fn new(color: Color, merged: bool, kernel: Kernel) -> Self {
        Self {
            parents: Columns::new(),
            rest: Rest::new(),
            leaves: Leaves {
                gathered: Columns::new(),
                goes_on: [0; ROOM],
                chains: Columns::new(),
                king_goes_on: [0; ROOM],
                color,
                merged,
                kernel,
                count: 0,
            },
        }
    }

    pub(super) fn merged(&self) -> bool {
        self.leaves.merged
    }

    /// Gathers a position with one ply to go.
    pub(super) fn gather_leaf(&mut self, node: Node) {
        self.leaves.gathered.push(node);
        self.leaves.flush_when_full();
    }

    /// Gathers a position with two plies to go.
    #[inline(always)]
    pub(super) fn gather(&mut self, node: Node) {
        self.parents.push(node);
        if self.parents.is_full() {
            self.flush();
        }
    }

    #[inline(never)]
    fn flush(&mut self) {
        let Self {
            parents,
            rest,
            leaves,
        } = self;
        leaves.count += kernel::run::<Replying>(leaves.kernel, !leaves.color, parents, rest);
        for_side!(leaves.color, S => {
            for at in 0..parents.len() {
                leaves.gather_children::<<S as Side>::Opponent>(parents.node(at), rest, at);
            }
        });
        parents.clear();
    }

    /// Counts what is left; the total since the beginning.
    pub(super) fn finish(&mut self) -> u64 {
        self.flush();
        self.leaves.flush();
        self.leaves.flush_chains();
        std::mem::take(&mut self.leaves.count)
    }
}

impl Leaves {
    /// Gathers the children of those moves that `rest` has left.
    #[inline(always)]
    fn gather_children<S: Side>(&mut self, parent: Node, rest: &Rest, at: usize) {
        let gathered = &mut self.gathered;
        match rest.at(at) {
            // One branch for steps and single jumps: which of them it is cannot be foreseen.
            Left::Hops { jumps, landings } => {
                let hops = if jumps { &S::JUMPS } else { &S::STEPS };
                each_hop(landings, hops, |hop| gathered.push(parent.leaf_after(hop)));
            }
            Left::LongJumps => parent.each_long_jump::<S>(self.merged, &mut |child| {
                gathered.push(child);
            }),
        }
        self.flush_when_full();
    }

    #[inline(always)]
    fn flush_when_full(&mut self) {
        if self.gathered.is_full() {
            self.flush();
        }
    }

    /// Counts what was gathered, except chains of jumps, which are gathered in their turn.
    #[inline(never)]
    fn flush(&mut self) {
        let Self {
            gathered, goes_on, ..
        } = self;
        self.count += kernel::run::<Hopping>(self.kernel, self.color, gathered, goes_on);
        if !self.chains.has_room_for(self.gathered.len()) {
            self.flush_chains();
        }
        let Self {
            gathered, goes_on, ..
        } = self;
        for at in 0..gathered.len() {
            self.chains
                .push_if(goes_on[at % ROOM] != 0, gathered.node(at));
        }
        gathered.clear();
    }

    #[inline(never)]
    fn flush_chains(&mut self) {
        let Self {
            chains,
            king_goes_on,
            ..
        } = self;
        self.count += kernel::run::<Chaining>(self.kernel, self.color, chains, king_goes_on);
        for_side!(self.color, S => {
            for at in 0..chains.len() {
                if king_goes_on[at % ROOM] != 0 {
                    self.count += chains.node(at).count_long_jumps::<S>(self.merged);
                }
            }
        });
        chains.clear();
    }
}
