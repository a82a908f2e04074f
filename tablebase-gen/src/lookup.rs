//! Finds the planes of the positions that a block's moves lead to.
//!
//! A block has few different successors and asks for each many times, so answers are kept.

use std::sync::LazyLock;

use engine::board::Bitboard;
use engine::tablebase::Force;

use crate::kings::{Kings, MOST_KINGS};
use crate::pair::{Blocks, Planes, Store};

/// All ones: the planes of positions where the side to move has nothing left, and has lost.
static GONE: LazyLock<Vec<u32>> =
    LazyLock::new(|| vec![u32::MAX; Kings::row_words(MOST_KINGS as u32)]);

const SLOTS: usize = 64;

/// A force, and where its men are.
pub(crate) type Material = (Force, Bitboard);

/// The finished tables, as one block sees them.
pub(crate) struct Lookup<'a> {
    store: &'a Store,
    blocks: &'a Blocks,
    /// The blocks of the same pair that are finished, with A and with B to move.
    done: [&'a [u32]; 2],
    kept: Box<[Option<(Material, Material, Planes<'a>)>; SLOTS]>,
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(store: &'a Store, blocks: &'a Blocks, done: [&'a [u32]; 2]) -> Self {
        Self {
            store,
            blocks,
            done,
            kept: Box::new([None; SLOTS]),
        }
    }

    /// The planes with `their` to move after a move of `own`; the men of both as the mover sees
    /// them.
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

    fn find(&self, own: Material, their: Material) -> Planes<'a> {
        if their.0.pieces() == 0 {
            return Planes::flat(&GONE);
        }
        let (a, b) = Store::ordered(own.0, their.0);
        let (blocks, tables) = if self.blocks.forces == [a, b] {
            (self.blocks, self.done)
        } else {
            let pair = self.store.get(a, b).expect("moves lead to finished pairs");
            (&pair.blocks, [&pair.tables[0][..], &pair.tables[1][..]])
        };
        let (own_men, their_men) = (own.1, their.1.rotated());
        let own_is_a = own.0 == a;
        let men = if own_is_a {
            [own_men, their_men]
        } else {
            [their_men, own_men]
        };
        let (place, exchanged) = blocks.place(men);
        let mover = usize::from(own_is_a != exchanged);
        Planes::of(blocks, tables[mover], place, mover)
    }
}
