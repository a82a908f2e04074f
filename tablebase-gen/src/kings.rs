//! Rows of bits over all placements of one side's kings, and how kings walk between them.
//!
//! A row has one bit for each set of `k` squares out of 32, at its colexicographic rank; squares
//! are seen from the kings' owner. Rows of two kings and more are padded to whole chunks of 512
//! bits. Knows neither men nor values. Start reading at [`Kings`].

use std::sync::LazyLock;

use engine::board::{Bitboard, Direction, Square, steps};
use engine::tablebase::index::{choose, next_set, rank, unrank};

/// The most kings of a side.
pub(crate) const MOST_KINGS: usize = 4;

/// Words of 32 bits in a chunk.
pub(crate) const CHUNK: usize = 16;

/// What there is to know about rows over `k` kings.
pub(crate) struct Kings {
    /// How many placements there are: bits in a row, and rows in a table.
    pub(crate) sets: usize,
    /// Words of 32 bits in a row: 1, 1, 16, 160, 1136.
    pub(crate) width: usize,
    /// The placements, by rank.
    pub(crate) placements: Vec<Bitboard>,
    /// `holds[square * width..]`: the row of all placements that have a king on the square.
    holds: Vec<u32>,
    /// The row of all placements.
    pub(crate) valid: Vec<u32>,
    /// The ranks of the placements one king's step away: those of rank `r` are
    /// `steps[starts[r]..starts[r + 1]]`.
    pub(crate) steps: Vec<u16>,
    pub(crate) starts: Vec<u32>,
    /// For each placement, the bands (see [`Kings::band`]) that its steps lead to.
    pub(crate) reach: Vec<u64>,
    band_rows: usize,
}

impl Kings {
    /// The rows over `kings` kings, 0 to [`MOST_KINGS`].
    pub(crate) fn of(kings: u32) -> &'static Self {
        static ALL: LazyLock<[Kings; MOST_KINGS + 1]> =
            LazyLock::new(|| std::array::from_fn(|kings| Kings::new(kings as u32)));
        &ALL[kings as usize]
    }

    fn new(kings: u32) -> Self {
        let sets = choose(32, kings) as usize;
        let width = if sets <= 32 {
            1
        } else {
            sets.div_ceil(32 * CHUNK) * CHUNK
        };
        let placements: Vec<Bitboard> =
            std::iter::successors(Some(unrank(0, kings)), |&set| Some(next_set(set)))
                .take(sets)
                .collect();
        let mut this = Self {
            sets,
            width,
            placements,
            holds: vec![0; 32 * width],
            valid: vec![0; width],
            steps: Vec::new(),
            starts: vec![0],
            reach: Vec::new(),
            band_rows: sets.div_ceil(64).next_multiple_of(32),
        };
        for place in 0..sets {
            this.add(place);
        }
        this
    }

    fn add(&mut self, place: usize) {
        let set = self.placements[place];
        let (word, bit) = (place / 32, 1 << (place % 32));
        self.valid[word] |= bit;
        let mut reach = 0;
        for square in set.squares() {
            self.holds[square.index() * self.width + word] |= bit;
            for direction in Direction::ALL {
                let to = steps::step(square.bit(), direction) - set;
                if to.any() {
                    let next = rank((set - square.bit()) | to);
                    self.steps.push(next as u16);
                    reach |= 1 << self.band(next as usize);
                }
            }
        }
        self.starts.push(self.steps.len() as u32);
        self.reach.push(reach);
    }

    /// The row of all placements with a king on `square`.
    #[inline]
    pub(crate) fn holds(&self, square: Square) -> &[u32] {
        &self.holds[square.index() * self.width..][..self.width]
    }

    /// A coarse division of the placements into at most 64 bands of whole words, so that one
    /// word of marks says where something has changed.
    #[inline]
    pub(crate) fn band(&self, place: usize) -> usize {
        place / self.band_rows
    }
}
