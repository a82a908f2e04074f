//! Runs through the positions of a unit, as coder and decoder see them.
//!
//! ```text
//! run     positions that differ in the lowest own king alone, at most 32 in a row; where there
//!         is no own king, one position
//! near    how many positions back the one lies in which another piece stands lower
//! ```
//!
//! Everything that is the same for a whole row or run is worked out once. Start reading at
//! [`Runs::each`].

use super::index::{Index, choose};
use super::rest;
use super::sets::{MOST_WORDS, Masks, Numbers, Scene};
use super::unit::UNIT;
use super::walk::Walk;
use crate::board::{Bitboard, Color, regions};
use crate::rules::Position;

/// A neighbour: `back` positions before, for lowest kings below `limit`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) back: usize,
    pub(super) limit: u32,
}

impl Near {
    /// There is none in this unit.
    const NONE: Self = Self {
        back: UNIT,
        limit: 32,
    };

    fn new(back: u64, limit: u32) -> Self {
        Self {
            back: back.min(UNIT as u64) as usize,
            limit,
        }
    }
}

/// A piece beside the lowest: which digit of the number, which piece in it, and how many
/// positions one step of the digit's lowest piece passes over.
type Movable = (usize, u32, u64);

/// Positions in a row that differ in one king.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The first position's place in the unit.
    pub(super) at: usize,
    /// How many positions there are.
    pub(super) len: u32,
    /// The lowest piece's place in the first position, renumbered on what is left to it.
    pub(super) lowest: u32,
    /// One bit a position: the parity of the sum of rows, up to a constant.
    pub(super) parity: u32,
    /// One bit a position: the side to move can capture.
    pub(super) jump: u32,
    /// One bit a position: the other side threatens to.
    pub(super) threat: u32,
    /// The second piece one place lower, the third piece one place, the second piece four places.
    pub(super) near: [Near; 3],
    /// The board without the lowest king, and where that stands.
    own: Bitboard,
    theirs: Bitboard,
    kings: Bitboard,
    squares: [u32; 32],
}

impl Run {
    /// Whether the threat of position `nth` is one that needs no stored value.
    #[inline]
    pub(super) fn is_at_rest(&self, nth: u32) -> bool {
        let king = Bitboard(self.squares[nth as usize % 32]);
        rest::all_moves_rest(&Position::of_sides(
            Color::Black,
            self.own | king,
            self.theirs,
            self.kings | king,
        ))
    }
}

/// Goes through a unit.
pub(super) struct Runs<'a> {
    index: &'a Index,
    walk: Walk,
    masks: Option<Masks>,
    movable: [Option<Movable>; 3],
    run: Run,
}

impl<'a> Runs<'a> {
    /// The runs of a unit; captures and threats are worked out if `with_masks`.
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
        Self {
            index,
            walk: Walk::new(index, unit * UNIT as u64),
            masks: with_masks.then(Masks::new),
            movable: [movable.next(), movable.next(), movable.next()],
            run: Run {
                at: 0,
                len: 1,
                lowest: 0,
                parity: 0,
                jump: 0,
                threat: 0,
                near: [Near::NONE; 3],
                own: Bitboard::EMPTY,
                theirs: Bitboard::EMPTY,
                kings: Bitboard::EMPTY,
                squares: [0; 32],
            },
        }
    }

    /// Calls `visit` for each run of the first `len` positions.
    #[inline]
    pub(super) fn each(mut self, start: u64, len: usize, mut visit: impl FnMut(&Run)) {
        if self.index.slice().own.kings == 0 {
            while self.run.at < len {
                self.lone();
                visit(&self.run);
                self.run.at += 1;
                self.walk.advance();
            }
            return;
        }
        let mut rank = start % self.index.row_len();
        while self.run.at < len {
            self.row(rank, len, &mut visit);
            rank = 0;
            self.walk.next_row();
        }
    }

    /// One position whose side to move has no king.
    fn lone(&mut self) {
        let position = self.walk.position();
        let run = &mut self.run;
        run.own = position.own();
        run.theirs = position.theirs();
        run.kings = position.all_kings();
        run.parity = parity(&self.walk);
        if self.masks.is_some() {
            run.jump = u32::from(position.has_jump());
            run.threat = u32::from(run.jump == 0 && position.is_threatened());
        }
        let [first, second, third] = self.movable;
        run.lowest = first.map_or(0, |it| place(&self.walk, it).0);
        let near = |movable, by| near(&self.walk, movable, by);
        run.near = [near(second, 1), near(third, 1), near(second, 4)];
    }

    /// The rest of the row from `rank` on, as far as the unit goes.
    #[inline]
    fn row(&mut self, rank: u64, len: usize, visit: &mut impl FnMut(&Run)) {
        let kings = self.index.slice().own.kings;
        let placement = *self.walk.placement();
        let their_kings = placement.their_kings.rotated();
        let scene = Scene {
            own_men: placement.own_men,
            theirs: placement.their_men.rotated() | their_kings,
            their_kings,
        };
        let open = self.walk.open_to_kings();
        let left = open.len() as u32;
        let mut squares = [0; 32];
        squares[..open.len()].copy_from_slice(open);
        let mut numbers: Numbers = [0; 32];
        let mut odd = 0;
        for (number, &square) in (0..).zip(open) {
            numbers[square.trailing_zeros() as usize % 32] = number;
            odd |= u32::from(square & regions::ODD_ROWS.0 != 0) << number;
        }
        let end = self.index.row_len().min(rank + (len - self.run.at) as u64);
        let (word, words) = (
            rank as usize / 64,
            end.div_ceil(64) as usize - rank as usize / 64,
        );
        if let Some(masks) = &mut self.masks {
            masks.fill(&scene, &numbers, kings, word, words.min(MOST_WORDS));
        }
        let base = parity_of_others(&self.walk);
        let run = &mut self.run;
        run.theirs = scene.theirs;
        self.row_near(kings);
        let set = self.walk.own_kings().0;
        let (mut lowest, mut upper) = (set.trailing_zeros(), set & set.wrapping_sub(1));
        let mut rank = rank as usize;
        loop {
            let run = &mut self.run;
            let limit = if upper == 0 {
                left
            } else {
                upper.trailing_zeros()
            };
            run.lowest = lowest;
            run.len = (limit - lowest).min(end as u32 - rank as u32);
            own_near(run, kings, upper);
            let turned = base ^ (upper & odd).count_ones() & 1;
            run.parity = (odd >> lowest) ^ 0_u32.wrapping_sub(turned);
            if let Some(masks) = &self.masks {
                run.jump = bits(&masks.jump, rank - 64 * word);
                run.threat = bits(&masks.threat, rank - 64 * word) & !run.jump;
                let above = board(upper, &squares);
                run.own = scene.own_men | above;
                run.kings = scene.their_kings | above;
                run.squares[..32 - lowest as usize].copy_from_slice(&squares[lowest as usize..]);
            }
            visit(run);
            rank += run.len as usize;
            run.at += run.len as usize;
            if rank as u64 >= end {
                return;
            }
            lowest = 0;
            upper = super::index::next_set(Bitboard(upper >> 1)).0 << 1;
        }
    }

    /// The neighbours that are the same for a whole row.
    fn row_near(&mut self, kings: u32) {
        let [_, second, third] = self.movable;
        if kings == 1 {
            self.run.near[0] = near(&self.walk, second, 1);
            self.run.near[2] = near(&self.walk, second, 4);
        }
        if kings <= 2 {
            self.run.near[1] = near(&self.walk, third, 1);
        }
    }
}

