//! Plays the games of a match, several at a time.
//!
//! Owns the worker threads and the engines they keep running from game to game. Results come back
//! to one thread, in which the caller keeps them. Knows no file and no screen. Start reading at
//! [`Plan::run`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};
use engine::board::Color;
use engine::notation::fen;
use thiserror::Error;

use super::contestant::Contestant;
use super::files;
use super::game::{End, Played, Terms, play};
use super::openings::Opening;
use super::record::{Complaint, GameRecord};
use super::schedule::{Schedule, Task};
use crate::client::{Client, ClientError};

/// After so many failures to start in a row, an engine forfeits without being tried again.
const TRIES: u32 = 3;

/// Everything that a match needs to know.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The engines.
    pub contestants: Vec<Contestant>,
    /// The openings that the schedule refers to.
    pub openings: Vec<Opening>,
    /// The games.
    pub schedule: Schedule,
    /// Games at a time, 1 or more.
    pub concurrency: usize,
    /// What holds for every game.
    pub terms: Terms,
    /// How long an engine may take to get ready.
    pub patience: Duration,
    /// This program, for contestants that are ourselves.
    pub own_program: PathBuf,
}

/// Why a match cannot begin.
#[derive(Debug, Error)]
pub enum RehearsalError {
    /// An engine does not start.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// An engine does not take a setting.
    #[error("{engine} {fault}")]
    Setting {
        /// Its name in the match.
        engine: String,
        /// What it does not take.
        fault: String,
    },
}

impl Plan {
    /// Starts every engine once. Returns, for each, what is worth a warning.
    ///
    /// # Errors
    ///
    /// If a program cannot be run at all, or does not take what is to be set in it; an engine that
    /// merely misbehaves is judged in its games.
    pub fn rehearse(&self, stop: &Arc<AtomicBool>) -> Result<Vec<String>, RehearsalError> {
        let mut warnings = Vec::new();
        for contestant in &self.contestants {
            let name = &contestant.name;
            match self.start(contestant, stop) {
                Ok(client) => {
                    let refused = client.refused_settings();
                    if let (Some(fault), true) = (refused.first(), client.knows_settings()) {
                        return Err(RehearsalError::Setting {
                            engine: name.clone(),
                            fault: fault.clone(),
                        });
                    }
                    warnings.extend(refused.iter().map(|fault| format!("{name} {fault}")));
                }
                Err(error @ ClientError::Start(..)) => return Err(error.into()),
                Err(ClientError::Interrupted) => break,
                Err(error) => warnings.push(format!("{name}: {error}")),
            }
        }
        Ok(warnings)
    }

    /// What tells the builds of the engines apart, by the engine's name; without those whose
    /// program is not found.
    #[must_use]
    pub fn builds(&self) -> BTreeMap<String, String> {
        let mut known = BTreeMap::new();
        let of = |contestant: &Contestant| {
            let program = contestant.program(&self.own_program)?;
            let known = known.entry(program);
            let build = known.or_insert_with_key(|path| files::fingerprint(path).ok());
            Some((contestant.name.clone(), build.clone()?))
        };
        self.contestants.iter().filter_map(of).collect()
    }

    fn start(
        &self,
        contestant: &Contestant,
        stop: &Arc<AtomicBool>,
    ) -> Result<Client, ClientError> {
        Client::start(&contestant.recipe(&self.own_program, self.patience), stop)
    }

    /// Plays the games with the given numbers (from 0). Each finished one is handed to `keep`,
    /// which says whether to go on; after a no, or once `stop` is set, games in progress are
    /// abandoned. Returns how long it took.
    ///
    /// # Errors
    ///
    /// The first error of `keep`.
    pub fn run<E>(
        &self,
        games: impl IntoIterator<Item = usize>,
        stop: &Arc<AtomicBool>,
        mut keep: impl FnMut(&GameRecord) -> Result<bool, E>,
    ) -> Result<Duration, E> {
        let began = Instant::now();
        let tasks = self.queue(games);
        let (sender, results) = unbounded();
        let failures: Vec<AtomicU32> = self.contestants.iter().map(|_| AtomicU32::new(0)).collect();
        thread::scope(|scope| {
            for _ in 0..self.concurrency.min(tasks.len()) {
                let (tasks, sender, failures) = (tasks.clone(), sender.clone(), &failures[..]);
                scope.spawn(move || {
                    let mut worker = Worker {
                        plan: self,
                        failures,
                        running: Vec::new(),
                        stop,
                    };
                    worker.work(&tasks, &sender);
                });
            }
            drop(sender);
            // Whatever ends this loop, workers must not go on.
            let _stop = StopOnDrop(stop);
            for record in results {
                if !keep(&record)? {
                    break;
                }
            }
            Ok(began.elapsed())
        })
    }

