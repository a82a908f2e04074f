//! The stored form of slices, and how it is read.
//!
//! A file (`*.ctb`) holds one or more images, one after the other, each of one slice. All
//! numbers are little-endian.
//!
//! ```text
//! image      header, model, directory, payload, zeros up to a multiple of 8 bytes
//! header     0 "CROWNTB\0"    8 version u32    12 own men, own kings, their men, their kings u8
//!            16 positions u64    24 lost u64    32 drawn u64    40 won u64
//!            48 payload bytes u64    56 model bytes u32    60 units u32
//!            64 CRC-32 of the model u32    68 CRC-32 of bytes 0-67 u32
//! model      see the module `model`
//! directory  for every 64 units: the place of their part of the payload u32, CRC-32 of that part
//!            u32, how many bytes its codes have u8
//! payload    for every 64 units: their codes, 0 beyond the last unit, with the probabilities of
//!            the model (module `coder`), then the units
//! code       0, 1, 2: the unit has no bytes, all stored values are lost, drawn, won
//!            3-247: code - 2 bytes    248-255: 245 + 96 * (code - 247) bytes
//! unit       see the module `unit`; longer ones are padded with zeros
//! ```
//!
//! Positions that the rules decide at once are not stored (module `rest`). Nothing is answered
//! from 64 units whose CRC-32 is wrong. Start reading at [`Image`].

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::coder::{Decoder, Encoder};
use super::index::Index;
use super::model::Model;
use super::slice::{Force, Slice};
use super::unit::{self, UNIT, Values};
use super::wld::Wld;

/// The first bytes of every image.
const MAGIC: [u8; 8] = *b"CROWNTB\0";
/// The version that is written and read.
pub const VERSION: u32 = 2;
const HEADER: usize = 72;
/// Units that share a checksum.
const GROUP: usize = 64;
const RECORD: usize = 9;

/// Why a database file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system's reason.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// The bytes are no image of a slice.
    #[error("{file}: {fault} at byte {at}")]
    Format {
        /// The file, or a name for what is built in.
        file: PathBuf,
        /// Where the image begins.
        at: usize,
        /// What is wrong.
        fault: &'static str,
    },
}

/// A part of a database that is damaged: nothing is answered from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: slice {slice} is damaged in its {part}")]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// The material, the side to move first.
    pub slice: Slice,
    /// Which part.
    pub part: DamagedPart,
}

/// The part that is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamagedPart {
    /// The probabilities: the whole slice is lost.
    Model,
    /// 64 units, of which the first is named.
    Units(u64),
    /// 16 units of distances, of which the first is named.
    Distances(u64),
}

impl std::fmt::Display for DamagedPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Model => f.write_str("probabilities"),
            Self::Units(first) => write!(f, "units from {first}"),
            Self::Distances(first) => write!(f, "distances from unit {first}"),
        }
    }
}

/// The files of a folder whose names end in `extension`, by name.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn in_folder(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, FileError> {
    let entries = std::fs::read_dir(folder).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<io::Result<Vec<PathBuf>>>()
    });
    let mut paths = entries.map_err(|error| FileError::Io(folder.to_owned(), error))?;
    paths.retain(|path| path.extension().is_some_and(|it| it == extension));
    paths.sort();
    Ok(paths)
}

/// Where images lie.
#[derive(Debug)]
enum Bytes {
    Fixed(&'static [u8]),
    Mapped(memmap2::Mmap),
}

/// An opened file of images, or what is built in.
#[derive(Debug)]
pub struct Volume {
    name: PathBuf,
    bytes: Bytes,
}

impl Volume {
    /// Maps a file into memory.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or mapped.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let failed = |error| FileError::Io(path.to_owned(), error);
        let file = File::open(path).map_err(failed)?;
        #[allow(unsafe_code, reason = "memory mapping")]
        // SAFETY: database files are replaced by renaming and never written in place, and every
        // access goes through checksums. A file that somebody shortens meanwhile ends the process
        // with a bus error, as with any mapped file. The gain: threads share the pages, and
        // opening costs nothing.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(failed)?;
        Ok(Self {
            name: path.to_owned(),
            bytes: Bytes::Mapped(map),
        })
    }

