//! Scores and lines of play as people read them.

use engine::board::Color;
use engine::notation::{Notation, moves};
use engine::rules::{Move, Position};
use engine::score::{Score, Verdict};

/// Less than this, in hundredths of a man, is even.
const EVEN: i16 = 10;
/// Less than this is "a little better".
const LITTLE: i16 = 40;
/// Less than this is "better"; more is "much better".
const MUCH: i16 = 100;

/// Which side is better and by how much: `even`, `White is a little better`,
/// `Black wins in 5 moves`. The score is the side to move's, the words name the side.
///
/// ```
/// use engine::rules::Position;
/// use engine::score::Score;
/// use protocol::words::better_side;
///
/// assert_eq!(better_side(Score(-55), &Position::START), "White is better");
/// assert_eq!(better_side(Score::win_in(9), &Position::START), "Black wins in 5 moves");
/// ```
#[must_use]
pub fn better_side(score: Score, position: &Position) -> String {
    let mover = position.turn();
    match score.verdict() {
        Some(Verdict::WinIn(plies)) => wins(mover, plies),
        Some(Verdict::LossIn(plies)) => wins(!mover, plies),
        Some(Verdict::DatabaseWinIn(_)) => format!("{mover} wins, by the database"),
        Some(Verdict::DatabaseLossIn(_)) => format!("{} wins, by the database", !mover),
        None => evaluated(score, mover),
    }
}

/// A move is a ply of the winner's.
fn wins(winner: Color, plies: u16) -> String {
    match plies.div_ceil(2) {
        0 => format!("{winner} has won"),
        1 => format!("{winner} wins in 1 move"),
        moves => format!("{winner} wins in {moves} moves"),
    }
}

fn evaluated(score: Score, mover: Color) -> String {
    let size = score.0.saturating_abs();
    let side = if score.0 < 0 { !mover } else { mover };
    let word = if size < EVEN {
        return "even".into();
    } else if size < LITTLE {
        "a little better"
    } else if size < MUCH {
        "better"
    } else {
        "much better"
    };
    format!("{side} is {word}")
}

/// The texts of moves that follow each other from `position`, as short as they are clear.
///
/// ```
/// use engine::notation::Notation;
/// use engine::rules::Position;
/// use protocol::words::line;
///
/// let first = Position::START.legal_moves()[0];
/// assert_eq!(line(Position::START, &[first], Notation::Numeric).len(), 1);
/// ```
#[must_use]
pub fn line(mut position: Position, line: &[Move], notation: Notation) -> Vec<String> {
    let texts = line.iter().map(|&mv| {
        let text = moves::write(mv, &position, notation);
        position = position.play(mv);
        text
    });
    texts.collect()
}
