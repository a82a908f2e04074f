//! Legal moves, found for whole sets of pieces at once.
//!
//! One code path serves both colours: a colour only chooses which two [`Direction`]s are
//! forward. [`Position::legal_moves`] merges routes that lead to the same position;
//! [`Position::routes`] keeps every route, as published perft counts do.

use arrayvec::ArrayVec;

use super::{Move, MoveList, Position, Route};
use crate::board::steps::{far, jump, step};
use crate::board::{Bitboard, Color, Direction, Square, regions};

impl Position {
    /// The pieces of the side to move that can step in `direction`'s forward or backward sense
    /// are `men | kings` and `kings`; this yields each direction with the pieces allowed in it.
    #[inline(always)]
    fn movers(&self) -> [(Direction, Bitboard); 4] {
        let [left, right] = Direction::forward(self.turn());
        let [back_left, back_right] = Direction::backward(self.turn());
        let kings = self.kings(self.turn());
        [
            (left, self.own()),
            (right, self.own()),
            (back_left, kings),
            (back_right, kings),
        ]
    }

    /// Whether the side to move must jump.
    #[must_use]
    #[inline]
    pub fn has_jump(&self) -> bool {
        let (theirs, vacant) = (self.theirs(), self.vacant());
        self.movers()
            .into_iter()
            .any(|(direction, movers)| jump(movers, theirs, vacant, direction).any())
    }

    /// Whether the side that waits could jump, if it were to move.
    #[must_use]
    #[inline]
    pub fn is_threatened(&self) -> bool {
        self.with_turn(!self.turn()).has_jump()
    }

    /// The pieces of the side to move that can jump.
    #[must_use]
    pub fn jumpers(&self) -> Bitboard {
        let (theirs, vacant) = (self.theirs(), self.vacant());
        self.movers()
            .into_iter()
            .fold(Bitboard::EMPTY, |jumpers, (direction, movers)| {
                jumpers
                    | far(
                        jump(movers, theirs, vacant, direction),
                        direction.opposite(),
                    )
            })
    }

    /// Whether the side to move has any legal move. Without one it has lost.
    #[must_use]
    #[inline]
    pub fn can_move(&self) -> bool {
        let vacant = self.vacant();
        self.movers()
            .into_iter()
            .any(|(direction, movers)| (step(movers, direction) & vacant).any())
            || self.has_jump()
    }

    /// The legal moves: all jumps if there is one, otherwise all steps. Routes round the same
    /// captured pieces between the same ends are listed once.
    #[must_use]
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.push_jumps(&mut list);
        if list.is_empty() {
            self.push_steps(&mut list);
        }
        list
    }

    #[inline]
    fn push_steps(&self, list: &mut MoveList) {
        let vacant = self.vacant();
        for (direction, movers) in self.movers() {
            for to in step(movers, direction) & vacant {
                if let Some(from) = step(to.bit(), direction.opposite()).first() {
                    list.push(Move::step(from, to));
                }
            }
        }
    }

    /// Appends every jump, merged. Leaves the list as it is when there is none.
    #[inline]
    pub(crate) fn push_jumps(&self, list: &mut MoveList) {
        self.each_route(&mut |path, captured| {
            let mv = Move::jump(path[0], path[path.len() - 1], captured);
            // Two routes round the same pieces need a ring of four.
            if captured.len() < 4 || !list.contains(&mv) {
                let pushed = list.try_push(mv);
                debug_assert!(pushed.is_ok(), "more jumps than MOST_MOVES");
            }
        });
    }

    /// Every legal move with its full route; routes are never merged.
    #[must_use]
    pub fn routes(&self) -> Vec<Route> {
        let mut routes = Vec::new();
        self.each_route(&mut |path, captured| routes.push(Route::new(path, captured)));
        if routes.is_empty() {
            let mut steps = MoveList::new();
            self.push_steps(&mut steps);
            routes.extend(
                steps
                    .iter()
                    .map(|mv| Route::new(&[mv.from(), mv.to()], Bitboard::EMPTY)),
            );
        }
        routes
    }

    /// Calls `visit` with the squares and captures of every complete jump route.
    #[inline]
    pub(super) fn each_route(&self, visit: &mut impl FnMut(&[Square], Bitboard)) {
        let (theirs, vacant) = (self.theirs(), self.vacant());
        for (direction, movers) in self.movers() {
            for landing in jump(movers, theirs, vacant, direction) {
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

/// One piece in the middle of a jump. Captured pieces stay on the board until the move is over
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

/// The pieces of `color` that would be crowned by landing on `to`.
#[must_use]
pub fn crowns(position: &Position, mv: Move) -> bool {
    !position.all_kings().contains(mv.from())
        && regions::crownhead(position.turn()).contains(mv.to())
}
