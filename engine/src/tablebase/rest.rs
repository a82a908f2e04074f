//! Which positions need no stored value.
//!
//! A capture must be made, so a position with one is worth what its captures lead to. A position
//! in which only the other side threatens to capture is worth what its quiet moves lead to; it
//! is left out when each of these is either itself a capture for the other side or at rest. The
//! prober then finds any value within a bounded number of moves: it never follows one threat
//! with another. Everything else is stored.

use crate::board::steps::{Direction, far, jump, step};
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

/// Up to 64 positions with Black to move.
struct Positions {
    own: [Bitboard; 64],
    theirs: [Bitboard; 64],
    kings: [Bitboard; 64],
    len: usize,
}

impl Positions {
    const fn new() -> Self {
        Self {
            own: [Bitboard::EMPTY; 64],
            theirs: [Bitboard::EMPTY; 64],
            kings: [Bitboard::EMPTY; 64],
            len: 0,
        }
    }

    /// Adds a position by its sets; tells which one it is.
    #[inline(always)]
    const fn push(&mut self, own: Bitboard, theirs: Bitboard, kings: Bitboard) -> usize {
        let at = self.len % 64;
        self.own[at] = own;
        self.theirs[at] = theirs;
        self.kings[at] = kings;
        self.len = at + 1;
        at
    }

    /// Black's pieces, the others and all kings of position `at`.
    #[inline(always)]
    fn at(&self, at: usize) -> [Bitboard; 3] {
        [&self.own, &self.theirs, &self.kings].map(|sets| sets[at % 64])
    }

    /// The same of those from `from` on, a multiple of [`LANES`].
    #[inline(always)]
    fn lanes(&self, from: usize) -> [&[Bitboard; LANES]; 3] {
        [&self.own, &self.theirs, &self.kings].map(|sets| {
            let lanes = sets.get(from..).and_then(|sets| sets.first_chunk());
            lanes.unwrap_or(&[Bitboard::EMPTY; LANES])
        })
    }
}

/// Up to 64 positions with Black to move and without a capture for it.
pub(super) struct Crowd {
    positions: Positions,
    tries: Tries,
}

impl Crowd {
    pub(super) const fn new() -> Self {
        Self {
            positions: Positions::new(),
            tries: Tries::new(),
        }
    }

    #[inline(always)]
    pub(super) const fn push(&mut self, position: &Position) {
        let (own, theirs) = (position.own(), position.theirs());
        self.positions.push(own, theirs, position.all_kings());
    }

    /// What [`all_moves_rest`] says of each position, lowest bit first; then there are none.
    ///
    /// In most positions no step may make any threat. The loop that finds such steps has no branch
    /// and takes several positions at a time, as does the one that looks at those.
    #[inline(always)]
    pub(super) fn at_rest(&mut self) -> u64 {
        let len = self.positions.len;
        if len == 0 {
            return 0;
        }
        for from in (0..len).step_by(LANES) {
            let steps = self.steps(from);
            for (at, steps) in (from..len).zip(steps) {
                let all = steps.into_iter().fold(0, |all, steps| all | steps);
                if all != 0 {
                    self.attempt(at, steps);
                }
            }
        }
        let all = 1_u64.unbounded_shl(len as u32).wrapping_sub(1);
        self.positions.len = 0;
        all & !self.tries.standing()
    }

    /// Where steps go in each direction that may make a threat, in positions from `from` on.
    #[inline(always)]
    fn steps(&self, from: usize) -> [[u32; 4]; LANES] {
        let [own, theirs, kings] = self.positions.lanes(from);
        std::array::from_fn(|at| {
            let threats = Threats::of(own[at], theirs[at], kings[at]);
            Direction::ALL.map(|direction| threats.steps_in(direction).0)
        })
    }

    /// Tries the steps in each direction from position `at`.
    #[inline(always)]
    fn attempt(&mut self, at: usize, steps: [u32; 4]) {
        let [own, theirs, kings] = self.positions.at(at);
        for (steps, direction) in steps.into_iter().zip(Direction::ALL) {
            for to in Bitboard(steps) {
                let to = to.bit();
                let from = step(to, direction.opposite());
                self.tries.push(at, stepped(own, kings, from, to), theirs);
            }
        }
    }
}

/// Black's pieces and all kings after a step of Black.
#[inline(always)]
const fn stepped(own: Bitboard, kings: Bitboard, from: Bitboard, to: Bitboard) -> [Bitboard; 2] {
    let crowned = to.0 & regions::crownhead(Color::Black).0;
    let is_king = if kings.0 & from.0 == 0 { crowned } else { to.0 };
    [
        Bitboard(own.0 ^ from.0 ^ to.0),
        Bitboard(kings.0 & !from.0 | is_king),
    ]
}

/// Positions after steps of Black that may make a threat.
struct Tries {
    positions: Positions,
    /// Which of a crowd's positions the step was made in.
    of: [u8; 64],
    /// The positions in which a step makes a threat and leaves the other side without a capture.
    standing: u64,
}

impl Tries {
    const fn new() -> Self {
        Self {
            positions: Positions::new(),
            of: [0; 64],
            standing: 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, of: usize, [own, kings]: [Bitboard; 2], theirs: Bitboard) {
        if self.positions.len == 64 {
            self.look();
        }
        let at = self.positions.push(own, theirs, kings);
        self.of[at] = of as u8;
    }

    /// A bit for each position of the crowd in which a step stands; then there are none.
    #[inline(always)]
    fn standing(&mut self) -> u64 {
        self.look();
        std::mem::take(&mut self.standing)
    }

    /// Looks at all of them.
    #[inline(always)]
    fn look(&mut self) {
        let len = self.positions.len;
        for from in (0..len).step_by(LANES) {
            let mut standing = self.stand(from);
            while standing != 0 {
                let at = from + standing.trailing_zeros() as usize;
                if at < len {
                    self.standing |= 1 << (self.of[at % 64] % 64);
                }
                standing &= standing - 1;
            }
        }
        self.positions.len = 0;
    }

    /// A bit for each of [`LANES`] positions that stand.
    #[inline(always)]
    fn stand(&self, from: usize) -> u32 {
        let [own, theirs, kings] = self.positions.lanes(from);
        let stand: [u32; LANES] = std::array::from_fn(|at| {
            let (own, theirs, kings) = (own[at], theirs[at], kings[at]);
            let vacant = !(own | theirs);
            let jumps = |movers: Bitboard, victims, forward: [Direction; 2]| {
                Direction::ALL.map(|direction| {
                    let is_forward = forward.contains(&direction);
                    let movers = if is_forward { movers } else { movers & kings };
                    jump(movers, victims, vacant, direction).0
                })
            };
            let ours = jumps(own, theirs, Direction::forward(Color::Black));
            let others = jumps(theirs, own, Direction::forward(Color::White));
            let any = |jumps: [u32; 4]| jumps.into_iter().fold(0, |any, jumps| any | jumps) != 0;
            u32::from(any(ours) & !any(others))
        });
        let bits = (0..).zip(stand).map(|(at, stand)| stand << at);
        bits.fold(0, |bits, bit| bits | bit)
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

    /// Where a step goes in a direction that may make a threat.
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
        let [own, kings] = stepped(self.own, self.kings, from, to);
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
                    alone |= u64::from(expected) << (crowd.positions.len - 1);
                }
                if crowd.positions.len == 64 || number % 11 == 0 {
                    assert_eq!(crowd.at_rest(), std::mem::take(&mut alone));
                }
            }
        }
        assert!(threats > 10_000, "{threats}");
    }
}
