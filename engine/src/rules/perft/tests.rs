use super::*;
use crate::board::{Square, regions};
use crate::rules::{Move, Piece, Setup};

/// The slow twin: the lists of [`Position`].
fn by_lists(position: &Position, depth: u8, merged: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves: Vec<Move> = if merged {
        position.legal_moves().into_iter().collect()
    } else {
        position.routes().iter().map(Route::as_move).collect()
    };
    moves
        .into_iter()
        .map(|mv| by_lists(&position.play(mv), depth - 1, merged))
        .sum()
}

/// A repeatable source of words (SplitMix64).
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A legal placement with up to 12 pieces a side, of which `kings` in eight are kings.
    fn position(&mut self, kings: u64) -> Position {
        let mut setup = Setup::empty(Color::BOTH[self.below(2) as usize]);
        for color in Color::BOTH {
            for _ in 0..self.below(13) {
                let square = Square::from_index(self.below(32) as u32);
                let crownhead = regions::crownhead(color).contains(square);
                if !setup.is_occupied(square) {
                    let king = crownhead || self.below(8) < kings;
                    setup.put(square, color, if king { Piece::King } else { Piece::Man });
                }
            }
        }
        Position::try_from(setup).expect("a legal placement")
    }
}

#[test]
fn every_kernel_agrees_with_the_lists() {
    let mut words = Words(1);
    for round in 0..600 {
        let position = words.position(round % 9);
        for merged in [false, true] {
            let expected = (0..=3).map(|depth| by_lists(&position, depth, merged));
            let expected: Vec<u64> = expected.collect();
            for kernel in Kernel::available() {
                let perft = Perft {
                    merged,
                    kernel,
                    ..Perft::by_route()
                };
                let counted: Vec<u64> =
                    (0..=3).map(|depth| perft.count(&position, depth)).collect();
                assert_eq!(
                    counted, expected,
                    "{position:?} {kernel:?} merged: {merged}"
                );
            }
        }
    }
}

#[test]
fn tables_and_threads_change_nothing() {
    let mut words = Words(2);
    let mut positions = vec![(Position::START, 8)];
    positions.extend((0..20).map(|round| (words.position(round % 9), 5)));
    for merged in [false, true] {
        let new = || {
            if merged {
                Perft::merged()
            } else {
                Perft::by_route()
            }
        };
        let plain = new();
        let others = [
            new().with_table(1).expect("one megabyte"),
            new().with_threads(2).expect("two threads"),
            new()
                .with_table(1)
                .and_then(|perft| perft.with_threads(3))
                .expect("three threads"),
        ];
        for (position, depth) in &positions {
            let expected = plain.count(position, *depth);
            for perft in &others {
                assert_eq!(perft.count(position, *depth), expected, "{position:?}");
                let divided = perft.divide(position, *depth);
                let total: u64 = divided.iter().map(|(_, count)| count).sum();
                assert_eq!(total, expected, "{position:?}");
            }
        }
    }
}
