//! The stored form of distances, and how it is read.
//!
//! A file (`*.ctd`) holds one or more images, one after the other, each for one slice. All
//! numbers are little-endian.
//!
//! ```text
//! image      header, directory, payload, zeros up to a multiple of 8 bytes
//! header     0 "CROWNTD\0"    8 version u32    12 own men, own kings, their men, their kings u8
//!            16 positions u64    24 longest distance u8    25 distances up to this are told as
//!            this u8    26 zeros    32 number of a position with the longest distance u64
//!            40 payload bytes u64    48 units u32    52 zeros    60 CRC-32 of bytes 0-59 u32
//! directory  for every 16 units: CRC-32 of the 16 lengths and the payload of these units u32,
//!            16 lengths u16 (0 beyond the last unit)
//! payload    see the module `coding`
//! ```
//!
//! The longest distance counts all positions of the slice, also those of which no value is
//! stored. Nothing is answered from 16 units whose CRC-32 is wrong. Start reading at [`Image`].

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use super::super::file::{Damage, DamagedPart, FileError, Form, Volume, number};
use super::super::index::Index;
use super::super::slice::Slice;
use super::super::walk::Walk;
use super::coding::{self, Kind, UNIT};

/// The version that is written and read.
pub const VERSION: u32 = 1;
const HEADER: usize = 64;
const FORM: Form<HEADER> = Form {
    magic: *b"CROWNTD\0",
    version: VERSION,
    crc_at: 60,
    foreign: "no image of distances",
    other_version: "an image of another version",
};
/// Units that share a checksum.
const GROUP: usize = 16;
const RECORD: usize = 4 + 2 * GROUP;

/// What the header of an image says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The material, the side to move first.
    pub slice: Slice,
    /// The longest distance of any position, in plies.
    pub longest: u8,
    /// A position with that distance.
    pub longest_at: u64,
    /// Shorter distances are told as this one, in plies.
    pub least: u8,
    /// How many bytes the image has.
    pub bytes: usize,
    units: usize,
    payload: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let (head, slice) = FORM.read(bytes)?;
        let (units, payload) = (
            number::<4>(head, 48) as usize,
            number::<8>(head, 40) as usize,
        );
        let this = Self {
            slice,
            longest: head[24],
            longest_at: number::<8>(head, 32),
            least: head[25],
            bytes: (HEADER + units.div_ceil(GROUP) * RECORD)
                .saturating_add(payload)
                .saturating_add(7)
                & !7,
            units,
            payload,
        };
        if this.units as u64 != slice.positions().div_ceil(UNIT as u64) {
            return Err("a wrong number of units");
        }
        if this.least > LEAST {
            return Err("distances lumped further than anybody lumps them");
        }
        if this.bytes > bytes.len() || this.longest_at >= slice.positions() {
            return Err("an image that ends too early");
        }
        Ok(this)
    }

    const fn payload_start(&self) -> usize {
        HEADER + self.units.div_ceil(GROUP) * RECORD
    }
}

/// The most that distances may be lumped: below it a probe finds them by searching, whose cost
/// grows with every ply.
const LEAST: u8 = 20;

/// Puts an image together: the bytes of its units in order, the longest distance with a
/// position's number, and the least distance that is told exactly.
///
/// # Errors
///
/// The number of the first unit that is too long to be stored (64 KiB).
pub fn assemble(
    slice: Slice,
    (longest, longest_at): (u8, u64),
    least: u8,
    units: &[Vec<u8>],
) -> Result<Vec<u8>, usize> {
    let (mut directory, mut payload) = (Vec::new(), Vec::new());
    for (nth, group) in units.chunks(GROUP).enumerate() {
        let start = payload.len();
        let mut lengths = [0; 2 * GROUP];
        for (within, unit) in group.iter().enumerate() {
            let length = u16::try_from(unit.len()).map_err(|_| nth * GROUP + within)?;
            lengths[2 * within..][..2].copy_from_slice(&length.to_le_bytes());
            payload.extend(unit);
        }
        directory.extend(group_crc(&lengths, &payload[start..]).to_le_bytes());
        directory.extend(lengths);
    }
    let mut image = FORM.begin(slice);
    image.extend([longest, least, 0, 0, 0, 0, 0, 0]);
    image.extend(longest_at.to_le_bytes());
    image.extend((payload.len() as u64).to_le_bytes());
    image.extend((units.len() as u32).to_le_bytes());
    image.extend([0; 8]);
    image.extend(crc32fast::hash(&image).to_le_bytes());
    image.extend(directory);
    image.extend(payload);
    image.resize(image.len().next_multiple_of(8), 0);
    Ok(image)
}

