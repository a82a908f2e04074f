//! The state machine between a client and the engine: one for all dialects.
//!
//! Owns the engine, the state of the search, and the promise that every search is answered
//! exactly once and before anything about the next position. Generic over the streams, so that
//! tests run it in process. Knows no dialect's words. Start reading at [`serve`], then
//! `Session::on_request`.

use std::io::{self, BufReader, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::Receiver;
use crossbeam::select;
use engine::engine::EngineOptions;
use engine::eval::Evaluator;
use engine::rules::{Game, Move};
use engine::score::Bound;
use engine::search::{Answer, HashError, Limits, Report};
use engine::tablebase::{FileError, Tablebase};
use thiserror::Error;

use crate::cb::{self, Cb};
use crate::databases::Wanted;
use crate::dialect::Dialect;
use crate::error::{ProtocolError, excerpt};
use crate::hub::Hub;
use crate::hub::reading::Reading;
use crate::lines::{Line, Lines};
use crate::message::{Choice, Codec, Question, Reply, Request, Setting, Value};
use crate::player::{Event, Player, Search};
use crate::ugi::Ugi;

/// How long the answer of a search is waited for when the session ends.
const FAREWELL: Duration = Duration::from_millis(50);

/// How often a search that ought to answer is looked after.
const POLL: Duration = Duration::from_millis(10);

/// Kept between lines for clients that need it (see [`Codec::spaces_lines`]).
const SPACE: Duration = Duration::from_millis(1);

/// How a session begins.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The dialect; `None` lets the first line choose.
    pub dialect: Option<Dialect>,
    /// The reading of Hub positions that leave it open.
    pub guess: Reading,
    /// Table size and threads before the client sets them.
    pub engine: EngineOptions,
    /// Endgame databases before the client sets them.
    pub tablebase: Wanted,
}

/// The defaults of an engine, in whatever dialect comes, without endgame databases.
impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            dialect: None,
            guess: Reading::Plain,
            engine: EngineOptions::default(),
            tablebase: Wanted::Off,
        }
    }
}

fn codec(dialect: Dialect, guess: Reading) -> Box<dyn Codec> {
    match dialect {
        Dialect::Hub => Box::new(Hub::new(guess)),
        Dialect::Cb => Box::new(Cb::default()),
        Dialect::Ugi => Box::new(Ugi::default()),
    }
}