/// The neighbours that follow from the second and third own king.
#[inline]
fn own_near(run: &mut Run, kings: u32, upper: u32) {
    if kings >= 2 {
        let second = upper.trailing_zeros();
        run.near[0] = Near::new(u64::from(second - 1), second - 1);
        run.near[2] = match second.checked_sub(4) {
            Some(lower) => Near::new(choose(second, 2) - choose(lower, 2), lower),
            None => Near::NONE,
        };
        if kings >= 3 {
            let third = (upper & (upper - 1)).trailing_zeros();
            run.near[1] = if third - 1 > second {
                Near::new(choose(third - 1, 2), 32)
            } else {
                Near::NONE
            };
        }
    }
}

/// The 32 bits of `words` from bit `at` on.
#[inline]
fn bits(words: &[u64; MOST_WORDS], at: usize) -> u32 {
    let low = words[at / 64] >> (at % 64);
    let high = words
        .get(at / 64 + 1)
        .map_or(0, |word| word << 1 << (63 - at % 64));
    (low | high) as u32
}

#[inline]
fn board(set: u32, squares: &[u32; 32]) -> Bitboard {
    let numbers = Bitboard(set).squares();
    Bitboard(numbers.fold(0, |found, number| found | squares[number.index()]))
}

/// Where a piece stands, renumbered, and the lowest place that no lower piece of its kind takes.
#[inline]
fn place(walk: &Walk, (digit, nth, _): Movable) -> (u32, u32) {
    let set = walk.digits()[digit].0;
    let from_nth = (0..nth).fold(set, |set, _| set & set.wrapping_sub(1));
    let below = set & !from_nth;
    (from_nth.trailing_zeros(), 32 - below.leading_zeros())
}

/// The neighbour in which a piece stands `by` places lower, with no other of its kind between.
fn near(walk: &Walk, movable: Option<Movable>, by: u32) -> Near {
    let Some(movable) = movable else {
        return Near::NONE;
    };
    let (at, least) = place(walk, movable);
    let (_, nth, stride) = movable;
    match at.checked_sub(by) {
        Some(lower) if lower >= least => {
            Near::new(stride * (choose(at, nth + 1) - choose(lower, nth + 1)), 32)
        }
        _ => Near::NONE,
    }
}

/// The parity of the sum of rows, up to a constant of the slice.
#[inline]
fn parity(walk: &Walk) -> u32 {
    let own_kings = walk.placement().own_kings & regions::ODD_ROWS;
    (parity_of_others(walk) ^ own_kings.len()) & 1
}

/// The same without own kings.
#[inline]
fn parity_of_others(walk: &Walk) -> u32 {
    let placement = walk.placement();
    let sets = [
        placement.own_men,
        placement.their_men,
        placement.their_kings,
    ];
    let sum = sets.into_iter().fold(0, |sum, set: Bitboard| {
        sum ^ (set & regions::ODD_ROWS).len()
    });
    sum & 1
}
