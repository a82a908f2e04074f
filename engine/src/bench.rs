//! The behaviour signature: fixed positions searched to a fixed depth on one thread.
//!
//! The number of nodes changes exactly when the search or the evaluation behaves differently,
//! and is the same on every machine. It says nothing about strength.

use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineOptions};
use crate::rules::Game;
use crate::search::{HashError, Limits};

/// The plies that every position is searched, if nothing else is asked for.
pub const DEPTH: i16 = 17;

const HASH_MB: usize = 16;

/// Openings, middle games, jumps pending, king endings and an overfull board; from own games
/// and the problem literature, in FEN.
pub const POSITIONS: [&str; 16] = [
    "B:W21-32:B1-12",
    "W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,13",
    "B:W18,21,22,24,26,27,28,30,31,32:B1,2,3,5,6,8,10,11,12,16",
    "W:W17,20,21,24,25,26,28,30,31,32:B2,3,4,6,7,8,10,12,14,15",
    "B:W19,21,22,24,25,28,29,30,31:B1,3,4,6,8,10,11,12,14",
    "W:W13,18,22,23,26,30,31,32:B3,5,6,7,10,11,12,20",
    "B:W11,20,23,26,28,32:B2,4,6,9,12,13",
    "W:W15,21,23,27,31:B6,7,12,13,20",
    "W:WK2,19,20,23,31:B8,11,12,13,K30",
    "B:WK8,12,13,K15,21:B3,6,14,K16,K22",
    "W:WK19,K23:B12,K28",
    "B:WK15,28,32:B3,12,26",
    "W:WK14,K18,26:BK3,K5,13",
    "B:WK10,K11,K15,30:BK1,K5,12,21",
    "W:W23,22,15,14,30:B11,10,3,4,1",
    "W:WK21-32:BK1-12",
];

/// The outcome of [`run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// Nodes of all positions together: the signature.
    pub nodes: u64,
    /// Time on the clock.
    pub time: Duration,
}

/// An engine of the kind that the signature is made with, but for the number of `threads`, and
/// without endgame databases.
///
/// # Errors
///
/// [`HashError`] if 16 MiB cannot be had.
pub fn engine(threads: usize) -> Result<Engine, HashError> {
    Engine::new(EngineOptions {
        threads,
        hash_mb: HASH_MB,
    })
}

/// Searches `games` to `depth`, each with an empty table.
///
/// # Errors
///
/// As [`engine`].
pub fn run(games: &[Game], depth: i16) -> Result<Bench, HashError> {
    Ok(run_on(&mut engine(1)?, games, depth))
}

/// The same on a given engine. With endgame databases the nodes are no signature: they depend on
/// what is loaded.
pub fn run_on(engine: &mut Engine, games: &[Game], depth: i16) -> Bench {
    let began = Instant::now();
    let mut nodes = 0;
    for game in games {
        engine.new_game();
        engine.set_game(game.clone());
        nodes += engine.search(Limits::to_depth(depth)).report.nodes;
    }
    Bench {
        nodes,
        time: began.elapsed(),
    }
}
