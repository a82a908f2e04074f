//! Probabilities of values, by what is already known nearby.
//!
//! ```text
//! state     0-2 a value (loss, draw, win), 3 outside the unit, 4 and 5 not stored because of a
//!           threat or a capture
//! kind      which value prevails in the unit (3), and how strongly (4)
//! place     kind, then the states of five neighbours (6 each): the third piece that turns one
//!           square lower, the second piece one square lower, the first piece three squares lower,
//!           the second piece three, the first piece four squares lower
//! near      7 bits: the last value of the same parity (every king's step changes the parity of
//!           the sum of rows), the last but two of it, and the state one square lower
//! entry     13 bits: the order of the three values by likelihood (6), the probability that it is
//!           not the first (64 steps), that it is then the last (16 steps)
//! ```
//!
//! A context that is too rare to be worth its entry uses the entry of its kind, first three
//! neighbours and last value of the same parity, or that of its kind and last value alone: layers
//! 1 and 0 of entries, numbered
//!
//! ```text
//! layer 0   kind * 4 + last value
//! layer 1   (kind * 216 + first three neighbours) * 4 + last value
//! layer 2   (kind * 7776 + all five neighbours) * 128 + near
//! ```
//!
//! The model also has the probabilities of the directory (module `directory`). How all of this is
//! stored is told by the module `script` and `Model::transcribe`, which read and write it.

use super::coder::{Decoder, EVEN, Encoder, Tape};
use super::directory::{Directory, Listing};
use super::entry::{Entry, Tally};
use super::leaves::{Leaf, Leaves, Tree};
use super::script::Script;

/// How many kinds of units there are.
pub const KINDS: usize = 12;
/// A neighbour outside the unit, or beyond another piece.
pub const OUTSIDE: u8 = 3;
/// A position whose value is not stored because of a threat.
pub const THREAT: u8 = 4;
/// A position whose value is not stored because there is a capture.
pub const CAPTURE: u8 = 5;
/// A value that is not known: what a decoded unit holds where nothing is stored.
pub const UNKNOWN: u8 = OUTSIDE;

pub(super) const STATES: usize = 6;
/// The combinations of the first three neighbours, of the other two, and of all.
pub(super) const COARSE: usize = STATES * STATES * STATES;
pub(super) const FINE: usize = STATES * STATES;
const PLACES: usize = COARSE * FINE;
/// The combinations of what is near.
pub(super) const NEAR: usize = 128;

/// What a unit's values are like, from how often each occurs; `None` when at most one does.
#[must_use]
pub fn kind(tally: Tally) -> Option<usize> {
    let total: u32 = tally.iter().sum();
    let most = (0..3).rev().max_by_key(|&value| tally[value])?;
    let others = total - tally[most];
    if others == 0 {
        return None;
    }
    let share = u64::from(others) * 1000 / u64::from(total);
    let strength = [4, 30, 150].partition_point(|&limit| limit <= share);
    Some(most * 4 + strength)
}

/// The neighbours of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The combination of the first three.
    pub(super) coarse: u8,
    /// That of the other two.
    pub(super) fine: u8,
    /// The state one square lower.
    pub(super) lower: u8,
}

impl Place {
    /// The number of the five neighbours.
    const fn number(self) -> usize {
        self.coarse as usize * FINE + self.fine as usize
    }

    /// With the last four values, two bits each, the last one highest, where they were taken for
    /// the one that was `expected`.
    #[inline(always)]
    pub(super) const fn with_last(self, last: u8, expected: u8) -> Self {
        let Self {
            coarse,
            fine,
            lower,
        } = self;
        let [four, three, one] = [last & 3, last >> 2 & 3, last >> 6];
        Self {
            coarse: coarse.wrapping_add(three.wrapping_sub(expected)),
            fine: fine.wrapping_add(four.wrapping_sub(expected)),
            lower: lower.wrapping_add(one.wrapping_sub(expected)),
        }
    }
}

/// What is known near a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub(super) place: Place,
    /// The last three values of the same parity, two bits each, the last one lowest.
    pub(super) same: u32,
}

impl Context {
    #[inline(always)]
    const fn last(self) -> u32 {
        self.same & 3
    }

    /// The state one square lower (3 bits) and the last value but two of the same parity (2).
    #[inline(always)]
    const fn near(self) -> u32 {
        (self.place.lower as u32 & 7) << 2 | self.same >> 4 & 3
    }
}

/// How often each value was seen in each context of each kind.
#[derive(Clone, Debug)]
pub struct Counts {
    /// For each kind and place, which of the tables has its values; 0 for none.
    which: Vec<u32>,
    tables: Vec<[Tally; NEAR]>,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            which: vec![0; KINDS * PLACES],
            tables: vec![[[0; 3]; NEAR]],
        }
    }
}

impl Counts {
    /// Counts one value.
    #[inline]
    pub fn add(&mut self, kind: usize, context: Context, value: u8) {
        let near = (context.last() << 5 | context.near()) as usize;
        self.table(kind * PLACES + context.place.number())[near % NEAR][usize::from(value)] += 1;
    }

