//! Plays the games of a match, several at a time.
//!
//! Owns the worker threads and the engines they keep running from game to game. Results come back
//! to one thread, in which the caller keeps them. Knows no file and no screen. Start reading at
//! [`Plan::run`].

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};
use engine::board::Color;
use engine::notation::fen;

use super::contestant::Contestant;
use super::game::{End, Played, Terms, play};
use super::openings::Opening;
use super::record::GameRecord;
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

impl Plan {
    /// Starts every engine once. Returns, for each, what is worth a warning.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`] if a program cannot be run at all; an engine that merely
    /// misbehaves is judged in its games.
    pub fn rehearse(&self) -> Result<Vec<String>, ClientError> {
        let mut warnings = Vec::new();
        for contestant in &self.contestants {
            let name = &contestant.name;
            match self.start(contestant) {
                Ok(client) => {
                    let unknown = client.unknown_settings().iter();
                    warnings.extend(unknown.map(|setting| format!("{name} has no {setting}")));
                }
                Err(error @ ClientError::Start(..)) => return Err(error),
                Err(error) => warnings.push(format!("{name}: {error}")),
            }
        }
        Ok(warnings)
    }

    fn start(&self, contestant: &Contestant) -> Result<Client, ClientError> {
        Client::start(&contestant.recipe(&self.own_program, self.patience))
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
        stop: &AtomicBool,
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
                    };
                    worker.work(&tasks, &sender, stop);
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
}

impl Worker<'_> {
    fn work(&mut self, tasks: &Receiver<Task>, results: &Sender<GameRecord>, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed)
            && let Ok(task) = tasks.try_recv()
        {
            let Some(record) = self.record(&task, stop) else {
                return;
            };
            if results.send(record).is_err() {
                return;
            }
        }
    }

    fn record(&mut self, task: &Task, stop: &AtomicBool) -> Option<GameRecord> {
        let began = Instant::now();
        let played = self.play(task, stop)?;
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
            ended: jiff::Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
            seconds: (began.elapsed().as_secs_f64() * 1e3).round() / 1e3,
        })
    }

    fn play(&mut self, task: &Task, stop: &AtomicBool) -> Option<Played> {
        let engines = [task.black, task.white];
        let opening = &self.plan.openings[task.opening];
        // Engines of other pairings are ended first, so that their memory is free.
        self.running.retain(|(engine, _)| engines.contains(engine));
        let mut clients = Vec::new();
        for color in Color::BOTH {
            match self.seat(engines[color.index()]) {
                Ok(client) => clients.push(client),
                Err(error) => {
                    let played = Played::unplayed(opening, End::failure(color, &error, true));
                    self.running.extend(engines.into_iter().zip(clients));
                    return Some(played);
                }
            }
        }
        let mut clients: [Client; 2] = clients.try_into().ok()?;
        let allowances = engines.map(|engine| &self.plan.contestants[engine].allowance);
        let played = play(opening, &mut clients, allowances, &self.plan.terms, stop)?;
        for (color, client) in Color::BOTH.into_iter().zip(clients) {
            // Whoever misbehaved is ended, and starts afresh in the next game.
            if played.end.culprit() != Some(color) {
                self.running.push((engines[color.index()], client));
            }
        }
        Some(played)
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
        let started = self.plan.start(&self.plan.contestants[engine]);
        match started {
            Ok(_) => failures.store(0, Ordering::Relaxed),
            Err(_) => {
                failures.fetch_add(1, Ordering::Relaxed);
            }
        }
        started
    }
}
