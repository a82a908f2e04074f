//! The match on disk: what makes it go on after a kill at any point.
//!
//! A file of JSON lines: first the conditions of the match, then a game a line, each handed to the
//! system whole as soon as the game is over (that survives the death of this process, though not a
//! power cut). A last line that a kill has torn is dropped. The file is locked while in use.
//! Start reading at [`Journal::open`].

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::record::GameRecord;

/// The version of the format.
const FORMAT: u32 = 1;

/// The first line of a journal.
#[derive(Serialize, Deserialize)]
struct Header {
    crownhead_match: u32,
    conditions: Value,
}

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
    /// # Errors
    ///
    /// [`JournalError`] if the file is in use, of another match, or no journal.
    pub fn open(path: &Path, conditions: &Value) -> Result<(Self, Vec<GameRecord>), JournalError> {
        let io = |error| JournalError::Io(path.to_owned(), error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::Locked(path.to_owned()),
            TryLockError::Error(error) => io(error),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let whole = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        file.set_len(whole as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let path = path.to_owned();
        let games = read(&path, &bytes[..whole], conditions)?;
        let mut journal = Self { file, path };
        if whole == 0 {
            journal.begin(conditions)?;
        }
        Ok((journal, games))
    }

    fn begin(&mut self, conditions: &Value) -> Result<(), JournalError> {
        self.append(&Header {
            crownhead_match: FORMAT,
            conditions: conditions.clone(),
        })
    }

    /// Adds a finished game.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`] if it cannot be written.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), JournalError> {
        self.append(game)
    }

    fn append(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let io = |error| JournalError::Io(self.path.clone(), error);
        let mut line = serde_json::to_vec(value).map_err(|error| io(error.into()))?;
        line.push(b'\n');
        // One write a line: a kill leaves it whole or torn, never interleaved.
        self.file.write_all(&line).map_err(io)
    }
}

fn read(path: &Path, bytes: &[u8], conditions: &Value) -> Result<Vec<GameRecord>, JournalError> {
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').enumerate();
    let Some((_, first)) = lines.next() else {
        return Ok(Vec::new());
    };
    let header: Header = parse(path, 1, first)?;
    compare(path, &header.conditions, conditions)?;
    lines.map(|(at, line)| parse(path, at + 1, line)).collect()
}

fn parse<T: DeserializeOwned>(path: &Path, line: usize, text: &[u8]) -> Result<T, JournalError> {
    serde_json::from_slice(text)
        .map_err(|error| JournalError::Foreign(path.to_owned(), line, error.to_string()))
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
        std::fs::write(&path, "[Event \"x\"]\n").expect("a PDN file");
        let foreign = Journal::open(&path, &json!({"seed": 1})).expect_err("no journal");
        assert!(
            foreign.to_string().contains("line 1: no journal"),
            "{foreign}"
        );
    }
}
