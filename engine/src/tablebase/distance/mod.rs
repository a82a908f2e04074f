//! Distances: how many plies a won position is away from the next capture or man's move.
//!
//! The winner plays for the shortest way and the loser for the longest, and a position without a
//! legal move is at distance 0. Distances decide whether the 40-move rule spoils a win, and let
//! won endings make progress; they say nothing of the plies to the end of the game. Only slices
//! with kings on both sides need stored distances: elsewhere one side has nothing but
//! irreversible moves. Start reading at [`mod@file`].

pub mod coding;
pub mod file;
mod probe;
mod store;

pub use file::Image;
pub use probe::{Rated, forty_move_value};
pub(super) use store::Store;
