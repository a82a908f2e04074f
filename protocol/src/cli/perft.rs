//! `crownhead perft`: counts of move sequences, to check move generators by.

use std::io::{self, Write};
use std::time::Instant;

use clap::Args;
use engine::notation::moves;
use engine::rules::Position;
use engine::rules::perft::Perft;
use serde::{Serialize, Serializer};

use super::input::{ChoiceArgs, NotationArgs};
use super::{Answer, Failure};

/// perft(28) of the start position is 1.6e19, just below 2^64 (OEIS A133046).
const DEEPEST: u8 = 28;

/// Count the sequences of moves of a given length.
#[derive(Debug, Args)]
pub(super) struct Command {
    /// Length of the sequences in plies, 0 to 28.
    #[arg(value_parser = clap::value_parser!(u8).range(0..=i64::from(DEEPEST)))]
    depth: u8,
    /// Position to count from, as `show` reads it; the start position if left out.
    #[arg(long, value_name = "POS")]
    pos: Option<String>,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Show the count behind each move.
    #[arg(long)]
    divide: bool,
    /// Count jumps with the same ends and captures once; otherwise every route counts.
    #[arg(long)]
    merged: bool,
    /// Threads to count on.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Size of the table of counts already known; none by default.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,
    #[command(flatten)]
    notation: NotationArgs,
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
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_object")]
    moves: Option<Vec<(String, u64)>>,
}

fn as_object<S: Serializer>(
    moves: &Option<Vec<(String, u64)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(moves.iter().flatten().map(|(mv, count)| (mv, count)))
}

impl Command {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let position = self.position()?;
        let perft = self.perft()?;
        let began = Instant::now();
        let moves = self.divide.then(|| self.divide(&perft, &position));
        let nodes = match &moves {
            Some(moves) if self.depth > 0 => moves.iter().map(|(_, count)| count).sum(),
            _ => perft.count(&position, self.depth),
        };
        let seconds = began.elapsed().as_secs_f64();
        let report = Report {
            depth: self.depth,
            nodes,
            seconds,
            nodes_per_second: (nodes as f64 / seconds.max(1e-9)) as u64,
            moves,
        };
        self.print(&report, out)?;
        Ok(Answer::Yes)
    }

    fn position(&self) -> Result<Position, Failure> {
        let text = self.pos.as_deref().unwrap_or("start");
        Ok(self.choice.read(text)?.position())
    }

    fn perft(&self) -> Result<Perft, Failure> {
        let refuse = |error: engine::rules::perft::PerftError| Failure::Input(error.to_string());
        let mut perft = if self.merged {
            Perft::merged()
        } else {
            Perft::by_route()
        };
        if let Some(megabytes) = self.hash {
            perft = perft.with_table(megabytes as usize).map_err(refuse)?;
        }
        if self.threads > 1 {
            perft = perft
                .with_threads(usize::from(self.threads))
                .map_err(refuse)?;
        }
        Ok(perft)
    }

    fn divide(&self, perft: &Perft, position: &Position) -> Vec<(String, u64)> {
        perft
            .divide(position, self.depth)
            .into_iter()
            .map(|(route, count)| (moves::write_route(&route, self.notation.notation), count))
            .collect()
    }

    fn print(&self, report: &Report, out: &mut impl Write) -> Result<(), Failure> {
        if self.json {
            let line = serde_json::to_string(report).map_err(io::Error::from)?;
            writeln!(out, "{line}")?;
            return Ok(());
        }
        for (mv, count) in report.moves.iter().flatten() {
            writeln!(out, "{mv:<14} {count:>20}")?;
        }
        writeln!(
            out,
            "perft({}) = {} in {:.3} s, {:.1} million a second",
            report.depth,
            report.nodes,
            report.seconds,
            report.nodes_per_second as f64 / 1e6
        )?;
        Ok(())
    }
}
