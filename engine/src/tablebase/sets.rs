//! Rows of bits over all sets of a few squares, and which of them have captures.
//!
//! A row has one bit for each set of `k` of the squares that are free, at its colexicographic
//! rank. The sets that hold the free square number `i` are the same bits whatever the number of
//! free squares, so one table serves all rows. Start reading at [`Masks::fill`].

use std::sync::LazyLock;

use super::index::{choose, next_set, unrank};
use crate::board::steps::{Direction, step};
use crate::board::{Bitboard, Color, regions};

/// For each number of squares in a set, and each square: 64 sets a word.
struct Holds {
    words: usize,
    bits: Vec<u64>,
}

impl Holds {
    fn new(count: u32) -> Self {
        let sets = choose(32, count) as usize;
        let words = sets.div_ceil(64);
        let mut bits = vec![0; 32 * words];
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

/// Everything on the board but the kings of the side to move, Black.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scene {
    pub(super) own_men: Bitboard,
    pub(super) theirs: Bitboard,
    pub(super) their_kings: Bitboard,
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

/// The numbers of the free squares, by square.
pub(super) type Numbers = [u8; 32];

impl Masks {
    pub(super) const fn new() -> Self {
        Self {
            jump: [0; MOST_WORDS],
            threat: [0; MOST_WORDS],
        }
    }

    /// Works out `words` words from word `first` on of the row over sets of `kings` own kings.
    pub(super) fn fill(
        &mut self,
        scene: &Scene,
        numbers: &Numbers,
        kings: u32,
        first: usize,
        words: usize,
    ) {
        let row = Row {
            holds: Holds::of(kings),
            numbers,
            first,
        };
        let (jump, threat) = (&mut self.jump[..words], &mut self.threat[..words]);
        jump.fill(0);
        threat.fill(0);
        let fixed = scene.own_men | scene.theirs;
        for direction in Direction::ALL {
            let forward = Direction::forward(Color::Black).contains(&direction);
            for victim in scene.theirs & regions::INTERIOR {
                let to = step(victim.bit(), direction);
                let from = step(victim.bit(), direction.opposite());
                if to.meets(fixed) || from.meets(scene.theirs) {
                    continue;
                }
                if !from.meets(scene.own_men) {
                    row.add_with(jump, from, to);
                } else if forward {
                    row.add(jump, to);
                }
            }
            let attackers = if forward {
                scene.their_kings
            } else {
                scene.theirs
            };
            for attacker in attackers {
                let victim = step(attacker.bit(), direction) & regions::INTERIOR;
                let to = step(victim, direction);
                if victim.is_empty() || to.meets(fixed) || victim.meets(scene.theirs) {
                    continue;
                }
                if victim.meets(scene.own_men) {
                    row.add(threat, to);
                } else {
                    row.add_with(threat, victim, to);
                }
            }
        }
    }
}

struct Row<'a> {
    holds: &'static Holds,
    numbers: &'a Numbers,
    first: usize,
}

impl Row<'_> {
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
