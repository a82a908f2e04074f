//! What is counted in bulk.

use super::columns::{Column, Columns, ROOM};
use super::kernel::{LANES, Pass};
use super::node::{Landings, Node};
use crate::rules::side::Side;

/// Counts steps and single jumps; says where a jump goes on, and counts nothing there.
pub(super) struct Hopping;

impl Pass for Hopping {
    type Verdicts = Column;

    #[inline(always)]
    fn run<S: Side>(columns: &Columns, lanes: usize, goes_on: &mut Column) -> u64 {
        count_all(columns, lanes, goes_on, |node| {
            let jumps = node.jumps::<S>();
            let steps = node.steps::<S>().len();
            let moves = if jumps.1.any() { jumps.1.len() } else { steps };
            (moves, node.goes_on::<S>(jumps))
        })
    }
}

/// Counts jumps of men, however long, and single jumps of kings; says where a king goes on.
pub(super) struct Chaining;

impl Pass for Chaining {
    type Verdicts = Column;

    #[inline(always)]
    fn run<S: Side>(columns: &Columns, lanes: usize, king_goes_on: &mut Column) -> u64 {
        count_all(columns, lanes, king_goes_on, Node::chains::<S>)
    }
}

/// Adds up what `count` finds, except where it says that there is more to it.
#[inline(always)]
fn count_all(
    columns: &Columns,
    lanes: usize,
    more: &mut Column,
    count: impl Fn(Node) -> (u32, bool),
) -> u64 {
    let mut counts = [0u32; LANES];
    for block in (0..lanes.min(ROOM)).step_by(LANES) {
        for (lane, total) in counts.iter_mut().enumerate() {
            let at = block + lane;
            let (moves, beyond) = count(columns.node(at));
            *total += if beyond { 0 } else { moves };
            more[at % ROOM] = u32::from(beyond);
        }
    }
    counts.iter().map(|&count| u64::from(count)).sum()
}

/// What is left to do after [`Replying`].
pub(super) struct Rest {
    /// Landings of the moves whose replies have not been counted.
    forward: [Column; 2],
    backward: [Column; 2],
    /// 0 for steps, 1 for single jumps, 2 where a jump goes on.
    kind: Column,
}

/// The moves of one position that are left.
pub(super) enum Left {
    /// Steps, or jumps of which none goes on.
    Hops { jumps: bool, landings: Landings },
    /// Jumps of which at least one goes on.
    LongJumps,
}

impl Rest {
    pub(super) fn new() -> Self {
        Self {
            forward: [[0; ROOM]; 2],
            backward: [[0; ROOM]; 2],
            kind: [0; ROOM],
        }
    }

    #[inline(always)]
    pub(super) fn at(&self, at: usize) -> Left {
        let at = at % ROOM;
        if self.kind[at] > 1 {
            return Left::LongJumps;
        }
        Left::Hops {
            jumps: self.kind[at] == 1,
            landings: Landings::from_words(
                self.forward.each_ref().map(|column| column[at]),
                self.backward.each_ref().map(|column| column[at]),
            ),
        }
    }
}

/// Counts the replies to every step after which the opponent has no jump; says which moves are
/// left.
pub(super) struct Replying;

impl Pass for Replying {
    type Verdicts = Rest;

    #[inline(always)]
    fn run<S: Side>(columns: &Columns, lanes: usize, rest: &mut Rest) -> u64 {
        let mut counts = [0u32; LANES];
        for block in (0..lanes.min(ROOM)).step_by(LANES) {
            for (lane, total) in counts.iter_mut().enumerate() {
                let at = (block + lane) % ROOM;
                let node = columns.node(at);
                let jumps = node.jumps::<S>();
                let must_jump = jumps.1.any();
                let (safe, unsafe_steps) = node.safe_steps::<S>();
                let replies = node.replies::<S>(safe);
                *total += if must_jump { 0 } else { replies };
                let left = Landings::select(must_jump, jumps.1, unsafe_steps);
                for index in 0..2 {
                    rest.forward[index][at] = left.forward[index].0;
                    rest.backward[index][at] = left.backward[index].0;
                }
                rest.kind[at] = u32::from(must_jump) + u32::from(node.goes_on::<S>(jumps));
            }
        }
        counts.iter().map(|&count| u64::from(count)).sum()
    }
}
