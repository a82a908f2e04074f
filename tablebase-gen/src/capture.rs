//! Captures for a whole block at once: every placement of both sides' kings.
//!
//! A walk follows one piece; the mover's other kings and the opponent's kings stay variable: rows
//! over the former, bits over the latter ([`Space`]). A jump over a man leaves the opponent's kings
//! as they are; a jump over a king is worked out with one king fewer and then expanded. Adding a
//! square to every set keeps their order, so both the rows that a capturing king comes from and
//! the bits of a captured king are found by selection. A result holds where no variable king
//! stands on a landing square. Captured pieces block until the move is over. Placements that are
//! not legal get results without meaning. Everything is seen from the mover's side, who plays up
//! the board.

use engine::board::{Bitboard, Color, Direction, Square, regions, steps};
use engine::tablebase::Force;

use crate::kernel::Isa;
use crate::kings::{Kings, Space};
use crate::lookup::{Lookup, Material};
use crate::pair::Planes;

/// More jumps than four victims allow.
const MOST_DEPTH: usize = 6;

pub(crate) const FORWARD: [Direction; 2] = Direction::forward(Color::Black);
pub(crate) const CROWNHEAD: Bitboard = regions::crownhead(Color::Black);

/// What captures lead to, for every placement of a space.
#[derive(Default)]
pub(crate) struct Rows {
    /// Some capture wins.
    pub(crate) wins: Vec<u32>,
    /// Some capture does not lose.
    pub(crate) saves: Vec<u32>,
    /// There is a capture.
    pub(crate) any: Vec<u32>,
}

impl Rows {
    fn clear(&mut self, space: Space) {
        for plane in [&mut self.wins, &mut self.saves, &mut self.any] {
            plane.clear();
            plane.resize(space.words(), 0);
        }
    }
}

/// The two sides' men, and how many kings they have.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) men: Bitboard,
    pub(crate) kings: u32,
    pub(crate) their_men: Bitboard,
    pub(crate) their_kings: u32,
}

/// A piece in the middle of its captures.
#[derive(Clone, Copy)]
struct Trip {
    at: Square,
    is_man: bool,
    /// The mover's other men, and how many other kings there are.
    men: Bitboard,
    kings: u32,
    /// What is left of the opponent.
    their_men: Bitboard,
    their_kings: u32,
    taken: Bitboard,
}

impl Trip {
    fn new(scene: &Scene, at: Square, is_man: bool) -> Self {
        Self {
            at,
            is_man,
            men: scene.men - at.bit(),
            kings: scene.kings - u32::from(!is_man),
            their_men: scene.their_men,
            their_kings: scene.their_kings,
            taken: Bitboard::EMPTY,
        }
    }

    fn space(&self) -> Space {
        Space::of(self.kings, self.their_kings)
    }

    /// After the jump over `victim`.
    fn after(&self, victim: Square, landing: Square) -> Self {
        let is_man = self.their_men.contains(victim);
        Self {
            at: landing,
            their_men: self.their_men - victim.bit(),
            their_kings: self.their_kings - u32::from(!is_man),
            taken: self.taken | victim.bit(),
            ..*self
        }
    }

    /// Squares that stay occupied whatever the variable kings do.
    fn blocked(&self) -> Bitboard {
        self.men | self.their_men | self.taken
    }

    /// The jumps that some placement of the variable kings allows: victim and landing square.
    #[inline]
    fn jumps(&self) -> impl Iterator<Item = (Square, Square)> + use<> {
        let directions: &[Direction] = if self.is_man {
            &FORWARD
        } else {
            &Direction::ALL
        };
        let free = !self.blocked();
        let kings = if self.their_kings > 0 {
            free
        } else {
            Bitboard::EMPTY
        };
        let (at, victims) = (self.at.bit(), self.their_men | kings);
        directions.iter().filter_map(move |&direction| {
            let over = steps::step(at, direction) & victims;
            let landing = steps::step(over, direction) & free;
            Some((over.first()?, landing.first()?))
        })
    }

    /// Whether the piece is a king after the move.
    fn is_king(&self) -> bool {
        !self.is_man || CROWNHEAD.contains(self.at)
    }

    /// What the move leaves if it ends here: the mover's force and men, then the opponent's.
    fn end(&self) -> (Material, Material) {
        let is_king = self.is_king();
        let men = if is_king {
            self.men
        } else {
            self.men | self.at.bit()
        };
        let own = Force {
            men: men.len(),
            kings: self.kings + u32::from(is_king),
        };
        let their = Force {
            men: self.their_men.len(),
            kings: self.their_kings,
        };
        ((own, men), (their, self.their_men))
    }

