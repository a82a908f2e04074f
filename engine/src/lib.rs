//! English draughts (American checkers) as a library: rules, notation and search.
//!
//! Layers, each knowing only those before it: [`board`] (geometry), [`rules`] (law, positions,
//! moves, games), then `notation`, evaluation and databases side by side, then search. Nothing
//! here prints, reads standard input, parses arguments or exits.
//!
//! ```
//! use engine::rules::Position;
//!
//! assert_eq!(Position::START.legal_moves().len(), 7);
//! ```

pub mod bench;
pub mod board;
pub mod engine;
pub mod eval;
mod large_pages;
pub mod notation;
mod prefetch;
pub mod rules;
pub mod score;
pub mod search;
pub mod solve;
pub mod tablebase;
