//! Checks finished files against the rules, by another way than they were made.
//!
//! All positions are solved again (module `check`: own squares, own moves, own numbers, one byte a
//! position), as the least fixed point: a win needs a move to a loss that is proved, a loss needs
//! all its moves to lead to proved wins. So a set of wins that only prove each other is found.
//! Every stored value, and the numbers of lost, drawn and won positions, are compared with that.
//! Above the size that is solved again, samples are compared with what their moves lead to.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::rules::Position;
use engine::tablebase::distance::{self, coding};
use engine::tablebase::file::{FileError, Image, Stored, Volume};
use engine::tablebase::model::UNKNOWN;
use engine::tablebase::unit::{UNIT, unit_len};
use engine::tablebase::{Damage, Force, Index, ProbeError, Slice, Tablebase, Walk, Wld, rest};
use rayon::prelude::*;

use crate::build::{path, slices};
use crate::check::{self, Findings, Plies, sha256};
use crate::{distances, system};

/// What to check.
#[derive(Clone, Debug)]
pub struct Order {
    /// The folder of the files.
    pub folder: PathBuf,
    /// The most pieces.
    pub pieces: u32,
    /// The most pieces of a side, up to 4.
    pub per_side: u32,
    /// Up to so many pieces everything is checked.
    pub complete: u32,
    /// Above, one position in so many.
    pub every: u64,
    /// Where to keep what is done, to go on from there after a stop.
    pub work: Option<PathBuf>,
}

/// What the checker found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Positions solved again, or sampled.
    pub visited: u64,
    /// Stored values that were compared.
    pub checked: u64,
    /// Wins and losses proved from nothing.
    pub proved: u64,
    /// Distances that were found again.
    pub distances: u64,
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
        self.distances += other.distances;
        self.errors.extend(other.errors);
        self.errors.truncate(MOST_ERRORS);
        self
    }
}

/// Why the check cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A file that is missing or is no database.
    #[error(transparent)]
    File(#[from] FileError),
    /// Too much for this machine.
    #[error(
        "solving {pieces} pieces again needs {:.1} GB of memory and {:.1} GB are free; `--complete {}` samples the largest slices",
        *need as f64 / 1e9, *free as f64 / 1e9, pieces - 1
    )]
    Memory {
        /// The most pieces that are solved again.
        pieces: u32,
        /// Bytes that are needed.
        need: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// What is kept of earlier work cannot be written.
    #[error("{0}: {1}")]
    Work(PathBuf, std::io::Error),
}

/// What was checked in earlier runs: a line a slice with the SHA-256 of its file, and its values in
/// a file beside it, with the SHA-256 of that.
struct Journal {
    folder: PathBuf,
    done: HashMap<(String, String), ([u64; 3], String)>,
}

impl Journal {
    fn open(folder: &Path) -> Result<Self, VerifyError> {
        let failed = |error| VerifyError::Work(folder.to_owned(), error);
        fs::create_dir_all(folder).map_err(failed)?;
        let text = fs::read_to_string(folder.join("checked.txt")).unwrap_or_default();
        let line = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let [slice, sha256, visited, checked, proved, values] = words[..] else {
                return None;
            };
            let counts = [visited, checked, proved].map(str::parse);
            let [Ok(visited), Ok(checked), Ok(proved)] = counts else {
                return None;
            };
            let counts = [visited, checked, proved];
            Some(((slice.into(), sha256.into()), (counts, values.into())))
        };
        Ok(Self {
            folder: folder.to_owned(),
            done: text.lines().filter_map(line).collect(),
        })
    }

    fn values(&self, slice: Slice) -> PathBuf {
        self.folder.join(format!("{slice}.values"))
    }

    /// Takes a slice over, if it was checked with the file that is there now.
    fn take(&self, image: &Image, findings: &mut Findings) -> Option<Report> {
        let slice = image.header().slice;
        let key = (slice.to_string(), sha256(image.bytes()));
        let &([visited, checked, proved], ref values) = self.done.get(&key)?;
        let is_known = findings.load(slice, &self.values(slice), values);
        is_known.then(|| Report {
            visited,
            checked,
            proved,
            ..Report::default()
        })
    }

    /// Keeps a slice in which nothing is wrong.
    fn keep(&self, image: &Image, report: &Report, findings: &Findings) -> std::io::Result<()> {
        let slice = image.header().slice;
        let values = findings.save(slice, &self.values(slice))?;
        let path = self.folder.join("checked.txt");
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let Report {
            visited,
            checked,
            proved,
            ..
        } = report;
        writeln!(
            file,
            "{slice} {} {visited} {checked} {proved} {values}",
            sha256(image.bytes())
        )?;
        file.sync_all()
    }
}

