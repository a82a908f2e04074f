//! `crownhead show`: a position in every form, with its legal moves.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use engine::notation::{Notation, ReadPosition, diagram};
use protocol::json::forms::Standing;

use super::input::{NotationArgs, PositionArgs, turn_is_assumed};
use super::{Answer, Failure, warn};

/// Show a position: the board, its FEN, the legal moves.
#[derive(Debug, Args)]
pub(super) struct Show {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Draw the board as SVG into a file (- for standard output, instead of the text).
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let read = self.position.read()?;
        read.record
            .warnings
            .iter()
            .for_each(|warning| warn(warning));
        let notation = self.notation.notation;
        if let Some(path) = &self.svg {
            let svg = diagram::svg(&read.position(), notation);
            if path.as_os_str() == "-" {
                out.write_all(svg.as_bytes())?;
                return Ok(Answer::Yes);
            }
            std::fs::write(path, svg).map_err(|error| {
                Failure::Input(format!("{}: cannot write: {error}", path.display()))
            })?;
        }
        let shown = Standing::of(&read.game, notation);
        if self.json {
            let line = serde_json::to_string(&shown).map_err(std::io::Error::from)?;
            writeln!(out, "{line}")?;
        } else {
            print(&read, &shown, notation, out)?;
        }
        Ok(Answer::Yes)
    }
}

fn print(
    read: &ReadPosition,
    shown: &Standing,
    notation: Notation,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let position = read.position();
    write!(out, "{}", diagram::print(&position, notation))?;
    let assumed = if turn_is_assumed(read) {
        " (assumed; --turn white for the other side)"
    } else {
        ""
    };
    writeln!(out, "\n{}\n{} to move{assumed}", shown.fen, position.turn())?;
    if let Some(outcome) = read.game.outcome() {
        writeln!(out, "{outcome}")?;
    }
    if !shown.legal_moves.is_empty() {
        let count = shown.legal_moves.len();
        let plural = if count == 1 { "" } else { "s" };
        let list = shown.legal_moves.join(" ");
        writeln!(out, "{count} legal move{plural}: {list}")?;
    }
    Ok(())
}
