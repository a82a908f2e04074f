//! Hub version 2, the protocol of Scan, of the Hub board, and of pydraughts.
//!
//! Owns Hub's syntax and vocabulary in both directions, and the level that `go` will use. Knows
//! nothing of threads or of the engine. Start reading at [`Hub`]; [`reading`] explains why one
//! position string can mean two boards.

mod board;
mod level;
mod line;
pub mod reading;

use engine::notation::moves::write_hub;
use engine::rules::{Game, Move};
use engine::score::{Score, Verdict};
use engine::search::Report;

pub use board::{read_position, write_position};
pub use level::Level;
pub use line::Line;

use crate::error::ProtocolError;
use crate::message::{Choice, Codec, Reply, Request, Setting, Settings};
use reading::{Boards, PosStyle, Reading};

/// Names of English draughts that the parameter `variant` takes; no name is standardised.
const VARIANTS: [&str; 4] = ["english", "american", "checkers", "normal"];

/// The dialect.
#[derive(Debug)]
pub struct Hub {
    boards: Boards,
    level: Level,
}

impl Hub {
    /// A fresh session; positions that leave their reading open are read by `guess`.
    #[must_use]
    pub fn new(guess: Reading) -> Self {
        Self {
            boards: Boards::new(guess),
            level: Level::default(),
        }
    }

    fn position(&mut self, line: &Line) -> Result<Request, ProtocolError> {
        let moves = line.value("moves").unwrap_or_default();
        let start = write_position(&Game::default().position());
        let letters = match line.value("pos") {
            Some(letters) => letters,
            None if line.has("start") => &start,
            None => return Err(ProtocolError::BadPosition("expected pos=".into())),
        };
        let replay = self.boards.read(letters, moves)?;
        Ok(Request::Position(Box::new(replay.game), replay.fault))
    }

    /// Each search brings its own level: what it does not use is forgotten.
    fn go(&mut self, line: &Line) -> Request {
        let level = std::mem::take(&mut self.level);
        Request::Go(if line.has("ponder") {
            level.pondering()
        } else if line.has("analyze") || line.has("analyse") {
            level.analysing()
        } else {
            level.thinking()
        })
    }

    /// Parameters that we do not have are accepted: lidraughts-bot sends every one it knows.
    fn set(&mut self, line: &Line) -> Result<Request, ProtocolError> {
        let name = line.value("name").ok_or(ProtocolError::MissingName)?;
        let value = line.value("value").unwrap_or_default();
        Ok(match name {
            "hash" => Request::Set(Setting::hash(name, value)?),
            "threads" => Request::Set(Setting::Threads(within(
                name,
                value,
                1,
                Settings::MOST_THREADS,
            )?)),
            "tablebase" => Request::Set(Setting::Tablebase(value.parse().unwrap_or_default())),
            "tablebase-cache" => Request::Set(Setting::TablebaseCache(within(
                name,
                value,
                1,
                Settings::MOST_TABLEBASE,
            )?)),
            "tablebase-pieces" => {
                let pieces = within(name, value, 0, Settings::MOST_PIECES as usize)?;
                Request::Set(Setting::TablebasePieces(pieces as u32))
            }
            "variety" => {
                let variety = within(name, value, 0, Settings::MOST_VARIETY as usize)?;
                Request::Set(Setting::Variety(variety as i16))
            }
            "seed" => {
                let seed = within(name, value, 0, Settings::MOST_SEED as usize)?;
                Request::Set(Setting::Seed(seed as u64))
            }
            "variant" => one_of(name, value, &VARIANTS).map(|()| Request::Nothing)?,
            "pos-style" => {
                one_of(name, value, &PosStyle::NAMES)?;
                self.boards.style = PosStyle::named(value).unwrap_or_default();
                Request::Nothing
            }
            _ => Request::Nothing,
        })
    }
}

/// A whole number of a parameter, from `least` to `most`.
fn within(name: &str, value: &str, least: usize, most: usize) -> Result<usize, ProtocolError> {
    let number = value
        .parse()
        .ok()
        .filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| ProtocolError::bad_value(name, &format!("{least} to {most}"), value))
}

fn one_of(name: &str, value: &str, names: &[&str]) -> Result<(), ProtocolError> {
    if names.contains(&value) {
        return Ok(());
    }
    Err(ProtocolError::bad_value(name, &names.join(", "), value))
}

impl Codec for Hub {
    fn decode(&mut self, line: &str) -> Result<Request, ProtocolError> {
        let line = Line::read(line);
        Ok(match line.command() {
            "" => return Err(ProtocolError::MissingCommand),
            "hub" => Request::Identify,
            "set-param" => self.set(&line)?,
            "init" => Request::Prepare,
            "new-game" => {
                self.boards.saw_new_game();
                Request::NewGame
            }
            "pos" => self.position(&line)?,
            "level" => {
                self.level.add(&line)?;
                Request::Nothing
            }
            "go" => self.go(&line),
            "ponder-hit" => Request::PonderHit,
            "stop" => Request::Stop,
            "ping" => Request::Ping,
            "quit" => Request::Quit,
            _ => return Err(ProtocolError::BadCommand),
        })
    }

