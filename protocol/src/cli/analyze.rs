//! `crownhead analyze`: the best lines of a position, deeper and deeper.
//!
//! One line on standard output for each depth and line of play; what was printed is never
//! changed. Scores are the mover's, as everywhere, and words name the better side.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use engine::engine::{Engine, EngineOptions};
use engine::notation::{Notation, ReadPosition, diagram, fen};
use engine::rules::{Move, Position};
use engine::score::{Bound, Depth};
use engine::search::{self, Limits, Observer, Report};
use engine::tablebase::Damage;
use protocol::databases::{self, CACHE_MB, Wanted};
use protocol::json::forms::Line;

use super::input::{NotationArgs, PositionArgs, turn_is_assumed};
use super::{Answer, Failure};

/// How long to search where nothing else ends it.
const DEFAULT_SECONDS: f64 = 5.0;

/// Search a position and print its best lines as they get deeper.
#[derive(Debug, Args)]
pub(super) struct Analyze {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Stop after this many seconds [default: 5, unless --depth or --nodes is given].
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
    /// Stop after this depth in plies, 1 to 200.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i16).range(1..=200))]
    depth: Option<i16>,
    /// Stop after this many positions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How many first moves to follow.
    #[arg(long, value_name = "K", default_value_t = 1)]
    lines: usize,
    /// Search threads.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MB", default_value_t = 64)]
    hash: usize,
    /// Endgame databases: folders separated as in PATH, built-in, or off [default: those built in
    /// and those found where they usually are].
    #[arg(long, value_name = "DIR")]
    tablebase: Option<OsString>,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// Seconds with a point, in every locale.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number = text
        .parse::<f64>()
        .ok()
        .and_then(|s| Duration::try_from_secs_f64(s).ok());
    number.ok_or_else(|| "expected seconds, such as 2.5".into())
}

/// What the search's thread hands over; `None` when it has ended.
struct Courier(Sender<Option<Report>>);

impl Observer for Courier {
    fn report(&mut self, report: &Report) {
        // The printer has left if its output was closed.
        let _ = self.0.send(Some(report.clone()));
    }

    fn answer(&mut self, _: &search::Answer) {
        let _ = self.0.send(None);
    }

    fn fault(&mut self, what: &str) {
        eprintln!("error: {what}");
    }

    fn damage(&mut self, damage: &Damage) {
        eprintln!("error: {damage}");
    }
}

impl Analyze {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let read = self.position.read()?;
        let options = EngineOptions {
            hash_mb: self.hash,
            threads: self.threads,
        };
        let mut engine = Engine::new(options).map_err(|e| Failure::Input(e.to_string()))?;
        let found = databases::open(&Wanted::option(self.tablebase.as_ref()), CACHE_MB)
            .map_err(|error| Failure::Input(error.to_string()))?;
        if !self.json {
            self.introduce(&read, &found.line, out)?;
        }
        engine.set_tablebase(found.tablebase.map(Arc::new));
        engine.set_game(read.game.clone());
        let (sender, reports) = unbounded();
        engine.go(self.limits(), Box::new(Courier(sender)));
        let mut printer = Printer {
            position: read.position(),
            notation: self.notation.notation,
            json: self.json,
            printed: Vec::new(),
            progress: Progress::new(),
        };
        printer.follow(&reports, out)?;
        Ok(Answer::Yes)
    }

    fn limits(&self) -> Limits {
        let bounded = self.depth.is_some() || self.nodes.is_some();
        let default = (!bounded).then(|| Duration::from_secs_f64(DEFAULT_SECONDS));
        Limits {
            depth: self.depth.map(Depth),
            nodes: self.nodes,
            move_time: self.time.or(default),
            analysis: true,
            lines: self.lines,
            ..Limits::default()
        }
    }

    fn introduce(
        &self,
        read: &ReadPosition,
        databases: &str,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let position = read.position();
        let turn = position.turn();
        write!(out, "{}", diagram::print(&position, self.notation.notation))?;
        let assumed = if turn_is_assumed(read) {
            " (assumed; --turn white for the other side)"
        } else {
            ""
        };
        writeln!(out, "\n{}\n{turn} to move{assumed}", fen::write(&position))?;
        match read.game.outcome() {
            Some(outcome) => writeln!(out, "{outcome}")?,
            None => writeln!(
                out,
                "Scores are in men; + is good for {turn}. In brackets: of a hundred quick games\n\
                 of the engine with itself {turn} wins, draws and loses so many.\n{databases}\n"
            )?,
        }
        out.flush()?;
        Ok(())
    }
}

/// Prints reports as they come.
struct Printer {
    position: Position,
    notation: Notation,
    json: bool,
    /// Depth, line and first move of all that was printed at the latest depth.
    printed: Vec<(Depth, usize, Option<Move>)>,
    progress: Progress,
}

impl Printer {
    fn follow(
        &mut self,
        reports: &Receiver<Option<Report>>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        loop {
            match reports.recv_timeout(Progress::INTERVAL) {
                Ok(Some(report)) => self.take(&report, out)?,
                Err(RecvTimeoutError::Timeout) => self.progress.show(),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// Skips bounds, and what was printed of the same depth already.
    fn take(&mut self, report: &Report, out: &mut impl Write) -> Result<(), Failure> {
        let entry = (report.depth, report.line, report.pv.first().copied());
        let finished = report.pv.is_empty();
        if report.bound != Bound::Exact || self.printed.contains(&entry) || (finished && !self.json)
        {
            return Ok(());
        }
        self.printed.retain(|printed| printed.0 == report.depth);
        self.printed.push(entry);
        self.progress.clear();
        self.progress.depth = report.depth;
        let line = Line::of(report, self.position, self.notation);
        if self.json {
            writeln!(
                out,
                "{}",
                serde_json::to_string(&line).map_err(io::Error::from)?
            )?;
        } else {
            writeln!(out, "{}", told(&line, report))?;
        }
        out.flush()?;
        Ok(())
    }
}

/// One line for people.
fn told(line: &Line, report: &Report) -> String {
    let score = match line.value {
        Some(value) => value.to_string(),
        None => format!("{:+.2} ({})", line.score, line.chances.percent()),
    };
    format!(
        "depth {:>3}  {}. {score:>20}  {}  {}  ({} nodes, {:.2} s)",
        line.depth,
        line.line,
        line.better,
        line.pv.join(" "),
        line.nodes,
        report.time.as_secs_f64(),
    )
}

/// Elapsed time on standard error, if a person watches it.
struct Progress {
    began: Instant,
    depth: Depth,
    shown: bool,
}

impl Progress {
    const INTERVAL: Duration = Duration::from_secs(1);

    fn new() -> Self {
        Self {
            began: Instant::now(),
            depth: Depth(0),
            shown: false,
        }
    }

    fn show(&mut self) {
        let mut err = io::stderr();
        if err.is_terminal() {
            let depth = self.depth.0 + 1;
            let seconds = self.began.elapsed().as_secs();
            // Nobody can be told that nobody can be told.
            let _ = write!(err, "\rdepth {depth}, {seconds} s ");
            self.shown = true;
        }
    }

    fn clear(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
            self.shown = false;
        }
    }
}
