//! What a build will cost, before it starts.

use engine::tablebase::Slice;
use engine::tablebase::index::{MenIndex, choose};
use engine::tablebase::unit::UNIT;

use crate::build::{pairs, slices};
use crate::encode::COUNTED;
use crate::kings::Kings;
use crate::lone;

/// One pair of forces, in the order of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The slices that are solved together.
    pub slices: Vec<Slice>,
    /// Their positions.
    pub positions: u64,
    /// Bytes of their uncompressed tables.
    pub table_bytes: u64,
    /// Bytes of all tables that must be in memory at this step, scratch included.
    pub resident_bytes: u64,
}

/// Words of a row over so many kings.
fn row_words(kings: u32) -> u64 {
    Kings::row_words(kings) as u64
}

/// Bytes of the tables of one slice: two planes, rows padded as [`Kings`] says.
fn table_bytes(slice: Slice, blocks: u64) -> u64 {
    let (own, their) = (slice.own.kings, slice.their.kings);
    let words = if own == 0 {
        row_words(their)
    } else {
        choose(32, their) * row_words(own)
    };
    8 * words * blocks
}

/// Bytes of what is kept of a pair: the tables, and three words a block to find it; of a pair
/// without kings one bit a plane, and the rows of the module `bare` both ways round.
fn pair_bytes(slices: &[Slice]) -> u64 {
    let Slice { own, their } = slices[0];
    let blocks = u64::from(MenIndex::new(own.men, their.men).len());
    if own.kings + their.kings == 0 {
        let rows = choose(28, own.men) * choose(28, their.men);
        return slices.len() as u64 * (blocks + rows) / 2;
    }
    // A symmetric pair keeps both sides' tables of half the blocks.
    let tables: u64 = slices.iter().map(|&slice| table_bytes(slice, blocks)).sum();
    tables + 12 * blocks
}

/// What is needed while a slice is coded, the states of all units that are kept and about two bits
/// in a hundred positions, and the solver's planes of a block with those of its captures, or its
/// rows of a pair with one king.
fn scratch_bytes(slice: Slice, threads: u64) -> u64 {
    let (own, their) = (slice.own.kings, slice.their.kings);
    let lone = match (own, their) {
        (1, 0) => lone::scratch_bytes(slice.own.men, slice.their.men, threads),
        (0, 1) => lone::scratch_bytes(slice.their.men, slice.own.men, threads),
        _ => 0,
    };
    let rows = |rows, bits| choose(32, rows) * row_words(bits);
    let planes = 2 * 10 * 4 * rows(own, their).max(rows(their, own));
    let states = slice.positions().min((COUNTED * UNIT) as u64);
    states + slice.positions() / 32 + threads * planes + lone
}

/// The steps of a build, in order.
#[must_use]
pub fn plan(pieces: u32, per_side: u32, threads: u64) -> Vec<Step> {
    let mut steps: Vec<(Step, u32)> = Vec::new();
    for now in 2..=pieces {
        for forces in pairs(now, per_side) {
            let men = forces[0].men + forces[1].men;
            let slices = slices(forces);
            let table_bytes = pair_bytes(&slices);
            let kept: u64 = steps
                .iter()
                .filter(|(step, earlier)| {
                    now < pieces || step.slices[0].pieces() < now || earlier + 1 >= men
                })
                .map(|(step, _)| step.table_bytes)
                .sum();
            let scratch = slices
                .iter()
                .map(|&slice| scratch_bytes(slice, threads))
                .max()
                .unwrap_or(0);
            let step = Step {
                positions: slices.iter().map(|slice| slice.positions()).sum(),
                table_bytes,
                // A tenth more for what the allocator holds: 7 pieces took 6 % more than the sum.
                resident_bytes: (kept + table_bytes + scratch) * 11 / 10,
                slices,
            };
            steps.push((step, men));
        }
    }
    steps.into_iter().map(|(step, _)| step).collect()
}

/// The most memory that any step needs.
#[must_use]
pub fn peak_bytes(steps: &[Step]) -> u64 {
    steps
        .iter()
        .map(|step| step.resident_bytes)
        .max()
        .unwrap_or(0)
}
