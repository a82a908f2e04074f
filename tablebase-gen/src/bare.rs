//! Solves pairs without kings: a row of bits over all placements of one side's men at once.
//!
//! Every move is a man's, so nothing is circular. For each placement S of B's men, most advanced
//! first, one row over the placements T of A's men holds the results with B to move and one those
//! with A to move. B's moves lead to whole other rows; A's moves lead from bit to bit and are
//! made by selection, as in the module `capture`: take the bits with a man on the target, leave
//! him out, put one back on the square he came from. Start reading at [`Bare::solve`].

use engine::board::{Bitboard, Square, steps};
use engine::tablebase::Force;
use engine::tablebase::index::{choose, rank};
use rayon::prelude::*;

use crate::capture::{CROWNHEAD, FORWARD};
use crate::kernel::Isa;
use crate::kings::Kings;
use crate::lookup::{Beside, Fixed, Lookup};
use crate::pair::{Blocks, Store, advance, by_advance};

/// Who is to move: the side whose placements are the bits (A), or the rows (B).
const BITS: usize = 0;
const ROWS: usize = 1;

/// The rows L (lost) and N (legal and not won), or what moves lead to: wins and saves.
type Two = [Vec<u32>; 2];

/// The results of a pair without kings.
pub(crate) struct Bare {
    /// How many men the bits stand for, and how many the rows.
    men: [u32; 2],
    width: usize,
    /// With the bits' side to move, with the rows' side to move: planes L and N.
    planes: [Two; 2],
}

/// Words of a row over the placements of so many men.
fn width(men: u32) -> usize {
    (choose(28, men) as usize).div_ceil(32)
}

/// All ones, where the side to move has nothing left.
fn gone(words: usize) -> Two {
    [vec![!0; words], vec![!0; words]]
}

fn zeros(words: usize) -> Two {
    [vec![0; words], vec![0; words]]
}

fn or_two(isa: Isa, into: &mut Two, from: [&[u32]; 2]) {
    for (into, from) in into.iter_mut().zip(from) {
        isa.or_into(into, from);
    }
}

fn slices(two: &Two) -> [&[u32]; 2] {
    [&two[0], &two[1]]
}

impl Bare {
    /// Solves the pair of `blocks`, which has no kings.
    pub(crate) fn solve(isa: Isa, store: &Store, blocks: &Blocks) -> Self {
        let men = blocks.forces.map(|force| force.men);
        let width = width(men[0]);
        let rows = choose(28, men[1]) as usize;
        let plane = || vec![0; rows * width];
        let mut this = Self {
            men,
            width,
            planes: [[plane(), plane()], [plane(), plane()]],
        };
        for (come, level) in by_advance(men[1]).iter().enumerate().rev() {
            let lookup = || Lookup::new(store, blocks, [&[], &[]]).with(isa);
            let crowned = Crowned::new(men, come as u32, lookup);
            let solved: Vec<[Two; 2]> = level
                .par_iter()
                .map_init(lookup, |lookup, &set| {
                    Row::new(isa, store, &this, &crowned, set).solve(lookup)
                })
                .collect();
            for (&set, solved) in level.iter().zip(solved) {
                this.put(set, &solved);
            }
        }
        this
    }

    fn put(&mut self, rows: Bitboard, solved: &[Two; 2]) {
        let at = rank(rows) as usize * self.width;
        for (planes, solved) in self.planes.iter_mut().zip(solved) {
            for (plane, row) in planes.iter_mut().zip(solved) {
                plane[at..at + self.width].copy_from_slice(row);
            }
        }
    }

    /// The rows L and N for the men `rows`.
    fn row(&self, mover: usize, rows: Bitboard) -> [&[u32]; 2] {
        let at = rank(rows) as usize * self.width;
        [0, 1].map(|plane: usize| &self.planes[mover][plane][at..at + self.width])
    }

    /// The rows L and N for the men `rows`, whose side is to move.
    pub(crate) fn rows_to_move(&self, rows: Bitboard) -> [&[u32]; 2] {
        self.row(ROWS, rows)
    }

