//! Legal moves, found for whole sets of pieces at once.
//!
//! One code path serves both colours: a `Side` only chooses which two [`Direction`]s are
//! forward. [`Position::legal_moves`] merges routes that lead to the same position;
//! [`Position::routes`] keeps every route, as published perft counts do.

use arrayvec::ArrayVec;

use super::chain::Chain;
use super::side::{Side, for_side};
use super::{Move, MoveList, Position, Route};
use crate::board::steps::{far, jump, step};
use crate::board::{Bitboard, Color, Direction, Square};

impl Position {
    /// Whether the side to move must jump.
    #[must_use]
    #[inline]
    pub fn has_jump(&self) -> bool {
        for_side!(self.turn(), S => self.jumps::<S>().into_iter().any(Bitboard::any))
    }

    /// Whether the side that waits could jump, if it were to move.
    #[must_use]
    #[inline]
    pub fn is_threatened(&self) -> bool {
        self.with_turn(!self.turn()).has_jump()
    }

    /// The pieces of the side to move that can jump.
    #[must_use]
    #[inline]
    pub fn jumpers(&self) -> Bitboard {
        for_side!(self.turn(), S => {
            let [left, right, back_left, back_right] = self.jumps::<S>();
            far(left, S::DIRECTIONS[0].opposite())
                | far(right, S::DIRECTIONS[1].opposite())
                | far(back_left, S::DIRECTIONS[2].opposite())
                | far(back_right, S::DIRECTIONS[3].opposite())
        })
    }

    /// Whether the side to move has any legal move. Without one it has lost.
    #[must_use]
    #[inline]
    pub fn can_move(&self) -> bool {
        for_side!(self.turn(), S => self.steps::<S>().into_iter().any(Bitboard::any))
            || self.has_jump()
    }

    /// The legal moves: all jumps if there is one, otherwise all steps. Routes round the same
    /// captured pieces between the same ends are listed once.
    #[must_use]
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.fill_moves(&mut list);
        list
    }

    /// [`Self::legal_moves`] into an empty list: a list is 1 KiB, which returning it may copy.
    #[inline]
    pub(crate) fn fill_moves(&self, list: &mut MoveList) {
        debug_assert!(list.is_empty());
        for_side!(self.turn(), S => {
            self.push_jumps_of::<S>(list);
            if list.is_empty() {
                self.push_steps_of::<S>(list);
            }
        });
    }

    /// Appends every jump, merged. Leaves the list as it is when there is none.
    #[inline]
    pub(crate) fn push_jumps(&self, list: &mut MoveList) {
        for_side!(self.turn(), S => self.push_jumps_of::<S>(list));
    }

    /// Where the pieces of `S` step, by direction.
    #[inline(always)]
    fn steps<S: Side>(&self) -> [Bitboard; 4] {
        let (own, kings, vacant) = (self.own(), self.kings(S::COLOR), self.vacant());
        let [left, right, back_left, back_right] = S::DIRECTIONS;
        [
            step(own, left) & vacant,
            step(own, right) & vacant,
            step(kings, back_left) & vacant,
            step(kings, back_right) & vacant,
        ]
    }

    /// Where the first jumps of the pieces of `S` land, by direction.
    #[inline(always)]
    fn jumps<S: Side>(&self) -> [Bitboard; 4] {
        let (own, kings) = (self.pieces(S::COLOR), self.kings(S::COLOR));
        let (theirs, vacant) = (self.pieces(S::COLOR.opponent()), self.vacant());
        let [left, right, back_left, back_right] = S::DIRECTIONS;
        [
            jump(own, theirs, vacant, left),
            jump(own, theirs, vacant, right),
            jump(kings, theirs, vacant, back_left),
            jump(kings, theirs, vacant, back_right),
        ]
    }

    #[inline(always)]
    fn push_steps_of<S: Side>(&self, list: &mut MoveList) {
        for (landings, origins) in self.steps::<S>().into_iter().zip(&S::STEP_ORIGINS) {
            for to in landings {
                push(list, Move::step(origins[to.index()], to));
            }
        }
    }

    #[inline(always)]
    fn push_jumps_of<S: Side>(&self, list: &mut MoveList) {
        let [left, right, back_left, back_right] = self.jumps::<S>();
        let mut push = |landings: Bitboard, direction: Direction| {
            for landing in landings {
                self.push_jumps_from::<S>(landing, direction, list);
            }
        };
        push(left, S::DIRECTIONS[0]);
        push(right, S::DIRECTIONS[1]);
        push(back_left, S::DIRECTIONS[2]);
        push(back_right, S::DIRECTIONS[3]);
    }

    /// Appends the jumps that begin with the one on to `landing` in `direction`.
    #[inline]
    fn push_jumps_from<S: Side>(&self, landing: Square, direction: Direction, list: &mut MoveList) {
        let origin = far(landing.bit(), direction.opposite());
        let victim = step(landing.bit(), direction.opposite());
        let Some(from) = origin.first() else {
            return;
        };
        let chain = Chain {
            is_king: self.all_kings().meets(origin),
            theirs: self.pieces(S::COLOR.opponent()),
            vacant: self.vacant() | origin,
        };
        chain.each_way::<S>(landing.bit(), victim, &mut |to, captured| {
            let to = to.first().unwrap_or(landing);
            let mv = Move::jump(from, to, captured);
            // Two routes round the same pieces need a ring of four.
            if captured.len() < 4 || !list.contains(&mv) {
                push(list, mv);
            }
        });
    }

    /// Every legal move with its full route; routes are never merged.
    #[must_use]
    pub fn routes(&self) -> Vec<Route> {
        let mut routes = Vec::new();
        self.each_route(&mut |path, captured| routes.push(Route::new(path, captured)));
        if routes.is_empty() {
            let step = |mv: Move| Route::new(&[mv.from(), mv.to()], Bitboard::EMPTY);
            routes.extend(self.legal_moves().into_iter().map(step));
        }
        routes
    }

    /// Calls `visit` with the squares and captures of every complete jump route.
    fn each_route(&self, visit: &mut impl FnMut(&[Square], Bitboard)) {
        let jumps = for_side!(self.turn(), S => self.jumps::<S>().into_iter().zip(S::DIRECTIONS));
        for (landings, direction) in jumps {
            for landing in landings {
                let Some(from) = far(landing.bit(), direction.opposite()).first() else {
                    continue;
                };
                let victim = step(landing.bit(), direction.opposite());
                let mut trip = RoundTrip::new(self, from);
                trip.land(landing, victim);
                trip.go_on(visit);
            }
        }
    }
}

