//! A whole search: threads started, joined, and turned into one answer.
//!
//! Whatever happens inside a thread, the observer gets exactly one answer with a legal move.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crossbeam::thread::{self, Scope};
use crossbeam::utils::CachePadded;

use super::busy::Busy;
use super::clock::Budget;
use super::control::Control;
use super::database::Databases;
use super::history::Statistics;
use super::limits::Limits;
use super::report::{Answer, Observer, Report};
use super::root::RootMove;
use super::rounds::Rounds;
use super::table::Table;
use super::worker::{Node, Shared, Worker};
use crate::rules::{Game, Move, Position};
use crate::score::{Bound, Depth, Score};
use crate::tablebase::{Damage, Tablebase};

/// Room for the longest line on the stack of a search thread, several times over.
pub(crate) const STACK_BYTES: usize = 8 << 20;

/// A search to be done.
pub(crate) struct Job {
    pub(crate) game: Game,
    pub(crate) limits: Limits,
    pub(crate) table: Arc<Table>,
    pub(crate) tablebase: Option<Arc<Tablebase>>,
    pub(crate) control: Arc<Control>,
}

impl Job {
    /// Searches on as many threads as there are `statistics`, the caller's among them, and
    /// answers.
    pub(crate) fn run(&self, statistics: &mut [Statistics], observer: &mut dyn Observer) {
        let mut recorder = Recorder {
            observer,
            latest: None,
        };
        let report = if self.game.position().can_move() {
            self.search(statistics, &mut recorder)
        } else {
            recorder.record(lost(&self.game.position()))
        };
        let damage = self
            .tablebase
            .as_deref()
            .and_then(Tablebase::damage_to_tell);
        if let Some(damage) = damage {
            recorder.damage(damage);
        }
        recorder.answer(&self.answer(report));
    }

    fn databases(&self) -> Option<Databases<'_>> {
        let tablebase = self.tablebase.as_deref()?;
        Some(Databases::new(tablebase, &self.game))
    }

    fn search(&self, statistics: &mut [Statistics], recorder: &mut Recorder<'_>) -> Report {
        self.table.begin_search();
        let position = self.game.position();
        let mut databases = self.databases();
        let roots = databases.as_mut().map_or_else(
            || RootMove::all(&position),
            |it| it.roots(&self.game, self.limits.lines),
        );
        let shared = Shared {
            table: &self.table,
            control: &self.control,
            limits: &self.limits,
            budget: Budget::of(&self.limits),
            databases,
            nodes: statistics
                .iter()
                .map(|_| CachePadded::new(AtomicU64::new(0)))
                .collect(),
            rounds: Rounds::new(roots, self.limits.lines),
            busy: (statistics.len() > 1).then(Busy::new),
        };
        let searched = self.run_threads(&shared, statistics, recorder);
        let report = searched
            .or_else(|| recorder.latest.take())
            .unwrap_or_else(|| recorder.record(unsearched(&self.game.position())));
        self.control.wait_for_leave(self.limits.infinite);
        report
    }

    /// The final state of the first thread; `None` if it panicked.
    fn run_threads(
        &self,
        shared: &Shared<'_>,
        statistics: &mut [Statistics],
        recorder: &mut Recorder<'_>,
    ) -> Option<Report> {
        let (first, rest) = statistics.split_first_mut()?;
        let finished = thread::scope(|scope| {
            let helpers = self.spawn_helpers(scope, shared, rest);
            let report =
                caught(|| Worker::new(shared, 0, &self.game, first, Some(&mut *recorder)).deepen());
            self.control.halt();
            let mut faults: Vec<Fault> = helpers
                .into_iter()
                .filter_map(|helper| helper.join().and_then(|done| done).err())
                .collect();
            let report = report.map_err(|fault| faults.push(fault)).ok();
            (report, faults)
        });
        let (report, faults) = finished.unwrap_or_else(|fault| (None, vec![fault]));
        faults
            .iter()
            .for_each(|fault| recorder.fault(&text(fault.as_ref())));
        report
    }

    /// Starts the other threads; fewer if the system gives no more.
    fn spawn_helpers<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'env>,
        shared: &'env Shared<'env>,
        statistics: &'env mut [Statistics],
    ) -> Vec<thread::ScopedJoinHandle<'scope, Result<(), Fault>>> {
        let spawn = |(index, statistics): (usize, &'env mut Statistics)| {
            scope
                .builder()
                .name(format!("search {}", index + 1))
                .stack_size(STACK_BYTES)
                .spawn(move |_| {
                    caught(|| {
                        Worker::new(shared, index + 1, &self.game, statistics, None).deepen();
                    })
                })
                .ok()
        };
        statistics.iter_mut().enumerate().map_while(spawn).collect()
    }

    fn answer(&self, report: Report) -> Answer {
        let best = report.pv.first().copied();
        let reply = report.pv.get(1).copied();
        let ponder = reply.or_else(|| self.expected_reply(best?));
        Answer {
            best,
            ponder,
            report,
        }
    }

    /// The reply to `best` that the table remembers.
    fn expected_reply(&self, best: Move) -> Option<Move> {
        let node = Node::root(&self.game, self.databases().as_ref()).after(best);
        let found = self.table.probe(node.table_key(), node.ply)?;
        found.mv.find(&node.position.legal_moves())
    }
}

/// What a panic carries.
type Fault = Box<dyn Any + Send>;

/// Passes everything on, keeps the latest report, and survives an observer that panics.
struct Recorder<'a> {
    observer: &'a mut dyn Observer,
    latest: Option<Report>,
}

impl Recorder<'_> {
    fn record(&mut self, report: Report) -> Report {
        self.report(&report);
        report
    }
}

impl Observer for Recorder<'_> {
    fn report(&mut self, report: &Report) {
        if report.line == 1 {
            self.latest = Some(report.clone());
        }
        // The observer's faults are its own; the search goes on.
        let _ = caught(|| self.observer.report(report));
    }

    fn answer(&mut self, answer: &Answer) {
        let _ = caught(|| self.observer.answer(answer));
    }

    fn fault(&mut self, what: &str) {
        let _ = caught(|| self.observer.fault(what));
    }

    fn damage(&mut self, damage: &Damage) {
        let _ = caught(|| self.observer.damage(damage));
    }
}

fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work))
}

/// What a panic said.
fn text(fault: &(dyn Any + Send)) -> String {
    let said = fault
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| fault.downcast_ref::<String>().cloned());
    said.unwrap_or_else(|| "a search thread failed".into())
}

/// The report on a position without a legal move.
fn lost(position: &Position) -> Report {
    Report {
        score: Score::loss_in(0),
        pv: Vec::new(),
        ..unsearched(position)
    }
}

/// The report when nothing could be searched: any legal move is better than none.
pub(crate) fn unsearched(position: &Position) -> Report {
    Report {
        line: 1,
        depth: Depth(0),
        deepest: 0,
        score: Score::DRAW,
        bound: Bound::Exact,
        nodes: 0,
        time: std::time::Duration::ZERO,
        pv: position
            .legal_moves()
            .first()
            .copied()
            .into_iter()
            .collect(),
        value: None,
    }
}
