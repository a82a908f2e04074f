//! Rows of bits over all sets of a few squares, and which of them have captures.
//!
//! A row has one bit for each set of `k` of the squares that are free, at its colexicographic
//! rank. The sets that hold the free square number `i` are the same bits whatever the number of
//! free squares, so one table serves all rows. Start reading at [`Masks::fill`].

use std::sync::LazyLock;

use super::index::{choose, next_set, unrank};
use crate::board::steps::{Direction, step};
use crate::board::{Bitboard, Color, regions};

/// The number of a square that no piece of a row can take, a man's crownhead: no set holds it.
const NOWHERE: u8 = 32;

/// For each number of squares in a set, and each square and [`NOWHERE`]: 64 sets a word.
struct Holds {
    words: usize,
    bits: Vec<u64>,
}

impl Holds {
    fn new(count: u32) -> Self {
        let sets = choose(32, count) as usize;
        let words = sets.div_ceil(64);
        let mut bits = vec![0; (usize::from(NOWHERE) + 1) * words];
        let mut set = unrank(0, count);
        for place in 0..sets {
            for square in set.squares() {
                bits[square.index() * words + place / 64] |= 1 << (place % 64);
            }
            set = next_set(set);
        }
        Self { words, bits }
    }

    fn of(count: u32) -> &'static Self {
        static ALL: LazyLock<[Holds; 5]> =
            LazyLock::new(|| std::array::from_fn(|count| Holds::new(count as u32)));
        &ALL[count as usize]
    }
}

/// The row of the sets of `count` squares that hold free square number `number`.
#[inline]
pub(super) fn holding(count: u32, number: usize) -> &'static [u64] {
    let holds = Holds::of(count);
    &holds.bits[number * holds.words..][..holds.words]
}

/// What stands still in a row, Black being to move, and what the pieces are that do not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scene {
    pub(super) own: Bitboard,
    pub(super) theirs: Bitboard,
    /// The kings of both sides.
    pub(super) kings: Bitboard,
    /// The pieces of the row are the mover's; they are kings.
    pub(super) fast_is_own: bool,
    pub(super) fast_is_king: bool,
}

/// Which squares of a single fast piece allow captures.
#[derive(Clone, Copy, Default)]
struct Single {
    /// It captures from there, or is captured.
    takes_part: Bitboard,
    /// The others capture among themselves and land there, if it is vacant.
    landings: Bitboard,
}

impl Single {
    #[inline]
    fn squares(self) -> Bitboard {
        let but_one = Bitboard(self.landings.0 & self.landings.0.wrapping_sub(1));
        if but_one.any() {
            !Bitboard::EMPTY
        } else if self.landings.any() {
            self.takes_part | !self.landings
        } else {
            self.takes_part
        }
    }
}

impl Scene {
    /// Where a single fast piece must stand for Black to have a capture, and for White, if it were
    /// to move.
    pub(super) fn captures_with_one(&self) -> [Bitboard; 2] {
        let mut found = [Single::default(); 2];
        self.look::<true>(&mut found, Direction::UpLeft);
        self.look::<true>(&mut found, Direction::UpRight);
        self.look::<false>(&mut found, Direction::DownLeft);
        self.look::<false>(&mut found, Direction::DownRight);
        found.map(Single::squares)
    }

    #[inline(always)]
    fn look<const UP: bool>(&self, [jump, threat]: &mut [Single; 2], direction: Direction) {
        let movers = |side: Bitboard, forward| if forward { side } else { side & self.kings };
        let moves = |forward| self.fast_is_king || forward;
        let (own, theirs) = (movers(self.own, UP), movers(self.theirs, !UP));
        let is_own = self.fast_is_own;
        self.add_one(
            jump,
            direction,
            own,
            self.theirs,
            is_own,
            is_own && moves(UP),
        );
        self.add_one(
            threat,
            direction,
            theirs,
            self.own,
            !is_own,
            !is_own && moves(!UP),
        );
    }

    /// Adds the captures in one direction by `movers` of `victims`; the fast piece is on the side
    /// of the movers or not, and may move there or not.
    #[inline(always)]
    fn add_one(
        &self,
        into: &mut Single,
        direction: Direction,
        movers: Bitboard,
        victims: Bitboard,
        is_mover: bool,
        moves: bool,
    ) {
        let vacant = !(self.own | self.theirs);
        let before = step(movers, direction) & regions::INTERIOR;
        // What stands on these can be taken in this direction, if the piece before it can.
        let exposed = step(vacant, direction.opposite()) & regions::INTERIOR;
        into.landings |= step(before & victims & exposed, direction);
        if !is_mover {
            into.takes_part |= before & vacant & exposed;
        } else if moves {
            into.takes_part |= step(victims & exposed, direction.opposite()) & vacant;
        }
    }
}

