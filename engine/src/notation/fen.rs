//! Positions as FEN, the one form that every draughts program exchanges: `B:W18,K23:B5,K32`.
//!
//! The reader is tolerant (ranges, any order of colours, blanks, lower case, a final dot, counters
//! after the lists, a pasted tag); the writer has one form. Fields after PDN 3.0, section 3.4.
//! Start at [`read`] and [`write()`].

use std::fmt::Write as _;

use thiserror::Error;

use super::{Found, Placement, excerpt, is_blank, is_dash};
use crate::board::{Color, Square, regions};
use crate::rules::{Piece, Position, Setup, SetupError};

/// Why a text is no FEN, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("FEN column {column}: {fault}")]
pub struct FenError {
    /// The character where the fault begins, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub fault: FenFault,
}

/// What can be wrong in a FEN.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenFault {
    /// Something else stands where the grammar wants one of a few things.
    #[error("found {found}; expected {expected}")]
    Unexpected {
        /// What stands there.
        found: Found,
        /// What may stand there.
        expected: &'static str,
    },
    /// A square number that the board does not have, as typed, shortened.
    #[error("square {0} is not on the board; expected 1 to 32")]
    OffBoard(String),
    /// A square that holds a piece already.
    #[error("square {0} is given twice; expected one piece a square")]
    Twice(Square),
    /// A range such as `12-1`.
    #[error("the range {0}-{1} runs backward; expected {1}-{0}")]
    Backward(u32, u32),
    /// A placement that the rules forbid.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Reads a position. A FEN that leaves the mover open (`?`) is read as Black to move; [`parse`]
/// tells the two apart.
///
/// ```
/// use engine::notation::fen;
///
/// let position = fen::read("b : b1-4, k 9 : w21-24 .")?;
/// assert_eq!(fen::write(&position), "B:W21,22,23,24:B1,2,3,4,K9");
/// # Ok::<(), fen::FenError>(())
/// ```
///
/// # Errors
///
/// [`FenError`] with the column of the first fault.
pub fn read(text: &str) -> Result<Position, FenError> {
    parse(text).map(|fen| fen.position)
}

/// Reads a position and whether the text names the side to move.
///
/// # Errors
///
/// [`FenError`] with the column of the first fault.
pub fn parse(text: &str) -> Result<Placement, FenError> {
    let mut reader = Reader::new(text);
    reader.wrapper();
    let first = reader.mover()?;
    reader.fields()?;
    reader.close()?;
    let turn = reader.doubled_mover().or(first);
    reader.setup.turn = turn.unwrap_or_default();
    Ok(Placement {
        position: reader.validated()?,
        turn,
    })
}

/// Writes a position with the mover, White's list, then Black's, each square by itself: the form
/// that every program reads.
#[must_use]
pub fn write(position: &Position) -> String {
    let mut text = String::from(position.turn().letter());
    for color in [Color::White, Color::Black] {
        text.push(':');
        text.push(color.letter());
        write_list(&mut text, position, color);
    }
    text
}

fn write_list(text: &mut String, position: &Position, color: Color) {
    for (index, square) in position.pieces(color).squares().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let king = position.all_kings().contains(square);
        let crown = if king { "K" } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(text, "{comma}{crown}{square}");
    }
}

