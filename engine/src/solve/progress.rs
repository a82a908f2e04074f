//! What a long proof has learnt, as bytes that a later run reads: the provers' table.
//!
//! ```text
//! magic, 16 bytes; key of the position, 8; entries, 8; then each entry:
//! key 8, phi 4, delta 4, effort 4, height 4, leans on 8; at the end CRC-32 of all, 4
//! ```
//!
//! Little endian. A file is a help and no proof: strategies are built and checked afresh.

use std::io::{self, Read, Write};

use super::numbers::Numbers;
use super::solver::Solver;
use super::table::Entry;
use crate::rules::{Key, Position};

const MAGIC: &[u8; 16] = b"crownhead prove1";
const ENTRY_BYTES: usize = 32;
/// Entries of less work are quicker found again than read, unless they are settled.
const LEAST_EFFORT: u32 = 8;

/// Why a progress file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProgressError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("it is no progress file of this version")]
    Foreign,
    /// It was made for another position.
    #[error("it belongs to another position")]
    OtherPosition,
    /// It is cut short or damaged.
    #[error("it is cut short or damaged")]
    Damaged,
}

impl Solver {
    /// Writes what the table knows, for a later run on the same position.
    ///
    /// # Errors
    ///
    /// Whatever `out` reports.
    pub fn write_progress(&self, position: &Position, out: &mut impl Write) -> io::Result<()> {
        let worth = |entry: &Entry| entry.effort >= LEAST_EFFORT || entry.numbers.is_settled();
        let kept: Vec<(u64, Entry)> = self.table.entries().filter(|it| worth(&it.1)).collect();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(Key::of(position).0.to_le_bytes());
        bytes.extend((kept.len() as u64).to_le_bytes());
        for (key, entry) in kept {
            bytes.extend(key.to_le_bytes());
            let numbers = [
                entry.numbers.phi,
                entry.numbers.delta,
                entry.effort,
                entry.height,
            ];
            bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
            bytes.extend(entry.leans_on.to_le_bytes());
        }
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        out.write_all(&bytes)
    }

    /// Takes up what an earlier run wrote, and says how many entries that are.
    ///
    /// # Errors
    ///
    /// [`ProgressError`]; then nothing is taken up.
    pub fn read_progress(
        &self,
        position: &Position,
        input: &mut impl Read,
    ) -> Result<u64, ProgressError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        if !bytes.starts_with(MAGIC) {
            return Err(ProgressError::Foreign);
        }
        let entries = sound_entries(&bytes, position)?;
        for record in entries.chunks_exact(ENTRY_BYTES) {
            let (key, entry) = read_entry(record);
            self.table.put(key, &entry);
        }
        Ok((entries.len() / ENTRY_BYTES) as u64)
    }
}

/// The records of a file that is whole and belongs to `position`.
fn sound_entries<'a>(bytes: &'a [u8], position: &Position) -> Result<&'a [u8], ProgressError> {
    let (body, sum) = bytes
        .split_last_chunk::<4>()
        .ok_or(ProgressError::Damaged)?;
    if body.len() < 32 || crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err(ProgressError::Damaged);
    }
    if word(&body[16..]) != Key::of(position).0 {
        return Err(ProgressError::OtherPosition);
    }
    let entries = &body[32..];
    let promised = word(&body[24..]);
    if entries.len() as u64 != promised.saturating_mul(ENTRY_BYTES as u64) {
        return Err(ProgressError::Damaged);
    }
    Ok(entries)
}

fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |it| u64::from_le_bytes(*it))
}

fn read_entry(record: &[u8]) -> (u64, Entry) {
    let half = |at: usize| (word(&record[at & !7..]) >> (8 * (at & 7))) as u32;
    let entry = Entry {
        numbers: Numbers {
            phi: half(8),
            delta: half(12),
        },
        effort: half(16),
        height: half(20),
        leans_on: word(&record[24..]),
    };
    (word(record), entry)
}
