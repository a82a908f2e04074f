//! When a search has to stop.

use std::time::Duration;

use crate::score::Depth;

/// A game clock, as it stands when the search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left for this and all later moves; zero if the flag has fallen already.
    pub remaining: Duration,
    /// Added for each move (before it is made, so that this move may use it).
    pub increment: Duration,
    /// Moves until `remaining` is filled up again; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// What bounds a search. Several bounds may be set: the first one reached ends it. With none
/// the search goes on until it is stopped, or the deepest iteration is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The last iteration.
    pub depth: Option<Depth>,
    /// Nodes of all threads together. With one thread the search stops at exactly the same
    /// node every time.
    pub nodes: Option<u64>,
    /// Time for this move, to be used up.
    pub move_time: Option<Duration>,
    /// The game clock: the engine decides how much of it this move is worth.
    pub clock: Option<Clock>,
    /// Time limits count only from [`crate::engine::Engine::ponder_hit`] on; no answer before it
    /// or a stop.
    pub ponder: bool,
    /// No answer before a stop, even when there is nothing left to search.
    pub infinite: bool,
    /// The value is wanted and not only a move: a forced move, answered at once under any time
    /// limit otherwise, is searched as long as others.
    pub analysis: bool,
    /// How many best moves to report with their lines; 0 counts as 1.
    pub lines: usize,
}

impl Limits {
    /// Search to `depth` and no further.
    #[must_use]
    pub fn to_depth(depth: i16) -> Self {
        Self {
            depth: Some(Depth(depth)),
            ..Self::default()
        }
    }

    /// Search `nodes` nodes.
    #[must_use]
    pub fn to_nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::default()
        }
    }

    /// Search for a fixed time.
    #[must_use]
    pub fn for_time(time: Duration) -> Self {
        Self {
            move_time: Some(time),
            ..Self::default()
        }
    }
}
