//! Checks finished files against the rules, by another way than they were made.
//!
//! Uses the engine's own move generator and one position at a time; it shares no rows and no
//! moves with the generator. Two things are checked. Every stored value is the best that its
//! legal moves lead to. And since a set of wins that only prove each other would pass that test,
//! every win and loss is proved again from nothing: a win needs a move to a loss that is proved,
//! a loss needs all its moves to lead to proved wins, and what remains unproved when nothing
//! more can be added is an error.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::board::{Bitboard, Color};
use engine::rules::{Position, Setup};
use engine::tablebase::file::{FileError, Image, Stored, Volume};
use engine::tablebase::model::UNKNOWN;
use engine::tablebase::unit::{UNIT, unit_len};
use engine::tablebase::{Damage, Placement, Slice, Wld};
use rayon::prelude::*;

use crate::build::path;

/// What the checker found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Positions visited.
    pub visited: u64,
    /// Stored values among them, compared with their successors.
    pub checked: u64,
    /// Wins and losses proved from nothing.
    pub proved: u64,
    /// What is wrong, at most [`MOST_ERRORS`] of it.
    pub errors: Vec<String>,
}

/// How many errors are told.
pub const MOST_ERRORS: usize = 20;

impl Report {
    fn tell(&mut self, error: impl FnOnce() -> String) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error());
        }
    }

    fn add(mut self, other: Self) -> Self {
        self.visited += other.visited;
        self.checked += other.checked;
        self.proved += other.proved;
        self.errors.extend(other.errors);
        self.errors.truncate(MOST_ERRORS);
        self
    }
}

/// One slice with all its stored values.
struct Slab {
    image: Image,
    values: Vec<u8>,
    /// One bit a position: proved.
    proved: Vec<AtomicU64>,
}

