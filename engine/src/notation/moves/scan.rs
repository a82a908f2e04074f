//! From text to squares. Knows no position: what is legal is decided later.

use arrayvec::ArrayVec;

use super::MoveError;
use crate::board::Square;
use crate::notation::{Found, Notation, algebraic, excerpt, is_blank, is_dash};

/// More squares than any move has: 13 of a route, or both ends and 12 captures.
const MOST_SQUARES: usize = 16;

/// The squares of a move in the order given.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    pub(super) text: String,
    pub(super) squares: ArrayVec<Square, MOST_SQUARES>,
    pub(super) notation: Notation,
}

/// Reads the squares of `text`. Digits without any separator (`118`) can be cut in two ways, so
/// there may be several readings; never none.
pub(super) fn scan(text: &str) -> Result<ArrayVec<Scanned, 2>, MoveError> {
    let mut scanner = Scanner::new(text);
    while scanner.next_square()? {}
    scanner.finish()
}

struct Scanner<'a> {
    source: &'a str,
    rest: &'a str,
    scanned: Scanned,
    separated: bool,
    blank_joins: usize,
    separator_joins: usize,
    digits: &'a str,
}

impl<'a> Scanner<'a> {
    fn new(source: &'a str) -> Self {
        let bare = without_marks(source.trim_matches(is_blank));
        let rest = without_number(bare);
        Self {
            source,
            rest,
            scanned: Scanned {
                text: excerpt(rest),
                squares: ArrayVec::new(),
                notation: Notation::Numeric,
            },
            separated: false,
            blank_joins: 0,
            separator_joins: 0,
            digits: "",
        }
    }

    /// Reads one square with what joins it to the last; false at the end of the text.
    fn next_square(&mut self) -> Result<bool, MoveError> {
        let blank = self.join();
        let Some(first) = self.rest.chars().next() else {
            return self.end();
        };
        if self.scanned.squares.is_empty() && self.separated {
            return self.unexpected("a square (1 to 32, or a1 to h8) before it");
        }
        let square = if first.is_ascii_digit() {
            self.numeric()?
        } else {
            self.algebraic(first)?
        };
        self.push(square, blank)?;
        Ok(true)
    }

    /// Skips blanks and separators; true if there was a blank and no separator.
    fn join(&mut self) -> bool {
        let before = self.rest.len();
        self.separated = false;
        while let Some(character) = self.rest.chars().next() {
            let separator = is_separator(character);
            if !separator && !is_blank(character) {
                break;
            }
            self.separated |= separator;
            self.rest = &self.rest[character.len_utf8()..];
        }
        before > self.rest.len() && !self.separated
    }

    fn end(&self) -> Result<bool, MoveError> {
        if self.separated {
            return self.unexpected("a square (1 to 32, or a1 to h8)");
        }
        Ok(false)
    }

