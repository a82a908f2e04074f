//! Proof and disproof numbers, seen from the side to move.

/// A number that no amount of work reaches: the question is settled.
pub(super) const INFINITE: u32 = 1 << 30;
/// The largest number of an open question.
pub(super) const MOST: u32 = 1 << 28;

/// How much work is left, at a guess, for the mover of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// To reach the mover's aim; 0 when it is reached.
    pub(super) phi: u32,
    /// To show that the mover cannot reach it; 0 when that is shown.
    pub(super) delta: u32,
}

impl Numbers {
    /// The mover reaches its aim.
    pub(super) const REACHED: Self = Self {
        phi: 0,
        delta: INFINITE,
    };
    /// The mover cannot.
    pub(super) const FAILED: Self = Self {
        phi: INFINITE,
        delta: 0,
    };
    /// Too deep to be followed now; says nothing.
    pub(super) const SET_ASIDE: Self = Self {
        phi: MOST,
        delta: MOST,
    };

    /// For a node where the attacker moves, whether he wins.
    pub(super) const fn settled(won: bool, attacker_moves: bool) -> Self {
        if won == attacker_moves {
            Self::REACHED
        } else {
            Self::FAILED
        }
    }

    pub(super) const fn is_settled(self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Of a settled node, whether the attacker wins.
    pub(super) const fn is_won(self, attacker_moves: bool) -> bool {
        (self.phi == 0) == attacker_moves
    }
}