/// Checks the files of a folder, telling `watch` after each slice.
///
/// # Errors
///
/// When a file is missing or is no database, or earlier work cannot be kept; damage is part of
/// the report.
pub fn verify(order: &Order, mut watch: impl FnMut(Slice, &Report)) -> Result<Report, VerifyError> {
    let journal = order.work.as_deref().map(Journal::open).transpose()?;
    let mut findings = Findings::default();
    let mut report = Report::default();
    let complete = order.complete.min(order.pieces);
    let need = check::memory(complete, order.per_side);
    if let Some(free) = system::free_memory()
        && need > free
    {
        return Err(VerifyError::Memory {
            pieces: complete,
            need,
            free,
        });
    }
    for pieces in 2..=complete {
        for forces in crate::build::pairs(pieces, order.per_side) {
            if pieces == complete {
                let men = forces[0].men + forces[1].men;
                findings.forget(pieces, men.saturating_sub(1));
            }
            for (slice, part) in check_pair(order, forces, &mut findings, journal.as_ref())? {
                report = report.add(part);
                watch(slice, &report);
            }
        }
    }
    if complete < order.pieces {
        drop(findings);
        let mut tablebase = Tablebase::empty(256);
        tablebase.add_folder(&order.folder)?;
        // What is checked are the coded values; the plain ones are made from them.
        tablebase.forget_plain();
        for pieces in complete + 1..=order.pieces {
            for slice in Slice::all(pieces, order.per_side) {
                report = report.add(sample(&tablebase, slice, order.every));
                watch(slice, &report);
            }
        }
    }
    Ok(report)
}

/// Solves a pair again, unless that was done before, and compares its files.
fn check_pair(
    order: &Order,
    forces: [Force; 2],
    findings: &mut Findings,
    journal: Option<&Journal>,
) -> Result<Vec<(Slice, Report)>, VerifyError> {
    let mut images = Vec::new();
    for slice in slices(forces) {
        images.push(open(&order.folder, slice)?);
    }
    let before: Option<Vec<Report>> = journal.and_then(|journal| {
        let reports = images.iter().map(|image| journal.take(image, findings));
        reports.collect()
    });
    let reports = match before {
        Some(reports) => reports,
        None => {
            findings.solve(forces);
            let reports = images.iter().map(|image| compare(image, findings));
            let reports: Vec<Report> = reports.collect();
            for (image, report) in images.iter().zip(&reports) {
                if let Some(journal) = journal
                    && report.errors.is_empty()
                {
                    let kept = journal.keep(image, report, findings);
                    kept.map_err(|error| VerifyError::Work(journal.folder.clone(), error))?;
                }
            }
            reports
        }
    };
    let distances = check_distances(order, &images, findings)?;
    let reports = reports.into_iter().zip(distances);
    let reports = reports.map(|(values, distances)| values.add(distances));
    Ok(slices(forces).into_iter().zip(reports).collect())
}

/// Finds the distances of a pair again, where there are files of them.
fn check_distances(
    order: &Order,
    images: &[Image],
    findings: &Findings,
) -> Result<Vec<Report>, VerifyError> {
    let mut stored = Vec::new();
    for values in images {
        let path = distances::path(&order.folder, values.header().slice);
        if !path.exists() {
            return Ok(vec![Report::default(); images.len()]);
        }
        let volume = Arc::new(Volume::open(&path)?);
        let images = distance::Image::all(&volume)?;
        stored.extend(images.into_iter().next());
    }
    if stored.len() < images.len() || stored.iter().any(|it| it.header().least > 1) {
        // Lumped distances do not follow from each other.
        return Ok(vec![Report::default(); images.len()]);
    }
    let read = images.iter().zip(&stored);
    let read: Vec<Result<Plies, Damage>> = read.map(|(values, it)| plies(values, it)).collect();
    let mut reports = Vec::new();
    for (nth, it) in stored.iter().enumerate() {
        reports.push(match (&read[nth], &read[read.len() - 1 - nth]) {
            (Ok(own), Ok(other)) => compare_distances(it, findings, [own, other]),
            (Err(damage), _) | (_, Err(damage)) => Report {
                errors: vec![damage.to_string()],
                ..Report::default()
            },
        });
    }
    Ok(reports)
}

fn compare_distances(stored: &distance::Image, findings: &Findings, lost: [&Plies; 2]) -> Report {
    let header = stored.header();
    let verdict = findings.check_distances(header.slice, lost);
    let mut report = Report {
        distances: verdict.checked,
        errors: verdict.errors,
        ..Report::default()
    };
    let (told, found) = (header.longest, verdict.longest);
    if told != found {
        let slice = header.slice;
        report.tell(|| format!("{slice}: longest distance {told} by its header, not {found}"));
    }
    report
}

