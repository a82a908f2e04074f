//! UGI, the Universal Game Interface: UCI's relative for any game of two players.
//!
//! Owns its vocabulary in both directions. The first player, p1, is Black. Moves are written by
//! their ends, or by their full route where the ends do not tell. Knows nothing of threads or of
//! the engine. Start reading at [`Ugi`].

use std::time::Duration;

use engine::board::Color;
use engine::notation::{Notation, fen};
use engine::rules::{Game, Move, Outcome, Position};
use engine::score::{Depth, Score, Verdict};
use engine::search::{Clock, Limits, Report};

use crate::error::ProtocolError;
use crate::message::{Choice, Codec, Question, Reply, Request, Setting, Settings, Value};
use crate::replay::replay;
use crate::words::line;

/// The dialect.
#[derive(Debug, Default)]
pub struct Ugi {
    /// Whose clock a `go` means.
    turn: Color,
}

impl Ugi {
    fn position(&mut self, rest: &str) -> Result<Request, ProtocolError> {
        let (board, moves) = match rest.split_once("moves") {
            Some((board, moves)) => (board.trim(), moves),
            None => (rest.trim(), ""),
        };
        let start = match board.strip_prefix("fen") {
            Some(text) => fen::read(text.trim_start())?,
            None if board == "startpos" => Position::START,
            None => {
                return Err(ProtocolError::BadPosition(
                    "expected startpos or fen".into(),
                ));
            }
        };
        let replay = replay(start, moves);
        self.turn = replay.game.position().turn();
        Ok(Request::Position(Box::new(replay.game), replay.fault))
    }

    fn go(&self, rest: &str) -> Result<Request, ProtocolError> {
        let mut terms = Terms::default();
        let mut words = rest.split_whitespace();
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next().unwrap_or_default();
                text.parse::<i64>()
                    .map_err(|_| ProtocolError::bad_value(word, "a whole number", text))
            };
            match word {
                "p1time" => terms.time[0] = Some(number()?),
                "p2time" => terms.time[1] = Some(number()?),
                "p1inc" => terms.increment[0] = number()?,
                "p2inc" => terms.increment[1] = number()?,
                "movestogo" => terms.moves = u32::try_from(number()?).ok().filter(|&n| n > 0),
                "movetime" => terms.limits.move_time = Some(milliseconds(number()?)),
                "depth" => {
                    let depth = number()?.clamp(1, Depth::MOST.0.into());
                    terms.limits.depth = Some(Depth(depth as i16));
                }
                "nodes" => terms.limits.nodes = Some(number()?.max(1) as u64),
                "infinite" => terms.limits.infinite = true,
                "ponder" => terms.limits.ponder = true,
                _ => {}
            }
        }
        Ok(Request::Go(terms.limits(self.turn)))
    }
}

/// The words after `go`; times in milliseconds, indexed by player.
#[derive(Default)]
struct Terms {
    time: [Option<i64>; 2],
    increment: [i64; 2],
    moves: Option<u32>,
    limits: Limits,
}

impl Terms {
    /// UGI adds the increment after the move, so that the remaining time holds the last one.
    fn limits(self, turn: Color) -> Limits {
        let mut limits = self.limits;
        let increment = self.increment[turn.index()].max(0);
        limits.clock = self.time[turn.index()].map(|time| Clock {
            remaining: milliseconds(time.saturating_sub(increment)),
            increment: milliseconds(increment.min(time)),
            moves_to_go: self.moves,
        });
        let bounded = limits.depth.is_some() || limits.nodes.is_some();
        limits.infinite |=
            !bounded && limits.move_time.is_none() && limits.clock.is_none() && !limits.ponder;
        limits
    }
}

fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(time.max(0) as u64)
}

