//! Distances: how many plies a won position is away from the next capture or man's move.
//!
//! The winner plays for the shortest way and the loser for the longest. A side that has no move
//! loses at distance 1, as if giving up were a move; so a win whose very last ply under the 40-move
//! rule takes the opponent's last move is counted as a draw. Distances decide whether the 40-move rule spoils a win, and let
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
pub use store::{kind, stored_values};
