//! Goes through the stored values of a unit in order, with what is known near each.
//!
//! ```text
//! run     positions that differ in the lowest of the fast pieces alone, a lane for each place where
//!         that may stand: at most 31, the whole row where there is one fast piece
//! states  bytes, see the module `model`; a stored value that is not yet known is the expected one
//! ```
//!
//! All neighbours of a run outside of it lie at the same distance from its positions, so they are
//! gathered for all lanes at a time, and those within it are taken for the value that is expected,
//! which most are. What belongs to these contexts is looked up for the whole run before its first
//! value is known: so the look-ups need not wait for each other. After a value that is not as
//! expected, what follows is looked up again until everything near is as expected. Start reading at
//! [`Plan::each`].

use super::model::{CAPTURE, Context, OUTSIDE, Place, STATES, Source, THREAT};
use super::row::{Row, Rows, Run};
use super::unit::{UNIT, Values, low_bits, window};

/// States before and behind those of a unit, all outside.
const MARGIN: usize = 64;
/// The most lanes of a run.
const LANES: usize = 32;
/// Rows have at least 24 positions, but for the first and the last of a unit.
const MOST_ROWS: usize = UNIT / 24 + 2;

type Lanes = [u8; LANES];

/// The states of a unit with margins.
#[derive(Clone, Debug)]
pub(super) struct Frame([u8; UNIT + 2 * MARGIN]);

impl Frame {
    pub(super) const fn new() -> Self {
        Self([OUTSIDE; UNIT + 2 * MARGIN])
    }

    /// The states of the lanes from `at` on, counted from the front of the margin.
    #[inline(always)]
    fn lanes(&self, at: usize) -> Lanes {
        let lanes = self.0[at.min(UNIT + 2 * MARGIN - LANES)..].first_chunk();
        *lanes.unwrap_or(&[OUTSIDE; LANES])
    }

    /// The same so many places back, or outside if there are none.
    #[inline(always)]
    fn back(&self, at: usize, back: u16) -> Lanes {
        let back = if back == 0 { u16::MAX } else { back };
        self.lanes(at.saturating_sub(back.into()))
    }

    #[inline(always)]
    fn set(&mut self, place: usize, state: u8) {
        if let Some(at) = self.0.get_mut(MARGIN + place) {
            *at = state;
        }
    }

    /// Notes up to 64 positions: which have a capture, and which are at rest; the others get the
    /// value that is expected.
    #[inline(always)]
    fn note(&mut self, place: usize, len: usize, value: u8, jump: u64, at_rest: u64) {
        let all = u64::from_le_bytes([value; 8]);
        for from in (0..len).step_by(8) {
            let states = all
                + u64::from(CAPTURE - value) * spread(jump >> from)
                + u64::from(THREAT - value) * spread(at_rest >> from);
            let behind = self.0.get_mut(MARGIN + place + from..);
            if let Some(into) = behind.and_then(|states| states.first_chunk_mut()) {
                *into = states.to_le_bytes();
            }
        }
    }

    /// Makes the places from `len` on outside again.
    fn end(&mut self, len: usize) {
        self.0[MARGIN + len..].fill(OUTSIDE);
    }

    /// The states of the unit.
    pub(super) fn states(&self) -> &Values {
        self.0[MARGIN..].first_chunk().unwrap_or(&[OUTSIDE; UNIT])
    }
}