fn group_crc(lengths: &[u8], payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(lengths);
    crc.update(payload);
    crc.finalize()
}

const UNCHECKED: u8 = 0;
const GOOD: u8 = 1;
const BAD: u8 = 2;

/// The distances of one slice in an opened volume.
#[derive(Debug)]
pub struct Image {
    volume: Arc<Volume>,
    start: usize,
    header: Header,
    /// Where the payload of each unit begins; one more at the end.
    starts: OnceLock<Vec<usize>>,
    checked: Box<[AtomicU8]>,
}

impl Image {
    /// All images of a volume.
    ///
    /// # Errors
    ///
    /// [`FileError::Format`] at the first place that is no image.
    pub fn all(volume: &Arc<Volume>) -> Result<Vec<Self>, FileError> {
        let mut images = Vec::new();
        let mut start = 0;
        while start < volume.bytes().len() {
            let header =
                Header::read(&volume.bytes()[start..]).map_err(|fault| FileError::Format {
                    file: volume.name().to_owned(),
                    at: start,
                    fault,
                })?;
            images.push(Self {
                volume: volume.clone(),
                start,
                header,
                starts: OnceLock::new(),
                checked: (0..header.units.div_ceil(GROUP))
                    .map(|_| AtomicU8::new(UNCHECKED))
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

    fn lengths(&self, group: usize) -> &[u8] {
        &self.bytes()[HEADER + group * RECORD + 4..][..2 * GROUP]
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let groups = self.header.units.div_ceil(GROUP);
            let lengths = (0..groups).flat_map(|group| self.lengths(group).chunks_exact(2));
            let mut end = 0;
            std::iter::once(0)
                .chain(lengths.map(|length| {
                    end += number::<2>(length, 0) as usize;
                    end
                }))
                .collect()
        })
    }

    /// The coded distances of a unit.
    ///
    /// # Errors
    ///
    /// [`Damage`] when the checksum is wrong.
    pub fn stored(&self, unit: u64) -> Result<&[u8], Damage> {
        let unit = unit as usize;
        let group = unit / GROUP;
        let damaged = || Damage {
            file: self.volume.name().to_owned(),
            slice: self.header.slice,
            part: DamagedPart::Distances((group * GROUP) as u64),
        };
        let payload = &self.bytes()[self.header.payload_start()..][..self.header.payload];
        let starts = self.starts();
        let state = &self.checked[group];
        if state.load(Ordering::Relaxed) == UNCHECKED {
            let crc = number::<4>(self.bytes(), HEADER + group * RECORD);
            let good = payload
                .get(starts[group * GROUP]..starts[(group + 1) * GROUP])
                .is_some_and(|bytes| u64::from(group_crc(self.lengths(group), bytes)) == crc);
            state.store(if good { GOOD } else { BAD }, Ordering::Relaxed);
        }
        if state.load(Ordering::Relaxed) == BAD {
            return Err(damaged());
        }
        payload
            .get(starts[unit]..starts[unit + 1])
            .ok_or_else(damaged)
    }

    /// The distances of a unit of `len` positions of which `kind` says what is known before.
    ///
    /// # Errors
    ///
    /// As [`Image::stored`].
    pub fn decode(
        &self,
        index: &Index,
        unit: u64,
        len: usize,
        kind: impl FnMut(usize, &Walk) -> Kind,
    ) -> Result<Box<[u8]>, Damage> {
        let coded = self.stored(unit)?;
        Ok(coding::decode(index, unit, len, coded, kind))
    }
}
