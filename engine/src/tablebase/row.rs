//! Rows through the positions of a unit, as coder and decoder see them.
//!
//! ```text
//! fast    the pieces that turn fastest: own kings; where there are none, their kings; where
//!         there are no kings at all, own men
//! row     positions that differ in the fast pieces alone, at their colexicographic ranks
//! run     positions of a row that differ in the lowest of the fast pieces alone: a matter of the
//!         rank, so one table serves all rows
//! ```
//!
//! Everything that is the same for a whole row is worked out once. Start reading at [`Rows::each`].

use std::ops::Range;
use std::sync::LazyLock;

use super::index::{Index, choose, next_set, squeeze_all, unrank};
use super::isa::Machine;
use super::sets::{MOST_WORDS, Masks, Scene, holding};
use super::unit::UNIT;
use super::walk::Walk;
use crate::board::{Bitboard, Color, regions};
use crate::rules::Position;

/// Sets of the fast pieces that differ in the lowest alone, in a row; and where the neighbours lie
/// that follow from the pieces above, how many positions back, 0 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The rank of the first.
    pub(super) start: u32,
    /// How many there are: all places below the second piece, or all there are.
    pub(super) lanes: u8,
    /// Below which lane the second piece has a neighbour one place lower, and three places lower.
    pub(super) seconds: u8,
    pub(super) by_threes: u8,
    /// The third piece one place lower, the second piece one and three places lower.
    pub(super) third: u16,
    pub(super) second: u16,
    pub(super) by_three: u16,
}

impl Run {
    pub(super) const NONE: Self = Self {
        start: 0,
        lanes: 0,
        seconds: 0,
        by_threes: 0,
        third: 0,
        second: 0,
        by_three: 0,
    };

    /// The run over the lowest piece of a set.
    fn of(start: u32, set: u32) -> Self {
        let upper = set & set.wrapping_sub(1);
        let top = upper & upper.wrapping_sub(1);
        if upper == 0 {
            return Self {
                start,
                lanes: 32,
                seconds: 32,
                by_threes: 32,
                ..Self::NONE
            };
        }
        let second = upper.trailing_zeros();
        let lower = |by: u32| match second.checked_sub(by) {
            Some(lower) if lower > 0 => (choose(second, 2) - choose(lower, 2)) as u16,
            _ => 0,
        };
        let third = top.trailing_zeros();
        Self {
            start,
            lanes: second as u8,
            seconds: second.saturating_sub(1) as u8,
            by_threes: second.saturating_sub(3) as u8,
            third: if top != 0 && third - 1 > second {
                choose(third - 1, 2) as u16
            } else {
                0
            },
            second: lower(1),
            by_three: lower(3),
        }
    }

    /// The rank behind the last.
    pub(super) const fn end(&self) -> u32 {
        self.start + self.lanes as u32
    }
}

/// What there is to know about rows over so many fast pieces, by rank.
#[derive(Debug)]
struct Pattern {
    runs: Vec<Run>,
    /// The pieces, numbered on the squares that are left to them.
    sets: Vec<u32>,
    /// The same with the bits in reverse order.
    turned: Vec<u32>,
}

impl Pattern {
    fn of(count: u32) -> &'static Self {
        static ALL: LazyLock<[Pattern; 5]> =
            LazyLock::new(|| std::array::from_fn(|count| Pattern::new(count as u32)));
        &ALL[count as usize % 5]
    }

    fn new(count: u32) -> Self {
        let first = unrank(0, count);
        let sets: Vec<u32> = std::iter::successors(Some(first), |&set| Some(next_set(set)))
            .take(choose(32, count) as usize)
            .map(|set| set.0)
            .collect();
        let is_first = |&(_, set): &(u32, &u32)| set & 1 != 0;
        let firsts = (0..).zip(&sets).filter(is_first);
        Self {
            runs: firsts.map(|(rank, &set)| Run::of(rank, set)).collect(),
            turned: sets.iter().map(|set| set.reverse_bits()).collect(),
            sets,
        }
    }
}

/// A piece beside the lowest: which digit of the number, which piece in it, and how many
/// positions one step of the digit's lowest piece passes over.
type Movable = (usize, u32, u64);

/// A part of a row.
#[derive(Debug)]
pub(super) struct Row {
    /// The first position's place in the unit.
    pub(super) at: usize,
    /// How many positions there are.
    pub(super) len: usize,
    /// The rank of the first position.
    pub(super) rank: usize,
    pattern: &'static Pattern,
    /// How far back the neighbours lie that follow from other pieces, the same for all positions:
    /// the third piece one place lower, the second one and three places; 0 for none.
    pub(super) near: [u16; 3],
    parity: [u64; MOST_WORDS],
    masks: Masks,
    scene: Scene,
    /// The squares that the fast pieces may use.
    open: u32,
    /// The same in the order in which they are numbered.
    squares: [u32; 32],
    /// The sets of the pattern by which they are numbered the way of the board: turned if the
    /// pieces' own view is not Black's, and then so many bits too high.
    sets: &'static [u32],
    shift: u32,
}

