//! Engine against engine: a match from its openings to its report.
//!
//! Knows the engines only through [`crate::client`] and decides every game by `engine::rules`;
//! knows nothing of the command line. Start reading at [`elo`] for the statistics.

pub mod adjudicate;
pub mod contestant;
mod eleven;
pub mod elo;
pub mod game;
pub mod journal;
pub mod openings;
pub mod pdn;
pub mod record;
pub mod runner;
pub mod schedule;
pub mod sprt;
pub mod summary;
pub mod tally;
pub mod time;
