//! A position stripped to what perft needs, and its children.

use super::hops::{self, Hop, Hopper, Hops};
use crate::board::steps::{far, step};
use crate::board::{Bitboard, Direction, regions};
use crate::rules::Position;
use crate::rules::chain::Chain;
use crate::rules::side::Side;

/// A position seen by the side to move, whose colour is a type parameter of every function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) own: Bitboard,
    pub(super) theirs: Bitboard,
    /// The kings of both sides.
    pub(super) kings: Bitboard,
}

/// Landing squares of the side to move: two directions forward, two backward (kings only).
#[derive(Clone, Copy)]
pub(super) struct Landings {
    pub(super) forward: [Bitboard; 2],
    pub(super) backward: [Bitboard; 2],
}

impl Landings {
    #[inline(always)]
    pub(super) fn from_words(forward: [u32; 2], backward: [u32; 2]) -> Self {
        Self {
            forward: forward.map(Bitboard),
            backward: backward.map(Bitboard),
        }
    }

    /// The first if `condition`, otherwise the second.
    #[inline(always)]
    pub(super) fn select(condition: bool, first: Self, second: Self) -> Self {
        let choose = |first, second| if condition { first } else { second };
        Self {
            forward: [
                choose(first.forward[0], second.forward[0]),
                choose(first.forward[1], second.forward[1]),
            ],
            backward: [
                choose(first.backward[0], second.backward[0]),
                choose(first.backward[1], second.backward[1]),
            ],
        }
    }

    /// In the order of [`Side::DIRECTIONS`].
    #[inline(always)]
    fn sets(self) -> [Bitboard; 4] {
        let [left, right] = self.forward;
        let [back_left, back_right] = self.backward;
        [left, right, back_left, back_right]
    }

    #[inline(always)]
    fn all(self) -> Bitboard {
        let Self {
            forward: [left, right],
            backward: [back_left, back_right],
        } = self;
        left | right | back_left | back_right
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Self {
            forward: [
                self.forward[0] - other.forward[0],
                self.forward[1] - other.forward[1],
            ],
            backward: [
                self.backward[0] - other.backward[0],
                self.backward[1] - other.backward[1],
            ],
        }
    }

    #[inline(always)]
    pub(super) fn any(self) -> bool {
        self.all().any()
    }

    #[inline(always)]
    pub(super) fn len(self) -> u32 {
        let Self {
            forward: [left, right],
            backward: [back_left, back_right],
        } = self;
        left.len() + right.len() + back_left.len() + back_right.len()
    }
}

/// Where single jumps can land, whoever makes them.
#[derive(Clone, Copy)]
pub(super) struct Openings([Bitboard; 4]);

impl Openings {
    #[inline(always)]
    fn of<S: Side>(victims: Bitboard, vacant: Bitboard) -> Self {
        let victims = victims & regions::INTERIOR;
        Self(S::DIRECTIONS.map(|direction| step(victims, direction) & vacant))
    }

    /// The landings of jumps by `men_and_kings` forward and by `kings` backward.
    #[inline(always)]
    fn landings<S: Side>(self, men_and_kings: Bitboard, kings: Bitboard) -> Landings {
        let [left, right, back_left, back_right] = S::DIRECTIONS;
        Landings {
            forward: [
                far(men_and_kings, left) & self.0[0],
                far(men_and_kings, right) & self.0[1],
            ],
            backward: [
                far(kings, back_left) & self.0[2],
                far(kings, back_right) & self.0[3],
            ],
        }
    }

    #[inline(always)]
    fn forward<S: Side>(self, set: Bitboard) -> [Bitboard; 2] {
        let [left, right] = S::FORWARD;
        [far(set, left) & self.0[0], far(set, right) & self.0[1]]
    }

    /// How many of `landed` men find no further jump.
    #[inline(always)]
    fn ended<S: Side>(self, landed: Bitboard) -> u32 {
        let [left, right] = S::FORWARD;
        let onward = far(self.0[0], left.opposite()) | far(self.0[1], right.opposite());
        (landed - onward).len()
    }
}

/// The place of a direction in [`Side::DIRECTIONS`].
const fn index_of<S: Side>(direction: Direction) -> usize {
    let mut index = 0;
    while index < 3 && S::DIRECTIONS[index] as usize != direction as usize {
        index += 1;
    }
    index
}

impl Node {
    pub(super) fn new(position: &Position) -> Self {
        Self {
            own: position.own(),
            theirs: position.theirs(),
            kings: position.all_kings(),
        }
    }

    /// The whole position again, for the slow paths.
    pub(super) fn position<S: Side>(self) -> Position {
        Position::of_sides(S::COLOR, self.own, self.theirs, self.kings)
    }

    #[inline(always)]
    fn own_kings(self) -> Bitboard {
        self.own & self.kings
    }

    #[inline(always)]
    fn vacant(self) -> Bitboard {
        !(self.own | self.theirs)
    }

