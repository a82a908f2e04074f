//! Runs through the positions of a slice in the order of their numbers.
//!
//! Unranking costs more than decoding a value, so encoder and decoder step from one placement
//! to the next: own kings turn fastest, then their kings, own men and their men. Start reading at
//! [`Walk::advance`].

use super::index::{Index, Placement, next_set, rank, squeeze};
use crate::board::{Bitboard, Color};
use crate::rules::Position;

/// One group of like pieces as a digit of the position's number.
#[derive(Clone, Debug)]
struct Digit {
    /// The pieces on the squares that are left to them, renumbered without gaps.
    set: Bitboard,
    first: Bitboard,
    count: u32,
    /// The squares behind those numbers.
    squares: [u32; 32],
    left: u32,
}

impl Digit {
    fn new(count: u32) -> Self {
        let first = Bitboard((1 << count) - 1);
        Self {
            set: first,
            first,
            count,
            squares: [0; 32],
            left: 0,
        }
    }

    /// Names the squares that the pieces may use.
    fn open(&mut self, taken: Bitboard) {
        if self.count == 0 {
            return;
        }
        self.left = 0;
        for square in !taken {
            self.squares[self.left as usize] = square.bit().0;
            self.left += 1;
        }
    }

    /// The next placement, or the first again; true if there was a next one.
    #[inline]
    fn turn(&mut self) -> bool {
        let next = next_set(self.set);
        let carried = self.count == 0 || u64::from(next.0) >> self.left != 0 || next.0 == 0;
        self.set = if carried { self.first } else { next };
        !carried
    }

    #[inline]
    fn on_board(&self) -> Bitboard {
        let mut found = 0;
        for number in self.set {
            found |= self.squares[number.index()];
        }
        Bitboard(found)
    }
}

/// A place in a slice that can be moved on.
#[derive(Clone, Debug)]
pub struct Walk {
    placement: Placement,
    own_kings: Digit,
    their_kings: Digit,
    own_men: Digit,
    their_men: Digit,
}

const CROWNHEAD: Bitboard = Bitboard(0xF000_0000);

impl Walk {
    /// Starts at position `start` of a slice.
    #[must_use]
    pub fn new(index: &Index, start: u64) -> Self {
        let slice = index.slice();
        let placement = index.placement(start);
        let mut walk = Self {
            placement,
            own_kings: Digit::new(slice.own.kings),
            their_kings: Digit::new(slice.their.kings),
            own_men: Digit::new(slice.own.men),
            their_men: Digit::new(slice.their.men),
        };
        walk.their_men.open(CROWNHEAD);
        walk.their_men.set = placement.their_men;
        let taken = placement.their_men.rotated();
        walk.own_men.open(taken | CROWNHEAD);
        walk.own_men.set = squeeze(placement.own_men, taken);
        let men = placement.own_men.rotated() | placement.their_men;
        walk.their_kings.open(men);
        walk.their_kings.set = squeeze(placement.their_kings, men);
        let taken = (men | placement.their_kings).rotated();
        walk.own_kings.open(taken);
        walk.own_kings.set = squeeze(placement.own_kings, taken);
        walk
    }

    /// What stands on the board.
    #[must_use]
    #[inline]
    pub const fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The same as a position with Black to move.
    #[must_use]
    #[inline]
    pub const fn position(&self) -> Position {
        let placement = &self.placement;
        let theirs = placement.their_kings.rotated();
        Position::of_sides(
            Color::Black,
            Bitboard(placement.own_men.0 | placement.own_kings.0),
            Bitboard(placement.their_men.rotated().0 | theirs.0),
            Bitboard(placement.own_kings.0 | theirs.0),
        )
    }

    /// Own kings, their kings and own men (their men, when there are no own ones), each renumbered
    /// on the squares left to them: the coordinates in which the coder looks for neighbours.
    #[must_use]
    #[inline]
    pub const fn digits(&self) -> [Bitboard; 3] {
        let men = if self.own_men.count == 0 {
            &self.their_men
        } else {
            &self.own_men
        };
        [self.own_kings.set, self.their_kings.set, men.set]
    }

