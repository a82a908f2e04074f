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
//! directory  for every 128 units: the place of their part of the payload u32, CRC-32 of that part
//!            u32, how many bytes its listing has u16
//! payload    for every 128 units: their listing (module `directory`), lost ones without bytes
//!            beyond the last unit, then the bytes of its pairs of units
//! unit       see the module `unit`
//! ```
//!
//! Positions that the rules decide at once are not stored (module `rest`). Nothing is answered
//! from 128 units whose CRC-32 is wrong. Start reading at [`Image`].

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::coder::Encoder;
use super::directory::{CODED, GROUP, Listing};
use super::index::Index;
use super::model::{KINDS, Model};
use super::slice::{Force, Slice};
use super::unit::{self, Code, Coded, UNIT, Values};
use super::wld::Wld;

/// The version that is written and read.
pub const VERSION: u32 = 3;
const HEADER: usize = 72;
const FORM: Form<HEADER> = Form {
    magic: *b"CROWNTB\0",
    version: VERSION,
    crc_at: 68,
    foreign: "no database image",
    other_version: "an image of another version",
};
const RECORD: usize = 10;

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
    /// 128 units, of which the first is named.
    Units(u64),
    /// 16 units of distances, of which the first is named.
    Distances(u64),
    /// The page of plain values with this unit.
    Plain(u64),
}

impl std::fmt::Display for DamagedPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Model => f.write_str("probabilities"),
            Self::Units(first) => write!(f, "units from {first}"),
            Self::Distances(first) => write!(f, "distances from unit {first}"),
            Self::Plain(unit) => write!(f, "plain values at unit {unit}"),
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

    /// Tells the system that no page is likely to be read after its neighbour: a read from the disk
    /// is then of 4 KiB, not of 128.
    pub(super) fn expect_random_reads(&self) {
        #[cfg(unix)]
        if let Bytes::Mapped(map) = &self.bytes {
            // It may be refused: no harm.
            drop(map.advise(memmap2::Advice::Random));
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
    crc: u32,
}

/// The little-endian number in the `N` bytes from `at` on.
pub(super) fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + N]
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// What the headers of all files of a slice have in common, however long they are: bytes 0 to 23,
/// and a CRC-32 of all that comes before it.
///
/// ```text
/// 0 magic    8 version u32    12 own men, own kings, their men, their kings u8
/// 16 positions u64    `crc_at` CRC-32 of the bytes before it u32
/// ```
pub(super) struct Form<const BYTES: usize> {
    pub(super) magic: [u8; 8],
    pub(super) version: u32,
    pub(super) crc_at: usize,
    /// What is told of bytes with another magic, and with another version.
    pub(super) foreign: &'static str,
    pub(super) other_version: &'static str,
}

impl<const BYTES: usize> Form<BYTES> {
    /// Bytes 0 to 23.
    pub(super) fn begin(&self, slice: Slice) -> Vec<u8> {
        let mut head = self.magic.to_vec();
        head.extend(self.version.to_le_bytes());
        for force in [slice.own, slice.their] {
            head.extend([force.men as u8, force.kings as u8]);
        }
        head.extend(slice.positions().to_le_bytes());
        head
    }

    /// The header at the front of `bytes`, found whole, and its slice.
    pub(super) fn read<'b>(
        &self,
        bytes: &'b [u8],
    ) -> Result<(&'b [u8; BYTES], Slice), &'static str> {
        let Some(head) = bytes.first_chunk::<BYTES>() else {
            return Err("no room for a header");
        };
        if head[..8] != self.magic {
            return Err(self.foreign);
        }
        if number::<4>(head, 8) != u64::from(self.version) {
            return Err(self.other_version);
        }
        let sum = crc32fast::hash(&head[..self.crc_at]);
        if number::<4>(head, self.crc_at) != u64::from(sum) {
            return Err("a damaged header");
        }
        Ok((head, material(head)?))
    }
}

