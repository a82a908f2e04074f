//! Turns solved pairs into the stored form.
//!
//! The format belongs to the engine; here units are shared among threads, in two passes: one
//! counts values by context, the other codes them with the model that fits the counts best. Values
//! are kept between the passes at two bits each.

use engine::tablebase::model::{Counts, Model, UNKNOWN};
use engine::tablebase::unit::{self, UNIT, Values};
use engine::tablebase::{Index, Slice, file};
use rayon::prelude::*;

use crate::pair::Pair;

/// Units that a thread takes at a time.
const BATCH: usize = 64;

type Packed = [u8; UNIT / 4];

fn pack(values: &Values) -> Packed {
    std::array::from_fn(|at| (0..4).fold(0, |byte, nth| byte | values[4 * at + nth] << (2 * nth)))
}

fn unpack(packed: &Packed) -> Values {
    std::array::from_fn(|at| packed[at / 4] >> (at % 4 * 2) & 3)
}

/// The values of a slice that must be stored, and the counts for its model.
fn gather(pair: &Pair, index: &Index, units: usize) -> (Vec<Packed>, Counts) {
    let own = index.slice().own;
    let mut packed = vec![[0; UNIT / 4]; units];
    let counts = packed
        .par_chunks_mut(BATCH)
        .enumerate()
        .fold(Counts::default, |mut counts, (nth, batch)| {
            let mut values = [UNKNOWN; UNIT];
            for (within, packed) in batch.iter_mut().enumerate() {
                let unit = (nth * BATCH + within) as u64;
                unit::fill(index, unit, &mut values, |walk| {
                    pair.value(own, walk.placement()) as u8
                });
                unit::count(index, unit, &values, &mut counts);
                *packed = pack(&values);
            }
            counts
        })
        .reduce(Counts::default, |mut counts, other| {
            counts.merge(&other);
            counts
        });
    (packed, counts)
}

/// The image of one slice of a solved pair; `results` are its lost, drawn and won positions.
pub(crate) fn image(pair: &Pair, slice: Slice, results: [u64; 3]) -> anyhow::Result<Vec<u8>> {
    let index = Index::new(slice);
    let units = index.len().div_ceil(UNIT as u64) as usize;
    let (packed, counts) = gather(pair, &index, units);
    let model = Model::fit(&counts);
    let coded: Vec<Result<Vec<u8>, u8>> = packed
        .par_iter()
        .with_min_len(BATCH)
        .enumerate()
        .map(|(unit, packed)| unit::encode(&index, &model, unit as u64, &unpack(packed)))
        .collect();
    file::assemble(&index, results, &model, &coded)
        .map_err(|unit| anyhow::anyhow!("slice {slice}: unit {unit} is too long to be stored"))
}
