//! The checker's own way to the values: nothing here knows the generator, the engine's rules or
//! the numbering of files.
//!
//! Layers: `board` (squares and moves), `table` (numbers and values), `solve`, `plies` (distances).

mod board;
mod plies;
mod solve;
mod table;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use engine::tablebase::{Force, Placement, Slice};

use sha2::{Digest, Sha256};

pub(crate) use plies::{Plies, Verdict};
use table::{Table, Tables};

/// Values that were found again from nothing, by slices.
#[derive(Default)]
pub(crate) struct Findings(Tables);

impl Findings {
    /// Solves a pair of forces; all that its moves lead to must be there.
    pub(crate) fn solve(&mut self, forces: [Force; 2]) {
        let tables = solve::Solver::new(&self.0, forces).solve();
        self.0
            .0
            .extend(crate::build::slices(forces).into_iter().zip(tables));
    }

    /// How many positions are lost, drawn and won.
    pub(crate) fn count(&self, slice: Slice) -> [u64; 3] {
        solve::count(&self.0.0[&slice], slice)
    }

    /// The value found for a placement: 0 loss, 1 draw, 2 win.
    #[inline]
    pub(crate) fn value(&self, slice: Slice, placement: &Placement) -> u8 {
        self.0.0[&slice].get(
            [placement.own_men.0, placement.own_kings.0],
            [placement.their_men.0, placement.their_kings.0],
        )
    }

    /// Drops the slices of so many pieces that have fewer men than `men`.
    pub(crate) fn forget(&mut self, pieces: u32, men: u32) {
        let men_of = |slice: &Slice| slice.own.men + slice.their.men;
        self.0
            .0
            .retain(|slice, _| slice.pieces() < pieces || men_of(slice) >= men);
    }

    /// Checks the distances of a slice: those of its lost positions and of the same forces with the
    /// other side to move.
    pub(crate) fn check_distances(&self, slice: Slice, lost: [&Plies; 2]) -> Verdict {
        plies::check(&self.0, slice, lost)
    }

    /// Writes the values of a slice to a file; their SHA-256.
    pub(crate) fn save(&self, slice: Slice, path: &Path) -> std::io::Result<String> {
        let bytes = self.0.0[&slice].to_bytes();
        let beside = path.with_extension("part");
        let mut file = File::create(&beside)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(beside, path)?;
        Ok(sha256(&bytes))
    }

    /// Reads what [`Findings::save`] wrote; false if there is no such file, or its SHA-256 is
    /// another.
    pub(crate) fn load(&mut self, slice: Slice, path: &Path, expected: &str) -> bool {
        let mut table = Table::new(slice);
        let is_whole =
            fs::read(path).is_ok_and(|bytes| sha256(&bytes) == expected && table.read(&bytes));
        if is_whole {
            self.0.0.insert(slice, table);
        }
        is_whole
    }
}

/// The bytes of memory that solving everything up to `pieces` pieces takes at the most: all slices
/// of fewer, and of so many those with as many men as the pair that is solved or one less.
pub(crate) fn memory(pieces: u32, per_side: u32) -> u64 {
    let all = (2..pieces).flat_map(|pieces| Slice::all(pieces, per_side));
    let below: u64 = all.map(table::bytes).sum();
    let with = |men: u32| -> u64 {
        let slices = Slice::all(pieces, per_side).into_iter();
        let those = slices.filter(|slice| slice.own.men + slice.their.men == men);
        those.map(table::bytes).sum()
    };
    let last = (0..=pieces).map(|men| with(men) + men.checked_sub(1).map_or(0, with));
    below + last.max().unwrap_or(0)
}

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
