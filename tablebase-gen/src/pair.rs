//! The uncompressed tables of one pair of forces, for either side to move.
//!
//! ```text
//! pair    forces A and B; blocks = placements of all men, most advanced first
//! table   A to move, B to move: per block the plane L, then the plane N
//! plane   one row for each placement of the kings of the side that waits,
//!         one bit in it for each placement of the kings of the side to move
//! ```
//!
//! L: lost for the side to move. N: legal and not won. Both are zero on placements that are not
//! legal, which saves masking. Where the mover has no king, a plane is one row over the kings of
//! the side that waits. When A and B are equal, only blocks with A's men not above B's are kept.
//! Without kings a table is the plane L and the plane N of all blocks, one bit each.
//! Knows how values are stored, not how they are found.

use engine::board::{Bitboard, Square};
use engine::tablebase::index::{MenIndex, choose, rank, spread};
use engine::tablebase::{Force, Placement};

use crate::bare::Bare;
use crate::kernel::Isa;
use crate::kings::Kings;

/// Which side of a pair: 0 for A, 1 for B.
pub(crate) type Side = usize;

/// The numbering of a pair's blocks, by levels that depend only on earlier ones.
pub(crate) struct Blocks {
    pub(crate) forces: [Force; 2],
    men: MenIndex,
    /// From the dense number of a placement of men to its place by levels.
    order: Vec<u32>,
    /// By levels, the ranks of A's men and of B's men beside them.
    by_level: Vec<[u32; 2]>,
    /// The first place of each level, and the end.
    pub(crate) levels: Vec<usize>,
    /// Words in one plane of a block with A and with B to move, and in its rows (0 when a row is
    /// one bit).
    words: [usize; 2],
    widths: [usize; 2],
}

/// How far the men of a side have come, in rows.
pub(crate) fn advance(men: Bitboard) -> u32 {
    men.squares().map(Square::row).sum()
}

/// The placements of so many men by how far they have come, each level in the order of the ranks.
pub(crate) fn by_advance(men: u32) -> Vec<Vec<Bitboard>> {
    let mut levels = vec![Vec::new(); 6 * men as usize + 1];
    for &set in &Kings::of(men).placements[..choose(28, men) as usize] {
        levels[advance(set) as usize].push(set);
    }
    levels
}

impl Blocks {
    /// The blocks of `a` against `b`.
    pub(crate) fn new(a: Force, b: Force) -> Self {
        let this = Self {
            forces: [a, b],
            men: MenIndex::new(b.men, a.men),
            order: Vec::new(),
            by_level: Vec::new(),
            levels: Vec::new(),
            words: [(a, b), (b, a)].map(|(mover, other)| plane_words(mover, other)),
            widths: [a, b].map(|mover| match mover.kings {
                0 => 0,
                kings => Kings::of(kings).width,
            }),
        };
        if this.is_bare() { this } else { this.ordered() }
    }

    /// Finds the order by levels.
    fn ordered(mut self) -> Self {
        let most = 6 * (self.forces[0].men + self.forces[1].men);
        let mut levels = vec![Vec::new(); most as usize + 1];
        for outer in 0..choose(28, self.forces[0].men) as u32 {
            let (start, end) = (self.men.first(outer), self.men.first(outer + 1));
            let a = self.set(0, outer);
            for dense in start..end {
                let b = spread(self.set(1, dense - start), a.rotated());
                if !self.is_symmetric() || a.0 <= b.0 {
                    levels[(most - advance(a) - advance(b)) as usize].push([outer, dense - start]);
                }
            }
        }
        self.by_level = levels.concat();
        self.order = vec![u32::MAX; self.men.len() as usize];
        for (place, &[outer, inner]) in (0..).zip(&self.by_level) {
            self.order[(self.men.first(outer) + inner) as usize] = place;
        }
        let ends = levels.iter().scan(0, |end, level| {
            *end += level.len();
            Some(*end)
        });
        self.levels = std::iter::once(0).chain(ends).collect();
        self
    }

    /// The men of a side with a rank among all placements of so many.
    #[inline]
    fn set(&self, side: Side, rank: u32) -> Bitboard {
        Kings::of(self.forces[side].men).placements[rank as usize]
    }