    #[inline]
    fn table(&mut self, place: usize) -> &mut [Tally; NEAR] {
        if self.which[place] == 0 {
            self.which[place] = self.tables.len() as u32;
            self.tables.push([[0; 3]; NEAR]);
        }
        &mut self.tables[self.which[place] as usize]
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        for (place, tallies) in other.seen() {
            let tallies = tallies.iter().flatten();
            let table = self.table(place).iter_mut().flatten();
            for (count, other) in table.zip(tallies) {
                *count += other;
            }
        }
    }

    /// The tables that are there, by place.
    fn seen(&self) -> impl Iterator<Item = (usize, &[Tally; NEAR])> {
        let tables = (0..).zip(&self.which).filter(|&(_, &which)| which != 0);
        tables.map(|(place, &which)| (place, &self.tables[which as usize]))
    }

    /// Sums over all that has the same number in a layer.
    fn summed(&self, numbers: usize, number: impl Fn(usize, usize) -> usize) -> Vec<Tally> {
        let mut sums = vec![[0; 3]; numbers];
        for (place, tallies) in self.seen() {
            for near in 0..NEAR {
                let tally = &tallies[in_memory(near)];
                for (sum, count) in sums[number(place, near)].iter_mut().zip(tally) {
                    *sum += count;
                }
            }
        }
        sums
    }
}

/// Another order of what is near, as [`Leaves`] have it: what follows the last value of the same
/// parity makes a number below 24.
///
/// ```text
/// near        state one square lower (3 bits), last value but two (2), last value (2)
/// in memory   last value (2), state one square lower (3), last value but two (2)
/// ```
const fn in_memory(near: usize) -> usize {
    (near & 3) << 5 | near >> 2
}

/// The number in layer 0: kind and last value.
const fn kind_number(place: usize, near: usize) -> usize {
    place / PLACES * 4 + near % 4
}

/// The number in layer 1: the first three neighbours too.
const fn coarse_number(place: usize, near: usize) -> usize {
    place / FINE * 4 + near % 4
}

pub(super) type Layers = [Vec<(usize, Entry)>; 3];

/// The probabilities of one slice.
#[derive(Clone, Debug)]
pub struct Model {
    directory: Directory,
    layers: Layers,
    leaves: Leaves,
}

/// Why a stored model cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the probabilities are out of range")]
pub struct ModelError;

/// The most places that may have entries, with the kinds and first three neighbours that do.
const MOST_PLACES: usize = 1 << 16;

impl Model {
    /// The model that codes what was counted in the fewest bytes, its own included; one in `every`
    /// units was counted.
    #[must_use]
    pub fn fit(counts: &Counts, every: u32) -> Self {
        /// What an entry costs in bits, with the decisions that it is there.
        const ENTRY_BITS: f64 = 14.0;
        let worth = ENTRY_BITS / f64::from(every);
        // What was not counted may hold surprises.
        let doubt = u32::from(every > 1);
        let mut model = Self::blank();
        let kinds = counts.summed(KINDS * 4, kind_number);
        let first: Vec<Entry> = kinds
            .iter()
            .map(|&tally| Entry::fit(tally, doubt))
            .collect();
        let coarse = counts.summed(KINDS * COARSE * 4, coarse_number);
        let mut second = Vec::with_capacity(coarse.len());
        for (number, &tally) in kinds.iter().enumerate() {
            if tally != [0; 3] {
                model.layers[0].push((number, first[number]));
            }
        }
        for (number, &tally) in coarse.iter().enumerate() {
            let now = first[number / (4 * COARSE) * 4 + number % 4];
            second.push(better(now, tally, worth, doubt).unwrap_or(now));
            if second[number] != now {
                model.layers[1].push((number, second[number]));
            }
        }
        let mut places = KINDS * (COARSE + 1);
        for (place, tallies) in counts.seen() {
            let entries = model.layers[2].len();
            for near in 0..NEAR {
                let tally = tallies[in_memory(near)];
                let now = second[coarse_number(place, near)];
                if let Some(entry) = better(now, tally, worth, doubt) {
                    model.layers[2].push((place * NEAR + near, entry));
                }
            }
            places += usize::from(model.layers[2].len() > entries);
            if places == MOST_PLACES {
                break;
            }
        }
        model.leaves = Leaves::new(&model.layers);
        model
    }

    fn blank() -> Self {
        Self {
            directory: Directory::blank(),
            layers: Default::default(),
            leaves: Leaves::default(),
        }
    }

