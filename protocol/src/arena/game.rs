//! One game between two engines, with our own rules as the judge.
//!
//! Owns the course of a game and the rule by which a misbehaving engine loses it: the engine at
//! fault has lost, whatever the position. Knows nothing of matches. Start reading at [`play`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engine::board::Color;
use engine::notation::{Notation, fen, moves};
use engine::rules::{Game, Outcome, Position};
use engine::tablebase::{Tablebase, Wld};

use super::adjudicate::{Adjudication, Agreed, Agreement};
use super::openings::Opening;
use super::record::{GameResult, Note, Reason};
use super::time::{Allowance, PlayerClock, budget};
use crate::client::{Client, ClientError, Thought};

/// What holds for every game of a match.
#[derive(Clone, Debug)]
pub struct Terms {
    /// How much more than allowed a move may take without losing.
    pub margin: Duration,
    /// How long a search without a time limit may take.
    pub patience: Duration,
    /// Agreements that end a game.
    pub adjudication: Adjudication,
    /// Databases that end a game as soon as they have the value of its position. They do not count
    /// the 40-move rule.
    pub judge: Option<Arc<Tablebase>>,
}

impl Terms {
    fn judged(&self, position: &Position) -> Option<End> {
        let value = self.judge.as_ref()?.probe(position).ok()?;
        let result = match value {
            Wld::Win => GameResult::win(position.turn()),
            Wld::Loss => GameResult::win(!position.turn()),
            Wld::Draw => GameResult::Draw,
        };
        Some(End {
            result,
            reason: Reason::Database,
            detail: String::new(),
        })
    }
}

/// How much longer than its time and the margin an engine is waited for: whoever answers within
/// it has lost on time, whoever does not has hung.
const GRACE: Duration = Duration::from_secs(2);

/// How a game ended.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Who won.
    pub result: GameResult,
    /// Why.
    pub reason: Reason,
    /// Particulars; empty if there are none.
    pub detail: String,
}

impl End {
    fn fault(culprit: Color, reason: Reason, detail: String) -> Self {
        Self {
            result: GameResult::win(!culprit),
            reason,
            detail,
        }
    }

    /// The end of a game that the engine of `culprit` cannot go on with.
    #[must_use]
    pub fn failure(culprit: Color, error: &ClientError, starting: bool) -> Self {
        let reason = match error {
            _ if starting => Reason::NotReady,
            ClientError::Silent { .. } => Reason::Hang,
            _ => Reason::Crash,
        };
        Self::fault(culprit, reason, error.to_string())
    }

    /// The side that lost by misbehaviour.
    #[must_use]
    pub fn culprit(&self) -> Option<Color> {
        let loser = match self.result {
            GameResult::Black => Color::White,
            _ => Color::Black,
        };
        self.reason.is_anomaly().then_some(loser)
    }
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub struct Played {
    /// All moves, the opening's included, in full numeric form.
    pub moves: Vec<String>,
    /// One for each move after the opening.
    pub notes: Vec<Note>,
    /// How it ended.
    pub end: End,
}

impl Played {
    /// A game that ended before it began.
    #[must_use]
    pub fn unplayed(opening: &Opening, end: End) -> Self {
        Table::new(opening, [&Allowance::default(); 2]).close(end)
    }
}

/// Plays a game; `players` and `allowances` are indexed by colour. `None` if `stop` was set
/// before the game was over.
pub fn play(
    opening: &Opening,
    players: &mut [Client; 2],
    allowances: [&Allowance; 2],
    terms: &Terms,
    stop: &AtomicBool,
) -> Option<Played> {
    let mut table = Table::new(opening, allowances);
    for color in Color::BOTH {
        if let Err(error) = players[color.index()].new_game() {
            let end = End::failure(color, &error, false);
            return (!stop.load(Ordering::Relaxed)).then(|| table.close(end));
        }
    }
    loop {
        if let Some(end) = table.ended(terms) {
            return Some(table.close(end));
        }
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let turn = table.game.position().turn();
        if let Err(end) = table.turn(&mut players[turn.index()], allowances[turn.index()], terms) {
            // Whoever was interrupted is not at fault.
            return (!stop.load(Ordering::Relaxed)).then(|| table.close(end));
        }
    }
}

/// A game in progress.
struct Table {
    game: Game,
    clocks: [PlayerClock; 2],
    agreement: Agreement,
    agreed: Option<Agreed>,
    moves: Vec<String>,
    notes: Vec<Note>,
}

impl Table {
    fn new(opening: &Opening, allowances: [&Allowance; 2]) -> Self {
        let game = opening.game();
        let moves = game
            .history()
            .map(|(before, mv)| moves::write_full(mv, &before, Notation::Numeric))
            .collect();
        Self {
            game,
            clocks: allowances.map(|allowance| PlayerClock::new(allowance.time)),
            agreement: Agreement::default(),
            agreed: None,
            moves,
            notes: Vec::new(),
        }
    }

