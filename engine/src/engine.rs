//! The engine as its users see it: set a position, go, stop; reports leave through an observer.
//!
//! Owns the game, the table and the threads of one search at a time. Knows nothing of protocols,
//! text or files. Start reading at [`Engine::go`].

use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;

use crate::rules::Game;
use crate::search::control::Control;
use crate::search::history::Statistics;
use crate::search::pool::{self, Job};
use crate::search::table::Table;
use crate::search::{Answer, HashError, Limits, Observer, Report};
use crate::tablebase::Tablebase;

/// What can be chosen about an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Size of the transposition table in MiB, 1 up to the machine's memory; any size works.
    pub hash_mb: usize,
    /// Search threads, 1 to [`Engine::MOST_THREADS`].
    pub threads: usize,
}

impl Default for EngineOptions {
    /// 64 MiB and one thread.
    fn default() -> Self {
        Self {
            hash_mb: 64,
            threads: 1,
        }
    }
}

/// An engine with a game of its own.
///
/// ```
/// use engine::engine::{Engine, EngineOptions};
/// use engine::search::Limits;
///
/// let mut engine = Engine::new(EngineOptions { hash_mb: 1, ..EngineOptions::default() })?;
/// let answer = engine.search(Limits::to_depth(5));
/// assert!(answer.best.is_some());
/// # Ok::<(), engine::search::HashError>(())
/// ```
pub struct Engine {
    game: Game,
    table: Arc<Table>,
    /// One for each thread.
    statistics: Arc<Mutex<Vec<Statistics>>>,
    threads: usize,
    tablebase: Option<Arc<Tablebase>>,
    running: Option<Running>,
}

struct Running {
    control: Arc<Control>,
    thread: JoinHandle<()>,
}

impl Engine {
    /// The most threads that a search can have.
    pub const MOST_THREADS: usize = 512;

    /// An engine at the start position.
    ///
    /// # Errors
    ///
    /// [`HashError`] if the table's memory cannot be had.
    pub fn new(options: EngineOptions) -> Result<Self, HashError> {
        let mut engine = Self {
            game: Game::default(),
            table: Arc::new(Table::new(options.hash_mb)?),
            statistics: Arc::default(),
            threads: 1,
            tablebase: None,
            running: None,
        };
        engine.set_threads(options.threads);
        Ok(engine)
    }

