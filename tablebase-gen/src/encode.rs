//! Turns solved pairs into the stored form.
//!
//! The format belongs to the engine; here the values of a unit are gathered from rows of bits
//! ([`Rows`]), and units are shared among threads, in three passes: the first gathers the values,
//! the second counts them by context, the third codes them with the model that fits the counts
//! best. Start reading at `image`.

use std::sync::Mutex;

use engine::board::Bitboard;
use engine::tablebase::index::rank;
use engine::tablebase::model::{Counts, Model, UNKNOWN};
use engine::tablebase::unit::{self, UNIT, Values};
use engine::tablebase::{Index, Placement, Slice, Walk, file};
use rayon::prelude::*;

use crate::kernel::Isa;
use crate::kings::Kings;
use crate::pair::{Pair, Planes};

/// Units that a thread takes at a time.
const BATCH: usize = 64;
/// Up to so many units of a slice are gathered once and kept, and all of them counted: every slice
/// of up to seven pieces. Of a larger one about so many are counted.
pub(crate) const COUNTED: usize = 1 << 19;

/// The values of consecutive rows, one bit a position.
struct Rows<'a> {
    isa: Isa,
    pair: &'a Pair,
    index: &'a Index,
    /// How many bits the two planes have so far.
    at: usize,
    lost: Vec<u64>,
    open: Vec<u64>,
    /// The placements of the fast kings that are legal in a block, and in a row of it.
    in_block: Vec<u32>,
    in_row: Vec<u32>,
    /// Room for one unit.
    values: Box<Values>,
}

impl<'a> Rows<'a> {
    fn new(isa: Isa, pair: &'a Pair, index: &'a Index) -> Self {
        Self {
            isa,
            pair,
            index,
            at: 0,
            lost: Vec::new(),
            open: Vec::new(),
            in_block: Vec::new(),
            in_row: Vec::new(),
            values: Box::new([UNKNOWN; UNIT]),
        }
    }

    /// Gathers all rows that hold positions of a unit; at which bit that begins.
    fn read(&mut self, unit: u64) -> usize {
        let Slice { own, their } = self.index.slice();
        let mut walk = Walk::new(self.index, unit * UNIT as u64);
        let first = match own.kings + their.kings {
            0 => 0,
            _ => walk.row_rank() as usize,
        };
        let end = first + unit::unit_len(self.index, unit);
        let row = match (own.kings, their.kings) {
            (0, 0) => 1,
            (0, _) => self.index.block_len(),
            _ => self.index.row_len(),
        };
        // A word more, so that gathering may end with the last one.
        let words = (end + row as usize) / 64 + 2;
        for plane in [&mut self.lost, &mut self.open] {
            plane.clear();
            plane.resize(words, 0);
        }
        self.at = 0;
        if own.kings > 0 {
            self.read_rows(&mut walk, end);
        } else if their.kings > 0 {
            self.read_blocks(&mut walk, end);
        } else {
            self.read_bits(&mut walk, end);
        }
        first
    }

    fn planes(&self, placement: &Placement) -> Planes<'a> {
        self.pair.planes(self.index.slice().own, placement)
    }

    /// Rows over the kings of the side to move.
    fn read_rows(&mut self, walk: &mut Walk, end: usize) {
        let kings = self.index.slice().own.kings;
        let mut block = None;
        while self.at < end {
            let placement = *walk.placement();
            let men = (placement.own_men, placement.their_men);
            let planes = match block {
                Some((known, planes)) if known == men => planes,
                _ => {
                    let taken = placement.own_men | placement.their_men.rotated();
                    cover(&mut self.in_block, &Kings::of(kings).valid, kings, taken);
                    let planes = self.planes(&placement);
                    block = Some((men, planes));
                    planes
                }
            };
            let taken = placement.their_kings.rotated();
            cover(&mut self.in_row, &self.in_block, kings, taken);
            planes.row(rank(placement.their_kings) as usize, |lost, open| {
                self.gather(lost, open);
            });
            walk.next_row();
        }
    }

    /// Blocks whose side to move has no king: rows over the other side's.
    fn read_blocks(&mut self, walk: &mut Walk, end: usize) {
        let kings = self.index.slice().their.kings;
        while self.at < end {
            let placement = *walk.placement();
            let taken = placement.own_men.rotated() | placement.their_men;
            cover(&mut self.in_row, &Kings::of(kings).valid, kings, taken);
            let planes = self.planes(&placement);
            self.gather(planes.lost, planes.open);
            walk.next_row();
        }
    }

    /// Positions without kings.
    fn read_bits(&mut self, walk: &mut Walk, end: usize) {
        self.in_row.clear();
        self.in_row.push(1);
        while self.at < end {
            let planes = self.planes(walk.placement());
            planes.row(0, |lost, open| self.gather(lost, open));
            walk.advance();
        }
    }

    /// Adds what is legal of a row.
    fn gather(&mut self, lost: &[u32], open: &[u32]) {
        self.isa.gather(&mut self.lost, self.at, lost, &self.in_row);
        self.at = self.isa.gather(&mut self.open, self.at, open, &self.in_row);
    }

    fn unit(&mut self, unit: u64) -> Unit {
        let first = self.read(unit);
        let planes = [&self.lost, &self.open].map(Vec::as_slice);
        unit::fill_from(self.index, unit, &mut self.values, planes, first, false);
        unit::unit_kind(&self.values).map(|_| self.values.clone())
    }
}

