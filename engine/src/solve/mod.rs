//! Proven values: does a side win, or does the other hold at least a draw?
//!
//! Both questions are one: "can the attacker force a win?" Yes gives a strategy to win, no gives
//! the holder a strategy to draw, and two answers make a value. `prover` searches, `strategy`
//! turns what it found into graphs that are complete in themselves, `certificate` writes them,
//! and `check` believes nobody: it verifies a certificate with its own rules. Knows the rules,
//! the databases and the evaluation; never prints. Start reading at [`Solver`].
//!
//! Rules of a proof: whoever cannot move loses, endless play is a draw (so threefold repetition
//! adds nothing), and there is no 40-move rule unless it is asked for.

pub mod certificate;
pub mod check;
mod guess;
mod leaf;
mod numbers;
mod progress;
mod prover;
mod solver;
mod strategy;
mod table;

pub use certificate::{Certificate, CertificateError, Claim};
pub use leaf::Rules;
pub use progress::ProgressError;
pub use solver::{Bounds, MoveValue, Settings, Solution, Solver};
pub use strategy::{Aim, Strategy};