    /// Sets the number of threads, clamped to 1 ..= [`Engine::MOST_THREADS`], and returns it.
    /// Stops a running search first.
    pub fn set_threads(&mut self, threads: usize) -> usize {
        self.halt();
        self.threads = threads.clamp(1, Self::MOST_THREADS);
        let mut statistics = self.statistics.lock();
        statistics.resize_with(self.threads, Statistics::default);
        self.threads
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Sets the size of the table in MiB (0 counts as 1), empties it, and returns the size.
    /// Stops a running search first.
    ///
    /// # Errors
    ///
    /// [`HashError`] if the memory cannot be had; it names the size that is in use instead.
    pub fn set_hash_mb(&mut self, mb: usize) -> Result<usize, HashError> {
        self.halt();
        let before = self.table.mb();
        if mb.max(1) == before {
            self.table.clear(self.threads);
            return Ok(before);
        }
        // The old table goes first, so that both need not fit.
        self.table = Arc::new(Table::smallest());
        let (table, result) = match Table::new(mb) {
            Ok(table) => (table, Ok(())),
            Err(error) => {
                let table = Table::new(before).unwrap_or_else(|_| Table::smallest());
                (table, Err(error))
            }
        };
        self.table = Arc::new(table);
        let in_use = self.table.mb();
        result.map_err(|error| HashError { in_use, ..error })?;
        Ok(in_use)
    }

    /// The size of the table in MiB.
    #[must_use]
    pub fn hash_mb(&self) -> usize {
        self.table.mb()
    }

    /// Sets the endgame databases that searches ask; none at first. Stops a running search first.
    /// With databases the nodes of a search depend on what earlier ones have decoded.
    pub fn set_tablebase(&mut self, tablebase: Option<Arc<Tablebase>>) {
        self.halt();
        // What the table knows may come from other databases.
        self.table.clear(self.threads);
        self.tablebase = tablebase;
    }

    /// The endgame databases in use.
    #[must_use]
    pub fn tablebase(&self) -> Option<&Arc<Tablebase>> {
        self.tablebase.as_ref()
    }

    /// How full the table is with entries of the latest search, in thousandths.
    #[must_use]
    pub fn fullness(&self) -> u32 {
        self.table.fullness()
    }

    /// Forgets everything learnt from earlier games and returns to the start position. Stops a
    /// running search first.
    pub fn new_game(&mut self) {
        self.halt();
        self.table.clear(self.threads);
        self.statistics
            .lock()
            .iter_mut()
            .for_each(Statistics::clear);
        self.game = Game::default();
    }

    /// Sets the position together with its history, on which repetition and the 40-move rule
    /// depend. Stops a running search first.
    pub fn set_game(&mut self, game: Game) {
        self.halt();
        self.game = game;
    }

    /// The game that the next search looks at.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Starts a search and returns at once. A search that still runs is stopped first, and
    /// delivers its answer before this returns.
    pub fn go(&mut self, limits: Limits, observer: Box<dyn Observer>) {
        self.halt();
        let control = Arc::new(Control::new(limits.ponder));
        let job = Job {
            game: self.game.clone(),
            limits,
            table: Arc::clone(&self.table),
            control: Arc::clone(&control),
            tablebase: self.tablebase.clone(),
        };
        let statistics = Arc::clone(&self.statistics);
        // Shared, so that it is not lost with the closure when no thread can be had.
        let observer = Arc::new(Mutex::new(observer));
        let theirs = Arc::clone(&observer);
        let spawned = thread::Builder::new()
            .name("search".into())
            .stack_size(pool::STACK_BYTES)
            .spawn(move || job.run(&mut statistics.lock(), theirs.lock().as_mut()));
        match spawned {
            Ok(thread) => self.running = Some(Running { control, thread }),
            Err(error) => self.answer_unsearched(observer.lock().as_mut(), &error.to_string()),
        }
    }

    fn answer_unsearched(&self, observer: &mut dyn Observer, why: &str) {
        observer.fault(&format!("no search thread can be had: {why}"));
        let report = pool::unsearched(&self.game.position());
        observer.report(&report);
        observer.answer(&answer_from(report));
    }

    /// Asks a running search for its answer, which follows within milliseconds.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// The expected reply was played: the time limits of a pondering search count from now on.
    pub fn ponder_hit(&self) {
        if let Some(running) = &self.running {
            running.control.ponder_hit();
        }
    }

    /// Waits until the running search has delivered its answer. Waits for ever if that needs a
    /// stop which nobody gives.
    pub fn wait(&mut self) {
        if let Some(running) = self.running.take() {
            // The thread's panics end inside it.
            let joined = running.thread.join();
            debug_assert!(joined.is_ok());
        }
    }

    /// Whether a search runs whose answer was not delivered yet.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| !running.thread.is_finished())
    }

    /// Searches and waits for the answer. `infinite` and `ponder` are ignored, since nobody
    /// could end them.
    pub fn search(&mut self, limits: Limits) -> Answer {
        let (sender, receiver) = mpsc::channel();
        let limits = Limits {
            infinite: false,
            ponder: false,
            ..limits
        };
        self.go(limits, Box::new(Caller(sender)));
        self.wait();
        let answer = receiver.try_recv();
        answer.unwrap_or_else(|_| answer_from(pool::unsearched(&self.game.position())))
    }

    fn halt(&mut self) {
        self.stop();
        self.wait();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.halt();
    }
}

fn answer_from(report: Report) -> Answer {
    Answer {
        best: report.pv.first().copied(),
        ponder: None,
        report,
    }
}

/// Hands the answer to a caller that waits.
struct Caller(mpsc::Sender<Answer>);

impl Observer for Caller {
    fn report(&mut self, _: &Report) {}

    fn answer(&mut self, answer: &Answer) {
        // The caller waits, so there is somebody to hear it.
        let _ = self.0.send(answer.clone());
    }
}
