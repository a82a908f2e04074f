//! The network's numbers: their file, and how they lie in memory.
//!
//! Two layers of look-ups and three small products. In each side's view the rows of all features
//! are summed (256 sums); the first half of the sums times the second, both cut to 0 ..= 1, gives
//! 128 values a side. From the 256 of both sides, the mover's first, go products with 16, 32 and
//! 1 results, whose weights depend on the number of pieces ([`head`]).
//!
//! Fixed point: sums and values have 1 = 127, weights of the products 1 = 64, those of the last
//! product give hundredths of a man with 12 binary places. Every sum is exact in 32 bits, so
//! that all instruction sets give the same results.
//!
//! File, little-endian: `CHNET`, 0, 0, version 1; even and slope of its [`Chances`](super::chances::Chances) (4 bytes each,
//! unsigned, hundredths of a man); then biases and rows of the first layer
//! (2 bytes each: 256, 128 x 256); for each of the 8 heads the biases (4 bytes each) and weights
//! (1 byte each, input by input) of the products to 16 and to 32, bias and weights (4 bytes each)
//! of the last; at the end the CRC-32 of all before it.

use std::sync::{Arc, LazyLock, OnceLock};

use super::features::FEATURES;

/// Sums of a view.
pub const SUMS: usize = 256;
/// Values of a view.
pub const VALUES: usize = SUMS / 2;
/// Results of the first product.
pub const FIRST: usize = 16;
/// Results of the second product.
pub const SECOND: usize = 32;
/// Sets of weights of the products.
pub const HEADS: usize = 8;

const MAGIC: [u8; 8] = *b"CHNET\0\0\x01";
/// Bytes of a file.
pub const BYTES: usize = 8
    + 8
    + 2 * SUMS * (1 + FEATURES)
    + HEADS * (4 * FIRST + 2 * VALUES * FIRST + 4 * SECOND + FIRST * SECOND + 4 + 4 * SECOND)
    + 4;

/// Which head values a board with so many pieces (0 to 24).
#[must_use]
#[inline]
pub const fn head(pieces: usize) -> usize {
    (pieces.saturating_sub(1) / 3) & (HEADS - 1)
}

/// Numbers that lie on a cache line of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Aligned<T>(pub(super) T);

/// The products of one head.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Head {
    /// The weights by input, then result: for plain loops.
    pub(super) plain_first: [[i16; FIRST]; 2 * VALUES],
    pub(super) plain_second: [[i16; SECOND]; FIRST],
    /// The same by four inputs, then result, then input: what one instruction multiplies.
    pub(super) first: [[[i8; 4]; FIRST]; VALUES / 2],
    pub(super) second: [[[i8; 4]; SECOND]; FIRST / 4],
    pub(super) first_bias: [i32; FIRST],
    pub(super) second_bias: [i32; SECOND],
    pub(super) last: [i32; SECOND],
    pub(super) last_bias: i32,
}

/// A network, ready for use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    pub(super) rows: Box<[Aligned<[i16; SUMS]>; FEATURES]>,
    pub(super) bias: Aligned<[i16; SUMS]>,
    pub(super) heads: Box<[Head; HEADS]>,
    /// The score at which the mover wins every other game.
    pub(super) even: u32,
    /// How much more makes the odds e times better.
    pub(super) slope: u32,
}

/// Why bytes are no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// Not a network file, or one of another version.
    #[error("expected a network file that begins with CHNET and version 1")]
    Magic,
    /// Too short or too long.
    #[error("expected {BYTES} bytes, found {0}")]
    Length(usize),
    /// Bytes were changed.
    #[error("the checksum does not fit the content: the file is damaged")]
    Checksum,
}

static CHOSEN: OnceLock<Arc<Network>> = OnceLock::new();

static SHIPPED: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let bytes = include_bytes!("../../nets/crownhead.net");
    // A test reads the shipped file, so there is no fault to tell.
    Arc::new(Network::read(bytes).unwrap_or_else(|_| Network::silent()))
});

