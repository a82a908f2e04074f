//! A number for every position of a slice, without gaps, and the way back.
//!
//! Every set of squares is ranked in colexicographic order (as its bits read as a number), seen
//! from the side that owns it. Men come first, because only kings move back:
//!
//! ```text
//! block = placements of men:   their men (outer), own men on what is left of their 28 squares
//! index = (block * C(F, k) + rank of their k kings on the F = 32 - men free squares)
//!               * C(F - k, l) + rank of our l kings on the squares that are left
//! ```
//!
//! Knows nothing about values. Start reading at [`Index`].

use super::slice::{Force, Slice};
use crate::board::{Bitboard, Color};
use crate::rules::{Position, Setup};

/// Squares where a man can stand, seen from its owner: all but the crownhead.
const MEN_SQUARES: u32 = 0x0FFF_FFFF;

const BINOMIALS: [[u64; 14]; 33] = binomials();

const fn binomials() -> [[u64; 14]; 33] {
    let mut table = [[0; 14]; 33];
    let mut n = 0;
    while n <= 32 {
        table[n][0] = 1;
        let mut k = 1;
        while k < 14 && n > 0 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
}

/// The number of `k`-subsets of `n` things; `n` at most 32, `k` at most 13.
#[must_use]
#[inline]
pub const fn choose(n: u32, k: u32) -> u64 {
    BINOMIALS[n as usize][k as usize]
}

/// `BYTE_RANKS[byte][below][bits]`: what the squares `bits` of one byte add to the rank of a
/// set that has `below` squares in lower bytes. 20 KB; four loads rank any set of up to four.
static BYTE_RANKS: [[[u32; 256]; 5]; 4] = byte_ranks();

const fn byte_ranks() -> [[[u32; 256]; 5]; 4] {
    let mut table = [[[0; 256]; 5]; 4];
    let mut byte = 0;
    while byte < 4 {
        let mut below = 0;
        while below < 5 {
            let mut bits = 0;
            while bits < 256 {
                table[byte][below][bits] = byte_rank(byte, below, bits);
                bits += 1;
            }
            below += 1;
        }
        byte += 1;
    }
    table
}

const fn byte_rank(byte: usize, below: usize, bits: usize) -> u32 {
    let mut rank = 0;
    let mut seen = below;
    let mut bit = 0;
    while bit < 8 {
        // Sets of more than four squares take the long way in `rank`.
        if bits & (1 << bit) != 0 && seen < 4 {
            seen += 1;
            rank += BINOMIALS[8 * byte + bit][seen] as u32;
        }
        bit += 1;
    }
    rank
}

/// The place of `set` among all sets of as many squares, in colexicographic order.
#[must_use]
#[inline]
pub fn rank(set: Bitboard) -> u32 {
    let below = below_bytes(set.0);
    if below[4] > 4 {
        return long_rank(set);
    }
    let bytes = set.0.to_le_bytes();
    let part = |byte: usize| BYTE_RANKS[byte][below[byte] as usize][bytes[byte] as usize];
    part(0) + part(1) + part(2) + part(3)
}

/// How many bits are set below each byte, and in all.
#[inline]
fn below_bytes(bits: u32) -> [u8; 5] {
    // The bits of each byte are counted side by side, then summed by a multiplication; plain
    // operations, since this is compiled for processors without a counting instruction too.
    let pairs = bits - ((bits >> 1) & 0x5555_5555);
    let fours = (pairs & 0x3333_3333) + ((pairs >> 2) & 0x3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0F0F_0F0F;
    let [a, b, c, d] = bytes.wrapping_mul(0x0101_0101).to_le_bytes();
    [0, a, b, c, d]
}

fn long_rank(set: Bitboard) -> u32 {
    (1..)
        .zip(set.squares())
        .map(|(nth, square)| choose(square.index() as u32, nth) as u32)
        .sum()
}

/// The set of `count` squares with the given rank, which must be below C(32, `count`).
#[must_use]
pub fn unrank(mut rank: u32, count: u32) -> Bitboard {
    let mut set = 0;
    let mut square = 32;
    for nth in (1..=count).rev() {
        square = (0..square)
            .rev()
            .find(|&square| choose(square, nth) as u32 <= rank)
            .unwrap_or(0);
        rank -= choose(square, nth) as u32;
        set |= 1 << square;
    }
    Bitboard(set)
}

/// `set` as it is numbered when the squares of `taken`, none of which it has, are left out of the
/// board.
#[must_use]
#[inline]
pub const fn squeeze(set: Bitboard, taken: Bitboard) -> Bitboard {
    let (mut set, mut taken) = (set.0, taken.0);
    // From the highest taken square down, what lies above it moves down by one.
    while taken != 0 {
        let below = (1 << taken.ilog2()) - 1;
        set = (set & below) | ((set >> 1) & !below);
        taken &= below;
    }
    Bitboard(set)
}

/// The same for several sets at a time, which may have squares of `taken`.
#[inline]
pub(super) const fn squeeze_all<const N: usize>(
    mut sets: [Bitboard; N],
    taken: Bitboard,
) -> [Bitboard; N] {
    let mut taken = taken.0;
    while taken != 0 {
        let below = (1 << taken.ilog2()) - 1;
        let mut nth = 0;
        while nth < N {
            let set = sets[nth].0;
            sets[nth] = Bitboard((set & below) | ((set >> 1) & !below));
            nth += 1;
        }
        taken &= below;
    }
    sets
}

/// The inverse of [`squeeze`].
#[must_use]
#[inline]
pub fn spread(set: Bitboard, taken: Bitboard) -> Bitboard {
    // From the lowest taken square up, what lies at or above it moves up by one.
    taken.squares().fold(set, |set, square| {
        let below = set.0 & (square.bit().0 - 1);
        Bitboard(below | ((set.0 ^ below) << 1))
    })
}

/// The next set of as many squares in colexicographic order. Of the last one, and of the empty
/// set, the result has no meaning.
#[must_use]
#[inline]
pub const fn next_set(set: Bitboard) -> Bitboard {
    if set.0 == 0 {
        return set;
    }
    let low = set.0 & set.0.wrapping_neg();
    let ripple = set.0.wrapping_add(low);
    Bitboard(ripple | (((ripple ^ set.0) >> 2) >> low.trailing_zeros()))
}

/// The placements of both sides' men, numbered without gaps.
#[derive(Clone, Debug)]
pub struct MenIndex {
    own: u32,
    their: u32,
    /// The first block of each placement of their men; the total at the end.
    offsets: Vec<u32>,
}

impl MenIndex {
    /// The numbering for so many men a side, at most four each.
    #[must_use]
    pub fn new(own: u32, their: u32) -> Self {
        let mut offsets = vec![0];
        let mut total = 0;
        let mut set = unrank(0, their);
        for _ in 0..choose(28, their) {
            let open = MEN_SQUARES & !set.rotated().0;
            total += choose(open.count_ones(), own) as u32;
            offsets.push(total);
            set = next_set(set);
        }
        Self {
            own,
            their,
            offsets,
        }
    }

    /// How many blocks there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.offsets[self.offsets.len() - 1]
    }

    /// Never: there is at least one block.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The block of our men and their men, each seen from its own side; they must not meet.
    #[must_use]
    #[inline]
    pub fn block(&self, own: Bitboard, their: Bitboard) -> u32 {
        self.offsets[rank(their) as usize] + rank(squeeze(own, their.rotated()))
    }

    /// The rank of their men of a block, and the place of our men beside them.
    #[must_use]
    #[inline]
    pub fn split(&self, block: u32) -> (u32, u32) {
        let outer = self.offsets.partition_point(|&first| first <= block) - 1;
        (outer as u32, block - self.offsets[outer])
    }

    /// The first block with their men of rank `outer`, or the number of blocks.
    #[must_use]
    pub fn first(&self, outer: u32) -> u32 {
        self.offsets[outer as usize]
    }

    /// Our men and their men of a block, each seen from its own side.
    #[must_use]
    pub fn men(&self, block: u32) -> (Bitboard, Bitboard) {
        let (outer, inner) = self.split(block);
        let their = unrank(outer, self.their);
        (spread(unrank(inner, self.own), their.rotated()), their)
    }
}

/// A placement of a slice: every set seen from the side that owns it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The men of the side to move.
    pub own_men: Bitboard,
    /// The kings of the side to move.
    pub own_kings: Bitboard,
    /// The other side's men, from its own view.
    pub their_men: Bitboard,
    /// The other side's kings, from its own view.
    pub their_kings: Bitboard,
}

