//! From the words of PDN to games, one at a time.
//!
//! A game ends at its result, or at a tag after its moves. What is in it, [`super::build`]
//! gathers.

use std::io::{self, BufRead};

use super::build::Build;
use super::lexer::{Lexer, Token};
use super::{LEGACY, PdnGame};
use crate::notation::MoveError;

/// An iterator over the games of a stream.
///
/// ```
/// use engine::notation::pdn::Reader;
///
/// let text = "[Event \"A\"] 1. 11-15 23-19 1-0 1. 9-14 9-13 2. 22-18 * 1. 12-16 *";
/// let games: Vec<_> = Reader::new(text.as_bytes()).collect::<Result<_, _>>()?;
/// assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [2, 1, 1]);
/// assert_eq!(
///     games[1].fault.as_ref().expect("the second move is Black's").to_string(),
///     "game 2, ply 2 (line 1): 9-13 is not legal: there is no piece on 9"
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Reader<R> {
    lexer: Lexer<R>,
    held: Option<Token>,
    games: usize,
    failed: bool,
    void: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads games from `input`, which may be of any length and in UTF-8, UTF-16 with a
    /// byte-order mark, or Windows-1252.
    pub fn new(input: R) -> Self {
        Self {
            lexer: Lexer::new(input),
            held: None,
            games: 0,
            failed: false,
            void: false,
        }
    }

    /// Whether the last game has nothing of a game but at most a result.
    pub(in crate::notation) fn last_is_void(&self) -> bool {
        self.void
    }

    fn token(&mut self) -> io::Result<Token> {
        match self.held.take() {
            Some(token) => Ok(token),
            None => self.lexer.next(),
        }
    }

    fn next_game(&mut self) -> io::Result<Option<PdnGame>> {
        let mut build = Build::new(self.games + 1, self.lexer.line());
        loop {
            let token = self.token()?;
            if self.ends(&token, &build)? {
                if token != Token::End && !matches!(token, Token::Result(_)) {
                    self.held = Some(token);
                } else if let Token::Result(text) = token {
                    build.terminator = Some(text);
                }
                break;
            }
            match token {
                Token::Move { text, marks } => self.play(&mut build, text, marks)?,
                token => build.take(token, self.lexer.line()),
            }
            if build.terminator.is_some() {
                break;
            }
        }
        if build.is_empty() {
            return Ok(None);
        }
        self.games += 1;
        if self.lexer.take_legacy() {
            build.warn(LEGACY.into());
        }
        self.void = build.is_void();
        Ok(Some(build.finish()))
    }

    /// Whether `token` is the end of the game that is being built.
    fn ends(&mut self, token: &Token, build: &Build) -> io::Result<bool> {
        Ok(match token {
            Token::End => true,
            Token::Tag { name, .. } => {
                let again = name.eq_ignore_ascii_case("Event") && build.game.tag("Event").is_some();
                build.has_text || (again && self.lexer.after_blank_line())
            }
            Token::Result(_) if build.depth() == 0 => true,
            // A variation that never closes ends with the game.
            Token::Result(_) => {
                let next = self.lexer.next()?;
                let over = matches!(next, Token::Tag { .. } | Token::End);
                self.held = Some(next);
                over
            }
            _ => false,
        })
    }

    /// Plays a move, together with the next ones where a jump was split into its parts.
    fn play(&mut self, build: &mut Build, mut text: String, mut marks: String) -> io::Result<()> {
        build.has_text = true;
        let line = self.lexer.line();
        if !build.begin(line) {
            return Ok(());
        }
        loop {
            let error = match build.resolve(&text) {
                Ok(mv) => {
                    build.push(mv, marks);
                    return Ok(());
                }
                Err(error) => error,
            };
            let next = self.token()?;
            if let (
                MoveError::JumpGoesOn { .. },
                Token::Move {
                    text: part,
                    marks: after,
                },
            ) = (&error, &next)
                && let Some(rest) = continues(&text, part)
            {
                text.push_str(rest);
                marks.clone_from(after);
                continue;
            }
            let is_last = matches!(next, Token::End | Token::Tag { .. });
            self.held = Some(next);
            if is_last && build.is_score(&text) {
                build.terminator = Some(text);
            } else {
                build.refuse(line, error);
            }
            return Ok(());
        }
    }
}

/// What `part` adds to `text`, if it begins on the square where `text` ends.
pub(super) fn continues<'a>(text: &str, part: &'a str) -> Option<&'a str> {
    let is_separator = |character: char| matches!(character, '-' | 'x');
    let last = text.rsplit(is_separator).next()?;
    let end = part.find(is_separator)?;
    let (first, rest) = part.split_at(end);
    let number = |square: &str| square.trim_start_matches('0').to_ascii_lowercase();
    (number(first) == number(last)).then_some(rest)
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = io::Result<PdnGame>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let game = self.next_game();
        self.failed = game.is_err();
        game.transpose()
    }
}
