//! Finds and stores distances to the next capture or man's move.
//!
//! A solved pair is solved once more, block by block and level by level: the round in which a
//! position is decided is its distance less one, since both sides then play their best. A side
//! that has no move loses at distance 1, as if its giving up were a move. The values that say
//! which positions have a stored distance are read back from the files. Start reading at
//! `store_pair`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use engine::tablebase::distance::coding::{self, Kind, MOST, NONE, UNIT};
use engine::tablebase::distance::{self, file};
use engine::tablebase::file::{Image, Volume};
use engine::tablebase::index::rank;
use engine::tablebase::{Placement, Slice, Walk};
use rayon::prelude::*;

use crate::block::{Solver, Target, Watch};
use crate::build;
use crate::kernel::Isa;
use crate::kings::Kings;
use crate::lookup::Lookup;
use crate::pair::{Pair, Side, Store};

/// Units that a thread takes at a time.
const BATCH: usize = 16;

/// The last round that can be noted.
const MOST_ROUND: u8 = MOST / 2;

/// The rounds of all positions of a pair, by block, row and bit as its planes: twice the round,
/// and one more for a loss; [`NONE`] for draws.
struct Rounds<'p> {
    pair: &'p Pair,
    /// With A and with B to move.
    tables: [Vec<u8>; 2],
}

/// Notes the rounds of one block.
struct Recorder<'r>([&'r mut [u8]; 2]);

impl Watch for Recorder<'_> {
    const LEVELS: bool = true;

    fn decided(&mut self, round: u32, side: Side, at: usize, won: u32, lost: u32) {
        let twice = 2 * round.min(u32::from(MOST_ROUND)) as u8;
        let row = &mut self.0[side][32 * at..32 * at + 32];
        let mut bits = won | lost;
        while bits != 0 {
            let place = bits.trailing_zeros();
            row[place as usize] = twice | (lost >> place & 1) as u8;
            bits &= bits - 1;
        }
    }
}

impl<'p> Rounds<'p> {
    fn of(isa: Isa, store: &Store, pair: &'p Pair) -> Self {
        let blocks = &pair.blocks;
        let words = [0, 1].map(|mover| blocks.plane_words(mover));
        let [mut first, mut second] = words.map(|words| vec![NONE; 32 * words * blocks.len()]);
        let done = [0, 1].map(|side| &pair.tables[side][..]);
        first
            .par_chunks_exact_mut(32 * words[0])
            .zip(second.par_chunks_exact_mut(32 * words[1]))
            .enumerate()
            .for_each_init(
                || (Solver::new(isa), words.map(|words| vec![0; 2 * words])),
                |(solver, planes), (place, (first, second))| {
                    planes.iter_mut().for_each(|plane| plane.fill(0));
                    let mut lookup = Lookup::new(store, blocks, done);
                    let out = planes.each_mut().map(|planes| Target::of(planes));
                    let mut recorder = Recorder([first, second]);
                    solver.solve(blocks, blocks.men(place), &mut lookup, out, &mut recorder);
                },
            );
        Self {
            pair,
            tables: [first, second],
        }
    }

    /// The distance of a placement with A (0) or B to move, or [`NONE`]; and whether it is lost.
    fn distance(&self, own: Side, placement: &Placement) -> (u8, bool) {
        let men = if own == 0 {
            [placement.own_men, placement.their_men]
        } else {
            [placement.their_men, placement.own_men]
        };
        let blocks = &self.pair.blocks;
        let (place, exchanged) = blocks.place(men);
        let mover = own ^ usize::from(exchanged);
        let width = Kings::of(blocks.forces[mover].kings).width;
        let row = rank(placement.their_kings) as usize;
        let block = 32 * blocks.plane_words(mover) * place;
        let at = block + 32 * width * row + rank(placement.own_kings) as usize;
        match self.tables[mover][at] {
            NONE => (NONE, false),
            round => (round / 2 + 1, round & 1 != 0),
        }
    }
}

/// The file of the distances of a slice in a folder.
#[must_use]
pub fn path(folder: &Path, slice: Slice) -> PathBuf {
    folder.join(format!("{slice}.ctd"))
}

