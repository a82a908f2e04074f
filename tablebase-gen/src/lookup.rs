//! Finds the planes of the positions that a block's moves lead to.
//!
//! A block has few different successors and its captures ask for each many times, so answers are
//! kept.

use std::sync::LazyLock;

use engine::board::Bitboard;
use engine::tablebase::Force;

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