    /// Whether there are no kings: the blocks are then in the order of the dense numbers, and all
    /// stored.
    #[inline]
    pub(crate) const fn is_bare(&self) -> bool {
        self.forces[0].kings + self.forces[1].kings == 0
    }

    /// How many blocks are stored.
    pub(crate) fn len(&self) -> usize {
        if self.is_bare() {
            self.men.len() as usize
        } else {
            self.by_level.len()
        }
    }

    /// The men of A and of B, each from its own view.
    #[inline]
    pub(crate) fn men(&self, place: usize) -> [Bitboard; 2] {
        let [outer, inner] = if self.is_bare() {
            self.men.split(place as u32).into()
        } else {
            self.by_level[place]
        };
        let a = self.set(0, outer);
        [a, spread(self.set(1, inner), a.rotated())]
    }

    /// Whether only half of the blocks is stored, because both sides have the same force.
    #[inline]
    pub(crate) fn is_symmetric(&self) -> bool {
        self.forces[0] == self.forces[1] && !self.is_bare()
    }

    /// Where the block with these men (of A and B) is, and which side is then called A: a
    /// symmetric pair stores a block once and may have to exchange the sides.
    #[inline]
    pub(crate) fn place(&self, men: [Bitboard; 2]) -> (usize, bool) {
        self.place_by(Isa::PORTABLE, men)
    }

    /// The same, by an instruction set.
    #[inline]
    pub(crate) fn place_by(&self, isa: Isa, men: [Bitboard; 2]) -> (usize, bool) {
        let exchanged = self.is_symmetric() && men[0].0 > men[1].0;
        let [a, b] = if exchanged { [men[1], men[0]] } else { men };
        let dense = (self.men.first(rank(a)) + rank(isa.squeeze(b, a.rotated()))) as usize;
        if self.is_bare() {
            return (dense, false);
        }
        (self.order[dense] as usize, exchanged)
    }

    /// The dense number of the first block with A's men `a`; those of the placements of B's men
    /// beside them follow.
    #[inline]
    pub(crate) fn first_beside(&self, a: Bitboard) -> u32 {
        self.men.first(rank(a))
    }

    /// The dense number of the block with A's men `a`, of rank `rank_a` among all, and B's men `b`.
    #[inline]
    pub(crate) fn beside(&self, isa: Isa, rank_a: u32, a: Bitboard, b: Bitboard) -> u32 {
        self.men.first(rank_a) + rank(isa.squeeze(b, a.rotated()))
    }

    /// The place of the block with a dense number; not of a symmetric pair.
    #[inline]
    pub(crate) fn ordered_place(&self, dense: u32) -> usize {
        self.order[dense as usize] as usize
    }

    /// Words in one plane of a block with `mover` to move.
    #[inline]
    pub(crate) const fn plane_words(&self, mover: Side) -> usize {
        self.words[mover]
    }
}

/// Words in one plane of a block with `mover` to move: a row for each placement of the kings of
/// `other`, or one over them.
fn plane_words(mover: Force, other: Force) -> usize {
    let (own, their) = (Kings::of(mover.kings), Kings::of(other.kings));
    if mover.kings == 0 {
        their.width
    } else {
        their.sets * own.width
    }
}

/// The finished tables of a pair.
pub(crate) struct Pair {
    pub(crate) blocks: Blocks,
    pub(crate) tables: [Vec<u32>; 2],
}

/// One block with one side to move: its two planes.
#[derive(Clone, Copy)]
pub(crate) struct Planes<'a> {
    pub(crate) lost: &'a [u32],
    pub(crate) open: &'a [u32],
    /// Words in a row; 0 when the side to move has no king and a row is one bit.
    width: usize,
}

impl<'a> Planes<'a> {
    /// The planes of block `place` in a table of a pair.
    #[inline]
    pub(crate) fn of(blocks: &Blocks, table: &'a [u32], place: usize, mover: Side) -> Self {
        if blocks.is_bare() {
            return Self::of_bit(table, place);
        }
        let words = blocks.plane_words(mover);
        let (lost, open) = table[2 * words * place..][..2 * words].split_at(words);
        Self {
            lost,
            open,
            width: blocks.widths[mover],
        }
    }

