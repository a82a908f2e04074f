//! The JSON objects that more than one command writes.

use engine::eval::network::Network;
use engine::notation::{Notation, fen, moves};
use engine::rules::{Game, Outcome, Position};
use engine::score::Score;
use engine::search::Report;
use engine::tablebase::Wld;
use serde::Serialize;

use crate::hub::hub_score;
use crate::words;

/// How a game stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The position, in the one written form.
    pub fen: String,
    /// `black` or `white`.
    pub turn: String,
    /// In the chosen notation; empty for a side that has lost.
    pub legal_moves: Vec<String>,
    /// `null` while the game goes on.
    pub outcome: Option<Ended>,
}

/// Who won, nobody for a draw, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ended {
    /// `black`, `white` or `null`.
    pub winner: Option<String>,
    /// The rule, in words.
    pub reason: String,
}

/// Shares of 1, to three places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Chances {
    /// Won.
    pub win: f64,
    /// Drawn.
    pub draw: f64,
    /// Lost.
    pub loss: f64,
}

impl Chances {
    /// What `score` means with the network in use.
    #[must_use]
    pub fn of(score: Score) -> Self {
        let chances = Network::in_use().chances(score);
        let rounded = |share: f64| (1000.0 * share).round() / 1000.0;
        Self {
            win: rounded(chances.win),
            draw: rounded(chances.draw),
            loss: rounded(chances.loss),
        }
    }

    /// `win/draw/loss` of a hundred games.
    #[must_use]
    pub fn percent(self) -> String {
        let [win, draw, loss] = [self.win, self.draw, self.loss].map(|share| 100.0 * share);
        format!("{win:.0}/{draw:.0}/{loss:.0} %")
    }
}

/// A line of play of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The iteration, in plies.
    pub depth: i16,
    /// From 1, the best.
    pub line: usize,
    /// In men, for the side to move; wins as Hub writes them.
    pub score: f64,
    /// `win`, `draw` or `loss` of the side to move where it is proven, else `null`.
    pub value: Option<&'static str>,
    /// How games end from there, for the side to move.
    pub chances: Chances,
    /// The better side in words.
    pub better: String,
    /// Positions searched so far.
    pub nodes: u64,
    /// Since the search began.
    pub seconds: f64,
    /// Positions a second.
    pub nps: u64,
    /// The moves, in the chosen notation.
    pub pv: Vec<String>,
}

impl Standing {
    /// Of the last position of a game.
    #[must_use]
    pub fn of(game: &Game, notation: Notation) -> Self {
        let position = game.position();
        Self {
            fen: fen::write(&position),
            turn: position.turn().to_string().to_lowercase(),
            legal_moves: moves::list(&position, notation),
            outcome: game.outcome().map(Ended::from),
        }
    }
}

impl From<Outcome> for Ended {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win(winner) => Self {
                winner: Some(winner.to_string().to_lowercase()),
                reason: format!("{} has no legal move", !winner),
            },
            Outcome::Draw(reason) => Self {
                winner: None,
                reason: reason.to_string(),
            },
        }
    }
}

impl Line {
    /// A report about `position`.
    #[must_use]
    pub fn of(report: &Report, position: Position, notation: Notation) -> Self {
        Self {
            depth: report.depth.0,
            line: report.line,
            score: hub_score(report.score),
            value: report.proven().map(Wld::name),
            chances: Chances::of(report.score),
            better: words::better_side(report.score, &position),
            nodes: report.nodes,
            seconds: report.time.as_secs_f64(),
            nps: report.nodes_per_second(),
            pv: words::line(position, &report.pv, notation),
        }
    }
}
