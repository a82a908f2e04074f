//! The stored form of a model's entries, written and read by one description.
//!
//! Start reading at [`Script`]; what the numbers stand for is told by the module `model`.

use super::coder::{EVEN, Tape};
use super::entry::Entry;
use super::model::{COARSE, FINE, Layers, NEAR, STATES};

/// Layers on their way to or from the stored form, with all that is learnt on it.
///
/// Layers 0 and 1 have a decision for every number of the kinds that occur whether there is an
/// entry, layer 2 one for every place and then, where that has entries, one for every number. An
/// entry is whether its order is that of the layer below and else which (3 bits), the step of the
/// first miss (6 bits, in four classes by that of the layer below) and of the second (4 bits).
pub(super) struct Script<'a> {
    known: [std::iter::Peekable<std::slice::Iter<'a, (usize, Entry)>>; 3],
    found: Layers,
    has: [[u16; 4]; 2],
    has_places: [[u16; FINE]; 2],
    has_near: [u16; NEAR],
    same_order: [u16; 3],
    order: [u16; 8],
    miss: [[u16; 64]; 4],
    last: [u16; 16],
}

impl<'a> Script<'a> {
    pub(super) fn new(known: &'a Layers) -> Self {
        Self {
            known: [0, 1, 2].map(|layer| known[layer].iter().peekable()),
            found: Layers::default(),
            has: [[EVEN; 4]; 2],
            has_places: [[EVEN; FINE]; 2],
            has_near: [EVEN; NEAR],
            same_order: [EVEN; 3],
            order: [EVEN; 8],
            miss: [[EVEN; 64]; 4],
            last: [EVEN; 16],
        }
    }

    pub(super) fn transcribe(mut self, kinds: &[usize], tape: &mut impl Tape) -> Layers {
        for &kind in kinds {
            let mut below = [Entry::default(); 4];
            for (last, entry) in below.iter_mut().enumerate() {
                *entry = self.sparse(0, kind * 4 + last, *entry, tape);
            }
            for coarse in kind * COARSE..(kind + 1) * COARSE {
                let before = self.found[1].len();
                let below: [Entry; 4] = std::array::from_fn(|last| {
                    self.sparse(1, coarse * 4 + last, below[last], tape)
                });
                let is_known = usize::from(self.found[1].len() > before);
                for fine in 0..FINE {
                    self.place(coarse * FINE + fine, is_known, below, tape);
                }
            }
        }
        self.found
    }

    /// What is known of the next number of a layer, if that is below `end`.
    fn next(&mut self, layer: usize, end: usize) -> Option<(usize, Entry)> {
        let next = self.known[layer].peek().copied().copied();
        next.filter(|&(number, _)| number < end)
    }

    /// The entry of a number of layer 0 or 1, or the one below.
    fn sparse(&mut self, layer: usize, number: usize, below: Entry, tape: &mut impl Tape) -> Entry {
        let known = self.next(layer, number + 1);
        if tape.learn(known.is_some(), &mut self.has[layer][number % 4]) {
            self.entry(layer, number, below, tape)
        } else {
            below
        }
    }

    /// The entries of a place of layer 2.
    fn place(&mut self, place: usize, is_known: usize, below: [Entry; 4], tape: &mut impl Tape) {
        let known = self.next(2, (place + 1) * NEAR);
        if !tape.learn(
            known.is_some(),
            &mut self.has_places[is_known][place % FINE],
        ) {
            return;
        }
        for near in 0..STATES * 16 {
            let number = place * NEAR + near;
            let known = self.next(2, number + 1);
            if tape.learn(known.is_some(), &mut self.has_near[near]) {
                self.entry(2, number, below[near % 4], tape);
            }
        }
    }

    fn entry(&mut self, layer: usize, number: usize, below: Entry, tape: &mut impl Tape) -> Entry {
        let known = self.known[layer].next().map_or(below, |&(_, entry)| entry);
        let [order, miss, last] = known.parts();
        let [order_below, miss_below, _] = below.parts();
        let is_new = tape.learn(order != order_below, &mut self.same_order[layer]);
        let order = if is_new {
            tape.number(3, order, &mut self.order) % 6
        } else {
            order_below
        };
        let miss = tape.number(6, miss, &mut self.miss[miss_below / 16]);
        let last = tape.number(4, last, &mut self.last);
        let entry = Entry((order * 1024 + miss * 16 + last) as u16);
        self.found[layer].push((number, entry));
        entry
    }
}
