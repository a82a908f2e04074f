//! A child process with its pipes, in a process group of its own.
//!
//! Owns three threads a child, one a pipe: none of them can block the caller, however the child
//! behaves. Output arrives as bounded lines stamped with the time of arrival; standard error is
//! drained and its end kept. Knows no dialect. Start reading at [`Process::start`].

use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, TrySendError, bounded};
use parking_lot::Mutex;
use process_wrap::std::{ChildWrapper, CommandWrap};

use crate::lines::{Line, Lines};

/// The longest line that an engine may write, in bytes; what exceeds it is dropped.
const LONGEST_LINE: usize = 64 << 10;

/// Lines read but not yet looked at. A full channel stops the reading thread, then the pipe
/// fills, then the child waits: a flood costs no memory.
const UNREAD_LINES: usize = 256;

/// Messages not yet taken by the child. It reads one a move, so more means it does not read.
const UNWRITTEN: usize = 64;

/// How much of standard error is kept, in bytes.
const LAST_WORDS: usize = 2_000;

/// How long a child may take to leave after it was told to.
const FAREWELL: Duration = Duration::from_millis(500);

/// Something that came from the child.
#[derive(Debug)]
pub(super) enum Event {
    /// A line and when it arrived.
    Line(String, Instant),
    /// The child closed its output.
    Closed,
}

/// A running child.
#[derive(Debug)]
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    input: Option<Sender<String>>,
    /// When the latest message began to be written.
    last_write: Arc<Mutex<Instant>>,
    output: Receiver<Event>,
    last_words: Arc<Mutex<Vec<u8>>>,
    /// Disconnected once standard error has ended.
    words_end: Receiver<()>,
}

impl Process {
    pub(super) fn start(command: &[String], directory: Option<&Path>) -> std::io::Result<Self> {
        let mut child = group(command, directory).spawn()?;
        let (input, messages) = bounded(UNWRITTEN);
        let (lines, output) = bounded(UNREAD_LINES);
        let last_write = Arc::new(Mutex::new(Instant::now()));
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let (speaking, words_end) = bounded(0);
        if let Some(pipe) = child.stdin().take() {
            let last_write = Arc::clone(&last_write);
            thread::spawn(move || write_all(pipe, &messages, &last_write));
        }
        if let Some(pipe) = child.stdout().take() {
            thread::spawn(move || read_lines(pipe, &lines));
        }
        if let Some(pipe) = child.stderr().take() {
            let kept = Arc::clone(&last_words);
            thread::spawn(move || {
                drain(pipe, &kept);
                drop(speaking);
            });
        }
        Ok(Self {
            child,
            input: Some(input),
            last_write,
            output,
            last_words,
            words_end,
        })
    }

    /// Sends text to the child; false if it does not take any.
    pub(super) fn write(&self, text: String) -> bool {
        let Some(input) = &self.input else {
            return false;
        };
        !matches!(
            input.try_send(text),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_))
        )
    }

    /// The next event, or `None` when the deadline has passed.
    pub(super) fn read(&self, deadline: Instant) -> Option<Event> {
        match self.output.recv_deadline(deadline) {
            Ok(event) => Some(event),
            Err(error) if error.is_timeout() => None,
            Err(_) => Some(Event::Closed),
        }
    }

    /// When the latest message began to be written to the child.
    pub(super) fn last_write(&self) -> Instant {
        *self.last_write.lock()
    }

    /// Takes the lines that were not read: they answer an earlier request.
    pub(super) fn unread(&self) -> Vec<String> {
        let events = self.output.try_iter().take(UNREAD_LINES);
        let lines = events.map_while(|event| match event {
            Event::Line(line, _) => Some(line),
            Event::Closed => None,
        });
        lines.collect()
    }

    /// How the child ended, and the end of what it wrote to standard error.
    pub(super) fn obituary(&mut self) -> (String, String) {
        let status = match self.leave_within(FAREWELL) {
            Some(status) => status.to_string(),
            None => "it closed its output but still runs".into(),
        };
        // A process that it started may hold the pipe open; then what has come must do.
        let _ = self.words_end.recv_timeout(FAREWELL);
        let words = String::from_utf8_lossy(&self.last_words.lock()).into_owned();
        (status, words)
    }

    fn leave_within(&mut self, patience: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + patience;
        let mut pause = Duration::from_micros(200);
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Drop for Process {
    /// Closes the child's input, waits a little, then kills the whole group: a wrapper script's
    /// own children, too.
    fn drop(&mut self) {
        self.input = None;
        self.leave_within(FAREWELL);
        // Fails when nobody is left in the group, which is what we want.
        let _ = self.child.start_kill();
        let _ = self.child.wait();
    }
}

fn group(command: &[String], directory: Option<&Path>) -> CommandWrap {
    let (program, arguments) = command
        .split_first()
        .map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let mut plain = Command::new(program);
    plain
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(directory) = directory {
        plain.current_dir(directory);
    }
    let mut wrapped = CommandWrap::from(plain);
    #[cfg(unix)]
    wrapped.wrap(process_wrap::std::ProcessGroup::leader());
    #[cfg(windows)]
    wrapped.wrap(process_wrap::std::JobObject);
    wrapped
}

fn write_all(mut pipe: ChildStdin, messages: &Receiver<String>, last_write: &Mutex<Instant>) {
    for message in messages {
        *last_write.lock() = Instant::now();
        if pipe
            .write_all(message.as_bytes())
            .and_then(|()| pipe.flush())
            .is_err()
        {
            return;
        }
    }
}

fn read_lines(pipe: ChildStdout, lines: &Sender<Event>) {
    for line in Lines::bounded(BufReader::new(pipe), LONGEST_LINE) {
        let at = Instant::now();
        if let Line::Text(text) = line
            && lines.send(Event::Line(text, at)).is_err()
        {
            return;
        }
    }
    // The receiver may have gone already.
    let _ = lines.send(Event::Closed);
}

fn drain(mut pipe: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        let mut kept = kept.lock();
        kept.extend_from_slice(&buffer[..count]);
        let excess = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..excess);
    }
}
