//! Every number of the search that could be tuned, with its unit. Margins that depend on depth
//! are functions in `margins`, over numbers from here.

use std::time::Duration;

/// Half the first aspiration window, in hundredths of a man.
pub(super) const ASPIRATION: i16 = 12;
/// First iteration that uses an aspiration window.
pub(super) const ASPIRATION_DEPTH: i16 = 4;

/// Quiet plies above which the count is part of the table key.
pub(super) const QUIET_PLIES_IN_KEY: u16 = 60;

/// Depth from which late moves are reduced.
pub(super) const REDUCTION_DEPTH: i16 = 3;
/// Moves searched before reductions begin.
pub(super) const REDUCTION_MOVES: usize = 2;

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