#[inline(always)]
fn push(list: &mut MoveList, mv: Move) {
    let pushed = list.try_push(mv);
    debug_assert!(pushed.is_ok(), "more moves than MOST_MOVES");
}

/// One piece in the middle of a jump, with its path. Captured pieces stay on the board until the move is over
/// (they block, and cannot be jumped twice); the square where the piece began is vacant.
struct RoundTrip {
    directions: &'static [Direction],
    theirs: Bitboard,
    vacant: Bitboard,
    captured: Bitboard,
    path: ArrayVec<Square, 13>,
}

impl RoundTrip {
    fn new(position: &Position, from: Square) -> Self {
        const BLACK: [Direction; 2] = Direction::forward(Color::Black);
        const WHITE: [Direction; 2] = Direction::forward(Color::White);
        let directions: &[Direction] = if position.all_kings().contains(from) {
            &Direction::ALL
        } else if position.turn() == Color::Black {
            &BLACK
        } else {
            &WHITE
        };
        let mut path = ArrayVec::new();
        path.push(from);
        Self {
            directions,
            theirs: position.theirs(),
            vacant: position.vacant() | from.bit(),
            captured: Bitboard::EMPTY,
            path,
        }
    }

    fn land(&mut self, landing: Square, victim: Bitboard) {
        self.path.push(landing);
        self.captured |= victim;
    }

    /// Reports the route if it ends here, or follows every way on. A man that has reached its
    /// crownhead has no forward direction left, so it stops by itself (WCDF 1.19).
    fn go_on(&mut self, visit: &mut impl FnMut(&[Square], Bitboard)) {
        let at = self.path[self.path.len() - 1].bit();
        let mut ended = true;
        for &direction in self.directions {
            let landing = jump(at, self.theirs - self.captured, self.vacant, direction);
            let Some(square) = landing.first() else {
                continue;
            };
            let victim = step(at, direction);
            ended = false;
            self.land(square, victim);
            self.go_on(visit);
            self.path.pop();
            self.captured = self.captured - victim;
        }
        if ended {
            visit(&self.path, self.captured);
        }
    }
}
