//! Game records as PDN, and the file that holds them.
//!
//! Owns the tags and comments of match games; the file is rewritten from the journal when a match
//! goes on, so both always hold the same games. A file of anything else is never touched. Start
//! reading at [`PdnFile::check`].

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use engine::board::Color;
use engine::notation::Notation;
use engine::notation::pdn::{self, PdnGame};
use thiserror::Error;

use super::files;
use super::record::{GameRecord, GameResult, Note};

/// Stands at the top of each file, as a PDN line comment.
const PREAMBLE: &str = "% Results are those of English draughts: 1-0 means that Black, who moves \
                        first, has won.\n% Comments: score in men for the mover / depth in plies, \
                        then the time taken and the clock.\n\n";

/// The PDN file of a match.
#[derive(Debug)]
pub struct PdnFile {
    file: File,
    event: String,
}

/// Why the PDN file cannot be had.
#[derive(Debug, Error)]
pub enum PdnError {
    /// The file cannot be opened, read or written.
    #[error("cannot use the PDN file {path}: {fault}", path = .0.display(), fault = .1)]
    Io(PathBuf, io::Error),
    /// It holds something that would be lost.
    #[error(
        "{} holds something else than the games of this match in the journal; name another file",
        .0.display()
    )]
    Foreign(PathBuf),
}

/// What is looked at of a file to know it again: more than any game takes.
const BEGINNING: u64 = 1 << 20;

impl PdnFile {
    /// Writes the file anew with the games so far. What a kill tears meanwhile is mended from the
    /// journal by the next run, so it is written in place: links and permissions stay. Whether the
    /// file may be lost is for [`PdnFile::check`] to say, before.
    ///
    /// # Errors
    ///
    /// [`PdnError::Io`] if it cannot be written.
    pub fn open(path: &Path, event: &str, games: &[GameRecord]) -> Result<Self, PdnError> {
        let io = |error| PdnError::Io(path.to_owned(), error);
        let mut text = String::from(PREAMBLE);
        for game in games {
            text.push_str(&write_game(game, event));
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let mut file = options.open(path).map_err(io)?;
        file.write_all(text.as_bytes()).map_err(io)?;
        Ok(Self {
            file,
            event: event.into(),
        })
    }

    /// Makes sure that nothing is lost when the file is written anew; `games` are those of the
    /// journal.
    ///
    /// # Errors
    ///
    /// [`PdnError::Foreign`] if the file begins with anything but our preamble and one of the
    /// games, [`PdnError::Io`] if it is no regular file or cannot be read.
    pub fn check(path: &Path, event: &str, games: &[GameRecord]) -> Result<(), PdnError> {
        let io = |error| PdnError::Io(path.to_owned(), error);
        if !files::is_there(path).map_err(io)? {
            return Ok(());
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(io)?;
        file.take(BEGINNING).read_to_end(&mut bytes).map_err(io)?;
        if is_own(&bytes, event, games) {
            Ok(())
        } else {
            Err(PdnError::Foreign(path.to_owned()))
        }
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Whatever the file system reports.
    pub fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        self.file
            .write_all(write_game(game, &self.event).as_bytes())
    }
}

/// Whether a file that begins so is empty, torn before its first game, or begins with one of the
/// games (perhaps torn).
fn is_own(bytes: &[u8], event: &str, games: &[GameRecord]) -> bool {
    let Some(rest) = bytes.strip_prefix(PREAMBLE.as_bytes()) else {
        return PREAMBLE.as_bytes().starts_with(bytes);
    };
    let alike = |game: &GameRecord| {
        let text = write_game(game, event);
        let length = text.len().min(rest.len());
        text.as_bytes()[..length] == rest[..length]
    };
    rest.is_empty() || games.iter().any(alike)
}

/// A game with its tags, scores, depths and clocks, and a blank line after it.
#[must_use]
pub fn write_game(game: &GameRecord, event: &str) -> String {
    let mut pdn = game
        .replay()
        .as_ref()
        .map_or_else(PdnGame::default, PdnGame::from_game);
    pdn.result = match game.result {
        GameResult::Black => pdn::GameResult::BlackWins,
        GameResult::White => pdn::GameResult::WhiteWins,
        GameResult::Draw => pdn::GameResult::Draw,
    };
    let half = if game.game % 2 == 1 { 1 } else { 2 };
    for (name, value) in [
        ("Event", event),
        (
            "Date",
            &game
                .ended
                .get(..10)
                .unwrap_or("????.??.??")
                .replace('-', "."),
        ),
        ("Round", &format!("{}.{half}", game.pair)),
        ("Black", &game.black),
        ("White", &game.white),
        ("GameType", "21"),
        ("Opening", &game.opening),
        ("Termination", &termination(game)),
    ] {
        pdn.set_tag(name, value);
    }
    let played = pdn.moves.iter_mut().skip(game.opening_plies);
    for (played, (mover, note)) in played.zip(game.played()) {
        played.comments.push(comment(note, mover));
    }
    pdn::to_text(&pdn, Notation::Numeric)
}

fn termination(game: &GameRecord) -> String {
    if game.detail.is_empty() {
        game.reason.to_string()
    } else {
        format!("{}: {}", game.reason, game.detail)
    }
}

fn comment(note: &Note, mover: Color) -> String {
    let mut parts = Vec::new();
    if let Some(score) = note.score {
        let depth = note.depth.map(|depth| format!("/{depth}"));
        parts.push(format!("{score:+.2}{}", depth.unwrap_or_default()));
    }
    parts.push(format!("[%emt {}]", clock(note.time)));
    if let Some(left) = note.clock {
        let side = mover.letter().to_ascii_lowercase();
        parts.push(format!("[%clock {side}{}]", clock(left)));
    }
    parts.join(" ")
}

/// `h:mm:ss.fff`.
fn clock(seconds: f64) -> String {
    let milliseconds = (seconds * 1e3).round() as u64;
    let (whole, part) = (milliseconds / 1000, milliseconds % 1000);
    format!(
        "{}:{:02}:{:02}.{part:03}",
        whole / 3600,
        whole / 60 % 60,
        whole % 60
    )
}
