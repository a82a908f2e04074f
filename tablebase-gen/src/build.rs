//! Solves pairs, and builds whole sets of files in the order in which pairs depend on each other.
//!
//! By pieces, then by men: captures lead to fewer pieces and crownings to fewer men. Within a
//! pair the levels follow each other, and the blocks of a level are shared among the threads.
//! A file is written beside its place, forced to disk and renamed, so that there is never half a
//! file; a build that was stopped solves again (which is quick) and writes what is missing. Only
//! one build at a time may write to a folder.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, anyhow};
use engine::tablebase::file::{Image, Volume};
use engine::tablebase::{Force, Slice};
use rayon::prelude::*;

use crate::bare::Bare;
use crate::block::{Solver, Target};
use crate::distances;
use crate::encode;
use crate::kernel::Isa;
use crate::lone;
use crate::lookup::Lookup;
use crate::pair::{Blocks, Pair, Store};
use crate::system;

/// The pairs of `pieces` pieces with at most `per_side` a side, in a possible order of work.
pub(crate) fn pairs(pieces: u32, per_side: u32) -> Vec<[Force; 2]> {
    let mut found: Vec<[Force; 2]> = Slice::all(pieces, per_side)
        .into_iter()
        .filter(|slice| Store::ordered(slice.own, slice.their) == (slice.own, slice.their))
        .map(|slice| [slice.own, slice.their])
        .collect();
    found.sort_by_key(|[a, b]| a.men + b.men);
    found
}

/// The slices of a pair: one when both sides have the same force.
pub(crate) fn slices([a, b]: [Force; 2]) -> Vec<Slice> {
    let first = Slice { own: a, their: b };
    if a == b {
        vec![first]
    } else {
        vec![first, first.reversed()]
    }
}

/// The finished words before block `start`, and those of the blocks up to `end`.
fn split(table: &mut [u32], words: usize, start: usize, end: usize) -> (&[u32], &mut [u32]) {
    let (done, rest) = table.split_at_mut(start * words);
    (done, &mut rest[..(end - start) * words])
}

/// Solves one pair; every pair that it depends on must be in `store`.
pub(crate) fn solve_pair(isa: Isa, store: &mut Store, forces: [Force; 2]) -> Pair {
    let blocks = Blocks::new(forces[0], forces[1]);
    if forces[0].kings + forces[1].kings == 0 {
        return solve_bare(isa, store, blocks);
    }
    if lone::solves(&blocks) {
        return lone::solve(isa, store, blocks);
    }
    solve_blocks(isa, store, blocks)
}

fn solve_bare(isa: Isa, store: &mut Store, blocks: Blocks) -> Pair {
    let bare = Bare::solve(isa, store, &blocks);
    let [a, b] = blocks.forces;
    // With equal forces the rows may as well be A's.
    let tables = if a == b {
        bare.tables(isa, &blocks)
    } else {
        let turned = bare.turned(isa);
        let tables = turned.tables(isa, &blocks);
        store.insert_bare(turned);
        tables
    };
    store.insert_bare(bare);
    Pair { blocks, tables }
}

/// Solvers that wait for more work: their room is large, and new pages are slow.
#[derive(Default)]
struct Spare(Mutex<Vec<Solver>>);

impl Spare {
    fn take(&self, isa: Isa) -> Borrowed<'_> {
        let waiting = self.0.lock().ok().and_then(|mut all| all.pop());
        Borrowed {
            solver: waiting.or_else(|| Some(Solver::new(isa))),
            home: self,
        }
    }
}

struct Borrowed<'s> {
    solver: Option<Solver>,
    home: &'s Spare,
}

impl Borrowed<'_> {
    fn get(&mut self) -> &mut Solver {
        self.solver.as_mut().expect("there until it is dropped")
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let (Some(solver), Ok(mut all)) = (self.solver.take(), self.home.0.lock()) {
            all.push(solver);
        }
    }
}

pub(crate) fn solve_blocks(isa: Isa, store: &Store, blocks: Blocks) -> Pair {
    let spare = Spare::default();
    let words = [0, 1].map(|mover| 2 * blocks.plane_words(mover));
    let [mut first, mut second] = words.map(|words| vec![0_u32; words * blocks.len()]);
    for level in blocks.levels.windows(2).filter(|level| level[0] < level[1]) {
        let (start, end) = (level[0], level[1]);
        let (done_first, now_first) = split(&mut first, words[0], start, end);
        let (done_second, now_second) = split(&mut second, words[1], start, end);
        let done = [done_first, done_second];
        let batch = (end - start).div_ceil(64).min(256);
        now_first
            .par_chunks_mut(words[0] * batch)
            .zip(now_second.par_chunks_mut(words[1] * batch))
            .enumerate()
            .for_each_init(
                || spare.take(isa),
                |solver, (nth, (first, second))| {
                    let mut lookup = Lookup::new(store, &blocks, done).with(isa);
                    let planes = first
                        .chunks_exact_mut(words[0])
                        .zip(second.chunks_exact_mut(words[1]));
                    for (place, (first, second)) in (start + nth * batch..).zip(planes) {
                        let out = [first, second].map(Target::of);
                        solver
                            .get()
                            .solve(&blocks, blocks.men(place), &mut lookup, out, &mut ());
                    }
                },
            );
    }
    Pair {
        blocks,
        tables: [first, second],
    }
}

