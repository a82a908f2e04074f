//! `crownhead probe`: what the endgame databases say of a position and of each of its moves.

use std::ffi::OsString;
use std::io::Write;

use clap::Args;
use engine::notation::{diagram, fen, moves};
use engine::rules::Game;
use engine::tablebase::{Rated, Tablebase, Wld, forty_move_value};
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

/// The keys of `--json`. A distance counts plies to the next capture or man's move.
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
        let game = self.position.read()?.game;
        let found = databases::open(&Wanted::option(self.tablebase.as_ref()), CACHE_MB)
            .map_err(|error| Failure::Input(error.to_string()))?;
        let tablebase = found.tablebase.unwrap_or_else(|| Tablebase::empty(0));
        let value = tablebase.probe(&game.position());
        let probed = self.probed(&game, &tablebase);
        if self.json {
            let line = serde_json::to_string(&probed).map_err(std::io::Error::from)?;
            writeln!(out, "{line}")?;
        } else {
            let position = game.position();
            write!(out, "{}", diagram::print(&position, self.notation.notation))?;
            writeln!(out, "\n{}\n{}", probed.fen, found.line)?;
            match &value {
                Ok(_) => writeln!(out, "{} to move: {}", position.turn(), probed.told(&game))?,
                Err(error) => writeln!(out, "unknown: {error}")?,
            }
            for it in &probed.moves {
                let value = told(it.value, it.distance);
                writeln!(out, "{:>8}  {value}", it.text)?;
            }
        }
        Ok(if value.is_ok() {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    fn probed(&self, game: &Game, tablebase: &Tablebase) -> Probed {
        let position = game.position();
        let value = tablebase.probe(&position).ok();
        let distance = tablebase.distance(&position).ok().flatten();
        let forty_moves = match value {
            Some(Wld::Draw) => value,
            _ => value
                .filter(|_| distance.is_some())
                .map(|value| forty_move_value(value, distance, game.quiet_plies())),
        };
        let mut moves = tablebase.rate_moves(&position);
        moves.sort_by_key(Rated::order);
        let probed = |rated: &Rated| ProbedMove {
            text: moves::write(rated.mv, &position, self.notation.notation),
            value: rated.value.map(Wld::name),
            distance: rated.distance,
        };
        Probed {
            fen: fen::write(&position),
            value: value.map(Wld::name),
            distance,
            forty_move_value: forty_moves.map(Wld::name),
            moves: moves.iter().map(probed).collect(),
        }
    }
}

impl Probed {
    fn told(&self, game: &Game) -> String {
        let value = told(self.value, self.distance);
        if self.forty_move_value == self.value || self.forty_move_value.is_none() {
            return value;
        }
        let quiet = game.quiet_plies();
        format!(
            "{value}, but the 40-move rule makes it a draw from here ({quiet} plies are gone already)"
        )
    }
}

/// A value with its distance, for people.
fn told(value: Option<&str>, distance: Option<u32>) -> String {
    match (value, distance) {
        (None, _) => "unknown".into(),
        (Some(value), None) => value.into(),
        (Some(value), Some(1)) => format!("{value}, by a capture or a man's move at once"),
        (Some(value), Some(plies)) => {
            format!("{value}, {plies} plies to a capture or a man's move")
        }
    }
}