impl Row {
    fn new(count: u32) -> Self {
        Self {
            at: 0,
            len: 0,
            rank: 0,
            pattern: Pattern::of(count),
            near: [0; 3],
            parity: [0; MOST_WORDS],
            masks: Masks::new(),
            scene: Scene::default(),
            open: 0,
            squares: [0; 32],
            sets: &[],
            shift: 0,
        }
    }

    /// The runs of all rows over so many fast pieces.
    #[inline(always)]
    pub(super) fn runs(&self) -> &'static [Run] {
        &self.pattern.runs
    }

    /// The bits of a row over one piece: there is only one word.
    #[inline(always)]
    fn open_one(&mut self, taken: Bitboard, turned: u64, with_masks: bool) {
        let mut sets = [regions::ODD_ROWS, Bitboard::EMPTY, Bitboard::EMPTY];
        if with_masks {
            let [jump, threat] = self.scene.captures_with_one();
            let seen = |set: Bitboard| {
                if self.scene.fast_is_own {
                    set
                } else {
                    set.rotated()
                }
            };
            sets = [regions::ODD_ROWS, seen(jump), seen(threat)];
        }
        let [parity, jump, threat] = squeeze_all(sets, taken).map(|set| u64::from(set.0));
        self.parity[0] = parity ^ turned;
        (self.masks.jump[0], self.masks.threat[0]) = (jump, threat);
    }

    /// The parities of a row over several pieces.
    #[inline(always)]
    fn open_more(&mut self, taken: Bitboard, turned: u64, count: u32, words: &Range<usize>) {
        let parity = &mut self.parity[..words.len()];
        parity.fill(turned);
        let [odd] = squeeze_all([regions::ODD_ROWS], taken);
        for number in odd {
            let holding = &holding(count, number.index())[words.clone()];
            for (parity, holding) in parity.iter_mut().zip(holding) {
                *parity ^= holding;
            }
        }
    }

    /// Words of 64 positions: from which rank on, counted from the first position.
    #[inline(always)]
    fn window(&self, words: &[u64; MOST_WORDS], from: usize) -> u64 {
        let at = self.rank % 64 + from;
        let high = words.get(at / 64 + 1).copied().unwrap_or(0);
        words[at / 64 % MOST_WORDS] >> (at % 64) | high << 1 << (63 - at % 64)
    }

    /// One bit a position from `from` on: the parity of the sum of rows, up to a constant.
    #[inline(always)]
    pub(super) fn parity(&self, from: usize) -> u64 {
        self.window(&self.parity, from)
    }

    /// One bit a position from `from` on: the side to move can capture; the other side threatens
    /// to and it cannot.
    #[inline(always)]
    pub(super) fn captures(&self, from: usize) -> [u64; 2] {
        let jump = self.window(&self.masks.jump, from);
        [jump, self.window(&self.masks.threat, from) & !jump]
    }

    /// The position `nth` of this part.
    #[inline(always)]
    pub(super) fn position(&self, machine: impl Machine, nth: usize) -> Position {
        self.scene.with(self.pieces(machine, self.rank + nth))
    }

    /// A set of fast pieces on the board, of the rank `at`.
    #[inline(always)]
    fn pieces<M: Machine>(&self, machine: M, at: usize) -> Bitboard {
        if M::HAS_DEPOSIT {
            let set = self.sets[at] >> self.shift;
            return Bitboard(machine.deposit(set.into(), self.open.into()) as u32);
        }
        let (mut set, mut pieces) = (self.pattern.sets[at], 0);
        while set != 0 {
            pieces |= self.squares[set.trailing_zeros() as usize % 32];
            set &= set - 1;
        }
        Bitboard(pieces)
    }
}

/// Goes through a unit.
pub(super) struct Rows<'a> {
    index: &'a Index,
    walk: Walk,
    with_masks: bool,
    movable: [Option<Movable>; 3],
    count: u32,
    row: Row,
}

impl<'a> Rows<'a> {
    /// The rows of a unit; captures and threats are worked out if `with_masks`.
    pub(super) fn new(index: &'a Index, unit: u64, with_masks: bool) -> Self {
        let slice = index.slice();
        let men = slice
            .own
            .men
            .max(u32::from(slice.own.men == 0) * slice.their.men);
        let counts = [slice.own.kings, slice.their.kings, men];
        let strides = [1, index.row_len(), index.block_len()];
        let mut movable = (0..3)
            .flat_map(|digit| (0..counts[digit]).map(move |nth| (digit, nth, strides[digit])));
        let count = counts.into_iter().find(|&count| count > 0).unwrap_or(0);
        Self {
            index,
            walk: Walk::new(index, unit * UNIT as u64),
            with_masks,
            movable: [movable.next(), movable.next(), movable.next()],
            count,
            row: Row::new(count),
        }
    }

