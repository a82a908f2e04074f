//! The files of a data set: a shard holds the records of some hundred games.
//!
//! A shard is decided by its seed, its number and the settings, whoever makes it and when; so a
//! data set is resumed by making the shards that are not there. Layout, little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0-7 | `CHLAB`, 0, 0, version 1 |
//! | 8-15 | seed of the data set |
//! | 16-19 | number of the shard |
//! | 20-23 | games |
//! | 24-27 | nodes a move |
//! | 28-31 | records |
//! | 32-35 | CRC-32 of the records |
//! | 36- | records of 16 bytes, see [`Record`] |

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::record::{Record, word};

const MAGIC: [u8; 8] = *b"CHLAB\0\0\x01";
const HEADER: usize = 36;

/// What decides a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Of the whole data set.
    pub seed: u64,
    /// Which shard of it.
    pub number: u32,
    /// Games begun, the unplayable ones not counted.
    pub games: u32,
    /// Nodes a move.
    pub nodes: u32,
}

impl Heading {
    /// Where the shard is kept.
    #[must_use]
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{:016x}-{:06}.lab", self.seed, self.number))
    }

    /// The seed of the shard's own random numbers.
    #[must_use]
    pub fn own_seed(&self) -> u64 {
        let number = u64::from(self.number) + 1;
        self.seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Writes the shard, all of it or nothing.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written to.
    pub fn write(&self, folder: &Path, records: &[Record]) -> Result<()> {
        let body: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend(MAGIC);
        bytes.extend(self.seed.to_le_bytes());
        for word in [
            self.number,
            self.games,
            self.nodes,
            records.len() as u32,
            crc32fast::hash(&body),
        ] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(body);
        let path = self.path(folder);
        let part = path.with_extension("part");
        let mut file = fs::File::create(&part)
            .with_context(|| format!("{}: cannot be written", part.display()))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&part, &path)?;
        Ok(())
    }
}

/// Reads a shard.
///
/// # Errors
///
/// Names the file and what is wrong: unreadable, not a shard, damaged.
pub fn read(path: &Path) -> Result<(Heading, Vec<Record>)> {
    let bytes = fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    parse(&bytes).with_context(|| format!("{}: not a whole shard", path.display()))
}

fn parse(bytes: &[u8]) -> Result<(Heading, Vec<Record>)> {
    ensure!(bytes.len() >= HEADER, "shorter than its heading");
    ensure!(bytes[..8] == MAGIC, "no CHLAB file of version 1");
    let word = |at| word(bytes, at);
    let heading = Heading {
        seed: u64::from(word(8)) | u64::from(word(12)) << 32,
        number: word(16),
        games: word(20),
        nodes: word(24),
    };
    let body = &bytes[HEADER..];
    let (chunks, rest) = body.as_chunks::<{ Record::BYTES }>();
    if chunks.len() != word(28) as usize || !rest.is_empty() {
        bail!("{} records expected, {} bytes found", word(28), body.len());
    }
    ensure!(crc32fast::hash(body) == word(32), "the checksum is wrong");
    let records = chunks.iter().map(Record::read).collect::<Option<_>>();
    Ok((heading, records.context("a record holds no position")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Label;
    use engine::rules::Position;
    use engine::score::Score;

    fn written() -> (tempfile::TempDir, Heading, Vec<Record>) {
        let folder = tempfile::tempdir().expect("a folder");
        let heading = Heading {
            seed: 0x0123_4567_89AB_CDEF,
            number: 7,
            games: 1,
            nodes: 500,
        };
        let record = Record {
            position: Position::START,
            score: Score(12),
            label: Label::Unknown,
            exact: false,
            ply: 0,
        };
        let records = vec![record; 3];
        heading.write(folder.path(), &records).expect("written");
        (folder, heading, records)
    }

    #[test]
    fn a_shard_comes_back_as_it_was() {
        let (folder, heading, records) = written();
        let found = read(&heading.path(folder.path())).expect("read");
        assert_eq!(found, (heading, records));
    }

    #[test]
    fn every_damage_is_seen() {
        let (folder, heading, _) = written();
        let bytes = fs::read(heading.path(folder.path())).expect("read");
        assert!(parse(&bytes[..bytes.len() - 1]).is_err());
        for at in [0, 7, 28, 33, HEADER, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(parse(&damaged).is_err(), "{at}");
        }
    }
}
