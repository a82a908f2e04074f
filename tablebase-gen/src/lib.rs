//! Generates, verifies and describes Crownhead's endgame databases.
//!
//! The numbering of positions and the format of files belong to `engine::tablebase`; this crate
//! finds the values. It solves all positions with the same men at once, in rows of bits over the
//! placements of the kings; where there is one king or none, all positions with the same men of one
//! side. Layers: [`kernel`] (loops by instruction set), rows over kings, captures of a block, one
//! block, pairs without kings and with one, one pair of forces, then [`build`]; [`verify`] shares
//! nothing with these but the files. Start reading at the module `block`.

mod bare;
mod block;
pub mod build;
mod capture;
mod check;
pub mod distances;
mod encode;
pub mod kernel;
mod kings;
mod lone;
mod lookup;
mod pair;
pub mod plain;
pub mod plan;
pub mod stats;
pub mod system;
pub mod verify;