    #[inline(always)]
    pub(super) fn steps<S: Side>(self) -> Landings {
        let vacant = self.vacant();
        let [left, right, back_left, back_right] = S::DIRECTIONS;
        let to = |movers, direction: Direction| step(movers, direction) & vacant;
        Landings {
            forward: [to(self.own, left), to(self.own, right)],
            backward: [
                to(self.own_kings(), back_left),
                to(self.own_kings(), back_right),
            ],
        }
    }

    /// Where jumps can land, and the first landings of those that the side to move can make.
    #[inline(always)]
    pub(super) fn jumps<S: Side>(self) -> (Openings, Landings) {
        let openings = Openings::of::<S>(self.theirs, self.vacant());
        (openings, openings.landings::<S>(self.own, self.own_kings()))
    }

    /// Whether any jump must go on from its first landing.
    ///
    /// The answer is exact: a second jump straight on or across meets neither the first victim
    /// nor the origin, and the way straight back ends on the origin, which is not vacant.
    #[inline(always)]
    pub(super) fn goes_on<S: Side>(self, (openings, landings): (Openings, Landings)) -> bool {
        let by_kings = openings.landings::<S>(self.own_kings(), self.own_kings());
        let further = openings.landings::<S>(landings.all(), by_kings.all());
        further.any()
    }

    /// How many jumps there are where men jump any number of times and kings once; and whether
    /// a king must go on, so that there are other jumps than these.
    ///
    /// A man's jumps run forward, so that no square or victim comes twice on its way: the ways on
    /// depend on where it stands alone, and sets of landings stand for all men at once. Three
    /// jumps end every way, six rows up.
    #[inline(always)]
    pub(super) fn chains<S: Side>(self) -> (u32, bool) {
        let openings = Openings::of::<S>(self.theirs, self.vacant());
        let by_kings = openings.landings::<S>(self.own_kings(), self.own_kings());
        let king_goes_on = openings.landings::<S>(by_kings.all(), by_kings.all()).any();
        let men = self.own - self.kings;
        let mut count = by_kings.len();
        for first in openings.forward::<S>(men) {
            count += openings.ended::<S>(first);
            for second in openings.forward::<S>(first) {
                count += openings.ended::<S>(second);
                for third in openings.forward::<S>(second) {
                    count += third.len();
                }
            }
        }
        (count, king_goes_on)
    }

    /// The same board with the opponent to move.
    #[inline(always)]
    fn turned(self) -> Self {
        Self {
            own: self.theirs,
            theirs: self.own,
            kings: self.kings,
        }
    }

    /// Where the side to move could step if every square were vacant, by direction.
    #[inline(always)]
    fn reach<S: Side>(self) -> [Bitboard; 4] {
        let [left, right, back_left, back_right] = S::DIRECTIONS;
        [
            step(self.own, left),
            step(self.own, right),
            step(self.own_kings(), back_left),
            step(self.own_kings(), back_right),
        ]
    }

    /// The steps after which the opponent has no jump, and the others. Some of the others may be
    /// safe too: those that parry several threats at once in different ways.
    ///
    /// A step from `o` to `t` lets the opponent jump where
    /// - a jump that was there before remains: neither did its victim leave `o`, nor is its
    ///   landing `t`;
    /// - the piece on `t` can be jumped: an opponent reaches `t` and the square behind it is
    ///   vacant, or is `o`;
    /// - the landing `o` has become vacant: a piece of ours stands between it and an opponent.
    #[inline(always)]
    pub(super) fn safe_steps<S: Side>(self) -> (Landings, Landings) {
        let opponent = self.turned();
        let vacant = self.vacant();
        let ours = self.own & regions::INTERIOR;
        let reach = opponent.reach::<S::Opponent>();
        let mut landed = Bitboard::EMPTY;
        let mut jumped = Bitboard::EMPTY;
        let mut opened = Bitboard::EMPTY;
        let mut exposed = Bitboard::EMPTY;
        for (index, direction) in S::Opponent::DIRECTIONS.into_iter().enumerate() {
            let behind = step(reach[index] & ours, direction);
            opened |= behind & self.own;
            landed |= behind & vacant;
            jumped |= step(behind & vacant, direction.opposite());
            exposed |= reach[index] & step(vacant, direction.opposite());
        }
        let blocks = if landed.several() {
            Bitboard::EMPTY
        } else {
            landed
        };
        let leaves = if jumped.several() {
            Bitboard::EMPTY
        } else {
            jumped
        };
        let unthreatened = landed.is_empty();
        let is_safe = |direction: Direction, back: usize| {
            let parried = blocks | step(leaves, direction);
            let parried = if unthreatened { Bitboard::ALL } else { parried };
            let exposed = (exposed | reach[back]) & regions::INTERIOR;
            parried - exposed - step(opened, direction)
        };
        let steps = self.steps::<S>();
        let [left, right, back_left, back_right] = S::DIRECTIONS;
        // The opponent's directions against ours: its forward is our backward, mirrored.
        let back = |direction: Direction| index_of::<S::Opponent>(direction.opposite());
        let safe = Landings {
            forward: [
                steps.forward[0] & is_safe(left, back(left)),
                steps.forward[1] & is_safe(right, back(right)),
            ],
            backward: [
                steps.backward[0] & is_safe(back_left, back(back_left)),
                steps.backward[1] & is_safe(back_right, back(back_right)),
            ],
        };
        (safe, steps.without(safe))
    }

