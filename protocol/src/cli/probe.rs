//! `crownhead probe`: what the endgame databases say of a position and of each of its moves.

use std::ffi::OsString;
use std::io::Write;

use clap::Args;
use engine::notation::{diagram, fen, moves};
use engine::rules::{Move, Position};
use engine::tablebase::{Tablebase, Wld};
use protocol::databases::{self, CACHE_MB, Wanted};
use serde::Serialize;

use super::input::{NotationArgs, PositionArgs};
use super::{Answer, Failure};

/// Look a position up in the endgame databases.
#[derive(Debug, Args)]
pub(super) struct Probe {
    #[command(flatten)]
    position: PositionArgs,
    /// The folders of databases, separated as in PATH; up to five pieces are built in.
    #[arg(long, value_name = "DIR")]
    tablebase: Option<OsString>,
    #[command(flatten)]
    notation: NotationArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The keys of `--json`. The distances are for databases that have them; none has yet.
#[derive(Serialize)]
struct Probed {
    fen: String,
    value: Option<&'static str>,
    distance: Option<u32>,
    forty_move_value: Option<&'static str>,
    moves: Vec<ProbedMove>,
}

/// One legal move; the value is for the side that makes it.
#[derive(Serialize)]
struct ProbedMove {
    #[serde(rename = "move")]
    text: String,
    value: Option<&'static str>,
    distance: Option<u32>,
}

impl Probe {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let position = self.position.read()?.position();
        let found = databases::open(&Wanted::option(self.tablebase.as_ref()), CACHE_MB)
            .map_err(|error| Failure::Input(error.to_string()))?;
        let tablebase = found.tablebase.unwrap_or_else(|| Tablebase::empty(0));
        let value = tablebase.probe(&position);
        let moves = self.moves(&position, &tablebase);
        if self.json {
            let probed = Probed {
                fen: fen::write(&position),
                value: value.as_ref().ok().map(|value| value.name()),
                distance: None,
                forty_move_value: None,
                moves,
            };
            let line = serde_json::to_string(&probed).map_err(std::io::Error::from)?;
            writeln!(out, "{line}")?;
        } else {
            write!(out, "{}", diagram::print(&position, self.notation.notation))?;
            writeln!(out, "\n{}\n{}", fen::write(&position), found.line)?;
            match &value {
                Ok(value) => writeln!(out, "{} to move: {value}", position.turn())?,
                Err(error) => writeln!(out, "unknown: {error}")?,
            }
            for ProbedMove { text, value, .. } in moves {
                writeln!(out, "{text:>8}  {}", value.unwrap_or("unknown"))?;
            }
        }
        Ok(if value.is_ok() {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    /// Every legal move, the best for the mover first; unknown ones last.
    fn moves(&self, position: &Position, tablebase: &Tablebase) -> Vec<ProbedMove> {
        let value = |mv: Move| tablebase.probe(&position.play(mv)).ok().map(|value| -value);
        let mut all: Vec<(Move, Option<Wld>)> = position
            .legal_moves()
            .into_iter()
            .map(|mv| (mv, value(mv)))
            .collect();
        all.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        all.into_iter()
            .map(|(mv, value)| ProbedMove {
                text: moves::write(mv, position, self.notation.notation),
                value: value.map(Wld::name),
                distance: None,
            })
            .collect()
    }
}
