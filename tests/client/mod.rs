//! A client of a session that runs in this process, over real pipes.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use engine::engine::EngineOptions;
use protocol::dialect::Dialect;
use protocol::session::{SessionError, SessionOptions, serve};

/// Nothing that is waited for takes longer, even on a loaded machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Client {
    input: Option<PipeWriter>,
    output: Receiver<String>,
    ended: Receiver<Result<(), SessionError>>,
}

pub(crate) fn options(dialect: Option<Dialect>) -> SessionOptions {
    SessionOptions {
        dialect,
        engine: EngineOptions {
            hash_mb: 1,
            threads: 1,
        },
        ..SessionOptions::default()
    }
}

/// Starts a session whose output nobody has read yet.
pub(crate) fn start(
    options: SessionOptions,
) -> (PipeWriter, PipeReader, Receiver<Result<(), SessionError>>) {
    let (their_input, input) = std::io::pipe().expect("a pipe");
    let (output, their_output) = std::io::pipe().expect("a pipe");
    let (sender, ended) = channel();
    thread::spawn(move || {
        // The test may have seen enough.
        let _ = sender.send(serve(their_input, their_output, &options));
    });
    (input, output, ended)
}

impl Client {
    pub(crate) fn new(options: SessionOptions) -> Self {
        let (input, output, ended) = start(options);
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            input: Some(input),
            output: lines,
            ended,
        }
    }

    /// Sends lines separated by ` / `, as FAULTS rows are written.
    pub(crate) fn send(&mut self, lines: &str) {
        for line in lines.split(" / ") {
            self.send_bytes(format!("{line}\n").as_bytes());
        }
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open session");
        input.write_all(bytes).expect("a session that reads");
    }

    /// The next line, within `time`.
    pub(crate) fn line_within(&self, time: Duration) -> Option<String> {
        self.output.recv_timeout(time).ok()
    }

    /// All lines up to and including the first one that begins with `word`.
    pub(crate) fn until(&self, word: &str) -> Vec<String> {
        let end = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.line_within(left);
            let line = line.unwrap_or_else(|| panic!("no {word} after {lines:#?}"));
            let found = line.split(' ').next() == Some(word);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Sends lines and gives the last line of the answer, which begins with `word`.
    pub(crate) fn ask(&mut self, lines: &str, word: &str) -> String {
        self.send(lines);
        self.until(word).pop().expect("a line")
    }

    /// Sends lines and gives the answer up to the line that begins with `word`.
    pub(crate) fn ask_all(&mut self, lines: &str, word: &str) -> Vec<String> {
        self.send(lines);
        self.until(word)
    }

    /// Closes the input; how long the session took to end, and what it still said.
    pub(crate) fn leave(mut self) -> (Duration, Vec<String>) {
        let began = Instant::now();
        drop(self.input.take());
        let ended = self.ended.recv_timeout(PATIENCE).expect("an end");
        let took = began.elapsed();
        assert!(ended.is_ok(), "{ended:?}");
        (took, self.output.iter().collect())
    }
}
