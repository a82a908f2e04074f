//! Any text is a FEN that reads back as written, or an error of one line.
#![no_main]

use engine::notation::{fen, read_position};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match fen::read(text) {
        Ok(position) => assert_eq!(fen::read(&fen::write(&position)), Ok(position)),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
    if let Err(error) = read_position(text) {
        assert_eq!(error.to_string().lines().count(), 1);
    }
});
