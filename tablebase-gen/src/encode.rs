//! Turns solved pairs into the stored form.
//!
//! The format belongs to the engine; here the values of a unit are gathered from rows of bits
//! ([`Rows`]), and units are shared among threads, in two passes: one counts values by context, in
//! large slices in a sample of the units, the other codes them with the model that fits the
//! counts best.

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
/// About how many units are counted in a large slice.
const COUNTED: usize = 1 << 16;

/// The values of consecutive rows, one bit a position.
struct Rows<'a> {
    isa: Isa,
    pair: &'a Pair,
    index: &'a Index,
    /// The first position.
    start: u64,
    lost: Vec<u64>,
    open: Vec<u64>,
    /// The placements of own kings that are legal in a block, and in a row of it.
    in_block: Vec<u32>,
    in_row: Vec<u32>,
}

impl<'a> Rows<'a> {
    fn new(isa: Isa, pair: &'a Pair, index: &'a Index) -> Self {
        Self {
            isa,
            pair,
            index,
            start: 0,
            lost: Vec::new(),
            open: Vec::new(),
            in_block: Vec::new(),
            in_row: Vec::new(),
        }
    }

    /// Gathers all rows that hold positions of a unit.
    fn read(&mut self, unit: u64) {
        let (first, len) = (unit * UNIT as u64, unit::unit_len(self.index, unit) as u64);
        let row_len = self.index.row_len();
        let rows = first / row_len..(first + len).div_ceil(row_len);
        self.start = rows.start * row_len;
        // A word more, so that gathering may end with the last one.
        let words = ((rows.end - rows.start) * row_len / 64 + 2) as usize;
        for plane in [&mut self.lost, &mut self.open] {
            plane.clear();
            plane.resize(words, 0);
        }
        let mut walk = Walk::new(self.index, self.start);
        let mut at = 0;
        let mut men = None;
        for _ in rows {
            let placement = *walk.placement();
            let own_kings = self.index.slice().own.kings;
            let planes = self.pair.planes(self.index.slice().own, &placement);
            let now = (placement.own_men, placement.their_men);
            if men != Some(now) {
                men = Some(now);
                let taken = placement.own_men | placement.their_men.rotated();
                cover(
                    &mut self.in_block,
                    &Kings::of(own_kings).valid,
                    own_kings,
                    taken,
                );
            }
            cover(
                &mut self.in_row,
                &self.in_block,
                own_kings,
                placement.their_kings.rotated(),
            );
            at = self.add_row(&planes, &placement, at);
            walk.next_row();
        }
    }

    fn add_row(&mut self, planes: &Planes<'_>, placement: &Placement, at: usize) -> usize {
        let row = rank(placement.their_kings) as usize;
        planes.row(row, |lost, open| {
            self.isa.gather(&mut self.lost, at, lost, &self.in_row);
            self.isa.gather(&mut self.open, at, open, &self.in_row)
        })
    }

    /// The value of a position: 0 loss, 1 draw, 2 win.
    #[inline]
    fn value(&self, number: u64) -> u8 {
        let at = (number - self.start) as usize;
        let bit = |plane: &[u64]| (plane[at / 64] >> (at % 64)) as u8 & 1;
        // The open positions are those that are lost or drawn.
        2 - bit(&self.open) - bit(&self.lost)
    }

    /// Fills a unit.
    fn fill(&mut self, unit: u64, values: &mut Values) {
        self.read(unit);
        let first = unit * UNIT as u64;
        unit::fill(self.index, unit, values, |place| {
            self.value(first + place as u64)
        });
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

/// The counts for the model of a slice.
fn count(isa: Isa, pair: &Pair, index: &Index, units: usize, every: usize) -> Counts {
    (0..units.div_ceil(BATCH))
        .into_par_iter()
        .fold(Counts::default, |mut counts, batch| {
            let mut rows = Rows::new(isa, pair, index);
            let mut values = [UNKNOWN; UNIT];
            for unit in (batch * BATCH..units.min((batch + 1) * BATCH))
                .filter(|&unit| is_counted(unit, every))
            {
                rows.fill(unit as u64, &mut values);
                unit::count(index, unit as u64, &values, &mut counts);
            }
            counts
        })
        .reduce(Counts::default, |mut counts, other| {
            counts.merge(&other);
            counts
        })
}

/// The image of one slice of a solved pair; `results` are its lost, drawn and won positions.
pub(crate) fn image(
    isa: Isa,
    pair: &Pair,
    slice: Slice,
    results: [u64; 3],
) -> anyhow::Result<Vec<u8>> {
    let index = Index::new(slice);
    let units = index.len().div_ceil(UNIT as u64) as usize;
    let every = units.div_ceil(COUNTED);
    let model = Model::fit(&count(isa, pair, &index, units, every), every as u32);
    let coded: Vec<Result<Vec<u8>, u8>> = (0..units)
        .into_par_iter()
        .with_min_len(BATCH)
        .map_init(
            || (Rows::new(isa, pair, &index), [UNKNOWN; UNIT]),
            |(rows, values), unit| {
                rows.fill(unit as u64, values);
                unit::encode(&index, &model, unit as u64, values)
            },
        )
        .collect();
    file::assemble(&index, results, &model, &coded)
        .map_err(|unit| anyhow::anyhow!("slice {slice}: unit {unit} is too long to be stored"))
}
