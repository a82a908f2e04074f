//! `crownhead perft`: counts of move sequences, to check move generators by.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use engine::rules::Position;
use serde::Serialize;

use super::{Answer, Failure};

/// perft(28) of the start position is 1.6e19, just below 2^64 (OEIS A133046).
const DEEPEST: u8 = 28;

/// Count the sequences of moves of a given length.
#[derive(Debug, Args)]
pub(super) struct Perft {
    /// Length of the sequences in plies, 0 to 28.
    depth: u8,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    depth: u8,
    nodes: u64,
    seconds: f64,
    nodes_per_second: u64,
}

impl Perft {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        if self.depth > DEEPEST {
            return Err(Failure::Input(format!(
                "depth {} is beyond {DEEPEST}, the deepest that a 64-bit count can hold",
                self.depth
            )));
        }
        let began = Instant::now();
        let nodes = count(Position::START, self.depth);
        let seconds = began.elapsed().as_secs_f64();
        let report = Report {
            depth: self.depth,
            nodes,
            seconds,
            nodes_per_second: (nodes as f64 / seconds.max(1e-9)) as u64,
        };
        if self.json {
            let line = serde_json::to_string(&report).map_err(std::io::Error::from)?;
            writeln!(out, "{line}")?;
        } else {
            writeln!(
                out,
                "perft({}) = {nodes} in {seconds:.3} s, {} nodes/s",
                self.depth, report.nodes_per_second
            )?;
        }
        Ok(Answer::Yes)
    }
}

fn count(position: Position, depth: u8) -> u64 {
    if depth == 0 {
        return 1;
    }
    let routes = position.routes();
    if depth == 1 {
        return routes.len() as u64;
    }
    routes
        .iter()
        .map(|route| count(position.play(route.as_move()), depth - 1))
        .sum()
}