    /// The opponent's steps after each of our steps `made`, added up.
    ///
    /// A step from `o` to `t` takes from the opponent the steps on to `t` and gives it those on
    /// to `o`; all its other steps stay.
    #[inline(always)]
    pub(super) fn replies<S: Side>(self, made: Landings) -> u32 {
        let reach = self.turned().reach::<S::Opponent>();
        let before = self.turned().steps::<S::Opponent>().len();
        // Written out: the compiler gives up on vectors where it has not unrolled a loop first.
        let met = |set: Bitboard| {
            let [left, right, back_left, back_right] = reach;
            (left & set).len()
                + (right & set).len()
                + (back_left & set).len()
                + (back_right & set).len()
        };
        let change = |to: Bitboard, direction: Direction| {
            met(step(to, direction.opposite())).wrapping_sub(met(to))
        };
        let [left, right, back_left, back_right] = made.sets();
        (made.len() * before)
            .wrapping_add(change(left, S::DIRECTIONS[0]))
            .wrapping_add(change(right, S::DIRECTIONS[1]))
            .wrapping_add(change(back_left, S::DIRECTIONS[2]))
            .wrapping_add(change(back_right, S::DIRECTIONS[3]))
    }

    /// The child after a step or a single jump.
    #[inline(always)]
    pub(super) fn after<S: Side>(self, hop: Hop) -> Self {
        let from = hop.ends & self.own;
        let to = hop.ends ^ from;
        self.moved::<S>(from, to, hop.victim)
    }

    /// The child after a step or a single jump, where only the opponent's moves matter: which of
    /// our pieces are kings is left out.
    #[inline(always)]
    pub(super) fn leaf_after(self, hop: Hop) -> Self {
        let rest = self.theirs - hop.victim;
        Self {
            own: rest,
            theirs: self.own ^ hop.ends,
            kings: rest & self.kings,
        }
    }

    #[inline(always)]
    fn moved<S: Side>(self, from: Bitboard, to: Bitboard, captured: Bitboard) -> Self {
        let crowned = if (self.kings & from).any() {
            to
        } else {
            to & S::CROWNHEAD
        };
        Self {
            own: self.theirs - captured,
            theirs: (self.own - from) | to,
            kings: (self.kings - (from | captured)) | crowned,
        }
    }

    /// Calls `visit` with every child; jumps by several ways are `merged` or not.
    #[inline(always)]
    pub(super) fn each_child<S: Side>(self, merged: bool, mut visit: impl FnMut(Self)) {
        let jumps = self.jumps::<S>();
        if !jumps.1.any() {
            each_hop(self.steps::<S>(), &S::STEPS, |hop| {
                visit(self.after::<S>(hop));
            });
        } else if self.goes_on::<S>(jumps) {
            self.each_long_jump::<S>(merged, &mut visit);
        } else {
            each_hop(jumps.1, &S::JUMPS, |hop| visit(self.after::<S>(hop)));
        }
    }

    /// Calls `visit` with every child by a complete jump, of any length.
    #[inline(never)]
    pub(super) fn each_long_jump<S: Side>(self, merged: bool, visit: &mut impl FnMut(Self)) {
        if merged {
            for mv in self.position::<S>().legal_moves() {
                visit(self.moved::<S>(mv.from().bit(), mv.to().bit(), mv.captured()));
            }
        } else {
            self.each_route::<S>(|from, to, captured| {
                visit(self.moved::<S>(from, to, captured));
            });
        }
    }

    /// How many complete jumps there are, of any length.
    #[inline(never)]
    pub(super) fn count_long_jumps<S: Side>(self, merged: bool) -> u64 {
        if merged {
            return self.position::<S>().legal_moves().len() as u64;
        }
        let mut count = 0;
        self.each_route::<S>(|_, _, _| count += 1);
        count
    }

    /// Calls `visit` with the ends and captures of every route.
    #[inline(always)]
    fn each_route<S: Side>(self, mut visit: impl FnMut(Bitboard, Bitboard, Bitboard)) {
        each_hop(self.jumps::<S>().1, &S::JUMPS, |hop| {
            let from = hop.ends & self.own;
            let chain = Chain {
                is_king: (from & self.kings).any(),
                theirs: self.theirs,
                vacant: self.vacant() | from,
            };
            chain.each_way::<S>(hop.ends - from, hop.victim, &mut |to, captured| {
                visit(from, to, captured);
            });
        });
    }
}

/// Calls `visit` with the hop behind each landing.
#[inline(always)]
pub(super) fn each_hop(landings: Landings, hops: &[Hops; 2], mut visit: impl FnMut(Hop)) {
    hops::each(hops::pair(landings.forward), &hops[0], &mut visit);
    hops::each(hops::pair(landings.backward), &hops[1], &mut visit);
}
