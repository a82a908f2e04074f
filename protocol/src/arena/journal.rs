//! The match on disk: what makes it go on after a kill at any point.
//!
//! A file of JSON lines: first the conditions of the match, then a game a line, each handed to the
//! system whole as soon as the game is over (that survives the death of this process, though not a
//! power cut). A last line that a kill has torn is dropped. The file is locked while in use.
//! Start reading at [`Journal::open`].

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::files;
use super::record::GameRecord;

/// The version of the format.
const FORMAT: u32 = 1;

/// The first line of a journal.
#[derive(Serialize, Deserialize)]
struct Header {
    crownhead_match: u32,
    conditions: Value,
}

/// What every version of the first line has.
#[derive(Deserialize)]
struct Format {
    crownhead_match: u32,
}

/// The longest line, in bytes: room for the longest game.
const LONGEST_LINE: u64 = 16 << 20;

/// The condition that tells for each engine, by name, which build of it played.
pub const BUILDS: &str = "builds";

/// An open journal, locked against others.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("cannot use the journal {path}: {fault}", path = .0.display(), fault = .1)]
    Io(PathBuf, io::Error),
    /// Another process has it.
    #[error("the journal {} is in use by another match; end that one first", .0.display())]
    Locked(PathBuf),
    /// The file is something else.
    #[error("{path}, line {line}: no journal of a match ({fault}); name another file", path = .0.display(), line = .1, fault = .2)]
    Foreign(PathBuf, usize, String),
    /// Another version of this program wrote it.
    #[error(
        "the journal {} has format {was}, this program writes {FORMAT}; name another journal",
        .path.display()
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its format.
        was: u32,
    },
    /// Its games were played by another build of an engine.
    #[error(
        "the journal {} has games of another build of {engine} ({was}; now {now}); go on with \
         that build, or name another journal",
        .path.display()
    )]
    OtherBuild {
        /// The file.
        path: PathBuf,
        /// The engine's name.
        engine: String,
        /// Its fingerprint in the journal.
        was: String,
        /// Its fingerprint now.
        now: String,
    },
    /// It belongs to a match under other conditions.
    #[error(
        "the journal {} is of another match: {key} was {was}, now {now}; name another journal, \
         or delete it",
        .path.display()
    )]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        key: String,
        /// Its value in the journal.
        was: String,
        /// Its value now.
        now: String,
    },
}

impl Journal {
    /// Opens the journal of a match under the given conditions (a JSON object), or begins it, and
    /// returns the games in it.
    ///
    /// A file that is not of this match is left as it is.
    ///
    /// # Errors
    ///
    /// [`JournalError`] if the file is in use, of another match, or no journal.
    pub fn open(path: &Path, conditions: &Value) -> Result<(Self, Vec<GameRecord>), JournalError> {
        let io = |error| JournalError::Io(path.to_owned(), error);
        files::is_there(path).map_err(io)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(io)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::Locked(path.to_owned()),
            TryLockError::Error(error) => io(error),
        })?;
        let header = to_line(&Header {
            crownhead_match: FORMAT,
            conditions: conditions.clone(),
        });
        let header = header.map_err(io)?;
        let mut reading = Reading::new(path, &file);
        let games = reading.games(&header, conditions)?;
        let whole = reading.whole;
        // Only now is it known to be ours: what a kill has torn is cut off.
        file.set_len(whole).map_err(io)?;
        let path = path.to_owned();
        let mut journal = Self { file, path };
        journal.file.seek(SeekFrom::End(0)).map_err(io)?;
        if whole == 0 {
            journal.file.write_all(&header).map_err(io)?;
        }
        Ok((journal, games))
    }

    /// Adds a finished game.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`] if it cannot be written.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), JournalError> {
        let io = |error| JournalError::Io(self.path.clone(), error);
        // One write a line: a kill leaves it whole or torn, never interleaved.
        self.file.write_all(&to_line(game).map_err(io)?).map_err(io)
    }
}

fn to_line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// A pass over the lines of a file that may be no journal.
struct Reading<'a> {
    path: &'a Path,
    lines: BufReader<&'a File>,
    number: usize,
    /// The length of the lines so far that are whole, in bytes.
    whole: u64,
}

impl<'a> Reading<'a> {
    fn new(path: &'a Path, file: &'a File) -> Self {
        Self {
            path,
            lines: BufReader::new(file),
            number: 0,
            whole: 0,
        }
    }

    /// The next line, bounded; without a newline at its end if it is torn. Empty at the end.
    fn line(&mut self) -> Result<Vec<u8>, JournalError> {
        let mut line = Vec::new();
        self.lines
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| JournalError::Io(self.path.to_owned(), error))?;
        self.number += 1;
        if line.ends_with(b"\n") {
            self.whole += line.len() as u64;
        } else if line.len() as u64 == LONGEST_LINE {
            return Err(self.foreign("the line is too long"));
        }
        Ok(line)
    }

    /// All games, once the first line has shown that they are of this match. A file that ends
    /// within that line is new, or was torn as it began, or is no journal.
    fn games(&mut self, header: &[u8], now: &Value) -> Result<Vec<GameRecord>, JournalError> {
        let first = self.line()?;
        if !first.ends_with(b"\n") {
            let torn = header.starts_with(&first).then(Vec::new);
            return torn.ok_or_else(|| self.foreign("it does not begin like this match"));
        }
        let format: Format = self.parse(&first)?;
        if format.crownhead_match != FORMAT {
            return Err(JournalError::OtherFormat {
                path: self.path.to_owned(),
                was: format.crownhead_match,
            });
        }
        let header: Header = self.parse(&first)?;
        compare(self.path, &header.conditions, now)?;
        let mut games = Vec::new();
        loop {
            let line = self.line()?;
            if !line.ends_with(b"\n") {
                return Ok(games);
            }
            games.push(self.parse(&line)?);
        }
    }

    fn parse<T: DeserializeOwned>(&self, text: &[u8]) -> Result<T, JournalError> {
        serde_json::from_slice(text).map_err(|error| self.foreign(&error.to_string()))
    }

    fn foreign(&self, fault: &str) -> JournalError {
        JournalError::Foreign(self.path.to_owned(), self.number, fault.into())
    }
}

