//! Every number of the search that could be tuned, with its unit. Decisions that depend on depth
//! are functions in `margins`, over numbers from here.

use std::time::Duration;

/// Half the first aspiration window, in hundredths of a man.
pub(super) const ASPIRATION: i16 = 12;
/// Half the widest window short of the open one.
pub(super) const ASPIRATION_MOST: i16 = 1_000;
/// First iteration that uses an aspiration window.
pub(super) const ASPIRATION_DEPTH: i16 = 4;

/// Shallowest node for which endgame databases are decoded; below it only what is at hand counts.
pub(super) const DECODE_DEPTH: i16 = 3;
/// Quiet plies up to which a database win is taken for one without knowing its distance: none of up
/// to six pieces is further than 60 plies away from a capture or a man's move, but for two of six,
/// 81 and 82 plies, which the rule makes a draw.
pub(super) const TRUSTED_QUIET_PLIES: u16 = 20;

/// Quiet plies above which the count is part of the table key.
pub(super) const QUIET_PLIES_IN_KEY: u16 = 60;

/// How many threats in a row quiescence answers with a search of all moves.
pub(super) const THREATS_ANSWERED: i16 = 1;

/// Deepest node in which late moves are left out.
pub(super) const LATE_DEPTH: i16 = 3;
/// Moves tried there at depth 1.
pub(super) const LATE_BASE: i16 = 3;

/// Deepest node that a static evaluation far above the window may cut.
pub(super) const FUTILITY_DEPTH: i16 = 6;
/// How far above, for each ply, in hundredths of a man.
pub(super) const FUTILITY_MARGIN: i16 = 28;

/// Deepest node that quiescence may end where the static evaluation is far below the window.
pub(super) const RAZOR_DEPTH: i16 = 3;
/// How far below, for each ply, in hundredths of a man.
pub(super) const RAZOR_MARGIN: i16 = 80;

/// Deepest node that tries one quiet move only where the static evaluation is far below the window.
pub(super) const HOPELESS_DEPTH: i16 = 4;
/// How far below at depth 0, in hundredths of a man.
pub(super) const HOPELESS_BASE: i16 = 60;
/// The same for each ply of depth.
pub(super) const HOPELESS_SLOPE: i16 = 40;

/// Shallowest node for ProbCut.
pub(super) const PROBCUT_DEPTH: i16 = 6;
/// How far above the window the shallow search must come at depth 0, in hundredths of a man.
pub(super) const PROBCUT_BASE: i16 = 40;
/// The same for each ply of depth.
pub(super) const PROBCUT_SLOPE: i16 = 4;
/// How far above the window the static evaluation must be for a try.
pub(super) const PROBCUT_GATE: i16 = 0;
/// Depth of the shallow search, in tenths of the node's.
pub(super) const PROBCUT_SHARE: i16 = 4;

/// Shallowest node whose table move is tested for being singular.
pub(super) const SINGULAR_DEPTH: i16 = 5;
/// How far the table entry may be behind.
pub(super) const SINGULAR_LAG: i16 = 3;
/// How much worse all others must be at depth 0, in hundredths of a man.
pub(super) const SINGULAR_BASE: i16 = 8;
/// The same for each two plies of depth.
pub(super) const SINGULAR_SLOPE: i16 = 1;
/// Plies that a table move is cut short where it is not singular but good enough.
pub(super) const SINGULAR_SHORTEN: i16 = 1;

/// Shallowest node that loses a ply for want of a table move.
pub(super) const UNKNOWN_DEPTH: i16 = 5;

/// Depth from which late moves are reduced.
pub(super) const REDUCTION_DEPTH: i16 = 2;
/// Moves searched before reductions begin.
pub(super) const REDUCTION_MOVES: usize = 1;
/// The constant part of reductions, in 64ths of a ply.
pub(super) const REDUCTION_BASE: i32 = 32;
/// The same for each log2 of depth times log2 of the move's number.
pub(super) const REDUCTION_SLOPE: i32 = 22;
/// The same where a cutoff is expected.
pub(super) const REDUCTION_CUT: i32 = 48;
/// The same where the evaluation is no better than two plies ago.
pub(super) const REDUCTION_WORSE: i32 = 0;
/// The same on the principal variation, taken off.
pub(super) const REDUCTION_PV: i32 = 64;
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
/// Shallowest node whose moves are put off while another thread is busy with them.
pub(super) const BUSY_DEPTH: i16 = 4;
/// Iterations after which a proven score ends the search on a game clock.
pub(super) const PROVEN_DEPTH: i16 = 12;
/// Nodes between two looks at clock and flags.
pub(super) const NODES_PER_LOOK: u64 = 256;
/// Database look-ups between two of them: each may wait for the disk, a tenth of a millisecond on a
/// quick one. With 3.7 GB of plain values that were not in memory, moves of 50 ms took up to 970.
pub(super) const LOOK_UPS_PER_LOOK: u32 = 8;
