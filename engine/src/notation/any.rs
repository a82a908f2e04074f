//! A position in whatever form it comes: FEN, a printed board, or a game in PDN.
//!
//! This is what command lines and consoles call; it finds out the form and hands the text to its
//! reader. Start at [`read_position`].

use std::io::{self, BufRead, Read};

use encoding_rs::{Encoding, WINDOWS_1252};
use thiserror::Error;

use super::pdn::{self, PdnGame};
use super::{DiagramError, FenError, Found, PdnError, diagram, fen, is_blank};
use crate::board::Color;
use crate::rules::{Game, Position};

/// Bytes by which the form is told.
const HEAD: u64 = 64 * 1024;
/// The longest text of FENs or of a printed board.
const MOST_BYTES: u64 = 1 << 20;

/// How a position was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// FEN, one or several lines of it.
    Fen,
    /// A printed board.
    Diagram,
    /// A game.
    Pdn,
}

/// Which of several positions is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The game of a PDN file or the line of a file of FENs, from 1.
    pub game: usize,
    /// The position after this many plies of a game; `None` for its end.
    pub ply: Option<usize>,
}

impl Default for Choice {
    /// The end of the first game.
    fn default() -> Self {
        Self { game: 1, ply: None }
    }
}

/// A position and where it comes from.
#[derive(Clone, Debug)]
pub struct ReadPosition {
    /// The game up to the position asked for.
    pub game: Game,
    /// The whole game as it was written; without moves for FENs and printed boards.
    pub record: PdnGame,
    /// The side to move, where the text names it. Without it [`ReadPosition::game`] has Black to
    /// move.
    pub turn: Option<Color>,
    /// The form of the text.
    pub form: Form,
}

impl ReadPosition {
    /// The position asked for.
    #[must_use]
    pub fn position(&self) -> Position {
        self.game.position()
    }

    /// Where the game begins: for a problem the set-up, whatever moves follow.
    #[must_use]
    pub fn start(&self) -> Position {
        self.record.start
    }

    fn placed(placement: super::Placement, form: Form) -> Self {
        Self {
            game: Game::new(placement.position),
            record: PdnGame::new(placement.position),
            turn: placement.turn,
            form,
        }
    }
}

/// Why no position could be read.
#[derive(Debug, Error)]
pub enum PositionError {
    /// No text, or blanks only.
    #[error("the text is empty; expected a FEN, a game in PDN or a printed board")]
    Empty,
    /// The text looks like nothing known.
    #[error(
        "found {0} at the start; expected a FEN such as B:W18:B9, a game in PDN or a printed board"
    )]
    Unknown(Found),
    /// Text that began like a game or like nothing at all, without any of the things sought.
    #[error(
        "found no move, no FEN, no tag and no board; expected a FEN such as B:W18:B9, a game in PDN, or a printed board with rows of 8 cells between '|'"
    )]
    Nothing,
    /// A FEN with a fault.
    #[error("{}{error}", if *.line == 1 { String::new() } else { format!("line {line}: ") })]
    Fen {
        /// The line of the text, from 1.
        line: usize,
        /// The fault.
        error: FenError,
    },
    /// A printed board with a fault.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// A game with a fault at or before the position asked for.
    #[error("{0}")]
    Pdn(Box<PdnError>),
    /// A game that is not there.
    #[error("game {wanted} was asked for; the text has {found}")]
    NoGame {
        /// The game asked for, from 1.
        wanted: usize,
        /// The games there are.
        found: usize,
    },
    /// A ply that is not there.
    #[error("ply {wanted} was asked for; the game has {found}")]
    NoPly {
        /// The ply asked for.
        wanted: usize,
        /// The plies there are.
        found: usize,
    },
    /// More text than any position has.
    #[error("the text is longer than {MOST_BYTES} bytes; expected one position, or games in PDN")]
    TooLong,
    /// The text could not be read.
    #[error("cannot read: {0}")]
    Read(#[from] io::Error),
}

