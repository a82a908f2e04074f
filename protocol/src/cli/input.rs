//! The position that a command is about: an argument, a file or standard input.
//!
//! Used by every command that takes a position. What the text may be is `engine::notation`'s
//! affair; this decides where it comes from and says in one line what is wrong with it.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use clap::{Args, ValueEnum};
use engine::board::Color;
use engine::notation::{Choice, Form, Notation, ReadPosition, pdn, read_position_from};
use engine::rules::Game;

use super::Failure;

/// A position on the command line.
#[derive(Args, Clone, Debug)]
pub(super) struct PositionArgs {
    /// FEN, game in PDN or printed board: the text itself, a file, - for standard input, or
    /// "start".
    #[arg(value_name = "POS")]
    position: String,
    #[command(flatten)]
    choice: ChoiceArgs,
}

/// Which position of several, and what is played from it.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ChoiceArgs {
    /// Game of a PDN file, or line of a file of FENs, from 1.
    #[arg(long, value_name = "N", default_value_t = 1)]
    game: usize,
    /// The position after N plies of the game [default: all].
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Moves to play from the position, such as "11-15 23-19".
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Who is to move, whatever the text says.
    #[arg(long, value_name = "SIDE")]
    turn: Option<Turn>,
}

/// A side by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Turn {
    Black,
    White,
}

/// The option `--notation`, flattened into every command that prints moves.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct NotationArgs {
    /// How moves are printed: numeric (11-15) or algebraic (c3-d4). Both are always read.
    #[arg(long, value_name = "NOTATION", default_value_t)]
    pub(super) notation: Notation,
}

impl PositionArgs {
    /// Reads the position. A printed board that does not name the mover has Black to move, and
    /// [`ReadPosition::turn`] is `None`.
    pub(super) fn read(&self) -> Result<ReadPosition, Failure> {
        self.choice.read(&self.position)
    }
}

impl ChoiceArgs {
    /// Reads the position that `position` is, names or holds.
    pub(super) fn read(&self, position: &str) -> Result<ReadPosition, Failure> {
        let choice = Choice {
            game: self.game,
            ply: self.ply,
        };
        let mut read = read(position, choice)?;
        if let Some(turn) = self.turn {
            let color = match turn {
                Turn::Black => Color::Black,
                Turn::White => Color::White,
            };
            read.turn = Some(color);
            read.game = Game::new(read.position().with_turn(color));
            read.record.start = read.record.start.with_turn(color);
        }
        if let Some(text) = &self.moves {
            pdn::play_line(text, &mut read.game)
                .map_err(|error| Failure::Input(format!("--moves: {error}")))?;
        }
        Ok(read)
    }
}

/// Reads one position from the text itself, a file, or standard input.
pub(super) fn read(position: &str, choice: Choice) -> Result<ReadPosition, Failure> {
    let trimmed = position.trim();
    if trimmed.eq_ignore_ascii_case("start") {
        return from("argument", "B:W21-32:B1-12".as_bytes(), choice);
    }
    if trimmed == "-" {
        return from("standard input", io::stdin().lock(), choice);
    }
    let path = Path::new(position);
    match path.metadata() {
        Ok(data) if data.is_dir() => Err(Failure::Input(format!(
            "{}: is a directory; expected a file, a FEN or a printed board",
            shorten(position)
        ))),
        Ok(_) => from(position, open(path)?, choice),
        Err(_) if looks_like_path(trimmed) => Err(Failure::Input(format!(
            "{}: no such file, and no FEN such as B:W18:B9",
            shorten(trimmed)
        ))),
        Err(_) => from("argument", position.as_bytes(), choice),
    }
}

fn open(path: &Path) -> Result<BufReader<File>, Failure> {
    let file = File::open(path).map_err(|error| {
        let place = shorten(&path.to_string_lossy());
        Failure::Input(format!("{place}: cannot open: {error}"))
    })?;
    Ok(BufReader::new(file))
}

/// One word without a colon, digits first or bracket: nobody writes a position so.
fn looks_like_path(text: &str) -> bool {
    !text.is_empty()
        && !text.contains([':', '|', '\n', '['])
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

fn from(place: &str, input: impl BufRead, choice: Choice) -> Result<ReadPosition, Failure> {
    read_position_from(input, choice)
        .map_err(|error| Failure::Input(format!("{}: {error}", shorten(place))))
}

/// What was typed, cut to what fits into a one-line message.
pub(super) fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    let mut letters = text.chars().filter(|letter| !letter.is_control());
    let mut short: String = letters.by_ref().take(MOST).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Whether nothing in the text says who is to move.
pub(super) fn turn_is_assumed(read: &ReadPosition) -> bool {
    read.form == Form::Diagram && read.turn.is_none()
}
