//! Starting, stopping and pondering: the few flags that threads of a search share with its owner.

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// One search's flags. The owner asks; the threads look.
#[derive(Debug)]
pub(crate) struct Control {
    started: Instant,
    /// Threads shall return.
    halted: AtomicBool,
    /// The owner wants the answer now.
    asked: AtomicBool,
    pondering: AtomicBool,
    /// Nanoseconds after `started` from which time limits count.
    zero: AtomicU64,
    gate: Mutex<()>,
    changed: Condvar,
}

impl Control {
    pub(crate) fn new(ponder: bool) -> Self {
        Self {
            started: Instant::now(),
            halted: AtomicBool::new(false),
            asked: AtomicBool::new(false),
            pondering: AtomicBool::new(ponder),
            zero: AtomicU64::new(0),
            gate: Mutex::new(()),
            changed: Condvar::new(),
        }
    }

    /// The owner wants the answer now.
    pub(crate) fn stop(&self) {
        self.halted.store(true, Relaxed);
        let _held = self.gate.lock();
        self.asked.store(true, Release);
        self.changed.notify_all();
    }

    /// The expected reply was played: time limits count from now on. Nothing where they count
    /// already.
    pub(crate) fn ponder_hit(&self) {
        if !self.pondering.load(Acquire) {
            return;
        }
        self.zero.store(self.elapsed().as_nanos() as u64, Relaxed);
        let _held = self.gate.lock();
        self.pondering.store(false, Release);
        self.changed.notify_all();
    }

    /// All threads shall return, though nobody asked yet.
    pub(super) fn halt(&self) {
        self.halted.store(true, Relaxed);
    }

    #[inline]
    pub(super) fn is_halted(&self) -> bool {
        self.halted.load(Relaxed)
    }

    /// Since the search began.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time that counts against the limits; `None` while pondering.
    pub(super) fn charged(&self) -> Option<Duration> {
        if self.pondering.load(Acquire) {
            return None;
        }
        let zero = Duration::from_nanos(self.zero.load(Relaxed));
        Some(self.elapsed().saturating_sub(zero))
    }

    /// Blocks while no answer may be given: pondering, or `infinite` and not asked yet.
    pub(super) fn wait_for_leave(&self, infinite: bool) {
        let mut held = self.gate.lock();
        while !self.asked.load(Acquire) && (infinite || self.pondering.load(Acquire)) {
            self.changed.wait(&mut held);
        }
    }
}
