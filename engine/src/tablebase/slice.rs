//! Material: what each side has, seen from the side to move.
//!
//! A slice is all positions with the same numbers of men and kings, the side to move named
//! first. A position with White to move is looked up as the same position turned by 180 degrees,
//! so that a slice has one table for both colours. Knows nothing about files or values.

use std::fmt;

use super::index::choose;
use crate::board::Bitboard;
use crate::rules::Position;

/// The most men or kings of a side in a slice.
pub const MOST_A_SIDE: u32 = 12;

/// The material of one side: the order is by pieces, then by men.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Force {
    /// Men, 0 to [`MOST_A_SIDE`].
    pub men: u32,
    /// Kings, 0 to [`MOST_A_SIDE`].
    pub kings: u32,
}

impl Force {
    /// Men and kings together.
    #[must_use]
    pub const fn pieces(self) -> u32 {
        self.men + self.kings
    }

    /// Every force of `pieces` pieces, fewest men first.
    pub fn all(pieces: u32) -> impl DoubleEndedIterator<Item = Self> {
        (0..=pieces).map(move |men| Self {
            men,
            kings: pieces - men,
        })
    }
}

impl fmt::Display for Force {
    /// `21`: two men and one king.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}{:x}", self.men, self.kings)
    }
}

/// How many men and kings there are, counted side by side: this is compiled for processors without
/// a counting instruction too, and stands at the front of every look-up.
#[inline]
const fn force(men: Bitboard, kings: Bitboard) -> Force {
    let both = men.0 as u64 | (kings.0 as u64) << 32;
    let pairs = both - (both >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    let sums = bytes + (bytes >> 8);
    let sums = sums + (sums >> 16);
    Force {
        men: sums as u32 & 0x3F,
        kings: (sums >> 32) as u32 & 0x3F,
    }
}

/// The material of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// What the side to move has.
    pub own: Force,
    /// What the other side has.
    pub their: Force,
}

impl Slice {
    /// The slice of `position`.
    #[must_use]
    #[inline]
    pub const fn of(position: &Position) -> Self {
        let (us, them) = (position.turn(), position.turn().opponent());
        Self {
            own: force(position.men(us), position.kings(us)),
            their: force(position.men(them), position.kings(them)),
        }
    }

    /// The pieces of both sides.
    #[must_use]
    pub const fn pieces(self) -> u32 {
        self.own.pieces() + self.their.pieces()
    }

    /// The same material with the other side to move.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            own: self.their,
            their: self.own,
        }
    }

    /// How many positions the slice holds, by the formula of the published counts: `f` is the
    /// number of own men that stand on the other side's crownhead.
    #[must_use]
    pub fn positions(self) -> u64 {
        let (own, their) = (self.own, self.their);
        let men: u64 = (0..=own.men.min(4))
            .map(|f| choose(4, f) * choose(24, own.men - f) * choose(28 - (own.men - f), their.men))
            .sum();
        let free = 32 - own.men - their.men;
        men * choose(free, own.kings) * choose(free - own.kings, their.kings)
    }

    /// Every slice of `pieces` pieces with both sides present and at most `per_side` on each.
    #[must_use]
    pub fn all(pieces: u32, per_side: u32) -> Vec<Self> {
        (1..pieces)
            .filter(|&own| own <= per_side && pieces - own <= per_side)
            .flat_map(|own| {
                Force::all(own).flat_map(move |own_force| {
                    Force::all(pieces - own).map(move |their| Self {
                        own: own_force,
                        their,
                    })
                })
            })
            .collect()
    }
}

impl fmt::Display for Slice {
    /// `21-13`: two men and a king to move against a man and three kings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.own, self.their)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_the_published_ones() {
        // By pieces, at most four a side, one side to move (data/endgame_facts.json).
        let published = [
            (2, 3_488),
            (3, 196_032),
            (4, 6_209_316),
            (5, 139_450_808),
            (6, 1_958_085_820),
            (7, 19_055_258_760),
            (8, 111_378_534_401),
        ];
        for (pieces, expected) in published {
            let total: u64 = Slice::all(pieces, 4)
                .into_iter()
                .map(Slice::positions)
                .sum();
            assert_eq!(total, expected, "{pieces} pieces");
        }
    }

    #[test]
    fn a_position_is_in_the_slice_of_its_side_to_move() {
        let slice = Slice::of(&Position::START);
        assert_eq!(slice.to_string(), "c0-c0");
        assert_eq!(slice, Slice::of(&Position::START.rotated()));
    }
}
