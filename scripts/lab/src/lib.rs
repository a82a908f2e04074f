//! Where the evaluation is learned: self-play makes positions with results, training turns them
//! into a network that the engine embeds.
//!
//! Nothing in the workspace depends on this. Start reading at [`selfplay::play`] for the data and
//! at [`record::Record`] for what is kept of a position.

pub mod ending;
pub mod opening;
pub mod record;
pub mod selfplay;
pub mod shard;
pub mod train;