/// The low eight bits, each in a byte of its own.
#[inline(always)]
pub(super) const fn spread(bits: u64) -> u64 {
    let each = ((bits & 0xFF) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((each + 0x7F7F_7F7F_7F7F_7F7F) >> 7) & 0x0101_0101_0101_0101
}

/// The lowest bits of eight bytes, side by side: what [`spread`] takes apart.
#[inline(always)]
pub(super) const fn gathered(bytes: u64) -> u64 {
    (bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// A bit for each position of a unit.
type Bits = [u64; UNIT / 64 + 1];

#[inline(always)]
fn put(words: &mut Bits, at: usize, bits: u64) {
    let word = at / 64 % (UNIT / 64);
    words[word] |= bits << (at % 64);
    words[word + 1] |= bits >> 1 >> (63 - at % 64);
}

/// A row, or the part of it that lies in a unit; see [`Row`].
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    at: u16,
    len: u16,
    rank: u16,
    near: [u16; 3],
}

/// What is done with the stored values of a unit, by what a source `S` says.
pub(super) trait Visitor<S: Source> {
    /// Tells the value of the position at a place of the unit, of whose context this was found.
    fn visit(&mut self, found: S::Found, at: usize) -> u8;
}

/// Which values of a unit are stored and where their neighbours lie: all that is known without
/// them.
pub(super) struct Plan {
    rows: [Part; MOST_ROWS],
    count: usize,
    runs: &'static [Run],
    stored: Bits,
    /// The parity of the sum of rows, up to a constant.
    parity: Bits,
    /// The value that is expected.
    value: u8,
    pub(super) frame: Frame,
}

impl Plan {
    /// Of the first `len` positions of a unit that has mostly this value; `left_out` says of up to 64
    /// positions of a row, from one of them on, which have a capture and which are at rest.
    #[inline(always)]
    pub(super) fn of(
        rows: Rows<'_>,
        len: usize,
        value: u8,
        mut left_out: impl FnMut(&Row, usize, usize) -> [u64; 2],
    ) -> Self {
        let mut plan = Self::new(value);
        rows.each(len, |row| {
            plan.add(row);
            for from in (0..row.len).step_by(64) {
                let left = (row.len - from).min(64);
                let [jump, at_rest] = left_out(row, from, left);
                plan.note(row, (from, left), jump, at_rest);
            }
        });
        plan
    }

    /// Nothing yet of a unit that has mostly this value.
    #[inline(always)]
    const fn new(value: u8) -> Self {
        Self {
            rows: [Part {
                at: 0,
                len: 0,
                rank: 0,
                near: [0; 3],
            }; MOST_ROWS],
            count: 0,
            runs: &[],
            stored: [0; UNIT / 64 + 1],
            parity: [0; UNIT / 64 + 1],
            value,
            frame: Frame::new(),
        }
    }

    /// Adds a row, of which nothing is known yet but where it lies.
    #[inline(always)]
    fn add(&mut self, row: &Row) {
        self.runs = row.runs();
        if let Some(part) = self.rows.get_mut(self.count) {
            *part = Part {
                at: row.at as u16,
                len: row.len as u16,
                rank: row.rank as u16,
                near: row.near,
            };
            self.count += 1;
        }
    }

    /// Notes what is known of `left` positions of a row from its position `from` on: which have a
    /// capture, and which are at rest.
    #[inline(always)]
    fn note(&mut self, row: &Row, (from, left): (usize, usize), jump: u64, at_rest: u64) {
        let at = row.at + from;
        put(&mut self.parity, at, row.parity(from) & low_bits(left));
        put(&mut self.stored, at, low_bits(left) & !(jump | at_rest));
        self.frame.note(at, left, self.value, jump, at_rest);
    }

    /// Visits each stored position of the first `len`.
    #[inline(always)]
    pub(super) fn each<S: Source>(&mut self, len: usize, source: S, visitor: &mut impl Visitor<S>) {
        self.frame.end(len);
        let mut cursor = Cursor::default();
        let mut lately = Lately(0o77 << 8 | 0o77);
        let mut slots = [Ahead::<S::Leaf>::blank(), Ahead::blank()];
        let [now, then] = &mut slots;
        let (mut now, mut then) = (now, then);
        let mut is_left = now.go(self, &mut cursor, source);
        while is_left {
            is_left = then.go(self, &mut cursor, source);
            if self.run(now, &mut lately, source, visitor) && is_left {
                then.mend(&self.frame, source);
            }
            std::mem::swap(&mut now, &mut then);
        }
    }

    /// Visits the stored positions of a run; tells whether a value was not as expected.
    #[inline(always)]
    fn run<S: Source>(
        &mut self,
        ahead: &Ahead<S::Leaf>,
        lately: &mut Lately,
        source: S,
        visitor: &mut impl Visitor<S>,
    ) -> bool {
        let Stretch {
            start,
            stored,
            parity,
            ..
        } = ahead.stretch;
        let value = self.value;
        let clean = Lately::all(value);
        let found = ahead.look(clean.same(0), source);
        // Two bits a value, that of lane n from bit 2 n + 8 on, round the end of the word: no lane
        // is above 30, so those below 0 are not needed any more when they are written over.
        let as_expected = 0x55 * value;
        let mut values = u64::from_le_bytes([as_expected; 8]);
        let (mut left, mut is_other) = (stored, false);
        while left != 0 {
            let mut lane = left.trailing_zeros();
            let last = values.rotate_right(2 * lane) as u8;
            let mut known = value;
            if last == as_expected && *lately == clean {
                while known == value && left != 0 {
                    lane = left.trailing_zeros();
                    left &= left - 1;
                    let at = start + lane as usize - MARGIN;
                    known = visitor.visit(found[lane as usize % LANES], at);
                }
                if known == value {
                    break;
                }
            } else {
                left &= left - 1;
                let nth = lane as usize % LANES;
                let (mut place, mut leaf) = (ahead.places.at(nth), ahead.leaves[nth]);
                if last != as_expected {
                    place = place.with_last(last, value);
                    leaf = source.find(place);
                }
                let same = lately.same(parity >> lane);
                let found = source.look(leaf, Context { place, same });
                known = visitor.visit(found, start + lane as usize - MARGIN);
            }
            lately.note(parity >> lane, known);
            is_other |= known != value;
            values ^= u64::from(known ^ value).rotate_left(2 * lane + 8);
            self.frame.set(start + lane as usize - MARGIN, known);
        }
        is_other
    }
}

/// The last three values of either parity, two bits each; the odd parity's from bit 8 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lately(u32);

impl Lately {
    /// All of them this one.
    #[inline(always)]
    const fn all(value: u8) -> Self {
        let same = value as u32 * 0o25;
        Self(same << 8 | same)
    }

    /// Those of a parity and some bits above, the last one lowest; the parity is the lowest bit.
    #[inline(always)]
    const fn same(self, parity: u64) -> u32 {
        self.0 >> ((parity & 1) * 8)
    }

    #[inline(always)]
    const fn note(&mut self, parity: u64, value: u8) {
        let same = self.same(parity);
        self.0 ^= (((same << 2 | value as u32) ^ same) & 0o77) << ((parity & 1) * 8);
    }
}

/// A run, or the part of it that lies in a unit.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    run: &'static Run,
    near: [u16; 3],
    /// Where lane 0 is in the frame, or would be.
    start: usize,
    /// Which lanes have stored values, and which have the odd parity.
    stored: u64,
    parity: u64,
}

impl Stretch {
    /// The places of the lanes if the stored values are as expected.
    #[inline(always)]
    fn places(&self, frame: &Frame) -> Places {
        let Self {
            run, near, start, ..
        } = *self;
        let second = frame.back(start, run.second | near[1]);
        let by_three = frame.back(start, run.by_three | near[2]);
        Places {
            coarse: number(
                [
                    frame.back(start, run.third | near[0]),
                    outside(second, &FROM[usize::from(run.seconds) % FROM.len()]),
                ],
                outside(frame.lanes(start - 3), &BELOW[3]),
            ),
            fine: number(
                [outside(
                    by_three,
                    &FROM[usize::from(run.by_threes) % FROM.len()],
                )],
                outside(frame.lanes(start - 4), &BELOW[4]),
            ),
            lower: outside(frame.lanes(start - 1), &BELOW[1]),
        }
    }
}

/// The places of a run's lanes, see [`Place`].
#[derive(Clone, Copy, Debug)]
struct Places {
    coarse: Lanes,
    fine: Lanes,
    lower: Lanes,
}

impl Places {
    const NONE: Self = Self {
        coarse: [0; LANES],
        fine: [0; LANES],
        lower: [0; LANES],
    };

    #[inline(always)]
    const fn at(&self, lane: usize) -> Place {
        Place {
            coarse: self.coarse[lane],
            fine: self.fine[lane],
            lower: self.lower[lane],
        }
    }

    /// A bit for each lane whose place is another one; what is one square lower is not looked at.
    #[inline(always)]
    fn differ(&self, other: &Self) -> u64 {
        let eights = |lanes: &Lanes, from: usize| {
            let eight = lanes[from..].first_chunk().copied();
            u64::from_le_bytes(eight.unwrap_or_default())
        };
        (0..LANES).step_by(8).fold(0, |found, from| {
            let bytes = (eights(&self.coarse, from) ^ eights(&other.coarse, from))
                | (eights(&self.fine, from) ^ eights(&other.fine, from));
            let low = 0x7F7F_7F7F_7F7F_7F7F;
            let high = (((bytes & low) + low) | bytes) >> 7;
            found | gathered(high) << from
        })
    }
}

/// All bits of the lanes below so many, and of the others.
static BELOW: [Lanes; LANES + 1] = masks(0xFF, 0);
static FROM: [Lanes; LANES + 1] = masks(0, 0xFF);

const fn masks(below: u8, from: u8) -> [Lanes; LANES + 1] {
    let mut masks = [[below; LANES]; LANES + 1];
    let mut end = 0;
    while end < LANES {
        let mut lane = end;
        while lane < LANES {
            masks[end][lane] = from;
            lane += 1;
        }
        end += 1;
    }
    masks
}

/// The states, outside where the mask says so.
#[inline(always)]
fn outside(mut states: Lanes, mask: &Lanes) -> Lanes {
    for lane in 0..LANES {
        states[lane] = states[lane] & !mask[lane] | OUTSIDE & mask[lane];
    }
    states
}

/// The combinations of states, the first one turning slowest.
#[inline(always)]
fn number<const N: usize>(upper: [Lanes; N], mut last: Lanes) -> Lanes {
    let mut found = [0; LANES];
    for states in upper {
        for lane in 0..LANES {
            found[lane] = times_six(states[lane].wrapping_add(found[lane]));
        }
    }
    for lane in 0..LANES {
        last[lane] = last[lane].wrapping_add(found[lane]);
    }
    last
}

/// By additions, which vectors of bytes have.
#[inline(always)]
const fn times_six(state: u8) -> u8 {
    const { assert!(STATES == 6) };
    let two = state.wrapping_add(state);
    two.wrapping_add(two).wrapping_add(two)
}

/// Goes through the runs of a plan.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    row: usize,
    near: [u16; 3],
    run: usize,
    lane: usize,
    at: usize,
    end: usize,
}

