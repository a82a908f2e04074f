//! Geometry without rules: colours, squares, sets of squares, diagonal steps and named regions.
//!
//! The board is the 32 dark squares, numbered 1-32 for people and 0-31 inside. Black starts on
//! 1-12 and moves up the numbers. Drawn with White at the top:
//!
//! ```text
//!     a  b  c  d  e  f  g  h
//! 8      32    31    30    29
//! 7   28    27    26    25
//! 6      24    23    22    21
//! 5   20    19    18    17
//! 4      16    15    14    13
//! 3   12    11    10     9
//! 2       8     7     6     5
//! 1    4     3     2     1
//! ```
//!
//! Nothing here knows about men, kings, turns or legality. Start reading at [`Bitboard`].

mod bitboard;
mod color;
pub mod regions;
mod square;
pub mod steps;

pub use bitboard::{Bitboard, Squares};
pub use color::Color;
pub use square::Square;
pub use steps::Direction;
