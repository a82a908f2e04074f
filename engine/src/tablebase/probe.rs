//! The value of a position, from whatever database files are there.
//!
//! A value that is not stored follows from the legal moves: captures lead to fewer pieces, and a
//! threatened position that was left out has only quiet moves that lead to a capture or to a
//! stored value (module `rest`). So the number of look-ups is bounded for every position.
//! Start reading at [`Tablebase::probe`].

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::cache::Cache;
use super::distance::{self, Store};
use super::file::{self, Damage, FileError, Image, Stored, Volume};
use super::index::Placement;
use super::model::UNKNOWN;
use super::rest;
use super::slice::Slice;
use super::unit::UNIT;
use super::wld::Wld;
use crate::rules::Position;

/// Up to five pieces, as `tablebase-gen pack` joins them.
static FIVE: &[u8] = include_bytes!("../../tablebases/five.ctb");

/// Distances of up to four pieces, as `tablebase-gen pack --distances` joins them.
static FOUR: &[u8] = include_bytes!("../../tablebases/four.ctd");

/// The most pieces of one side in any database.
const MOST: usize = 4;
const PLACES: usize = (MOST + 1).pow(4);

/// A key of the cache: the place of the slice, then the number of the unit in so many bits.
const UNIT_BITS: u32 = 32;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// No file has this material.
    #[error("no database of {0} is loaded")]
    Missing(Slice),
    /// The value may be known, but no file has the distances of this material.
    #[error("no distances of {0} are loaded")]
    NoDistances(Slice),
    /// The file that has it is damaged.
    #[error(transparent)]
    Damaged(#[from] Damage),
}

/// How much a look-up may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Only what is decoded already, or needs no decoding: some 100 ns.
    AtHand,
    /// A unit is decoded if need be: some 30 microseconds.
    Decode,
}

/// All databases that were found.
#[derive(Debug)]
pub struct Tablebase {
    images: Box<[Option<Image>; PLACES]>,
    cache: Cache,
    most_pieces: u32,
    distances: Store,
    /// The first damage that a look-up met.
    damage: OnceLock<Damage>,
    told: AtomicBool,
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
            distances: Store::default(),
            damage: OnceLock::new(),
            told: AtomicBool::new(false),
        }
    }

    /// With what is built in: every position of up to five pieces, at most four a side.
    #[must_use]
    pub fn built_in(cache: usize) -> Self {
        let mut tablebase = Self::empty(cache);
        // The suite opens these images, so there is no fault to tell.
        let volume = Volume::built_in("built in", FIVE);
        drop(tablebase.add(volume));
        let distances = Volume::built_in("built in", FOUR);
        drop(tablebase.distances.add(distances));
        tablebase
    }

    /// All `*.ctb` files (values) and `*.ctd` files (distances) of a folder, over what is there
    /// already.
    ///
    /// # Errors
    ///
    /// The first [`FileError`]: nothing of a file with a fault is used.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), FileError> {
        for path in file::in_folder(folder, "ctb")? {
            self.add(Volume::open(&path)?)?;
        }
        for path in file::in_folder(folder, "ctd")? {
            self.distances.add(Volume::open(&path)?)?;
        }
        Ok(())
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

    /// Drops the values of all positions of more than `pieces` pieces.
    pub fn limit_pieces(&mut self, pieces: u32) {
        let pieces_of = |image: &Image| image.header().slice.pieces();
        for image in self.images.iter_mut() {
            image.take_if(|image| pieces_of(image) > pieces);
        }
        self.most_pieces = self.images().map(pieces_of).max().unwrap_or(0);
    }

    /// The slices whose distances are there.
    #[must_use]
    pub fn distances(&self) -> &[distance::Image] {
        self.distances.images()
    }

    /// The stored distance of a lost position without a capture and with kings on both sides, and
    /// the distance that all shorter ones are told as.
    pub(super) fn stored_distance(&self, position: &Position) -> Result<(u8, u8), ProbeError> {
        let slice = Slice::of(position);
        let values = place(slice).and_then(|place| self.images[place].as_ref());
        let image = self.distances.image(slice);
        let (Some(values), Some(image)) = (values, image) else {
            return Err(ProbeError::NoDistances(slice));
        };
        let plies = self.noted(self.distances.look_up(image, values, position))?;
        Ok((plies, image.header().least))
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

    /// The value of a position in which neither side can capture and the side to move has a
    /// move: one look-up. `None` when it is not there, is damaged, or would cost too much.
    #[inline]
    pub fn probe_quiet(&self, position: &Position, effort: Effort) -> Option<Wld> {
        debug_assert!(!position.has_jump() && !position.is_threatened());
        self.stored(position, effort).ok().flatten()
    }

    /// The first damage that any look-up met, the first time that somebody asks for it.
    pub fn damage_to_tell(&self) -> Option<&Damage> {
        let damage = self.damage.get()?;
        let told = self.told.swap(true, Ordering::Relaxed);
        (!told).then_some(damage)
    }

    fn look_up(&self, position: &Position) -> Result<Wld, ProbeError> {
        let found = self.stored(position, Effort::Decode)?;
        found.ok_or_else(|| ProbeError::Missing(Slice::of(position)))
    }

    /// The stored value of a position; `None` if it is not there or `effort` does not reach.
    #[inline]
    fn stored(&self, position: &Position, effort: Effort) -> Result<Option<Wld>, Damage> {
        let Some(place) = place(Slice::of(position)) else {
            return Ok(None);
        };
        let Some(image) = &self.images[place] else {
            return Ok(None);
        };
        let index = image.index().index(&Placement::of(position));
        let (unit, at) = (index >> 12, index as usize & 4095);
        let key = (place as u64) << UNIT_BITS | unit;
        if let Some(value @ 0..=2) = self.cache.get(key, at) {
            return Ok(Some(Wld::ALL[usize::from(value)]));
        }
        self.read(image, key, at, effort)
    }

    /// A value that the cache has not; `None` if `effort` does not reach.
    fn read(
        &self,
        image: &Image,
        key: u64,
        at: usize,
        effort: Effort,
    ) -> Result<Option<Wld>, Damage> {
        self.noted(self.read_sound(image, key, at, effort))
    }

    /// What was `found`; the first damage is kept, to be told.
    fn noted<T>(&self, found: Result<T, Damage>) -> Result<T, Damage> {
        if let Err(damage) = &found {
            self.damage.get_or_init(|| damage.clone());
        }
        found
    }

    fn read_sound(
        &self,
        image: &Image,
        key: u64,
        at: usize,
        effort: Effort,
    ) -> Result<Option<Wld>, Damage> {
        let unit = key & ((1 << UNIT_BITS) - 1);
        let coded = match image.stored(unit)? {
            Stored::All(value) => return Ok(Some(value)),
            Stored::Coded(_) if effort == Effort::AtHand => return Ok(None),
            Stored::Coded(bytes) => bytes,
        };
        let mut values = [UNKNOWN; UNIT];
        // The first time only up to the value that is asked for: half a unit on average. A unit that
        // is asked for again is worth decoding as a whole.
        let len = if self.cache.has(key) { UNIT } else { at + 1 };
        image.decode(unit, len, coded, &mut values)?;
        self.cache.put(key, &values, len);
        debug_assert_ne!(values[at], UNKNOWN, "a stored position");
        Ok(Some(Wld::ALL[usize::from(values[at].min(2))]))
    }
}
