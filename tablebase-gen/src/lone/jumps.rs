//! What captures lead to beside one placement of the men of the side that has the lone king.
//!
//! Captures by the king, and of the king by a man, are many and left to the loops of `kernel`;
//! here is what they need: values after the first landing. A capture by or of a man of the king's
//! side concerns few placements and is followed here, one by one, for all squares of the king.
//! Men only advance, and a king jumps over other squares than those he lands on, so captured
//! pieces never stand in the way of the capture that took them. Start reading at [`Jumps`].

use engine::board::{Bitboard, Direction, Square, steps};
use engine::tablebase::Force;

use super::men::{CROWNED, DOWN, Men};
use crate::capture::{CROWNHEAD, FORWARD};
use crate::kernel::{Value, both, value};
use crate::lookup::Lookup;
use crate::pair::{Planes, Store};

/// The lone king's side: its men from its own view; the other side's as it sees them.
pub(super) struct Jumps<'j, 'a> {
    pub(super) store: &'a Store,
    pub(super) lookup: &'j mut Lookup<'a>,
    /// How many men the other side has before a capture.
    pub(super) men: u32,
}

/// Captures found for all placements of the other side's men.
pub(super) struct Found<'f> {
    pub(super) values: &'f mut [Value],
    /// Where there is a capture, by the king's square.
    pub(super) any: &'f mut [u32],
}

impl Found<'_> {
    /// Adds a capture after which the piece stands on `landing`, where the king must not be.
    fn add(&mut self, slot: usize, found: Value, landing: Square) {
        let free = !landing.bit();
        self.values[slot] |= found & both(free.0);
        self.any[slot] |= free.0;
    }
}

/// The square over which a jump from `at` goes, and the one on which it ends.
fn jump(at: Square, direction: Direction) -> Option<[Square; 2]> {
    let over = steps::step(at.bit(), direction);
    Some([over.first()?, steps::step(over, direction).first()?])
}

/// The planes' row over two kings, as a word over one where the other is on `square` of the
/// crownhead: in the order of their sets pairs with a lower king follow each other.
fn beside_crowned(row: &[u32], square: Square) -> u32 {
    let pairs = |high: usize| high * (high - 1) / 2;
    let (crowned, first) = (square.index(), pairs(square.index()));
    let words = u64::from(row[first / 32]) | u64::from(row[first / 32 + 1]) << 32;
    let lower = (words >> (first % 32)) as u32 & ((1 << crowned) - 1);
    (crowned + 1..32).fold(lower, |word, higher| {
        let at = pairs(higher) + crowned;
        word | (row[at / 32] >> (at % 32) & 1) << higher
    })
}