    /// Calls `visit` for each row of the first `len` positions.
    #[inline(always)]
    pub(super) fn each(mut self, len: usize, mut visit: impl FnMut(&Row)) {
        let mut rank = self.walk.row_rank();
        while self.row.at < len {
            self.open(rank as usize, len);
            visit(&self.row);
            self.row.at += self.row.len;
            self.walk.next_row();
            rank = 0;
        }
    }

    /// Works out what is the same for the whole row.
    #[inline(always)]
    fn open(&mut self, rank: usize, len: usize) {
        let walk = &self.walk;
        let open = walk.open();
        let end = (choose(open.len() as u32, self.count) as usize).min(rank + len - self.row.at);
        let row = &mut self.row;
        (row.rank, row.len) = (rank, end - rank);
        let turned = 0_u64.wrapping_sub(u64::from(parity_of_others(walk)));
        if self.with_masks {
            row.scene = Scene::of(walk.placement(), self.index.slice());
            (row.open, row.sets, row.shift) = (!walk.taken().0, &row.pattern.sets, 0);
            if !row.scene.fast_is_own {
                row.open = row.open.reverse_bits();
                (row.sets, row.shift) = (&row.pattern.turned, row.open.count_zeros());
            }
            row.squares[..open.len()].copy_from_slice(open);
            row.scene.turn(&mut row.squares[..open.len()]);
        }
        if self.count == 1 {
            row.open_one(walk.taken(), turned, self.with_masks);
        } else {
            let first = rank / 64;
            let words = first..(end.div_ceil(64)).min(first + MOST_WORDS);
            row.open_more(walk.taken(), turned, self.count, &words);
            if self.with_masks {
                let squares = &row.squares[..open.len()];
                row.masks
                    .fill(&row.scene, squares, self.count, first, words.len());
            }
        }
        let [_, second, third] = self.movable;
        let near = |movable, by| near(walk, movable, by);
        row.near = [0; 3];
        if self.count <= 2 {
            row.near[0] = near(third, 1);
        }
        if self.count <= 1 {
            row.near[1] = near(second, 1);
            row.near[2] = near(second, 3);
        }
    }
}

/// Where a piece stands, renumbered, and the lowest place that no lower piece of its kind takes.
#[inline]
fn place(walk: &Walk, (digit, nth, _): Movable) -> (u32, u32) {
    let set = walk.digits()[digit].0;
    let from_nth = (0..nth).fold(set, |set, _| set & set.wrapping_sub(1));
    let below = set & !from_nth;
    (from_nth.trailing_zeros(), 32 - below.leading_zeros())
}

/// How far back the neighbour lies in which a piece stands `by` places lower, with no other of
/// its kind between; 0 for none.
fn near(walk: &Walk, movable: Option<Movable>, by: u32) -> u16 {
    let Some(movable) = movable else {
        return 0;
    };
    let (at, least) = place(walk, movable);
    let (_, nth, stride) = movable;
    match at.checked_sub(by) {
        Some(lower) if lower >= least => {
            let back = stride * (choose(at, nth + 1) - choose(lower, nth + 1));
            back.min(UNIT as u64) as u16
        }
        _ => 0,
    }
}

/// The parity of the sum of rows of all pieces but the fast ones, up to a constant of the slice.
#[inline]
fn parity_of_others(walk: &Walk) -> u32 {
    let sum = walk
        .slow_sets()
        .into_iter()
        .fold(0, |sum, set: Bitboard| sum ^ set.0);
    (sum & regions::ODD_ROWS.0).count_ones() & 1
}

impl Scene {
    /// What stands still in a row of `placement`.
    fn of(placement: &super::Placement, slice: super::Slice) -> Self {
        let their_men = placement.their_men.rotated();
        let their_kings = placement.their_kings.rotated();
        let (own_kings, kings) = (slice.own.kings > 0, slice.their.kings > 0);
        Self {
            own: if own_kings || kings {
                placement.own_men
            } else {
                Bitboard::EMPTY
            },
            theirs: if own_kings {
                their_men | their_kings
            } else {
                their_men
            },
            kings: if own_kings {
                their_kings
            } else {
                Bitboard::EMPTY
            },
            fast_is_own: own_kings || !kings,
            fast_is_king: own_kings || kings,
        }
    }

    /// Turns the squares of the fast pieces from their own view to the board.
    fn turn(&self, squares: &mut [u32]) {
        if !self.fast_is_own {
            for square in squares {
                *square = Bitboard(*square).rotated().0;
            }
        }
    }

    /// The position with the fast pieces on the board.
    #[inline]
    fn with(&self, pieces: Bitboard) -> Position {
        let kings = if self.fast_is_king {
            self.kings | pieces
        } else {
            self.kings
        };
        if self.fast_is_own {
            Position::of_sides(Color::Black, self.own | pieces, self.theirs, kings)
        } else {
            Position::of_sides(Color::Black, self.own, self.theirs | pieces, kings)
        }
    }
}
