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

/// More jumps than there can be victims, and one for the whole block.
const MOST_DEPTH: usize = 9;

pub(crate) const FORWARD: [Direction; 2] = Direction::forward(Color::Black);
pub(crate) const CROWNHEAD: Bitboard = regions::crownhead(Color::Black);

/// For each square and direction (a man's first) the squares that are jumped over and landed on;
/// both empty where the board ends.
static JUMPS: [[[Bitboard; 2]; 4]; 32] = jumps_from_all();

const fn jumps_from_all() -> [[[Bitboard; 2]; 4]; 32] {
    let directions = [
        FORWARD[0],
        FORWARD[1],
        FORWARD[0].opposite(),
        FORWARD[1].opposite(),
    ];
    let mut jumps = [[[Bitboard::EMPTY; 2]; 4]; 32];
    let mut square = 0;
    while square < 32 {
        let mut nth = 0;
        while nth < 4 {
            let over = steps::step(Bitboard(1 << square), directions[nth]);
            let landing = steps::step(over, directions[nth]);
            if landing.any() {
                jumps[square][nth] = [over, landing];
            }
            nth += 1;
        }
        square += 1;
    }
    jumps
}

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

/// What captures lead to where a plane is one word: a bit for each square of the one king that is
/// variable, or bit 0.
#[derive(Clone, Copy, Default)]
struct Word {
    wins: u32,
    saves: u32,
    any: u32,
}

impl Rows {
    #[inline]
    fn add(&mut self, at: usize, word: Word) {
        self.wins[at] |= word.wins;
        self.saves[at] |= word.saves;
        self.any[at] |= word.any;
    }

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
        let free = !self.blocked();
        let kings = if self.their_kings > 0 { free.0 } else { 0 };
        let victims = Bitboard(self.their_men.0 | kings);
        let directions = if self.is_man { 2 } else { 4 };
        let all = &JUMPS[self.at.index()][..directions];
        all.iter().filter_map(move |&[over, landing]| {
            Some(((over & victims).first()?, (landing & free).first()?))
        })
    }

    /// Whether at most one king is variable: a plane is then one word.
    #[inline]
    const fn is_narrow(&self) -> bool {
        self.kings + self.their_kings < 2
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
    fn sources(&self) -> &'static [u32] {
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
        rows: &'f [u32],
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
            let trip = Trip::new(scene, at, true);
            if trip.is_narrow() {
                result.add(0, walk.word(&trip, Bitboard::EMPTY));
            } else {
                walk.jumps(&trip, result, levels);
            }
        }
        if scene.kings == 1 && scene.their_kings < 2 {
            walk.only_king(scene, result);
        } else if scene.kings > 0 {
            for at in starts(scene) {
                walk.king(&Trip::new(scene, at, false), space, result, levels);
            }
        }
        result
    }
}

/// Squares from which some king could capture.
fn starts(scene: &Scene) -> Bitboard {
    let victims = if scene.their_kings > 0 {
        !scene.men
    } else {
        scene.their_men
    };
    starts_over(scene, victims)
}

/// Squares from which a king could capture one of `victims`.
fn starts_over(scene: &Scene, victims: Bitboard) -> Bitboard {
    let free = !(scene.men | scene.their_men);
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

    /// Adds the captures of the mover's only king against at most one king.
    fn only_king(&mut self, scene: &Scene, result: &mut Rows) {
        let over_men = starts_over(scene, scene.their_men);
        let mut quick = Bitboard::EMPTY;
        if scene.their_kings > 0 {
            quick = !over_men;
            self.king_takes_king(scene, quick, result);
        }
        let starts = if scene.their_kings > 0 {
            // Whoever lands where he can go on, and whoever takes a man first.
            starts_over(scene, !scene.men)
        } else {
            over_men
        };
        for at in starts {
            let word = self.word(&Trip::new(scene, at, false), quick);
            if scene.their_kings > 0 {
                result.add(at.index(), word);
            } else {
                result.wins[0] |= (word.wins & 1) << at.index();
                result.saves[0] |= (word.saves & 1) << at.index();
                result.any[0] |= (word.any & 1) << at.index();
            }
        }
    }

    /// King takes king and lands on one of the squares `quick`, from where no man can be taken.
    fn king_takes_king(&mut self, scene: &Scene, quick: Bitboard, result: &mut Rows) {
        let force = |men: Bitboard, kings| Force {
            men: men.len(),
            kings,
        };
        let planes = self.lookup.after(
            (force(scene.men, 1), scene.men),
            (force(scene.their_men, 0), scene.their_men),
        );
        let free = !(scene.men | scene.their_men);
        let (lost, open) = (planes.lost[0], planes.open[0]);
        for at in free {
            let mut word = Word::default();
            for &[over, landing] in &JUMPS[at.index()] {
                if free.meets(over) && (free & quick).meets(landing) {
                    let victim = over.rotated().0;
                    word.wins |= if lost & landing.0 != 0 { victim } else { 0 };
                    word.saves |= if open & landing.0 != 0 { victim } else { 0 };
                    word.any |= victim;
                }
            }
            result.add(at.index(), word);
        }
    }

    /// What each further jump of a narrow `trip` leads to, but for those that take a king and land
    /// on one of the squares `not`.
    fn word(&mut self, trip: &Trip, not: Bitboard) -> Word {
        let mut word = Word::default();
        for (victim, landing) in trip.jumps() {
            let next = trip.after(victim, landing);
            if next.their_kings < trip.their_kings {
                if !not.contains(landing) {
                    let found = self.landed(&next);
                    let bit = victim.rotated().index();
                    word.wins |= (found.wins & 1) << bit;
                    word.saves |= (found.saves & 1) << bit;
                    word.any |= 1 << bit;
                }
                continue;
            }
            let found = self.landed(&next);
            let covered = match (trip.kings, trip.their_kings) {
                (0, 0) => Bitboard::EMPTY,
                (0, _) => landing.rotated().bit(),
                _ => landing.bit(),
            };
            word.wins |= found.wins & !covered.0;
            word.saves |= found.saves & !covered.0;
            word.any |= !covered.0;
        }
        word
    }

    /// As [`Walk::land`], for a narrow trip.
    fn landed(&mut self, trip: &Trip) -> Word {
        let mut word = self.word(trip, Bitboard::EMPTY);
        let (own, their) = trip.end();
        let planes = self.lookup.after(own, their);
        let (lost, open) = match (trip.is_king(), trip.kings, trip.their_kings) {
            (false, ..) => (planes.lost[0], planes.open[0]),
            (true, 0, 0) => (
                planes.lost[0] >> trip.at.index() & 1,
                planes.open[0] >> trip.at.index() & 1,
            ),
            (true, 0, _) => (planes.lost[trip.at.index()], planes.open[trip.at.index()]),
            (true, ..) => {
                self.base.clear(trip.space());
                let (mask, keep) = (Kings::of(1).lacks(trip.at), Kings::of(2).holds(trip.at));
                self.isa
                    .expand(&mut self.base.wins, mask, planes.lost, keep);
                self.isa
                    .expand(&mut self.base.saves, mask, planes.open, keep);
                (self.base.wins[0], self.base.saves[0])
            }
        };
        word.wins |= lost & !word.any;
        word.saves |= open & !word.any;
        word
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
