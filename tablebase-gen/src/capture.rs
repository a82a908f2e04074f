//! Captures for whole rows at once: one placement of the mover's kings, every placement of the
//! opponent's.
//!
//! A jump over a man leaves the opponent's kings as they are; the result holds where none of
//! them stands on the landing square. A jump over a king is worked out in rows over one king
//! fewer and then expanded: adding a square to every set keeps their order, so expansion is a
//! selection of bits followed by a deposit. Captured pieces block until the move is over.
//! Everything is seen from the mover's side, who plays up the board.

use engine::board::{Bitboard, Color, Direction, Square, regions, steps};
use engine::tablebase::Force;
use engine::tablebase::index::rank;

use crate::kernel::Isa;
use crate::kings::Kings;
use crate::lookup::Lookup;

/// More jumps than four victims allow.
const MOST_DEPTH: usize = 6;

pub(crate) const FORWARD: [Direction; 2] = Direction::forward(Color::Black);
pub(crate) const CROWNHEAD: Bitboard = regions::crownhead(Color::Black);

/// What captures lead to, one bit for each placement of the opponent's kings.
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
    fn clear(&mut self, width: usize) {
        for row in [&mut self.wins, &mut self.saves, &mut self.any] {
            row.clear();
            row.resize(width, 0);
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
pub(crate) struct Trip {
    pub(crate) at: Square,
    pub(crate) is_man: bool,
    /// The mover's other pieces.
    pub(crate) men: Bitboard,
    pub(crate) kings: Bitboard,
    pub(crate) taken_men: Bitboard,
    pub(crate) taken_kings: Bitboard,
}

impl Trip {
    /// The piece on `at` before its first jump.
    #[inline]
    pub(crate) fn start(scene: &Scene, kings: Bitboard, at: Square) -> Self {
        Self {
            at,
            is_man: scene.men.contains(at),
            men: scene.men - at.bit(),
            kings: kings - at.bit(),
            taken_men: Bitboard::EMPTY,
            taken_kings: Bitboard::EMPTY,
        }
    }

    #[inline]
    pub(crate) fn over_man(&self, victim: Square, landing: Square) -> Self {
        Self {
            at: landing,
            taken_men: self.taken_men | victim.bit(),
            ..*self
        }
    }

    #[inline]
    pub(crate) fn over_king(&self, victim: Square, landing: Square) -> Self {
        Self {
            at: landing,
            taken_kings: self.taken_kings | victim.bit(),
            ..*self
        }
    }

    /// What the move leaves if it ends here: the mover's force, men and kings, then the
    /// opponent's force and men.
    #[inline]
    pub(crate) fn end(&self, scene: &Scene) -> (Force, Bitboard, Bitboard, Force, Bitboard) {
        let stays_man = self.is_man && !CROWNHEAD.contains(self.at);
        let (men, kings) = if stays_man {
            (self.men | self.at.bit(), self.kings)
        } else {
            (self.men, self.kings | self.at.bit())
        };
        let own = Force {
            men: men.len(),
            kings: kings.len(),
        };
        let their_men = scene.their_men - self.taken_men;
        let their = Force {
            men: their_men.len(),
            kings: scene.their_kings - self.taken_kings.len(),
        };
        (own, men, kings, their, their_men)
    }
}

/// Rows to work in, one set for each jump of a move.
#[derive(Default)]
pub(crate) struct Captures {
    levels: [Rows; MOST_DEPTH],
}

impl Captures {
    /// The captures of a side whose kings stand on `kings`.
    pub(crate) fn of(
        &mut self,
        isa: Isa,
        scene: &Scene,
        lookup: &mut Lookup<'_>,
        kings: Bitboard,
    ) -> &Rows {
        self.levels[0].clear(Kings::of(scene.their_kings).width);
        let mut walk = Walk { isa, scene, lookup };
        for at in scene.men | kings {
            walk.jumps(&Trip::start(scene, kings, at), &mut self.levels);
        }
        &self.levels[0]
    }
}

struct Walk<'w, 'a> {
    isa: Isa,
    scene: &'w Scene,
    lookup: &'w mut Lookup<'a>,
}

impl Walk<'_, '_> {
    /// Adds to `levels[0]` what each further jump of `trip` leads to.
    fn jumps(&mut self, trip: &Trip, levels: &mut [Rows]) {
        let directions: &[Direction] = if trip.is_man {
            &FORWARD
        } else {
            &Direction::ALL
        };
        let blocked = trip.men | trip.kings | self.scene.their_men | trip.taken_kings;
        for &direction in directions {
            let over = steps::step(trip.at.bit(), direction);
            let (Some(victim), Some(landing)) =
                (over.first(), steps::step(over, direction).first())
            else {
                continue;
            };
            if blocked.contains(landing) {
                continue;
            }
            if (self.scene.their_men - trip.taken_men).contains(victim) {
                self.take_man(trip, victim, landing, levels);
            } else if !blocked.contains(victim) {
                self.take_king(trip, victim, landing, levels);
            }
        }
    }

    fn take_man(&mut self, trip: &Trip, victim: Square, landing: Square, levels: &mut [Rows]) {
        let kings = Kings::of(self.scene.their_kings - trip.taken_kings.len());
        let (here, deeper) = levels.split_first_mut().expect("a level for each jump");
        self.land(&trip.over_man(victim, landing), kings, deeper);
        let covered = kings.holds(landing.rotated());
        let found = &deeper[0];
        for (i, &covered) in covered.iter().enumerate() {
            here.wins[i] |= found.wins[i] & !covered;
            here.saves[i] |= found.saves[i] & !covered;
            here.any[i] |= !covered;
        }
    }

    fn take_king(&mut self, trip: &Trip, victim: Square, landing: Square, levels: &mut [Rows]) {
        let left = self.scene.their_kings - trip.taken_kings.len();
        if left == 0 {
            return;
        }
        let (kings, fewer) = (Kings::of(left), Kings::of(left - 1));
        let (here, deeper) = levels.split_first_mut().expect("a level for each jump");
        self.land(&trip.over_king(victim, landing), fewer, deeper);
        let (victim, landing) = (victim.rotated(), landing.rotated());
        let found = &mut deeper[0];
        for (i, &covered) in fewer.holds(landing).iter().enumerate() {
            found.wins[i] &= !covered;
            found.saves[i] &= !covered;
        }
        let (on_victim, skip) = (kings.holds(victim), fewer.holds(victim));
        self.isa
            .expand(&mut here.wins, on_victim, &found.wins, skip);
        self.isa
            .expand(&mut here.saves, on_victim, &found.saves, skip);
        for (i, &covered) in kings.holds(landing).iter().enumerate() {
            here.any[i] |= on_victim[i] & !covered;
        }
    }

    /// Fills `levels[0]` with the results after a landing: further jumps where there are any,
    /// elsewhere the position that the move leaves.
    fn land(&mut self, trip: &Trip, kings: &Kings, levels: &mut [Rows]) {
        levels[0].clear(kings.width);
        self.jumps(trip, levels);
        let (own, men, own_kings, their, their_men) = trip.end(self.scene);
        let planes = self.lookup.after((own, men), (their, their_men));
        let here = &mut levels[0];
        planes.row(rank(own_kings) as usize, |lost, open| {
            for i in 0..lost.len() {
                here.wins[i] |= lost[i] & !here.any[i];
                here.saves[i] |= open[i] & !here.any[i];
            }
        });
    }
}
