//! The text commands of CheckerBoard engines, as lines.
//!
//! CheckerBoard calls a DLL with commands such as `get hashsize`; here the same commands arrive on
//! lines, together with a few of our own (`setup`, `go`, `stop`) for what its `getmove` does. Owns
//! the vocabulary in both directions. Knows nothing of threads or of the engine. A command that
//! is not handled is answered with `?`, as CheckerBoard expects. Start reading at [`Cb`].

use std::time::Duration;

use engine::notation::{FenError, Notation, fen, moves};
use engine::rules::{Game, Position};
use engine::score::{Depth, Score};
use engine::search::{Clock, Limits, Report};

use crate::databases::Wanted;
use crate::error::ProtocolError;
use crate::message::{Choice, Codec, Question, Reply, Request, Setting, Settings, Value};
use crate::replay::replay;
use crate::words::line;

/// English draughts among CheckerBoard's game types (and PDN's).
pub const GAME_TYPE: u32 = 21;

/// The version of the engine interface with `set gamehist`.
pub const PROTOCOL_VERSION: u32 = 2;

/// From this many seconds on, CheckerBoard means "until it is told to stop".
const ENDLESS: f64 = 86_000.0;

const HELP: &str = "\
name | about | help           who this is; this list
get X                         the value of hashsize, searchthreads, cpus, gametype,
                              protocolversion; of dbpath, dbmbytes, max_dbpieces, enable_wld;
                              of mtcpath, enable_mtc (distances lie with the other databases); of
                              book, bookfile (no opening book); of allscores, solve (no such modes)
set dbpath DIRS               endgame databases: folders separated as in PATH; auto, built-in, off
set dbmbytes MB               memory for their decoded values
set max_dbpieces N            only those of up to so many pieces (24: all)
set enable_wld 0|1            without them, or with those found where they usually are
set hashsize MB               size of the transposition table
set searchthreads N           number of search threads
set variety N | set seed N    play moves up to N hundredths of a man worse than the best; the
                              same seed makes the same choices
set gamehist FEN [MOVES]      the position with the moves since the last irreversible one
setup FEN [MOVES]             the position; setup start for a new game's
board                         the position as FEN
staticevaluation [FEN]        the evaluation without a search
go [time S] [clock S [INC]] [depth N] [nodes N] [infinite]
                              search; prints info lines, then: move M result R
                              R: 0 draw, 1 win, 2 loss for the side to move, 3 not known
stop                          end the search now
newgame                       forget what was learnt from the games before
quit                          leave";

/// The dialect.
#[derive(Debug, Default)]
pub struct Cb {
    /// The game that `set gamehist` told, for a `setup` of the position that it leads to.
    history: Option<Game>,
}

impl Cb {
    fn set(&mut self, rest: &str) -> Result<Request, ProtocolError> {
        let (name, value) = split(rest);
        let within = |least, most| {
            let number: Option<usize> = value.parse().ok();
            let number = number.filter(|number| (least..=most).contains(number));
            number
                .ok_or_else(|| ProtocolError::bad_value(name, &format!("{least} to {most}"), value))
        };
        Ok(match name {
            "hashsize" => Request::Set(Setting::hash(name, value)?),
            "searchthreads" => Request::Set(Setting::Threads(within(1, Settings::MOST_THREADS)?)),
            "variety" => {
                let variety = within(0, Settings::MOST_VARIETY as usize)?;
                Request::Set(Setting::Variety(variety as i16))
            }
            "seed" => {
                let seed = within(0, Settings::MOST_SEED as usize)?;
                Request::Set(Setting::Seed(seed as u64))
            }
            "dbpath" => Request::Set(Setting::Tablebase(value.parse().unwrap_or_default())),
            "dbmbytes" => {
                let mb = within(1, Settings::MOST_TABLEBASE)?;
                Request::Set(Setting::TablebaseCache(mb))
            }
            "max_dbpieces" => {
                let pieces = within(0, Settings::MOST_PIECES as usize)?;
                Request::Set(Setting::TablebasePieces(pieces as u32))
            }
            "enable_wld" => Request::Set(Setting::Tablebase(match within(0, 1)? {
                0 => Wanted::Off,
                _ => Wanted::Usual,
            })),
            "gamehist" => return self.set_up(value),
            "gametype" => {
                within(GAME_TYPE as usize, GAME_TYPE as usize)?;
                Request::Say(format!("gametype {GAME_TYPE}: English draughts"))
            }
            _ => Request::Say(without_effect(name).ok_or(ProtocolError::BadCommand)?),
        })
    }

