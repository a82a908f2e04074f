//! A side that the compiler knows, so that one source gives straight code for each colour.

use crate::board::steps::step;
use crate::board::{Bitboard, Color, Direction, Square, regions};

/// Black or White as a type.
pub(super) trait Side: Copy + 'static {
    type Opponent: Side<Opponent = Self>;
    const COLOR: Color;
    /// Where men and kings go.
    const FORWARD: [Direction; 2] = Direction::forward(Self::COLOR);
    /// Where only kings go.
    const BACKWARD: [Direction; 2] = Direction::backward(Self::COLOR);
    /// Forward, then backward.
    const DIRECTIONS: [Direction; 4] = [
        Self::FORWARD[0],
        Self::FORWARD[1],
        Self::BACKWARD[0],
        Self::BACKWARD[1],
    ];
    /// Where a step on to each square comes from, by direction. Squares that no such step reaches
    /// stand for themselves.
    const STEP_ORIGINS: [[Square; 32]; 4] = [
        step_origins(Self::DIRECTIONS[0]),
        step_origins(Self::DIRECTIONS[1]),
        step_origins(Self::DIRECTIONS[2]),
        step_origins(Self::DIRECTIONS[3]),
    ];
    const CROWNHEAD: Bitboard = regions::crownhead(Self::COLOR);
}

const fn step_origins(direction: Direction) -> [Square; 32] {
    let mut origins = [Square::from_index(0); 32];
    let mut index = 0;
    while index < 32 {
        let square = Square::from_index(index);
        origins[index as usize] = match step(square.bit(), direction.opposite()).first() {
            Some(origin) => origin,
            None => square,
        };
        index += 1;
    }
    origins
}

#[derive(Clone, Copy)]
pub(super) struct Black;

#[derive(Clone, Copy)]
pub(super) struct White;

impl Side for Black {
    type Opponent = White;
    const COLOR: Color = Color::Black;
}

impl Side for White {
    type Opponent = Black;
    const COLOR: Color = Color::White;
}

/// Calls a function that is generic over [`Side`] for the side in a [`Color`].
macro_rules! for_side {
    ($color:expr, $side:ident => $call:expr) => {
        match $color {
            crate::board::Color::Black => {
                type $side = crate::rules::side::Black;
                $call
            }
            crate::board::Color::White => {
                type $side = crate::rules::side::White;
                $call
            }
        }
    };
}
pub(super) use for_side;
