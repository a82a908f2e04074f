//! The checker's own numbering and its own values, two bits a position.
//!
//! ```text
//! number   (((own men * their men) * own kings) * their kings): each set by its rank among all
//!          sets of as many of 32 squares (28 for men), seen from its owner
//! value    0 lost, 1 drawn, 2 won, 3 not legal
//! ```
//!
//! Numbers of placements that are not legal stay unused, which costs memory and saves thought.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};

use engine::tablebase::{Force, Slice};

use super::board::{Board, advance, king_steps};

/// A set of `k` out of `n` squares, how many there are.
fn choose(n: usize, k: usize) -> usize {
    (0..k).fold(1, |found, i| found * (n - i) / (i + 1))
}

/// What the `nth` lowest square of a set adds to its rank.
fn add_to_rank(square: u32, nth: u32) -> usize {
    match nth {
        1 => square as usize,
        2 => (square * square.wrapping_sub(1) / 2) as usize,
        _ => choose(square as usize, nth as usize),
    }
}

/// The rank of a set among those of as many squares.
pub(super) fn rank(mut set: u32) -> usize {
    let (mut nth, mut rank) = (0, 0);
    while set != 0 {
        nth += 1;
        rank += add_to_rank(set.trailing_zeros(), nth);
        set &= set - 1;
    }
    rank
}

/// All sets of `count` squares below `limit`, by rank.
pub(super) fn sets(count: u32, limit: u32) -> Vec<u32> {
    if count == 0 {
        return vec![0];
    }
    let tops = count - 1..limit;
    tops.flat_map(|top| {
        sets(count - 1, top)
            .into_iter()
            .map(move |set| set | 1 << top)
    })
    .collect()
}

/// All placements of so many kings, and the ranks that their steps lead to.
pub(super) struct KingSets {
    pub(super) sets: Vec<u32>,
    pub(super) steps: Vec<Vec<u16>>,
}

impl KingSets {
    pub(super) fn new(count: u32) -> Self {
        let sets = sets(count, 32);
        let ranks = |set: &u32| {
            king_steps(*set)
                .into_iter()
                .map(|it| rank(it) as u16)
                .collect()
        };
        Self {
            steps: sets.iter().map(ranks).collect(),
            sets,
        }
    }
}

/// The placements of so many men, by how far they have come.
pub(super) struct MenSets(Vec<Vec<u32>>);

impl MenSets {
    pub(super) fn new(count: u32) -> Self {
        let mut levels = vec![Vec::new(); 6 * count as usize + 1];
        for set in sets(count, 28) {
            levels[advance(set) as usize].push(set);
        }
        Self(levels)
    }

    /// The greatest advance.
    pub(super) fn most(&self) -> usize {
        self.0.len() - 1
    }

    /// The placements with this advance; none beyond the greatest.
    pub(super) fn level(&self, advance: usize) -> &[u32] {
        self.0.get(advance).map_or(&[], Vec::as_slice)
    }

    /// All placements.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flatten().copied()
    }
}

/// The numbering of one slice.
pub(super) struct Numbers {
    blocks: usize,
    their_men: usize,
    their_kings: usize,
    /// Positions of a block.
    positions: usize,
}

impl Numbers {
    pub(super) fn new(slice: Slice) -> Self {
        let men = |force: Force| choose(28, force.men as usize);
        let kings = |force: Force| choose(32, force.kings as usize);
        Self {
            blocks: men(slice.own) * men(slice.their),
            their_men: men(slice.their),
            their_kings: kings(slice.their),
            positions: kings(slice.own) * kings(slice.their),
        }
    }

    /// How many numbers there are, used or not.
    pub(super) const fn len(&self) -> usize {
        self.blocks * self.positions
    }

    fn block(&self, own_men: u32, their_men: u32) -> usize {
        rank(own_men) * self.their_men + rank(their_men)
    }

    fn within(&self, own_kings: u32, their_kings: u32) -> usize {
        rank(own_kings) * self.their_kings + rank(their_kings)
    }