    /// `FEN [MOVES]`, or `start`.
    fn set_up(&mut self, rest: &str) -> Result<Request, ProtocolError> {
        let (board, moves) = split(rest);
        let start = if board == "start" {
            Position::START
        } else {
            fen::read(board)?
        };
        let known = self
            .history
            .take()
            .filter(|game| moves.is_empty() && game.position() == start);
        if let Some(game) = known {
            self.history = Some(game.clone());
            return Ok(Request::Position(Box::new(game), None));
        }
        let replay = replay(start, moves);
        self.history = replay.fault.is_none().then(|| replay.game.clone());
        Ok(Request::Position(Box::new(replay.game), replay.fault))
    }
}

/// The first word and the rest.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

fn get(topic: &str) -> Result<Request, ProtocolError> {
    let said = |text: &str| Ok(Request::Say(text.into()));
    match topic {
        "hashsize" => Ok(Request::Ask(Question::Hash)),
        "searchthreads" => Ok(Request::Ask(Question::Threads)),
        "protocolversion" => said(&PROTOCOL_VERSION.to_string()),
        "gametype" => said(&GAME_TYPE.to_string()),
        "cpus" => said(&cpus().to_string()),
        "max_dbpieces" => Ok(Request::Ask(Question::DatabasePieces)),
        "dbmbytes" => Ok(Request::Ask(Question::DatabaseCache)),
        "dbpath" => Ok(Request::Ask(Question::DatabaseFolders)),
        "enable_wld" => Ok(Request::Ask(Question::DatabasesAreUsed)),
        "enable_mtc" | "book" | "allscores" | "solve" => said("0"),
        "mtcpath" | "bookfile" => said(""),
        _ => Err(ProtocolError::BadCommand),
    }
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What is true about a setting that nothing depends on.
fn without_effect(name: &str) -> Option<String> {
    let what = match name {
        "check_wld_dir" => "databases are used as far as they are there",
        "mtcpath" | "enable_mtc" | "check_mtc_dir" => "no databases of moves to conversion",
        "book" | "bookfile" => "no opening book",
        "allscores" | "solve" => "no such mode",
        _ => return None,
    };
    Some(format!("{name} has no effect: {what}"))
}

fn go(rest: &str) -> Result<Request, ProtocolError> {
    let mut limits = Limits::default();
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let mut number = || read_number(word, words.next().unwrap_or_default());
        match word {
            "time" => {
                let time = number()?;
                limits.infinite |= time >= ENDLESS;
                limits.move_time = (time < ENDLESS).then(|| Duration::from_secs_f64(time));
            }
            "clock" => {
                let remaining = read_time(words.next().unwrap_or_default())?;
                let increment = words.peek().and_then(|text| read_time(text).ok());
                if increment.is_some() {
                    words.next();
                }
                limits.clock = Some(clock(remaining, increment.unwrap_or(0.0)));
            }
            "depth" => {
                let depth = number()?.clamp(1.0, Depth::MOST.0.into());
                limits.depth = Some(Depth(depth as i16));
            }
            "nodes" => limits.nodes = Some(number()?.max(1.0) as u64),
            "infinite" => limits.infinite = true,
            _ => {
                return Err(ProtocolError::bad_value(
                    "go",
                    "time clock depth nodes infinite",
                    word,
                ));
            }
        }
    }
    if limits == Limits::default() {
        limits.move_time = Some(Duration::from_secs(1));
    }
    Ok(Request::Go(limits))
}

fn clock(remaining: f64, increment: f64) -> Clock {
    Clock {
        remaining: Duration::from_secs_f64(remaining),
        increment: Duration::from_secs_f64(increment),
        moves_to_go: None,
    }
}

/// Seconds on a clock; one that has run out may show less than nothing.
fn read_time(text: &str) -> Result<f64, ProtocolError> {
    match text.strip_prefix('-') {
        Some(overdrawn) => read_number("clock", overdrawn).map(|_| 0.0),
        None => read_number("clock", text),
    }
}