impl Placement {
    /// What stands in `position`, seen from the side to move.
    #[must_use]
    #[inline]
    pub fn of(position: &Position) -> Self {
        let seen = match position.turn() {
            Color::Black => *position,
            Color::White => position.rotated(),
        };
        Self {
            own_men: seen.men(Color::Black),
            own_kings: seen.kings(Color::Black),
            their_men: seen.men(Color::White).rotated(),
            their_kings: seen.kings(Color::White).rotated(),
        }
    }

    /// The position with Black to move; `None` when the sets overlap or stand where they cannot.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        let setup = Setup {
            men: [self.own_men, self.their_men.rotated()],
            kings: [self.own_kings, self.their_kings.rotated()],
            turn: Color::Black,
        };
        Position::try_from(setup).ok()
    }
}

/// The numbering of one slice.
#[derive(Clone, Debug)]
pub struct Index {
    slice: Slice,
    men: MenIndex,
    their_kings: u64,
    own_kings: u64,
}

impl Index {
    /// The numbering of `slice`, of at most four pieces a side.
    #[must_use]
    pub fn new(slice: Slice) -> Self {
        let Slice { own, their } = slice;
        let free = 32 - own.men - their.men;
        Self {
            slice,
            men: MenIndex::new(own.men, their.men),
            their_kings: choose(free, their.kings),
            own_kings: choose(free - their.kings, own.kings),
        }
    }

