//! From characters to the words of PDN. Knows no position: whether a move is legal is decided by
//! the reader of games.

use std::io::{self, BufRead};

use super::source::Source;
use crate::notation::{is_blank, is_dash, tidy};

/// The longest comment that is kept; the rest of a longer one is dropped.
const MOST_COMMENT: usize = 64 * 1024;
/// The longest junk word that is reported in one piece.
const MOST_WORD: usize = 64;

/// A word of PDN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Tag {
        name: String,
        value: String,
        whole: bool,
    },
    /// A move as written without blanks, and the marks glued to it.
    Move {
        text: String,
        marks: String,
    },
    /// `!`, `(?)`: a mark by itself.
    Marks(String),
    Nag(u16),
    Comment {
        text: String,
        closed: bool,
    },
    Open,
    Close,
    /// A move left blank, as where a game was never played: `1. - -`.
    Blank,
    /// A number by itself without a dot: a move number, or half of a move.
    Number(String),
    /// A result as written, `*` included.
    Result(String),
    /// The FEN of a set-up between moves.
    SetUp(String),
    /// Anything else.
    Junk(String),
    End,
}

pub(super) struct Lexer<R> {
    source: Source<R>,
    /// Line ends between the last token and this one.
    gap: usize,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            source: Source::new(input),
            gap: 0,
        }
    }

    /// The line where the next token begins, or where the last one ended.
    pub(super) fn line(&self) -> usize {
        self.source.line()
    }

    /// Whether a blank line stood before the last token.
    pub(super) fn after_blank_line(&self) -> bool {
        self.gap > 1
    }

    pub(super) fn take_legacy(&mut self) -> bool {
        self.source.take_legacy()
    }

    /// The next token. After [`Token::End`] it is [`Token::End`] again.
    pub(super) fn next(&mut self) -> io::Result<Token> {
        self.gap = 0;
        loop {
            self.skip_blanks()?;
            if let Some(token) = self.token()? {
                return Ok(token);
            }
        }
    }

    fn skip_blanks(&mut self) -> io::Result<()> {
        loop {
            let rest = self.source.rest()?;
            let length = rest.len() - rest.trim_start_matches(is_blank).len();
            self.gap += rest[..length].bytes().filter(|&byte| byte == b'\n').count();
            if length == 0 {
                return Ok(());
            }
            self.source.advance(length);
        }
    }

    /// One token, or `None` for what means nothing: move numbers, dots, lone separators.
    fn token(&mut self) -> io::Result<Option<Token>> {
        let at_line_start = self.source.at_line_start();
        let rest = self.source.rest()?;
        let Some(first) = rest.chars().next() else {
            return Ok(Some(Token::End));
        };
        match first {
            '%' if at_line_start => self.skip_line(),
            ';' => self.line_comment(),
            '{' => self.comment().map(Some),
            '[' => self.bracket().map(Some),
            '(' => Ok(Some(self.open()?)),
            ')' => self.single(Token::Close),
            '*' => self.single(Token::Result("*".into())),
            '$' => self.nag(),
            '/' => self.setup(),
            '!' | '?' => Ok(Some(Token::Marks(
                self.run(|mark| matches!(mark, '!' | '?'))?,
            ))),
            '.' | '\u{2026}' => self.skip_run(|dot| matches!(dot, '.' | '\u{2026}')),
            '\u{BD}' => self.half(),
            _ if is_dash(first) => self.skip_run(is_dash),
            _ if square_length(rest) > 0 => self.square(),
            _ => self.junk(),
        }
    }

    fn single(&mut self, token: Token) -> io::Result<Option<Token>> {
        self.source.advance(1);
        Ok(Some(token))
    }

    /// Takes characters while they are wanted, at most as far as the look-ahead goes.
    fn run(&mut self, wanted: impl Fn(char) -> bool) -> io::Result<String> {
        let rest = self.source.rest()?;
        let end = rest
            .find(|character| !wanted(character))
            .unwrap_or(rest.len());
        let taken = rest[..end].to_owned();
        self.source.advance(end);
        Ok(taken)
    }

    fn skip_run(&mut self, wanted: impl Fn(char) -> bool) -> io::Result<Option<Token>> {
        self.run(wanted).map(|_| None)
    }

    fn skip_line(&mut self) -> io::Result<Option<Token>> {
        loop {
            let rest = self.source.rest()?;
            let (length, found) = match rest.find('\n') {
                Some(end) => (end + 1, true),
                None => (rest.len(), false),
            };
            self.source.advance(length);
            if found || length == 0 {
                return Ok(None);
            }
        }
    }

    fn line_comment(&mut self) -> io::Result<Option<Token>> {
        let text = self.run(|character| character != '\n')?;
        Ok(Some(Token::Comment {
            text: tidy(&text[1..]),
            closed: true,
        }))
    }

    /// `{...}`. Comments do not nest in PDN, yet files have nested ones: where a brace was opened
    /// inside and the next brace after this end closes again, the comment goes on. A comment that
    /// never closes ends before the tags of the next game.
    fn comment(&mut self) -> io::Result<Token> {
        self.source.advance(1);
        let mut text = String::new();
        let mut nested = 0usize;
        loop {
            let rest = self.source.rest()?;
            let end = rest.find(['{', '}', '\n']).unwrap_or(rest.len());
            let stop = rest[end..].chars().next();
            if text.len() < MOST_COMMENT {
                text.push_str(&rest[..end]);
            }
            self.source.advance(end + usize::from(stop.is_some()));
            match stop {
                Some('{') => nested += 1,
                Some('}') if nested > 0 && self.closes_again()? => nested -= 1,
                Some('\n') if !self.new_game_begins()? => {}
                None if end > 0 => continue,
                _ => {
                    let closed = stop == Some('}');
                    let text = tidy(&text);
                    return Ok(Token::Comment { text, closed });
                }
            }
            text.extend(stop);
        }
    }

    fn closes_again(&mut self) -> io::Result<bool> {
        let rest = self.source.rest()?;
        let near = &rest[..rest.find("\n[").unwrap_or(rest.len())];
        let next = near.find(['{', '}']);
        Ok(next.is_some_and(|at| near[at..].starts_with('}')))
    }

    /// Whether the line is a tag as games begin with: the Event tag, or any after a blank line.
    fn new_game_begins(&mut self) -> io::Result<bool> {
        let rest = self.source.rest()?;
        let blank = rest.trim_start_matches(['\r', ' ', '\t']).starts_with('\n');
        let line = if blank {
            rest.trim_start_matches(is_blank)
        } else {
            rest
        };
        let line = line.lines().next().unwrap_or_default();
        let is_tag = is_tag_line(line);
        Ok(is_tag && (blank || line.to_ascii_lowercase().starts_with("[event ")))
    }

    /// A tag, or a clock that lost its braces.
    fn bracket(&mut self) -> io::Result<Token> {
        let rest = self.source.rest()?;
        let line = rest.lines().next().unwrap_or_default();
        let inner = line[1..].trim_start_matches(is_blank);
        let offset = line.len() - inner.len();
        if let Some(clock) = inner.strip_prefix('%') {
            let end = clock.find(']').map_or(line.len(), |at| offset + at + 2);
            let text = line[..end].to_owned();
            self.source.advance(end);
            return Ok(Token::Comment { text, closed: true });
        }
        let name = &inner[..inner
            .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
            .unwrap_or(inner.len())];
        let name_end = offset + name.len();
        let (value, length, whole) = tag_value(&line[name_end..]);
        let name = name.to_owned();
        self.source.advance(name_end + length);
        Ok(Token::Tag { name, value, whole })
    }

    /// `(?)` is a mark, any other parenthesis opens a variation.
    fn open(&mut self) -> io::Result<Token> {
        let rest = self.source.rest()?;
        let marks = &rest[1..1 + rest[1..]
            .find(|mark| !matches!(mark, '!' | '?' | '*'))
            .unwrap_or(rest.len() - 1)];
        let length = marks.len();
        if length == 0 || !rest[1 + length..].starts_with(')') {
            self.source.advance(1);
            return Ok(Token::Open);
        }
        let marks = marks.to_owned();
        self.source.advance(length + 2);
        Ok(Token::Marks(marks))
    }

    fn nag(&mut self) -> io::Result<Option<Token>> {
        self.source.advance(1);
        let digits = self.run(|digit| digit.is_ascii_digit())?;
        Ok(digits.parse().ok().map(Token::Nag))
    }

    /// `/FEN "..."/`.
    fn setup(&mut self) -> io::Result<Option<Token>> {
        let rest = self.source.rest()?;
        let line = rest.lines().next().unwrap_or_default();
        let fen = line
            .strip_prefix("/FEN")
            .and_then(|after| after.split_once('"'))
            .and_then(|(_, after)| after.split_once('"'));
        let Some((fen, after)) = fen else {
            return self.junk();
        };
        let closing = after.trim_start_matches(is_blank);
        let length = line.len() - closing.strip_prefix('/').unwrap_or(after).len();
        let fen = fen.to_owned();
        self.source.advance(length);
        Ok(Some(Token::SetUp(fen)))
    }

    fn half(&mut self) -> io::Result<Option<Token>> {
        self.run(|character| character == '\u{BD}' || is_dash(character))?;
        Ok(Some(Token::Result("1/2-1/2".into())))
    }

    /// Something that begins with a square or number: a move, a result or a move number.
    fn square(&mut self) -> io::Result<Option<Token>> {
        let rest = self.source.rest()?;
        for half in ["1/2-1/2", "1/2"] {
            if rest.starts_with(half) {
                self.source.advance(half.len());
                return Ok(Some(Token::Result("1/2-1/2".into())));
            }
        }
        let (text, end) = phrase(rest);
        let after = &rest[end..];
        let numbered = after
            .trim_start_matches(is_blank)
            .starts_with(['.', '\u{2026}']);
        let several = text.contains(['-', 'x'])
            || text.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !several && (numbered || !(3..=4).contains(&text.len())) {
            let token = match numbered {
                true => is_left_blank(after).then_some(Token::Blank),
                false => Some(Token::Number(text)),
            };
            self.source.advance(end);
            return Ok(token);
        }
        if is_result(&text) {
            self.source.advance(end);
            return Ok(Some(Token::Result(text)));
        }
        let marks_end = after
            .find(|mark| !matches!(mark, '!' | '?' | '*'))
            .unwrap_or(after.len());
        let marks = after[..marks_end].to_owned();
        self.source.advance(end + marks_end);
        Ok(Some(Token::Move { text, marks }))
    }

    fn junk(&mut self) -> io::Result<Option<Token>> {
        let rest = self.source.rest()?;
        let mut end = 0;
        for (count, character) in rest.chars().enumerate() {
            let ends =
                is_blank(character) || matches!(character, '{' | '(' | ')' | '[' | '$' | ';');
            if count > 0 && (ends || count >= MOST_WORD) {
                break;
            }
            end += character.len_utf8();
        }
        let word = rest[..end].to_owned();
        self.source.advance(end);
        Ok(Some(Token::Junk(word)))
    }
}

