//! Values that are not coded, for machines with memory to spare: two bits a position.
//!
//! A file (`*.ctp`) is made from the coded image of one slice and stands beside it. It is mapped
//! into memory; where the pages are in memory already, a value costs some waits for memory instead
//! of the decoding of a unit. All numbers are little-endian.
//!
//! ```text
//! header     0 "CROWNTP\0"    8 version u32    12 own men, own kings, their men, their kings u8
//!            16 positions u64    24 units with values u32    28 CRC-32 in the header of the coded
//!            image (its bytes 68-71), which stands for its counts and probabilities u32
//!            32 CRC-32 of the map u32    36 CRC-32 of the sums u32    40 CRC-32 of bytes 0-39 u32
//!            44 zeros
//! map        from byte 64 on, for every unit of 4,096 positions: 0, 1, 2 when all stored values are
//!            lost, drawn, won; 3 + n when the n-th values are its own u32
//! sums       for every page of values its CRC-32 u32; zeros up to a multiple of 4,096 bytes
//! values     pages of 4,096 bytes: four units, each position two bits, low bits first: lost, drawn,
//!            won, or 3 where the coded image stores none; zeros beyond the last unit
//! ```
//!
//! A page is checked when it is first read, and nothing is answered from one whose CRC-32 is wrong.
//! Start reading at [`Plain`].

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::cache::packed_eight;
use super::file::{Damage, DamagedPart, FileError, Form, Image, Stored, Volume, number};
use super::slice::Slice;
use super::unit::UNIT;
use super::wld::Wld;

/// The version that is written and read.
pub const VERSION: u32 = 1;
const HEADER: usize = 64;
const FORM: Form<HEADER> = Form {
    magic: *b"CROWNTP\0",
    version: VERSION,
    crc_at: 40,
    foreign: "no plain values",
    other_version: "plain values of another version",
};
const PAGE: usize = 4096;
/// Bytes of a unit, and units of a page.
const UNIT_BYTES: usize = UNIT / 4;
const PAGE_UNITS: usize = PAGE / UNIT_BYTES;
/// The first number in the map that is not a value.
const OWN: u32 = 3;

/// Where the parts of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    units: usize,
    own: usize,
}

impl Layout {
    const fn pages(self) -> usize {
        self.own.div_ceil(PAGE_UNITS)
    }

    const fn sums(self) -> usize {
        HEADER + 4 * self.units
    }

    const fn values(self) -> usize {
        (self.sums() + 4 * self.pages()).next_multiple_of(PAGE)
    }

    const fn bytes(self) -> usize {
        self.values() + self.pages() * PAGE
    }
}

/// The plain values of one slice.
#[derive(Debug)]
pub struct Plain {
    volume: Volume,
    slice: Slice,
    layout: Layout,
    /// The CRC-32 by which the coded image is known.
    source: u32,
    /// A bit for each page that was found sound.
    checked: Box<[AtomicU64]>,
}

impl Plain {
    /// Opens a file, and reads its map and its sums: of all seven pieces together 25 MB. They are not
    /// left for the first look-up, as a search may have little time.
    ///
    /// # Errors
    ///
    /// [`FileError::Io`] when it cannot be read, [`FileError::Format`] when it is no such file.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let volume = Volume::open(path)?;
        let head = read_header(volume.bytes());
        let checked = head.and_then(|head| check_tables(volume.bytes(), head.1).map(|()| head));
        let (slice, layout, source) = checked.map_err(|fault| FileError::Format {
            file: path.to_owned(),
            at: 0,
            fault,
        })?;
        // The tables were read from end to end, the values will not be.
        volume.expect_random_reads();
        let words = layout.pages().div_ceil(64);
        Ok(Self {
            volume,
            slice,
            layout,
            source,
            checked: (0..words).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// The material, the side to move first.
    #[must_use]
    pub const fn slice(&self) -> Slice {
        self.slice
    }

    /// Whether it was made from `image`.
    #[must_use]
    pub fn is_of(&self, image: &Image) -> bool {
        self.slice == image.header().slice && self.source == image.header().crc()
    }

    /// The size of the file.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.layout.bytes()
    }

    /// The stored value of the position `at` (below [`UNIT`]) of a unit.
    ///
    /// # Errors
    ///
    /// [`Damage`] when a checksum is wrong.
    #[inline]
    pub(super) fn value(&self, unit: u64, at: usize) -> Result<Wld, Damage> {
        let bytes = self.volume.bytes();
        let place = number::<4>(bytes, HEADER + 4 * unit as usize) as u32;
        if let Some(&value) = Wld::ALL.get(place as usize) {
            return Ok(value);
        }
        let own = (place - OWN) as usize;
        let page = own / PAGE_UNITS;
        if self.checked[page / 64].load(Relaxed) >> (page % 64) & 1 == 0 {
            self.check_page(page).ok_or_else(|| self.damage(unit))?;
        }
        let byte = bytes[self.layout.values() + own * UNIT_BYTES + at / 4];
        let value = usize::from(byte >> (at % 4 * 2) & 3);
        Wld::ALL
            .get(value)
            .copied()
            .ok_or_else(|| self.damage(unit))
    }

    fn damage(&self, unit: u64) -> Damage {
        Damage {
            file: self.volume.name().to_owned(),
            slice: self.slice,
            part: DamagedPart::Plain(unit),
        }
    }

    /// Checks a page, and notes that it is sound.
    #[cold]
    fn check_page(&self, page: usize) -> Option<()> {
        let bytes = self.volume.bytes();
        let values = &bytes[self.layout.values() + page * PAGE..][..PAGE];
        let sum = number::<4>(bytes, self.layout.sums() + 4 * page);
        if u64::from(crc32fast::hash(values)) != sum {
            return None;
        }
        self.checked[page / 64].fetch_or(1 << (page % 64), Relaxed);
        Some(())
    }
}

fn read_header(bytes: &[u8]) -> Result<(Slice, Layout, u32), &'static str> {
    let (head, slice) = FORM.read(bytes)?;
    let layout = Layout {
        units: slice.positions().div_ceil(UNIT as u64) as usize,
        own: number::<4>(head, 24) as usize,
    };
    if layout.own > layout.units || layout.bytes() != bytes.len() {
        return Err("plain values of a wrong length");
    }
    Ok((slice, layout, number::<4>(head, 28) as u32))
}

