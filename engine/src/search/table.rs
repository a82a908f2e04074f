//! The transposition table: what earlier searches found, shared by all threads without locks.
//!
//! Four entries of 16 bytes fill one cache line. An entry is two words:
//!
//! ```text
//! word 0   key ^ word 1
//! word 1   bits 0-15 score | 16-31 zero | 32-47 move | 48-55 depth | 56-57 bound (0: empty)
//!          | 58-63 age
//! ```
//!
//! Both words are relaxed atomics. A thread that reads half of another's store finds a key that
//! does not match (Hyatt and Mann, "A Lock-less Transposition Table Implementation", 2002).

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use crossbeam::thread;

use super::memory::HashError;
use crate::large_pages;
use crate::prefetch::prefetch;
use crate::rules::{Move, MoveList};
use crate::score::{Bound, Depth, Ply, Score};

const ENTRIES: usize = 4;
const AGES: u8 = 64;

#[derive(Debug, Default)]
#[repr(align(64))]
struct Cluster([Entry; ENTRIES]);

const _: () = assert!(size_of::<Cluster>() == 64);

#[derive(Debug, Default)]
struct Entry {
    lock: AtomicU64,
    data: AtomicU64,
}

/// The table. Its size is a number of clusters, any number.
#[derive(Debug)]
pub(crate) struct Table {
    clusters: Vec<Cluster>,
    age: AtomicU8,
}

/// A move in 16 bits: from, to and a digest of the captured set. Zero is no move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MoveCode(u16);

impl MoveCode {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn of(mv: Move) -> Self {
        // 1 to 63 for jumps, so that a round trip on square 1 is not mistaken for no move.
        let digest = match mv.captured().0 {
            0 => 0,
            set => (set.wrapping_mul(0x9E37_79B9) >> 16) % 63 + 1,
        };
        Self(mv.from().index() as u16 | (mv.to().index() as u16) << 5 | (digest as u16) << 10)
    }

    /// The move of `list` with this code.
    pub(super) fn find(self, list: &MoveList) -> Option<Move> {
        if self == Self::NONE {
            return None;
        }
        list.iter().copied().find(|&mv| Self::of(mv) == self)
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) score: Score,
    pub(super) mv: MoveCode,
    pub(super) depth: Depth,
    pub(super) bound: Bound,
}

impl Found {
    fn pack(self, age: u8) -> u64 {
        let depth = self.depth.0.clamp(0, 255) as u64;
        u64::from(self.score.0 as u16)
            | u64::from(self.mv.0) << 32
            | depth << 48
            | (self.bound as u64) << 56
            | u64::from(age) << 58
    }

    fn unpack(data: u64) -> Option<Self> {
        let bound = match data >> 56 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Self {
            score: Score(data as i16),
            mv: MoveCode((data >> 32) as u16),
            depth: Depth((data >> 48 & 255) as i16),
            bound,
        })
    }

    /// Whether the score decides the node for the window `alpha..beta`.
    pub(super) fn decides(&self, alpha: Score, beta: Score) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score <= alpha,
        }
    }
}

impl Entry {
    fn load(&self) -> (u64, u64) {
        let data = self.data.load(Relaxed);
        (self.lock.load(Relaxed) ^ data, data)
    }

    fn store(&self, key: u64, data: u64) {
        self.lock.store(key ^ data, Relaxed);
        self.data.store(data, Relaxed);
    }

    /// How much the entry is worth keeping: deep and recent.
    fn worth(&self, age: u8) -> i32 {
        let data = self.data.load(Relaxed);
        if data == 0 {
            return i32::MIN;
        }
        let old = age.wrapping_sub((data >> 58) as u8) % AGES;
        (data >> 48 & 255) as i32 - 8 * i32::from(old)
    }
}

impl Table {
    /// A table of `mb` MiB, at least 1.
    ///
    /// # Errors
    ///
    /// [`HashError`] if the memory cannot be had.
    pub(crate) fn new(mb: usize) -> Result<Self, HashError> {
        let count = super::memory::bytes(mb)? / size_of::<Cluster>();
        let mut clusters = large_pages::reserve(count).map_err(|_| HashError::refused(mb))?;
        clusters.resize_with(count, Cluster::default);
        Ok(Self {
            clusters,
            age: AtomicU8::new(0),
        })
    }

    /// A table of 1 KiB, for a moment in which memory is short.
    pub(crate) fn smallest() -> Self {
        Self {
            clusters: (0..16).map(|_| Cluster::default()).collect(),
            age: AtomicU8::new(0),
        }
    }

    /// The size in MiB.
    pub(crate) fn mb(&self) -> usize {
        self.clusters.len() * size_of::<Cluster>() / (1 << 20)
    }

