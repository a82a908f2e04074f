//! The line protocols of `crownhead`: what clients send and get over standard streams.
//!
//! [`session`] is the one state machine; [`hub`], [`cb`] and [`ugi`] are the dialects, each no
//! more than text to typed messages and back ([`message`]). [`lines`] bounds what may come in.
//! [`dxp`] plays with another program as its equal, [`json`] analyses for programs.
//! [`client`] is the other end of the line, and [`arena`] plays engines against each other.
//! [`databases`] finds endgame files.

pub mod arena;
pub mod cb;
pub mod choice;
pub mod client;
pub mod console;
pub mod databases;
pub mod dialect;
pub mod dxp;
mod error;
pub mod hub;
pub mod json;
pub mod lines;
pub mod message;
pub mod player;
pub mod replay;
pub mod session;
pub mod ugi;
pub mod words;

pub use error::{ProtocolError, excerpt};