    fn numeric(&mut self) -> Result<Option<Square>, MoveError> {
        let length = self
            .rest
            .find(|character: char| !character.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(length);
        let alone = self.scanned.squares.is_empty() && rest.chars().all(is_blank);
        if alone && (3..=2 * MOST_SQUARES).contains(&length) {
            self.digits = digits;
            self.rest = "";
            return Ok(None);
        }
        self.rest = rest;
        let square = digits.parse().ok().and_then(Square::new);
        square.map(Some).ok_or_else(|| self.not_a_square(digits))
    }

    fn algebraic(&mut self, file: char) -> Result<Option<Square>, MoveError> {
        let rank = self.rest.chars().nth(1).filter(char::is_ascii_digit);
        let (true, Some(rank)) = (matches!(file, 'a'..='h' | 'A'..='H'), rank) else {
            return self.unexpected("a square (1 to 32, or a1 to h8), '-' or 'x'");
        };
        let (text, rest) = self.rest.split_at(2);
        self.rest = rest;
        self.scanned.notation = Notation::Algebraic;
        let square = algebraic::square(file, rank);
        square.map(Some).ok_or_else(|| self.not_a_square(text))
    }

    /// Adds a square. A square repeated after a blank joins the two parts of a split jump.
    fn push(&mut self, square: Option<Square>, blank: bool) -> Result<(), MoveError> {
        let Some(square) = square else { return Ok(()) };
        let squares = &mut self.scanned.squares;
        if blank && squares.len() > 1 && squares.last() == Some(&square) {
            return Ok(());
        }
        if !squares.is_empty() {
            self.blank_joins += usize::from(blank);
            self.separator_joins += usize::from(self.separated);
        }
        if squares.try_push(square).is_err() {
            return self.shape("at most 13 squares");
        }
        Ok(())
    }

    fn finish(self) -> Result<ArrayVec<Scanned, 2>, MoveError> {
        if !self.digits.is_empty() {
            return self.split_digits();
        }
        match self.scanned.squares.len() {
            0 => Err(MoveError::Empty),
            1 => self.shape("two squares, where from and where to"),
            _ if self.blank_joins > 0 && self.separator_joins > 0 => self.shape("one move"),
            _ => Ok(ArrayVec::from_iter([self.scanned])),
        }
    }

    /// `1118` is 11 and 18; `118` may be 1 and 18 or 11 and 8.
    fn split_digits(self) -> Result<ArrayVec<Scanned, 2>, MoveError> {
        let digits = self.digits;
        let cuts: &[usize] = if digits.len() == 3 { &[1, 2] } else { &[2] };
        let readings: ArrayVec<Scanned, 2> = cuts
            .iter()
            .filter_map(|&cut| {
                let squares = squares_of(digits, cut)?;
                let text = self.scanned.text.clone();
                Some(Scanned {
                    text,
                    squares,
                    ..self.scanned.clone()
                })
            })
            .collect();
        if readings.is_empty() {
            return Err(self.not_a_square(digits));
        }
        Ok(readings)
    }

    fn not_a_square(&self, square: &str) -> MoveError {
        MoveError::NotASquare {
            text: excerpt(self.source),
            square: excerpt(square),
        }
    }

    fn shape<T>(&self, expected: &'static str) -> Result<T, MoveError> {
        Err(MoveError::Shape {
            text: excerpt(self.source),
            expected,
        })
    }

    fn unexpected<T>(&self, expected: &'static str) -> Result<T, MoveError> {
        let offset = self.rest.as_ptr() as usize - self.source.as_ptr() as usize;
        Err(MoveError::Unexpected {
            text: excerpt(self.source),
            column: self.source[..offset].chars().count() + 1,
            found: Found(self.rest.chars().next()),
            expected,
        })
    }
}

/// The squares of digits cut after `cut`, then after every second digit.
fn squares_of(digits: &str, cut: usize) -> Option<ArrayVec<Square, MOST_SQUARES>> {
    let (first, rest) = digits.split_at(cut);
    let rest: Vec<&str> = (0..rest.len())
        .step_by(2)
        .map(|at| &rest[at..(at + 2).min(rest.len())])
        .collect();
    std::iter::once(first)
        .chain(rest)
        .map(|number| number.parse().ok().and_then(Square::new))
        .collect()
}

fn is_separator(character: char) -> bool {
    is_dash(character) || matches!(character, 'x' | 'X' | ':' | '\u{D7}' | '>' | '\u{2192}')
}

/// Drops marks of strength and force after the move: `*`, `!`, `?`, `(?)`, a full stop.
fn without_marks(text: &str) -> &str {
    text.trim_end_matches(|character: char| {
        matches!(
            character,
            '*' | '!' | '?' | '(' | ')' | '.' | ',' | '+' | '#'
        ) || is_blank(character)
    })
}

/// Drops a move number with its dots: `1.`, `12...`.
fn without_number(text: &str) -> &str {
    let digits = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let dots = digits.trim_start_matches(['.', '\u{2026}']);
    let numbered = dots.len() < digits.len();
    if numbered {
        dots.trim_start_matches(is_blank)
    } else {
        text
    }
}