impl Cursor {
    /// The next run that has stored values.
    #[inline(always)]
    fn next(&mut self, plan: &Plan) -> Option<Stretch> {
        loop {
            if self.at >= self.end {
                self.open(plan)?;
            }
            let run = plan.runs.get(self.run)?;
            let (at, from) = (self.at, self.lane);
            let lanes = usize::from(run.lanes).min(from + self.end - at);
            self.at += lanes - from;
            self.lane = 0;
            self.run += 1;
            let stored = window(&plan.stored, at) & low_bits(lanes - from);
            if stored != 0 {
                return Some(Stretch {
                    run,
                    near: self.near,
                    start: MARGIN + at - from,
                    stored: stored << from,
                    parity: window(&plan.parity, at) << from,
                });
            }
        }
    }

    /// Goes to the next row.
    #[inline(always)]
    fn open(&mut self, plan: &Plan) -> Option<()> {
        let part = plan.rows[..plan.count].get(self.row)?;
        let rank = u32::from(part.rank);
        self.run = plan.runs.partition_point(|run| run.end() <= rank);
        self.lane = (rank - plan.runs.get(self.run)?.start) as usize;
        self.near = part.near;
        (self.at, self.end) = (part.at.into(), (part.at + part.len).into());
        self.row += 1;
        Some(())
    }
}