fn is_tag_line(line: &str) -> bool {
    let Some(inner) = line.strip_prefix('[') else {
        return false;
    };
    let name = inner.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    name.len() < inner.len()
        && name.trim_start().starts_with('"')
        && line.trim_end_matches(is_blank).ends_with(']')
}

fn is_quote(character: char) -> bool {
    matches!(character, '"' | '\u{201C}' | '\u{201D}')
}

/// The value after a tag's name, how many bytes the rest of the tag takes, and whether it was
/// well formed. The value ends at the first quote before a bracket, so that quotes and brackets
/// inside it do no harm.
fn tag_value(text: &str) -> (String, usize, bool) {
    let opened = text.trim_start_matches(is_blank);
    let start = text.len() - opened.len();
    let Some(quote) = opened.chars().next().filter(|&quote| is_quote(quote)) else {
        let end = text.find(']').unwrap_or(text.len());
        let length = (end + 1).min(text.len());
        return (text[..end].trim_matches(is_blank).to_owned(), length, false);
    };
    let start = start + quote.len_utf8();
    match closing_quote(&text[start..], quote) {
        Some((end, length)) => (unescape(&text[start..start + end]), start + length, true),
        None => {
            let value =
                text[start..].trim_end_matches(|end| end == ']' || is_quote(end) || is_blank(end));
            (unescape(value), text.len(), false)
        }
    }
}

