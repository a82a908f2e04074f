//! The law of English draughts: positions, moves and games.
//!
//! Knows the board's geometry and nothing above it: no text, no search, no evaluation.
//! Start reading at [`Position`], then [`movegen`].

mod chain;
pub mod game;
pub mod key;
pub mod law;
pub mod movegen;
mod moves;
pub mod perft;
mod piece;
mod position;
mod setup;
mod side;

pub use game::{DrawReason, Game, IllegalMove, Outcome};
pub use key::Key;
pub use moves::{MOST_MOVES, Move, MoveList, Route};
pub use piece::Piece;
pub use position::Position;
pub use setup::{Setup, SetupError};