fn read_number(name: &str, text: &str) -> Result<f64, ProtocolError> {
    const LARGEST: f64 = 1e9;
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|number| (0.0..=LARGEST).contains(number));
    number.ok_or_else(|| ProtocolError::bad_value(name, "a number from 0", text))
}

impl Codec for Cb {
    fn decode(&mut self, line: &str) -> Result<Request, ProtocolError> {
        let (command, rest) = split(line);
        Ok(match command {
            "" => Request::Nothing,
            "name" => Request::Say(format!("Crownhead {}", env!("CARGO_PKG_VERSION"))),
            "about" => Request::Say(about()),
            "help" => Request::Say(HELP.into()),
            "get" => get(rest)?,
            "set" => self.set(rest)?,
            "setup" | "position" => self.set_up(rest)?,
            "board" => Request::Ask(Question::Board),
            "staticevaluation" => {
                // The board of the question is at fault, not the one that the session plays on.
                let bad = |error: FenError| ProtocolError::BadValue(error.to_string());
                let position = (!rest.is_empty()).then(|| fen::read(rest)).transpose();
                Request::Ask(Question::Evaluation(position.map_err(bad)?))
            }
            "go" => go(rest)?,
            "stop" => Request::Stop,
            "newgame" => {
                self.history = None;
                Request::NewGame
            }
            "quit" | "exit" => Request::Quit,
            _ => return Err(ProtocolError::BadCommand),
        })
    }

    fn encode(&self, reply: &Reply<'_>, write: &mut dyn FnMut(&str)) {
        match reply {
            Reply::Identity(_) | Reply::Ready | Reply::Pong => {}
            Reply::Text("") => write(""),
            Reply::Text(text) => text.lines().for_each(write),
            Reply::Changed(setting) => write(&changed(setting)),
            Reply::Value(_, value) => write(&shown(value)),
            Reply::Info(game, report) => write(&info(&game.position(), report)),
            Reply::Done(game, choice) => write(&done(&game.position(), choice)),
            Reply::Fault(error) => write(&fault(error)),
        }
    }
}

fn about() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "Crownhead {version}: an open engine for English draughts, by {}.",
        env!("CARGO_PKG_AUTHORS")
    )
}