impl Slab {
    fn read(image: Image) -> Result<Self, Damage> {
        let index = image.index();
        let units = index.len().div_ceil(UNIT as u64);
        let mut values = vec![0; index.len() as usize];
        values
            .par_chunks_mut(UNIT)
            .enumerate()
            .try_for_each(|(unit, values)| decode(&image, unit as u64, values))?;
        debug_assert_eq!(units, values.len().div_ceil(UNIT) as u64);
        let words = values.len().div_ceil(64);
        Ok(Self {
            image,
            values,
            proved: (0..words).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    fn is_proved(&self, number: u64) -> bool {
        self.proved[number as usize / 64].load(Ordering::Relaxed) >> (number % 64) & 1 != 0
    }

    fn prove(&self, number: u64) {
        self.proved[number as usize / 64].fetch_or(1 << (number % 64), Ordering::Relaxed);
    }
}

fn decode(image: &Image, unit: u64, into: &mut [u8]) -> Result<(), Damage> {
    match image.stored(unit)? {
        Stored::All(value) => into.fill(value as u8),
        Stored::Coded(bytes) => {
            let mut values = [UNKNOWN; UNIT];
            let len = unit_len(image.index(), unit);
            image.decode(unit, len, bytes, &mut values)?;
            into.copy_from_slice(&values[..len]);
        }
    }
    Ok(())
}

/// All slices that were read.
#[derive(Default)]
struct Slabs(HashMap<Slice, Slab>);

/// A value, and whether it is proved.
type Known = (Wld, bool);

impl Slabs {
    /// The value of a position: as stored, or as its moves say where none is stored.
    fn value(&self, position: &Position) -> Known {
        if !position.can_move() {
            return (Wld::Loss, true);
        }
        if position.theirs().is_empty() {
            return (Wld::Win, true);
        }
        if engine::tablebase::rest::is_left_out(position) {
            return self.best(position);
        }
        let Some(slab) = self.0.get(&Slice::of(position)) else {
            return (Wld::Draw, true);
        };
        let number = slab.image.index().index(&Placement::of(position));
        let value = Wld::ALL[usize::from(slab.values[number as usize].min(2))];
        (value, value == Wld::Draw || slab.is_proved(number))
    }

    /// The best that the legal moves lead to; proved if it follows from what is proved.
    fn best(&self, position: &Position) -> Known {
        let mut best = (Wld::Loss, true);
        for mv in position.legal_moves() {
            let (value, proved) = self.value(&position.play(mv));
            let (value, proved) = (-value, proved);
            best = match (value, best.0) {
                (Wld::Loss, Wld::Loss) => (Wld::Loss, best.1 && proved),
                _ if value > best.0 => (value, proved),
                _ if value == best.0 => (value, best.1 || proved),
                _ => best,
            };
            if best == (Wld::Win, true) {
                break;
            }
        }
        best
    }
}

/// Every placement of a slice as a position with Black to move, made without the index.
fn each_position(slice: Slice, outer: Bitboard, visit: &mut impl FnMut(Position)) {
    let mut setup = Setup::empty(Color::Black);
    setup.kings[0] = Bitboard::EMPTY;
    let first = if slice.own.men > 0 {
        &mut setup.men[0]
    } else {
        &mut setup.kings[0]
    };
    *first = outer;
    let rest = [
        if slice.own.men > 0 {
            (0, slice.own.kings)
        } else {
            (0, 0)
        },
        (1, slice.their.men),
        (2, slice.their.kings),
    ];
    place(&setup, &rest, visit);
}

fn place(setup: &Setup, rest: &[(usize, u32)], visit: &mut impl FnMut(Position)) {
    let Some((&(group, count), rest)) = rest.split_first() else {
        if let Ok(position) = Position::try_from(*setup) {
            visit(position);
        }
        return;
    };
    each_set(count, &mut |set| {
        let mut setup = *setup;
        match group {
            0 => setup.kings[0] |= set,
            1 => setup.men[1] |= set,
            _ => setup.kings[1] |= set,
        }
        if setup.validate().is_ok() {
            place(&setup, rest, visit);
        }
    });
}

/// Every set of `count` squares.
fn each_set(count: u32, visit: &mut impl FnMut(Bitboard)) {
    if count == 0 {
        visit(Bitboard::EMPTY);
        return;
    }
    for top in 0..32_u32 {
        each_below(top, count - 1, Bitboard(1 << top), visit);
    }
}

fn each_below(limit: u32, count: u32, set: Bitboard, visit: &mut impl FnMut(Bitboard)) {
    if count == 0 {
        visit(set);
        return;
    }
    for top in 0..limit {
        each_below(top, count - 1, set | Bitboard(1 << top), visit);
    }
}

/// The sets of the side to move that share the work out among threads.
fn outer_sets(slice: Slice) -> Vec<Bitboard> {
    let count = if slice.own.men > 0 {
        slice.own.men
    } else {
        slice.own.kings
    };
    let mut sets = Vec::new();
    each_set(count, &mut |set| sets.push(set));
    sets
}

impl Slabs {
    /// Calls `visit` for a share of the positions of a slice, on all threads.
    fn scan(
        &self,
        slice: Slice,
        every: u64,
        visit: impl Fn(&mut Report, &Slab, Position, u64) + Sync,
    ) -> Report {
        let slab = &self.0[&slice];
        outer_sets(slice)
            .into_par_iter()
            .map(|outer| {
                let mut report = Report::default();
                let mut nth = u64::from(outer.0) % every;
                each_position(slice, outer, &mut |position| {
                    nth += 1;
                    if nth.is_multiple_of(every) {
                        let number = slab.image.index().index(&Placement::of(&position));
                        visit(&mut report, slab, position, number);
                    }
                });
                report
            })
            .reduce(Report::default, Report::add)
    }

    /// Compares every stored value with its successors.
    fn compare(&self, slice: Slice, every: u64) -> Report {
        let mut report = self.scan(slice, every, |report, slab, position, number| {
            report.visited += 1;
            if engine::tablebase::rest::is_left_out(&position) {
                return;
            }
            report.checked += 1;
            let stored = slab.values[number as usize];
            let (best, _) = self.best(&position);
            if stored != best as u8 {
                report.tell(|| {
                    let stored = Wld::ALL
                        .get(usize::from(stored))
                        .map_or("none", |it| it.name());
                    format!("{slice} {number}: stored {stored}, moves say {best}: {position:?}")
                });
            }
        });
        if every == 1 && report.visited != slice.positions() {
            let visited = report.visited;
            report.tell(|| format!("{slice}: {visited} positions, not {}", slice.positions()));
        }
        report
    }

    /// Proves wins and losses of a pair until nothing is added.
    fn prove(&self, slices: &[Slice]) -> Report {
        let mut report = Report::default();
        loop {
            let round = slices.iter().map(|&slice| self.prove_round(slice));
            let round = round.fold(Report::default(), Report::add);
            if round.proved == 0 {
                break;
            }
            report.proved += round.proved;
        }
        for &slice in slices {
            let left = self.scan(slice, 1, |report, slab, position, number| {
                let decided = matches!(slab.values[number as usize], 0 | 2);
                if decided
                    && !engine::tablebase::rest::is_left_out(&position)
                    && !slab.is_proved(number)
                {
                    report.tell(|| format!("{slice} {number}: cannot be proved: {position:?}"));
                }
            });
            report = report.add(left);
        }
        report
    }

    fn prove_round(&self, slice: Slice) -> Report {
        self.scan(slice, 1, |report, slab, position, number| {
            let value = slab.values[number as usize];
            if !matches!(value, 0 | 2) || slab.is_proved(number) {
                return;
            }
            if !engine::tablebase::rest::is_left_out(&position)
                && self.best(&position) == (Wld::ALL[usize::from(value)], true)
            {
                slab.prove(number);
                report.proved += 1;
            }
        })
    }
}

/// Checks the files of a folder: all positions up to `complete` pieces, one in `every` above.
///
/// # Errors
///
/// When a file is missing or is no database; damage is part of the report.
pub fn verify(
    folder: &Path,
    pieces: u32,
    per_side: u32,
    complete: u32,
    every: u64,
    mut watch: impl FnMut(Slice, &Report),
) -> Result<Report, FileError> {
    let mut slabs = Slabs::default();
    let mut report = Report::default();
    let order_pieces = pieces;
    for pieces in 2..=pieces {
        let top = pieces == order_pieces;
        for forces in crate::build::pairs(pieces, per_side) {
            let men = forces[0].men + forces[1].men;
            if top {
                slabs.0.retain(|slice, _| {
                    slice.pieces() < pieces || slice.own.men + slice.their.men + 1 >= men
                });
            }
            let slices = crate::build::slices(forces);
            for &slice in &slices {
                match read(folder, slice)? {
                    Ok(slab) => {
                        slabs.0.insert(slice, slab);
                    }
                    Err(damage) => report.tell(|| damage.to_string()),
                }
            }
            if !slices.iter().all(|slice| slabs.0.contains_key(slice)) {
                continue;
            }
            let every = if pieces <= complete { 1 } else { every };
            for &slice in &slices {
                report = report.add(slabs.compare(slice, every));
            }
            if every == 1 {
                report = report.add(slabs.prove(&slices));
            }
            watch(slices[0], &report);
        }
    }
    Ok(report)
}

fn read(folder: &Path, slice: Slice) -> Result<Result<Slab, Damage>, FileError> {
    let path = path(folder, slice);
    let mut images = Image::all(&Arc::new(Volume::open(&path)?))?;
    let found = images
        .iter()
        .position(|image| image.header().slice == slice);
    match found {
        Some(place) => Ok(Slab::read(images.swap_remove(place))),
        None => Err(FileError::Format {
            file: path,
            at: 0,
            fault: "another slice than its name says",
        }),
    }
}