    fn queue(&self, games: impl IntoIterator<Item = usize>) -> Receiver<Task> {
        let (sender, tasks) = unbounded();
        let mut schedule = self.schedule.clone();
        for game in games {
            // The receiver is ours, so sending cannot fail.
            let _ = sender.send(schedule.task(game));
        }
        tasks
    }
}

/// Tells the workers to stop.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One game at a time.
struct Worker<'a> {
    plan: &'a Plan,
    failures: &'a [AtomicU32],
    running: Vec<(usize, Client)>,
    stop: &'a Arc<AtomicBool>,
}

impl Worker<'_> {
    fn work(&mut self, tasks: &Receiver<Task>, results: &Sender<GameRecord>) {
        while !self.stop.load(Ordering::Relaxed)
            && let Ok(task) = tasks.try_recv()
        {
            let Some(record) = self.record(&task) else {
                return;
            };
            if results.send(record).is_err() {
                return;
            }
        }
    }

    fn record(&mut self, task: &Task) -> Option<GameRecord> {
        let began = Instant::now();
        let (played, complaints) = self.play(task)?;
        let opening = &self.plan.openings[task.opening];
        let name = |engine: usize| self.plan.contestants[engine].name.clone();
        Some(GameRecord {
            game: task.game + 1,
            pair: task.pair + 1,
            black: name(task.black),
            white: name(task.white),
            opening: opening.name.clone(),
            fen: fen::write(&opening.start),
            opening_plies: opening.moves.len(),
            moves: played.moves,
            notes: played.notes,
            result: played.end.result,
            reason: played.end.reason,
            detail: played.end.detail,
            complaints,
            ended: jiff::Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
            seconds: (began.elapsed().as_secs_f64() * 1e3).round() / 1e3,
        })
    }

    fn play(&mut self, task: &Task) -> Option<(Played, Vec<Complaint>)> {
        let engines = [task.black, task.white];
        let opening = &self.plan.openings[task.opening];
        // Engines of other pairings are ended first, so that their memory is free.
        self.running.retain(|(engine, _)| engines.contains(engine));
        let mut clients = Vec::new();
        for color in Color::BOTH {
            match self.seat(engines[color.index()]) {
                Ok(client) => clients.push(client),
                Err(_) if self.stop.load(Ordering::Relaxed) => return None,
                Err(error) => {
                    let played = Played::unplayed(opening, End::failure(color, &error, true));
                    self.running.extend(engines.into_iter().zip(clients));
                    return Some((played, Vec::new()));
                }
            }
        }
        let mut clients: [Client; 2] = clients.try_into().ok()?;
        let allowances = engines.map(|engine| &self.plan.contestants[engine].allowance);
        let played = play(
            opening,
            &mut clients,
            allowances,
            &self.plan.terms,
            self.stop,
        )?;
        let mut complaints = Vec::new();
        for (color, mut client) in Color::BOTH.into_iter().zip(clients) {
            let said = client.take_complaints().into_iter();
            complaints.extend(said.map(|text| Complaint {
                engine: self.plan.contestants[engines[color.index()]].name.clone(),
                text,
            }));
            // Whoever misbehaved is ended, and starts afresh in the next game.
            if played.end.culprit() != Some(color) {
                self.running.push((engines[color.index()], client));
            }
        }
        Some((played, complaints))
    }

    /// The running engine, or a new one.
    fn seat(&mut self, engine: usize) -> Result<Client, ClientError> {
        if let Some(at) = self.running.iter().position(|&(other, _)| other == engine) {
            return Ok(self.running.swap_remove(at).1);
        }
        let failures = &self.failures[engine];
        if failures.load(Ordering::Relaxed) >= TRIES {
            return Err(ClientError::GivenUp(TRIES));
        }
        let started = self.plan.start(&self.plan.contestants[engine], self.stop);
        match started {
            Ok(_) => failures.store(0, Ordering::Relaxed),
            Err(_) => {
                failures.fetch_add(1, Ordering::Relaxed);
            }
        }
        started
    }
}
