//! Any bytes are games that read back as written.
#![no_main]

use engine::notation::Notation;
use engine::notation::pdn::{Reader, to_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for game in Reader::new(bytes) {
        let game = game.expect("memory does not fail");
        if let Some(fault) = &game.fault {
            assert_eq!(fault.to_string().lines().count(), 1);
        }
        for notation in [Notation::Numeric, Notation::Algebraic] {
            let text = to_text(&game, notation);
            let again = Reader::new(text.as_bytes()).next();
            let Some(again) = again else {
                assert!(game.tags.is_empty() && game.moves.is_empty(), "{text}");
                continue;
            };
            let again = again.expect("memory does not fail");
            assert_eq!(again.start, game.start, "{text}");
            assert_eq!(plain(&again.moves), plain(&game.moves), "{text}");
            assert_eq!(to_text(&again, notation), text);
        }
    }
});

fn plain(moves: &[engine::notation::pdn::PlayedMove]) -> Vec<engine::rules::Move> {
    moves.iter().map(|played| played.mv).collect()
}
