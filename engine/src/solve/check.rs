//! Checks a certificate, trusting nobody: read this file to know what a proof is worth.
//!
//! It has its own board and its own moves, written for clarity, and shares no code with the
//! search that made the certificate. What it trusts: this file, and the endgame databases (whose
//! checksums the certificate names) with their reader. The format is in `certificate`.
//!
//! The argument. A strategy names a move for each of its positions (steps). After it, every
//! legal reply leads to another step, or to an end whose value is known, so its side is never
//! without an answer. With aim `hold` no end is lost, so the side never loses, even if play goes
//! on for ever, which is a draw. With aim `win` all ends are won and every reply leads to an
//! EARLIER step, so play ends, and ends won. `Strategy::check` does this, 30 lines.
//!
//! Under the 40-move rule a strategy to hold is as good as without it. One to win must besides reach
//! a capture, a man's move or the end within 80 plies wherever it stands; `answers` counts them.

mod board;
mod file;

use std::collections::{BTreeMap, HashMap};

use self::board::{Board, Step};
use self::file::File;
use super::leaf::Rules;
use crate::board::Color;
use crate::rules::Position;
use crate::rules::law::QUIET_PLIES_TO_DRAW;
use crate::tablebase::{Slice, Tablebase, Wld, distance};

/// Why a certificate is refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct Refusal {
    /// The line, the step or the database.
    pub place: String,
    /// What is wrong there.
    pub fault: String,
}

fn refuse<T>(place: impl Into<String>, fault: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal {
        place: place.into(),
        fault: fault.into(),
    })
}

/// What a sound certificate proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// The position, as FEN.
    pub fen: String,
    /// `win`, `draw`, `loss`, `at-least-draw` or `at-most-draw`, for the side to move.
    pub claim: String,
    /// The rules that it is proven under.
    pub rules: Rules,
    /// Positions with a named move.
    pub steps: usize,
    /// Ends that a database decides.
    pub database_ends: u64,
    /// Ends without a legal move.
    pub final_ends: u64,
}

/// The most pieces of a side in any database.
const MOST_A_SIDE: u32 = 4;

struct Strategy {
    side: Color,
    wins: bool,
    /// How many steps the header promises.
    count: usize,
    /// Each position with the number of its move, in the order of the file.
    steps: Vec<(Board, usize)>,
    places: HashMap<Board, usize>,
}

/// What ends are looked up in, and how many there were.
struct Ends<'a> {
    tablebase: &'a Tablebase,
    /// Under the 40-move rule: wins of the databases count up to so many pieces.
    forty: Option<u32>,
    database: u64,
    last: u64,
}

/// Plies to the next capture, man's move or end of the game at the most; only counted for wins
/// under the 40-move rule.
type Plies = u32;

impl Strategy {
    /// Checks every step, then that the strategy answers the root.
    fn check(&self, root: &Board, ends: &mut Ends<'_>) -> Result<(), Refusal> {
        let mut plies = Vec::with_capacity(self.steps.len());
        for (number, (board, mv)) in self.steps.iter().enumerate() {
            let place = || format!("step {} of {}, {}", number + 1, self.name(), board.fen());
            let moves = board.moves();
            let Some(&mv) = moves.get(*mv) else {
                let fault = format!("its move is number {mv} of {}", moves.len());
                return refuse(place(), fault);
            };
            // With a win, only steps before this one count as answered.
            let limit = if self.wins { number } else { usize::MAX };
            let after = self
                .answers(&board.play(mv), limit, &plies, ends)
                .or_else(|fault| refuse(place(), fault))?;
            plies.push(counted(board.is_progress(mv), after).or_else(|it| refuse(place(), it))?);
        }
        let answered = if root.turn == self.side {
            self.settles(root, usize::MAX, &plies, ends)
        } else {
            self.answers(root, usize::MAX, &plies, ends)
        };
        let place = || format!("the position itself, {}", self.name());
        answered.map(drop).or_else(|fault| refuse(place(), fault))
    }

    /// Whether the strategy has an answer to everything that the opponent, to move on `board`,
    /// can do; `plies` are those of the steps so far.
    fn answers(
        &self,
        board: &Board,
        limit: usize,
        plies: &[Plies],
        ends: &mut Ends<'_>,
    ) -> Result<Plies, String> {
        let moves = board.moves();
        if moves.is_empty() {
            ends.last += 1;
            return Ok(1);
        }
        if let Some(value) = board.database_value(ends.tablebase) {
            return self.accepts(board, value, ends);
        }
        let mut most = 0;
        for mv in moves {
            let after = self
                .settles(&board.play(mv), limit, plies, ends)
                .and_then(|after| counted(board.is_progress(mv), after))
                .map_err(|fault| format!("after the reply {}: {fault}", text(mv)))?;
            most = most.max(after);
        }
        Ok(most)
    }

    /// Whether `board`, with the strategy's side to move, is a step before `limit`, or an end
    /// that serves the aim.
    fn settles(
        &self,
        board: &Board,
        limit: usize,
        plies: &[Plies],
        ends: &mut Ends<'_>,
    ) -> Result<Plies, String> {
        match self.places.get(board) {
            Some(&place) if place < limit => {
                let counts = self.wins && ends.forty.is_some();
                return Ok(if counts { plies[place] } else { 0 });
            }
            Some(&place) => {
                return Err(format!(
                    "play goes to the later step {}, perhaps in a circle",
                    place + 1
                ));
            }
            None => {}
        }
        if board.moves().is_empty() {
            return Err(format!("{} has no move and has lost", self.side));
        }
        match board.database_value(ends.tablebase) {
            Some(value) => self.accepts(board, value, ends),
            None => Err(format!("{} is not answered", board.fen())),
        }
    }

