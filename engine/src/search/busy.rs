//! Which moves are being searched right now, so that threads do not search the same one at once.
//!
//! A thread puts off a move that another is busy with; when it comes back to it, the table has
//! the answer ("simplified ABDADA", Kerrigan 2016, after Weill 1996). Knows keys of positions and
//! plays no part with one thread. A slot is only a hint: what another move overwrites is
//! searched twice.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Slots, a power of two: far more than threads times plies.
const SLOTS: usize = 1 << 13;

/// The moves under way, by the key of the position that each leads to.
#[derive(Debug)]
pub(super) struct Busy(Vec<AtomicU64>);

impl Busy {
    pub(super) fn new() -> Self {
        Self((0..SLOTS).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.0[key as usize % SLOTS]
    }

    /// Whether some thread is busy with the move to `key`.
    #[inline]
    pub(super) fn has(&self, key: u64) -> bool {
        self.slot(key).load(Relaxed) == key
    }

    /// A thread begins with the move to `key`.
    #[inline]
    pub(super) fn begin(&self, key: u64) {
        self.slot(key).store(key, Relaxed);
    }

    /// It has ended; other moves that took the slot stay.
    #[inline]
    pub(super) fn end(&self, key: u64) {
        let _ = self.slot(key).compare_exchange(key, 0, Relaxed, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_belongs_to_the_last_who_took_it() {
        let busy = Busy::new();
        let (mine, other) = (5, 5 + SLOTS as u64);
        busy.begin(mine);
        assert!(busy.has(mine) && !busy.has(other));
        busy.begin(other);
        busy.end(mine);
        assert!(busy.has(other) && !busy.has(mine));
        busy.end(other);
        assert!(!busy.has(other));
    }
}
