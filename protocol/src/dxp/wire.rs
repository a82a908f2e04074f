//! The stream of messages: whole ones in, spaced ones out.
//!
//! Owns the pauses that other programs need and the bound of what a peer may make us keep.

use std::io::{self, BufReader, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::Receiver;

use super::{LONGEST, Message};
use crate::lines::{Line, Lines};

/// The half of a stream that is written to.
#[derive(Debug)]
pub(super) struct Wire<W> {
    out: W,
    /// Kept between two messages that follow each other.
    pause: Duration,
    /// When we sent our last message, unless the peer has been heard since.
    sent: Option<Instant>,
}

impl<W: Write> Wire<W> {
    pub(super) fn new(out: W, pause: Duration) -> Self {
        Self {
            out,
            pause,
            sent: None,
        }
    }

    /// The peer has said something, so it has read what came before.
    pub(super) fn heard(&mut self) {
        self.sent = None;
    }

    /// Sends a message in one piece, after a pause where it is needed.
    pub(super) fn send(&mut self, message: &Message) -> io::Result<()> {
        if let Some(sent) = self.sent {
            thread::sleep(self.pause.saturating_sub(sent.elapsed()));
        }
        self.out.write_all(format!("{message}\0").as_bytes())?;
        self.out.flush()?;
        self.sent = Some(Instant::now());
        Ok(())
    }
}

/// Reads messages on a thread of its own, which ends with the stream or when nobody listens.
pub(super) fn listen<R: Read + Send + 'static>(reader: R) -> io::Result<Receiver<Line>> {
    Lines::nul_terminated(BufReader::new(reader), LONGEST).on_a_thread()
}
