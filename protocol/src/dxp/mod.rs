//! DXP, the DamExchange protocol: two programs play each other over one stream of messages.
//!
//! [`message`] is the text of the messages, [`board`] the positions that they carry, [`peer`] plays.
//! Each message is at most [`LONGEST`] bytes of ASCII before a NUL. The published protocol knows
//! boards of 50 squares; here they have 32, the start position `A` is that of English draughts, and
//! Black (`Z`) moves first. Start reading at [`peer::talk`].

pub mod board;
mod contest;
pub mod message;
pub mod peer;
mod wire;

pub use contest::{Ending, Record};
pub use message::{DxpError, Message};

/// The longest message without its NUL, in bytes.
pub const LONGEST: usize = 127;

/// The port where DXP programs are looked for.
pub const PORT: u16 = 27531;