    /// The tables of the pair of `blocks` with A and with B to move, from results in rows for A's
    /// men: the planes L and N, one bit for each block.
    pub(crate) fn tables(&self, isa: Isa, blocks: &Blocks) -> [Vec<u32>; 2] {
        [ROWS, BITS].map(|mover| {
            let mut table = Vec::new();
            for plane in &self.planes[mover] {
                table.extend(self.packed(isa, plane, blocks.len()));
            }
            table
        })
    }

    /// The bits of the placements in which the men do not meet, one after the other.
    fn packed(&self, isa: Isa, plane: &[u32], blocks: usize) -> Vec<u32> {
        let all = vec![!0; self.width];
        let mut legal = vec![0; self.width];
        let mut packed = vec![0; blocks.div_ceil(32) + self.width + 1];
        let mut at = 0;
        let rows = &Kings::of(self.men[1]).placements[..choose(28, self.men[1]) as usize];
        for (row, set) in plane.chunks_exact(self.width).zip(rows) {
            fill_legal(&mut legal, self.men[0], set.rotated());
            let mut dense = vec![0; self.width];
            isa.expand(&mut dense, &all, row, &legal);
            for (i, word) in dense.into_iter().enumerate() {
                let word = u64::from(word) << (at % 32);
                packed[at / 32 + i] |= word as u32;
                packed[at / 32 + i + 1] |= (word >> 32) as u32;
            }
            at += legal
                .iter()
                .map(|word| word.count_ones() as usize)
                .sum::<usize>();
        }
        packed.truncate(blocks.div_ceil(32));
        packed
    }

    /// The same with rows and bits exchanged.
    pub(crate) fn turned(&self, isa: Isa) -> Self {
        let [bits, rows] = self.men;
        let planes = [ROWS, BITS].map(|mover| {
            [0, 1].map(|plane: usize| self.turned_plane(isa, &self.planes[mover][plane]))
        });
        Self {
            men: [rows, bits],
            width: width(rows),
            planes,
        }
    }

    fn turned_plane(&self, isa: Isa, plane: &[u32]) -> Vec<u32> {
        let [bits, rows] = self.men.map(|men| choose(28, men) as usize);
        let width = width(self.men[1]);
        let mut turned = vec![0; bits * width];
        for group in 0..width {
            for word in 0..self.width {
                let mut tile = [0; 32];
                for (row, tile) in (32 * group..rows).zip(&mut tile) {
                    *tile = plane[row * self.width + word];
                }
                isa.transpose(&mut tile);
                for (bit, tile) in (32 * word..bits).zip(tile) {
                    turned[bit * width + group] = tile;
                }
            }
        }
        turned
    }

    /// How many men the bits stand for, and how many the rows.
    pub(crate) const fn men(&self) -> [u32; 2] {
        self.men
    }
}

/// What crownings of the rows' men on each square of the crownhead lead to, over the bits, for the
/// rows of one level.
struct Crowned {
    /// By the rank of the other men; empty where those of this level cannot have them beside one.
    rows: Vec<[Two; 4]>,
}

impl Crowned {
    /// For the rows whose men have come `come` squares; reads each value once, where row by row
    /// every one is asked for up to four times.
    fn new<'a>(men: [u32; 2], come: u32, lookup: impl Fn() -> Lookup<'a> + Sync + Send) -> Self {
        let rows = match men[1].checked_sub(1) {
            None => Vec::new(),
            Some(others) => {
                let sets = &Kings::of(others).placements[..choose(28, others) as usize];
                let found = sets.par_iter().map_init(lookup, |lookup, &others| {
                    // One step before the crownhead a man has come six rows.
                    if advance(others) + 6 != come {
                        return Default::default();
                    }
                    gather(&beside_rows(others, men[0], lookup), CROWNHEAD_FIRST)
                });
                found.collect()
            }
        };
        Self { rows }
    }

    fn row(&self, others: Bitboard, to: Square) -> [&[u32]; 2] {
        slices(&self.rows[rank(others) as usize][crowned_nth(to)])
    }
}

/// One placement of the rows' men; everything over the bits.
struct Row<'r> {
    isa: Isa,
    store: &'r Store,
    bare: &'r Bare,
    crowned: &'r Crowned,
    /// The rows' men, as they see them, and as the other side does.
    men: Bitboard,
    seen: Bitboard,
}