    /// Moves on to the next number; after the last it starts again.
    #[inline]
    pub fn advance(&mut self) {
        if self.own_kings.turn() {
            self.placement.own_kings = self.own_kings.on_board();
        } else {
            self.carry();
        }
    }

    /// The pieces that turn fastest: own kings, else their kings, else own men.
    #[inline]
    const fn fast(&self) -> &Digit {
        if self.own_kings.count > 0 {
            &self.own_kings
        } else if self.their_kings.count > 0 {
            &self.their_kings
        } else {
            &self.own_men
        }
    }

    /// The squares that the fast pieces may use, in order, from their own view: at most 31.
    #[inline]
    pub(super) fn open(&self) -> &[u32] {
        let fast = self.fast();
        &fast.squares[..fast.left as usize]
    }

    /// The squares that the fast pieces may not use, from their own view.
    #[inline]
    pub(super) fn taken(&self) -> Bitboard {
        let placement = &self.placement;
        if self.own_kings.count > 0 {
            placement.own_men | (placement.their_men | placement.their_kings).rotated()
        } else if self.their_kings.count > 0 {
            placement.own_men.rotated() | placement.their_men
        } else {
            placement.their_men.rotated() | CROWNHEAD
        }
    }

    /// The rank of the fast pieces in their row.
    #[must_use]
    #[inline]
    pub fn row_rank(&self) -> u32 {
        rank(self.fast().set)
    }

    /// The sets of the other pieces, each from its own view.
    #[inline]
    pub(super) const fn slow_sets(&self) -> [Bitboard; 3] {
        let placement = &self.placement;
        let own_men = placement.own_men;
        if self.own_kings.count > 0 {
            [own_men, placement.their_men, placement.their_kings]
        } else if self.their_kings.count > 0 {
            [own_men, placement.their_men, Bitboard::EMPTY]
        } else {
            [Bitboard::EMPTY, placement.their_men, Bitboard::EMPTY]
        }
    }

    /// Moves on to the next row: the first placement of the fast pieces after the last one.
    #[inline]
    pub fn next_row(&mut self) {
        if self.own_kings.count > 0 {
            self.own_kings.set = self.own_kings.first;
            self.carry();
        } else if self.their_kings.count > 0 {
            self.their_kings.set = self.their_kings.first;
            self.next_block();
        } else {
            self.own_men.set = self.own_men.first;
            self.next_outer();
            self.placement.own_men = self.own_men.on_board();
        }
    }

    fn carry(&mut self) {
        if self.their_kings.turn() {
            self.placement.their_kings = self.their_kings.on_board();
        } else {
            self.next_block();
        }
        let placement = &mut self.placement;
        let men = placement.own_men | placement.their_men.rotated();
        self.own_kings.open(men | placement.their_kings.rotated());
        placement.own_kings = self.own_kings.on_board();
    }

    fn next_block(&mut self) {
        if !self.own_men.turn() {
            self.next_outer();
        }
        let placement = &mut self.placement;
        placement.own_men = self.own_men.on_board();
        self.their_kings
            .open(placement.own_men.rotated() | placement.their_men);
        placement.their_kings = self.their_kings.on_board();
    }

    /// The next placement of their men.
    fn next_outer(&mut self) {
        self.their_men.turn();
        let their_men = self.their_men.on_board();
        self.placement.their_men = their_men;
        self.own_men.open(their_men.rotated() | CROWNHEAD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::Slice;

    #[test]
    fn walking_is_counting() {
        for slice in (2..=4).flat_map(|pieces| Slice::all(pieces, 4)) {
            let index = Index::new(slice);
            let mut walk = Walk::new(&index, 0);
            for number in 0..index.len() {
                assert_eq!(index.index(walk.placement()), number, "{slice}");
                assert_eq!(Placement::of(&walk.position()), *walk.placement());
                walk.advance();
            }
            assert_eq!(index.index(walk.placement()), 0, "{slice} starts again");
            let middle = index.len() / 2;
            let walk = Walk::new(&index, middle);
            assert_eq!(index.index(walk.placement()), middle);
        }
    }
}
