//! A game: the moves so far, and who has won.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use super::law::{QUIET_PLIES_TO_DRAW, REPETITIONS_TO_DRAW};
use super::{Key, Move, Position};
use crate::board::Color;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The named side won: its opponent was to move and could not.
    Win(Color),
    /// Nobody won.
    Draw(DrawReason),
}

/// Which rule made a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawReason {
    /// The position stood three times with the same side to move.
    Repetition,
    /// 80 plies passed without a capture or a man's move.
    FortyMoves,
}

impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Repetition => "the position stood three times",
            Self::FortyMoves => "40 moves by each side without a capture or a man's move",
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win(winner) => write!(f, "{winner} has won: {} has no legal move", !*winner),
            Self::Draw(reason) => write!(f, "drawn: {reason}"),
        }
    }
}

/// A move that the rules do not allow here. `notation` says why in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} is not a legal move here")]
pub struct IllegalMove(pub Move);

/// A position with the history that draws depend on.
///
/// ```
/// use engine::rules::{Game, Position};
///
/// let mut game = Game::new(Position::START);
/// let first = game.position().legal_moves()[0];
/// game.play(first)?;
/// assert_eq!(game.undo(), Some(first));
/// assert_eq!(game.position(), Position::START);
/// # Ok::<(), engine::rules::IllegalMove>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    current: Standing,
    past: Vec<(Standing, Move)>,
    seen: HashMap<Position, usize>,
}

/// A position with its key and the plies since the last capture or man's move.
#[derive(Clone, Copy, Debug)]
struct Standing {
    position: Position,
    key: Key,
    quiet_plies: u32,
}

impl Game {
    /// A game that begins at `position`.
    #[must_use]
    pub fn new(position: Position) -> Self {
        Self {
            current: Standing {
                position,
                key: Key::of(&position),
                quiet_plies: 0,
            },
            past: Vec::new(),
            seen: HashMap::from([(position, 1)]),
        }
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> Position {
        self.current.position
    }

    /// The key of the position now.
    #[must_use]
    pub fn key(&self) -> Key {
        self.current.key
    }

    /// Where the game began.
    #[must_use]
    pub fn start(&self) -> Position {
        self.past
            .first()
            .map_or(self.current.position, |(standing, _)| standing.position)
    }

    /// The moves so far.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + ExactSizeIterator {
        self.past.iter().map(|&(_, mv)| mv)
    }

    /// Each position so far with the move played in it.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = (Position, Move)> + ExactSizeIterator {
        self.past
            .iter()
            .map(|&(standing, mv)| (standing.position, mv))
    }

    /// The keys of the positions since the last irreversible move, the current one excluded,
    /// oldest first: those that could still come back.
    pub fn reversible_keys(&self) -> impl DoubleEndedIterator<Item = Key> + ExactSizeIterator {
        let first = self
            .past
            .len()
            .saturating_sub(self.current.quiet_plies as usize);
        self.past[first..].iter().map(|&(standing, _)| standing.key)
    }

    /// Plies since the last capture or man's move.
    #[must_use]
    pub fn quiet_plies(&self) -> u32 {
        self.current.quiet_plies
    }

    /// Plays a legal move. Moves may follow a draw that nobody claimed.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] if the move is not legal; the game stays as it was.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let before = self.current;
        if !before.position.legal_moves().contains(&mv) {
            return Err(IllegalMove(mv));
        }
        let position = before.position.play(mv);
        let quiet_plies = if before.position.is_irreversible(mv) {
            0
        } else {
            before.quiet_plies + 1
        };
        self.current = Standing {
            position,
            key: before.key.after(&before.position, mv),
            quiet_plies,
        };
        self.past.push((before, mv));
        *self.seen.entry(position).or_insert(0) += 1;
        Ok(())
    }

    /// Takes the last move back, if there is one, with counters and repetitions as before it.
    pub fn undo(&mut self) -> Option<Move> {
        let (before, mv) = self.past.pop()?;
        if let Some(count) = self.seen.get_mut(&self.current.position) {
            *count -= 1;
            if *count == 0 {
                self.seen.remove(&self.current.position);
            }
        }
        self.current = before;
        Some(mv)
    }

    /// How often the current position has stood in this game, itself included.
    #[must_use]
    pub fn occurrences(&self) -> usize {
        self.seen.get(&self.current.position).copied().unwrap_or(0)
    }

    /// How the game ended, or `None` while it goes on. A side that cannot move has lost even
    /// where a draw could be claimed.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let position = &self.current.position;
        if !position.can_move() {
            return Some(Outcome::Win(!position.turn()));
        }
        if self.occurrences() >= REPETITIONS_TO_DRAW {
            return Some(Outcome::Draw(DrawReason::Repetition));
        }
        (self.current.quiet_plies >= QUIET_PLIES_TO_DRAW)
            .then_some(Outcome::Draw(DrawReason::FortyMoves))
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::new(Position::START)
    }
}