/// A capturing man on his way: the others of his side that are known, what he has taken, and
/// how many of the men behind the bits are left.
#[derive(Clone, Copy)]
struct Way {
    at: Square,
    others: Bitboard,
    taken: Bitboard,
    left: u32,
}

impl<'r> Row<'r> {
    fn new(
        isa: Isa,
        store: &'r Store,
        bare: &'r Bare,
        crowned: &'r Crowned,
        men: Bitboard,
    ) -> Self {
        Self {
            isa,
            store,
            bare,
            crowned,
            men,
            seen: men.rotated(),
        }
    }

    /// The results with the bits' and with the rows' side to move.
    fn solve(&self, lookup: &mut Lookup<'_>) -> [Two; 2] {
        let mut legal = vec![0; self.bare.width];
        fill_legal(&mut legal, self.bare.men[0], self.seen);
        let quiet = self.rows_quiet();
        let (captures, any) = self.rows_captures(lookup);
        let rows = decide(&legal, &quiet, &captures, &any);
        let (quiet, captures, any) = self.bits_moves(slices(&rows), lookup);
        let bits = decide(&legal, &quiet, &captures, &any);
        [bits, rows]
    }

    /// What steps of the rows' men lead to.
    fn rows_quiet(&self) -> Two {
        let mut found = zeros(self.bare.width);
        for from in self.men {
            for direction in FORWARD {
                let to = steps::step(from.bit(), direction) - self.men;
                let Some(to) = to.first() else { continue };
                let others = self.men - from.bit();
                let row = if CROWNHEAD.contains(to) {
                    self.crowned.row(others, to)
                } else {
                    self.bare.row(BITS, others | to.bit())
                };
                or_two(self.isa, &mut found, row);
            }
        }
        found
    }

    fn rows_captures(&self, lookup: &mut Lookup<'_>) -> (Two, Vec<u32>) {
        let mut found = (zeros(self.bare.width), vec![0; self.bare.width]);
        for at in self.men {
            let way = Way {
                at,
                others: self.men - at.bit(),
                taken: Bitboard::EMPTY,
                left: self.bare.men[0],
            };
            self.rows_jumps(&way, lookup, &mut found);
        }
        found
    }

    /// Adds what each further jump of a man of the rows leads to.
    fn rows_jumps(&self, way: &Way, lookup: &mut Lookup<'_>, here: &mut (Two, Vec<u32>)) {
        let free = !(way.others | way.taken);
        for direction in FORWARD {
            let over = steps::step(way.at.bit(), direction) & free;
            let landing = steps::step(over, direction) & free;
            let (Some(victim), Some(at), true) = (over.first(), landing.first(), way.left > 0)
            else {
                continue;
            };
            let next = Way {
                at,
                taken: way.taken | over,
                left: way.left - 1,
                ..*way
            };
            let mut found = self.rows_landed(&next, lookup);
            let (here_men, fewer) = (Kings::of(way.left), Kings::of(next.left));
            let (victim, at) = (victim.rotated(), at.rotated());
            clear(&mut found, fewer.holds(at));
            self.put_back(&mut here.0, way.left, victim, slices(&found));
            let masks = here_men.holds(victim).iter().zip(here_men.lacks(at));
            here.1
                .iter_mut()
                .zip(masks)
                .for_each(|(any, (&on, &off))| *any |= on & off);
        }
    }

    fn rows_landed(&self, way: &Way, lookup: &mut Lookup<'_>) -> Two {
        let mut here = (zeros(width(way.left)), vec![0; width(way.left)]);
        self.rows_jumps(way, lookup, &mut here);
        let base = if way.left == 0 {
            gone(1)
        } else if CROWNHEAD.contains(way.at) {
            rows_crowned(way, lookup)
        } else {
            let bare = self.of([way.left, self.men.len()]);
            bare.row(BITS, way.others | way.at.bit())
                .map(<[u32]>::to_vec)
        };
        add_rest(&mut here.0, &base, &here.1);
        here.0
    }

