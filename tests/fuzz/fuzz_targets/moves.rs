//! Any text in any position is a legal move that reads back as written, or an error of one line.
#![no_main]

use engine::notation::{Notation, fen, moves};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u32, u32, u32, bool, &str)| {
    let (black, white, kings, black_to_move, text) = input;
    let (black, white) = (thin(black), thin(white & !black));
    let list = |set: u32, crownhead: u32| {
        (1..=32u32)
            .filter(|square| set >> (square - 1) & 1 == 1)
            .map(|square| {
                let bit = 1 << (square - 1);
                let king = (kings | crownhead) & bit != 0;
                format!("{}{square}", if king { "K" } else { "" })
            })
            .collect::<Vec<_>>()
            .join(",")
    };
    let turn = if black_to_move { 'B' } else { 'W' };
    let board = format!("{turn}:W{}:B{}", list(white, 0xF), list(black, 0xF000_0000));
    let position = fen::read(&board).expect("men off their crownheads, 12 a side at most");
    match moves::read(text, &position) {
        Ok(mv) => {
            assert!(position.legal_moves().contains(&mv));
            for notation in [Notation::Numeric, Notation::Algebraic] {
                let written = moves::write(mv, &position, notation);
                assert_eq!(moves::read(&written, &position), Ok(mv), "{written} in {board}");
            }
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});

/// The first twelve pieces.
fn thin(mut set: u32) -> u32 {
    while set.count_ones() > 12 {
        set &= set - 1;
    }
    set
}
