//! Probabilities of values, by what is already known nearby.
//!
//! ```text
//! kind      0-23: which value prevails in the unit (3), and how strongly (8)
//! context   12 bits: six neighbours of two bits, 3 meaning unknown:
//!             the last three values of the same parity (every king's step changes the parity of
//!             the sum of rows), the last value, and the values where the second and the third
//!             movable piece stand one square lower
//! entry     13 bits: the order of the three values by likelihood (6), the probability that it is
//!             not the first (64 steps), that it is then the last (16 steps)
//! ```
//!
//! A context that is too rare to be worth its entry uses the entry of its first three
//! neighbours, or that of its kind. A stored model is first the kinds that occur, the most common
//! first: their number (u8), and for each the kind (u8) and the step of the probability that it is
//! a later one (u8). Then follow, for each of the three layers, the number of entries (u32) and for
//! each entry the distance to the last one's place (LEB128) and the entry (u16), little-endian.

/// How many kinds of units there are.
pub const KINDS: usize = 24;
/// How many contexts each kind has.
pub const CONTEXTS: usize = 1 << 12;
/// How many coarse contexts each kind has: the two last of the same parity, and the last.
const COARSE: usize = 1 << 6;
/// A neighbour whose value is not known.
pub const UNKNOWN: u8 = 3;

const ORDERS: [[u8; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Probabilities in 65536ths, each 27/32 of the last, from two thirds down.
const FIRST_MISS: [u16; 64] = ladder(43_690, 27, 32);
/// Probabilities in 65536ths, each 5/8 of the last, from a half down.
const SECOND_MISS: [u16; 16] = ladder(32_768, 5, 8);

const fn ladder<const N: usize>(top: u64, up: u64, down: u64) -> [u16; N] {
    let mut steps = [0; N];
    let mut exact = top << 16;
    let mut i = 0;
    while i < N {
        let rounded = (exact + (1 << 15)) >> 16;
        steps[i] = if rounded == 0 { 1 } else { rounded as u16 };
        exact = exact * up / down;
        i += 1;
    }
    steps
}

/// How often each value was seen.
pub type Tally = [u32; 3];

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
    let strength = [1, 4, 12, 30, 70, 150, 300].partition_point(|&limit| limit <= share);
    Some(most * 8 + strength)
}

/// The probabilities of the three values, rounded to what an entry can say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Entry(u16);

impl Entry {
    fn fit(tally: Tally) -> Self {
        let order = (0..6)
            .max_by_key(|&order| {
                let [first, second, third] = ORDERS[order].map(|value| tally[usize::from(value)]);
                (first >= second && second >= third, 6 - order)
            })
            .unwrap_or(0);
        let [first, second, third] = ORDERS[order].map(|value| tally[usize::from(value)]);
        let miss = nearest(&FIRST_MISS, second + third, first);
        let last = nearest(&SECOND_MISS, third, second);
        Self((order * 1024 + miss * 16 + last) as u16)
    }

    const fn order(self) -> [u8; 3] {
        ORDERS[(self.0 as usize / 1024) % 6]
    }

    const fn misses(self) -> [u16; 2] {
        let code = self.0 as usize;
        [FIRST_MISS[code / 16 % 64], SECOND_MISS[code % 16]]
    }

    /// What coding `tally` with this entry costs, in bits.
    fn cost(self, tally: Tally) -> f64 {
        let [first, second, third] = self
            .order()
            .map(|value| f64::from(tally[usize::from(value)]));
        let [miss, last] = self.misses().map(|miss| f64::from(miss) / 65_536.0);
        let bits = |count: f64, chance: f64| {
            if count > 0.0 {
                -count * chance.log2()
            } else {
                0.0
            }
        };
        bits(first, 1.0 - miss)
            + bits(second + third, miss)
            + bits(second, 1.0 - last)
            + bits(third, last)
    }
}

/// The step of a ladder under which `misses` among `misses + hits` cost least.
fn nearest(ladder: &[u16], misses: u32, hits: u32) -> usize {
    let cost = |step: &usize| {
        let miss = f64::from(ladder[*step]) / 65_536.0;
        -(f64::from(misses) * miss.log2() + f64::from(hits) * (1.0 - miss).log2())
    };
    (0..ladder.len())
        .min_by(|a, b| cost(a).total_cmp(&cost(b)))
        .unwrap_or(0)
}

/// How often each value was seen in each context of each kind.
#[derive(Clone, Debug)]
pub struct Counts {
    units: [u32; KINDS],
    values: Vec<Tally>,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            units: [0; KINDS],
            values: vec![[0; 3]; KINDS * CONTEXTS],
        }
    }
}