    /// The planes of a block of a pair without kings: one position.
    #[inline]
    fn of_bit(table: &'a [u32], place: usize) -> Self {
        static BITS: [[u32; 1]; 2] = [[0], [1]];
        let (lost, open) = table.split_at(table.len() / 2);
        let bit = |plane: &[u32]| &BITS[(plane[place / 32] >> (place % 32) & 1) as usize][..];
        Self {
            lost: bit(lost),
            open: bit(open),
            width: 0,
        }
    }

    /// One plane that serves as both, with single bits as rows.
    pub(crate) const fn flat(plane: &'a [u32]) -> Self {
        Self {
            lost: plane,
            open: plane,
            width: 0,
        }
    }

    /// Calls `visit` with the lost row and the open row of one placement of the waiting kings.
    #[inline]
    pub(crate) fn row<R>(&self, place: usize, visit: impl FnOnce(&[u32], &[u32]) -> R) -> R {
        if self.width == 0 {
            let bit = |plane: &[u32]| plane[place / 32] >> (place % 32) & 1;
            visit(&[bit(self.lost)], &[bit(self.open)])
        } else {
            let at = place * self.width;
            visit(
                &self.lost[at..at + self.width],
                &self.open[at..at + self.width],
            )
        }
    }
}

/// The most men or kings of a side, and one more.
const FORCES: usize = 8;

/// All finished pairs, found by their forces.
pub(crate) struct Store {
    pairs: Vec<Option<Pair>>,
    /// Pairs without kings once more, in their own form.
    bare: Vec<Bare>,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            pairs: (0..FORCES.pow(4)).map(|_| None).collect(),
            bare: Vec::new(),
        }
    }
}

impl Store {
    /// The forces in the order in which a pair names them.
    pub(crate) fn ordered(own: Force, their: Force) -> (Force, Force) {
        let key = |force: Force| (force.pieces(), force.men);
        if key(own) >= key(their) {
            (own, their)
        } else {
            (their, own)
        }
    }

    #[inline]
    fn slot(a: Force, b: Force) -> usize {
        [a.men, a.kings, b.men, b.kings]
            .into_iter()
            .fold(0, |slot, count| slot * FORCES + count as usize)
    }

    pub(crate) fn insert(&mut self, pair: Pair) {
        let [a, b] = pair.blocks.forces;
        self.pairs[Self::slot(a, b)] = Some(pair);
    }

    pub(crate) fn get(&self, own: Force, their: Force) -> Option<&Pair> {
        let (a, b) = Self::ordered(own, their);
        self.pairs[Self::slot(a, b)].as_ref()
    }

    /// Drops the pairs of so many pieces that have fewer men than `men`.
    pub(crate) fn forget(&mut self, pieces: u32, men: u32) {
        for slot in &mut self.pairs {
            if let Some(pair) = slot {
                let [a, b] = pair.blocks.forces;
                if a.pieces() + b.pieces() == pieces && a.men + b.men < men {
                    *slot = None;
                }
            }
        }
    }

    pub(crate) fn insert_bare(&mut self, bare: Bare) {
        self.bare.push(bare);
    }

    /// The results of a pair without kings, by the numbers of men of the bits and of the rows.
    pub(crate) fn bare(&self, men: [u32; 2]) -> Option<&Bare> {
        self.bare.iter().find(|bare| bare.men() == men)
    }
}

impl Pair {
    /// The planes that hold a placement whose side to move has the force `own`.
    #[inline]
    pub(crate) fn planes(&self, own: Force, placement: &Placement) -> Planes<'_> {
        let own_is_a = own == self.blocks.forces[0];
        let men = if own_is_a {
            [placement.own_men, placement.their_men]
        } else {
            [placement.their_men, placement.own_men]
        };
        let (place, exchanged) = self.blocks.place(men);
        let mover = usize::from(own_is_a == exchanged);
        Planes::of(&self.blocks, &self.tables[mover], place, mover)
    }
}