/// A run that is looked up before the one in front of it is known.
#[derive(Clone, Copy, Debug)]
struct Ahead<L> {
    places: Places,
    leaves: [L; LANES],
    stretch: Stretch,
}

static NO_RUN: Run = Run::NONE;

impl<L: Copy + Default> Ahead<L> {
    fn blank() -> Self {
        Self {
            places: Places::NONE,
            leaves: [L::default(); LANES],
            stretch: Stretch {
                run: &NO_RUN,
                near: [0; 3],
                start: MARGIN,
                stored: 0,
                parity: 0,
            },
        }
    }

    /// Looks up the next run; false if there is none.
    #[inline(always)]
    fn go(&mut self, plan: &Plan, cursor: &mut Cursor, source: impl Source<Leaf = L>) -> bool {
        let Some(stretch) = cursor.next(plan) else {
            return false;
        };
        self.stretch = stretch;
        self.places = stretch.places(&plan.frame);
        self.find(stretch.stored, source);
        true
    }

    /// What is found for the contexts in which all values are as expected.
    #[inline(always)]
    fn look<S: Source<Leaf = L>>(&self, same: u32, source: S) -> [S::Found; LANES] {
        let mut found = [S::Found::default(); LANES];
        let mut left = self.stretch.stored;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            let place = self.places.at(lane);
            found[lane] = source.look(self.leaves[lane], Context { place, same });
        }
        found
    }

    /// Looks up what has changed by a value that was not as expected.
    #[inline(always)]
    fn mend(&mut self, frame: &Frame, source: impl Source<Leaf = L>) {
        let before = std::mem::replace(&mut self.places, self.stretch.places(frame));
        let changed = self.places.differ(&before);
        self.find(self.stretch.stored & changed, source);
    }

    #[inline(always)]
    fn find(&mut self, mut lanes: u64, source: impl Source<Leaf = L>) {
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % LANES;
            lanes &= lanes - 1;
            self.leaves[lane] = source.find(self.places.at(lane));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::index::choose;
    use crate::tablebase::unit::unit_len;
    use crate::tablebase::{Index, Slice, Walk};

    /// Notes every context.
    struct Witness<'a> {
        states: &'a Values,
        seen: Vec<(usize, Context)>,
    }

    /// The contexts, each looked up at its own place.
    #[derive(Clone, Copy)]
    struct AtItsPlace;

    impl Source for AtItsPlace {
        type Leaf = Place;
        type Found = Context;

        fn find(self, place: Place) -> Place {
            place
        }

        fn look(self, leaf: Place, context: Context) -> Context {
            assert_eq!(leaf, context.place);
            context
        }
    }

    impl Visitor<AtItsPlace> for Witness<'_> {
        fn visit(&mut self, context: Context, at: usize) -> u8 {
            self.seen.push((at, context));
            self.states[at]
        }
    }

    fn seen(index: &Index, unit: u64, states: &Values, expected: u8) -> Vec<(usize, Context)> {
        let len = unit_len(index, unit);
        let rows = Rows::new(index, unit, false);
        let mut plan = Plan::of(rows, len, expected, |row, from, left| {
            [CAPTURE, THREAT].map(|state: u8| {
                let bits = states[row.at + from..][..left].iter().rev();
                bits.fold(0, |bits, &it| bits << 1 | u64::from(it == state))
            })
        });
        let mut witness = Witness {
            states,
            seen: Vec::new(),
        };
        plan.each(len, AtItsPlace, &mut witness);
        assert_eq!(plan.frame.states(), states);
        witness.seen
    }

    /// How far back that position lies in which piece `nth` of those that turn fastest, counted
    /// through all groups, stands so many places lower; `None` if there is none.
    fn back(index: &Index, walk: &Walk, mut nth: u32, by: u32) -> Option<u64> {
        let strides = [1, index.row_len(), index.block_len()];
        for (set, stride) in walk.digits().into_iter().zip(strides) {
            let count = set.len();
            if nth < count {
                let places: Vec<u32> = set.squares().map(|it| it.index() as u32).collect();
                let at = places[nth as usize];
                let lower = at.checked_sub(by)?;
                let is_free = nth == 0 || lower > places[nth as usize - 1];
                let passed = choose(at, nth + 1) - choose(lower, nth + 1);
                return is_free.then_some(stride * passed);
            }
            nth -= count;
        }
        None
    }

    /// The contexts as the module `model` tells them, position by position.
    fn by_position(index: &Index, unit: u64, states: &Values) -> Vec<(usize, Context)> {
        let mut walk = Walk::new(index, unit * UNIT as u64);
        let (mut found, mut lately) = (Vec::new(), [0o77; 2]);
        for at in 0..unit_len(index, unit) {
            let state = |nth: u32, by: u32| {
                let back = back(index, &walk, nth, by);
                let place = back.and_then(|back| at.checked_sub(back as usize));
                place.map_or(OUTSIDE, |place| states[place])
            };
            if states[at] < OUTSIDE {
                let men = walk.placement();
                let all = [men.own_men, men.own_kings, men.their_men, men.their_kings];
                let odd = all.map(|set| set.squares().filter(|it| it.row() % 2 == 1).count());
                let side = &mut lately[odd.iter().sum::<usize>() % 2];
                let place = Place {
                    coarse: 36 * state(2, 1) + 6 * state(1, 1) + state(0, 3),
                    fine: 6 * state(1, 3) + state(0, 4),
                    lower: state(0, 1),
                };
                found.push((at, Context { place, same: *side }));
                *side = (*side << 2 | u32::from(states[at])) % 64;
            }
            walk.advance();
        }
        found
    }

    /// States as they may be, in stretches of like ones.
    fn made_up(len: usize, seed: u64) -> Values {
        let mut random = seed;
        let mut states = [OUTSIDE; UNIT];
        let mut last = 0;
        for state in &mut states[..len] {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *state = match random >> 56 {
                0..30 => CAPTURE,
                30..50 => THREAT,
                50..90 => {
                    last = (random >> 40) as u8 % 3;
                    last
                }
                _ => last,
            };
        }
        states
    }

    #[test]
    fn contexts_are_those_of_each_position() {
        let mut different = 0;
        for slice in (2..=8).flat_map(|pieces| Slice::all(pieces, 4)) {
            let index = Index::new(slice);
            let units = index.len().div_ceil(UNIT as u64);
            for unit in [0, units / 3, units - 1] {
                let states = made_up(unit_len(&index, unit), unit + 1);
                let same = |it: &(usize, Context)| (it.0, it.1.place, it.1.same & 0o63);
                let mut expected = by_position(&index, unit, &states);
                for value in 0..3 {
                    let found = seen(&index, unit, &states, value);
                    let found: Vec<_> = found.iter().map(same).collect();
                    let slow: Vec<_> = expected.iter().map(same).collect();
                    assert!(found == slow, "{slice} unit {unit} value {value}");
                }
                expected.dedup_by_key(|it| it.1.place);
                different += expected.len();
            }
        }
        assert!(different > 100_000, "{different}");
    }

    #[test]
    fn lanes_that_differ_are_found() {
        let mut other = Places::NONE;
        assert_eq!(other.differ(&Places::NONE), 0);
        (other.coarse[3], other.fine[31], other.coarse[8]) = (1, 0x80, 0xFF);
        assert_eq!(other.differ(&Places::NONE), 1 << 3 | 1 << 31 | 1 << 8);
    }
}
