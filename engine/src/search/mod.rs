//! The search: principal variation search with iterative deepening, on one thread or many.
//!
//! Knows rules, evaluation and score bands; knows nothing of protocols, clocks on the wall or
//! text. Results leave through an [`Observer`]. Reading order: `pool` (a whole search), `worker`
//! (one thread), `root`, `node` (the numbered steps), `quiescence`; every number that could be
//! tuned is in `params`, every pruning margin in `margins`.

mod busy;
mod clock;
pub(crate) mod control;
mod database;
pub(crate) mod history;
pub mod limits;
mod margins;
mod memory;
mod node;
mod order;
mod params;
pub(crate) mod pool;
mod quiescence;
pub mod report;
mod root;
mod rounds;
pub(crate) mod table;
mod worker;

pub use limits::{Clock, Limits};
pub use memory::HashError;
pub use report::{Answer, Observer, Report, Silent};
