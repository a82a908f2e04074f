//! The board as one side sees it, moving up: what makes one set of terms serve both colours.

use crate::board::Direction::{DownLeft, DownRight, UpLeft, UpRight};
use crate::board::steps::step;
use crate::board::{Bitboard, Color};
use crate::rules::Position;

/// The pieces, turned so that `own` moves up the numbers like Black.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) men: Bitboard,
    pub(super) kings: Bitboard,
    pub(super) foe_men: Bitboard,
    pub(super) foe_kings: Bitboard,
}

impl View {
    /// `color`'s view of `position`.
    #[inline]
    pub(super) fn of(position: &Position, color: Color) -> Self {
        let view = Self {
            men: position.men(color),
            kings: position.kings(color),
            foe_men: position.men(!color),
            foe_kings: position.kings(!color),
        };
        match color {
            Color::Black => view,
            Color::White => view.rotated(),
        }
    }

    fn rotated(self) -> Self {
        Self {
            men: self.men.rotated(),
            kings: self.kings.rotated(),
            foe_men: self.foe_men.rotated(),
            foe_kings: self.foe_kings.rotated(),
        }
    }

    /// The opponent's view.
    #[inline]
    pub(super) fn opposite(self) -> Self {
        Self {
            men: self.foe_men,
            kings: self.foe_kings,
            foe_men: self.men,
            foe_kings: self.kings,
        }
        .rotated()
    }

    #[inline]
    pub(super) fn own(self) -> Bitboard {
        self.men | self.kings
    }

    #[inline]
    pub(super) fn foe(self) -> Bitboard {
        self.foe_men | self.foe_kings
    }

    #[inline]
    pub(super) fn vacant(self) -> Bitboard {
        !(self.own() | self.foe())
    }

    /// Squares where a piece of ours would be jumped at once: the foe on one side, a vacant
    /// square on the other. Foe men come from above only.
    #[inline]
    pub(super) fn attacked(self) -> Bitboard {
        let (foe, kings, vacant) = (self.foe(), self.foe_kings, self.vacant());
        (step(foe, DownRight) & step(vacant, UpLeft))
            | (step(foe, DownLeft) & step(vacant, UpRight))
            | (step(kings, UpRight) & step(vacant, DownLeft))
            | (step(kings, UpLeft) & step(vacant, DownRight))
    }

    /// Men ahead of whom, in all the squares that they can still reach, no foe stands.
    #[inline]
    pub(super) fn free_men(self) -> Bitboard {
        let mut watched = self.foe();
        for _ in 0..6 {
            watched |= step(watched, DownLeft) | step(watched, DownRight);
        }
        self.men - watched
    }
}
