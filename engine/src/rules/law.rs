//! The numbers in the rules, each with its source: the rules of the World Checkers/Draughts
//! Federation (WCDF) for English draughts.

/// Pieces a side starts with, and the most it can have (WCDF 1.3).
pub const MOST_PIECES_A_SIDE: u32 = 12;

/// Plies without a capture or a man's move after which the game is drawn: 40 moves by each side
/// (WCDF 1.32, the forty-move rule).
pub const QUIET_PLIES_TO_DRAW: u32 = 80;

/// Occurrences of a position with the same side to move that draw the game (WCDF 1.32).
pub const REPETITIONS_TO_DRAW: usize = 3;