/// Where the value ends and where the bracket after it ends. Only a value in curly quotes can end
/// with one.
fn closing_quote(text: &str, opening: char) -> Option<(usize, usize)> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        let closes = character == '"' || (opening != '"' && is_quote(character));
        if closes && !escaped {
            let after = &text[at + character.len_utf8()..];
            let closing = after.trim_start_matches([' ', '\t', '\u{A0}']);
            if closing.starts_with(']') {
                return Some((at, text.len() - closing.len() + 1));
            }
        }
        escaped = character == '\\' && !escaped;
    }
    None
}

fn unescape(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The length of the number or the algebraic square at the start of `text`, or 0.
fn square_length(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).take(64).count();
    if digits > 0 {
        return digits;
    }
    let mut bytes = text.bytes();
    let file = bytes
        .next()
        .is_some_and(|byte| matches!(byte.to_ascii_lowercase(), b'a'..=b'h'));
    let rank = bytes.next().is_some_and(|byte| matches!(byte, b'1'..=b'8'));
    // A word that merely begins like a square is no move.
    let more = bytes.next().is_none_or(|byte| {
        !byte.is_ascii_alphanumeric() || matches!(byte.to_ascii_lowercase(), b'a'..=b'h' | b'x')
    });
    if file && rank && more { 2 } else { 0 }
}

