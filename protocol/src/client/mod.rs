//! The other end of the line: drives an engine that runs as a child process.
//!
//! Owns the child's life (start, handshake, search, end) and how long it may stay silent; the
//! dialects' vocabulary is in `conversation`, declared options in `options`, pipes and process groups in
//! `process`. Trusts the engine in nothing: every wait has an end, every line a length, and
//! whether a move is legal is for the caller to decide. Start reading at [`Client::think`].

mod conversation;
mod options;
mod process;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::rules::Game;
use thiserror::Error;

use self::conversation::{Conversation, Heard};
use self::process::{Event, Process};
use crate::dialect::Dialect;

pub use self::conversation::Info;

/// How to start an engine and what to set in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The program and its arguments; never run through a shell.
    pub command: Vec<String>,
    /// Where it runs; `None` for our own directory.
    pub directory: Option<PathBuf>,
    /// The dialect it speaks.
    pub dialect: Dialect,
    /// Size of the transposition table in MiB; `None` for the engine's own choice.
    pub hash: Option<u32>,
    /// Search threads; `None` for the engine's own choice.
    pub threads: Option<u32>,
    /// Further options by name, set as they are.
    pub options: Vec<(String, String)>,
    /// How long it may take to answer anything but a search.
    pub patience: Duration,
}

/// A player's clock as it stands before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// What is left for this and the later moves, this move's increment not included.
    pub time: Duration,
    /// Added for this move, before it is made.
    pub increment: Duration,
    /// Moves until the next time control; `None` for the rest of the game.
    pub moves: Option<u32>,
}

/// What bounds one search. At least one bound should be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The last iteration, in plies.
    pub depth: Option<u32>,
    /// Positions to search.
    pub nodes: Option<u64>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clocks of Black and White, where the game is played by the clock.
    pub clocks: Option<[Remaining; 2]>,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The move as the engine wrote it; `None` if it says that it has none.
    pub answer: Option<String>,
    /// What it said last about its search.
    pub info: Info,
    /// From the writing of the request to the arrival of the answer.
    pub elapsed: Duration,
}

/// Why an engine is of no use any more.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The program could not be started.
    #[error("cannot start {0}: {1}")]
    Start(String, std::io::Error),
    /// The engine has ended, or closed its output.
    #[error("the engine ended ({status}){}", quoted(.said))]
    Ended {
        /// Exit code or signal.
        status: String,
        /// The end of what it wrote to standard error.
        said: String,
    },
    /// The engine was waited for in vain.
    #[error("no {what} within {} s", .waited.as_secs_f64())]
    Silent {
        /// What it should have said.
        what: &'static str,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The wait was given up because the match is to end.
    #[error("interrupted")]
    Interrupted,
    /// The engine failed so often that it is not started again.
    #[error("given up after {0} starts in vain")]
    GivenUp(u32),
}

fn quoted(said: &str) -> String {
    match said.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!(": {}", line.trim()),
        None => String::new(),
    }
}

/// A running engine. Dropping it ends the process and everything in its group.
#[derive(Debug)]
pub struct Client {
    process: Process,
    conversation: Conversation,
    patience: Duration,
    answers_ping: bool,
    refused: Vec<String>,
    complaints: Vec<String>,
    stop: Arc<AtomicBool>,
}

/// An engine that knows no `ping` is found out within this time, once.
const PING_TRIAL: Duration = Duration::from_secs(1);

/// How often a wait looks whether it is to be given up.
const POLL: Duration = Duration::from_millis(100);

/// How many complaints are kept until they are taken, and how much of each, in characters.
const COMPLAINTS: usize = 8;
const COMPLAINT_LENGTH: usize = 200;

impl Client {
    /// Starts an engine and sets it up, up to its being ready. Once `stop` is set, this and every
    /// later wait is given up soon.
    ///
    /// # Errors
    ///
    /// [`ClientError`] if it cannot be started, ends, or is not ready within its patience.
    pub fn start(recipe: &Recipe, stop: &Arc<AtomicBool>) -> Result<Self, ClientError> {
        let process = Process::start(&recipe.command, recipe.directory.as_deref())
            .map_err(|error| ClientError::Start(recipe.command.join(" "), error))?;
        let mut client = Self {
            process,
            conversation: Conversation::new(recipe.dialect),
            patience: recipe.patience,
            answers_ping: true,
            refused: Vec::new(),
            complaints: Vec::new(),
            stop: Arc::clone(stop),
        };
        client.set_up(recipe)?;
        Ok(client)
    }