    fn encode(&self, reply: &Reply<'_>, write: &mut dyn FnMut(&str)) {
        match reply {
            Reply::Identity(settings) => {
                handshake(settings)
                    .iter()
                    .for_each(|line| write(&line.to_string()));
            }
            Reply::Ready => write("ready"),
            Reply::Pong => write("pong"),
            Reply::Text(text) => text.lines().for_each(write),
            Reply::Info(_, report) => write(&info(report).to_string()),
            Reply::Done(_, choice) => write(&done(choice).to_string()),
            Reply::Fault(error) => write(&fault(error).to_string()),
            Reply::Changed(_) | Reply::Value(..) => {}
        }
    }

    fn spaces_lines(&self) -> bool {
        true
    }
}

fn param(name: &str, value: &str, kind: &str) -> Line {
    Line::new("param")
        .with("name", name)
        .with("value", value)
        .with("type", kind)
}

fn number(name: &str, value: u64, least: u64, most: u64) -> Line {
    param(name, &value.to_string(), "int")
        .with("min", least)
        .with("max", most)
}

/// pydraughts sets the variant only if it finds the name before the values.
fn choice_of(name: &str, values: &[&str]) -> Line {
    param(name, values[0], "enum").with("values", values.join(" "))
}

fn identity() -> Line {
    Line::new("id")
        .with("name", "Crownhead")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("author", env!("CARGO_PKG_AUTHORS"))
        .with("country", "International")
}

fn handshake(settings: &Settings) -> [Line; 12] {
    let (hash, threads) = (settings.hash_mb as u64, settings.threads as u64);
    let variety = settings.variety.unsigned_abs().into();
    [
        identity(),
        choice_of("variant", &VARIANTS),
        number("hash", hash, 1, Settings::MOST_HASH as u64),
        number("threads", threads, 1, Settings::MOST_THREADS as u64),
        number("variety", variety, 0, Settings::MOST_VARIETY as u64),
        number("seed", settings.seed, 0, Settings::MOST_SEED),
        param("tablebase", "auto", "string"),
        number(
            "tablebase-cache",
            settings.tablebase_mb as u64,
            1,
            Settings::MOST_TABLEBASE as u64,
        ),
        number(
            "tablebase-pieces",
            settings.tablebase_pieces.into(),
            0,
            Settings::MOST_PIECES.into(),
        ),
        // The Hub board ponders only with engines that declare this.
        param("ponder", "false", "bool"),
        choice_of("pos-style", &PosStyle::NAMES),
        Line::new("wait"),
    ]
}

/// pydraughts takes every token apart at its one `=`, and wants `depth` and `nodes` whole.
fn info(report: &Report) -> Line {
    let seconds = report.time.as_secs_f64();
    let line = Line::new("info")
        .with("depth", report.depth.0)
        .with("score", format_args!("{:.2}", hub_score(report.score)))
        .with("nodes", report.nodes)
        .with("time", format_args!("{seconds:.3}"));
    let millions = report.nodes_per_second() as f64 / 1e6;
    line.with("nps", format_args!("{millions:.2}"))
        .with("pv", pv(&report.pv))
}

fn pv(moves: &[Move]) -> String {
    moves
        .iter()
        .map(|&mv| write_hub(mv))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The move comes first, and nothing but `ponder` after it: pydraughts reads by place.
fn done(choice: &Choice) -> Line {
    let mut line = Line::new("done");
    if let Some(best) = choice.best {
        line = line.with("move", write_hub(best));
        if let Some(ponder) = choice.ponder {
            line = line.with("ponder", write_hub(ponder));
        }
    }
    line
}

fn fault(error: &ProtocolError) -> Line {
    let line = Line::new("error").with("message", error);
    match error.detail() {
        Some(detail) => line.with("detail", detail),
        None => line,
    }
}

/// In men for the side to move: evaluations stay within 80; a database win is 90 and a win in
/// n plies 100 - n/100, which clients show as a win in n plies.
#[must_use]
pub fn hub_score(score: Score) -> f64 {
    const MOST_EVALUATION: f64 = 80.0;
    match score.verdict() {
        None => score.men().clamp(-MOST_EVALUATION, MOST_EVALUATION),
        Some(Verdict::WinIn(plies)) => 100.0 - f64::from(plies) / 100.0,
        Some(Verdict::LossIn(plies)) => f64::from(plies) / 100.0 - 100.0,
        Some(Verdict::DatabaseWinIn(_)) => 90.0,
        Some(Verdict::DatabaseLossIn(_)) => -90.0,
    }
}
