//! Characters from a stream of bytes, with a look ahead and a count of lines.
//!
//! UTF-8 with or without a byte-order mark, UTF-16 with one, and Windows-1252 for every line
//! that is no UTF-8. Memory is bounded whatever the stream holds, lines without end included.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use encoding_rs::{Decoder, Encoding, WINDOWS_1252};

/// Bytes that [`Source::rest`] shows at least, if the stream has so many.
pub(super) const LOOKAHEAD: usize = 4096;
/// Bytes taken from the stream at once, unless a line ends before.
const PIECE: u64 = 16 * 1024;

pub(super) struct Source<R> {
    input: R,
    raw: Vec<u8>,
    text: String,
    at: usize,
    dropped: usize,
    ended: bool,
    began: bool,
    wide: Option<Decoder>,
    line: usize,
    /// Where in the whole text lines begin that were no UTF-8, oldest first.
    legacy: VecDeque<usize>,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            raw: Vec::new(),
            text: String::new(),
            at: 0,
            dropped: 0,
            ended: false,
            began: false,
            wide: None,
            line: 1,
            legacy: VecDeque::new(),
        }
    }

    /// The line of the next character, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The text ahead: at least [`LOOKAHEAD`] bytes of it, or all there is.
    pub(super) fn rest(&mut self) -> io::Result<&str> {
        while !self.ended && self.text.len() - self.at < LOOKAHEAD {
            self.refill()?;
        }
        Ok(&self.text[self.at..])
    }

    /// Whether the next character begins a line.
    pub(super) fn at_line_start(&self) -> bool {
        self.text[..self.at].ends_with('\n') || (self.at == 0 && self.dropped == 0)
    }

    /// Moves on by `bytes`, which must end at a character seen in [`Source::rest`].
    pub(super) fn advance(&mut self, bytes: usize) {
        let end = self.at + bytes;
        let passed = &self.text.as_bytes()[self.at..end];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.at = end;
    }

    /// Whether any character since the last call was read as Windows-1252.
    pub(super) fn take_legacy(&mut self) -> bool {
        let here = self.dropped + self.at;
        let before = self.legacy.len();
        while self.legacy.front().is_some_and(|&start| start < here) {
            self.legacy.pop_front();
        }
        self.legacy.len() < before
    }

    fn refill(&mut self) -> io::Result<()> {
        // Keep one character, so that at_line_start can look back.
        if self.at > 4 * LOOKAHEAD {
            let last = self.text[..self.at].char_indices().next_back();
            let keep = last.map_or(0, |(index, _)| index);
            self.text.drain(..keep);
            self.dropped += keep;
            self.at -= keep;
        }
        let before = self.raw.len();
        let mut piece = (&mut self.input).take(PIECE);
        if self.wide.is_some() {
            piece.read_to_end(&mut self.raw)?;
        } else {
            piece.read_until(b'\n', &mut self.raw)?;
        }
        self.ended = self.raw.len() == before;
        if !self.began {
            self.skip_mark();
        }
        self.decode();
        Ok(())
    }

    /// A byte-order mark of UTF-8 is dropped; one of UTF-16 decides the encoding.
    fn skip_mark(&mut self) {
        self.began = true;
        let Some((encoding, length)) = Encoding::for_bom(&self.raw) else {
            return;
        };
        if encoding != encoding_rs::UTF_8 {
            self.wide = Some(encoding.new_decoder_with_bom_removal());
        } else {
            self.raw.drain(..length);
        }
    }

    fn decode(&mut self) {
        if let Some(decoder) = &mut self.wide {
            let room = decoder.max_utf8_buffer_length(self.raw.len());
            self.text.reserve(room.unwrap_or(4 * self.raw.len()));
            let _ = decoder.decode_to_string(&self.raw, &mut self.text, self.ended);
            self.raw.clear();
            return;
        }
        match std::str::from_utf8(&self.raw) {
            Ok(text) => {
                self.text.push_str(text);
                self.raw.clear();
            }
            // The piece ends within a character: the rest of it comes with the next piece.
            Err(error) if error.error_len().is_none() && !self.ended => {
                let (whole, _) = self.raw.split_at(error.valid_up_to());
                self.text.push_str(&String::from_utf8_lossy(whole));
                self.raw.drain(..error.valid_up_to());
            }
            Err(_) => self.decode_legacy(),
        }
    }

    fn decode_legacy(&mut self) {
        self.legacy.push_back(self.dropped + self.text.len());
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(&self.raw);
        self.text.push_str(&text);
        self.raw.clear();
    }
}