    fn set_up(&mut self, recipe: &Recipe) -> Result<(), ClientError> {
        self.tell(&[self.conversation.greeting().into()])?;
        self.await_signal(&Heard::Greeted, "greeting", self.patience)?;
        let settings = self.conversation.settings(recipe);
        self.tell(&settings)?;
        self.tell(&[self.conversation.prepare().into()])?;
        self.await_signal(&Heard::Ready, "readiness", self.patience)?;
        if !settings.is_empty() {
            let complaints = self.take_complaints().into_iter();
            self.refused
                .extend(complaints.map(|told| format!("refuses a setting: {told}")));
        }
        match self.ping(PING_TRIAL.min(self.patience)) {
            Err(ClientError::Silent { .. }) => self.answers_ping = false,
            other => other?,
        }
        self.complaints.clear();
        Ok(())
    }

    /// What the engine calls itself; empty if it did not say.
    #[must_use]
    pub fn name(&self) -> &str {
        self.conversation.name()
    }

    /// The settings asked for that the engine does not have, does not take by what it declares,
    /// or complained of; each continues a sentence that begins with its name.
    #[must_use]
    pub fn refused_settings(&self) -> Vec<String> {
        let declared = self.conversation.refused().iter();
        declared.chain(&self.refused).cloned().collect()
    }

    /// Whether the engine has told its options, or refused one itself: then what it does not take
    /// is known, otherwise only suspected.
    #[must_use]
    pub fn knows_settings(&self) -> bool {
        self.conversation.declares_options() || !self.refused.is_empty()
    }

    /// What the engine has complained of since this was asked last: the first eight lines, cut to
    /// 200 characters.
    pub fn take_complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.complaints)
    }

    /// Announces a new game, and waits until the engine has cleared its memory, so that the
    /// first move's clock does not pay for it.
    ///
    /// # Errors
    ///
    /// [`ClientError`] if the engine has ended or stays silent.
    pub fn new_game(&mut self) -> Result<(), ClientError> {
        self.tell(&[self.conversation.new_game().into()])?;
        if self.answers_ping {
            self.ping(self.patience)?;
        }
        Ok(())
    }

    fn ping(&mut self, patience: Duration) -> Result<(), ClientError> {
        self.tell(&[self.conversation.ping().into()])?;
        self.await_signal(&Heard::Ready, "answer to a ping", patience)
    }

    /// Lets the engine search for a move in the game's position.
    ///
    /// # Errors
    ///
    /// [`ClientError::Silent`] if there is no answer within `limit`, [`ClientError::Ended`] if
    /// the engine ends before it answers.
    pub fn think(
        &mut self,
        game: &Game,
        budget: &Budget,
        limit: Duration,
    ) -> Result<Thought, ClientError> {
        let request = self.conversation.search(game, budget);
        for line in self.process.unread() {
            self.understand(&line);
        }
        let began = Instant::now();
        self.tell(&request)?;
        let mut info = Info::default();
        loop {
            let (heard, at) = self.hear(began, limit, "move")?;
            match heard {
                Heard::Info(news) => info.update(&news),
                Heard::Done(answer) => {
                    // How long our own thread took to get its turn is not the engine's time.
                    let asked = self.process.last_write().max(began);
                    return Ok(Thought {
                        answer,
                        info,
                        elapsed: at.saturating_duration_since(asked),
                    });
                }
                _ => {}
            }
        }
    }

    fn tell(&mut self, lines: &[String]) -> Result<(), ClientError> {
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        if self.process.write(text) {
            Ok(())
        } else {
            Err(self.ended())
        }
    }

    fn await_signal(
        &mut self,
        signal: &Heard,
        what: &'static str,
        patience: Duration,
    ) -> Result<(), ClientError> {
        let began = Instant::now();
        while self.hear(began, patience, what)?.0 != *signal {}
        Ok(())
    }

    /// The next thing that the engine says, with the time of its arrival.
    fn hear(
        &mut self,
        began: Instant,
        limit: Duration,
        what: &'static str,
    ) -> Result<(Heard, Instant), ClientError> {
        let silent = ClientError::Silent {
            what,
            waited: limit,
        };
        let deadline = began + limit;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(ClientError::Interrupted);
            }
            match self.process.read(deadline.min(Instant::now() + POLL)) {
                Some(Event::Line(_, at)) if at > deadline => return Err(silent),
                Some(Event::Line(line, at)) => return Ok((self.understand(&line), at)),
                Some(Event::Closed) => return Err(self.ended()),
                None if Instant::now() >= deadline => return Err(silent),
                None => {}
            }
        }
    }

    /// Understands a line, and keeps it if it is a complaint.
    fn understand(&mut self, line: &str) -> Heard {
        let heard = self.conversation.hear(line);
        if let Heard::Complaint(text) = &heard
            && self.complaints.len() < COMPLAINTS
        {
            let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
            self.complaints.push(plain.take(COMPLAINT_LENGTH).collect());
        }
        heard
    }

    fn ended(&mut self) -> ClientError {
        let (status, said) = self.process.obituary();
        ClientError::Ended { status, said }
    }
}

impl Drop for Client {
    /// Asks the engine to leave; `Process` sees to it that it does.
    fn drop(&mut self) {
        self.process.write("quit\n".into());
    }
}