/// The reader's place in the text and what it has found so far.
struct Reader<'a> {
    rest: std::str::Chars<'a>,
    column: usize,
    setup: Setup,
    list_columns: [Option<usize>; 2],
    lists: usize,
    bare_first_list: Option<Color>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text.chars(),
            column: 1,
            setup: Setup::default(),
            list_columns: [None; 2],
            lists: 0,
            bare_first_list: None,
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    /// The next character in upper case: FEN has no other.
    fn upper(&self) -> Option<char> {
        self.peek().map(|character| character.to_ascii_uppercase())
    }

    fn advance(&mut self) {
        if self.rest.next().is_some() {
            self.column += 1;
        }
    }

    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.advance();
        }
    }

    fn skip_blanks(&mut self) {
        self.skip_while(is_blank);
    }

    fn unexpected<T>(&self, expected: &'static str) -> Result<T, FenError> {
        self.fault(
            self.column,
            FenFault::Unexpected {
                found: Found(self.peek()),
                expected,
            },
        )
    }

    fn fault<T>(&self, column: usize, fault: impl Into<FenFault>) -> Result<T, FenError> {
        let fault = fault.into();
        Err(FenError { column, fault })
    }

    /// Quotes or brackets, or the whole tag `[FEN "..."]` as pasted from a game.
    fn wrapper(&mut self) {
        self.skip_while(|character| character == '(' || is_blank_or_quote(character));
        if self.peek() == Some('[') {
            self.advance();
            self.skip_while(is_blank_or_quote);
            let text = self.rest.as_str();
            if !text.trim_start_matches(is_letter).starts_with(':') {
                self.skip_while(is_letter);
            }
            self.skip_while(is_blank_or_quote);
        }
    }

    fn mover(&mut self) -> Result<Option<Color>, FenError> {
        let turn = match self.upper() {
            Some('B') => Some(Color::Black),
            Some('W') => Some(Color::White),
            Some('?') => None,
            _ => return self.unexpected("B, W or ? for the side to move"),
        };
        self.advance();
        self.skip_blanks();
        if self.peek() != Some(':') {
            return self.unexpected("':' after the side to move");
        }
        Ok(turn)
    }

    /// `:W...`, `:B...` in any order and number, empty fields, and the counters `:H0:F1`.
    fn fields(&mut self) -> Result<(), FenError> {
        while self.peek() == Some(':') {
            self.advance();
            self.skip_blanks();
            match self.upper() {
                Some('W') => self.list(Color::White)?,
                Some('B') => self.list(Color::Black)?,
                Some('H' | 'F') => self.counter(),
                Some(':') => {}
                _ if self.at_close() => {}
                _ => return self.unexpected("W or B before a list of squares"),
            }
        }
        Ok(())
    }

    /// In `W:B:W18:B` the first letter is noise and the second is the mover: releases of
    /// py-draughts before 1.9 wrote every FEN so (its report 26). Three lists give it away.
    fn doubled_mover(&self) -> Option<Color> {
        self.bare_first_list.filter(|_| self.lists > 2)
    }

    fn counter(&mut self) {
        self.advance();
        self.skip_while(|character| character.is_ascii_digit());
        self.skip_blanks();
    }

    fn at_close(&self) -> bool {
        self.peek()
            .is_none_or(|character| matches!(character, '.' | ']' | ')') || is_quote(character))
    }

    fn list(&mut self, color: Color) -> Result<(), FenError> {
        self.list_columns[color.index()].get_or_insert(self.column);
        self.advance();
        self.skip_blanks();
        let (mut open, mut bare) = (false, true);
        while open || !(self.at_close() || self.peek() == Some(':')) {
            self.entry(color)?;
            bare = false;
            self.skip_blanks();
            open = self.peek() == Some(',');
            if open {
                self.advance();
                self.skip_blanks();
            }
        }
        if bare && self.lists == 0 {
            self.bare_first_list = Some(color);
        }
        self.lists += 1;
        Ok(())
    }

    /// `18`, `K18`, `1-12` or `K4-6`.
    fn entry(&mut self, color: Color) -> Result<(), FenError> {
        let piece = self.piece();
        let column = self.column;
        let first = self.number()?;
        let mut last = first;
        self.skip_blanks();
        if self.peek().is_some_and(is_dash) {
            self.advance();
            self.skip_blanks();
            self.piece();
            last = self.number()?;
        }
        if last < first {
            return self.fault(column, FenFault::Backward(first, last));
        }
        (first..=last).try_for_each(|number| self.put(column, number, color, piece))
    }

    fn piece(&mut self) -> Piece {
        if self.upper() != Some('K') {
            return Piece::Man;
        }
        self.advance();
        self.skip_blanks();
        Piece::King
    }

    fn number(&mut self) -> Result<u32, FenError> {
        if !self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            return self.unexpected("a square (1 to 32), K before a king, or ':'");
        }
        let column = self.column;
        let text = self.rest.as_str();
        self.skip_while(|digit| digit.is_ascii_digit());
        let digits = &text[..text.len() - self.rest.as_str().len()];
        match digits
            .parse()
            .ok()
            .filter(|&number| Square::new(number).is_some())
        {
            Some(number) => Ok(number),
            None => self.fault(column, FenFault::OffBoard(excerpt(digits))),
        }
    }

    fn put(
        &mut self,
        column: usize,
        number: u32,
        color: Color,
        piece: Piece,
    ) -> Result<(), FenError> {
        let Some(square) = Square::new(number) else {
            return self.fault(column, FenFault::OffBoard(number.to_string()));
        };
        if self.setup.is_occupied(square) {
            return self.fault(column, FenFault::Twice(square));
        }
        if piece == Piece::Man && regions::crownhead(color).contains(square) {
            return self.fault(column, SetupError::ManOnCrownhead(color, square));
        }
        self.setup.put(square, color, piece);
        Ok(())
    }

    /// The final dot, the closing quote and bracket, and nothing more.
    fn close(&mut self) -> Result<(), FenError> {
        for (color, expected) in [
            (Color::White, "':W' and White's squares (none is fine)"),
            (Color::Black, "':B' and Black's squares (none is fine)"),
        ] {
            if self.list_columns[color.index()].is_none() {
                return self.unexpected(expected);
            }
        }
        self.skip_while(|character| {
            matches!(character, '.' | ']' | ')') || is_blank_or_quote(character)
        });
        match self.peek() {
            None => Ok(()),
            Some(_) => self.unexpected("the end of the FEN"),
        }
    }

    /// What is left to check is the number of pieces.
    fn validated(&self) -> Result<Position, FenError> {
        Position::try_from(self.setup).or_else(|fault| {
            let list = match fault {
                SetupError::TooManyPieces(color, _) => self.list_columns[color.index()],
                _ => None,
            };
            self.fault(list.unwrap_or(1), fault)
        })
    }
}

fn is_letter(character: char) -> bool {
    character.is_ascii_alphabetic()
}

fn is_quote(character: char) -> bool {
    matches!(character, '"' | '\u{201C}'..='\u{201F}')
}

fn is_blank_or_quote(character: char) -> bool {
    is_blank(character) || is_quote(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_is_written_square_by_square() {
        let text = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
        assert_eq!(write(&Position::START), text);
        assert_eq!(read(text), Ok(Position::START));
        assert_eq!(read("B:W21-32:B1-12"), Ok(Position::START));
    }

    #[test]
    fn an_open_mover_is_reported() {
        let fen = parse("?:W21-32:B1-12").expect("a FEN");
        assert_eq!((fen.position, fen.turn), (Position::START, None));
    }

    #[test]
    fn lists_may_be_empty() {
        let position = read("W:W18:B").expect("a FEN");
        assert!(position.pieces(Color::Black).is_empty());
        assert_eq!(write(&position), "W:W18:B");
    }
}