/// Reads the position in `text`: FEN, PDN (the end of its first game) or a printed board.
///
/// ```
/// use engine::notation::read_position;
/// use engine::rules::Position;
///
/// assert_eq!(read_position("B:W21-32:B1-12")?.position(), Position::START);
/// assert_eq!(read_position("1. 11-15 23-19 *")?.game.moves().len(), 2);
/// # Ok::<(), engine::notation::PositionError>(())
/// ```
///
/// # Errors
///
/// [`PositionError`] with the place of the fault and what was expected.
pub fn read_position(text: &str) -> Result<ReadPosition, PositionError> {
    read_position_from(text.as_bytes(), Choice::default())
}

/// Reads one position from a stream; games are passed over without being kept.
///
/// # Errors
///
/// As [`read_position`], and if the chosen game or ply does not exist.
pub fn read_position_from(
    input: impl BufRead,
    choice: Choice,
) -> Result<ReadPosition, PositionError> {
    match open(input)? {
        Text::Games(input) => from_pdn(input, choice),
        Text::Fens(text, legacy) => Ok(marked(from_fens(&text, choice)?, legacy)),
        Text::Board(text, legacy) => Ok(marked(from_board(&text)?, legacy)),
    }
}

/// Reads every position of a stream in one go, games where they begin.
///
/// # Errors
///
/// As [`read_position`], at the first fault.
pub fn read_starts_from(input: impl BufRead) -> Result<Vec<ReadPosition>, PositionError> {
    match open(input)? {
        Text::Games(input) => starts_of_games(input),
        Text::Fens(text, legacy) => fens(&text)
            .map(|(index, line)| Ok(marked(from_fen(index, line)?, legacy)))
            .collect(),
        Text::Board(text, legacy) => Ok(vec![marked(from_board(&text)?, legacy)]),
    }
}

/// A stream whose form is known. Texts come with whether they were read as Windows-1252.
enum Text<R> {
    Games(R),
    Fens(String, bool),
    Board(String, bool),
}

fn open(mut input: impl BufRead) -> Result<Text<impl BufRead>, PositionError> {
    let mut head = Vec::new();
    (&mut input).take(HEAD).read_to_end(&mut head)?;
    let form = form_of(&decode(&head).0)?;
    if form == Form::Pdn {
        return Ok(Text::Games(io::Cursor::new(head).chain(input)));
    }
    input.take(MOST_BYTES).read_to_end(&mut head)?;
    if head.len() as u64 >= MOST_BYTES {
        return Err(PositionError::TooLong);
    }
    let (text, legacy) = decode(&head);
    Ok(if form == Form::Fen {
        Text::Fens(text, legacy)
    } else {
        Text::Board(text, legacy)
    })
}

fn marked(mut read: ReadPosition, legacy: bool) -> ReadPosition {
    if legacy {
        read.record.warnings.push(pdn::LEGACY.into());
    }
    read
}

fn from_board(text: &str) -> Result<ReadPosition, PositionError> {
    Ok(ReadPosition::placed(diagram::read(text)?, Form::Diagram))
}

/// The text, and whether it was read as Windows-1252 for want of anything better.
fn decode(bytes: &[u8]) -> (String, bool) {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let (text, _) = encoding.decode_without_bom_handling(&bytes[length..]);
        return (text.into_owned(), false);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => {
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
            (text.into_owned(), true)
        }
    }
}