/// Whether the map and the sums are what was written, and lead nowhere else.
fn check_tables(bytes: &[u8], layout: Layout) -> Result<(), &'static str> {
    let (map, rest) = bytes[HEADER..layout.values()].split_at(layout.sums() - HEADER);
    let is_sum = |of: &[u8], at: usize| number::<4>(bytes, at) == u64::from(crc32fast::hash(of));
    let most = OWN as usize + layout.own;
    let mut places = map.chunks_exact(4).map(|it| number::<4>(it, 0) as usize);
    if is_sum(map, 32) && is_sum(rest, 36) && places.all(|place| place < most) {
        Ok(())
    } else {
        Err("damaged tables of plain values")
    }
}

/// Takes a coded image apart, for a writer who wants to share the work.
#[derive(Debug)]
pub struct Unpacking<'i> {
    image: &'i Image,
    map: Vec<u32>,
    own: Vec<u32>,
}

impl<'i> Unpacking<'i> {
    /// Reads which units of `image` have values of their own.
    ///
    /// # Errors
    ///
    /// [`Damage`] when a checksum is wrong.
    pub fn new(image: &'i Image) -> Result<Self, Damage> {
        let units = image.header().slice.positions().div_ceil(UNIT as u64);
        let (mut map, mut own) = (Vec::new(), Vec::new());
        for unit in 0..units {
            map.push(match image.stored(unit)? {
                Stored::All(value) => value as u32,
                Stored::Coded(_) => {
                    own.push(unit as u32);
                    OWN + own.len() as u32 - 1
                }
            });
        }
        Ok(Self { image, map, own })
    }

    fn layout(&self) -> Layout {
        Layout {
            units: self.map.len(),
            own: self.own.len(),
        }
    }

    /// The pages of values; their number.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.layout().pages()
    }

    /// The bytes of the whole file.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.layout().bytes()
    }

    /// Where the values begin in it.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.layout().values() as u64
    }

    /// The bytes of a page and their CRC-32.
    ///
    /// # Errors
    ///
    /// [`Damage`] when a checksum is wrong.
    pub fn page(&self, page: usize) -> Result<([u8; PAGE], u32), Damage> {
        let mut bytes = [0; PAGE];
        let units = self.own.iter().skip(page * PAGE_UNITS);
        for (into, &unit) in bytes.chunks_exact_mut(UNIT_BYTES).zip(units) {
            let mut values = [super::model::UNKNOWN; UNIT];
            if let Stored::Coded(coded) = self.image.stored(unit.into())? {
                self.image.decode(unit.into(), UNIT, coded, &mut values)?;
            }
            for (into, eight) in into.as_chunks_mut().0.iter_mut().zip(values.as_chunks().0) {
                *into = packed_eight(*eight).to_le_bytes();
            }
        }
        Ok((bytes, crc32fast::hash(&bytes)))
    }

    /// All that comes before the values, once the CRC-32 of every page is known.
    #[must_use]
    pub fn front(&self, sums: &[u32]) -> Vec<u8> {
        let layout = self.layout();
        let words = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let (map, mut sums) = (words(&self.map), words(sums));
        sums.resize(layout.values() - layout.sums(), 0);
        let mut front = FORM.begin(self.image.header().slice);
        front.extend((layout.own as u32).to_le_bytes());
        front.extend(self.image.header().crc().to_le_bytes());
        front.extend(
            [&map, &sums]
                .map(|part| crc32fast::hash(part))
                .map(u32::to_le_bytes)
                .concat(),
        );
        front.extend(crc32fast::hash(&front).to_le_bytes());
        front.resize(HEADER, 0);
        front.extend(map);
        front.extend(sums);
        front
    }
}
