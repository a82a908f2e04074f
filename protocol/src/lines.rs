//! Lines of text from a peer that cannot be trusted.
//!
//! Owns the rule that a line costs at most [`LONGEST_LINE`] bytes of memory, whatever arrives.
//! Knows no dialect. Start reading at [`Lines`].

use std::io::{self, BufRead};
use std::thread;

use crossbeam::channel::{Receiver, bounded};

/// The longest line that is accepted, in bytes: room for a game of half a million plies.
pub const LONGEST_LINE: usize = 4 << 20;

/// Lines that may wait to be read; beyond that the peer has to.
const WAITING: usize = 16;

/// What came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its end (LF or CR LF); bytes that are no UTF-8 are replaced by U+FFFD.
    Text(String),
    /// A line that passed the limit; what is left of it will be skipped.
    TooLong,
}

/// Reads lines of bounded length.
///
/// ```
/// use protocol::lines::{Line, Lines};
///
/// let mut lines = Lines::new(&b"hub\r\ninit"[..]);
/// assert_eq!(lines.next(), Some(Line::Text("hub".into())));
/// assert_eq!(lines.next(), Some(Line::Text("init".into())));
/// assert_eq!(lines.next(), None);
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    longest: usize,
    end: u8,
    skipping: bool,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most [`LONGEST_LINE`] bytes.
    pub fn new(reader: R) -> Self {
        Self::bounded(reader, LONGEST_LINE)
    }

    /// Lines of at most `longest` bytes.
    pub fn bounded(reader: R, longest: usize) -> Self {
        Self {
            reader,
            longest,
            end: b'\n',
            skipping: false,
        }
    }

    /// Messages of at most `longest` bytes that end with a NUL; one that the end of the input cuts
    /// off is dropped.
    pub fn nul_terminated(reader: R, longest: usize) -> Self {
        Self {
            end: b'\0',
            ..Self::bounded(reader, longest)
        }
    }

    /// Appends up to and including the next end of a line; says whether the line is complete.
    /// Stops early, with false, when `line` has passed the limit or the input has ended.
    fn gather(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if buffer.is_empty() {
                return Ok(false);
            }
            let end = buffer.iter().position(|&byte| byte == self.end);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let room = (self.longest + 1).saturating_sub(line.len());
            line.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() || line.len() > self.longest {
                return Ok(end.is_some());
            }
        }
    }

    /// Drops what is left of a line that was reported as too long.
    fn skip(&mut self) -> io::Result<()> {
        let mut dropped = Vec::new();
        while self.skipping {
            dropped.clear();
            let complete = self.gather(&mut dropped)?;
            self.skipping = !complete && !dropped.is_empty();
        }
        Ok(())
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        self.skip()?;
        let mut line = Vec::new();
        let complete = self.gather(&mut line)?;
        if line.len() > self.longest {
            self.skipping = !complete;
            return Ok(Some(Line::TooLong));
        }
        if !complete && (line.is_empty() || self.end == b'\0') {
            return Ok(None);
        }
        if self.end == b'\n' && line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some(Line::Text(
            String::from_utf8_lossy(&line).into_owned(),
        )))
    }
}

impl<R: BufRead + Send + 'static> Lines<R> {
    /// Reads on a thread of its own, which ends with the input or when nobody listens.
    pub(crate) fn on_a_thread(self) -> io::Result<Receiver<Line>> {
        let (sender, lines) = bounded(WAITING);
        let read = move || {
            for line in self {
                if sender.send(line).is_err() {
                    return;
                }
            }
        };
        // Never joined: it may be blocked in a read that nothing ends.
        thread::Builder::new().name("input".into()).spawn(read)?;
        Ok(lines)
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Line;

    /// The next line; `None` at the end of the input, or when it cannot be read any more.
    fn next(&mut self) -> Option<Line> {
        self.read().unwrap_or(None)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn texts(input: &[u8], longest: usize) -> Vec<Line> {
        // A tiny buffer makes every line cross a border.
        Lines::bounded(BufReader::with_capacity(3, input), longest).collect()
    }

    fn text(line: &str) -> Line {
        Line::Text(line.into())
    }

    #[test]
    fn line_ends_and_the_last_line_without_one() {
        assert_eq!(
            texts(b"a\r\nbcde\n\nf", 8),
            ["a", "bcde", "", "f"].map(text)
        );
        assert_eq!(texts(b"", 8), []);
    }

    #[test]
    fn a_long_line_is_reported_once_and_skipped() {
        let limit = [text("12345678"), Line::TooLong, text("b")];
        assert_eq!(texts(b"12345678\n123456789\nb\n", 8), limit);
        assert_eq!(texts(b"12345678\n12345678901234567890\nb", 8), limit);
        assert_eq!(texts(b"1234567890", 8), [Line::TooLong]);
    }

    #[test]
    fn nul_terminated_messages_are_whole_or_nothing() {
        let messages = |input| Lines::nul_terminated(BufReader::with_capacity(2, input), 4);
        let all = |input| messages(input).collect::<Vec<_>>();
        assert_eq!(
            all(&b"E00\0\0a\nb\r\0"[..]),
            ["E00", "", "a\nb\r"].map(text)
        );
        assert_eq!(all(b"E00\0M000"), [text("E00")]);
        assert_eq!(all(b"12345\0E00\0"), [Line::TooLong, text("E00")]);
    }

    #[test]
    fn noise_becomes_text() {
        assert_eq!(texts(b"\xff\0go\n", 8), [text("\u{fffd}\0go")]);
    }

    #[test]
    fn a_hundred_megabytes_without_newline_stay_small() {
        let endless = BufReader::new(io::repeat(b'x').take(100 << 20));
        let mut lines = Lines::new(endless);
        assert_eq!(lines.next(), Some(Line::TooLong));
        assert_eq!(lines.next(), None);
    }
}