/// How many positions of a pair are lost, drawn and won, with A and with B to move.
pub(crate) fn count(pair: &Pair) -> [[u64; 3]; 2] {
    let blocks = &pair.blocks;
    [0, 1].map(|mover| {
        let slice = Slice {
            own: blocks.forces[mover],
            their: blocks.forces[1 - mover],
        };
        let table = &pair.tables[mover];
        let [lost, open] = if blocks.is_bare() {
            ones(table, table.len() / 2)
        } else if blocks.is_symmetric() {
            symmetric_ones(pair, mover)
        } else {
            let block = 2 * blocks.plane_words(mover);
            let parts = table.par_chunks(block * (COUNTED_WORDS / block).max(1));
            parts
                .map(|part| ones(part, block / 2))
                .reduce(|| [0; 2], add)
        };
        [lost, open - lost, slice.positions() - open]
    })
}

/// Words that a thread counts at a time, if a block has not more.
const COUNTED_WORDS: usize = 1 << 16;

fn add([a, b]: [u64; 2], [c, d]: [u64; 2]) -> [u64; 2] {
    [a + c, b + d]
}

/// How many bits are set in the planes L and N, of so many words, that take turns in `table`.
fn ones(table: &[u32], words: usize) -> [u64; 2] {
    let ones = |plane: &[u32]| plane.iter().map(|word| u64::from(word.count_ones())).sum();
    let blocks = table.chunks_exact(2 * words).map(|block| {
        let (lost, open) = block.split_at(words);
        [ones(lost), ones(open)]
    });
    blocks.fold([0; 2], add)
}

/// The same for a pair that stores half of its blocks: those with unlike men stand for two.
fn symmetric_ones(pair: &Pair, mover: usize) -> [u64; 2] {
    let words = pair.blocks.plane_words(mover);
    let block = |table: &[u32], place: usize| ones(&table[2 * words * place..][..2 * words], words);
    (0..pair.blocks.len())
        .into_par_iter()
        .map(|place| {
            let here = block(&pair.tables[mover], place);
            let [a, b] = pair.blocks.men(place);
            if a == b {
                here
            } else {
                add(here, block(&pair.tables[1 - mover], place))
            }
        })
        .reduce(|| [0; 2], add)
}

/// What to build, and where.
#[derive(Clone, Debug)]
pub struct Order {
    /// The most pieces, 2 to 8.
    pub pieces: u32,
    /// The most pieces of a side, up to 7.
    pub per_side: u32,
    /// The folder of the files; `None` to count only, and write nothing.
    pub out: Option<PathBuf>,
    /// The instruction set of the loops.
    pub isa: Isa,
    /// Write distances too; those up to so many plies are told as that many.
    pub distances: Option<u8>,
}

/// The slices solved last.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Lost, drawn and won positions of each slice of the pair.
    pub slices: Vec<(Slice, [u64; 3])>,
    /// Seconds spent on solving them.
    pub seconds: f64,
    /// Seconds of processor time, all threads together, where the system tells.
    pub processor_seconds: Option<f64>,
}

impl Solved {
    /// Positions of all slices.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|(slice, _)| slice.positions()).sum()
    }
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Positions solved.
    pub positions: u64,
    /// Positions in the whole order.
    pub of: u64,
    /// Seconds spent on solving.
    pub seconds_generate: f64,
    /// Seconds spent on coding and writing.
    pub seconds_compress: f64,
    /// Seconds spent on distances.
    pub seconds_distances: f64,
    /// Bytes of the files of this order.
    pub bytes: u64,
}