    /// Images that are part of the program.
    #[must_use]
    pub fn built_in(name: &str, bytes: &'static [u8]) -> Self {
        Self {
            name: name.into(),
            bytes: Bytes::Fixed(bytes),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Fixed(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }

    /// The file's path.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }
}

/// What the header of an image says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The material, the side to move first.
    pub slice: Slice,
    /// How many positions are lost, drawn and won.
    pub counts: [u64; 3],
    /// How many bytes the image has.
    pub bytes: usize,
    model: usize,
    units: usize,
    payload: usize,
    model_crc: u32,
}

/// The little-endian number in the `N` bytes from `at` on.
pub(super) fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + N]
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The slice that a header names in bytes 12 to 15, with its number of positions in 16 to 23: alike
/// in files of values and of distances.
pub(super) fn material(head: &[u8]) -> Result<Slice, &'static str> {
    let force = |at: usize| Force {
        men: u32::from(head[at]),
        kings: u32::from(head[at + 1]),
    };
    let slice = Slice {
        own: force(12),
        their: force(14),
    };
    let sides = [slice.own, slice.their].map(Force::pieces);
    if sides.iter().any(|pieces| !(1..=4).contains(pieces))
        || number::<8>(head, 16) != slice.positions()
    {
        return Err("material that no slice has");
    }
    Ok(slice)
}

impl Header {
    /// Reads the header at the front of `bytes`.
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let Some(head) = bytes.first_chunk::<HEADER>() else {
            return Err("no room for a header");
        };
        if head[..8] != MAGIC {
            return Err("no database image");
        }
        if number::<4>(head, 8) != u64::from(VERSION) {
            return Err("an image of another version");
        }
        if number::<4>(head, 68) != u64::from(crc32fast::hash(&head[..68])) {
            return Err("a damaged header");
        }
        let slice = material(head)?;
        let units = number::<4>(head, 60) as usize;
        let (model, payload) = (
            number::<4>(head, 56) as usize,
            number::<8>(head, 48) as usize,
        );
        let tables = HEADER + model + units.div_ceil(GROUP) * RECORD;
        // A header may claim anything; what does not fit in memory is refused below.
        let whole = tables.saturating_add(payload);
        let this = Self {
            slice,
            counts: [24, 32, 40].map(|at| number::<8>(head, at)),
            bytes: whole.checked_next_multiple_of(8).unwrap_or(usize::MAX),
            model,
            units,
            payload,
            model_crc: number::<4>(head, 64) as u32,
        };
        if this.units as u64 != slice.positions().div_ceil(UNIT as u64) {
            return Err("a wrong number of units");
        }
        if this.bytes > bytes.len() {
            return Err("an image that ends too early");
        }
        Ok(this)
    }

    const fn directory(&self) -> usize {
        HEADER + self.model
    }

    const fn payload_start(&self) -> usize {
        self.directory() + self.units.div_ceil(GROUP) * RECORD
    }
}

/// The bytes of payload that a directory code stands for.
const fn payload_len(code: u8) -> usize {
    match code {
        0..=2 => 0,
        3..=247 => code as usize - 2,
        _ => 245 + 96 * (code as usize - 247),
    }
}

/// The smallest code with room for `len` bytes, 1 to 1,013.
fn payload_code(len: usize) -> Option<u8> {
    (3..=255).find(|&code| payload_len(code) >= len)
}