/// Finds the first condition that differs.
fn compare(path: &Path, was: &Value, now: &Value) -> Result<(), JournalError> {
    let (Value::Object(old), Value::Object(new)) = (was, now) else {
        return Ok(());
    };
    let keys = old.keys().chain(new.keys());
    for key in keys {
        let (old, new) = (old.get(key), new.get(key));
        if old != new {
            if key == BUILDS
                && let (Some(old), Some(new)) = (old, new)
            {
                compare_builds(path, old, new)?;
            }
            let shown = |value: Option<&Value>| value.map_or("nothing".into(), Value::to_string);
            return Err(JournalError::OtherMatch {
                path: path.to_owned(),
                key: key.clone(),
                was: shown(old),
                now: shown(new),
            });
        }
    }
    Ok(())
}

/// Finds the first engine whose build differs.
fn compare_builds(path: &Path, was: &Value, now: &Value) -> Result<(), JournalError> {
    let (Value::Object(old), Value::Object(new)) = (was, now) else {
        return Ok(());
    };
    let text = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
    for (engine, now) in new {
        if let Some(was) = old.get(engine)
            && was != now
        {
            return Err(JournalError::OtherBuild {
                path: path.to_owned(),
                engine: engine.clone(),
                was: text(was),
                now: text(now),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::record::{GameResult, Reason};
    use super::*;

    fn game(number: usize) -> GameRecord {
        GameRecord {
            game: number,
            pair: number.div_ceil(2),
            black: "a".into(),
            white: "b".into(),
            opening: "o".into(),
            fen: "B:W21:B1".into(),
            opening_plies: 0,
            moves: vec![],
            notes: vec![],
            result: GameResult::Draw,
            reason: Reason::Repetition,
            detail: String::new(),
            complaints: vec![],
            ended: "2026-01-01T00:00:00Z".into(),
            seconds: 1.0,
        }
    }

    fn written(games: usize) -> (tempfile::TempDir, PathBuf, Value) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("match.jsonl");
        let conditions = json!({"seed": 1});
        let (mut journal, before) = Journal::open(&path, &conditions).expect("a new journal");
        assert_eq!(before, []);
        for number in 1..=games {
            journal.add(&game(number)).expect("room on the disk");
        }
        (folder, path, conditions)
    }

    #[test]
    fn every_kill_point_leaves_whole_games() {
        let (_folder, path, conditions) = written(3);
        let bytes = std::fs::read(&path).expect("the journal");
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).expect("a torn journal");
            let (mut journal, games) = Journal::open(&path, &conditions).expect("a torn journal");
            let lines = bytes[..length]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count();
            assert_eq!(games.len(), lines.saturating_sub(1));
            let next = games.len() + 1;
            journal.add(&game(next)).expect("room on the disk");
            drop(journal);
            let (_, games) = Journal::open(&path, &conditions).expect("the mended journal");
            assert_eq!(games.len(), next);
        }
    }

    #[test]
    fn a_second_runner_is_refused() {
        let (_folder, path, conditions) = written(1);
        let (_first, _) = Journal::open(&path, &conditions).expect("free");
        let second = Journal::open(&path, &conditions);
        assert!(matches!(second, Err(JournalError::Locked(_))));
    }

    #[test]
    fn other_conditions_and_foreign_files_are_refused() {
        let (_folder, path, _) = written(1);
        let other = Journal::open(&path, &json!({"seed": 2})).expect_err("another seed");
        let told = other.to_string();
        assert!(told.contains("seed was 1, now 2"), "{told}");
        for text in ["[Event \"x\"]\n", "notes, without an end", "a\nb", "{"] {
            std::fs::write(&path, text).expect("a foreign file");
            let foreign = Journal::open(&path, &json!({"seed": 1}));
            let told = foreign.map(drop).map_err(|error| error.to_string());
            // One brace is how our own first line begins.
            let refused = told.is_err_and(|told| told.contains("line 1: no journal"));
            assert_eq!(refused, text != "{", "{text}");
            let kept = std::fs::read_to_string(&path).expect("the file");
            assert_eq!(refused, kept == text, "{kept}");
        }
    }

    #[test]
    fn other_formats_and_builds_are_refused() {
        let (_folder, path, conditions) = written(1);
        let text = std::fs::read_to_string(&path).expect("the journal");
        let newer = text.replacen("\"crownhead_match\":1", "\"crownhead_match\":2", 1);
        std::fs::write(&path, &newer).expect("a newer journal");
        let told = Journal::open(&path, &conditions).expect_err("a newer format");
        assert!(told.to_string().contains("has format 2"), "{told}");
        assert_eq!(std::fs::read_to_string(&path).expect("the file"), newer);
        std::fs::remove_file(&path).expect("our own file");
        let built = |build: &str| json!({"builds": {"A": build}});
        drop(Journal::open(&path, &built("one")).expect("a new journal"));
        let told = Journal::open(&path, &built("two")).expect_err("another build");
        let expected = "another build of A (one; now two)";
        assert!(told.to_string().contains(expected), "{told}");
    }

    #[test]
    fn folders_are_refused() {
        assert!(Journal::open(&std::env::temp_dir(), &json!({})).is_err());
    }
}
