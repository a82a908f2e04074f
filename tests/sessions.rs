//! Sessions over pipes: real clients' recordings, known faults of other engines, hostile input.

mod databases;
mod ends;
mod hub;
mod hub_recordings;
mod worded;

use engine::notation::{fen, moves};
use engine::rules::Game;
use protocol::hub::{Line, write_position};

use crate::client::{Client, options};

const START: &str = "Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww";

fn hub() -> Client {
    let mut client = Client::new(options(None));
    client.send("hub / init");
    client.until("ready");
    client
}

/// The letters of a FEN, plainly.
fn letters(text: &str) -> String {
    write_position(&fen::read(text).expect(text))
}

/// Both moves of a `done` line are legal and written as Hub does.
fn check_done(done: &str, mut game: Game) {
    let line = Line::read(done);
    for key in ["move", "ponder"] {
        let Some(text) = line.value(key) else {
            assert_eq!(key, "ponder", "{done}");
            return;
        };
        let mv = moves::play(text, &mut game).expect(done);
        assert_eq!(moves::write_hub(mv), text);
    }
}

/// `plies` plies in which kings go to and fro (row 70; drawn long ago, but nobody claimed it).
fn king_tour(plies: usize) -> String {
    let cycle = ["1-5", "32-28", "5-1", "28-32"];
    (0..plies)
        .map(|ply| cycle[ply % 4])
        .collect::<Vec<_>>()
        .join(" ")
}