    /// Forgets everything, with `threads` threads.
    pub(crate) fn clear(&self, threads: usize) {
        let share = self.clusters.len().div_ceil(threads.max(1)).max(1);
        let cleared = thread::scope(|scope| {
            for part in self.clusters.chunks(share) {
                let clear = move || part.iter().for_each(Cluster::clear);
                // Where the system gives no thread, the caller's does the work.
                if scope.builder().spawn(move |_| clear()).is_err() {
                    clear();
                }
            }
        });
        debug_assert!(cleared.is_ok());
        self.age.store(0, Relaxed);
    }

    /// Marks what is stored from now on as newer than the rest.
    pub(super) fn begin_search(&self) {
        let age = self.age.load(Relaxed);
        self.age.store((age + 1) % AGES, Relaxed);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Asks for the cache line of `key` before it is needed: 2 to 3 % more nodes a second.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// What is known about the position with `key`, with its score as seen from `ply`.
    #[inline]
    pub(super) fn probe(&self, key: u64, ply: Ply) -> Option<Found> {
        self.cluster(key).0.iter().find_map(|entry| {
            let (found, data) = entry.load();
            if found != key {
                return None;
            }
            let found = Found::unpack(data)?;
            Some(Found {
                score: found.score.to_root(ply),
                ..found
            })
        })
    }

    /// Stores `found`, whose score is as seen from the root.
    #[inline]
    pub(super) fn store(&self, key: u64, ply: Ply, mut found: Found) {
        found.score = found.score.to_node(ply);
        let age = self.age.load(Relaxed);
        let cluster = self.cluster(key);
        let (entry, old) = cluster.place(key, age);
        if let Some(old) = old {
            if found.mv == MoveCode::NONE {
                found.mv = old.mv;
            }
            if found.bound != Bound::Exact && found.depth + 3 < old.depth {
                return;
            }
        }
        entry.store(key, found.pack(age));
    }

    /// How full the table is with entries of this search, in thousandths.
    pub(crate) fn fullness(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.clusters.len().min(250);
        let used = self.clusters[..sample]
            .iter()
            .flat_map(|cluster| &cluster.0)
            .filter(|entry| {
                let data = entry.data.load(Relaxed);
                data != 0 && (data >> 58) as u8 == age
            })
            .count();
        (used * 1_000 / (sample * ENTRIES)) as u32
    }
}

impl Cluster {
    fn clear(&self) {
        for entry in &self.0 {
            entry.store(0, 0);
        }
    }

    /// Where to store `key`: its own entry, with what that holds, or the least worthy.
    #[inline]
    fn place(&self, key: u64, age: u8) -> (&Entry, Option<Found>) {
        for entry in &self.0 {
            let (found, data) = entry.load();
            if found == key {
                return (entry, Found::unpack(data));
            }
        }
        let worst = self.0.iter().min_by_key(|entry| entry.worth(age));
        (worst.unwrap_or(&self.0[0]), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Bitboard, Square};
    use crate::rules::Position;

    fn found(depth: i16) -> Found {
        Found {
            score: Score(-123),
            mv: MoveCode::of(Position::START.legal_moves()[3]),
            depth: Depth(depth),
            bound: Bound::Lower,
        }
    }

    #[test]
    fn entries_read_back() {
        for score in [Score(-20_000), Score(20_000)] {
            let entry = Found { score, ..found(37) };
            assert_eq!(Found::unpack(entry.pack(63)), Some(entry));
        }
        assert_eq!(Found::unpack(0), None);
    }

    #[test]
    fn any_size_stores_and_finds() {
        for mb in [1, 3, 7] {
            let table = Table::new(mb).expect("small");
            assert_eq!(table.mb(), mb);
            for key in [0, 1, u64::MAX, 0x9E37_79B9_7F4A_7C15] {
                table.store(key, Ply(0), found(9));
                assert_eq!(table.probe(key, Ply(0)), Some(found(9)));
            }
            table.clear(3);
            assert_eq!(table.probe(u64::MAX, Ply(0)), None);
        }
    }

    #[test]
    fn proven_scores_keep_their_distance_at_another_ply() {
        let table = Table::new(1).expect("small");
        let entry = Found {
            score: Score::win_in(20),
            ..found(9)
        };
        table.store(77, Ply(6), entry);
        let seen = table.probe(77, Ply(8)).expect("stored");
        assert_eq!(seen.score, Score::win_in(22));
    }

    #[test]
    fn moves_with_equal_ends_have_different_codes() {
        let (from, to) = (Square::from_index(9), Square::from_index(25));
        let codes = [0x4000 | 0x20_0000, 0x2000 | 0x20_0000]
            .map(|captured| MoveCode::of(Move::jump(from, to, Bitboard(captured))));
        assert_ne!(codes[0], codes[1]);
        let trip = Move::jump(
            Square::from_index(0),
            Square::from_index(0),
            Bitboard(0x6060),
        );
        assert_ne!(MoveCode::of(trip), MoveCode::NONE);
    }
}