/// The dialect that a line leaves no doubt about.
fn dialect_of(line: &str) -> Option<Dialect> {
    let command = line.split_whitespace().next()?;
    match command {
        "hub" | "init" | "set-param" | "new-game" | "pos" | "level" => Some(Dialect::Hub),
        "ugi" | "isready" | "uginewgame" | "setoption" | "position" | "query" => Some(Dialect::Ugi),
        _ => cb::is_own(line).then_some(Dialect::Cb),
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
    /// The endgame databases cannot be opened.
    #[error(transparent)]
    Databases(#[from] FileError),
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
    let lines = Lines::new(BufReader::new(reader)).on_a_thread()?;
    Ok(Session::new(writer, options)?.run(&lines)?)
}

/// A search with what the client was told of it.
struct Running {
    search: Search,
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
    codec: Box<dyn Codec>,
    /// Whether the first line that tells still has to come.
    undecided: bool,
    guess: Reading,
    player: Player,
    /// The game to search next; `None` after a position that could not be read.
    game: Option<Game>,
    /// A search that has not been answered yet.
    running: Option<Running>,
}

impl<W: Write> Session<W> {
    fn new(out: W, options: &SessionOptions) -> Result<Self, SessionError> {
        let dialect = options.dialect.unwrap_or_default();
        let mut player = Player::new(options.engine)?;
        player.open(&options.tablebase)?;
        Ok(Self {
            out,
            last_line: Instant::now(),
            codec: codec(dialect, options.guess),
            undecided: options.dialect.is_none(),
            guess: options.guess,
            player,
            game: Some(Game::default()),
            running: None,
        })
    }

    fn run(mut self, lines: &Receiver<Line>) -> io::Result<()> {
        let events = self.player.events();
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
            && let Some(dialect) = dialect_of(text)
        {
            self.undecided = false;
            self.codec = codec(dialect, self.guess);
        }
        match self.codec.decode(text) {
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
                let settings = self.player.settings();
                self.say(&Reply::Identity(&settings))
            }
            Request::Prepare => {
                self.end_search(None)?;
                self.say(&Reply::Ready)
            }
            Request::Ping => self.say(&Reply::Pong),
            Request::NewGame => {
                self.end_search(None)?;
                self.player.new_game();
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
                self.player.ponder_hit();
                Ok(())
            }
            Request::Stop => {
                self.player.stop();
                Ok(())
            }
            Request::Set(setting) => self.set(setting),
            Request::Ask(question) => self.tell(question),
        }
    }

    fn go(&mut self, limits: Limits) -> io::Result<()> {
        self.end_search(None)?;
        let Some(game) = self.game.clone() else {
            self.say(&Reply::Fault(&ProtocolError::NoPosition))?;
            return self.say(&Reply::Done(&Game::default(), &Choice::default()));
        };
        if !game.position().can_move() {
            return self.say(&Reply::Done(&game, &Choice::default()));
        }
        let search = self.player.go(game, limits);
        self.running = Some(Running { search, told: None });
        Ok(())
    }

    /// Ends a running search and passes its answer on. With a `limit` to the waiting, a search
    /// that does not answer is given up.
    fn end_search(&mut self, limit: Option<Duration>) -> io::Result<()> {
        if self.running.is_some() {
            self.player.stop();
        }
        let end = limit.map(|limit| Instant::now() + limit);
        while self.running.is_some() {
            match self.player.events().recv_timeout(POLL) {
                Ok(event) => self.on_event(event)?,
                Err(_) if end.is_some_and(|end| Instant::now() >= end) => return Ok(()),
                Err(_) if self.player.is_searching() => {}
                // The search has ended: whatever it had to say waits, and belongs to this search.
                Err(_) => return self.hear_the_last(),
            }
        }
        Ok(())
    }

    fn hear_the_last(&mut self) -> io::Result<()> {
        while let Ok(event) = self.player.events().try_recv() {
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
            Event::Damage(what) => self.say(&Reply::Fault(&ProtocolError::Damaged(what))),
        }
    }

    fn on_report(&mut self, report: &Report) -> io::Result<()> {
        let Some(mut running) = self.running.take() else {
            return Ok(());
        };
        running.search.hear(report);
        let is_shown = report.line == 1 && report.bound == Bound::Exact && !report.pv.is_empty();
        if is_shown {
            running.told = report.pv.first().copied();
            self.say(&Reply::Info(running.search.game(), report))?;
        }
        self.running = Some(running);
        Ok(())
    }

    fn on_answer(&mut self, running: &Running, answer: Answer) -> io::Result<()> {
        let choice = self.player.choose(&running.search, &answer);
        if running.told != choice.best {
            self.inform(&running.search, &choice, answer.report)?;
        }
        self.say(&Reply::Done(running.search.game(), &choice))
    }

    /// Says a score and a line for a move that nothing was said about yet.
    fn inform(&mut self, search: &Search, choice: &Choice, last: Report) -> io::Result<()> {
        let known = choice.best.and_then(|best| search.line_of(best));
        let mut report = known.cloned().unwrap_or(last);
        if report.pv.is_empty() {
            report.pv.extend(choice.best);
        }
        self.say(&Reply::Info(search.game(), &report))
    }

    fn set(&mut self, setting: Setting) -> io::Result<()> {
        self.end_search(None)?;
        match self.player.set(setting.clone()) {
            Ok(()) => self.say(&Reply::Changed(setting)),
            Err(error) => self.say(&Reply::Fault(&error)),
        }
    }

    fn tell(&mut self, question: Question) -> io::Result<()> {
        let game = self.game.clone().unwrap_or_default();
        let value = match question {
            Question::Hash => Value::Number(self.player.settings().hash_mb),
            Question::Threads => Value::Number(self.player.settings().threads),
            Question::DatabasePieces => {
                let tablebase = self.player.tablebase();
                Value::Number(tablebase.map_or(0, Tablebase::most_pieces) as usize)
            }
            Question::DatabasesAreUsed => {
                Value::Number(usize::from(self.player.tablebase().is_some()))
            }
            Question::DatabaseFolders => Value::Text(self.player.wanted().to_string()),
            Question::DatabaseCache => Value::Number(self.player.settings().tablebase_mb),
            Question::GameOver => Value::Truth(game.outcome().is_some()),
            Question::BlackToMove => {
                Value::Truth(game.position().turn() == engine::board::Color::Black)
            }
            Question::Outcome => Value::Outcome(game.outcome()),
            Question::Board => Value::Board(game.position()),
            Question::Evaluation(position) => {
                let position = position.unwrap_or(game.position());
                Value::Score(position, Evaluator::default().evaluate_alone(&position))
            }
        };
        self.say(&Reply::Value(question, value))
    }

    /// Writes a reply, each line flushed by itself.
    fn say(&mut self, reply: &Reply<'_>) -> io::Result<()> {
        let spaced =
            self.codec.spaces_lines() && !matches!(reply, Reply::Info(..) | Reply::Done(..));
        let (out, last_line) = (&mut self.out, &mut self.last_line);
        let mut result = Ok(());
        self.codec.encode(reply, &mut |line| {
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