fn set_option(rest: &str) -> Result<Request, ProtocolError> {
    let after_name = rest
        .trim()
        .strip_prefix("name")
        .ok_or(ProtocolError::MissingName)?;
    let (name, value) = after_name.split_once(" value").unwrap_or((after_name, ""));
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let within = |least: usize, most: usize| {
        let number = value
            .parse()
            .ok()
            .filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| ProtocolError::bad_value(&name, &format!("{least} to {most}"), value))
    };
    Ok(match name.as_str() {
        "hash" => Request::Set(Setting::hash(&name, value)?),
        "threads" => Request::Set(Setting::Threads(within(1, Settings::MOST_THREADS)?)),
        "tablebase" => Request::Set(Setting::Tablebase(value.parse().unwrap_or_default())),
        "tablebasecache" => Request::Set(Setting::TablebaseCache(within(
            1,
            Settings::MOST_TABLEBASE,
        )?)),
        "tablebasepieces" => {
            let pieces = within(0, Settings::MOST_PIECES as usize)?;
            Request::Set(Setting::TablebasePieces(pieces as u32))
        }
        "variety" => {
            let most = Settings::MOST_VARIETY as usize;
            Request::Set(Setting::Variety(within(0, most)? as i16))
        }
        "seed" => {
            let most = Settings::MOST_SEED as usize;
            Request::Set(Setting::Seed(within(0, most)? as u64))
        }
        _ => Request::Nothing,
    })
}

fn query(rest: &str) -> Result<Request, ProtocolError> {
    Ok(Request::Ask(match rest.trim() {
        "gameover" => Question::GameOver,
        "p1turn" => Question::BlackToMove,
        "result" => Question::Outcome,
        _ => return Err(ProtocolError::BadCommand),
    }))
}

impl Codec for Ugi {
    fn decode(&mut self, line: &str) -> Result<Request, ProtocolError> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Ok(match command {
            "" => Request::Nothing,
            "ugi" => Request::Identify,
            "isready" => Request::Ping,
            "setoption" => set_option(rest)?,
            "uginewgame" => {
                self.turn = Color::Black;
                Request::NewGame
            }
            "position" => self.position(rest)?,
            "go" => self.go(rest)?,
            "ponderhit" => Request::PonderHit,
            "stop" => Request::Stop,
            "query" => query(rest)?,
            "quit" => Request::Quit,
            _ => return Err(ProtocolError::BadCommand),
        })
    }

    fn encode(&self, reply: &Reply<'_>, write: &mut dyn FnMut(&str)) {
        match reply {
            Reply::Identity(settings) => handshake(settings).iter().for_each(|line| write(line)),
            Reply::Pong => write("readyok"),
            Reply::Text(text) => text.lines().for_each(write),
            Reply::Value(question, value) => write(&response(*question, value)),
            Reply::Info(game, report) => write(&info(&game.position(), report)),
            Reply::Done(game, choice) => write(&best_move(game, choice)),
            Reply::Fault(error) => {
                let detail = error.detail().map(|detail| format!(": {detail}"));
                write(&format!(
                    "info string error {error}{}",
                    detail.unwrap_or_default()
                ));
            }
            Reply::Ready | Reply::Changed(_) => {}
        }
    }
}

fn handshake(settings: &Settings) -> Vec<String> {
    let spin = |name: &str, value: u64, least: u64, most: u64| {
        format!("option name {name} type spin default {value} min {least} max {most}")
    };
    vec![
        format!("id name Crownhead {}", env!("CARGO_PKG_VERSION")),
        format!("id author {}", env!("CARGO_PKG_AUTHORS")),
        spin(
            "Hash",
            settings.hash_mb as u64,
            1,
            Settings::MOST_HASH as u64,
        ),
        spin(
            "Threads",
            settings.threads as u64,
            1,
            Settings::MOST_THREADS as u64,
        ),
        spin(
            "Variety",
            settings.variety as u64,
            0,
            Settings::MOST_VARIETY as u64,
        ),
        spin("Seed", settings.seed, 0, Settings::MOST_SEED),
        "option name Tablebase type string default auto".into(),
        spin(
            "TablebaseCache",
            settings.tablebase_mb as u64,
            1,
            Settings::MOST_TABLEBASE as u64,
        ),
        spin(
            "TablebasePieces",
            settings.tablebase_pieces.into(),
            0,
            Settings::MOST_PIECES.into(),
        ),
        "ugiok".into(),
    ]
}

