//! Game records as PDN, and the file that holds them.
//!
//! Owns the tags and comments of match games; the file is rewritten from the journal when a match
//! goes on, so both always hold the same games. Start reading at [`write_game`].

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use engine::board::Color;
use engine::notation::Notation;
use engine::notation::pdn::{self, PdnGame};

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

impl PdnFile {
    /// Writes the file anew with the games so far: beside it first, then in its place, so that a
    /// kill leaves the old one or the new one.
    ///
    /// # Errors
    ///
    /// Whatever the file system reports.
    pub fn create(path: &Path, event: &str, games: &[GameRecord]) -> io::Result<Self> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let mut text = String::from(PREAMBLE);
        for game in games {
            text.push_str(&write_game(game, event));
        }
        std::fs::write(&beside, text)?;
        std::fs::rename(&beside, path)?;
        Ok(Self {
            file: OpenOptions::new().append(true).open(path)?,
            event: event.into(),
        })
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
