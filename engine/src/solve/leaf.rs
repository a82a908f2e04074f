//! What is known of a position without searching: the end of the game, or a database value.

use super::check;
use crate::board::Color;
use crate::rules::Position;
use crate::tablebase::{Effort, Tablebase, Wld};

/// The rules of a proof, beyond "no move loses" and "endless play is a draw".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Nothing else.
    #[default]
    Endless,
    /// 80 plies in a row without a capture or a man's move are a draw, counted from the position
    /// that is solved.
    FortyMoves,
}

impl Rules {
    /// Every set of rules.
    pub const ALL: [Self; 2] = [Self::Endless, Self::FortyMoves];

    /// The word for it in certificates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Endless => "no-forty",
            Self::FortyMoves => "forty",
        }
    }
}

/// Where lines end in which `attacker` tries to win.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends<'a> {
    pub(super) tablebase: &'a Tablebase,
    attacker: Color,
    /// With more pieces a win of the databases may come too late for the rules.
    most_winning: u32,
}

impl<'a> Ends<'a> {
    pub(super) fn new(tablebase: &'a Tablebase, rules: Rules, attacker: Color) -> Self {
        let most_winning = match rules {
            Rules::Endless => u32::MAX,
            Rules::FortyMoves => check::forty_move_pieces(tablebase),
        };
        Self {
            tablebase,
            attacker,
            most_winning,
        }
    }

    /// Whether the databases may know `position`.
    fn has(&self, position: &Position) -> bool {
        let pieces = position.occupied().len();
        pieces <= self.tablebase.most_pieces() && !position.theirs().is_empty()
    }

    /// Whether a win of the attacker may come too late.
    fn is_late(&self, position: &Position, value: Wld) -> bool {
        let pieces = position.occupied().len();
        pieces > self.most_winning && is_won(value, position.turn(), self.attacker)
    }
}

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
    /// What is known of `position`.
    pub(super) fn of(position: &Position, ends: &Ends<'_>) -> Self {
        if !position.can_move() {
            return Self::Terminal;
        }
        if !ends.has(position) {
            return Self::Open;
        }
        match ends.tablebase.probe(position) {
            Err(_) => Self::Open,
            Ok(value) if ends.is_late(position, value) => Self::Open,
            Ok(value) if position.has_jump() || position.is_threatened() => Self::Implied(value),
            Ok(value) => Self::Stored(value),
        }
    }

    /// The same without decoding anything: open where that would be needed.
    pub(super) fn at_hand(position: &Position, ends: &Ends<'_>) -> Self {
        if !position.can_move() {
            return Self::Terminal;
        }
        if !ends.has(position) {
            return Self::Open;
        }
        if position.has_jump() || position.is_threatened() {
            return match ends.tablebase.probe_plain(position) {
                Some(value) if !ends.is_late(position, value) => Self::Implied(value),
                _ => Self::Open,
            };
        }
        match ends.tablebase.probe_quiet(position, Effort::AtHand) {
            Some(value) if !ends.is_late(position, value) => Self::Stored(value),
            _ => Self::Open,
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
