//! The value of a position, from whatever database files are there.
//!
//! A value that is not stored follows from the legal moves: captures lead to fewer pieces, and a
//! threatened position that was left out has only quiet moves that lead to a capture or to a
//! stored value (module `rest`). So the number of look-ups is bounded for every position.
//! Start reading at [`Tablebase::probe`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cache::Cache;
use super::file::{Damage, FileError, Image, Stored, Volume};
use super::index::Placement;
use super::model::UNKNOWN;
use super::rest;
use super::slice::Slice;
use super::unit::UNIT;
use super::wld::Wld;
use crate::rules::Position;

/// Up to five pieces, as `tablebase-gen pack` joins them.
static FIVE: &[u8] = include_bytes!("../../tablebases/five.ctb");

/// The most pieces of one side in any database.
const MOST: usize = 4;
const PLACES: usize = (MOST + 1).pow(4);

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// No file has this material.
    #[error("no database of {0} is loaded")]
    Missing(Slice),
    /// The file that has it is damaged.
    #[error(transparent)]
    Damaged(#[from] Damage),
}

/// All databases that were found.
#[derive(Debug)]
pub struct Tablebase {
    images: Box<[Option<Image>; PLACES]>,
    cache: Cache,
    most_pieces: u32,
}

/// Where a slice is in the table of images; `None` when it has too many pieces.
fn place(slice: Slice) -> Option<usize> {
    let counts = [
        slice.own.men,
        slice.own.kings,
        slice.their.men,
        slice.their.kings,
    ];
    counts.iter().try_fold(0, |place, &count| {
        let count = count as usize;
        (count <= MOST).then_some(place * (MOST + 1) + count)
    })
}

impl Tablebase {
    /// Without files; decoded values are kept in about `cache` megabytes.
    #[must_use]
    pub fn empty(cache: usize) -> Self {
        Self {
            images: Box::new([const { None }; PLACES]),
            cache: Cache::new(cache),
            most_pieces: 0,
        }
    }

    /// With what is built in: every position of up to five pieces, at most four a side.
    #[must_use]
    pub fn built_in(cache: usize) -> Self {
        let mut tablebase = Self::empty(cache);
        // The suite opens these images, so there is no fault to tell.
        let volume = Volume::built_in("built in", FIVE);
        drop(tablebase.add(volume));
        tablebase
    }

    /// All `*.ctb` files of a folder, over what is there already.
    ///
    /// # Errors
    ///
    /// The first [`FileError`]: nothing of a file with a fault is used.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), FileError> {
        let failed = |error| FileError::Io(folder.to_owned(), error);
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .and_then(|entries| {
                entries
                    .map(|entry| entry.map(|entry| entry.path()))
                    .collect()
            })
            .map_err(failed)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "ctb"));
        paths.sort();
        paths
            .iter()
            .try_for_each(|path| self.add(Volume::open(path)?))
    }

    /// The images of a volume, each taking the place of an earlier one of the same slice.
    ///
    /// # Errors
    ///
    /// [`FileError::Format`] when the volume has a fault; then nothing is added.
    pub fn add(&mut self, volume: Volume) -> Result<(), FileError> {
        for image in Image::all(&Arc::new(volume))? {
            let slice = image.header().slice;
            if let Some(place) = place(slice) {
                self.images[place] = Some(image);
                self.most_pieces = self.most_pieces.max(slice.pieces());
            }
        }
        Ok(())
    }

    /// All slices that are there.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        self.images.iter().flatten()
    }

    /// The most pieces for which some slice is there; 0 when nothing is.
    #[must_use]
    pub const fn most_pieces(&self) -> u32 {
        self.most_pieces
    }

    /// The value of `position` for the side to move.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] when a slice that is needed is missing or damaged.
    #[inline]
    pub fn probe(&self, position: &Position) -> Result<Wld, ProbeError> {
        if position.has_jump() {
            return self.best_move(position);
        }
        if !position.can_move() {
            return Ok(Wld::Loss);
        }
        if position.theirs().is_empty() {
            return Ok(Wld::Win);
        }
        let threatened = position.with_turn(position.turn().opponent()).has_jump();
        if threatened && rest::is_left_out(position) {
            return self.best_move(position);
        }
        self.look_up(position)
    }

    /// The best that any legal move leads to.
    fn best_move(&self, position: &Position) -> Result<Wld, ProbeError> {
        let mut best = Wld::Loss;
        for mv in position.legal_moves() {
            best = best.max(-self.probe(&position.play(mv))?);
            if best == Wld::Win {
                break;
            }
        }
        Ok(best)
    }

    fn look_up(&self, position: &Position) -> Result<Wld, ProbeError> {
        let slice = Slice::of(position);
        let missing = || ProbeError::Missing(slice);
        let place = place(slice).ok_or_else(missing)?;
        let image = self.images[place].as_ref().ok_or_else(missing)?;
        let index = image.index().index(&Placement::of(position));
        let (unit, at) = (index >> 12, index as usize & 4095);
        let key = (place as u64) << 40 | unit;
        if let Some(value) = self.cache.get(key, at) {
            return Ok(Wld::ALL[usize::from(value.min(2))]);
        }
        let coded = match image.stored(unit)? {
            Stored::All(value) => return Ok(value),
            Stored::Coded(bytes) => bytes,
        };
        let mut values = [UNKNOWN; UNIT];
        image.decode(unit, UNIT, coded, &mut values)?;
        self.cache.put(key, &values);
        debug_assert_ne!(values[at], UNKNOWN, "a stored position");
        Ok(Wld::ALL[usize::from(values[at].min(2))])
    }
}
