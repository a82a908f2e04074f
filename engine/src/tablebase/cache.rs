//! Decoded units, shared by all threads without a lock.
//!
//! ```text
//! slot    sequence u64 (odd while it is being filled), key u64, 4,096 values of two bits
//! ```
//!
//! A reader takes one word and then looks whether the slot was touched meanwhile (a sequence
//! lock); a writer that finds a slot taken leaves it. All parts are atomic, so no reader ever
//! sees anything undefined, at worst a miss.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::unit::{UNIT, Values};

const WORDS: usize = UNIT / 32;

#[derive(Debug)]
struct Slot {
    sequence: AtomicU64,
    key: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl Slot {
    fn empty() -> Self {
        Self {
            sequence: AtomicU64::new(0),
            key: AtomicU64::new(u64::MAX),
            words: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
}

/// A fixed number of slots, each unit having one where it may lie. They are made when the first
/// unit comes, so that a program that never looks anything up does not pay for them.
#[derive(Debug)]
pub(super) struct Cache {
    slots: OnceLock<Box<[Slot]>>,
    count: usize,
}

impl Cache {
    /// A cache of about so many megabytes, at least one slot.
    pub(super) const fn new(megabytes: usize) -> Self {
        let count = (megabytes << 20) / size_of::<Slot>();
        Self {
            slots: OnceLock::new(),
            count: if count == 0 { 1 } else { count },
        }
    }

    #[inline]
    fn slot(slots: &[Slot], key: u64) -> &Slot {
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (u128::from(mixed) * slots.len() as u128) >> 64;
        &slots[place as usize]
    }

    /// The value at `at` (below 4,096) of the unit `key`, if it is here.
    #[inline]
    pub(super) fn get(&self, key: u64, at: usize) -> Option<u8> {
        let slot = Self::slot(self.slots.get()?, key);
        let before = slot.sequence.load(Ordering::Acquire);
        let found = slot.key.load(Ordering::Relaxed);
        let word = slot.words[at / 32].load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let after = slot.sequence.load(Ordering::Relaxed);
        (before == after && before.is_multiple_of(2) && found == key)
            .then_some((word >> (at % 32 * 2) & 3) as u8)
    }

    /// Keeps the values of a unit, unless its slot is being filled by another thread.
    pub(super) fn put(&self, key: u64, values: &Values) {
        let make = || (0..self.count).map(|_| Slot::empty()).collect();
        let slot = Self::slot(self.slots.get_or_init(make), key);
        let before = slot.sequence.load(Ordering::Relaxed);
        let taken = !before.is_multiple_of(2)
            || slot
                .sequence
                .compare_exchange(before, before + 1, Ordering::Acquire, Ordering::Relaxed)
                .is_err();
        if taken {
            return;
        }
        fence(Ordering::Release);
        slot.key.store(key, Ordering::Relaxed);
        for (word, values) in slot.words.iter().zip(values.chunks(32)) {
            let packed = values
                .iter()
                .rev()
                .fold(0, |word, &value| word << 2 | u64::from(value));
            word.store(packed, Ordering::Relaxed);
        }
        slot.sequence.store(before + 2, Ordering::Release);
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
        cache.put(5, &values(5));
        for at in 0..UNIT {
            assert_eq!(cache.get(5, at), Some(values(5)[at]));
        }
        assert_eq!(cache.get(6, 0), None);
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
                        cache.put(key, &values(key));
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
