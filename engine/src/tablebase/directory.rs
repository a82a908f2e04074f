//! What a directory says of units, and the probabilities with which it is coded.
//!
//! ```text
//! sort      0, 1, 2: the unit has no bytes, all stored values are lost, drawn, won
//!           3-14: the unit has bytes and is of kind sort - 3 (module `model`)
//! pair      the sorts of two units in turn, then, if any has bytes, how many both have
//! length    its class (5 bits): 0, 1, 2 for 1, 2, 3, then two classes an octave, 3 for 4-5, 4 for
//!           6-7, 5 for 8-11 and so on; then the bits that tell lengths of a class apart
//! chances   a tree of decisions, high bits first, for the sort after each sort (4 bits; 15 at the
//!           front of a group), and for the class of a length after each two weights, in any order
//! weight    of a unit in its pair: 0 without bytes, else 1 + how strongly its value prevails
//! ```
//!
//! Knows nothing of files. Start reading at [`Directory::group`].

use super::coder::{Decoder, EVEN, Encoder, Tape};
use super::entry::{chance, chance_cost, fit_chance};

/// Units whose directory is coded together.
pub(super) const GROUP: usize = 128;
/// The sort before the first of a group.
const NO_SORT: usize = 15;
/// The first sort that has bytes.
pub(super) const CODED: u8 = 3;
/// Ordered pairs of five weights, the greater one first.
const WEIGHTS: usize = 15;

/// What the directory says of a group: the sorts, and how many bytes each pair has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) sorts: [u8; GROUP],
    pub(super) lengths: [u32; GROUP / 2],
}

impl Listing {
    /// A group whose units are all lost.
    pub(super) const fn blank() -> Self {
        Self {
            sorts: [0; GROUP],
            lengths: [0; GROUP / 2],
        }
    }
}

/// The chances of the bits of a number, high bits first, in one of several situations.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tree {
    bits: u32,
    /// For every situation, and first for all together, the step of each node; number 0 is none.
    steps: Vec<u8>,
}

impl Tree {
    fn blank(bits: u32, situations: usize) -> Self {
        Self {
            bits,
            steps: vec![0; (situations + 1) << bits],
        }
    }

    /// The step of a node when nothing is said of it.
    fn usual(&self, at: usize) -> u8 {
        match at >> self.bits {
            0 => 0,
            _ => self.steps[at % (1 << self.bits)],
        }
    }

    /// Takes over how often each node was a zero and a one, where it is worth telling.
    fn fit(&mut self, tallies: &[[u32; 2]]) {
        /// What a step costs in bits.
        const WORTH: f64 = 7.0;
        let nodes = 1 << self.bits;
        for at in 0..self.steps.len() {
            let tally = if at < nodes {
                let all = tallies.iter().skip(at).step_by(nodes);
                all.fold([0; 2], |[a, b], it| [a + it[0], b + it[1]])
            } else {
                tallies[at]
            };
            let (usual, best) = (self.usual(at), fit_chance(tally));
            let gain = chance_cost(usual, tally) - chance_cost(best, tally);
            self.steps[at] = if gain > WORTH { best } else { usual };
        }
    }

    fn transcribe(&self, tape: &mut impl Tape) -> Self {
        let mut found = self.clone();
        let (mut is_told, mut numbers) = ([EVEN; 2], [EVEN; 64]);
        for at in 0..self.steps.len() {
            let usual = found.usual(at);
            let layer = &mut is_told[usize::from(at >> self.bits != 0)];
            let known = self.steps[at];
            found.steps[at] = if tape.learn(known != usual, layer) {
                tape.number(6, known.into(), &mut numbers) as u8
            } else {
                usual
            };
        }
        found
    }
}

/// Something that sees the decisions of a directory.
trait Scribe {
    fn decide(&mut self, known: bool, tree: &Tree, at: usize) -> bool;
    fn low_bit(&mut self, known: bool) -> bool;

    fn number(&mut self, known: usize, tree: &Tree, situation: usize) -> usize {
        let mut node = 1;
        for bit in (0..tree.bits).rev() {
            let at = ((situation + 1) << tree.bits) + node;
            let found = self.decide(known >> bit & 1 != 0, tree, at);
            node = node << 1 | usize::from(found);
        }
        node - (1 << tree.bits)
    }
}

/// Codes with the chances of a tree.
struct Coding<'t, T>(&'t mut T);

impl<T: Tape> Scribe for Coding<'_, T> {
    fn decide(&mut self, known: bool, tree: &Tree, at: usize) -> bool {
        self.0.decide(known, chance(tree.steps[at]))
    }

    fn low_bit(&mut self, known: bool) -> bool {
        self.0.decide(known, EVEN)
    }
}

/// Counts the decisions of either tree.
struct Counting([Vec<[u32; 2]>; 2]);

impl Scribe for Counting {
    fn decide(&mut self, known: bool, tree: &Tree, at: usize) -> bool {
        let tallies = &mut self.0[usize::from(tree.bits == LENGTH_BITS)];
        tallies[at][usize::from(known)] += 1;
        known
    }

    fn low_bit(&mut self, known: bool) -> bool {
        known
    }
}

const SORT_BITS: u32 = 4;
const LENGTH_BITS: u32 = 5;

/// The chances of a slice's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directory {
    sorts: Tree,
    lengths: Tree,
}

const fn weight(sort: u8) -> usize {
    match sort.checked_sub(CODED) {
        Some(kind) => 1 + kind as usize % 4,
        None => 0,
    }
}

