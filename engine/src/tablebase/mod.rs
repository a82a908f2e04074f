//! Endgame databases: what a position with few pieces is worth under perfect play.
//!
//! Owns the numbering of positions, the file format and the probe. Knows the rules, and nothing
//! of how values are found (the `tablebase-gen` binary does that), of evaluation or of search.
//! Start reading at [`Slice`], then [`index`].

mod cache;
mod coder;
mod directory;
pub mod distance;
mod entry;
pub mod file;
pub mod index;
mod isa;
mod leaves;
pub mod model;
pub mod plain;
mod probe;
pub mod rest;
mod row;
mod runs;
mod script;
mod sets;
pub mod slice;
pub mod unit;
pub mod walk;
mod wld;

pub use distance::{Rated, forty_move_value};
pub use file::{Damage, FileError};
pub use index::{Index, Placement};
pub use probe::{Effort, ProbeError, Tablebase};
pub use slice::{Force, Slice};
pub use walk::Walk;
pub use wld::Wld;
