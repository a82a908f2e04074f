//! JSON lines for programs: a position in, its analysis out.
//!
//! Each line in is one object, and gets exactly one object back, in the order of asking; with
//! `progress` further ones come before it, which have a `depth` and no `fen`. Unlike in a
//! [`crate::session`], a request waits for the one before it. [`forms`] holds what other commands
//! write too. Start reading at [`Request`], then [`serve`].

pub mod forms;

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::time::Duration;

use crossbeam::channel::{Receiver, never};
use crossbeam::select;
use engine::engine::EngineOptions;
use engine::notation::{Notation, moves, pdn, read_position};
use engine::rules::Game;
use engine::score::{Bound, Depth};
use engine::search::{Answer, Limits, Report};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::forms::{Line, Standing};
use crate::databases::Wanted;
use crate::error::excerpt;
use crate::lines::{self, Lines};
use crate::player::{Event, Player, Search};
use crate::session::SessionError;

/// What is searched where nothing bounds it.
const UNBOUNDED: Duration = Duration::from_secs(1);

/// The longest search for time, in seconds.
const LONGEST: f64 = 1e6;

/// Requests that wait are kept up to so many bytes (and one line more); beyond that they are not
/// read before their turn, and neither is a `stop` behind them.
pub const MOST_WAITING: usize = 16 << 20;

/// What a client asks. Every key may be left out; one that is not known is an error.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// Anything; it comes back with the answer.
    id: Value,
    /// FEN, PDN or a printed board; the start position without it.
    position: Option<String>,
    /// Moves to play from there, in one string or a list.
    moves: Moves,
    /// Seconds, more than 0.
    time: Option<f64>,
    /// Plies, 1 to 200.
    depth: Option<i16>,
    /// Positions to search, from 1.
    nodes: Option<u64>,
    /// How many best moves to tell of, 1 to 128.
    lines: Option<usize>,
    /// `numeric` or `algebraic`.
    notation: Option<String>,
    /// Whether to tell of each iteration.
    progress: bool,
    /// Whether to forget what was learnt before.
    forget: bool,
    /// End the search that runs, with its answer; this has no answer of its own.
    stop: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Moves {
    Text(String),
    List(Vec<String>),
}

impl Default for Moves {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

/// The object that answers a request.
#[derive(Debug, Serialize)]
struct Analysis {
    id: Value,
    #[serde(flatten)]
    standing: Standing,
    #[serde(flatten)]
    told: Told,
}

/// What a search has found; nothing where the game is lost.
#[derive(Debug, Default, Serialize)]
struct Told {
    /// The move to play; `null` when the game is lost.
    best: Option<String>,
    /// The reply to expect, if the game goes on.
    ponder: Option<String>,
    /// From the best line down.
    lines: Vec<Line>,
    /// What went wrong on the way without keeping the answer from coming.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// What `progress` brings before the answer.
#[derive(Debug, Serialize)]
struct Progress<'a> {
    id: &'a Value,
    #[serde(flatten)]
    line: Line,
}

#[derive(Debug, Serialize)]
struct Refusal {
    id: Value,
    /// What was expected, what was found, and where.
    error: String,
}

/// Answers requests until the input ends, those that wait included.
///
/// # Errors
///
/// [`SessionError`].
pub fn serve<R, W>(
    reader: R,
    out: W,
    options: EngineOptions,
    tablebase: &Wanted,
) -> Result<(), SessionError>
where
    R: Read + Send + 'static,
    W: Write,
{
    let lines = Lines::new(BufReader::new(reader)).on_a_thread()?;
    let mut player = Player::new(options)?;
    player.open(tablebase)?;
    let waiting = Waiting::default();
    let desk = Desk {
        out,
        player,
        lines,
        waiting,
    };
    Ok(desk.run()?)
}

/// Lines that came during a search, in order.
#[derive(Default)]
struct Waiting {
    lines: VecDeque<lines::Line>,
    bytes: usize,
}

impl Waiting {
    fn is_full(&self) -> bool {
        self.bytes >= MOST_WAITING
    }

    fn push(&mut self, line: lines::Line) {
        self.bytes += cost(&line);
        self.lines.push_back(line);
    }

    fn pop(&mut self) -> Option<lines::Line> {
        let line = self.lines.pop_front()?;
        self.bytes -= cost(&line);
        Some(line)
    }
}

/// The bytes that a waiting line takes.
fn cost(line: &lines::Line) -> usize {
    let text = match line {
        lines::Line::Text(text) => text.len(),
        lines::Line::TooLong => 0,
    };
    text + size_of::<lines::Line>()
}

struct Desk<W> {
    out: W,
    player: Player,
    lines: Receiver<lines::Line>,
    waiting: Waiting,
}

/// A request that can be met.
struct Task {
    id: Value,
    game: Game,
    limits: Limits,
    notation: Notation,
    progress: bool,
}

impl<W: Write> Desk<W> {
    fn run(mut self) -> io::Result<()> {
        while let Some(line) = self.waiting.pop().or_else(|| self.lines.recv().ok()) {
            match read(&line) {
                Ok(None) => {}
                Ok(Some((task, forget))) => {
                    if forget {
                        self.player.new_game();
                    }
                    self.answer(task)?;
                }
                Err((id, error)) => self.say(&Refusal { id, error })?,
            }
        }
        Ok(())
    }