    /// Takes over how often things are said in a directory.
    pub(super) fn fit_directory<'l>(&mut self, listings: impl Iterator<Item = &'l Listing>) {
        self.directory = Directory::fit(listings);
    }

    /// The probabilities of the directory.
    pub(super) const fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The stored form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut encoder = Encoder::new();
        self.transcribe(&mut encoder);
        encoder.finish()
    }

    /// Reads the stored form.
    ///
    /// # Errors
    ///
    /// When there are too many entries. Other bytes that [`Model::to_bytes`] did not write make a
    /// model without sense.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let mut model = Self::blank().transcribe(&mut Decoder::new(bytes));
        if model.most_places() > MOST_PLACES {
            return Err(ModelError);
        }
        model.leaves = Leaves::new(&model.layers);
        Ok(model)
    }

    /// Writes this model, or reads the one that comes back: which kinds have entries (a decision
    /// each), the directory's probabilities, and layers of entries.
    fn transcribe(&self, tape: &mut impl Tape) -> Self {
        let mut model = Self::blank();
        let has = |kind| self.layers[0].iter().any(|&(number, _)| number / 4 == kind);
        let kinds = (0..KINDS).filter(|&kind| tape.decide(has(kind), EVEN));
        let kinds: Vec<usize> = kinds.collect();
        model.directory = self.directory.transcribe(tape);
        model.layers = Script::new(&self.layers).transcribe(&kinds, tape);
        model
    }

    /// No fewer than the kinds, first three neighbours and places that have entries.
    fn most_places(&self) -> usize {
        let different = |layer: &[(usize, Entry)], size: usize| {
            1 + layer
                .windows(2)
                .filter(|it| it[0].0 / size != it[1].0 / size)
                .count()
        };
        KINDS + different(&self.layers[1], 4) + different(&self.layers[2], NEAR)
    }

    /// The probabilities for units of a kind; `None` when the model has none.
    #[inline(always)]
    pub(super) fn of(&self, kind: usize) -> Option<Chances<'_>> {
        self.leaves.of(kind).map(Chances)
    }
}

/// Where what is known of contexts is looked up.
pub(super) trait Source: Copy {
    /// What is looked up for a place, and what for a context.
    type Leaf: Copy + Default;
    type Found: Copy + Default;

    /// Looks up a place.
    fn find(self, place: Place) -> Self::Leaf;

    /// Looks up a context of a place that was found.
    fn look(self, leaf: Self::Leaf, context: Context) -> Self::Found;
}

/// The contexts themselves.
#[derive(Clone, Copy)]
pub(super) struct Contexts;

impl Source for Contexts {
    type Leaf = ();
    type Found = Context;

    #[inline(always)]
    fn find(self, _: Place) {}

    #[inline(always)]
    fn look(self, (): (), context: Context) -> Context {
        context
    }
}

/// The probabilities of a model for one kind of units.
#[derive(Clone, Copy)]
pub(super) struct Chances<'a>(Tree<'a>);

impl Source for Chances<'_> {
    type Leaf = Leaf;
    type Found = Entry;

    /// Where those of a place lie.
    #[inline(always)]
    fn find(self, place: Place) -> Leaf {
        self.0.leaf(place.coarse, place.fine)
    }

    /// Those in a context of a place.
    #[inline(always)]
    fn look(self, leaf: Leaf, context: Context) -> Entry {
        self.0.entry(leaf, context.last(), context.near())
    }
}

/// The entry for `tally` if it saves more bits than it is `worth`.
fn better(now: Entry, tally: Tally, worth: f64, doubt: u32) -> Option<Entry> {
    let cost = now.cost(tally);
    if cost <= worth {
        return None;
    }
    let entry = Entry::fit(tally, doubt);
    (cost > entry.cost(tally) + worth).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(fine: u8) -> Context {
        let place = Place {
            fine,
            ..Place::default()
        };
        Context { place, same: 0o21 }
    }

    #[test]
    fn a_model_reads_back_and_prefers_what_was_counted() {
        let mut counts = Counts::default();
        for i in 0..5000 {
            counts.add(3, context(17), if i % 50 == 0 { 1 } else { 2 });
            counts.add(3, context(18), u8::from(i % 3 == 0));
        }
        let model = Model::fit(&counts, 1);
        let again = Model::from_bytes(&model.to_bytes()).expect("what was just written");
        assert_eq!(again.leaves, model.leaves);
        let chances = model.of(3).expect("what was counted");
        let entry = |context: Context| chances.look(chances.find(context.place), context);
        let [rare, even] = [17, 18].map(|fine| entry(context(fine)));
        assert_eq!((rare.likely(), rare.order()), (2, [2, 1, 0]));
        let miss = rare.first_miss();
        assert!(
            (1_000..1_800).contains(&miss),
            "{miss} of 65536 for 1 in 50"
        );
        assert_eq!(even.order(), [0, 1, 2]);
    }

    #[test]
    fn any_bytes_read_as_something() {
        let mut seed = 1_u32;
        for len in (0..300).step_by(29) {
            let bytes: Vec<u8> = (0..len)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 24) as u8
                })
                .collect();
            if let Ok(model) = Model::from_bytes(&bytes) {
                let again = Model::from_bytes(&model.to_bytes()).expect("what was just written");
                assert_eq!(again.leaves, model.leaves);
            }
        }
    }

    #[test]
    fn kinds_tell_the_prevailing_value_and_its_share() {
        assert_eq!(kind([0, 0, 0]), None);
        assert_eq!(kind([0, 9, 0]), None);
        assert_eq!(kind([0, 1, 3999]), Some(8));
        assert_eq!(kind([2000, 1000, 1000]), Some(3));
    }
}