impl Network {
    /// The network that is built in.
    #[must_use]
    pub fn shipped() -> Arc<Self> {
        Arc::clone(&SHIPPED)
    }

    /// Makes this the network of all engines and evaluators from now on; for the beginning of a
    /// program. False if one was chosen already, which then stays.
    #[must_use]
    pub fn choose(self) -> bool {
        CHOSEN.set(Arc::new(self)).is_ok()
    }

    /// The network that was chosen, or the shipped one.
    #[must_use]
    pub fn in_use() -> Arc<Self> {
        Arc::clone(CHOSEN.get().unwrap_or(&SHIPPED))
    }

    /// A network that values everything at 0.
    fn silent() -> Self {
        let head = Head {
            plain_first: [[0; FIRST]; 2 * VALUES],
            plain_second: [[0; SECOND]; FIRST],
            first: [[[0; 4]; FIRST]; VALUES / 2],
            second: [[[0; 4]; SECOND]; FIRST / 4],
            first_bias: [0; FIRST],
            second_bias: [0; SECOND],
            last: [0; SECOND],
            last_bias: 0,
        };
        Self {
            rows: Box::new([Aligned([0; SUMS]); FEATURES]),
            bias: Aligned([0; SUMS]),
            heads: Box::new(std::array::from_fn(|_| head.clone())),
            even: 300,
            slope: 100,
        }
    }

    /// The network of a file's `bytes`.
    ///
    /// # Errors
    ///
    /// [`NetError`] says what is wrong.
    pub fn read(bytes: &[u8]) -> Result<Self, NetError> {
        let mut numbers = Numbers::of(bytes)?;
        let mut network = Self::silent();
        network.even = numbers.u32();
        network.slope = numbers.u32().max(1);
        network.bias.0.fill_with(|| numbers.i16());
        for row in network.rows.iter_mut() {
            row.0.fill_with(|| numbers.i16());
        }
        network
            .heads
            .iter_mut()
            .for_each(|head| head.fill(&mut numbers));
        Ok(network)
    }
}

impl Head {
    fn fill(&mut self, numbers: &mut Numbers<'_>) {
        self.first_bias.fill_with(|| numbers.i32());
        for input in 0..2 * VALUES {
            for result in 0..FIRST {
                let weight = numbers.i8();
                self.plain_first[input][result] = i16::from(weight);
                self.first[input / 4][result][input % 4] = weight;
            }
        }
        self.second_bias.fill_with(|| numbers.i32());
        for input in 0..FIRST {
            for result in 0..SECOND {
                let weight = numbers.i8();
                self.plain_second[input][result] = i16::from(weight);
                self.second[input / 4][result][input % 4] = weight;
            }
        }
        self.last_bias = numbers.i32();
        self.last.fill_with(|| numbers.i32());
    }
}

/// The numbers of a network's file in their order, after those that say what it is; zeros after
/// the end.
#[derive(Debug)]
pub struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    /// The numbers of a file's `bytes`.
    ///
    /// # Errors
    ///
    /// [`NetError`] says what is wrong.
    pub fn of(bytes: &'a [u8]) -> Result<Self, NetError> {
        let body = bytes.strip_prefix(&MAGIC).ok_or(NetError::Magic)?;
        if bytes.len() != BYTES {
            return Err(NetError::Length(bytes.len()));
        }
        let (whole, check) = bytes.split_at(BYTES - 4);
        if crc32fast::hash(whole).to_le_bytes() != check {
            return Err(NetError::Checksum);
        }
        Ok(Self(body))
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().unwrap_or((&[0; N], &[]));
        self.0 = rest;
        *bytes
    }

    /// The next one, of 4 bytes, unsigned.
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// The next one, of 4 bytes.
    pub fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.take())
    }

    /// The next one, of 2 bytes.
    pub fn i16(&mut self) -> i16 {
        i16::from_le_bytes(self.take())
    }

    /// The next one, of 1 byte.
    pub fn i8(&mut self) -> i8 {
        i8::from_le_bytes(self.take())
    }
}
