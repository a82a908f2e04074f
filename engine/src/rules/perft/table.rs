//! Counts of positions that were met before, shared by all threads without a lock.
//!
//! An entry is three words, each with the count mixed in, so that words of two writers do not
//! pass for one entry (Hyatt and Mann, "A lock-less transposition table implementation", 2002):
//!
//! ```text
//! word 0   own pieces (0-31), opponent's (32-63)                                ^ count
//! word 1   kings (0-31), depth (32-38), side to move (39), tag of word 0 (40-63) ^ turned count
//! word 2   count
//! ```
//!
//! The whole position is kept, not a hash of it: two positions never share an entry.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::node::Node;
use crate::board::Color;

/// The subtrees that are worth an entry: below, counting is faster than a miss of the cache.
pub(super) const LEAST_DEPTH: u8 = 4;

/// A hash table of perft counts.
pub(super) struct Table {
    entries: Box<[[AtomicU64; 3]]>,
}

/// A position and depth as stored.
struct Stamp([u64; 2]);

impl Stamp {
    fn new(node: Node, color: Color, depth: u8) -> Self {
        let pieces = u64::from(node.own.0) | u64::from(node.theirs.0) << 32;
        let side = u64::from(depth) << 32 | (color.index() as u64) << 39;
        let tag = scramble(pieces) >> 40 << 40;
        Self([pieces, u64::from(node.kings.0) | side | tag])
    }

    fn hash(&self) -> u64 {
        scramble(self.0[0] ^ scramble(self.0[1]))
    }

    /// The first two words of the entry for `count`.
    fn sealed(&self, count: u64) -> [u64; 2] {
        [self.0[0] ^ count, self.0[1] ^ count.rotate_left(32)]
    }
}

/// The finalizer of MurmurHash3 (public domain): every bit of the input reaches every other.
fn scramble(mut word: u64) -> u64 {
    word = (word ^ (word >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    word = (word ^ (word >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    word ^ (word >> 33)
}

impl Table {
    /// A table of about `megabytes` MiB.
    pub(super) fn new(megabytes: usize) -> Result<Self, TryReserveError> {
        let count = (megabytes << 20) / size_of::<[AtomicU64; 3]>();
        let mut entries = Vec::new();
        entries.try_reserve_exact(count)?;
        entries.resize_with(count, Default::default);
        Ok(Self {
            entries: entries.into_boxed_slice(),
        })
    }

    fn entry(&self, stamp: &Stamp) -> Option<&[AtomicU64; 3]> {
        let index = (u128::from(stamp.hash()) * self.entries.len() as u128) >> 64;
        self.entries.get(index as usize)
    }

    /// The count stored for a position, if it is still there.
    pub(super) fn get(&self, node: Node, color: Color, depth: u8) -> Option<u64> {
        let stamp = Stamp::new(node, color, depth);
        let entry = self.entry(&stamp)?;
        let count = entry[2].load(Relaxed);
        let sealed = [entry[0].load(Relaxed), entry[1].load(Relaxed)];
        (sealed == stamp.sealed(count)).then_some(count)
    }

    /// Stores a count in place of whatever was there.
    pub(super) fn put(&self, node: Node, color: Color, depth: u8, count: u64) {
        let stamp = Stamp::new(node, color, depth);
        let Some(entry) = self.entry(&stamp) else {
            return;
        };
        let [first, second] = stamp.sealed(count);
        entry[0].store(first, Relaxed);
        entry[1].store(second, Relaxed);
        entry[2].store(count, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;

    #[test]
    fn entries_come_back_only_for_their_own_position_and_depth() {
        let table = Table::new(1).expect("one megabyte");
        let start = Node::new(&Position::START);
        assert_eq!(table.get(start, Color::Black, 5), None);
        table.put(start, Color::Black, 5, 7361);
        assert_eq!(table.get(start, Color::Black, 5), Some(7361));
        assert_eq!(table.get(start, Color::Black, 6), None);
        assert_eq!(table.get(start, Color::White, 5), None);
        let crowned = Node {
            kings: start.own,
            ..start
        };
        assert_eq!(table.get(crowned, Color::Black, 5), None);
    }

    #[test]
    fn a_table_without_room_stores_nothing() {
        let table = Table::new(0).expect("nothing");
        let start = Node::new(&Position::START);
        table.put(start, Color::Black, 5, 7361);
        assert_eq!(table.get(start, Color::Black, 5), None);
        assert!(Table::new(usize::MAX >> 21).is_err());
    }
}