    /// The rows of the position after the move, for the placements of the other kings without
    /// the square of this piece.
    fn sources(&self) -> &'static [u16] {
        if self.is_king() {
            Kings::of(self.kings + 1).with(self.at)
        } else {
            Kings::of(self.kings).without(self.at)
        }
    }
}

/// The results after a landing on a square, for the placements of the other kings without it.
enum Found<'f> {
    /// The `n`-th such placement has the row `rows[n]`.
    Rows {
        wins: &'f [u32],
        saves: &'f [u32],
        rows: &'f [u16],
    },
    /// A bit for each placement of the mover's other kings; those on the square have no meaning.
    Bits { wins: &'f [u32], saves: &'f [u32] },
}

/// Rows to work in, a set for each jump of a move.
#[derive(Default)]
pub(crate) struct Captures {
    levels: [Rows; MOST_DEPTH],
    base: Rows,
}

impl Captures {
    /// All captures of a block.
    pub(crate) fn of(&mut self, isa: Isa, scene: &Scene, lookup: &mut Lookup<'_>) -> &Rows {
        let (result, levels) = self.levels.split_first_mut().expect("several levels");
        let space = Space::of(scene.kings, scene.their_kings);
        result.clear(space);
        let mut walk = Walk {
            isa,
            lookup,
            base: &mut self.base,
        };
        for at in scene.men {
            walk.jumps(&Trip::new(scene, at, true), result, levels);
        }
        if scene.kings > 0 {
            for at in starts(scene) {
                walk.king(&Trip::new(scene, at, false), space, result, levels);
            }
        }
        result
    }
}

/// Squares from which some king could capture.
fn starts(scene: &Scene) -> Bitboard {
    let free = !(scene.men | scene.their_men);
    let victims = if scene.their_kings > 0 {
        !scene.men
    } else {
        scene.their_men
    };
    let from = |direction: Direction| {
        let over = steps::step(free, direction) & victims;
        steps::step(over, direction)
    };
    let all = Direction::ALL.map(from);
    (all[0] | all[1] | all[2] | all[3]) & free
}

struct Walk<'w, 'a> {
    isa: Isa,
    lookup: &'w mut Lookup<'a>,
    base: &'w mut Rows,
}

