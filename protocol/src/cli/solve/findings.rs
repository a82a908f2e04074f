//! What people want to know beyond the value: the main line, the only moves, the refutations.
//!
//! Built from the strategies of a proof and from database values, so that every move told as
//! proven is. Knows nothing of how it is printed. Start reading at [`Findings::of`].

use std::collections::HashMap;
use std::time::Duration;

use engine::board::Color;
use engine::engine::Engine;
use engine::rules::{Game, Move, Position};
use engine::search::Limits;
use engine::solve::{Aim, MoveValue, Solution, Solver, Strategy};
use engine::tablebase::Wld;

/// The longest line that is told, in plies.
const LONGEST_LINE: usize = 80;
/// Nodes with which the engine picks a move among those that the databases call equal.
const NODES_A_PLY: u64 = 4_000;

/// A move of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineMove {
    pub(super) mv: Move,
    /// The only legal move.
    pub(super) forced: bool,
    /// Played where the databases know the value already.
    pub(super) by_database: bool,
}

/// All that is told of one position.
pub(super) struct Findings {
    pub(super) line: Vec<LineMove>,
    /// Every first move with what is proven of it; empty if no value is.
    pub(super) moves: Vec<MoveValue>,
}

impl Findings {
    /// Looks at `solution`, taking `time` for first moves that its proof says nothing of.
    pub(super) fn of(
        solution: &Solution,
        solver: &Solver,
        engine: &mut Engine,
        time: Duration,
    ) -> Self {
        let Some(value) = solution.bounds.value() else {
            return Self {
                line: Vec::new(),
                moves: Vec::new(),
            };
        };
        let mut line = proven_line(solution, value);
        extend(solution.position, &mut line, solver, engine);
        Self {
            line,
            moves: solver.moves(&solution.position, value, time),
        }
    }

    /// The first moves that keep `value`, proven.
    pub(super) fn keeping(&self, value: Wld) -> Vec<Move> {
        let keeps = |it: &&MoveValue| it.bounds.lower >= value;
        self.moves.iter().filter(keeps).map(|it| it.mv).collect()
    }

    /// The first moves of which it is not known whether they keep `value`.
    pub(super) fn unknown(&self, value: Wld) -> Vec<Move> {
        let open = |it: &&MoveValue| it.bounds.lower < value && it.bounds.upper >= value;
        self.moves.iter().filter(open).map(|it| it.mv).collect()
    }

    /// The first moves that throw `value` away, proven.
    pub(super) fn worse(&self, value: Wld) -> impl Iterator<Item = &MoveValue> {
        self.moves.iter().filter(move |it| it.bounds.upper < value)
    }
}

/// The line of the strategies: the longest resistance against a win, any line of a draw.
fn proven_line(solution: &Solution, value: Wld) -> Vec<LineMove> {
    let sides = Color::BOTH.map(|side| solution.strategy(side).map(Choices::of));
    let mut position = solution.position;
    let mut line = Vec::new();
    let mut seen = vec![position];
    while line.len() < LONGEST_LINE {
        let own = sides[position.turn().index()].as_ref();
        let other = sides[position.turn().opponent().index()].as_ref();
        let mv = match (own, other) {
            (Some(own), _) if value == Wld::Draw || own.wins => {
                own.moves.get(&position).map(|it| it.0)
            }
            (_, Some(other)) => other.toughest_reply(&position),
            _ => None,
        };
        let Some(mv) = mv else { break };
        line.push(LineMove {
            mv,
            forced: position.legal_moves().len() == 1,
            by_database: false,
        });
        position = position.play(mv);
        if seen.contains(&position) {
            break;
        }
        seen.push(position);
    }
    line
}

/// A strategy to look moves up in.
struct Choices {
    wins: bool,
    /// The move, and of a win the plies to its end.
    moves: HashMap<Position, (Move, u32)>,
}

impl Choices {
    fn of(strategy: &Strategy) -> Self {
        let wins = strategy.aim == Aim::Win;
        let mut moves = HashMap::new();
        for &(position, mv) in &strategy.steps {
            let plies = if wins {
                plies_after(&moves, &position.play(mv)) + 2
            } else {
                0
            };
            moves.insert(position, (mv, plies));
        }
        Self { wins, moves }
    }

    /// The reply after which the strategy takes longest; `None` if all lead to its end.
    fn toughest_reply(&self, position: &Position) -> Option<Move> {
        let plies = |mv: &Move| self.moves.get(&position.play(*mv)).map_or(0, |it| it.1);
        let moves = position.legal_moves();
        let known = moves
            .iter()
            .any(|mv| self.moves.contains_key(&position.play(*mv)));
        moves.into_iter().filter(|_| known).max_by_key(plies)
    }
}

fn plies_after(moves: &HashMap<Position, (Move, u32)>, position: &Position) -> u32 {
    let replies = position.legal_moves().into_iter();
    replies
        .filter_map(|reply| moves.get(&position.play(reply)).map(|it| it.1))
        .max()
        .unwrap_or(0)
}

/// Goes on where the databases know the value, with moves that keep it.
fn extend(root: Position, line: &mut Vec<LineMove>, solver: &Solver, engine: &mut Engine) {
    let mut game = Game::new(root);
    for played in line.iter() {
        if game.play(played.mv).is_err() {
            return;
        }
    }
    while line.len() < LONGEST_LINE && game.outcome().is_none() && game.occurrences() < 2 {
        let position = game.position();
        let Ok(value) = solver.tablebase().probe(&position) else {
            return;
        };
        let settled = value == Wld::Draw && game.quiet_plies() > 8;
        engine.set_game(game.clone());
        let best = engine.search(Limits::to_nodes(NODES_A_PLY)).best;
        let kept = |mv: &Move| solver.tablebase().probe(&position.play(*mv)) == Ok(-value);
        let Some(mv) = best.filter(kept).filter(|_| !settled) else {
            return;
        };
        line.push(LineMove {
            mv,
            forced: position.legal_moves().len() == 1,
            by_database: true,
        });
        if game.play(mv).is_err() {
            return;
        }
    }
}