impl Counts {
    /// Counts one unit.
    pub fn add_unit(&mut self, kind: usize) {
        self.units[kind] += 1;
    }

    /// Counts one value.
    #[inline]
    pub fn add(&mut self, kind: usize, context: usize, value: u8) {
        self.values[kind * CONTEXTS + context][usize::from(value)] += 1;
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        for (count, other) in self.units.iter_mut().zip(&other.units) {
            *count += other;
        }
        for (tally, other) in self.values.iter_mut().zip(&other.values) {
            for (count, other) in tally.iter_mut().zip(other) {
                *count += other;
            }
        }
    }

    fn summed(&self, places: usize, layer: fn(usize) -> usize) -> Vec<Tally> {
        let mut sums = vec![[0; 3]; places];
        for (place, tally) in self.values.iter().enumerate() {
            for (sum, count) in sums[layer(place)].iter_mut().zip(tally) {
                *sum += count;
            }
        }
        sums
    }
}

const fn kind_of(place: usize) -> usize {
    place / CONTEXTS
}

/// The three neighbours that the low bits of a context name.
const fn coarse_of(place: usize) -> usize {
    place / CONTEXTS * COARSE + place % COARSE
}

/// The probabilities of one slice.
#[derive(Clone, Debug)]
pub struct Model {
    /// The kinds that occur, and the step of the probability that it is a later one.
    kinds: Vec<(u8, u8)>,
    entries: Box<[Entry]>,
    layers: [Vec<(usize, Entry)>; 3],
}

/// Why a stored model cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the probabilities end or run out of range at byte {0}")]
pub struct ModelError(pub usize);

impl Model {
    /// The model that codes what was counted in the fewest bytes, its own included.
    #[must_use]
    pub fn fit(counts: &Counts) -> Self {
        /// What an entry costs in bits, with the distance to it.
        const ENTRY_BITS: f64 = 28.0;
        let kinds = counts.summed(KINDS, kind_of);
        let coarse = counts.summed(KINDS * COARSE, coarse_of);
        let mut model = Self::blank();
        model.fit_kinds(&counts.units);
        for (place, &tally) in kinds.iter().enumerate() {
            if tally != [0; 3] {
                model.layers[0].push((place, Entry::fit(tally)));
            }
        }
        model.spread();
        let seen = |&(_, tally): &(usize, &Tally)| *tally != [0; 3];
        for (place, &tally) in coarse.iter().enumerate().filter(seen) {
            let now = model.entries[place / COARSE * CONTEXTS];
            let entry = Entry::fit(tally);
            if now.cost(tally) > entry.cost(tally) + ENTRY_BITS {
                model.layers[1].push((place, entry));
            }
        }
        model.spread();
        for (place, &tally) in counts.values.iter().enumerate().filter(seen) {
            let entry = Entry::fit(tally);
            if model.entries[place].cost(tally) > entry.cost(tally) + ENTRY_BITS {
                model.layers[2].push((place, entry));
            }
        }
        model.spread();
        model
    }

    fn fit_kinds(&mut self, units: &[u32; KINDS]) {
        let mut order: Vec<usize> = (0..KINDS).filter(|&kind| units[kind] > 0).collect();
        order.sort_by_key(|&kind| std::cmp::Reverse(units[kind]));
        let mut later: u32 = units.iter().sum();
        for kind in order {
            later -= units[kind];
            let step = nearest(&FIRST_MISS, later, units[kind]);
            self.kinds.push((kind as u8, step as u8));
        }
    }

    fn blank() -> Self {
        Self {
            kinds: Vec::new(),
            entries: vec![Entry::default(); KINDS * CONTEXTS].into(),
            layers: Default::default(),
        }
    }

    /// Writes the layers over each other into the table of entries.
    fn spread(&mut self) {
        for &(kind, entry) in &self.layers[0] {
            self.entries[kind * CONTEXTS..][..CONTEXTS].fill(entry);
        }
        for &(place, entry) in &self.layers[1] {
            let first = place / COARSE * CONTEXTS + place % COARSE;
            for context in (0..CONTEXTS).step_by(COARSE) {
                self.entries[first + context] = entry;
            }
        }
        for &(place, entry) in &self.layers[2] {
            self.entries[place] = entry;
        }
    }

