//! Decoded units, shared by all threads without a lock.
//!
//! ```text
//! slot    19 lines, of 224 values each
//! line    64 bytes: tag u64, then seven words of 32 values of two bits
//! tag     key (48 bits), how often the line was filled (15 bits), whether it is being filled
//! ```
//!
//! A look-up touches one line of memory: it takes the tag, a word, and the tag again (a sequence
//! lock). A writer that finds a line being filled leaves it. All parts are atomic, so no reader
//! ever sees anything undefined, at worst a miss.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::unit::{UNIT, Values};
use crate::large_pages;

/// Values in a line.
const LINE: usize = 7 * 32;
const LINES: usize = UNIT.div_ceil(LINE);
const BUSY: u64 = 1;
/// One filling more.
const ONCE: u64 = 2;
const KEY_SHIFT: u32 = 16;
/// The tag of a line that was never filled: no key has all bits.
const EMPTY: u64 = !BUSY;

#[derive(Debug)]
#[repr(align(64))]
struct Line {
    tag: AtomicU64,
    words: [AtomicU64; 7],
}

impl Line {
    const fn empty() -> Self {
        Self {
            tag: AtomicU64::new(EMPTY),
            words: [const { AtomicU64::new(0) }; 7],
        }
    }

    #[inline]
    fn get(&self, key: u64, at: usize) -> Option<u8> {
        let before = self.tag.load(Ordering::Acquire);
        let word = self.words[at / 32].load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let after = self.tag.load(Ordering::Relaxed);
        (before == after && before & BUSY == 0 && before >> KEY_SHIFT == key)
            .then_some((word >> (at % 32 * 2) & 3) as u8)
    }

    fn put(&self, key: u64, values: &[u8]) {
        let before = self.tag.load(Ordering::Relaxed);
        let is_taken = before & BUSY != 0
            || self
                .tag
                .compare_exchange(before, before | BUSY, Ordering::Acquire, Ordering::Relaxed)
                .is_err();
        if is_taken {
            return;
        }
        fence(Ordering::Release);
        for (word, values) in self.words.iter().zip(values.chunks(32)) {
            word.store(packed(values), Ordering::Relaxed);
        }
        let times = before.wrapping_add(ONCE) & ((1 << KEY_SHIFT) - 1) & !BUSY;
        self.tag.store(key << KEY_SHIFT | times, Ordering::Release);
    }
}

/// Up to 32 values of two bits.
#[inline(always)]
fn packed(values: &[u8]) -> u64 {
    let (eights, rest) = values.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let word = if rest.is_empty() {
        0
    } else {
        packed_eight(last).into()
    };
    eights
        .iter()
        .rev()
        .fold(word, |word, &it| word << 16 | u64::from(packed_eight(it)))
}

/// Eight values of two bits, the first one lowest.
#[inline(always)]
pub(super) const fn packed_eight(values: [u8; 8]) -> u16 {
    // Pairs, then fours, then all eight move together.
    let mut bits = u64::from_le_bytes(values) & 0x0303_0303_0303_0303;
    bits = (bits | bits >> 6) & 0x000F_000F_000F_000F;
    bits = (bits | bits >> 12) & 0x0000_00FF_0000_00FF;
    (bits | bits >> 24) as u16
}

/// A fixed number of slots, each unit having one where it may lie. They are made when the first
/// unit comes, so that a program that never looks anything up does not pay for them.
#[derive(Debug)]
pub(super) struct Cache {
    slots: OnceLock<Box<[[Line; LINES]]>>,
    count: usize,
}

impl Cache {
    /// A cache of about so many megabytes, at least one slot.
    pub(super) const fn new(megabytes: usize) -> Self {
        let count = (megabytes << 20) / size_of::<[Line; LINES]>();
        Self {
            slots: OnceLock::new(),
            count: if count == 0 { 1 } else { count },
        }
    }

    #[inline]
    fn slot(slots: &[[Line; LINES]], key: u64) -> &[Line; LINES] {
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (u128::from(mixed) * slots.len() as u128) >> 64;
        &slots[place as usize]
    }

    /// The value at `at` (below 4,096) of the unit `key` (below 2^48 - 1), if it is here.
    #[inline]
    pub(super) fn get(&self, key: u64, at: usize) -> Option<u8> {
        Self::slot(self.slots.get()?, key)[at / LINE].get(key, at % LINE)
    }

    /// Whether the first values of the unit are here.
    pub(super) fn has(&self, key: u64) -> bool {
        self.get(key, 0).is_some()
    }

    /// Keeps the first `len` values of a unit, but for lines that another thread is filling.
    pub(super) fn put(&self, key: u64, values: &Values, len: usize) {
        // In large pages a value is read in 80 ns instead of 98.
        let slot = || std::array::from_fn(|_| Line::empty());
        let make = || large_pages::filled(self.count, slot);
        let lines = Self::slot(self.slots.get_or_init(make), key);
        for (line, values) in lines
            .iter()
            .zip(values.chunks(LINE))
            .take(len.div_ceil(LINE))
        {
            line.put(key, values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(key: u64) -> Values {
        std::array::from_fn(|at| ((at as u64 * 7 + key) % 3) as u8)
    }

    #[test]
    fn what_was_kept_is_found() {
        let cache = Cache::new(1);
        assert_eq!(cache.get(5, 0), None);
        cache.put(5, &values(5), UNIT);
        for at in 0..UNIT {
            assert_eq!(cache.get(5, at), Some(values(5)[at]));
        }
        assert_eq!(cache.get(6, 0), None);
    }

    #[test]
    fn only_the_beginning_may_be_kept() {
        let cache = Cache::new(0);
        cache.put(7, &values(7), UNIT);
        cache.put(8, &values(8), LINE + 1);
        assert_eq!(cache.get(8, LINE), Some(values(8)[LINE]));
        assert_eq!(cache.get(8, 2 * LINE), None);
        assert_eq!(cache.get(7, 2 * LINE), Some(values(7)[2 * LINE]));
        assert!(cache.has(8) && !cache.has(7));
    }

    #[test]
    fn threads_never_see_another_units_values() {
        let cache = Cache::new(0);
        std::thread::scope(|scope| {
            for thread in 0..3_u64 {
                let cache = &cache;
                scope.spawn(move || {
                    for round in 0..3_000_u64 {
                        let key = (round + thread) % 3;
                        cache.put(key, &values(key), UNIT);
                        let at = (round * 37) as usize % UNIT;
                        if let Some(value) = cache.get(key, at) {
                            assert_eq!(value, values(key)[at]);
                        }
                    }
                });
            }
        });
    }
}