impl Jumps<'_, '_> {
    /// With the other side to move, after a move of the lone king's side.
    fn planes_after(&mut self, men: Bitboard, kings: u32, theirs: Bitboard) -> Planes<'_> {
        let own = Force {
            men: men.len(),
            kings,
        };
        let their = Force {
            men: theirs.len(),
            kings: 0,
        };
        self.lookup.find((own, men), (their, theirs))
    }

    /// The same, by the king's square.
    pub(super) fn moved(&mut self, men: Bitboard, theirs: Bitboard) -> Value {
        let planes = self.planes_after(men, 1, theirs);
        value(planes.lost[0], planes.open[0])
    }

    /// The same, when a man is crowned on any of `squares`.
    pub(super) fn crowned(&mut self, men: Bitboard, squares: Bitboard, theirs: Bitboard) -> Value {
        let planes = self.planes_after(men, 2, theirs);
        squares.squares().fold(0, |found, square| {
            let [lost, open] = [planes.lost, planes.open].map(|row| beside_crowned(row, square));
            found | value(lost, open)
        })
    }

    /// With the king's side to move, after a move of the other side; `kings` of each.
    fn planes_before(&mut self, men: Bitboard, theirs: Bitboard, kings: [u32; 2]) -> Planes<'_> {
        let own = Force {
            men: theirs.len(),
            kings: kings[1],
        };
        let their = Force {
            men: men.len(),
            kings: kings[0],
        };
        self.lookup
            .find((own, theirs.rotated()), (their, men.rotated()))
    }

    /// By the king's square, after a man of the other side was crowned: on each square of his
    /// crownhead.
    pub(super) fn crowned_against(&mut self, men: Bitboard, theirs: Bitboard) -> [Value; 4] {
        let planes = self.planes_before(men, theirs, [1, 1]);
        let row = |square: Square| {
            planes.row(square.rotated().index(), |lost, open| {
                value(lost[0], open[0])
            })
        };
        [0, 1, 2, 3].map(|index| row(Square::from_index(index)))
    }

    /// All values after a man of the lone king's side has just landed on `at`, by the king's
    /// square.
    fn man_landed(&mut self, men: Bitboard, at: Square, theirs: Bitboard) -> Value {
        if CROWNHEAD.contains(at) {
            return self.crowned(men, at.bit(), theirs);
        }
        let (mut found, mut stays) = (0, Bitboard::ALL);
        for [over, landing] in FORWARD.into_iter().filter_map(|way| jump(at, way)) {
            if theirs.contains(over) && !(men | theirs).contains(landing) {
                let after = self.man_landed(men, landing, theirs - over.bit());
                found |= after & both((!landing.bit()).0);
                stays &= landing.bit();
            }
        }
        if stays.any() {
            found |= self.moved(men | at.bit(), theirs) & both(stays.0);
        }
        found
    }

    /// Captures by the men of the lone king's side.
    pub(super) fn by_men(&mut self, own: Bitboard, found: &mut Found<'_>) {
        for at in own {
            let men = own - at.bit();
            for [over, landing] in FORWARD.into_iter().filter_map(|way| jump(at, way)) {
                if own.contains(landing) || own.contains(over) {
                    continue;
                }
                for (slot, others) in Men::of(self.men).having(over, own | landing.bit()) {
                    let after = self.man_landed(men, landing, others);
                    found.add(slot, after, landing);
                }
            }
        }
    }

    /// All values after a man of the other side has just landed on `at`, by the king's square;
    /// `men` are what is left of the king's side.
    fn landed_against(&mut self, men: Bitboard, at: Square, theirs: Bitboard) -> Value {
        if CROWNED.contains(at) {
            return self.crowned_against(men, theirs)[at.index()];
        }
        let (mut found, mut stays) = (0, Bitboard::ALL);
        for [over, landing] in DOWN.into_iter().filter_map(|way| jump(at, way)) {
            if (men | theirs).contains(landing) {
                continue;
            }
            if men.contains(over) {
                let after = self.landed_against(men - over.bit(), landing, theirs);
                found |= after & both((!landing.bit()).0);
                stays &= landing.bit();
            } else if !theirs.contains(over) {
                let [wins, saves] = self.without_king(men, landing, theirs);
                let victim = |takes: bool| if takes { over.bit().0 } else { 0 };
                found |= value(victim(wins), victim(saves));
                stays = stays - over.bit();
            }
        }
        if stays.any() {
            let planes = self.planes_before(men, theirs | at.bit(), [1, 0]);
            found |= value(planes.lost[0], planes.open[0]) & both(stays.0);
        }
        found
    }

    /// Whether it wins and whether it saves that a man of the other side has just landed on `at`,
    /// the king being taken.
    fn without_king(&mut self, men: Bitboard, at: Square, theirs: Bitboard) -> [bool; 2] {
        let (mut found, mut any) = ([false; 2], false);
        if !CROWNED.contains(at) {
            for [over, landing] in DOWN.into_iter().filter_map(|way| jump(at, way)) {
                if men.contains(over) && !(men | theirs).contains(landing) {
                    let after = self.without_king(men - over.bit(), landing, theirs);
                    found = [found[0] | after[0], found[1] | after[1]];
                    any = true;
                }
            }
        }
        if any {
            return found;
        }
        let (planes, bit) = if CROWNED.contains(at) {
            let planes = self.planes_before(men, theirs, [0, 1]);
            (planes, at.rotated().index())
        } else {
            (self.planes_before(men, theirs | at.bit(), [0, 0]), 0)
        };
        [planes.lost, planes.open].map(|plane| plane[0] >> bit & 1 != 0)
    }

    /// Captures by the other side's men of men of the lone king's side.
    pub(super) fn of_men(&mut self, own: Bitboard, found: &mut Found<'_>) {
        for over in own {
            for direction in DOWN {
                let from = steps::step(over.bit(), direction.opposite()) - own;
                let landing = steps::step(over.bit(), direction) - own;
                let (Some(from), Some(landing)) = (from.first(), landing.first()) else {
                    continue;
                };
                for (slot, others) in Men::of(self.men).having(from, own | landing.bit()) {
                    let after = self.landed_against(own - over.bit(), landing, others);
                    found.add(slot, after, landing);
                }
            }
        }
    }

    /// For all placements of the other side's men, and for those of one man fewer behind them,
    /// what it is worth that a man has just landed on a square, having taken the king.
    pub(super) fn of_king(&mut self, own: Bitboard, into: &mut [Value]) {
        let (all, fewer) = (Men::of(self.men), Men::of(self.men - 1));
        if own.is_empty() {
            into.fill(!0);
            into[all.zero() as usize..all.crowned() as usize].fill(0);
            return;
        }
        let bare = self.store.bare([self.men, own.len()]);
        let bare = bare.expect("captures lead to finished pairs");
        let [lost, open] = bare.rows_to_move(own);
        for (rank, &slot) in all.slots.iter().enumerate() {
            let bit = |row: &[u32]| 0u32.wrapping_sub(row[rank / 32] >> (rank % 32) & 1);
            into[slot as usize] = value(bit(lost), bit(open));
        }
        for (slot, set) in fewer.beside(own) {
            let planes = self.planes_before(own, set, [0, 1]);
            let [lost, open] = [planes.lost, planes.open].map(|plane| plane[0].reverse_bits());
            into[all.crowned() as usize + slot] = value(lost, open);
        }
        self.go_on_from_king(own, into);
    }

    /// Corrects where a man that has taken the king can go on.
    fn go_on_from_king(&mut self, own: Bitboard, into: &mut [Value]) {
        let goes_on = |at: Square| {
            let mut jumps = DOWN.into_iter().filter_map(|way| jump(at, way));
            jumps.any(|[over, landing]| own.contains(over) && !own.contains(landing))
        };
        for at in (!(own | CROWNED)).squares().filter(|&at| goes_on(at)) {
            for (slot, others) in Men::of(self.men).having(at, own) {
                let bit = |on: bool| if on { at.bit().0 } else { 0 };
                let [wins, saves] = self.without_king(own, at, others);
                let into = &mut into[slot];
                *into = (*into & !both(at.bit().0)) | value(bit(wins), bit(saves));
            }
        }
    }
}

/// Places for values of all placements, and of what crownings lead to behind them.
pub(super) fn king_places(men: u32) -> usize {
    Men::of(men).crowned() as usize + Men::of(men - 1).len()
}

/// How many values steps lead to: of the placements, a chunk of zeros, and for each placement
/// of one man fewer the squares of the crownhead.
pub(super) fn step_places(men: u32) -> usize {
    Men::of(men).crowned() as usize + 4 * Men::of(men - 1).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Isa;
    use crate::kings::Kings;

    #[test]
    fn what_is_beside_a_crowned_king_is_what_selection_finds() {
        let mut seed = 1_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed ^ seed >> 15
        };
        let row: Vec<u32> = Kings::of(2).valid.iter().map(|all| all & next()).collect();
        for square in CROWNHEAD {
            let mut expected = [0];
            let (mask, keep) = (Kings::of(1).lacks(square), Kings::of(2).holds(square));
            Isa::PORTABLE.expand(&mut expected, mask, &row, keep);
            assert_eq!(beside_crowned(&row, square), expected[0], "{square}");
        }
    }
}