/// The slice that a header names in bytes 12 to 15, with its number of positions in 16 to 23.
fn material(head: &[u8]) -> Result<Slice, &'static str> {
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
        let (head, slice) = FORM.read(bytes)?;
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
            crc: number::<4>(head, FORM.crc_at) as u32,
        };
        if this.units as u64 != slice.positions().div_ceil(UNIT as u64) {
            return Err("a wrong number of units");
        }
        if this.bytes > bytes.len() {
            return Err("an image that ends too early");
        }
        Ok(this)
    }

    /// The CRC-32 of the header itself, by which an image is known to [`super::plain`].
    #[must_use]
    pub const fn crc(&self) -> u32 {
        self.crc
    }

    const fn directory(&self) -> usize {
        HEADER + self.model
    }

    const fn payload_start(&self) -> usize {
        self.directory() + self.units.div_ceil(GROUP) * RECORD
    }
}

/// A unit, or its common value when it has no bytes.
type Unit = Result<Code, u8>;

/// What is said of a group of units, and their bytes.
fn list(units: &[Unit]) -> (Listing, Vec<u8>) {
    let (mut listing, mut payload) = (Listing::blank(), Vec::new());
    for (sort, unit) in listing.sorts.iter_mut().zip(units) {
        *sort = match unit {
            Ok(code) => CODED + code.kind as u8,
            Err(value) => *value,
        };
    }
    for (length, pair) in listing.lengths.iter_mut().zip(units.chunks(2)) {
        let coded = |nth: usize| pair.get(nth)?.as_ref().ok().map(|code| &code.encoder);
        if coded(0).or(coded(1)).is_some() {
            let bytes = Encoder::join(coded(0), coded(1));
            *length = bytes.len() as u32;
            payload.extend(bytes);
        }
    }
    (listing, payload)
}

/// Puts an image together from the units in order, each its code or its common value.
#[must_use]
pub fn assemble(index: &Index, counts: [u64; 3], model: &Model, units: &[Unit]) -> Vec<u8> {
    let groups: Vec<_> = units.chunks(GROUP).map(list).collect();
    let mut model = model.clone();
    model.fit_directory(groups.iter().map(|(listing, _)| listing));
    let (mut directory, mut payload) = (Vec::new(), Vec::new());
    for (listing, bytes) in &groups {
        let start = payload.len();
        let listed = model.directory().to_bytes(listing);
        payload.extend(&listed);
        payload.extend(bytes);
        directory.extend((start as u32).to_le_bytes());
        directory.extend(crc32fast::hash(&payload[start..]).to_le_bytes());
        // Each of its some thousand decisions takes less than two bytes.
        directory.extend((listed.len() as u16).to_le_bytes());
    }
    let model = model.to_bytes();
    let mut image = FORM.begin(index.slice());
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
    image
}

/// The directory of a group, decoded.
#[derive(Debug)]
struct Group {
    sorts: [u8; GROUP],
    /// Where the bytes of each pair begin, in the image, and where the last one ends.
    starts: [u32; GROUP / 2 + 1],
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
    /// The values are coded here.
    Coded(Coded<'a>),
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

    /// The directory of a group, checked at first use.
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

    /// Reads the directory of a group; `None` when the checksum is wrong.
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
        if u64::from(crc32fast::hash(part)) != number::<4>(record(group), 4) {
            return None;
        }
        let listed = part.get(..number::<2>(record(group), 8) as usize)?;
        let listing = model.directory().read(listed);
        let mut found = Group {
            sorts: listing.sorts,
            starts: [0; GROUP / 2 + 1],
        };
        let mut at = self.header.payload_start() + start + listed.len();
        for (start, len) in found
            .starts
            .iter_mut()
            .zip(listing.lengths.iter().chain([&0]))
        {
            *start = at as u32;
            at += *len as usize;
        }
        let is_whole = at == self.header.payload_start() + end;
        let are_sorts = found.sorts.iter().all(|&sort| sort < CODED + KINDS as u8);
        (is_whole && are_sorts).then(|| Box::new(found))
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
        let sort = group.sorts[unit % GROUP];
        if let Some(&value) = Wld::ALL.get(usize::from(sort)) {
            return Ok(Stored::All(value));
        }
        let pair = unit % GROUP / 2;
        let place = group.starts[pair] as usize..group.starts[pair + 1] as usize;
        Ok(Stored::Coded(Coded {
            kind: usize::from(sort - CODED),
            bytes: &self.bytes()[place],
            is_second: unit % 2 == 1,
        }))
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
        coded: Coded<'_>,
        values: &mut Values,
    ) -> Result<(), Damage> {
        unit::decode(self.index(), self.model()?, unit, len, coded, values);
        Ok(())
    }
}