/// The situation of a pair's length.
fn situation([a, b]: [u8; 2]) -> usize {
    let [a, b] = [weight(a), weight(b)];
    let (low, high) = (a.min(b), a.max(b));
    high * (high + 1) / 2 + low
}

/// The class of a length from 1 on, and how many bits tell it apart in the class.
const fn class(len: u32) -> (usize, u32) {
    if len < 4 {
        return (len.saturating_sub(1) as usize, 0);
    }
    let octave = len.ilog2();
    let upper_half = len >> (octave - 1) & 1;
    ((2 * octave - 1 + upper_half) as usize, octave - 1)
}

/// The least length of a class, and how many bits tell its lengths apart.
const fn least(class: usize) -> (u32, u32) {
    if class < 3 {
        return (class as u32 + 1, 0);
    }
    let octave = (class as u32).div_ceil(2);
    let upper_half = (class as u32 + 1) % 2;
    ((2 + upper_half) << (octave - 1), octave - 1)
}

impl Directory {
    /// Where nothing is likelier than anything else.
    pub(super) fn blank() -> Self {
        Self {
            sorts: Tree::blank(SORT_BITS, NO_SORT + 1),
            lengths: Tree::blank(LENGTH_BITS, WEIGHTS),
        }
    }

    /// The chances that suit some groups best.
    pub(super) fn fit<'l>(listings: impl Iterator<Item = &'l Listing>) -> Self {
        let mut this = Self::blank();
        let none = |tree: &Tree| vec![[0; 2]; tree.steps.len()];
        let mut counting = Counting([none(&this.sorts), none(&this.lengths)]);
        for listing in listings {
            this.group(listing, &mut counting);
        }
        let Counting([sorts, lengths]) = counting;
        this.sorts.fit(&sorts);
        this.lengths.fit(&lengths);
        this
    }

    /// Writes these chances, or reads those that come back.
    pub(super) fn transcribe(&self, tape: &mut impl Tape) -> Self {
        Self {
            sorts: self.sorts.transcribe(tape),
            lengths: self.lengths.transcribe(tape),
        }
    }

    /// The bytes of a group.
    pub(super) fn to_bytes(&self, listing: &Listing) -> Vec<u8> {
        let mut encoder = Encoder::new();
        self.group(listing, &mut Coding(&mut encoder));
        encoder.finish()
    }

    /// A group from its bytes; others give one without sense.
    pub(super) fn read(&self, bytes: &[u8]) -> Listing {
        let mut decoder = Decoder::new(bytes);
        self.group(&Listing::blank(), &mut Coding(&mut decoder))
    }

    fn group(&self, known: &Listing, scribe: &mut impl Scribe) -> Listing {
        let mut found = Listing::blank();
        let mut before = NO_SORT;
        let pairs = known.sorts.chunks(2).zip(&known.lengths);
        let into = found.sorts.chunks_mut(2).zip(&mut found.lengths);
        for ((known, &len), (sorts, length)) in pairs.zip(into) {
            for (sort, &known) in sorts.iter_mut().zip(known) {
                before = scribe.number(known.into(), &self.sorts, before);
                *sort = before as u8;
            }
            let both = [sorts[0], sorts[1]];
            if both.iter().any(|&sort| sort >= CODED) {
                *length = self.length(len, situation(both), scribe);
            }
        }
        found
    }

    fn length(&self, known: u32, situation: usize, scribe: &mut impl Scribe) -> u32 {
        let (class, bits) = class(known);
        let found = scribe.number(class, &self.lengths, situation);
        let (least, found_bits) = least(found);
        debug_assert!(known == 0 || (found, found_bits) == (class, bits));
        (0..found_bits).rev().fold(0, |low, bit| {
            low << 1 | u32::from(scribe.low_bit(known >> bit & 1 != 0))
        }) + least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_length_is_in_its_class() {
        for len in 1..1 << 16 {
            let (class, bits) = class(len);
            let (least, least_bits) = least(class);
            assert!(class < 1 << LENGTH_BITS && bits == least_bits, "{len}");
            assert!((least..least + (1 << bits)).contains(&len), "{len}");
        }
    }

    fn listing(sorts: &[u8], lengths: &[u32]) -> Listing {
        let mut listing = Listing::blank();
        listing.sorts.copy_from_slice(sorts);
        let pairs = listing.sorts.chunks(2);
        for ((into, pair), &len) in listing.lengths.iter_mut().zip(pairs).zip(lengths) {
            let has_bytes = pair.iter().any(|&sort| sort >= CODED);
            *into = if has_bytes { len } else { 0 };
        }
        listing
    }

    proptest! {
        #[test]
        fn groups_come_back(
            sorts in prop::collection::vec(0_u8..15, GROUP),
            lengths in prop::collection::vec(1_u32..5_000, GROUP / 2),
        ) {
            let listing = listing(&sorts, &lengths);
            for directory in [Directory::blank(), Directory::fit([&listing].into_iter())] {
                prop_assert_eq!(&directory.read(&directory.to_bytes(&listing)), &listing);
                let mut encoder = Encoder::new();
                directory.transcribe(&mut encoder);
                let bytes = encoder.finish();
                let again = Directory::blank().transcribe(&mut Decoder::new(&bytes));
                prop_assert_eq!(again, directory);
            }
        }
    }

    #[test]
    fn what_is_usual_costs_little() {
        let usual = listing(&[14; GROUP], &[70; GROUP / 2]);
        let directory = Directory::fit(std::iter::repeat_n(&usual, 100));
        // Of 64 lengths, four bits each tell them apart in their class.
        assert!(directory.to_bytes(&usual).len() < 64 * 5 / 8 + 6);
    }
}