    /// The stored form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.kinds.len() as u8];
        bytes.extend(self.kinds.iter().flat_map(|&(kind, step)| [kind, step]));
        for layer in &self.layers {
            bytes.extend((layer.len() as u32).to_le_bytes());
            let mut last = 0;
            for &(place, entry) in layer {
                let mut gap = place - last;
                last = place;
                while gap >= 128 {
                    bytes.push(gap as u8 | 128);
                    gap >>= 7;
                }
                bytes.push(gap as u8);
                bytes.extend(entry.0.to_le_bytes());
            }
        }
        bytes
    }

    /// Reads the stored form.
    ///
    /// # Errors
    ///
    /// When the bytes end too early, go on too long or name a context that does not exist.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let mut reader = Reader { bytes, at: 0 };
        let mut model = Self::blank();
        for _ in 0..reader.byte()? {
            let (kind, step) = (reader.byte()?, reader.byte()?);
            if usize::from(kind) >= KINDS || usize::from(step) >= FIRST_MISS.len() {
                return Err(ModelError(reader.at));
            }
            model.kinds.push((kind, step));
        }
        let places = [KINDS, KINDS * COARSE, KINDS * CONTEXTS];
        for (layer, places) in model.layers.iter_mut().zip(places) {
            let count = reader.number::<4>()?;
            let mut place = 0;
            for _ in 0..count {
                place += reader.gap()?;
                let entry = reader.number::<2>()? as u16;
                if place >= places || entry >= 6 * 1024 {
                    return Err(ModelError(reader.at));
                }
                layer.push((place, Entry(entry)));
            }
        }
        if reader.at != bytes.len() {
            return Err(ModelError(reader.at));
        }
        model.spread();
        Ok(model)
    }

    /// The kinds from common to rare, each with the probability that it is a later one; the last
    /// is certain.
    pub(super) fn kinds(&self) -> impl ExactSizeIterator<Item = (usize, u16)> {
        self.kinds
            .iter()
            .map(|&(kind, step)| (usize::from(kind), FIRST_MISS[usize::from(step)]))
    }

    /// The values from likely to unlikely, and the probabilities of missing the first, and then
    /// the second.
    #[inline]
    pub(super) fn odds(&self, kind: usize, context: usize) -> ([u8; 3], [u16; 2]) {
        let entry = self.entries[kind * CONTEXTS + context];
        (entry.order(), entry.misses())
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, ModelError> {
        let byte = self.bytes.get(self.at).ok_or(ModelError(self.at))?;
        self.at += 1;
        Ok(*byte)
    }

    fn number<const N: u32>(&mut self) -> Result<u32, ModelError> {
        (0..N).try_fold(0, |number, nth| {
            Ok(number | u32::from(self.byte()?) << (8 * nth))
        })
    }

    fn gap(&mut self) -> Result<usize, ModelError> {
        let mut gap = 0;
        for shift in [0, 7, 14] {
            let byte = self.byte()?;
            gap |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(gap);
            }
        }
        Err(ModelError(self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_reads_back_and_prefers_what_was_counted() {
        let mut counts = Counts::default();
        for i in 0..5000 {
            counts.add(3, 17, if i % 50 == 0 { 1 } else { 2 });
            counts.add(3, 18, u8::from(i % 3 == 0));
        }
        let model = Model::fit(&counts);
        assert_eq!(model.kinds, []);
        let again = Model::from_bytes(&model.to_bytes()).expect("what was just written");
        assert_eq!(again.entries, model.entries);
        let (order, [miss, _]) = model.odds(3, 17);
        assert_eq!(order[..2], [2, 1]);
        assert!(
            (1_000..1_800).contains(&miss),
            "{miss} of 65536 for 1 in 50"
        );
        assert_eq!(model.odds(3, 18).0, [0, 1, 2]);
    }

    #[test]
    fn damaged_models_are_errors() {
        let mut counts = Counts::default();
        counts.add(0, 5, 1);
        let bytes = Model::fit(&counts).to_bytes();
        for end in 0..bytes.len() {
            assert!(Model::from_bytes(&bytes[..end]).is_err());
        }
        let mut longer = bytes;
        longer.push(0);
        assert!(Model::from_bytes(&longer).is_err());
    }

    #[test]
    fn kinds_tell_the_prevailing_value_and_its_share() {
        assert_eq!(kind([0, 0, 0]), None);
        assert_eq!(kind([0, 9, 0]), None);
        assert_eq!(kind([0, 1, 3999]), Some(16));
        assert_eq!(kind([2000, 1000, 1000]), Some(7));
    }
}
