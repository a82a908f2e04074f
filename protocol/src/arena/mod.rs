//! Engine against engine: a match from its openings to its report.
//!
//! [`schedule`] says which game comes when, [`runner`] lets several at a time be played, [`game`]
//! judges one of them by `engine::rules`; each becomes a [`record`], from which [`journal`],
//! [`pdn`], [`tally`], [`summary`] and [`report`] follow. Knows the engines only through
//! [`crate::client`], and nothing of the command line. Start reading at [`runner`].

pub mod adjudicate;
pub mod contestant;
mod eleven;
pub mod elo;
pub mod files;
pub mod game;
pub mod journal;
pub mod openings;
pub mod pdn;
mod plot;
pub mod record;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod sprt;
pub mod summary;
pub mod tally;
pub mod time;