/// The squares and separators at the start of `text` without blanks, and where they end.
fn phrase(text: &str) -> (String, usize) {
    let mut end = square_length(text);
    let mut squares = text[..end].to_owned();
    while squares.len() < 256 {
        let Some((separator, start, blank)) = separator(&text[end..]) else {
            break;
        };
        let start = end + start;
        let length = square_length(&text[start..]);
        let after = text[start + length..].trim_start_matches(is_blank);
        if length == 0 || (blank && after.starts_with(['.', '\u{2026}'])) {
            break;
        }
        squares.push_str(separator);
        end = start + length;
        squares.push_str(&text[start..end]);
    }
    (squares, end)
}

/// What joins two squares, where the second begins, and whether blanks stood between. Algebraic
/// squares may touch.
fn separator(text: &str) -> Option<(&'static str, usize, bool)> {
    let is_letter = |text: &str| text.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if is_letter(text) && square_length(text) == 2 {
        return Some(("-", 0, false));
    }
    let bare = text.trim_start_matches(is_blank);
    let first = bare.chars().next()?;
    let name = match first {
        'x' | 'X' | ':' | '\u{D7}' => "x",
        _ if is_dash(first) => "-",
        _ => return None,
    };
    let tail = &bare[first.len_utf8()..];
    let next = tail.trim_start_matches(is_blank);
    let blank = bare.len() < text.len() || next.len() < tail.len();
    Some((name, text.len() - next.len(), blank))
}

/// Whether a dash stands for the move after a move number: `. - -`.
fn is_left_blank(after: &str) -> bool {
    let ignored = |letter: char| is_blank(letter) || matches!(letter, '.' | '\u{2026}');
    let dash = after.trim_start_matches(ignored);
    let rest = dash.strip_prefix(is_dash);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(is_blank))
}

/// `1-0` and its like: no squares, since 0 is none and nothing moves from 1 to 1.
fn is_result(text: &str) -> bool {
    matches!(text, "1-0" | "0-1" | "2-0" | "0-2" | "1-1" | "0-0")
}
