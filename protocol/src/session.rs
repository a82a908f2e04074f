//! The state machine between a client and the engine: one for all dialects.
//!
//! Owns the engine, the state of the search, and the promise that every search is answered
//! exactly once and before anything about the next position. Generic over the streams, so that
//! tests run it in process. Knows no dialect's words. Start reading at [`serve`], then
//! `Session::on_request`.

use std::io::{self, BufReader, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use crossbeam::select;
use engine::engine::{Engine, EngineOptions};
use engine::eval::Evaluator;
use engine::rules::{Game, Move};
use engine::score::Bound;
use engine::search::{Answer, HashError, Limits, Observer, Report};
use thiserror::Error;

use crate::cb::{self, Cb};
use crate::choice::{Lines as Candidates, Taste};
use crate::error::{ProtocolError, excerpt};
use crate::hub::Hub;
use crate::hub::reading::Reading;
use crate::lines::{Line, Lines};
use crate::message::{Choice, Dialect, Question, Reply, Request, Setting, Settings, Value};
use crate::ugi::Ugi;

/// Lines that may wait to be read; beyond that the client has to.
const LINES_WAITING: usize = 16;

/// How long the answer of a search is waited for when the session ends.
const FAREWELL: Duration = Duration::from_millis(50);

/// How often a search that ought to answer is looked after.
const POLL: Duration = Duration::from_millis(10);

/// Kept between lines for clients that need it (see [`Dialect::spaces_lines`]).
const SPACE: Duration = Duration::from_millis(1);

/// The root moves that are rated when the choice is not only the best one.
const LINES_FOR_VARIETY: usize = 6;

/// How a session begins.
#[derive(Clone, Copy, Debug)]
pub struct SessionOptions {
    /// The dialect; `None` lets the first line choose.
    pub dialect: Option<Speech>,
    /// The reading of Hub positions that leave it open.
    pub guess: Reading,
    /// Table size and threads before the client sets them.
    pub engine: EngineOptions,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            dialect: None,
            guess: Reading::Plain,
            engine: EngineOptions::default(),
        }
    }
}

/// The dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// Hub version 2.
    Hub,
    /// CheckerBoard's text commands.
    Cb,
    /// UGI.
    Ugi,
}

impl Speech {
    fn dialect(self, guess: Reading) -> Box<dyn Dialect> {
        match self {
            Self::Hub => Box::new(Hub::new(guess)),
            Self::Cb => Box::new(Cb::default()),
            Self::Ugi => Box::new(Ugi::default()),
        }
    }

    /// The dialect that a line leaves no doubt about.
    fn of(line: &str) -> Option<Self> {
        let command = line.split_whitespace().next()?;
        match command {
            "hub" | "init" | "set-param" | "new-game" | "pos" | "level" => Some(Self::Hub),
            "ugi" | "isready" | "uginewgame" | "setoption" | "position" | "query" => {
                Some(Self::Ugi)
            }
            _ => cb::is_own(line).then_some(Self::Cb),
        }
    }
}