/// Puts an image together from the units in order, each its bytes or its common value.
///
/// # Errors
///
/// The number of the first unit that is too long to be stored (its model does not fit it).
pub fn assemble(
    index: &Index,
    counts: [u64; 3],
    model: &Model,
    units: &[Result<Vec<u8>, u8>],
) -> Result<Vec<u8>, usize> {
    let mut codes = Vec::with_capacity(units.len());
    for (nth, unit) in units.iter().enumerate() {
        codes.push(match unit {
            Err(value) => *value,
            Ok(bytes) => payload_code(bytes.len()).ok_or(nth)?,
        });
    }
    codes.resize(codes.len().next_multiple_of(GROUP), 0);
    let mut model = model.clone();
    model.fit_codes(codes.iter().copied());
    let (mut directory, mut payload) = (Vec::new(), Vec::new());
    for (nth, (codes, group)) in codes.chunks(GROUP).zip(units.chunks(GROUP)).enumerate() {
        let start = payload.len();
        let mut encoder = Encoder::new();
        for &code in codes {
            model.code(code, &mut encoder);
        }
        payload.extend(encoder.finish());
        let len = u8::try_from(payload.len() - start).map_err(|_| nth * GROUP)?;
        for (&code, unit) in codes.iter().zip(group) {
            let end = payload.len() + payload_len(code);
            payload.extend(unit.iter().flatten());
            payload.resize(end, 0);
        }
        directory.extend((start as u32).to_le_bytes());
        directory.extend(crc32fast::hash(&payload[start..]).to_le_bytes());
        directory.push(len);
    }
    let model = model.to_bytes();
    let slice = index.slice();
    let mut image = MAGIC.to_vec();
    image.extend(VERSION.to_le_bytes());
    image.extend(
        [
            slice.own.men,
            slice.own.kings,
            slice.their.men,
            slice.their.kings,
        ]
        .map(|count| count as u8),
    );
    image.extend(slice.positions().to_le_bytes());
    image.extend(counts.into_iter().flat_map(u64::to_le_bytes));
    image.extend((payload.len() as u64).to_le_bytes());
    image.extend((model.len() as u32).to_le_bytes());
    image.extend((units.len() as u32).to_le_bytes());
    image.extend(crc32fast::hash(&model).to_le_bytes());
    image.extend(crc32fast::hash(&image).to_le_bytes());
    for part in [model, directory, payload] {
        image.extend(part);
    }
    image.resize(image.len().next_multiple_of(8), 0);
    Ok(image)
}

/// The directory of 64 units, decoded.
#[derive(Debug)]
struct Group {
    codes: [u8; GROUP],
    /// Where the bytes of each unit begin, from `start` on.
    places: [u16; GROUP],
    start: usize,
}

/// One slice of an opened volume.
#[derive(Debug)]
pub struct Image {
    volume: std::sync::Arc<Volume>,
    start: usize,
    header: Header,
    index: OnceLock<Index>,
    model: OnceLock<Option<Model>>,
    /// Checked and decoded at first use; `None` for what is damaged.
    groups: Box<[OnceLock<Option<Box<Group>>>]>,
}

/// What the directory says of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored<'a> {
    /// Every stored value is this one.
    All(Wld),
    /// The values are coded in these bytes.
    Coded(&'a [u8]),
}

impl Image {
    /// All images of a volume.
    ///
    /// # Errors
    ///
    /// [`FileError::Format`] at the first place that is no image.
    pub fn all(volume: &std::sync::Arc<Volume>) -> Result<Vec<Self>, FileError> {
        let mut images = Vec::new();
        let mut start = 0;
        while start < volume.bytes().len() {
            let header =
                Header::read(&volume.bytes()[start..]).map_err(|fault| FileError::Format {
                    file: volume.name.clone(),
                    at: start,
                    fault,
                })?;
            images.push(Self {
                volume: volume.clone(),
                start,
                header,
                index: OnceLock::new(),
                model: OnceLock::new(),
                groups: (0..header.units.div_ceil(GROUP))
                    .map(|_| OnceLock::new())
                    .collect(),
            });
            start += header.bytes;
        }
        Ok(images)
    }