/// A FEN begins with its mover and a colon, perhaps in brackets; a bracket begins a tag, which may hold just a FEN; a
/// board shows itself by its rows, whatever stands above them; the rest must begin like moves.
fn form_of(text: &str) -> Result<Form, PositionError> {
    let text = text.trim_start_matches(is_blank);
    let Some(first) = text.chars().next() else {
        return Err(PositionError::Empty);
    };
    let is_fen = |text: &str| {
        let after = text.trim_start_matches(['B', 'W', 'b', 'w', '?']);
        after.len() + 1 == text.len() && after.trim_start_matches(is_blank).starts_with(':')
    };
    let quoted = text.trim_start_matches(|quote| {
        is_blank(quote) || matches!(quote, '"' | '\u{201C}' | '(' | '[')
    });
    if is_fen(quoted) || (first == '[' && fen::parse(text).is_ok()) || first == '#' {
        return Ok(Form::Fen);
    }
    if first == '[' {
        return Ok(Form::Pdn);
    }
    if diagram::is_likely(text) {
        return Ok(Form::Diagram);
    }
    let square = super::algebraic::read(&text.chars().take(2).collect::<String>());
    if first.is_ascii_digit() || matches!(first, '{' | '(' | '%' | '*' | ';') || square.is_some() {
        return Ok(Form::Pdn);
    }
    Err(PositionError::Unknown(Found(Some(first))))
}

/// One FEN a line, with its place from 0; blank lines and lines that begin with `#` are passed over.
fn fens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines.filter(|(_, line)| !line.trim_matches(is_blank).is_empty() && !line.starts_with('#'))
}

fn from_fens(text: &str, choice: Choice) -> Result<ReadPosition, PositionError> {
    let chosen = fens(text).nth(choice.game.saturating_sub(1));
    let Some((index, line)) = chosen.filter(|_| choice.game > 0) else {
        return Err(PositionError::NoGame {
            wanted: choice.game,
            found: fens(text).count(),
        });
    };
    at_ply(from_fen(index, line)?, choice)
}

fn from_fen(index: usize, line: &str) -> Result<ReadPosition, PositionError> {
    let placement = fen::parse(line).map_err(|error| PositionError::Fen {
        line: index + 1,
        error,
    })?;
    Ok(ReadPosition::placed(placement, Form::Fen))
}

fn from_pdn(input: impl BufRead, choice: Choice) -> Result<ReadPosition, PositionError> {
    let mut found = 0;
    let mut games = pdn::Reader::new(input);
    while let Some(record) = games.next() {
        let record = record?;
        found += 1;
        if found == choice.game {
            if games.last_is_void() {
                return Err(PositionError::Nothing);
            }
            return at_ply(from_record(record), choice);
        }
    }
    if found == 0 && choice.game == 1 {
        return Err(PositionError::Nothing);
    }
    Err(PositionError::NoGame {
        wanted: choice.game,
        found,
    })
}

/// Ends before the first game that has nothing of a game.
fn starts_of_games(input: impl BufRead) -> Result<Vec<ReadPosition>, PositionError> {
    let mut starts = Vec::new();
    let mut games = pdn::Reader::new(input);
    let first = Choice {
        game: 1,
        ply: Some(0),
    };
    while let Some(record) = games.next() {
        let record = record?;
        if games.last_is_void() {
            break;
        }
        starts.push(at_ply(from_record(record), first)?);
    }
    if starts.is_empty() {
        return Err(PositionError::Nothing);
    }
    Ok(starts)
}

fn from_record(record: PdnGame) -> ReadPosition {
    let start = record.start;
    ReadPosition {
        game: Game::new(start),
        record,
        turn: Some(start.turn()),
        form: Form::Pdn,
    }
}

/// Replays the game to the ply asked for. A faulty game serves for the plies before its fault.
fn at_ply(mut read: ReadPosition, choice: Choice) -> Result<ReadPosition, PositionError> {
    let found = read.record.moves.len();
    let wanted = choice.ply.unwrap_or(found);
    match &read.record.fault {
        Some(fault) if choice.ply.is_none() || wanted > found || fault.ply == 0 => {
            return Err(PositionError::Pdn(Box::new(fault.clone())));
        }
        _ if wanted > found => return Err(PositionError::NoPly { wanted, found }),
        _ => {}
    }
    read.game = read.record.replay(wanted);
    Ok(read)
}