/// Reads all distances of a slice.
fn plies(values: &Image, stored: &distance::Image) -> Result<Plies, Damage> {
    let index = values.index();
    let found = Plies::new(index.slice());
    let units = index.len().div_ceil(coding::UNIT as u64);
    (0..units).into_par_iter().try_for_each(|unit| {
        let known = distance::stored_values(values, unit)?;
        let kind = |at: usize, walk: &Walk| distance::kind(known[at], walk);
        let plies = stored.decode(index, unit, known.len(), kind)?;
        let mut walk = Walk::new(index, unit * coding::UNIT as u64);
        for &plies in &plies {
            if plies != coding::NONE {
                found.store(walk.placement(), plies);
            }
            walk.advance();
        }
        Ok(())
    })?;
    Ok(found)
}

/// The image of a slice.
fn open(folder: &Path, slice: Slice) -> Result<Image, FileError> {
    let path = path(folder, slice);
    let mut images = Image::all(&Arc::new(Volume::open(&path)?))?;
    let found = images
        .iter()
        .position(|image| image.header().slice == slice);
    found
        .map(|place| images.swap_remove(place))
        .ok_or(FileError::Format {
            file: path,
            at: 0,
            fault: "another slice than its name says",
        })
}

/// Compares everything that is stored of a slice with what was found.
fn compare(image: &Image, findings: &Findings) -> Report {
    let slice = image.header().slice;
    let units = image.index().len().div_ceil(UNIT as u64) as usize;
    let mut report = (0..units)
        .into_par_iter()
        .with_min_len(16)
        .map(|unit| match decode(image, unit as u64) {
            Ok(values) => compare_unit(image.index(), unit as u64, &values, findings),
            Err(damage) => Report {
                errors: vec![damage.to_string()],
                ..Report::default()
            },
        })
        .reduce(Report::default, Report::add);
    let counts = findings.count(slice);
    report.visited = counts.iter().sum();
    report.proved = counts[0] + counts[2];
    if counts != image.header().counts || report.visited != slice.positions() {
        let stored = image.header().counts;
        report
            .tell(|| format!("{slice}: lost, drawn, won {stored:?} by its header, not {counts:?}"));
    }
    report
}

/// The stored values of a unit, the common one everywhere if there is one.
fn decode(image: &Image, unit: u64) -> Result<Vec<u8>, Damage> {
    let len = unit_len(image.index(), unit);
    match image.stored(unit)? {
        Stored::All(value) => Ok(vec![value as u8; len]),
        Stored::Coded(bytes) => {
            let mut values = [UNKNOWN; UNIT];
            image.decode(unit, len, bytes, &mut values)?;
            Ok(values[..len].to_vec())
        }
    }
}

fn compare_unit(index: &Index, unit: u64, values: &[u8], findings: &Findings) -> Report {
    let mut report = Report::default();
    let mut walk = Walk::new(index, unit * UNIT as u64);
    let slice = index.slice();
    for (at, &stored) in values.iter().enumerate() {
        let position = walk.position();
        if !rest::is_left_out(&position) {
            report.checked += 1;
            let found = findings.value(slice, walk.placement());
            if found != stored {
                let number = unit * UNIT as u64 + at as u64;
                let name = |value: u8| {
                    Wld::ALL
                        .get(usize::from(value))
                        .map_or("none", |it| it.name())
                };
                report.tell(|| {
                    let (stored, found) = (name(stored), name(found));
                    format!("{slice} {number}: stored {stored}, proved {found}: {position:?}")
                });
            }
        }
        walk.advance();
    }
    report
}

/// Compares one stored value in `every` with what the position's moves lead to.
fn sample(tablebase: &Tablebase, slice: Slice, every: u64) -> Report {
    let index = Index::new(slice);
    (0..index.len().div_ceil(every))
        .into_par_iter()
        .map(|nth| {
            // A step back by a share of its own in each stretch, lest the sample beat with the rows.
            let within = nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) % every;
            let number = (nth * every + within).min(index.len() - 1);
            let mut report = Report {
                visited: 1,
                ..Report::default()
            };
            if let Some(position) = index.placement(number).position()
                && !rest::is_left_out(&position)
            {
                report.checked = 1;
                match (tablebase.probe(&position), best(tablebase, &position)) {
                    (Ok(stored), Ok(best)) if stored == best => {}
                    (Ok(stored), Ok(best)) => report.tell(|| {
                        format!("{slice} {number}: stored {stored}, moves say {best}: {position:?}")
                    }),
                    (Err(error), _) | (_, Err(error)) => report.tell(|| error.to_string()),
                }
            }
            report
        })
        .reduce(Report::default, Report::add)
}

/// The best that the moves of a position lead to.
fn best(tablebase: &Tablebase, position: &Position) -> Result<Wld, ProbeError> {
    let mut best = Wld::Loss;
    for mv in position.legal_moves() {
        best = best.max(-tablebase.probe(&position.play(mv))?);
    }
    Ok(best)
}
