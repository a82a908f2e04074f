//! What is known of a position without searching: the end of the game, or a database value.

use crate::board::Color;
use crate::rules::Position;
use crate::tablebase::{Tablebase, Wld};

/// How a position ends a line of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// Nothing is known at once.
    Open,
    /// The mover cannot move and has lost.
    Terminal,
    /// One look-up gives the value: nobody can jump. A certificate may end here.
    Stored(Wld),
    /// The value follows from database values by jumps; a certificate spells them out.
    Implied(Wld),
}

impl Leaf {
    /// What is known of `position`; open at once above `most_pieces`.
    pub(super) fn of(position: &Position, tablebase: &Tablebase) -> Self {
        if !position.can_move() {
            return Self::Terminal;
        }
        if position.occupied().len() > tablebase.most_pieces() || position.theirs().is_empty() {
            return Self::Open;
        }
        match tablebase.probe(position) {
            Err(_) => Self::Open,
            Ok(value) if position.has_jump() || position.is_threatened() => Self::Implied(value),
            Ok(value) => Self::Stored(value),
        }
    }

    /// The value for the side to move.
    pub(super) const fn value(self) -> Option<Wld> {
        match self {
            Self::Open => None,
            Self::Terminal => Some(Wld::Loss),
            Self::Stored(value) | Self::Implied(value) => Some(value),
        }
    }

    /// Whether a certificate may end here.
    pub(super) const fn ends_proof(self) -> bool {
        matches!(self, Self::Terminal | Self::Stored(_))
    }
}

/// Whether `attacker` wins a position of this value, `turn` being the side to move.
pub(super) fn is_won(value: Wld, turn: Color, attacker: Color) -> bool {
    match value {
        Wld::Win => turn == attacker,
        Wld::Loss => turn != attacker,
        Wld::Draw => false,
    }
}