/// Words in the masks of a row: one unit at any alignment.
pub(super) const MOST_WORDS: usize = 65;

/// Which sets of own kings, along a part of a row, have captures.
#[derive(Clone, Debug)]
pub(super) struct Masks {
    /// The side to move can capture.
    pub(super) jump: [u64; MOST_WORDS],
    /// The other side could, if it were to move.
    pub(super) threat: [u64; MOST_WORDS],
}

impl Masks {
    pub(super) const fn new() -> Self {
        Self {
            jump: [0; MOST_WORDS],
            threat: [0; MOST_WORDS],
        }
    }

    /// Works out `words` words from word `first` on of the row over sets of `count` of `squares`.
    pub(super) fn fill(
        &mut self,
        scene: &Scene,
        squares: &[u32],
        count: u32,
        first: usize,
        words: usize,
    ) {
        let mut numbers = [NOWHERE; 32];
        for (number, &square) in (0..).zip(squares) {
            numbers[square.trailing_zeros() as usize % 32] = number;
        }
        let row = Row {
            holds: Holds::of(count),
            numbers: &numbers,
            first,
            fixed: scene.own | scene.theirs,
        };
        let (jump, threat) = (&mut self.jump[..words], &mut self.threat[..words]);
        jump.fill(0);
        threat.fill(0);
        let Scene { own, theirs, .. } = *scene;
        for direction in Direction::ALL {
            let is_forward = Direction::forward(Color::Black).contains(&direction);
            let movers = |side: Bitboard, forward| if forward { side } else { side & scene.kings };
            let fast = |fast, forward| fast && (scene.fast_is_king || forward);
            row.captures(
                jump,
                direction,
                movers(own, is_forward),
                theirs,
                [fast(scene.fast_is_own, is_forward), !scene.fast_is_own],
            );
            row.captures(
                threat,
                direction,
                movers(theirs, !is_forward),
                own,
                [fast(!scene.fast_is_own, !is_forward), scene.fast_is_own],
            );
        }
    }
}

struct Row<'a> {
    holds: &'static Holds,
    /// The numbers of the free squares, by square.
    numbers: &'a [u8; 32],
    first: usize,
    /// All that stands still.
    fixed: Bitboard,
}

impl Row<'_> {
    /// Adds the captures in one direction by pieces that stand still on such that do, and those
    /// that the pieces of the row make or suffer.
    #[inline(always)]
    fn captures(
        &self,
        into: &mut [u64],
        direction: Direction,
        movers: Bitboard,
        victims: Bitboard,
        [fast_moves, fast_suffers]: [bool; 2],
    ) {
        let before = step(movers, direction) & regions::INTERIOR;
        for over in before & victims {
            let to = step(over.bit(), direction) - self.fixed;
            if to.any() {
                self.add(into, to);
            }
        }
        if fast_suffers {
            for over in before - self.fixed {
                let to = step(over.bit(), direction) - self.fixed;
                if to.any() {
                    self.add_with(into, over.bit(), to);
                }
            }
        }
        if fast_moves {
            for over in victims & regions::INTERIOR {
                let to = step(over.bit(), direction) - self.fixed;
                let from = step(over.bit(), direction.opposite()) - self.fixed;
                if to.any() && from.any() {
                    self.add_with(into, from, to);
                }
            }
        }
    }

    fn holding(&self, square: Bitboard) -> &'static [u64] {
        let number = self.numbers[square.0.trailing_zeros() as usize % 32];
        &self.holds.bits[usize::from(number) * self.holds.words + self.first..]
    }

    /// Adds the sets without `to`.
    fn add(&self, into: &mut [u64], to: Bitboard) {
        for (into, to) in into.iter_mut().zip(self.holding(to)) {
            *into |= !to;
        }
    }

    /// Adds the sets with `from` and without `to`.
    fn add_with(&self, into: &mut [u64], from: Bitboard, to: Bitboard) {
        let both = self.holding(from).iter().zip(self.holding(to));
        for (into, (from, to)) in into.iter_mut().zip(both) {
            *into |= from & !to;
        }
    }
}
