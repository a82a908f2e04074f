//! Rows of bits over all placements of one side's kings, and how kings walk between them.
//!
//! A row has one bit for each set of `k` squares out of 32, at its colexicographic rank; squares
//! are seen from the kings' owner. Rows of two kings and more are padded to whole chunks of 512
//! bits. Knows neither men nor values. Start reading at [`Kings`].

use std::sync::OnceLock;

use engine::board::{Bitboard, Direction, Square, steps};
use engine::tablebase::index::{choose, next_set, rank, unrank};

use crate::kernel::Isa;

/// The most kings of a side.
pub(crate) const MOST_KINGS: usize = 7;

/// Words of 32 bits in a chunk.
pub(crate) const CHUNK: usize = 16;

/// What there is to know about rows over `k` kings.
pub(crate) struct Kings {
    /// How many placements there are: bits in a row, and rows in a table.
    pub(crate) sets: usize,
    /// Words of 32 bits in a row: 1, 1, 16, 160, 1136 and so on.
    pub(crate) width: usize,
    /// The placements, by rank.
    pub(crate) placements: Vec<Bitboard>,
    /// `holds[square * width..]`: the row of all placements that have a king on the square.
    holds: Vec<u32>,
    /// `lacks[square * width..]`: the row of all placements without a king on the square.
    lacks: Vec<u32>,
    /// The row of all placements.
    pub(crate) valid: Vec<u32>,
    /// The ranks of the placements with a king on each square, and of those without.
    with: [Vec<u32>; 32],
    without: [Vec<u32>; 32],
    /// The ranks of the placements one king's step away: those of rank `r` are
    /// `steps[starts[r]..starts[r + 1]]`.
    pub(crate) steps: Vec<u32>,
    pub(crate) starts: Vec<u32>,
}

impl Kings {
    /// The rows over `kings` kings, 0 to [`MOST_KINGS`].
    pub(crate) fn of(kings: u32) -> &'static Self {
        static ALL: [OnceLock<Kings>; MOST_KINGS + 1] = [const { OnceLock::new() }; MOST_KINGS + 1];
        ALL[kings as usize].get_or_init(|| Self::new(kings))
    }

    /// Words in a row over `kings` kings.
    pub(crate) fn row_words(kings: u32) -> usize {
        let sets = choose(32, kings) as usize;
        if sets <= 32 {
            1
        } else {
            sets.div_ceil(32 * CHUNK) * CHUNK
        }
    }

    fn new(kings: u32) -> Self {
        let sets = choose(32, kings) as usize;
        let width = Self::row_words(kings);
        let placements: Vec<Bitboard> =
            std::iter::successors(Some(unrank(0, kings)), |&set| Some(next_set(set)))
                .take(sets)
                .collect();
        let mut this = Self {
            sets,
            width,
            placements,
            holds: vec![0; 32 * width],
            lacks: vec![0; 32 * width],
            with: Default::default(),
            without: Default::default(),
            valid: vec![0; width],
            steps: Vec::new(),
            starts: vec![0],
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
        for square in Square::all() {
            let (rows, list) = if set.contains(square) {
                (&mut self.holds, &mut self.with)
            } else {
                (&mut self.lacks, &mut self.without)
            };
            rows[square.index() * self.width + word] |= bit;
            list[square.index()].push(place as u32);
        }
        for square in set.squares() {
            for direction in Direction::ALL {
                let to = steps::step(square.bit(), direction) - set;
                if to.any() {
                    let next = rank((set - square.bit()) | to);
                    self.steps.push(next as u32);
                }
            }
        }
        self.starts.push(self.steps.len() as u32);
    }

    /// The row of all placements with a king on `square`.
    #[inline]
    pub(crate) fn holds(&self, square: Square) -> &[u32] {
        &self.holds[square.index() * self.width..][..self.width]
    }

    /// The row of all placements without a king on `square`.
    #[inline]
    pub(crate) fn lacks(&self, square: Square) -> &[u32] {
        &self.lacks[square.index() * self.width..][..self.width]
    }

    /// The ranks of all placements with a king on `square`, in order. Without that king they are
    /// those of [`Kings::without`] for one king fewer, in the same order.
    #[inline]
    pub(crate) fn with(&self, square: Square) -> &[u32] {
        &self.with[square.index()]
    }

    /// The ranks of all placements without a king on `square`, in order.
    #[inline]
    pub(crate) fn without(&self, square: Square) -> &[u32] {
        &self.without[square.index()]
    }
}

/// Placements of both sides' kings: a row for each of the mover's, a bit in it for each of the
/// opponent's; or, where the opponent has none, one row with a bit for each of the mover's.
#[derive(Clone, Copy)]
pub(crate) struct Space {
    pub(crate) own: &'static Kings,
    pub(crate) their: &'static Kings,
}

impl Space {
    pub(crate) fn of(own: u32, their: u32) -> Self {
        Self {
            own: Kings::of(own),
            their: Kings::of(their),
        }
    }

    /// Whether it is one row over the mover's kings.
    #[inline]
    pub(crate) const fn is_flat(self) -> bool {
        self.their.sets == 1
    }

    /// Words in a plane.
    #[inline]
    pub(crate) const fn words(self) -> usize {
        if self.is_flat() {
            self.own.width
        } else {
            self.own.sets * self.their.width
        }
    }
}

/// Room for [`KingSteps::reach`].
#[derive(Default)]
pub(crate) struct KingSteps {
    without: Vec<u32>,
    near: Vec<u32>,
}

impl KingSteps {
    /// Adds to `into`, a row over `kings` kings, the placements from which one king's step leads
    /// to a placement in `from`; at least one king.
    pub(crate) fn reach(&mut self, isa: Isa, kings: u32, from: &[u32], into: &mut [u32]) {
        if kings == 1 {
            into[0] |= neighbours(from[0]);
            return;
        }
        if kings == 2 {
            let one = Kings::of(1);
            return isa.reach_pairs(into, from, &one.steps, &one.starts);
        }
        let (own, fewer) = (Kings::of(kings), Kings::of(kings - 1));
        self.without.clear();
        self.without.resize(32 * fewer.width, 0);
        let rows = self.without.chunks_exact_mut(fewer.width);
        for (square, row) in Square::all().zip(rows) {
            isa.expand(row, fewer.lacks(square), from, own.holds(square));
        }
        for square in Square::all() {
            self.near.clear();
            self.near.resize(fewer.width, 0);
            for to in Bitboard(neighbours(square.bit().0)) {
                isa.or_into(&mut self.near, &self.without[to.index() * fewer.width..]);
            }
            isa.expand(into, own.holds(square), &self.near, fewer.lacks(square));
        }
    }
}

/// The squares a step away from any of `squares`, both as bits.
#[inline(always)]
pub(crate) fn neighbours(squares: u32) -> u32 {
    let squares = Bitboard(squares);
    let up = steps::step(squares, Direction::UpLeft) | steps::step(squares, Direction::UpRight);
    let down =
        steps::step(squares, Direction::DownLeft) | steps::step(squares, Direction::DownRight);
    (up | down).0
}
