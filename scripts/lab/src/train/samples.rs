//! Positions as training sees them, and the mixing of their labels.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use engine::board::Color;
use engine::eval::features::Pieces;
use engine::rules::Position;
use engine::tablebase::Wld;
use rayon::prelude::*;

use super::model::both_views;
use crate::record::{Label, Record};
use crate::shard;

/// A position, in the view of its side to move, with the result to be expected.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pieces: Pieces,
    /// Expected points of the side to move, 0 to 1.
    pub target: f32,
}

impl Sample {
    /// `position` with its expected result.
    #[must_use]
    pub fn of(position: &Position, target: f32) -> Self {
        let seen = match position.turn() {
            Color::Black => *position,
            Color::White => position.rotated(),
        };
        Self {
            pieces: Pieces::of(&seen),
            target,
        }
    }

    /// The features of both views, the mover's first, and how many there are.
    #[must_use]
    #[inline]
    pub fn features(&self) -> ([[u8; 24]; 2], usize) {
        let mut features = [0; 24];
        let mut count = 0;
        for feature in self.pieces.without(Pieces::default()) {
            features[count] = feature as u8;
            count += 1;
        }
        (both_views(features), count)
    }
}

/// How labels are made of results and search scores.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Weight of the result, 0 to 1; the rest is the search's.
    pub lambda: f32,
    /// The score, in hundredths of a man, that is a winning chance of e:1.
    pub scale: f32,
}

fn points(value: Wld) -> f32 {
    match value {
        Wld::Loss => 0.0,
        Wld::Draw => 0.5,
        Wld::Win => 1.0,
    }
}

fn chance(record: &Record, scale: f32) -> f32 {
    1.0 / (1.0 + (-f32::from(record.score.0) / scale).exp())
}

impl Mix {
    /// The expected result of `record`. An exact label is not mixed.
    #[must_use]
    pub fn target(&self, record: &Record) -> f32 {
        let searched = chance(record, self.scale);
        match record.label {
            Label::Known(value) if record.exact => points(value),
            Label::Known(value) => self.lambda * points(value) + (1.0 - self.lambda) * searched,
            Label::Unknown => searched,
        }
    }
}

/// The shards of a folder, in the order of their names.
///
/// # Errors
///
/// When it cannot be read or holds none.
pub fn shards(folder: &Path) -> Result<Vec<PathBuf>> {
    let place = folder.display();
    let entries = std::fs::read_dir(folder).with_context(|| format!("{place}: cannot be read"))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "lab") {
            paths.push(path);
        }
    }
    ensure!(!paths.is_empty(), "{place}: no shards");
    paths.sort();
    Ok(paths)
}

/// The records of all shards.
///
/// # Errors
///
/// The first shard with a fault.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Record>> {
    let parts: Result<Vec<Vec<Record>>> = paths
        .par_iter()
        .map(|path: &PathBuf| Ok(shard::read(Path::new(path))?.1))
        .collect();
    Ok(parts?.concat())
}

/// The scale at which the chances of the scores fit the results best, by their squared error. It
/// is the network's that played the games: every data set has its own.
#[must_use]
pub fn fitting_scale(records: &[Record]) -> f32 {
    let error = |scale: f32| -> f64 {
        let one = |record: &Record| match record.label {
            Label::Known(value) if !record.exact => {
                f64::from(chance(record, scale) - points(value)).powi(2)
            }
            _ => 0.0,
        };
        records.iter().step_by(7).map(one).sum()
    };
    let scales = (2..=80).map(|step| step as f32 * 5.0);
    let best = scales.min_by(|&one, &other| error(one).total_cmp(&error(other)));
    best.unwrap_or(100.0)
}