/// The size of a whole file of the distances of `slice`, if there is one.
fn finished(path: &Path, slice: Slice, least: u8) -> Option<u64> {
    let volume = Volume::open(path).ok()?;
    let images = distance::Image::all(&volume.into()).ok()?;
    let [image] = &images[..] else {
        return None;
    };
    let header = image.header();
    (header.slice == slice && header.least == least).then_some(header.bytes as u64)
}

/// Writes the distances of both slices of a pair whose values are in `folder` already, unless
/// their files are there; returns their bytes. Distances up to `least` are told as `least`. Pairs
/// in which a side has no king need none.
pub(crate) fn store_pair(
    folder: &Path,
    isa: Isa,
    store: &Store,
    pair: &Pair,
    least: u8,
) -> anyhow::Result<u64> {
    let forces = pair.blocks.forces;
    if forces.iter().any(|force| force.kings == 0) {
        return Ok(0);
    }
    let slices = build::slices(forces);
    let done = |&slice: &Slice| finished(&path(folder, slice), slice, least);
    if let Some(bytes) = slices.iter().map(done).sum() {
        return Ok(bytes);
    }
    let rounds = Rounds::of(isa, store, pair);
    let mut bytes = 0;
    for (own, slice) in slices.into_iter().enumerate() {
        let image = image(folder, &rounds, own, slice, least)?;
        let path = path(folder, slice);
        build::write(&path, &image).with_context(|| format!("cannot write {}", path.display()))?;
        bytes += image.len() as u64;
    }
    Ok(bytes)
}

/// One coded unit, and its longest distance with the number of a position that has it.
type Coded = (Vec<u8>, (u8, u64));

fn image(
    folder: &Path,
    rounds: &Rounds<'_>,
    own: Side,
    slice: Slice,
    least: u8,
) -> anyhow::Result<Vec<u8>> {
    let volume = Arc::new(Volume::open(&build::path(folder, slice))?);
    let images = Image::all(&volume)?;
    let [values] = &images[..] else {
        bail!("{}: expected one slice", volume.name().display());
    };
    let units = values.index().len().div_ceil(UNIT as u64) as usize;
    let coded: Vec<Coded> = (0..units)
        .into_par_iter()
        .with_min_len(BATCH)
        .map(|unit| unit_of(rounds, own, values, unit as u64, least))
        .collect::<Result<_, _>>()?;
    let longest = coded.iter().map(|&(_, longest)| longest);
    let longest = longest.max_by_key(|&(plies, at)| (plies, std::cmp::Reverse(at)));
    let units: Vec<Vec<u8>> = coded.into_iter().map(|(bytes, _)| bytes).collect();
    file::assemble(slice, longest.unwrap_or((0, 0)), least, &units)
        .map_err(|unit| anyhow::anyhow!("slice {slice}: unit {unit} of distances is too long"))
}

fn unit_of(
    rounds: &Rounds<'_>,
    own: Side,
    image: &Image,
    unit: u64,
    least: u8,
) -> anyhow::Result<Coded> {
    let (index, slice) = (image.index(), image.header().slice);
    let values = distance::stored_values(image, unit)?;
    let mut walk = Walk::new(index, unit * UNIT as u64);
    let mut longest = (0, unit * UNIT as u64);
    let mut distances = vec![NONE; values.len()];
    for (at, (slot, &value)) in distances.iter_mut().zip(&values).enumerate() {
        let placement = walk.placement();
        let (plies, is_lost) = rounds.distance(own, placement);
        if plies != NONE && plies > longest.0 {
            longest = (plies, unit * UNIT as u64 + at as u64);
        }
        let lost = match distance::kind(value, &walk) {
            Kind::Other => false,
            Kind::Perhaps => is_lost,
            Kind::Lost => true,
        };
        if lost {
            if !is_lost || plies > MOST_ROUND {
                bail!("slice {slice}: a loss without a distance of at most {MOST_ROUND} plies");
            }
            *slot = plies.max(least);
        }
        walk.advance();
    }
    let kind = |at: usize, walk: &Walk| distance::kind(values[at], walk);
    let coded = coding::encode(index, unit, &distances, kind);
    Ok((coded, longest))
}
