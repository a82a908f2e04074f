//! `crownhead bench`: the behaviour signature and the speed.

use std::ffi::OsString;
use std::io::Write;
use std::sync::Arc;

use clap::Args;
use engine::bench::{self, DEPTH, POSITIONS, run_on};
use engine::notation::fen;
use engine::rules::Game;
use protocol::databases::{self, CACHE_MB, Wanted};
use serde::Serialize;

use super::{Answer, Failure};

/// Search fixed positions to a fixed depth on one thread: the node count is the signature of
/// how the engine behaves.
#[derive(Debug, Args)]
pub(super) struct Command {
    /// Depth in plies, 1 to 200; signatures of different depths cannot be compared.
    #[arg(long, default_value_t = DEPTH, value_parser = clap::value_parser!(i16).range(1..=200))]
    depth: i16,
    /// Search with endgame databases (folders separated as in PATH, or built-in): for their speed.
    /// The signature is that of a search without, which is the same for everybody.
    #[arg(long, value_name = "DIR")]
    tablebase: Option<OsString>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    nodes: u64,
    seconds: f64,
    nps: u64,
    signature: String,
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
            writeln!(out, "signature {}", report.signature)?;
        }
        Ok(Answer::Yes)
    }

    fn measure(&self) -> Result<Report, Failure> {
        let games = POSITIONS
            .iter()
            .map(|text| fen::read(text).map(Game::new))
            .collect::<Result<Vec<Game>, _>>()
            .map_err(|error| Failure::Input(error.to_string()))?;
        let input = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
        let wanted = match &self.tablebase {
            None => Wanted::Off,
            some => Wanted::option(some.as_ref()),
        };
        let found = databases::open(&wanted, CACHE_MB).map_err(|error| input(&error))?;
        let mut engine = bench::engine().map_err(|error| input(&error))?;
        engine.set_tablebase(found.tablebase.map(Arc::new));
        let bench = run_on(&mut engine, &games, self.depth);
        let seconds = bench.time.as_secs_f64();
        Ok(Report {
            nodes: bench.nodes,
            seconds,
            nps: (bench.nodes as f64 / seconds.max(1e-9)) as u64,
            signature: format!("{}@{}", bench.nodes, self.depth),
        })
    }
}
