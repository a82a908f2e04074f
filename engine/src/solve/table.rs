//! What the provers know of positions, shared by all threads without locks.
//!
//! ```text
//! word 0   key ^ word 1 ^ word 2 ^ word 3, so that a torn entry is taken for another position
//! word 1   phi (low 32), delta (high 32)
//! word 2   effort: nodes spent below (low 32), height of a proof (high 32)
//! word 3   the key of the position on which a disproof leans; 0 for none
//! ```
//!
//! Buckets of four; the entry with the least effort gives way. Settled entries count as much
//! larger, since certificates are made from them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::numbers::Numbers;
use crate::large_pages;

const BUCKET: usize = 4;
const WORDS: usize = 4;

/// What is stored of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) numbers: Numbers,
    pub(super) effort: u32,
    /// Of a won position: plies to the end of the proof at the most.
    pub(super) height: u32,
    /// A disproof holds if this position is not won either; 0 if it holds anyway.
    pub(super) leans_on: u64,
}

/// A fixed number of entries.
#[derive(Debug)]
pub(super) struct Table {
    words: Box<[AtomicU64]>,
    buckets: usize,
}

impl Table {
    /// About `mb` mebibytes, at least one.
    pub(super) fn new(mb: usize) -> Self {
        let buckets = (mb.max(1) << 20) / (BUCKET * WORDS * 8);
        let count = buckets * BUCKET * WORDS;
        Self {
            words: large_pages::filled(count, || AtomicU64::new(0)),
            buckets,
        }
    }

    fn bucket(&self, key: u64) -> &[AtomicU64] {
        let nth = ((u128::from(key) * self.buckets as u128) >> 64) as usize;
        &self.words[nth * BUCKET * WORDS..][..BUCKET * WORDS]
    }

    /// Brings what is stored of `key` near, without waiting for it.
    pub(super) fn touch(&self, key: u64) -> u64 {
        self.bucket(key)[0].load(Relaxed) ^ self.bucket(key)[WORDS * BUCKET - 1].load(Relaxed)
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let slots = self.bucket(key).chunks_exact(WORDS);
        slots
            .filter_map(load)
            .find(|found| found.0 == key)
            .map(|found| found.1)
    }

    pub(super) fn put(&self, key: u64, entry: &Entry) {
        let mut victim = 0;
        let mut least = u64::MAX;
        for (nth, slot) in self.bucket(key).chunks_exact(WORDS).enumerate() {
            let worth = match load(slot) {
                None => 0,
                Some((found, _)) if found == key => {
                    victim = nth;
                    break;
                }
                Some((_, found)) => worth(&found),
            };
            if worth < least {
                (victim, least) = (nth, worth);
            }
        }
        let words = [
            u64::from(entry.numbers.phi) | u64::from(entry.numbers.delta) << 32,
            u64::from(entry.effort) | u64::from(entry.height) << 32,
            entry.leans_on,
        ];
        let slot = &self.bucket(key)[victim * WORDS..][..WORDS];
        slot[0].store(words.iter().fold(key, |all, word| all ^ word), Relaxed);
        for (place, word) in slot[1..].iter().zip(words) {
            place.store(word, Relaxed);
        }
    }

    /// Every entry with its key: what a progress file holds.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u64, Entry)> {
        self.words.chunks_exact(WORDS).filter_map(load)
    }

    pub(super) fn clear(&self) {
        self.words.iter().for_each(|word| word.store(0, Relaxed));
    }
}

fn worth(entry: &Entry) -> u64 {
    let settled = if entry.numbers.is_settled() { 64 } else { 1 };
    u64::from(entry.effort.max(1)) * settled
}

fn load(slot: &[AtomicU64]) -> Option<(u64, Entry)> {
    let [check, numbers, spent, leans_on] = [0, 1, 2, 3].map(|nth| slot[nth].load(Relaxed));
    let key = check ^ numbers ^ spent ^ leans_on;
    let entry = Entry {
        numbers: Numbers {
            phi: numbers as u32,
            delta: (numbers >> 32) as u32,
        },
        effort: spent as u32,
        height: (spent >> 32) as u32,
        leans_on,
    };
    (numbers != 0).then_some((key, entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_read_back_and_little_work_gives_way() {
        let table = Table::new(1);
        let entry = |effort, settled: bool| Entry {
            numbers: if settled {
                Numbers::REACHED
            } else {
                Numbers { phi: 3, delta: 4 }
            },
            effort,
            height: 7,
            leans_on: 5,
        };
        for key in 1..=BUCKET as u64 {
            table.put(key, &entry(10 * key as u32, key == 1));
        }
        table.put(9, &entry(5, false));
        assert_eq!(table.get(9), Some(entry(5, false)));
        assert_eq!(table.get(1), Some(entry(10, true)));
        assert_eq!(table.get(2), None);
        table.put(9, &entry(6, true));
        assert_eq!(table.get(9), Some(entry(6, true)));
        assert_eq!(table.entries().count(), BUCKET);
        table.clear();
        assert_eq!(table.get(9), None);
    }
}