/// What a build is doing.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// It begins to solve these slices.
    Solving(&'e [Slice]),
    /// It has solved and counted them.
    Solved(&'e Solved),
    /// The file of a slice is there, with so many bytes.
    Written(Slice, u64),
}

/// The file of a slice in a folder.
#[must_use]
pub fn path(folder: &Path, slice: Slice) -> PathBuf {
    folder.join(format!("{slice}.ctb"))
}

/// The size of a whole file of `slice`, if there is one.
fn finished(path: &Path, slice: Slice) -> Option<u64> {
    let volume = Volume::open(path).ok()?;
    let images = Image::all(&volume.into()).ok()?;
    let [image] = &images[..] else {
        return None;
    };
    (image.header().slice == slice).then_some(image.header().bytes as u64)
}

/// Writes a file whole or not at all: beside its place, forced to disk, renamed.
pub(crate) fn write_by<T>(
    path: &Path,
    write: impl FnOnce(&mut File) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let mut file = File::create(&beside)?;
    let done = write(&mut file)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    if let Some(folder) = path.parent() {
        system::sync_folder(folder)?;
    }
    Ok(done)
}

/// [`write_by`] for bytes that are there.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_by(path, |file| Ok(file.write_all(bytes)?))
}

/// Holds a folder for one build; freed by the operating system whenever the process ends.
struct Hold {
    path: PathBuf,
    _file: File,
}

impl Hold {
    fn take(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let path = folder.join("build.lock");
        let file = File::create(&path)
            .with_context(|| format!("cannot write to the folder {}", folder.display()))?;
        file.try_lock()
            .map_err(|_| anyhow!("another build is writing to {}", folder.display()))?;
        Ok(Self { path, _file: file })
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // A lock file that stays does no harm: what counts is who holds it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Builds all files of an order, telling `watch` how far it is and what it does.
///
/// # Errors
///
/// When the folder belongs to another build, or a file cannot be written; what was written before
/// stays and is whole.
pub fn build(
    order: &Order,
    mut watch: impl FnMut(&Progress, Event<'_>),
) -> anyhow::Result<Progress> {
    let _hold = order.out.as_deref().map(Hold::take).transpose()?;
    let mut progress = Progress {
        of: (2..=order.pieces)
            .flat_map(|pieces| Slice::all(pieces, order.per_side))
            .map(Slice::positions)
            .sum(),
        ..Progress::default()
    };
    let mut store = Store::default();
    for pieces in 2..=order.pieces {
        let mut men = 0;
        for forces in pairs(pieces, order.per_side) {
            watch(&progress, Event::Solving(&slices(forces)));
            let (pair, solved) = solve_and_count(order.isa, &mut store, forces);
            progress.seconds_generate += solved.seconds;
            progress.positions += solved.positions();
            watch(&progress, Event::Solved(&solved));
            write_pair(order, &pair, &solved, &mut progress, &mut watch)?;
            if let (Some(out), Some(least)) = (&order.out, order.distances) {
                let started = Instant::now();
                progress.bytes += distances::store_pair(out, order.isa, &store, &pair, least)?;
                progress.seconds_distances += started.elapsed().as_secs_f64();
            }
            let now = forces[0].men + forces[1].men;
            if pieces == order.pieces && now > men {
                men = now;
                store.forget(pieces, now - 1);
            }
            store.insert(pair);
        }
    }
    Ok(progress)
}

fn solve_and_count(isa: Isa, store: &mut Store, forces: [Force; 2]) -> (Pair, Solved) {
    let (started, used) = (Instant::now(), system::processor_seconds());
    let pair = solve_pair(isa, store, forces);
    let slices = slices(forces).into_iter().zip(count(&pair)).collect();
    let used = used.zip(system::processor_seconds());
    let solved = Solved {
        slices,
        seconds: started.elapsed().as_secs_f64(),
        processor_seconds: used.map(|(before, after)| after - before),
    };
    (pair, solved)
}

/// Codes and writes the files of a pair, if any are wanted.
fn write_pair(
    order: &Order,
    pair: &Pair,
    solved: &Solved,
    progress: &mut Progress,
    watch: &mut impl FnMut(&Progress, Event<'_>),
) -> anyhow::Result<()> {
    let Some(out) = &order.out else { return Ok(()) };
    for &(slice, results) in &solved.slices {
        let started = Instant::now();
        let bytes = store_slice(order.isa, out, pair, slice, results)?;
        progress.bytes += bytes;
        progress.seconds_compress += started.elapsed().as_secs_f64();
        watch(progress, Event::Written(slice, bytes));
    }
    Ok(())
}

/// Codes and writes one slice, unless its file is there; its bytes.
fn store_slice(
    isa: Isa,
    out: &Path,
    pair: &Pair,
    slice: Slice,
    results: [u64; 3],
) -> anyhow::Result<u64> {
    let path = path(out, slice);
    if let Some(bytes) = finished(&path, slice) {
        return Ok(bytes);
    }
    let image = encode::image(isa, pair, slice, results);
    write(&path, &image).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(image.len() as u64)
}