fn response(question: Question, value: &Value) -> String {
    let text = match (question, value) {
        (_, Value::Truth(truth)) => truth.to_string(),
        (_, Value::Number(number)) => number.to_string(),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::Outcome(outcome)) => match outcome {
            None => "none",
            Some(Outcome::Win(Color::Black)) => "p1win",
            Some(Outcome::Win(Color::White)) => "p2win",
            Some(Outcome::Draw(_)) => "draw",
        }
        .into(),
        (_, Value::Score(_, score)) => score_text(*score),
        (_, Value::Board(position)) => fen::write(position),
    };
    format!("response {text}")
}

fn score_text(score: Score) -> String {
    match score.verdict() {
        Some(Verdict::WinIn(plies)) => format!("mate {}", plies.div_ceil(2)),
        Some(Verdict::LossIn(plies)) => format!("mate -{}", plies.div_ceil(2)),
        _ => format!("cp {}", score.0),
    }
}

fn info(position: &Position, report: &Report) -> String {
    format!(
        "info depth {} seldepth {} multipv {} score {} nodes {} nps {} time {} pv {}",
        report.depth.0,
        report.deepest,
        report.line,
        score_text(report.score),
        report.nodes,
        report.nodes_per_second(),
        report.time.as_millis(),
        line(*position, &report.pv, Notation::Numeric).join(" "),
    )
}

fn best_move(game: &Game, choice: &Choice) -> String {
    let Some(best) = choice.best else {
        return "bestmove none".into();
    };
    let played: Vec<Move> = [best].into_iter().chain(choice.ponder).collect();
    let texts = line(game.position(), &played, Notation::Numeric);
    format!("bestmove {}", texts.join(" ponder "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(position: &str, go: &str) -> Limits {
        let mut ugi = Ugi::default();
        ugi.decode(position).expect(position);
        match ugi.decode(go) {
            Ok(Request::Go(limits)) => limits,
            other => panic!("{go}: {other:?}"),
        }
    }

    #[test]
    fn the_mover_looks_at_its_own_clock() {
        let go = "go p1time 5000 p2time 900 p1inc 100 p2inc 1000";
        let clock = limits("position startpos", go).clock.expect("a clock");
        assert_eq!(
            (clock.remaining.as_millis(), clock.increment.as_millis()),
            (4900, 100)
        );
        let clock = limits("position startpos moves 11-15", go)
            .clock
            .expect("a clock");
        assert_eq!(
            (clock.remaining.as_millis(), clock.increment.as_millis()),
            (0, 900)
        );
    }

    #[test]
    fn limits_combine_and_none_means_infinite() {
        let found = limits("position startpos", "go depth 7 nodes 50 movetime 30");
        assert_eq!(found.depth, Some(Depth(7)));
        assert_eq!((found.nodes, found.infinite), (Some(50), false));
        assert_eq!(found.move_time, Some(Duration::from_millis(30)));
        assert!(limits("position startpos", "go").infinite);
        assert!(limits("position startpos", "go infinite depth 3").infinite);
    }

    #[test]
    fn positions_come_as_fen_with_moves() {
        let mut ugi = Ugi::default();
        match ugi.decode("position fen W:W18:B15,8 moves 18x11x4") {
            Ok(Request::Position(game, None)) => {
                assert_eq!(fen::write(&game.position()), "B:WK4:B");
            }
            other => panic!("{other:?}"),
        }
        for bad in [
            "position",
            "position fen",
            "position fen W:W0:B33",
            "position x",
        ] {
            assert!(
                matches!(ugi.decode(bad), Err(ProtocolError::BadPosition(_))),
                "{bad}"
            );
        }
    }
}
