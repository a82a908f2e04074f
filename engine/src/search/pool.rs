//! A whole search: threads started, joined, and turned into one answer.
//!
//! Whatever happens inside a thread, the observer gets exactly one answer with a legal move.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crossbeam::thread::{self, Scope};
use crossbeam::utils::CachePadded;

use super::clock::Budget;
use super::control::Control;
use super::history::Statistics;
use super::limits::Limits;
use super::report::{Answer, Observer, Report};
use super::table::Table;
use super::worker::{Node, Shared, Worker};
use crate::rules::{Game, Move, Position};
use crate::score::{Bound, Depth, Score};

/// Room for the longest line on the stack of a search thread, several times over.
pub(crate) const STACK_BYTES: usize = 8 << 20;

/// A search to be done.
pub(crate) struct Job {
    pub(crate) game: Game,
    pub(crate) limits: Limits,
    pub(crate) table: Arc<Table>,
    pub(crate) control: Arc<Control>,
}

impl Job {
    /// Searches on as many threads as there are `statistics`, the caller's among them, and
    /// answers.
    pub(crate) fn run(&self, statistics: &mut [Statistics], observer: &mut dyn Observer) {
        let answer = if self.game.position().can_move() {
            self.search(statistics, observer)
        } else {
            let report = lost(&self.game.position());
            observer.report(&report);
            Answer {
                best: None,
                ponder: None,
                report,
            }
        };
        observer.answer(&answer);
    }

    fn search(&self, statistics: &mut [Statistics], observer: &mut dyn Observer) -> Answer {
        self.table.begin_search();
        let shared = Shared {
            table: &self.table,
            control: &self.control,
            limits: &self.limits,
            budget: Budget::of(&self.limits),
            nodes: statistics
                .iter()
                .map(|_| CachePadded::new(AtomicU64::new(0)))
                .collect(),
        };
        let report = self.run_threads(&shared, statistics, observer);
        let report = report.unwrap_or_else(|| {
            let report = unsearched(&self.game.position());
            observer.report(&report);
            report
        });
        self.control.wait_for_leave(self.limits.infinite);
        self.answer(report)
    }

    /// The last report of the first thread; `None` if it panicked.
    fn run_threads(
        &self,
        shared: &Shared<'_>,
        statistics: &mut [Statistics],
        observer: &mut dyn Observer,
    ) -> Option<Report> {
        let (first, rest) = statistics.split_first_mut()?;
        let mut faults = Vec::new();
        let report = thread::scope(|scope| {
            let helpers = self.spawn_helpers(scope, shared, rest);
            let report = caught(|| {
                let mut worker = Worker::new(shared, 0, &self.game, first, Some(&mut *observer));
                worker.deepen()
            });
            self.control.halt();
            let helped = helpers
                .into_iter()
                .map(|helper| helper.join().and_then(|done| done));
            faults.extend(helped.filter_map(Result::err));
            report
        });
        let report = report.and_then(|report| report);
        faults
            .iter()
            .for_each(|fault| observer.fault(&text(fault.as_ref())));
        report
            .inspect_err(|fault| observer.fault(&text(fault.as_ref())))
            .ok()
    }

    /// Starts the other threads; fewer if the system gives no more.
    fn spawn_helpers<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'env>,
        shared: &'env Shared<'env>,
        statistics: &'env mut [Statistics],
    ) -> Vec<thread::ScopedJoinHandle<'scope, Result<(), Box<dyn Any + Send>>>> {
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
        let node = Node::root(&self.game).after(best);
        let found = self.table.probe(node.table_key(), node.ply)?;
        found.mv.find(&node.position.legal_moves())
    }
}

fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
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
    }
}
