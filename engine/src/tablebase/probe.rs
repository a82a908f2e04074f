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
use super::plain::Plain;
use super::rest;
use super::slice::Slice;
use super::unit::{Coded, UNIT};
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
const LAST_UNIT: u64 = (1 << UNIT_BITS) - 1;
/// The number of a position is that of its unit, then its place there in so many bits.
const UNIT_SHIFT: u32 = UNIT.trailing_zeros();

/// The kinds of units of which the moves most often tell a value at once: nearly all lost, and
/// nearly all won. Of six pieces every seventh unit with bytes is such, and three quarters of
/// their values follow from units without bytes, which takes 2 microseconds instead of 20.
const MOVES_TELL: [usize; 3] = [0, 1, 8];

/// The value below which it does not matter how bad a position is, and that which is good enough.
type Window = [Wld; 2];
const ANY: Window = [Wld::Loss, Wld::Win];

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
    /// A unit is decoded if need be: some 20 microseconds.
    Decode,
}

/// All databases that were found.
#[derive(Debug)]
pub struct Tablebase {
    slices: Box<[Option<Values>; PLACES]>,
    cache: Cache,
    most_pieces: u32,
    distances: Store,
    /// The first damage that a look-up met.
    damage: OnceLock<Damage>,
    told: AtomicBool,
}

/// The values of a slice, and the same uncoded, if there is such a file.
#[derive(Debug)]
struct Values {
    image: Image,
    plain: Option<Plain>,
}

