//! The checker's own way to the values: nothing here knows the generator, the engine's rules or
//! the numbering of files.
//!
//! Layers: `board` (squares and moves), `table` (numbers and values), `solve`.

mod board;
mod solve;
mod table;

use std::fs;
use std::path::Path;

use engine::tablebase::{Force, Placement, Slice};

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

    /// Writes the values of a slice to a file.
    pub(crate) fn save(&self, slice: Slice, path: &Path) -> std::io::Result<()> {
        let beside = path.with_extension("part");
        fs::write(&beside, self.0.0[&slice].to_bytes())?;
        fs::rename(beside, path)
    }

    /// Reads what [`Findings::save`] wrote; false if there is no such file.
    pub(crate) fn load(&mut self, slice: Slice, path: &Path) -> bool {
        let mut table = Table::new(slice);
        let is_whole = fs::read(path).is_ok_and(|bytes| table.read(&bytes));
        if is_whole {
            self.0.0.insert(slice, table);
        }
        is_whole
    }
}