    /// Searches and answers; requests that come meanwhile wait.
    fn answer(&mut self, task: Task) -> io::Result<()> {
        if !task.game.position().can_move() {
            return self.say(&analysis(task, Told::default()));
        }
        let mut search = self.player.go(task.game.clone(), task.limits);
        let (events, mut lines) = (self.player.events(), self.lines.clone());
        let mut warnings = Vec::new();
        loop {
            if self.waiting.is_full() {
                lines = never();
            }
            select! {
                recv(events) -> event => match event {
                    Ok(Event::Report(report)) => {
                        search.hear(&report);
                        let is_told = report.bound == Bound::Exact && !report.pv.is_empty();
                        if task.progress && is_told {
                            let line = Line::of(&report, task.game.position(), task.notation);
                            self.say(&Progress { id: &task.id, line })?;
                        }
                    }
                    Ok(Event::Answer(answer)) => {
                        return self.conclude(task, &search, &answer, &warnings);
                    }
                    Ok(Event::Fault(what) | Event::Damage(what)) => warnings.push(what),
                    Err(_) => return Ok(()),
                },
                recv(lines) -> line => match line {
                    Ok(line) if is_stop(&line) => self.player.stop(),
                    Ok(line) => self.waiting.push(line),
                    // The input has ended; what waits is answered.
                    Err(_) => lines = never(),
                },
            }
        }
    }

    fn conclude(
        &mut self,
        task: Task,
        search: &Search,
        answer: &Answer,
        warnings: &[String],
    ) -> io::Result<()> {
        let choice = self.player.choose(search, answer);
        let (position, notation) = (task.game.position(), task.notation);
        let line = |report: &Report| Line::of(report, position, notation);
        let mut told: Vec<Line> = search.lines(task.limits.lines).iter().map(line).collect();
        if told.is_empty() {
            told.push(line(&answer.report));
        }
        let best = choice.best.map(|mv| moves::write(mv, &position, notation));
        let ponder = choice
            .best
            .zip(choice.ponder)
            .map(|(best, ponder)| moves::write(ponder, &position.play(best), notation));
        let told = Told {
            best,
            ponder,
            lines: told,
            warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
        };
        self.say(&analysis(task, told))
    }

    /// In one piece, so that no reader sees half a line.
    fn say(&mut self, object: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(object).map_err(io::Error::from)?;
        self.out.write_all(format!("{text}\n").as_bytes())?;
        self.out.flush()
    }
}

fn analysis(task: Task, told: Told) -> Analysis {
    Analysis {
        standing: Standing::of(&task.game, task.notation),
        id: task.id,
        told,
    }
}

fn is_stop(line: &lines::Line) -> bool {
    let lines::Line::Text(text) = line else {
        return false;
    };
    serde_json::from_str::<Request>(text).is_ok_and(|request| request.stop)
}

/// The task of a line and whether to forget first; nothing for a blank line and a late `stop`.
fn read(line: &lines::Line) -> Result<Option<(Task, bool)>, (Value, String)> {
    let lines::Line::Text(text) = line else {
        let limit = lines::LONGEST_LINE;
        return Err((Value::Null, format!("line longer than {limit} bytes")));
    };
    let text = text.trim_start_matches('\u{FEFF}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    if !text.starts_with('{') {
        let found = excerpt(text);
        return Err((
            Value::Null,
            format!("expected a JSON object, found {found}"),
        ));
    }
    let request: Request =
        serde_json::from_str(text).map_err(|error| (id_of(text), error.to_string()))?;
    if request.stop {
        return Ok(None);
    }
    let (id, forget) = (request.id.clone(), request.forget);
    match task(request) {
        Ok(task) => Ok(Some((task, forget))),
        Err(error) => Err((id, error)),
    }
}

/// The id of an object that is wrong elsewhere.
fn id_of(text: &str) -> Value {
    let object = serde_json::from_str::<Value>(text).unwrap_or_default();
    object.get("id").cloned().unwrap_or_default()
}

fn task(request: Request) -> Result<Task, String> {
    let limits = limits(&request)?;
    let notation = match &request.notation {
        None => Notation::Numeric,
        Some(name) => name
            .parse()
            .map_err(|_| "notation: expected numeric or algebraic".to_owned())?,
    };
    let mut game = match request.position.as_deref().map(str::trim) {
        None | Some("start") => Game::default(),
        Some(text) => {
            let read = read_position(text).map_err(|error| format!("position: {error}"))?;
            read.game
        }
    };
    let played = match request.moves {
        Moves::Text(text) => text,
        Moves::List(list) => list.join(" "),
    };
    pdn::play_line(&played, &mut game).map_err(|error| format!("moves: {error}"))?;
    Ok(Task {
        id: request.id,
        game,
        limits,
        notation,
        progress: request.progress,
    })
}

fn limits(request: &Request) -> Result<Limits, String> {
    let within = |name: &str, is_good: bool, expected: &str| {
        let bad = format!("{name}: expected {expected}");
        if is_good { Ok(()) } else { Err(bad) }
    };
    let (time, depth) = (request.time, request.depth);
    let most_depth = Depth::MOST.0;
    let is_time = time.is_none_or(|time| time > 0.0 && time <= LONGEST);
    within("time", is_time, "seconds, more than 0 and at most 1000000")?;
    let is_depth = depth.is_none_or(|depth| (1..=most_depth).contains(&depth));
    within("depth", is_depth, "1 to 200")?;
    within("nodes", request.nodes != Some(0), "1 or more")?;
    let lines = request.lines.unwrap_or(1);
    let most_lines = engine::rules::MOST_MOVES;
    within("lines", (1..=most_lines).contains(&lines), "1 to 128")?;
    let unbounded = time.is_none() && depth.is_none() && request.nodes.is_none();
    Ok(Limits {
        depth: depth.map(Depth),
        nodes: request.nodes,
        move_time: time
            .map(Duration::from_secs_f64)
            .or(unbounded.then_some(UNBOUNDED)),
        analysis: true,
        lines,
        ..Limits::default()
    })
}