    /// Whether the database's `value` of `board` serves the aim.
    fn accepts(&self, board: &Board, value: Wld, ends: &mut Ends<'_>) -> Result<Plies, String> {
        ends.database += 1;
        let fen = board.fen();
        let value = if board.turn == self.side {
            value
        } else {
            -value
        };
        if value == Wld::Loss || (value == Wld::Draw && self.wins) {
            return Err(format!(
                "by the database {fen} is a {value} for {}",
                self.side
            ));
        }
        let Some(most) = ends.forty.filter(|_| self.wins) else {
            return Ok(0);
        };
        let distance = |position: Position| ends.tablebase.distance(&position).ok().flatten();
        match board.position().and_then(distance) {
            Some(plies) if board.pieces() <= most => Ok(plies),
            _ => Err(format!("{fen} may be won too late for the 40-move rule")),
        }
    }

    fn name(&self) -> String {
        let aim = if self.wins { "win" } else { "hold" };
        format!("{}'s strategy to {aim}", self.side)
    }
}

/// The plies before a move of which `after` are left after it; progress begins the count anew.
fn counted(is_progress: bool, after: Plies) -> Result<Plies, String> {
    if after > QUIET_PLIES_TO_DRAW {
        return Err(format!("the next progress is {after} plies away"));
    }
    Ok(if is_progress { 1 } else { after + 1 })
}

/// Up to how many pieces every win of the databases keeps within the 40-move rule: distances of
/// all slices with kings on both sides are there (elsewhere every other ply is progress), and none
/// is too long. So after the next progress the position is won within the rule again.
pub(super) fn forty_move_pieces(tablebase: &Tablebase) -> u32 {
    let fits = |slice: &Slice| {
        let mut images = tablebase.distances().iter().map(distance::Image::header);
        images.any(|it| it.slice == *slice && u32::from(it.longest) <= QUIET_PLIES_TO_DRAW)
    };
    let with_kings = |slice: &Slice| slice.own.kings > 0 && slice.their.kings > 0;
    let all_fit = |&pieces: &u32| {
        let slices = Slice::all(pieces, MOST_A_SIDE);
        slices.iter().filter(|it| with_kings(it)).all(fits)
    };
    let pieces = 2..=tablebase.most_pieces();
    pieces.take_while(all_fit).last().unwrap_or(0)
}

fn text((from, to, captured): Step) -> String {
    let dash = if captured == 0 { '-' } else { 'x' };
    format!("{}{dash}{}", from + 1, to + 1)
}

/// Checks the bytes of a certificate against these databases.
///
/// # Errors
///
/// [`Refusal`] names the first place that is wrong: damage, a step that is no legal move, a reply
/// without an answer, an end with another value, a strategy to win that goes round in a circle,
/// a database with another checksum, strategies that do not prove the claim.
pub fn check(bytes: &[u8], tablebase: &Tablebase) -> Result<Proven, Refusal> {
    let file = file::read(bytes)?;
    check_databases(&file.databases, tablebase)?;
    check_claim(&file)?;
    let mut ends = Ends {
        tablebase,
        forty: (file.rules == Rules::FortyMoves).then(|| forty_move_pieces(tablebase)),
        database: 0,
        last: 0,
    };
    for strategy in &file.strategies {
        strategy.check(&file.root, &mut ends)?;
    }
    Ok(Proven {
        fen: file.root.fen(),
        claim: file.claim,
        rules: file.rules,
        steps: file.strategies.iter().map(|it| it.steps.len()).sum(),
        database_ends: ends.database,
        final_ends: ends.last,
    })
}

/// A claim and who must do what for it.
fn check_claim(file: &File) -> Result<(), Refusal> {
    let mover = file.root.turn;
    let needs = match file.claim.as_str() {
        "win" => vec![(mover, true)],
        "loss" => vec![(!mover, true)],
        "draw" => vec![(mover, false), (!mover, false)],
        "at-least-draw" => vec![(mover, false)],
        "at-most-draw" => vec![(!mover, false)],
        other => return refuse("line \"claim\"", format!("{other} is no claim")),
    };
    for (side, wins) in needs {
        if !file
            .strategies
            .iter()
            .any(|it| (it.side, it.wins) == (side, wins))
        {
            let aim = if wins { "win" } else { "hold" };
            let fault = format!("the claim {} needs {side}'s strategy to {aim}", file.claim);
            return refuse("header", fault);
        }
    }
    Ok(())
}

fn check_databases(wanted: &BTreeMap<String, u32>, tablebase: &Tablebase) -> Result<(), Refusal> {
    let mut missing = wanted.clone();
    for image in tablebase.images() {
        let slice = image.header().slice;
        let name = format!("{}{}", slice.own, slice.their);
        if let Some(sum) = missing.remove(&name) {
            let found = crc32fast::hash(image.bytes());
            if found != sum {
                let fault =
                    format!("its checksum is {found:08x}; the certificate relies on {sum:08x}");
                return refuse(format!("database {name}"), fault);
            }
        }
    }
    match missing.keys().next() {
        Some(name) => refuse(
            format!("database {name}"),
            "it is not loaded; see --tablebase",
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_comes_within_eighty_plies() {
        assert_eq!(counted(false, 79), Ok(80));
        assert_eq!(counted(true, 80), Ok(1));
        assert!(counted(true, 81).is_err());
    }
}