/// Where a slice is in the table of slices; `None` when it has too many pieces.
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
            slices: Box::new([const { None }; PLACES]),
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

    /// All `*.ctb` files (values), `*.ctp` files (the same values uncoded) and `*.ctd` files
    /// (distances) of a folder, over what is there already.
    ///
    /// # Errors
    ///
    /// The first [`FileError`]: nothing of a file with a fault is used.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), FileError> {
        for path in file::in_folder(folder, "ctb")? {
            self.add(Volume::open(&path)?)?;
        }
        for path in file::in_folder(folder, "ctp")? {
            self.add_plain(&path)?;
        }
        for path in file::in_folder(folder, "ctd")? {
            self.distances.add(Volume::open(&path)?)?;
        }
        Ok(())
    }

    /// Plain values, to be read instead of the coded ones from which they were made.
    fn add_plain(&mut self, path: &Path) -> Result<(), FileError> {
        let plain = Plain::open(path)?;
        let coded = place(plain.slice()).and_then(|place| self.slices[place].as_mut());
        let Some(coded) = coded.filter(|coded| plain.is_of(&coded.image)) else {
            return Err(FileError::Format {
                file: path.to_owned(),
                at: 28,
                fault: "plain values that were not made from the coded ones here",
            });
        };
        coded.plain = Some(plain);
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
                self.slices[place] = Some(Values { image, plain: None });
                self.most_pieces = self.most_pieces.max(slice.pieces());
            }
        }
        Ok(())
    }

    /// Drops the values of all positions of more than `pieces` pieces.
    pub fn limit_pieces(&mut self, pieces: u32) {
        let pieces_of = |image: &Image| image.header().slice.pieces();
        for values in self.slices.iter_mut() {
            values.take_if(|values| pieces_of(&values.image) > pieces);
        }
        self.most_pieces = self.images().map(pieces_of).max().unwrap_or(0);
    }

    /// Reads coded values also where there are plain ones.
    pub fn forget_plain(&mut self) {
        for values in self.slices.iter_mut().flatten() {
            values.plain = None;
        }
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
        let values = place(slice).and_then(|place| self.slices[place].as_ref());
        let image = self.distances.image(slice);
        let (Some(values), Some(image)) = (values, image) else {
            return Err(ProbeError::NoDistances(slice));
        };
        let plies = self.noted(self.distances.look_up(image, &values.image, position))?;
        Ok((plies, image.header().least))
    }

    /// All slices that are there.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        self.slices.iter().flatten().map(|values| &values.image)
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
        let found = self.value(position, ANY, Effort::Decode)?;
        found.ok_or_else(|| ProbeError::Missing(Slice::of(position)))
    }

    /// The value of a position, or a bound of it at or beyond an end of `window`; `None` if it is
    /// not there or `effort` does not reach.
    #[inline]
    fn value(
        &self,
        position: &Position,
        window: Window,
        effort: Effort,
    ) -> Result<Option<Wld>, ProbeError> {
        if position.has_jump() {
            return self.best_move(position, window, effort);
        }
        if !position.can_move() {
            return Ok(Some(Wld::Loss));
        }
        if position.theirs().is_empty() {
            return Ok(Some(Wld::Win));
        }
        let threatened = position.with_turn(position.turn().opponent()).has_jump();
        if threatened && rest::is_left_out(position) {
            return self.best_move(position, window, effort);
        }
        Ok(self.stored(position, effort)?)
    }

    /// The best that any legal move leads to: what is at hand first, then what is likeliest to be
    /// lost for the other side, and until that is good enough.
    fn best_move(
        &self,
        position: &Position,
        [least, enough]: Window,
        effort: Effort,
    ) -> Result<Option<Wld>, ProbeError> {
        let (mut best, mut missing) = (Wld::Loss, None);
        let mut left = Vec::new();
        for mv in position.legal_moves() {
            let next = position.play(mv);
            match self.value(&next, [-enough, -least.max(best)], Effort::AtHand)? {
                Some(value) => best = best.max(-value),
                None => left.push((self.reluctance(&next)?, next)),
            }
            if best >= enough {
                return Ok(Some(best));
            }
        }
        if effort == Effort::AtHand && !left.is_empty() {
            return Ok(None);
        }
        left.sort_unstable_by_key(|&(reluctance, _)| reluctance);
        for (_, next) in left {
            match self.value(&next, [-enough, -least.max(best)], effort)? {
                Some(value) => best = best.max(-value),
                None => missing = Some(Slice::of(&next)),
            }
            if best >= enough {
                return Ok(Some(best));
            }
        }
        match missing {
            Some(slice) => Err(ProbeError::Missing(slice)),
            None => Ok(Some(best)),
        }
    }

    /// How late to look at a position, when a lost one is sought that takes little decoding.
    fn reluctance(&self, position: &Position) -> Result<usize, Damage> {
        let follows = rest::is_left_out(position);
        let Some((values, key, at)) = self.find(position).filter(|_| !follows) else {
            return Ok(usize::MAX);
        };
        Ok(match values.image.stored(key & LAST_UNIT)? {
            Stored::Coded(coded) => coded.kind << UNIT_SHIFT | at,
            Stored::All(_) => 0,
        })
    }

    /// The value of a position in which neither side can capture and the side to move has a
    /// move: one look-up. `None` when it is not there, is damaged, or would cost too much.
    #[inline]
    pub fn probe_quiet(&self, position: &Position, effort: Effort) -> Option<Wld> {
        debug_assert!(!position.has_jump() && !position.is_threatened());
        self.stored(position, effort).ok().flatten()
    }

    /// The value of any position, if it follows without decoding; quick only where the values of its
    /// slice are plain, as jumps and threats are played out.
    #[inline]
    pub fn probe_plain(&self, position: &Position) -> Option<Wld> {
        let values = self.slices[place(Slice::of(position))?].as_ref()?;
        values.plain.as_ref()?;
        self.value(position, ANY, Effort::AtHand).ok().flatten()
    }

    /// The first damage that any look-up met, the first time that somebody asks for it.
    pub fn damage_to_tell(&self) -> Option<&Damage> {
        let damage = self.damage.get()?;
        let told = self.told.swap(true, Ordering::Relaxed);
        (!told).then_some(damage)
    }

    /// Where the value of a position is stored: its slice, the key of its unit, its place there.
    #[inline]
    fn find(&self, position: &Position) -> Option<(&Values, u64, usize)> {
        let place = place(Slice::of(position))?;
        let values = self.slices[place].as_ref()?;
        let index = values.image.index().index(&Placement::of(position));
        let (unit, at) = (index >> UNIT_SHIFT, index as usize % UNIT);
        Some((values, (place as u64) << UNIT_BITS | unit, at))
    }

    /// The stored value of a position; `None` if it is not there or `effort` does not reach.
    #[inline]
    fn stored(&self, position: &Position, effort: Effort) -> Result<Option<Wld>, Damage> {
        let Some((Values { image, plain }, key, at)) = self.find(position) else {
            return Ok(None);
        };
        if let Some(plain) = plain {
            return self.noted(plain.value(key & LAST_UNIT, at)).map(Some);
        }
        if let Some(value @ 0..=2) = self.cache.get(key, at) {
            return Ok(Some(Wld::ALL[usize::from(value)]));
        }
        let found = match image.stored(key & LAST_UNIT) {
            Ok(Stored::All(value)) => Ok(Some(value)),
            Ok(Stored::Coded(_)) if effort == Effort::AtHand => Ok(None),
            Ok(Stored::Coded(coded)) => self.decode(position, (image, key, at), coded),
            Err(damage) => Err(damage),
        };
        self.noted(found)
    }

    /// What was `found`; the first damage is kept, to be told.
    fn noted<T>(&self, found: Result<T, Damage>) -> Result<T, Damage> {
        if let Err(damage) = &found {
            self.damage.get_or_init(|| damage.clone());
        }
        found
    }

    /// A value that the cache has not.
    fn decode(
        &self,
        position: &Position,
        (image, key, at): (&Image, u64, usize),
        coded: Coded<'_>,
    ) -> Result<Option<Wld>, Damage> {
        let mut values = [UNKNOWN; UNIT];
        let is_first = !self.cache.has(key);
        if is_first && MOVES_TELL.contains(&coded.kind) {
            self.cache.put(key, &values, 1);
            if let Ok(Some(value)) = self.best_move(position, ANY, Effort::AtHand) {
                return Ok(Some(value));
            }
        }
        // The first time only up to the value that is asked for: half a unit on average. A unit that
        // is asked for again is worth decoding as a whole.
        let len = if is_first { at + 1 } else { UNIT };
        image.decode(key & LAST_UNIT, len, coded, &mut values)?;
        self.cache.put(key, &values, len);
        debug_assert_ne!(values[at], UNKNOWN, "a stored position");
        Ok(Some(Wld::ALL[usize::from(values[at].min(2))]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::Index;

    /// A value from the moves as they come, and from whole units.
    fn by_the_moves(tablebase: &Tablebase, position: &Position) -> Wld {
        if position.theirs().is_empty() || !position.can_move() {
            return if position.can_move() {
                Wld::Win
            } else {
                Wld::Loss
            };
        }
        if rest::is_left_out(position) {
            let moves = position.legal_moves().into_iter();
            let values = moves.map(|mv| -by_the_moves(tablebase, &position.play(mv)));
            return values.max().expect("a move");
        }
        let (Values { image, .. }, key, at) = tablebase.find(position).expect("an image");
        match image.stored(key & LAST_UNIT).expect("sound") {
            Stored::All(value) => value,
            Stored::Coded(coded) => {
                let mut values = [UNKNOWN; UNIT];
                let decoded = image.decode(key & LAST_UNIT, UNIT, coded, &mut values);
                decoded.expect("sound");
                Wld::ALL[usize::from(values[at])]
            }
        }
    }

    #[test]
    fn the_quick_way_is_the_rule() {
        // With room for one unit nearly everything is decoded for the first time.
        let (cold, warm) = (Tablebase::built_in(0), Tablebase::built_in(8));
        let mut left_out = 0;
        for slice in (4..=5).flat_map(|pieces| Slice::all(pieces, 4)) {
            let index = Index::new(slice);
            for number in (0..index.len()).step_by(1 + index.len() as usize / 199) {
                let position = index.placement(number).position().expect("legal");
                let expected = by_the_moves(&cold, &position);
                for tablebase in [&cold, &warm, &warm] {
                    assert_eq!(tablebase.probe(&position), Ok(expected), "{position:?}");
                }
                left_out += u32::from(rest::is_left_out(&position));
            }
        }
        assert!(left_out > 3_000, "{left_out}");
    }
}