impl<'a> Walk<'_, 'a> {
    /// Adds the captures of a king from one square to the results of the whole block.
    fn king(&mut self, trip: &Trip, whole: Space, result: &mut Rows, levels: &mut [Rows]) {
        let space = trip.space();
        let (here, deeper) = levels.split_first_mut().expect("a level for each jump");
        here.clear(space);
        self.jumps(trip, here, deeper);
        let width = whole.their.width;
        for (into, from) in [
            (&mut result.wins, &here.wins),
            (&mut result.saves, &here.saves),
            (&mut result.any, &here.any),
        ] {
            if whole.is_flat() {
                let (mask, keep) = (whole.own.holds(trip.at), space.own.lacks(trip.at));
                self.isa.expand(into, mask, from, keep);
            } else {
                let (with, without) = (whole.own.with(trip.at), space.own.without(trip.at));
                self.isa.or_rows(into, with, from, without, width);
            }
        }
    }

    /// Adds to `here` what each further jump of `trip` leads to.
    fn jumps(&mut self, trip: &Trip, here: &mut Rows, deeper: &mut [Rows]) {
        for (victim, landing) in trip.jumps() {
            let next = trip.after(victim, landing);
            let found = self.land(&next, deeper);
            if next.their_kings < trip.their_kings {
                add_king_taken(self.isa, trip, [victim, landing], &found, here);
            } else {
                add_man_taken(self.isa, trip, landing, &found, here);
            }
        }
    }

    /// The results after a landing: further jumps where there are any, elsewhere the position
    /// that the move leaves.
    fn land<'f>(&mut self, trip: &Trip, levels: &'f mut [Rows]) -> Found<'f>
    where
        'a: 'f,
    {
        let (here, deeper) = levels.split_first_mut().expect("a level for each jump");
        let goes_on = trip.jumps().next().is_some();
        if goes_on {
            here.clear(trip.space());
            self.jumps(trip, here, deeper);
        }
        let (own, their) = trip.end();
        let planes = self.lookup.after(own, their);
        match (trip.space().is_flat(), goes_on) {
            (true, false) => self.end_flat(trip, planes, here),
            (true, true) => self.go_on_flat(trip, planes, here),
            (false, false) => Found::Rows {
                wins: planes.lost,
                saves: planes.open,
                rows: trip.sources(),
            },
            (false, true) => self.go_on(trip, planes, here),
        }
    }

    /// No further jump, and the opponent has no king.
    fn end_flat<'f>(&self, trip: &Trip, planes: Planes<'a>, here: &'f mut Rows) -> Found<'f>
    where
        'a: 'f,
    {
        let (mut wins, mut saves) = (planes.lost, planes.open);
        if trip.is_king() {
            self.contract(trip, planes, here);
            (wins, saves) = (&here.wins, &here.saves);
        }
        Found::Bits { wins, saves }
    }

    /// The planes after the move, without the king that has landed.
    fn contract(&self, trip: &Trip, planes: Planes<'a>, into: &mut Rows) {
        let (space, at) = (trip.space(), trip.at);
        into.clear(space);
        let (mask, keep) = (space.own.lacks(at), Kings::of(trip.kings + 1).holds(at));
        self.isa.expand(&mut into.wins, mask, planes.lost, keep);
        self.isa.expand(&mut into.saves, mask, planes.open, keep);
    }

    fn go_on_flat<'f>(&mut self, trip: &Trip, planes: Planes<'a>, here: &'f mut Rows) -> Found<'f>
    where
        'a: 'f,
    {
        let (mut lost, mut open) = (planes.lost, planes.open);
        if trip.is_king() {
            let mut base = std::mem::take(self.base);
            self.contract(trip, planes, &mut base);
            *self.base = base;
            (lost, open) = (&self.base.wins, &self.base.saves);
        }
        for (i, &any) in here.any.iter().enumerate() {
            here.wins[i] |= lost[i] & !any;
            here.saves[i] |= open[i] & !any;
        }
        Found::Bits {
            wins: &here.wins,
            saves: &here.saves,
        }
    }

    fn go_on<'f>(&self, trip: &Trip, planes: Planes<'a>, here: &'f mut Rows) -> Found<'f>
    where
        'a: 'f,
    {
        let space = trip.space();
        let (rows, sources) = (space.own.without(trip.at), trip.sources());
        let any = (&here.any[..], space.their.width);
        self.isa
            .or_rest(&mut here.wins, rows, planes.lost, sources, any);
        self.isa
            .or_rest(&mut here.saves, rows, planes.open, sources, any);
        Found::Rows {
            wins: &here.wins,
            saves: &here.saves,
            rows,
        }
    }
}

/// Adds what is found after taking a man to `here`.
fn add_man_taken(isa: Isa, trip: &Trip, landing: Square, found: &Found<'_>, here: &mut Rows) {
    let space = trip.space();
    match found {
        Found::Bits { wins, saves } => {
            for (i, covered) in space.own.holds(landing).iter().enumerate() {
                here.wins[i] |= wins[i] & !covered;
                here.saves[i] |= saves[i] & !covered;
                here.any[i] |= !covered;
            }
        }
        Found::Rows { wins, saves, rows } => {
            let into = space.own.without(landing);
            let keep = space.their.lacks(landing.rotated());
            isa.or_kept(&mut here.wins, into, wins, rows, keep);
            isa.or_kept(&mut here.saves, into, saves, rows, keep);
            isa.set_rows(&mut here.any, into, keep, keep);
        }
    }
}

/// Adds what is found after taking a king to `here`; the squares are those of the victim and
/// of the landing.
fn add_king_taken(isa: Isa, trip: &Trip, jump: [Square; 2], found: &Found<'_>, here: &mut Rows) {
    let Space { own, their } = trip.space();
    let into = own.without(jump[1]);
    let [victim, landing] = jump.map(Square::rotated);
    match found {
        Found::Bits { wins, saves } => {
            isa.or_column(&mut here.wins, into, wins, victim.index() as u32);
            isa.or_column(&mut here.saves, into, saves, victim.index() as u32);
        }
        Found::Rows { wins, saves, rows } => {
            let fewer = Kings::of(trip.their_kings - 1);
            let keep = [fewer.lacks(victim), fewer.lacks(landing)];
            let mask = their.holds(victim);
            isa.expand_rows(&mut here.wins, into, wins, rows, mask, keep);
            isa.expand_rows(&mut here.saves, into, saves, rows, mask, keep);
        }
    }
    isa.set_rows(
        &mut here.any,
        into,
        their.holds(victim),
        their.lacks(landing),
    );
}
