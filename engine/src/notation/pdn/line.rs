//! A line of moves as people type it, without tags: the words of PDN, strictly.
//!
//! Where [`super::Reader`] passes over what is odd in a file, here every word must be a move, a
//! move number, an annotation or, at the end, a result. Start at [`play_line`].

use thiserror::Error;

use super::lexer::{Lexer, Token};
use super::reader::continues;
use crate::notation::{MoveError, moves};
use crate::rules::Game;

/// A move of a line that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("ply {ply}: {error}")]
pub struct LineError {
    /// Which move of the line, from 1.
    pub ply: usize,
    /// What is wrong with it.
    pub error: MoveError,
}

/// Plays several moves, written as in PDN: numbers and comments are passed over, blanks may
/// stand within a move, a jump may be split (`18x11 11x4`), a result may follow.
///
/// ```
/// use engine::notation::pdn::play_line;
/// use engine::rules::Game;
///
/// let mut game = Game::default();
/// play_line("1. 11 - 15 23-19 2. 8-11 *", &mut game)?;
/// assert_eq!(game.moves().len(), 3);
/// # Ok::<(), engine::notation::pdn::LineError>(())
/// ```
///
/// # Errors
///
/// [`LineError`] with the first move that cannot be played; those before it have been.
pub fn play_line(text: &str, game: &mut Game) -> Result<(), LineError> {
    let mut words = Words {
        lexer: Lexer::new(text.as_bytes()),
        held: None,
    };
    let mut ply = 1;
    while let Some(word) = words.next().map_err(|error| LineError { ply, error })? {
        let played = words.play(word, game);
        played.map_err(|error| LineError { ply, error })?;
        ply += 1;
    }
    Ok(())
}

struct Words<'a> {
    lexer: Lexer<&'a [u8]>,
    held: Option<Token>,
}

impl Words<'_> {
    fn token(&mut self) -> Token {
        let held = self.held.take();
        // Reading from memory cannot fail.
        held.unwrap_or_else(|| self.lexer.next().unwrap_or(Token::End))
    }

    /// The next word that ought to be a move, or `None` at the end.
    fn next(&mut self) -> Result<Option<String>, MoveError> {
        let mut number = None;
        loop {
            match (self.token(), number.take()) {
                (Token::Move { text, .. }, _) => return Ok(Some(text)),
                (Token::Number(text), None) => number = Some(text),
                (_, Some(alone)) => return Ok(Some(alone)),
                (Token::End, None) => return Ok(None),
                (Token::Marks(_) | Token::Nag(_) | Token::Comment { .. }, None) => {}
                (Token::Result(text), None) => {
                    let next = self.token();
                    // In the midst of a line only the star of a forced move makes sense.
                    if next != Token::End && text != "*" {
                        return Ok(Some(text));
                    }
                    self.held = Some(next);
                }
                (Token::Junk(text), None) => return Ok(Some(text)),
                (token, None) => return Err(no_move(&token)),
            }
        }
    }

    /// Plays `text`, together with the next words where a jump was split into its parts.
    fn play(&mut self, mut text: String, game: &mut Game) -> Result<(), MoveError> {
        loop {
            let error = match moves::play(&text, game) {
                Ok(_) => return Ok(()),
                Err(error) => error,
            };
            let Token::Move { text: part, .. } = self.token() else {
                return Err(error);
            };
            match continues(&text, &part) {
                Some(rest) if matches!(error, MoveError::JumpGoesOn { .. }) => text.push_str(rest),
                _ => return Err(error),
            }
        }
    }
}

fn no_move(token: &Token) -> MoveError {
    let (text, expected) = match token {
        Token::Tag { .. } => ("[", "moves without tags"),
        Token::SetUp(_) => ("/FEN", "moves without a set-up among them"),
        Token::Open | Token::Close => ("(", "moves without variations"),
        _ => ("-", "a move"),
    };
    MoveError::Shape {
        text: text.into(),
        expected,
    }
}