fn changed(setting: &Setting) -> String {
    match setting {
        Setting::Hash(mb) => format!("hashsize {mb}"),
        Setting::Threads(threads) => format!("searchthreads {threads}"),
        Setting::Variety(variety) => format!("variety {variety}"),
        Setting::Seed(seed) => format!("seed {seed}"),
        Setting::Tablebase(wanted) => format!("dbpath {wanted}"),
        Setting::TablebaseCache(mb) => format!("dbmbytes {mb}"),
        Setting::TablebasePieces(pieces) => format!("max_dbpieces {pieces}"),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Truth(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Outcome(outcome) => {
            outcome.map_or_else(|| "the game goes on".into(), |outcome| outcome.to_string())
        }
        Value::Score(position, score) => format!("{score} for {}", position.turn()),
        Value::Board(position) => fen::write(position),
    }
}

fn info(position: &Position, report: &Report) -> String {
    format!(
        "info depth {} score {} nodes {} time {:.2} nps {} pv {}",
        report.depth.0,
        report.score,
        report.nodes,
        report.time.as_secs_f64(),
        report.nodes_per_second(),
        line(*position, &report.pv, Notation::Numeric).join(" "),
    )
}

fn done(position: &Position, choice: &Choice) -> String {
    let result = match choice.best {
        None if !position.can_move() => RESULT_LOSS,
        _ => result_code(choice.score),
    };
    match choice.best {
        Some(best) => {
            format!(
                "move {} result {result}",
                moves::write_full(best, position, Notation::Numeric)
            )
        }
        None => format!("move none result {result}"),
    }
}

const RESULT_LOSS: u8 = 2;

/// What CheckerBoard's `getmove` returns: a draw is never claimed, since the score that says it
/// is no proof.
#[must_use]
pub fn result_code(score: Score) -> u8 {
    match (score.is_win(), score.is_loss()) {
        (true, _) => 1,
        (_, true) => RESULT_LOSS,
        _ => 3,
    }
}

fn fault(error: &ProtocolError) -> String {
    match (error, error.detail()) {
        (ProtocolError::BadCommand | ProtocolError::MissingCommand, _) => "?".into(),
        (_, Some(detail)) => format!("? {error}: {detail}"),
        (_, None) => format!("? {error}"),
    }
}

/// Whether a line can only be meant for this dialect.
#[must_use]
pub fn is_own(line: &str) -> bool {
    let (command, _) = split(line);
    let own = [
        "name",
        "about",
        "help",
        "get",
        "set",
        "setup",
        "board",
        "staticevaluation",
        "newgame",
    ];
    own.contains(&command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(cb: &mut Cb, line: &str) -> String {
        match cb.decode(line) {
            Ok(Request::Say(text)) => text,
            Err(error) => fault(&error),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn commands_of_the_real_gui_are_answered() {
        let mut cb = Cb::default();
        for (command, answer) in [
            ("get book", "0"),
            ("get gametype", "21"),
            ("get protocolversion", "2"),
            ("get movelist B:W1:B", "?"),
            ("get allscores", "0"),
            ("set gametype 21", "gametype 21: English draughts"),
            (
                "set check_mtc_dir /tmp/x",
                "check_mtc_dir has no effect: no databases of moves to conversion",
            ),
            ("good morning", "?"),
            ("set", "?"),
            ("get", "?"),
        ] {
            assert_eq!(said(&mut cb, command), answer, "{command}");
        }
        assert!(said(&mut cb, "set hashsize x").starts_with("? bad value: hashsize"));
        assert!(said(&mut cb, "set gametype 20").starts_with("? bad value: gametype"));
        for (command, setting) in [
            ("set hashsize 64", Setting::Hash(64)),
            ("set searchthreads 2", Setting::Threads(2)),
            ("set variety 30", Setting::Variety(30)),
            ("set seed 5", Setting::Seed(5)),
            ("set dbmbytes 64", Setting::TablebaseCache(64)),
            ("set max_dbpieces 4", Setting::TablebasePieces(4)),
            ("set enable_wld 0", Setting::Tablebase(Wanted::Off)),
            (
                "set dbpath C:\\My databases\\x",
                Setting::Tablebase(Wanted::Folders("C:\\My databases\\x".into())),
            ),
        ] {
            let request = cb.decode(command);
            assert!(
                matches!(request, Ok(Request::Set(found)) if found == setting),
                "{command}"
            );
        }
        assert!(said(&mut cb, "name").starts_with("Crownhead"));
    }

    #[test]
    fn a_setup_of_the_known_position_keeps_its_history() {
        let mut cb = Cb::default();
        cb.decode("set gamehist B:WK32:BK1 1-5 32-28 5-1 28-32")
            .expect("a history");
        match cb.decode("setup B:WK32:BK1") {
            Ok(Request::Position(game, None)) => assert_eq!(game.occurrences(), 2),
            other => panic!("{other:?}"),
        }
        match cb.decode("setup B:WK31:BK1") {
            Ok(Request::Position(game, None)) => assert_eq!(game.occurrences(), 1),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_answer_without_a_move_is_a_loss_only_at_the_end_of_a_game() {
        let lost = fen::read("W:W5:B1").expect("a FEN");
        let none = Choice::default();
        assert_eq!(done(&lost, &none), "move none result 2");
        assert_eq!(done(&Position::START, &none), "move none result 3");
    }

    #[test]
    fn go_takes_what_the_gui_can_mean() {
        let limits = |line: &str| match Cb::default().decode(line) {
            Ok(Request::Go(limits)) => limits,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(
            limits("go time 0.1").move_time,
            Some(Duration::from_millis(100))
        );
        assert!(limits("go time 8600000").infinite);
        assert_eq!(
            limits("go clock 5.2 0.2 depth 9").clock,
            Some(clock(5.2, 0.2))
        );
        assert_eq!(limits("go clock 5 depth 9").depth, Some(Depth(9)));
        assert_eq!(limits("go clock -5 0.2").clock, Some(clock(0.0, 0.2)));
        assert_eq!(limits("go").move_time, Some(Duration::from_secs(1)));
        for bad in [
            "go time",
            "go time x",
            "go time -1",
            "go fast",
            "go depth NaN",
        ] {
            assert!(Cb::default().decode(bad).is_err(), "{bad}");
        }
    }
}
