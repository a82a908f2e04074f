//! Where a printed solution fails: the first of its moves that throws something away.

use std::time::Duration;

use engine::rules::{Move, Position};
use engine::solve::{Solution, Solver};
use engine::tablebase::Wld;

use super::source::Problem;

/// What became of the printed solution.
pub(super) enum Explanation {
    /// Nothing was printed.
    NothingPrinted,
    /// No move of it throws away a proven value; `checked` plies were proven.
    Holds { checked: usize },
    /// A move that turns `before` into `after`, both for the side that makes it.
    Fails {
        ply: usize,
        position: Position,
        mv: Move,
        before: Wld,
        after: Wld,
        /// What should have been played, and the answer that refutes the move.
        better: Option<Move>,
        reply: Option<Move>,
    },
}

impl Explanation {
    /// Follows the printed moves of `problem`, with `time` for each.
    pub(super) fn of(
        problem: &Problem,
        solution: &Solution,
        solver: &Solver,
        time: Duration,
    ) -> Self {
        if problem.printed.is_empty() {
            return Self::NothingPrinted;
        }
        let mut position = problem.position;
        let mut value = solution.bounds.value();
        let mut checked = 0;
        for (ply, &mv) in problem.printed.iter().enumerate() {
            let next = position.play(mv);
            let answer = solver.solve(&next, time);
            let after = answer.bounds.value();
            if let (Some(before), Some(after)) = (value, after) {
                checked += 1;
                if -after < before {
                    return Self::Fails {
                        ply: ply + 1,
                        position,
                        mv,
                        before,
                        after: -after,
                        better: better(&position, before, solver, time),
                        reply: solver.answer(&answer),
                    };
                }
            }
            (position, value) = (next, after);
        }
        Self::Holds { checked }
    }
}

/// A move that keeps `value`.
fn better(position: &Position, value: Wld, solver: &Solver, time: Duration) -> Option<Move> {
    let moves = solver.moves(position, value, time);
    moves
        .iter()
        .find(|it| it.bounds.lower >= value)
        .map(|it| it.mv)
}
