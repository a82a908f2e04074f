//! JSON lines for programs: a position in, its analysis out.
//!
//! Each line in is one object, and gets exactly one object back, in the order of asking; with
//! `progress` further ones come before it, which have a `depth` and no `fen`. Unlike in a
//! [`crate::session`], a request waits for the one before it. [`forms`] holds what other commands
//! write too. Start reading at [`Request`], then [`serve`].

pub mod forms;

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
    /// The move to play; `null` when the game is lost.
    best: Option<String>,
    /// The reply to expect, if the game goes on.
    ponder: Option<String>,
    /// From the best line down.
    lines: Vec<Line>,
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
    Ok(Desk { out, player, lines }.run()?)
}

struct Desk<W> {
    out: W,
    player: Player,
    lines: Receiver<lines::Line>,
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
        let mut waiting = None;
        while let Some(line) = waiting.take().or_else(|| self.lines.recv().ok()) {
            match read(&line) {
                Ok(None) => {}
                Ok(Some((task, forget))) => {
                    if forget {
                        self.player.new_game();
                    }
                    waiting = self.answer(task)?;
                }
                Err((id, error)) => self.say(&Refusal { id, error })?,
            }
        }
        Ok(())
    }

    /// Searches and answers; the request that came meanwhile waits and is returned.
    fn answer(&mut self, task: Task) -> io::Result<Option<lines::Line>> {
        if !task.game.position().can_move() {
            self.say(&analysis(task, None, None, Vec::new()))?;
            return Ok(None);
        }
        let mut search = self.player.go(task.game.clone(), task.limits);
        let (events, mut lines) = (self.player.events(), self.lines.clone());
        let mut waiting = None;
        loop {
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
                        self.conclude(task, &search, &answer)?;
                        return Ok(waiting);
                    }
                    Ok(Event::Fault(error) | Event::Damage(error)) => {
                        let id = task.id.clone();
                        self.say(&Refusal { id, error })?;
                    }
                    Err(_) => return Ok(waiting),
                },
                recv(lines) -> line => match line {
                    Ok(line) if is_stop(&line) => self.player.stop(),
                    // A request, or the end: nothing more is read before it has its turn.
                    line => {
                        waiting = line.ok();
                        lines = never();
                    }
                },
            }
        }
    }

    fn conclude(&mut self, task: Task, search: &Search, answer: &Answer) -> io::Result<()> {
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
        self.say(&analysis(task, best, ponder, told))
    }

    /// In one piece, so that no reader sees half a line.
    fn say(&mut self, object: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(object).map_err(io::Error::from)?;
        self.out.write_all(format!("{text}\n").as_bytes())?;
        self.out.flush()
    }
}

fn analysis(
    task: Task,
    best: Option<String>,
    ponder: Option<String>,
    lines: Vec<Line>,
) -> Analysis {
    Analysis {
        standing: Standing::of(&task.game, task.notation),
        id: task.id,
        best,
        ponder,
        lines,
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
