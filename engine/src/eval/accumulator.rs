//! The sums of the first layer for one position, and how they follow from those of another.

use super::features::{Pieces, turned};
use super::kernel::Isa;
use super::network::{Aligned, Network, SUMS};

/// The sums in both views: 0 Black's, 1 White's.
pub(super) type Sums = [Aligned<[i16; SUMS]>; 2];

/// The sums for a position, and which position it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulator {
    pub(super) pieces: Pieces,
    pub(super) sums: Sums,
}

/// The features, in Black's view, by which a position differs from another.
#[derive(Debug)]
pub(super) struct Changes {
    numbers: [u8; Self::MOST],
    added: usize,
    all: usize,
}

impl Changes {
    /// No two legal positions differ by more: 24 pieces each.
    const MOST: usize = 48;

    /// From `before` to `after`.
    #[inline]
    pub(super) fn between(before: Pieces, after: Pieces) -> Self {
        let mut changes = Self {
            numbers: [0; Self::MOST],
            added: 0,
            all: 0,
        };
        after.without(before).for_each(|it| changes.push(it));
        changes.added = changes.all;
        before.without(after).for_each(|it| changes.push(it));
        changes
    }

    #[inline]
    fn push(&mut self, feature: usize) {
        if let Some(place) = self.numbers.get_mut(self.all) {
            *place = feature as u8;
            self.all += 1;
        }
    }

    /// The features that came, for a view.
    #[inline(always)]
    pub(super) fn added(&self, view: usize) -> impl Iterator<Item = usize> {
        self.seen(0, self.added, view)
    }

    /// The features that went.
    #[inline(always)]
    pub(super) fn removed(&self, view: usize) -> impl Iterator<Item = usize> {
        self.seen(self.added, self.all, view)
    }

    #[inline(always)]
    fn seen(&self, from: usize, to: usize, view: usize) -> impl Iterator<Item = usize> {
        let numbers = self.numbers[from..to].iter().map(|&it| usize::from(it));
        numbers.map(move |it| if view == 0 { it } else { turned(it) })
    }
}

impl Accumulator {
    /// Of the empty board.
    pub(super) fn empty(network: &Network) -> Self {
        Self {
            pieces: Pieces::default(),
            sums: [network.bias; 2],
        }
    }

    /// Makes this the accumulator of `pieces`, from that of another position.
    #[inline]
    pub(super) fn follow(&mut self, other: &Self, pieces: Pieces, network: &Network, isa: Isa) {
        let changes = Changes::between(other.pieces, pieces);
        self.pieces = pieces;
        isa.follow(network, Some(&other.sums), &changes, &mut self.sums);
    }

    /// Makes this the accumulator of `pieces`, from what it was.
    #[inline]
    pub(super) fn advance(&mut self, pieces: Pieces, network: &Network, isa: Isa) {
        let changes = Changes::between(self.pieces, pieces);
        self.pieces = pieces;
        isa.follow(network, None, &changes, &mut self.sums);
    }
}