/// Why a session could not begin or go on.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The output cannot be written; of kind [`io::ErrorKind::BrokenPipe`] if the client has
    /// closed it, which is a quiet end.
    #[error("cannot write to the client: {0}")]
    Output(#[from] io::Error),
    /// The engine's memory cannot be had.
    #[error(transparent)]
    Hash(#[from] HashError),
}

/// Talks with a client until it leaves or its input ends.
///
/// # Errors
///
/// [`SessionError`].
pub fn serve<R, W>(reader: R, writer: W, options: &SessionOptions) -> Result<(), SessionError>
where
    R: Read + Send + 'static,
    W: Write,
{
    let (sender, lines) = bounded(LINES_WAITING);
    // Never joined: it may be blocked in a read that nothing ends.
    thread::Builder::new().name("input".into()).spawn(move || {
        for line in Lines::new(BufReader::new(reader)) {
            if sender.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(Session::new(writer, options)?.run(&lines)?)
}

/// What a search tells the session.
enum Event {
    Report(Report),
    Answer(Answer),
    Fault(String),
}

/// Carries reports from the search's thread to the session's.
struct Courier(Sender<Event>);

impl Observer for Courier {
    fn report(&mut self, report: &Report) {
        // A session that has ended does not listen any more.
        let _ = self.0.send(Event::Report(report.clone()));
    }

    fn answer(&mut self, answer: &Answer) {
        let _ = self.0.send(Event::Answer(answer.clone()));
    }

    fn fault(&mut self, what: &str) {
        let _ = self.0.send(Event::Fault(what.into()));
    }
}

/// A search that has not been answered yet.
struct Running {
    game: Game,
    candidates: Candidates,
    taste: Taste,
    /// The first move of the latest line that the client was told.
    told: Option<Move>,
}

enum Next {
    Go,
    Leave,
}

/// One client's session.
struct Session<W> {
    out: W,
    last_line: Instant,
    dialect: Box<dyn Dialect>,
    /// Whether the first line that tells still has to come.
    undecided: bool,
    guess: Reading,
    engine: Engine,
    settings: Settings,
    random: fastrand::Rng,
    /// The game to search next; `None` after a position that could not be read.
    game: Option<Game>,
    running: Option<Running>,
    sender: Sender<Event>,
    events: Receiver<Event>,
}

impl<W: Write> Session<W> {
    fn new(out: W, options: &SessionOptions) -> Result<Self, HashError> {
        let engine = Engine::new(options.engine)?;
        let (sender, events) = unbounded();
        let settings = Settings {
            hash_mb: engine.hash_mb(),
            threads: engine.threads(),
            variety: 0,
            seed: 0,
        };
        Ok(Self {
            out,
            last_line: Instant::now(),
            dialect: options
                .dialect
                .unwrap_or(Speech::Hub)
                .dialect(options.guess),
            undecided: options.dialect.is_none(),
            guess: options.guess,
            engine,
            settings,
            random: fastrand::Rng::new(),
            game: Some(Game::default()),
            running: None,
            sender,
            events,
        })
    }

    fn run(mut self, lines: &Receiver<Line>) -> io::Result<()> {
        let events = self.events.clone();
        loop {
            select! {
                recv(events) -> event => if let Ok(event) = event {
                    self.on_event(event)?;
                },
                recv(lines) -> line => match line {
                    Ok(line) => if let Next::Leave = self.on_line(line)? {
                        break;
                    },
                    Err(_) => break,
                },
            }
        }
        self.end_search(Some(FAREWELL))
    }

    fn on_line(&mut self, line: Line) -> io::Result<Next> {
        let Line::Text(text) = line else {
            self.say(&Reply::Fault(&ProtocolError::LineTooLong))?;
            return Ok(Next::Go);
        };
        // Some editors and shells put a byte-order mark before the first line of what they send.
        let text = text.trim_start_matches('\u{FEFF}');
        if self.undecided
            && let Some(speech) = Speech::of(text)
        {
            self.undecided = false;
            self.dialect = speech.dialect(self.guess);
        }
        match self.dialect.decode(text) {
            Ok(Request::Quit) => return Ok(Next::Leave),
            Ok(request) => self.on_request(request)?,
            Err(error) => self.on_error(&error)?,
        }
        Ok(Next::Go)
    }

    fn on_error(&mut self, error: &ProtocolError) -> io::Result<()> {
        if matches!(error, ProtocolError::BadPosition(_)) {
            self.end_search(None)?;
            self.game = None;
        }
        self.say(&Reply::Fault(error))
    }

    /// Whatever concerns another position or the engine ends a running search first, with its
    /// answer; so no answer can be taken for one about the new board.
    fn on_request(&mut self, request: Request) -> io::Result<()> {
        match request {
            Request::Nothing | Request::Quit => Ok(()),
            Request::Say(text) => self.say(&Reply::Text(&text)),
            Request::Identify => {
                let settings = self.settings;
                self.say(&Reply::Identity(&settings))
            }
            Request::Prepare => {
                self.end_search(None)?;
                self.say(&Reply::Ready)
            }
            Request::Ping => self.say(&Reply::Pong),
            Request::NewGame => {
                self.end_search(None)?;
                self.engine.new_game();
                self.game = Some(Game::default());
                Ok(())
            }
            Request::Position(game, fault) => {
                self.end_search(None)?;
                self.game = Some(*game);
                fault.map_or(Ok(()), |fault| self.say(&Reply::Fault(&fault)))
            }
            Request::Go(limits) => self.go(limits),
            Request::PonderHit => {
                self.engine.ponder_hit();
                Ok(())
            }
            Request::Stop => {
                self.engine.stop();
                Ok(())
            }
            Request::Set(setting) => self.set(setting),
            Request::Ask(question) => self.tell(question),
        }
    }

    fn go(&mut self, mut limits: Limits) -> io::Result<()> {
        self.end_search(None)?;
        let Some(game) = self.game.clone() else {
            self.say(&Reply::Fault(&ProtocolError::NoPosition))?;
            return self.say(&Reply::Done(&Game::default(), &Choice::default()));
        };
        if !game.position().can_move() {
            return self.say(&Reply::Done(&game, &Choice::default()));
        }
        let taste = Taste::within(self.settings.variety);
        if taste.is_choosy() {
            limits.lines = limits.lines.max(LINES_FOR_VARIETY);
        }
        self.engine.set_game(game.clone());
        self.engine
            .go(limits, Box::new(Courier(self.sender.clone())));
        let candidates = Candidates::default();
        self.running = Some(Running {
            game,
            candidates,
            taste,
            told: None,
        });
        Ok(())
    }

    /// Ends a running search and passes its answer on. With a `limit` to the waiting, a search
    /// that does not answer is given up.
    fn end_search(&mut self, limit: Option<Duration>) -> io::Result<()> {
        if self.running.is_some() {
            self.engine.stop();
        }
        let end = limit.map(|limit| Instant::now() + limit);
        while self.running.is_some() {
            match self.events.recv_timeout(POLL) {
                Ok(event) => self.on_event(event)?,
                Err(_) if end.is_some_and(|end| Instant::now() >= end) => return Ok(()),
                Err(_) if self.engine.is_searching() => {}
                // The search has ended: whatever it had to say waits, and belongs to this search.
                Err(_) => return self.hear_the_last(),
            }
        }
        Ok(())
    }

    fn hear_the_last(&mut self) -> io::Result<()> {
        while let Ok(event) = self.events.try_recv() {
            self.on_event(event)?;
        }
        self.running = None;
        Ok(())
    }

    fn on_event(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Report(report) => self.on_report(&report),
            Event::Answer(answer) => match self.running.take() {
                Some(running) => self.on_answer(&running, answer),
                None => Ok(()),
            },
            Event::Fault(what) => {
                let error = ProtocolError::SearchFailed(excerpt(&what));
                self.say(&Reply::Fault(&error))
            }
        }
    }

    fn on_report(&mut self, report: &Report) -> io::Result<()> {
        let Some(mut running) = self.running.take() else {
            return Ok(());
        };
        running.candidates.add(report);
        let is_shown = report.line == 1 && report.bound == Bound::Exact && !report.pv.is_empty();
        if is_shown {
            running.told = report.pv.first().copied();
            self.say(&Reply::Info(&running.game, report))?;
        }
        self.running = Some(running);
        Ok(())
    }

    fn on_answer(&mut self, running: &Running, answer: Answer) -> io::Result<()> {
        let best = Choice {
            best: answer.best,
            ponder: answer.ponder,
            score: answer.report.score,
        };
        let choice = running
            .candidates
            .choose(running.taste, best, &mut self.random);
        if running.told != choice.best {
            self.inform(running, &choice, answer.report)?;
        }
        let choice = Choice {
            ponder: playable_ponder(&running.game, &choice),
            ..choice
        };
        self.say(&Reply::Done(&running.game, &choice))
    }

    /// Says a score and a line for a move that nothing was said about yet.
    fn inform(&mut self, running: &Running, choice: &Choice, last: Report) -> io::Result<()> {
        let known = choice.best.and_then(|best| running.candidates.of(best));
        let mut report = known.cloned().unwrap_or(last);
        if report.pv.is_empty() {
            report.pv.extend(choice.best);
        }
        self.say(&Reply::Info(&running.game, &report))
    }

    fn set(&mut self, setting: Setting) -> io::Result<()> {
        self.end_search(None)?;
        match setting {
            Setting::Hash(mb) if !(1..=Settings::MOST_HASH).contains(&mb) => {
                let (most, in_use) = (Settings::MOST_HASH, self.settings.hash_mb);
                let error = ProtocolError::BadValue(format!(
                    "hash: expected 1 to {most}, found {mb}; {in_use} MB are in use"
                ));
                return self.say(&Reply::Fault(&error));
            }
            Setting::Hash(mb) => match self.engine.set_hash_mb(mb) {
                Ok(mb) => self.settings.hash_mb = mb,
                Err(error) => {
                    self.settings.hash_mb = error.in_use;
                    let error = ProtocolError::BadValue(error.to_string());
                    return self.say(&Reply::Fault(&error));
                }
            },
            Setting::Threads(threads) => self.settings.threads = self.engine.set_threads(threads),
            Setting::Variety(variety) => self.settings.variety = variety,
            Setting::Seed(seed) => {
                self.settings.seed = seed;
                self.random = match seed {
                    0 => fastrand::Rng::new(),
                    seed => fastrand::Rng::with_seed(seed),
                };
            }
        }
        self.say(&Reply::Changed(setting))
    }

    fn tell(&mut self, question: Question) -> io::Result<()> {
        let game = self.game.clone().unwrap_or_default();
        let value = match question {
            Question::Hash => Value::Number(self.settings.hash_mb),
            Question::Threads => Value::Number(self.settings.threads),
            Question::GameOver => Value::Truth(game.outcome().is_some()),
            Question::BlackToMove => {
                Value::Truth(game.position().turn() == engine::board::Color::Black)
            }
            Question::Outcome => Value::Outcome(game.outcome()),
            Question::Board => Value::Board(game.position()),
            Question::Evaluation(position) => {
                let position = position.unwrap_or(game.position());
                Value::Score(position, Evaluator::new().evaluate(&position))
            }
        };
        self.say(&Reply::Value(question, value))
    }

    /// Writes a reply, each line flushed by itself.
    fn say(&mut self, reply: &Reply<'_>) -> io::Result<()> {
        let spaced =
            self.dialect.spaces_lines() && !matches!(reply, Reply::Info(..) | Reply::Done(..));
        let (out, last_line) = (&mut self.out, &mut self.last_line);
        let mut result = Ok(());
        self.dialect.encode(reply, &mut |line| {
            if result.is_ok() {
                let pause = SPACE.saturating_sub(last_line.elapsed());
                if spaced && !pause.is_zero() {
                    thread::sleep(pause);
                }
                result = write_line(out, line);
                *last_line = Instant::now();
            }
        });
        result
    }
}

/// In one piece, so that no reader sees half a line.
fn write_line(out: &mut impl Write, line: &str) -> io::Result<()> {
    out.write_all(format!("{line}\n").as_bytes())?;
    out.flush()
}

/// The expected reply, if it is legal and the game goes on after it.
fn playable_ponder(game: &Game, choice: &Choice) -> Option<Move> {
    let mut game = game.clone();
    game.play(choice.best?).ok()?;
    let ponder = choice.ponder?;
    if game.outcome().is_some() {
        return None;
    }
    game.play(ponder).ok()?;
    game.outcome().is_none().then_some(ponder)
}
