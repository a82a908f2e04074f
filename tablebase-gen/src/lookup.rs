//! Finds the planes of the positions that a block's moves lead to.
//!
//! A block has few different successors and its captures ask for each many times, so answers are
//! kept.

use std::sync::LazyLock;

use engine::board::Bitboard;
use engine::tablebase::Force;
use engine::tablebase::index::choose;

use crate::kernel::Isa;
use crate::kings::{Kings, MOST_KINGS};
use crate::pair::{Blocks, Planes, Store};

/// All ones: the planes of positions where the side to move has nothing left, and has lost.
static GONE: LazyLock<Vec<u32>> =
    LazyLock::new(|| vec![u32::MAX; Kings::row_words(MOST_KINGS as u32)]);

const SLOTS: usize = 64;

/// A force, and where its men are.
pub(crate) type Material = (Force, Bitboard);

/// The tables of one material, as moves to it find them.
#[derive(Clone, Copy)]
struct View<'a> {
    own: Force,
    their: Force,
    blocks: &'a Blocks,
    tables: [&'a [u32]; 2],
    own_is_a: bool,
}

/// The finished tables, as one block sees them.
pub(crate) struct Lookup<'a> {
    isa: Isa,
    store: &'a Store,
    blocks: &'a Blocks,
    /// The blocks of the same pair that are finished, with A and with B to move.
    done: [&'a [u32]; 2],
    /// The materials asked for so far: few.
    views: Vec<View<'a>>,
    kept: Box<[Option<(Material, Material, Planes<'a>)>; SLOTS]>,
}

/// The side whose men stay where they are, and where, from its own view.
#[derive(Clone, Copy)]
pub(crate) enum Fixed {
    Own(Bitboard),
    Their(Bitboard),
}

/// The blocks of one material in which one side's men are fixed, by the other side's men.
pub(crate) struct Beside<'a> {
    isa: Isa,
    blocks: &'a Blocks,
    /// A word of the plane L and one of the plane N for each block.
    table: &'a [u32],
    fixed: Bitboard,
    /// The others are those of B, whose placements follow each other in the numbering.
    are_inner: bool,
    men: u32,
}

impl Beside<'_> {
    /// How many men are not fixed.
    pub(crate) const fn men(&self) -> u32 {
        self.men
    }

    /// Calls `visit` with the rank of each placement of the other men beside the fixed ones, and
    /// its words of L and N.
    pub(crate) fn each(&self, mut visit: impl FnMut(usize, [u32; 2])) {
        let sets = &Kings::of(self.men).placements[..choose(28, self.men) as usize];
        let seen = self.fixed.rotated();
        let beside = sets.iter().enumerate().filter(|(_, set)| !set.meets(seen));
        let first = if self.are_inner {
            self.blocks.first_beside(self.fixed)
        } else {
            0
        };
        for (nth, (rank, &set)) in (0..).zip(beside) {
            let dense = if self.are_inner {
                first + nth
            } else {
                self.blocks.beside(self.isa, rank as u32, set, self.fixed)
            };
            let place = self.blocks.ordered_place(dense);
            visit(rank, [self.table[2 * place], self.table[2 * place + 1]]);
        }
    }
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(store: &'a Store, blocks: &'a Blocks, done: [&'a [u32]; 2]) -> Self {
        Self {
            isa: Isa::PORTABLE,
            store,
            blocks,
            done,
            views: Vec::new(),
            kept: Box::new([None; SLOTS]),
        }
    }

    /// The same, with an instruction set that finds places faster.
    pub(crate) const fn with(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// The planes with `their` to move after a move of `own`; the men of both as the mover sees
    /// them. Remembered, for captures that end alike.
    #[inline]
    pub(crate) fn after(&mut self, own: Material, their: Material) -> Planes<'a> {
        let mix = own.1.0.wrapping_mul(0x9E37_79B1) ^ their.1.0.wrapping_mul(0x85EB_CA6B);
        let mix = mix ^ (their.0.kings * 0x1357_9BDF) ^ (own.0.kings << 26);
        let slot = (mix >> 26) as usize % SLOTS;
        if let Some((kept_own, kept_their, planes)) = self.kept[slot]
            && kept_own == own
            && kept_their == their
        {
            return planes;
        }
        let planes = self.find(own, their);
        self.kept[slot] = Some((own, their, planes));
        planes
    }

    /// As [`Lookup::after`], for what is asked only once.
    #[inline]
    pub(crate) fn find(&mut self, own: Material, their: Material) -> Planes<'a> {
        if their.0.pieces() == 0 {
            return Planes::flat(&GONE);
        }
        let view = self.view(own.0, their.0);
        let (own_men, their_men) = (own.1, their.1.rotated());
        let men = if view.own_is_a {
            [own_men, their_men]
        } else {
            [their_men, own_men]
        };
        let (place, exchanged) = view.blocks.place_by(self.isa, men);
        let mover = usize::from(view.own_is_a != exchanged);
        Planes::of(view.blocks, view.tables[mover], place, mover)
    }

    /// The positions with `their` to move, who have no king against one, after a move of `own`.
    pub(crate) fn beside(&mut self, own: Force, their: Force, fixed: Fixed) -> Beside<'a> {
        let view = self.view(own, their);
        let (fixed, men, own_is_fixed) = match fixed {
            Fixed::Own(men) => (men, their.men, true),
            Fixed::Their(men) => (men, own.men, false),
        };
        Beside {
            isa: self.isa,
            blocks: view.blocks,
            table: view.tables[usize::from(view.own_is_a)],
            fixed,
            are_inner: own_is_fixed == view.own_is_a,
            men,
        }
    }

    #[inline]
    fn view(&mut self, own: Force, their: Force) -> View<'a> {
        match self
            .views
            .iter()
            .find(|view| view.own == own && view.their == their)
        {
            Some(view) => *view,
            None => self.open(own, their),
        }
    }

    #[cold]
    fn open(&mut self, own: Force, their: Force) -> View<'a> {
        let (a, b) = Store::ordered(own, their);
        let (blocks, tables) = if self.blocks.forces == [a, b] {
            (self.blocks, self.done)
        } else {
            let pair = self.store.get(a, b).expect("moves lead to finished pairs");
            (&pair.blocks, [&pair.tables[0][..], &pair.tables[1][..]])
        };
        let view = View {
            own,
            their,
            blocks,
            tables,
            own_is_a: own == a,
        };
        self.views.push(view);
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{pairs, solve_pair};

    #[test]
    fn men_beside_fixed_ones_are_found_where_each_is_looked_up() {
        let isa = Isa::detect();
        let mut store = Store::default();
        for pieces in 2..=4 {
            for forces in pairs(pieces, 3) {
                let pair = solve_pair(isa, &mut store, forces);
                store.insert(pair);
            }
        }
        let blocks = Blocks::new(Force { men: 1, kings: 0 }, Force { men: 1, kings: 0 });
        let mut lookup = Lookup::new(&store, &blocks, [&[], &[]]).with(isa);
        let mut compared = 0;
        for (own_men, their_men) in [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1)] {
            let [own, their] =
                [(own_men, 1), (their_men, 0)].map(|(men, kings)| Force { men, kings });
            for own_is_fixed in [true, false] {
                let men = if own_is_fixed { own.men } else { their.men };
                for &fixed in &Kings::of(men).placements[..choose(28, men) as usize] {
                    let side = if own_is_fixed {
                        Fixed::Own
                    } else {
                        Fixed::Their
                    };
                    let beside = lookup.beside(own, their, side(fixed));
                    beside.each(|rank, words| {
                        let other = Kings::of(beside.men()).placements[rank];
                        let (own_men, their_men) = if own_is_fixed {
                            (fixed, other)
                        } else {
                            (other, fixed)
                        };
                        let planes = lookup.find((own, own_men), (their, their_men.rotated()));
                        assert_eq!(words, [planes.lost[0], planes.open[0]]);
                        compared += 1;
                    });
                }
            }
        }
        assert!(compared > 20_000, "{compared}");
    }
}