    /// The material.
    #[must_use]
    pub const fn slice(&self) -> Slice {
        self.slice
    }

    /// The numbering of the placements of men.
    #[must_use]
    pub const fn men(&self) -> &MenIndex {
        &self.men
    }

    /// How many positions there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        u64::from(self.men.len()) * self.block_len()
    }

    /// Never: a slice holds positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many positions a block has.
    #[must_use]
    pub const fn block_len(&self) -> u64 {
        self.their_kings * self.own_kings
    }

    /// How many positions differ in our own kings alone.
    #[must_use]
    pub const fn row_len(&self) -> u64 {
        self.own_kings
    }

    /// The number of a placement of this slice.
    #[must_use]
    #[inline]
    pub fn index(&self, placement: &Placement) -> u64 {
        let block = self.men.block(placement.own_men, placement.their_men);
        let men = placement.own_men.rotated() | placement.their_men;
        let theirs = rank(squeeze(placement.their_kings, men));
        let taken = (men | placement.their_kings).rotated();
        let own = rank(squeeze(placement.own_kings, taken));
        (u64::from(block) * self.their_kings + u64::from(theirs)) * self.own_kings + u64::from(own)
    }

    /// The placement with a number below [`Index::len`].
    #[must_use]
    pub fn placement(&self, index: u64) -> Placement {
        let Force { kings, .. } = self.slice.own;
        let (row, own) = (index / self.own_kings, index % self.own_kings);
        let (block, theirs) = (row / self.their_kings, row % self.their_kings);
        let (own_men, their_men) = self.men.men(block as u32);
        let men = own_men.rotated() | their_men;
        let their_kings = spread(unrank(theirs as u32, self.slice.their.kings), men);
        let taken = (men | their_kings).rotated();
        Placement {
            own_men,
            own_kings: spread(unrank(own as u32, kings), taken),
            their_men,
            their_kings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_run_through_all_sets_in_order() {
        for count in 0..=4 {
            let mut set = unrank(0, count);
            for expected in 0..choose(32, count) as u32 {
                assert_eq!(rank(set), expected);
                assert_eq!(long_rank(set), expected);
                assert_eq!(unrank(expected, count), set);
                set = next_set(set);
            }
        }
    }

    #[test]
    fn squeezing_and_spreading_invert() {
        for taken in [0, 1, 0x8000_0000, 0x1234_5678, 0x00FF_FF00].map(Bitboard) {
            let set = Bitboard(0x8421_0842) - taken;
            assert_eq!(spread(squeeze(set, taken), taken), set);
        }
    }

    /// Every slice of up to four pieces, whole: the placements are legal, all different (since
    /// the index comes back) and as many as the formula says.
    #[test]
    fn whole_slices_are_numbered_one_to_one() {
        for pieces in 2..=4 {
            for slice in Slice::all(pieces, 4) {
                let index = Index::new(slice);
                assert_eq!(index.len(), slice.positions(), "{slice}");
                for number in 0..index.len() {
                    let placement = index.placement(number);
                    let position = placement.position().expect("a legal placement");
                    assert_eq!(Slice::of(&position), slice);
                    assert_eq!(index.index(&Placement::of(&position)), number);
                    assert_eq!(index.index(&Placement::of(&position.rotated())), number);
                }
            }
        }
    }

    #[test]
    fn larger_slices_agree_with_the_formula_and_in_samples() {
        for pieces in 5..=7 {
            for slice in Slice::all(pieces, 4) {
                let index = Index::new(slice);
                assert_eq!(index.len(), slice.positions(), "{slice}");
                for number in (0..index.len()).step_by(1 + index.len() as usize / 199) {
                    assert_eq!(index.index(&index.placement(number)), number, "{slice}");
                }
            }
        }
    }
}