    fn close(self, end: End) -> Played {
        Played {
            moves: self.moves,
            notes: self.notes,
            end,
        }
    }

    /// The end by the rules, by an agreement, or by a database.
    fn ended(&self, terms: &Terms) -> Option<End> {
        let (result, reason) = match (self.game.outcome(), self.agreed) {
            (Some(Outcome::Win(winner)), _) => (GameResult::win(winner), Reason::NoMove),
            (Some(Outcome::Draw(reason)), _) => (GameResult::Draw, reason.into()),
            (None, Some(Agreed::Win(winner))) => (GameResult::win(winner), Reason::AgreedWin),
            (None, Some(Agreed::Draw)) => (GameResult::Draw, Reason::AgreedDraw),
            (None, None) => return terms.judged(&self.game.position()),
        };
        let consent = match reason {
            Reason::AgreedWin => terms.adjudication.win,
            Reason::AgreedDraw => terms.adjudication.draw,
            _ => None,
        };
        let detail =
            consent.map(|consent| format!("{} men for {} plies", consent.score, consent.plies));
        Some(End {
            result,
            reason,
            detail: detail.unwrap_or_default(),
        })
    }

    /// One move by `player`, or the end of the game through its fault.
    fn turn(
        &mut self,
        player: &mut Client,
        allowance: &Allowance,
        terms: &Terms,
    ) -> Result<(), End> {
        let turn = self.game.position().turn();
        let allowed = self.clocks[turn.index()].allowed();
        let limit = allowed.map_or(terms.patience, |allowed| allowed + terms.margin + GRACE);
        let budget = budget(allowance, &self.clocks);
        let thought = player
            .think(&self.game, &budget, limit)
            .map_err(|error| End::failure(turn, &error, false))?;
        if let Some(over) = allowed.and_then(|allowed| thought.elapsed.checked_sub(allowed))
            && over > terms.margin
        {
            let detail = format!(
                "{:.0} ms over its {:.0} ms",
                over.as_secs_f64() * 1e3,
                (thought.elapsed - over).as_secs_f64() * 1e3
            );
            return Err(End::fault(turn, Reason::Time, detail));
        }
        self.accept(&thought, allowed, terms)
    }

    fn accept(
        &mut self,
        thought: &Thought,
        allowed: Option<Duration>,
        terms: &Terms,
    ) -> Result<(), End> {
        let position = self.game.position();
        let turn = position.turn();
        let illegal = |detail| End::fault(turn, Reason::IllegalMove, detail);
        let Some(answer) = &thought.answer else {
            let detail = format!("no move given in {}", fen::write(&position));
            return Err(illegal(detail));
        };
        let mv = moves::play(answer, &mut self.game)
            .map_err(|error| illegal(format!("{error}, in {}", fen::write(&position))))?;
        self.clocks[turn.index()].spend(thought.elapsed);
        self.moves
            .push(moves::write_full(mv, &position, Notation::Numeric));
        self.notes.push(Note {
            score: thought.info.score,
            depth: thought.info.depth,
            nodes: thought.info.nodes,
            time: rounded(thought.elapsed),
            allowed: allowed.map(rounded),
            clock: self.clocks[turn.index()].left().map(rounded),
        });
        self.agreed = self
            .agreement
            .hear(&terms.adjudication, turn, thought.info.score);
        Ok(())
    }
}

/// Seconds to the tenth of a millisecond, which keeps records short.
fn rounded(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e4).round() / 1e4
}
