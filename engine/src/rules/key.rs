//! Zobrist keys: one random word a piece and square, combined by exclusive or.
//!
//! Zobrist, "A New Hashing Method with Application for Game Playing" (1970). The words come from
//! SplitMix64 with a fixed seed, so that keys are the same in every build and on every machine.

use super::{Move, Piece, Position};
use crate::board::{Bitboard, Color, Square, regions};

/// A 64-bit key of a position and its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u64);

const WORDS: [[[u64; 32]; 2]; 2] = words();
const WHITE_TO_MOVE: u64 = split_mix(SEED + 128).1;
const SEED: u64 = 0x4372_6F77_6E68_6561;

/// SplitMix64 (Steele, Lea and Flood 2014): the next state and its output.
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut word = state;
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (state, word ^ (word >> 31))
}

const fn words() -> [[[u64; 32]; 2]; 2] {
    let mut words = [[[0; 32]; 2]; 2];
    let mut state = SEED;
    let mut index = 0;
    while index < 128 {
        let (next, word) = split_mix(state);
        words[index / 64][index / 32 % 2][index % 32] = word;
        state = next;
        index += 1;
    }
    words
}

#[inline]
const fn word(color: Color, piece: Piece, square: Square) -> u64 {
    WORDS[color.index()][piece as usize][square.index()]
}

fn side(position: &Position, color: Color, piece: Piece) -> u64 {
    let set = match piece {
        Piece::Man => position.men(color),
        Piece::King => position.kings(color),
    };
    set.squares()
        .fold(0, |key, square| key ^ word(color, piece, square))
}

impl Key {
    /// The key from scratch.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        let turn = if position.turn() == Color::White {
            WHITE_TO_MOVE
        } else {
            0
        };
        Self(Color::BOTH.into_iter().fold(turn, |key, color| {
            key ^ side(position, color, Piece::Man) ^ side(position, color, Piece::King)
        }))
    }

    /// The key after `mv` is played in `before`, of which `self` is the key.
    #[must_use]
    #[inline]
    pub fn after(self, before: &Position, mv: Move) -> Self {
        let us = before.turn();
        let piece = if before.all_kings().contains(mv.from()) {
            Piece::King
        } else {
            Piece::Man
        };
        let lands = if regions::crownhead(us).contains(mv.to()) {
            Piece::King
        } else {
            piece
        };
        let moved = word(us, piece, mv.from()) ^ word(us, lands, mv.to());
        Self(self.0 ^ WHITE_TO_MOVE ^ moved ^ captured(before, mv.captured()))
    }
}

#[inline]
fn captured(before: &Position, captured: Bitboard) -> u64 {
    captured.squares().fold(0, |key, square| {
        let piece = if before.all_kings().contains(square) {
            Piece::King
        } else {
            Piece::Man
        };
        key ^ word(!before.turn(), piece, square)
    })
}