    fn of(&self, men: [u32; 2]) -> &Bare {
        self.store
            .bare(men)
            .expect("captures lead to finished pairs")
    }

    /// `into |=` the results in rows over one man fewer, with a man put on `square`.
    fn put_back(&self, into: &mut Two, men: u32, square: Square, from: [&[u32]; 2]) {
        let (mask, keep) = (
            Kings::of(men).holds(square),
            Kings::of(men - 1).lacks(square),
        );
        for (into, from) in into.iter_mut().zip(from) {
            self.isa.expand(into, mask, from, keep);
        }
    }

    /// The bits with a man on `square`, in rows over the others.
    fn leave_out(&self, square: Square, from: [&[u32]; 2]) -> Two {
        let men = self.bare.men[0];
        let (mask, keep) = (
            Kings::of(men - 1).lacks(square),
            Kings::of(men).holds(square),
        );
        let mut into = zeros(width(men - 1));
        for (into, from) in into.iter_mut().zip(from) {
            self.isa.expand(into, mask, from, keep);
        }
        into
    }

    /// What the moves of the men behind the bits lead to; `after` are the results with the rows'
    /// side to move. Steps, captures, and where there are captures.
    fn bits_moves(&self, after: [&[u32]; 2], lookup: &mut Lookup<'_>) -> (Two, Two, Vec<u32>) {
        let (men, words) = (self.bare.men[0], self.bare.width);
        let mut found = (zeros(words), zeros(words), vec![0; words]);
        let targets = self.bits_targets(after, lookup);
        for from in !(self.seen | CROWNHEAD) {
            let mut quiet = zeros(width(men - 1));
            for to in FORWARD
                .into_iter()
                .flat_map(|it| steps::step(from.bit(), it))
            {
                if let Some(target) = &targets[to.index()] {
                    or_two(self.isa, &mut quiet, slices(target));
                }
            }
            self.put_back(&mut found.0, men, from, slices(&quiet));
            let mut here = (zeros(width(men - 1)), vec![0; width(men - 1)]);
            if self.bits_jumps(from, Bitboard::EMPTY, lookup, &mut here) {
                self.put_back(&mut found.1, men, from, slices(&here.0));
                let (mask, keep) = (Kings::of(men).holds(from), Kings::of(men - 1).lacks(from));
                self.isa.expand(&mut found.2, mask, &here.1, keep);
            }
        }
        found
    }

    /// What steps of one of the men behind the bits to each square lead to, over the others.
    fn bits_targets(&self, after: [&[u32]; 2], lookup: &mut Lookup<'_>) -> Vec<Option<Two>> {
        let beside = self.beside_bits(self.seen, lookup);
        let mut crowned: [Two; 4] = gather(&beside, CROWNHEAD_FIRST);
        let target = |to: Square| match (self.seen.contains(to), CROWNHEAD.contains(to)) {
            (true, _) => None,
            (false, true) => Some(std::mem::take(&mut crowned[crowned_nth(to)])),
            (false, false) => Some(self.leave_out(to, after)),
        };
        Square::all().map(target).collect()
    }

    /// Adds what further jumps of one of the men behind the bits lead to, in rows over the others;
    /// whether there are any.
    fn bits_jumps(
        &self,
        at: Square,
        taken: Bitboard,
        lookup: &mut Lookup<'_>,
        here: &mut (Two, Vec<u32>),
    ) -> bool {
        let mut any = false;
        for direction in FORWARD {
            let over = steps::step(at.bit(), direction) & (self.seen - taken);
            let landing = steps::step(over, direction) - self.seen;
            let Some(to) = landing.first() else { continue };
            any = true;
            let found = self.bits_landed(to, taken | over, lookup);
            let others = Kings::of(self.bare.men[0] - 1);
            for (i, &free) in others.lacks(to)[..here.1.len()].iter().enumerate() {
                here.0[0][i] |= found[0][i] & free;
                here.0[1][i] |= found[1][i] & free;
                here.1[i] |= free;
            }
        }
        any
    }

