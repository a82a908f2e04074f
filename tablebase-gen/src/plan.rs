//! What a build will cost, before it starts.

use engine::tablebase::Slice;

use crate::build::{pairs, slices};
use crate::kings::Kings;

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

/// Bytes of the tables of one slice: two planes, rows padded as [`Kings`] says.
fn table_bytes(slice: Slice) -> u64 {
    let (own, their) = (Kings::of(slice.own.kings), Kings::of(slice.their.kings));
    let words = if slice.own.kings == 0 {
        their.width
    } else {
        their.sets * own.width
    };
    let blocks = engine::tablebase::index::MenIndex::new(slice.own.men, slice.their.men).len();
    8 * words as u64 * u64::from(blocks)
}

/// Two bits a position while values wait to be coded, and the solver's planes of a block.
fn scratch_bytes(slice: Slice, threads: u64) -> u64 {
    let (own, their) = (Kings::of(slice.own.kings), Kings::of(slice.their.kings));
    let planes = 2 * 6 * 4 * (own.sets * their.width).max(their.sets * own.width);
    slice.positions() / 4 + threads * planes as u64
}

/// The steps of a build, in order.
#[must_use]
pub fn plan(pieces: u32, per_side: u32, threads: u64) -> Vec<Step> {
    let mut steps: Vec<(Step, u32)> = Vec::new();
    for now in 2..=pieces {
        for forces in pairs(now, per_side) {
            let men = forces[0].men + forces[1].men;
            let slices = slices(forces);
            // A symmetric pair keeps both sides' tables of half the blocks.
            let table_bytes = slices.iter().map(|&slice| table_bytes(slice)).sum();
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
                resident_bytes: kept + table_bytes + scratch,
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