    /// The number of a position, every set seen from its owner.
    pub(super) fn number(&self, own: [u32; 2], their: [u32; 2]) -> usize {
        self.block(own[0], their[0]) * self.positions + self.within(own[1], their[1])
    }

    /// Bytes for two bits a position.
    const fn block_bytes(&self) -> usize {
        self.positions.div_ceil(4)
    }
}

/// The values of one slice.
pub(super) struct Table {
    numbers: Numbers,
    bytes: Vec<AtomicU8>,
}

const UNUSED: u8 = 0xFF;

/// The bytes of the values of a slice.
pub(super) fn bytes(slice: Slice) -> u64 {
    let numbers = Numbers::new(slice);
    (numbers.blocks * numbers.block_bytes()) as u64
}

impl Table {
    pub(super) fn new(slice: Slice) -> Self {
        let bytes = (0..bytes(slice)).map(|_| AtomicU8::new(UNUSED)).collect();
        Self {
            numbers: Numbers::new(slice),
            bytes,
        }
    }

    /// The bytes as they are kept between two runs.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.bytes
            .iter()
            .map(|byte| byte.load(Ordering::Relaxed))
            .collect()
    }

    /// Takes bytes over; false if they are not as many as there should be.
    pub(super) fn read(&mut self, bytes: &[u8]) -> bool {
        for (own, &byte) in self.bytes.iter_mut().zip(bytes) {
            *own = AtomicU8::new(byte);
        }
        self.bytes.len() == bytes.len()
    }

    /// The bytes of a block.
    fn block(&self, own_men: u32, their_men: u32) -> &[AtomicU8] {
        let len = self.numbers.block_bytes();
        &self.bytes[self.numbers.block(own_men, their_men) * len..][..len]
    }

    /// Keeps the values of all placements of kings, those of the side to move outermost.
    pub(super) fn put(&self, own_men: u32, their_men: u32, values: &[u8]) {
        let block = self.block(own_men, their_men);
        for (byte, values) in block.iter().zip(values.chunks(4)) {
            let packed = values.iter().rev().fold(0, |byte, value| byte << 2 | value);
            byte.store(packed, Ordering::Relaxed);
        }
    }

    /// Adds how often each value occurs with these men.
    pub(super) fn tally(&self, own_men: u32, their_men: u32, counts: &mut [u64; 4]) {
        let block = self.block(own_men, their_men);
        for (nth, byte) in block.iter().enumerate() {
            let byte = byte.load(Ordering::Relaxed);
            for within in 0..(self.numbers.positions - 4 * nth).min(4) {
                counts[usize::from(byte >> (2 * within) & 3)] += 1;
            }
        }
    }

    /// The value of a position, every set seen from its owner.
    pub(super) fn get(&self, own: [u32; 2], their: [u32; 2]) -> u8 {
        let within = self.numbers.within(own[1], their[1]);
        let byte = &self.block(own[0], their[0])[within / 4];
        byte.load(Ordering::Relaxed) >> (within % 4 * 2) & 3
    }
}

/// The values of all slices that were solved.
#[derive(Default)]
pub(super) struct Tables(pub(super) HashMap<Slice, Table>);

impl Tables {
    /// The value of a board for its side to move; lost if that side has nothing left.
    pub(super) fn value(&self, board: &Board) -> u8 {
        let force = |men: u32, kings: u32| Force {
            men: men.count_ones(),
            kings: kings.count_ones(),
        };
        let slice = Slice {
            own: force(board.own_men, board.own_kings),
            their: force(board.their_men, board.their_kings),
        };
        if slice.own.pieces() == 0 {
            return 0;
        }
        let table = self
            .0
            .get(&slice)
            .expect("moves lead to slices solved before");
        table.get(
            [board.own_men, board.own_kings],
            [
                board.their_men.reverse_bits(),
                board.their_kings.reverse_bits(),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_listed_by_rank() {
        for count in 0..=4 {
            let sets = sets(count, 32);
            assert_eq!(sets.len(), choose(32, count as usize));
            assert!((0..).zip(&sets).all(|(place, &set)| rank(set) == place));
        }
    }
}
