//! Which positions need no stored value.
//!
//! A capture must be made, so a position with one is worth what its captures lead to. A position
//! in which only the other side threatens to capture is worth what its quiet moves lead to; it
//! is left out when each of these is either itself a capture for the other side or at rest. The
//! prober then finds any value within a bounded number of moves: it never follows one threat
//! with another. Everything else is stored.

use crate::board::steps::{Direction, far, step};
use crate::board::{Bitboard, Color, regions};
use crate::rules::Position;

/// Whether the value of `position` follows from other positions at once and is not stored.
#[must_use]
#[inline]
pub fn is_left_out(position: &Position) -> bool {
    position.has_jump() || (position.is_threatened() && all_moves_rest(position))
}

/// Whether no quiet move leads to a position where the mover threatens a capture and the other
/// side has none. The side to move must have no capture.
#[must_use]
#[inline]
pub fn all_moves_rest(position: &Position) -> bool {
    let seen = match position.turn() {
        Color::Black => *position,
        Color::White => position.rotated(),
    };
    !Threats::of(seen.own(), seen.theirs(), seen.all_kings()).any_is_left_standing()
}

/// Positions looked at side by side.
const LANES: usize = 8;

/// Up to 64 positions with Black to move and without a capture for it.
pub(super) struct Crowd {
    own: [Bitboard; 64],
    theirs: [Bitboard; 64],
    kings: [Bitboard; 64],
    len: usize,
}

impl Crowd {
    pub(super) const fn new() -> Self {
        Self {
            own: [Bitboard::EMPTY; 64],
            theirs: [Bitboard::EMPTY; 64],
            kings: [Bitboard::EMPTY; 64],
            len: 0,
        }
    }

    pub(super) const fn push(&mut self, position: &Position) {
        let at = self.len % 64;
        self.own[at] = position.own();
        self.theirs[at] = position.theirs();
        self.kings[at] = position.all_kings();
        self.len = at + 1;
    }

    /// What [`all_moves_rest`] says of each position, lowest bit first; then there are none.
    ///
    /// In most positions no step makes any threat. The loop that finds them has no branch and
    /// takes several positions at a time.
    pub(super) fn at_rest(&mut self) -> u64 {
        let mut steps = [Bitboard::EMPTY; 64];
        for from in (0..self.len).step_by(LANES) {
            let lanes = self.own[from..][..LANES].iter();
            let lanes = lanes.zip(&self.theirs[from..]).zip(&self.kings[from..]);
            for (steps, ((&own, &theirs), &kings)) in steps[from..].iter_mut().zip(lanes) {
                *steps = Threats::of(own, theirs, kings).steps();
            }
        }
        let mut found = 0;
        for (at, steps) in steps.iter().enumerate().take(self.len) {
            let rests = steps.is_empty() || {
                let (own, theirs, kings) = (self.own[at], self.theirs[at], self.kings[at]);
                !Threats::of(own, theirs, kings).any_is_left_standing()
            };
            found |= u64::from(rests) << at;
        }
        self.len = 0;
        found
    }
}

/// A position with Black to move, and where new threats of Black can come from.
struct Threats {
    own: Bitboard,
    theirs: Bitboard,
    kings: Bitboard,
    vacant: Bitboard,
    /// Squares from which a piece would threaten.
    posts: Bitboard,
    /// Black's pieces that stand where another one would land.
    blockers: Bitboard,
}

impl Threats {
    #[inline(always)]
    fn of(own: Bitboard, theirs: Bitboard, kings: Bitboard) -> Self {
        let mut this = Self {
            own,
            theirs,
            kings,
            vacant: !(own | theirs),
            posts: Bitboard::EMPTY,
            blockers: Bitboard::EMPTY,
        };
        // Written out, so that each direction is a constant: 2.5 times as fast as a loop.
        this.look(Direction::UpLeft);
        this.look(Direction::UpRight);
        this.look(Direction::DownLeft);
        this.look(Direction::DownRight);
        this
    }

    #[inline(always)]
    fn look(&mut self, direction: Direction) {
        let victims = self.theirs & regions::INTERIOR;
        let back = direction.opposite();
        self.posts |= far(self.vacant, back) & step(victims, back);
        let jumping = far(self.movers(direction), direction) & step(victims, direction);
        self.blockers |= jumping & self.own;
    }

    #[inline(always)]
    fn movers(&self, direction: Direction) -> Bitboard {
        match direction {
            Direction::UpLeft | Direction::UpRight => self.own,
            Direction::DownLeft | Direction::DownRight => self.own & self.kings,
        }
    }

    /// Whether a step makes a threat and leaves the other side without a capture.
    #[inline]
    fn any_is_left_standing(&self) -> bool {
        self.any_stands(Direction::UpLeft)
            || self.any_stands(Direction::UpRight)
            || self.any_stands(Direction::DownLeft)
            || self.any_stands(Direction::DownRight)
    }

    /// Where a step goes that may make a threat.
    #[inline(always)]
    fn steps(&self) -> Bitboard {
        self.steps_in(Direction::UpLeft)
            | self.steps_in(Direction::UpRight)
            | self.steps_in(Direction::DownLeft)
            | self.steps_in(Direction::DownRight)
    }

    #[inline(always)]
    fn steps_in(&self, direction: Direction) -> Bitboard {
        let movers = self.movers(direction);
        let onto = step(movers, direction) & self.posts;
        let away = step(movers & self.blockers, direction);
        (onto | away) & self.vacant
    }

    #[inline(always)]
    fn any_stands(&self, direction: Direction) -> bool {
        self.steps_in(direction)
            .squares()
            .any(|to| self.stands(step(to.bit(), direction.opposite()), to.bit()))
    }

    #[inline]
    fn stands(&self, from: Bitboard, to: Bitboard) -> bool {
        let own = self.own ^ from ^ to;
        let is_king = self.kings.meets(from) || regions::crownhead(Color::Black).meets(to);
        let kings = (self.kings - from) | if is_king { to } else { Bitboard::EMPTY };
        !Position::of_sides(Color::White, self.theirs, own, kings).has_jump()
            && Position::of_sides(Color::Black, own, self.theirs, kings).has_jump()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::{Index, Slice};

    /// The rule as it is told above, move by move.
    fn by_the_moves(position: &Position) -> bool {
        if position.has_jump() || !position.is_threatened() {
            return position.has_jump();
        }
        position.legal_moves().into_iter().all(|mv| {
            let next = position.play(mv);
            next.has_jump() || !next.is_threatened()
        })
    }

    #[test]
    fn the_quick_way_is_the_rule() {
        let (mut threats, mut crowd, mut alone) = (0, Crowd::new(), 0);
        for slice in (4..=7).flat_map(|pieces| Slice::all(pieces, 4)) {
            let index = Index::new(slice);
            for number in (0..index.len()).step_by(1 + index.len() as usize / 1_499) {
                let position = index.placement(number).position().expect("legal");
                let expected = by_the_moves(&position);
                assert_eq!(is_left_out(&position), expected, "{position:?}");
                assert_eq!(is_left_out(&position.rotated()), expected, "{position:?}");
                if !position.has_jump() && position.is_threatened() {
                    threats += 1;
                    crowd.push(&position);
                    alone |= u64::from(expected) << (crowd.len - 1);
                }
                if crowd.len == 64 || number % 11 == 0 {
                    assert_eq!(crowd.at_rest(), std::mem::take(&mut alone));
                }
            }
        }
        assert!(threats > 10_000, "{threats}");
    }
}