    /// What the header says.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The bytes of the image.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.volume.bytes()[self.start..][..self.header.bytes]
    }

    /// The numbering of the slice, made at first use.
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.header.slice))
    }

    fn damage(&self, part: DamagedPart) -> Damage {
        Damage {
            file: self.volume.name.clone(),
            slice: self.header.slice,
            part,
        }
    }

    fn model(&self) -> Result<&Model, Damage> {
        let read = || {
            let bytes = &self.bytes()[HEADER..self.header.directory()];
            if crc32fast::hash(bytes) == self.header.model_crc {
                Model::from_bytes(bytes).ok()
            } else {
                None
            }
        };
        let model = self.model.get_or_init(read).as_ref();
        model.ok_or_else(|| self.damage(DamagedPart::Model))
    }

    /// The directory of 64 units, checked at first use.
    #[inline]
    fn group(&self, group: usize) -> Result<&Group, Damage> {
        if let Some(Some(found)) = self.groups[group].get() {
            return Ok(found);
        }
        let model = self.model()?;
        let found = self.groups[group].get_or_init(|| self.read_group(model, group));
        let damaged = || self.damage(DamagedPart::Units((group * GROUP) as u64));
        found.as_deref().ok_or_else(damaged)
    }

    /// Reads the directory of 64 units; `None` when the checksum is wrong.
    fn read_group(&self, model: &Model, group: usize) -> Option<Box<Group>> {
        let bytes = self.bytes();
        let record = |group: usize| &bytes[self.header.directory() + group * RECORD..][..RECORD];
        let place = |group: usize| number::<4>(record(group), 0) as usize;
        let (start, end) = (
            place(group),
            if group + 1 < self.groups.len() {
                place(group + 1)
            } else {
                self.header.payload
            },
        );
        let payload = &bytes[self.header.payload_start()..][..self.header.payload];
        let part = payload.get(start..end)?;
        let coded = part.get(..usize::from(record(group)[8]))?;
        if u64::from(crc32fast::hash(part)) != number::<4>(record(group), 4) {
            return None;
        }
        let mut found = Group {
            codes: [0; GROUP],
            places: [0; GROUP],
            start: self.header.payload_start() + start + coded.len(),
        };
        let mut decoder = Decoder::new(coded);
        let mut at = 0;
        for (code, place) in found.codes.iter_mut().zip(&mut found.places) {
            *code = model.code(0, &mut decoder);
            *place = at as u16;
            at += payload_len(*code);
        }
        (coded.len() + at == part.len()).then(|| Box::new(found))
    }

    /// What is stored for a unit.
    ///
    /// # Errors
    ///
    /// [`Damage`] when the checksum is wrong.
    #[inline]
    pub fn stored(&self, unit: u64) -> Result<Stored<'_>, Damage> {
        let unit = unit as usize;
        let group = self.group(unit / GROUP)?;
        let code = group.codes[unit % GROUP];
        if let Some(&value) = Wld::ALL.get(usize::from(code)) {
            return Ok(Stored::All(value));
        }
        let start = group.start + usize::from(group.places[unit % GROUP]);
        Ok(Stored::Coded(&self.bytes()[start..][..payload_len(code)]))
    }

    /// Decodes the first `len` values of a unit that is [`Stored::Coded`].
    ///
    /// # Errors
    ///
    /// [`Damage`] when the probabilities are damaged.
    pub fn decode(
        &self,
        unit: u64,
        len: usize,
        coded: &[u8],
        values: &mut Values,
    ) -> Result<(), Damage> {
        unit::decode(self.index(), self.model()?, unit, len, coded, values);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_a_code_with_room() {
        for len in 1..=1013 {
            let code = payload_code(len).expect("a code");
            assert!(payload_len(code) >= len && payload_len(code) < len + 96);
        }
        assert_eq!(payload_code(1014), None);
    }
}