/// `from` without the placements of kings that cover any of `squares`.
fn cover(into: &mut Vec<u32>, from: &[u32], kings: u32, squares: Bitboard) {
    into.clear();
    into.extend_from_slice(from);
    for square in squares {
        for (word, covered) in into.iter_mut().zip(Kings::of(kings).holds(square)) {
            *word &= !covered;
        }
    }
}

/// Whether a unit is one of the sample that is counted.
fn is_counted(unit: usize, every: usize) -> bool {
    // Multiplied by an odd number, so that the sample does not beat with the length of rows.
    (unit.wrapping_mul(0x9E37_79B9) >> 16).is_multiple_of(every)
}

/// A unit's states, or the only value in it.
type Unit = Result<Box<Values>, u8>;

/// The units of a slice.
struct Units<'a> {
    isa: Isa,
    pair: &'a Pair,
    index: &'a Index,
    count: usize,
    kept: Option<Vec<Unit>>,
}

impl<'a> Units<'a> {
    fn new(isa: Isa, pair: &'a Pair, index: &'a Index) -> Self {
        let mut this = Self {
            isa,
            pair,
            index,
            count: index.len().div_ceil(UNIT as u64) as usize,
            kept: None,
        };
        if this.count <= COUNTED {
            this.kept = Some(this.map(|_, unit| unit));
        }
        this
    }

    /// What `make` makes of all units in order, by all threads.
    fn map<R: Send>(&self, make: impl Fn(u64, Unit) -> R + Sync) -> Vec<R> {
        (0..self.count)
            .into_par_iter()
            .with_min_len(BATCH)
            .map_init(
                || Rows::new(self.isa, self.pair, self.index),
                |rows, unit| make(unit as u64, self.get(rows, unit)),
            )
            .collect()
    }

    fn get(&self, rows: &mut Rows<'_>, unit: usize) -> Unit {
        match &self.kept {
            Some(kept) => kept[unit].clone(),
            None => rows.unit(unit as u64),
        }
    }

    /// The counts for the model of the slice, of one unit in `every`. Each thread adds to counts
    /// that nobody else adds to: their sum does not depend on who counted what.
    fn counts(&self, every: usize) -> Counts {
        let spare = Mutex::new(Vec::new());
        let batches = (0..self.count.div_ceil(BATCH)).into_par_iter();
        batches.for_each_init(
            || Rows::new(self.isa, self.pair, self.index),
            |rows, batch| {
                let waiting = spare.lock().ok().and_then(|mut spare| spare.pop());
                let mut counts: Counts = waiting.unwrap_or_default();
                let units = batch * BATCH..self.count.min((batch + 1) * BATCH);
                for unit in units.filter(|&unit| is_counted(unit, every)) {
                    if let Ok(values) = self.get(rows, unit) {
                        unit::count(self.index, unit as u64, &values, &mut counts);
                    }
                }
                if let Ok(mut spare) = spare.lock() {
                    spare.push(counts);
                }
            },
        );
        let parts = spare.into_inner().unwrap_or_default();
        let sum = parts.into_iter().reduce(|mut sum, part| {
            sum.merge(&part);
            sum
        });
        sum.unwrap_or_default()
    }
}

/// The image of one slice of a solved pair; `results` are its lost, drawn and won positions.
pub(crate) fn image(isa: Isa, pair: &Pair, slice: Slice, results: [u64; 3]) -> Vec<u8> {
    let index = Index::new(slice);
    let units = Units::new(isa, pair, &index);
    let every = units.count.div_ceil(COUNTED);
    let model = Model::fit(&units.counts(every), every as u32);
    let coded = units.map(|unit, values| unit::encode(&index, &model, unit, &*values?));
    file::assemble(&index, results, &model, &coded)
}
