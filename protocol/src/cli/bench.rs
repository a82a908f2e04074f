//! `crownhead bench`: the behaviour signature and the speed.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use engine::bench::{self, DEPTH, POSITIONS, run_on};
use engine::notation::fen;
use engine::rules::Game;
use protocol::databases::{self, CACHE_MB, Wanted};
use serde::Serialize;

use super::{Answer, Failure};

/// Search fixed positions to a fixed depth: on one thread the node count is the signature of how
/// the engine behaves.
#[derive(Debug, Args)]
pub(super) struct Command {
    /// Depth in plies, 1 to 200; signatures of different depths cannot be compared.
    #[arg(long, default_value_t = DEPTH, value_parser = clap::value_parser!(i16).range(1..=200))]
    depth: i16,
    /// Search with endgame databases (folders separated as in PATH, or built-in): for their speed.
    /// The signature is that of a search without, which is the same for everybody.
    #[arg(long, value_name = "DIR")]
    tablebase: Option<OsString>,
    /// Search threads. With more than one the node count differs from run to run and is no
    /// signature.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Search the positions of this file, a FEN a line, instead: for the time to a depth.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    nodes: u64,
    seconds: f64,
    nps: u64,
    signature: Option<String>,
}

impl Command {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let report = self.measure()?;
        if self.json {
            let text = serde_json::to_string(&report).map_err(std::io::Error::from)?;
            writeln!(out, "{text}")?;
        } else {
            writeln!(out, "nodes     {}", report.nodes)?;
            writeln!(out, "seconds   {:.3}", report.seconds)?;
            writeln!(out, "nodes/s   {}", report.nps)?;
            if let Some(signature) = &report.signature {
                writeln!(out, "signature {signature}")?;
            }
        }
        Ok(Answer::Yes)
    }

    fn measure(&self) -> Result<Report, Failure> {
        let games = self.games()?;
        let input = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
        let wanted = match &self.tablebase {
            None => Wanted::Off,
            some => Wanted::option(some.as_ref()),
        };
        let found = databases::open(&wanted, CACHE_MB).map_err(|error| input(&error))?;
        let mut engine = bench::engine(self.threads).map_err(|error| input(&error))?;
        engine.set_tablebase(found.tablebase.map(Arc::new));
        let bench = run_on(&mut engine, &games, self.depth);
        let seconds = bench.time.as_secs_f64();
        Ok(Report {
            nodes: bench.nodes,
            seconds,
            nps: (bench.nodes as f64 / seconds.max(1e-9)) as u64,
            signature: (self.threads == 1 && self.positions.is_none() && self.tablebase.is_none())
                .then(|| format!("{}@{}", bench.nodes, self.depth)),
        })
    }

    fn games(&self) -> Result<Vec<Game>, Failure> {
        let Some(path) = &self.positions else {
            return games(POSITIONS.iter().copied(), "position");
        };
        let place = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Input(format!("{place}: cannot read: {error}")))?;
        let games = games(text.lines(), &format!("{place}: line"))?;
        if games.is_empty() {
            let expected = format!("{place}: no position; expected a FEN a line");
            return Err(Failure::Input(expected));
        }
        Ok(games)
    }
}

/// Reads one FEN a line; `place` and the number say where one is wrong.
fn games<'a>(lines: impl Iterator<Item = &'a str>, place: &str) -> Result<Vec<Game>, Failure> {
    let numbered = (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty());
    let read = |(number, line): (usize, &str)| {
        let game = fen::read(line).map(Game::new);
        game.map_err(|error| Failure::Input(format!("{place} {number}: {error}")))
    };
    numbered.map(read).collect()
}
