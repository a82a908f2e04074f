//! Every number of the search that could be tuned, with its unit. Decisions that depend on depth
//! are functions in `margins`, over numbers from here.

use std::time::Duration;

/// Half the first aspiration window, in hundredths of a man.
pub(super) const ASPIRATION: i16 = 12;
/// First iteration that uses an aspiration window.
pub(super) const ASPIRATION_DEPTH: i16 = 4;

/// Quiet plies above which the count is part of the table key.
pub(super) const QUIET_PLIES_IN_KEY: u16 = 60;

/// How many threats in a row quiescence answers with a search of all moves.
pub(super) const THREATS_ANSWERED: i16 = 0;

/// Deepest node that a static evaluation far above the window may cut.
pub(super) const FUTILITY_DEPTH: i16 = 6;
/// How far above, for each ply, in hundredths of a man.
pub(super) const FUTILITY_MARGIN: i16 = 20;

/// Shallowest node for ProbCut.
pub(super) const PROBCUT_DEPTH: i16 = 400;
/// How far above the window the shallow search must come: at depth 0, and for each ply.
pub(super) const PROBCUT_MARGIN: (i16, i16) = (10, 3);
/// Depth of the shallow search, in tenths of the node's.
pub(super) const PROBCUT_SHARE: i16 = 4;

/// Shallowest node whose table move is tested for being singular.
pub(super) const SINGULAR_DEPTH: i16 = 6;
/// How far the table entry may be behind.
pub(super) const SINGULAR_LAG: i16 = 3;
/// How much worse all others must be, in hundredths of a man.
pub(super) const SINGULAR_MARGIN: i16 = 12;

/// Shallowest node that loses a ply for want of a table move.
pub(super) const UNKNOWN_DEPTH: i16 = 5;

/// Depth from which late moves are reduced.
pub(super) const REDUCTION_DEPTH: i16 = 2;
/// Moves searched before reductions begin.
pub(super) const REDUCTION_MOVES: usize = 1;
/// Reductions in 64ths of a ply: the constant part, and for each log2 of depth times log2 of
/// the move's number.
pub(super) const REDUCTION: (i32, i32) = (32, 22);
/// History for which a move is reduced by a ply less.
pub(super) const REDUCTION_HISTORY: i32 = 8_000;

/// Bound of a history counter.
pub(super) const HISTORY_MOST: i32 = 8_192;

/// Kept back from every time limit, and up to ten times as much of long ones.
pub(super) const SAFETY: Duration = Duration::from_millis(2);
/// Moves that a game is expected to go on, for a clock without a move count.
pub(super) const MOVES_LEFT: u32 = 28;
/// No new iteration after this multiple of a move's fair share.
pub(super) const SOFT_SHARE: f64 = 0.7;
/// The search ends at this multiple of a move's fair share.
pub(super) const HARD_SHARE: f64 = 3.0;
/// Nodes between two looks at clock and flags.
pub(super) const NODES_PER_LOOK: u64 = 256;
