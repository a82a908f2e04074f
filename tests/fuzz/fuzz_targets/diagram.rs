//! Any text is a board that reads back as printed, or an error of one line.
#![no_main]

use engine::notation::{Notation, diagram};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match diagram::read(text) {
        Ok(placement) => {
            for notation in [Notation::Numeric, Notation::Algebraic] {
                let printed = diagram::print(&placement.position, notation);
                let again = diagram::read(&printed).expect("our own print");
                let turn = placement.position.turn();
                assert_eq!(again.position.with_turn(turn), placement.position);
            }
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
});