    fn bits_landed(&self, at: Square, taken: Bitboard, lookup: &mut Lookup<'_>) -> Two {
        let words = width(self.bare.men[0] - 1);
        let mut here = (zeros(words), vec![0; words]);
        self.bits_jumps(at, taken, lookup, &mut here);
        let left = self.seen - taken;
        let base = if left.is_empty() {
            gone(words)
        } else if CROWNHEAD.contains(at) {
            self.bits_crowned(at, left, lookup)
        } else {
            let bare = self.of([self.bare.men[0], left.len()]);
            self.leave_out(at, bare.row(ROWS, left.rotated()))
        };
        add_rest(&mut here.0, &base, &here.1);
        here.0
    }

    /// The results after one of the men behind the bits was crowned on `at`, over the others; of
    /// the rows' men those in `left` remain.
    fn bits_crowned(&self, at: Square, left: Bitboard, lookup: &mut Lookup<'_>) -> Two {
        gather_at(&self.beside_bits(left, lookup), at)
    }

    fn beside_bits<'l>(&self, left: Bitboard, lookup: &mut Lookup<'l>) -> Beside<'l> {
        let own = Force {
            men: self.bare.men[0] - 1,
            kings: 1,
        };
        let their = Force {
            men: left.len(),
            kings: 0,
        };
        lookup.beside(own, their, Fixed::Their(left.rotated()))
    }
}

/// The results after a man of the rows was crowned, over the men behind the bits.
fn rows_crowned(way: &Way, lookup: &mut Lookup<'_>) -> Two {
    gather_at(&beside_rows(way.others, way.left, lookup), way.at)
}

fn beside_rows<'l>(others: Bitboard, left: u32, lookup: &mut Lookup<'l>) -> Beside<'l> {
    let own = Force {
        men: others.len(),
        kings: 1,
    };
    let their = Force {
        men: left,
        kings: 0,
    };
    lookup.beside(own, their, Fixed::Own(others))
}

/// The results with a king on each of the squares from `first` on, over the men that are not fixed.
fn gather<const SQUARES: usize>(beside: &Beside<'_>, first: usize) -> [Two; SQUARES] {
    let mut found = std::array::from_fn(|_| zeros(width(beside.men())));
    beside.each(|bit, words| {
        for (square, found) in (first..).zip(&mut found) {
            for (found, word) in found.iter_mut().zip(words) {
                found[bit / 32] |= (word >> square & 1) << (bit % 32);
            }
        }
    });
    found
}

/// The same on one square.
fn gather_at(beside: &Beside<'_>, square: Square) -> Two {
    let [found] = gather(beside, square.index());
    found
}

/// The first square of the crownhead.
const CROWNHEAD_FIRST: usize = 28;

/// The place of a square of the crownhead among the four.
const fn crowned_nth(square: Square) -> usize {
    square.index() - CROWNHEAD_FIRST
}

/// The placements of `men` men beside those of the other side.
fn fill_legal(legal: &mut [u32], men: u32, others: Bitboard) {
    legal.copy_from_slice(&Kings::of(men).valid[..legal.len()]);
    for square in others | CROWNHEAD {
        let lacks = Kings::of(men).lacks(square);
        legal
            .iter_mut()
            .zip(lacks)
            .for_each(|(word, &kept)| *word &= kept);
    }
}

fn clear(two: &mut Two, squares: &[u32]) {
    for row in two {
        row.iter_mut()
            .zip(squares)
            .for_each(|(word, &on)| *word &= !on);
    }
}

/// Where there is no further jump, what the position is worth as it stands.
fn add_rest(into: &mut Two, base: &Two, any: &[u32]) {
    for (into, base) in into.iter_mut().zip(base) {
        for ((into, &base), &any) in into.iter_mut().zip(base).zip(any) {
            *into |= base & !any;
        }
    }
}

/// The rows L and N from what steps and captures lead to.
fn decide(legal: &[u32], quiet: &Two, captures: &Two, any: &[u32]) -> Two {
    let mut found = zeros(legal.len());
    for (i, &legal) in legal.iter().enumerate() {
        let wins = (quiet[0][i] & !any[i]) | captures[0][i];
        let saves = (quiet[1][i] & !any[i]) | captures[1][i];
        found[0][i] = legal & !saves;
        found[1][i] = legal & !wins;
    }
    found
}
