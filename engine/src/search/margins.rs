//! Every depth-dependent decision of the search as one small named function.

use super::params::{REDUCTION_DEPTH, REDUCTION_MOVES};

/// Plies taken off move number `index` (from 0) at `depth`.
pub(super) fn reduction(depth: i16, index: usize) -> i16 {
    if depth < REDUCTION_DEPTH || index < REDUCTION_MOVES {
        return 0;
    }
    1 + i16::from(index >= 5)
}

/// How much a history counter moves for a cutoff at `depth`.
pub(super) fn history_bonus(depth: i16) -> i32 {
    i32::from(depth).pow(2).min(400) + 8
}
