//! Units: 4,096 positions that are coded together.
//!
//! A unit whose stored values are all equal has no bytes. Any other has a kind, and its values are
//! coded in order, each by what is known nearby (module `model`); positions that [`rest`] leaves
//! out are skipped on both sides. Two units share a run of bytes, the second is read backwards
//! from its end. Which positions are stored is worked out first, then their values follow (module
//! `runs`). Start reading at [`decode`].

use std::hint::cold_path;

use super::coder::{Decoder, Encoder};
use super::entry::{Entry, Tally};
use super::index::Index;
use super::isa::{Isa, Machine, Plain, Work};
use super::model::{
    CAPTURE, Chances, Context, Contexts, Counts, Model, OUTSIDE, Source, THREAT, UNKNOWN, kind,
};
use super::rest::{self, Crowd};
use super::row::Rows;
use super::runs::{Plan, Visitor, gathered, spread};
use crate::prefetch::prefetch_all;
use crate::rules::Position;

/// Positions in a unit.
pub const UNIT: usize = 4096;

/// The states of a unit: the values 0 to 2, or why none is stored ([`OUTSIDE`], [`THREAT`],
/// [`CAPTURE`]).
pub type Values = [u8; UNIT];

/// The lowest `len` bits, up to 64.
#[inline(always)]
pub(super) const fn low_bits(len: usize) -> u64 {
    if len >= 64 { u64::MAX } else { (1 << len) - 1 }
}

/// Which of up to 64 positions have a capture and which are at rest, by their states.
#[inline(always)]
fn left_out(states: &[u8]) -> [u64; 2] {
    states
        .chunks(8)
        .rev()
        .fold([0; 2], |[jump, at_rest], states| {
            let mut eight = [0; 8];
            eight[..states.len()].copy_from_slice(states);
            // The states of what is not stored have bit 2, and bit 0 tells them apart.
            let eight = u64::from_le_bytes(eight);
            let all = eight >> 2;
            [
                jump << 8 | gathered(all & eight),
                at_rest << 8 | gathered(all & !eight),
            ]
        })
}

/// The visit of all stored values of a unit that are known.
struct Visit<'a, S, V> {
    index: &'a Index,
    unit: u64,
    values: &'a Values,
    /// What the values are like, see [`unit_kind`].
    kind: usize,
    source: S,
    visitor: V,
}

impl<S: Source, V: Visitor<S>> Work for Visit<'_, S, V> {
    type Done = V;

    #[inline(always)]
    fn run(mut self, _: impl Machine) -> V {
        let len = unit_len(self.index, self.unit);
        let rows = Rows::new(self.index, self.unit, false);
        let mut plan = Plan::of(rows, len, prevailing(self.kind), |row, from, left| {
            left_out(&self.values[row.at + from..][..left])
        });
        plan.each(len, self.source, &mut self.visitor);
        self.visitor
    }
}

/// How many positions unit `unit` of a slice has: all have [`UNIT`] but the last.
#[must_use]
pub fn unit_len(index: &Index, unit: u64) -> usize {
    (index.len() - unit * UNIT as u64).min(UNIT as u64) as usize
}

/// Fills a unit with the values that are stored, asking `value` for each by its place in the unit
/// (0 loss, 1 draw, 2 win).
pub fn fill(index: &Index, unit: u64, values: &mut Values, mut value: impl FnMut(usize) -> u8) {
    let [mut lost, mut open] = [[0; UNIT / 64]; 2];
    for place in 0..unit_len(index, unit) {
        let value = value(place);
        lost[place / 64] |= u64::from(value == 0) << (place % 64);
        open[place / 64] |= u64::from(value < 2) << (place % 64);
    }
    fill_from(index, unit, values, [&lost, &open], 0, true);
}

/// The 64 bits from bit `at` on.
#[inline(always)]
pub(super) fn window(words: &[u64], at: usize) -> u64 {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    word(at / 64) >> (at % 64) | word(at / 64 + 1) << 1 << (63 - at % 64)
}

/// Fills a unit from rows of bits, its first position at bit `first`: which are lost, and which are
/// lost or drawn. What the positions with a threat are is looked into only if it may matter:
/// always `if_uniform`, else when not all values are the same anyway.
pub fn fill_from(
    index: &Index,
    unit: u64,
    values: &mut Values,
    [lost, open]: [&[u64]; 2],
    first: usize,
    if_uniform: bool,
) {
    let mut threats: Vec<(usize, Position)> = Vec::new();
    // Which values occur without a capture, and whether one of them is stored for certain.
    let (mut seen, mut is_stored) = ([false; 3], false);
    let len = unit_len(index, unit);
    Rows::new(index, unit, true).each(len, |row| {
        for from in (0..row.len).step_by(64) {
            let left = (row.len - from).min(64);
            let (place, all) = (row.at + from, low_bits(left));
            let [jump, threat] = row.captures(from).map(|bits| bits & all);
            let [lost, open] = [lost, open].map(|bits| window(bits, first + place) & all);
            put(values, place, left, [lost, open, jump]);
            let quiet = all & !jump;
            let occur = [lost & quiet, open & !lost & quiet, quiet & !open];
            for (seen, occurs) in seen.iter_mut().zip(occur) {
                *seen |= occurs != 0;
            }
            is_stored |= quiet & !threat != 0;
            let mut threat = threat;
            while threat != 0 {
                let nth = threat.trailing_zeros() as usize;
                threats.push((place + nth, row.position(Plain, from + nth)));
                threat &= threat - 1;
            }
        }
    });
    values[len..].fill(OUTSIDE);
    let is_uniform = seen.into_iter().filter(|&it| it).count() <= 1;
    if is_uniform && is_stored && !if_uniform {
        return;
    }
    for (place, position) in threats {
        if rest::all_moves_rest(&position) {
            values[place] = THREAT;
        }
    }
}

/// Writes the states of up to 64 positions, but for threats.
#[inline(always)]
fn put(values: &mut Values, place: usize, len: usize, [lost, open, jump]: [u64; 3]) {
    let [won, captures] = [[2_u8; 8], [CAPTURE; 8]].map(u64::from_le_bytes);
    for from in (0..len).step_by(8) {
        let value = won - spread(lost >> from) - spread(open >> from);
        let jump = spread(jump >> from) * 0xFF;
        let states = (value & !jump | captures & jump).to_le_bytes();
        let end = (place + from + 8).min(UNIT);
        values[place + from..end].copy_from_slice(&states[..end - place - from]);
    }
}

/// What a unit's values are like; `Err` with the value when all are the same.
///
/// # Errors
///
/// The common value of all stored positions; a loss if there is none.
pub fn unit_kind(values: &Values) -> Result<usize, u8> {
    let mut tally: Tally = [0; 3];
    // Sums of bytes are summed side by side as long as a byte holds them.
    for part in values.chunks(128) {
        for (tally, value) in tally.iter_mut().zip(0..) {
            let equal = |&it: &u8| u8::from(it == value);
            *tally += u32::from(part.iter().map(equal).sum::<u8>());
        }
    }
    kind(tally).ok_or(if tally[2] > 0 {
        2
    } else {
        u8::from(tally[1] > 0)
    })
}

/// Adds the values of a unit to the counts from which a model is fitted.
pub fn count(index: &Index, unit: u64, values: &Values, counts: &mut Counts) {
    if let Ok(kind) = unit_kind(values) {
        Isa::best().run(Visit {
            index,
            unit,
            values,
            kind,
            source: Contexts,
            visitor: Counting {
                kind,
                values,
                counts,
            },
        });
    }
}

struct Counting<'a> {
    kind: usize,
    values: &'a Values,
    counts: &'a mut Counts,
}

impl Visitor<Contexts> for Counting<'_> {
    #[inline(always)]
    fn visit(&mut self, context: Context, at: usize) -> u8 {
        let value = self.values[at % UNIT];
        self.counts.add(self.kind, context, value);
        value
    }
}

/// A unit as it was coded; its last bytes depend on the unit that it shares its bytes with.
#[derive(Clone, Debug)]
pub struct Code {
    pub(super) kind: usize,
    pub(super) encoder: Encoder,
}

/// Where the values of a unit are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coded<'a> {
    /// Below [`super::model::KINDS`].
    pub(super) kind: usize,
    /// Those of the pair.
    pub(super) bytes: &'a [u8],
    /// It is the second of the pair.
    pub(super) is_second: bool,
}

/// Codes a unit; `Err` with the value of all positions when it needs no bytes.
///
/// # Errors
///
/// As [`unit_kind`].
pub fn encode(index: &Index, model: &Model, unit: u64, values: &Values) -> Result<Code, u8> {
    let kind = unit_kind(values)?;
    Ok(encode_as(kind, index, model, unit, values))
}

fn encode_as(kind: usize, index: &Index, model: &Model, unit: u64, values: &Values) -> Code {
    let encoder = Encoder::new();
    let Some(source) = model.of(kind) else {
        return Code { kind, encoder };
    };
    let visit = Visit {
        index,
        unit,
        values,
        kind,
        source,
        visitor: Encoding { values, encoder },
    };
    let encoder = Isa::best().run(visit).encoder;
    Code { kind, encoder }
}

struct Encoding<'a> {
    values: &'a Values,
    encoder: Encoder,
}

impl Visitor<Chances<'_>> for Encoding<'_> {
    #[inline(always)]
    fn visit(&mut self, entry: Entry, at: usize) -> u8 {
        let value = self.values[at % UNIT];
        let is_miss = value != entry.likely();
        self.encoder.encode(is_miss, entry.first_miss());
        if is_miss {
            self.encoder
                .encode(value != entry.order()[1], entry.second_miss());
        }
        value
    }
}

/// Decodes the first `len` values of a unit; the others, and those that are not stored, are
/// [`UNKNOWN`].
///
/// Bytes that were not written by [`encode`] give values without meaning, never a panic.
pub fn decode(
    index: &Index,
    model: &Model,
    unit: u64,
    len: usize,
    coded: Coded<'_>,
    values: &mut Values,
) {
    let Some(chances) = model.of(coded.kind) else {
        return values.fill(UNKNOWN);
    };
    let job = Job {
        index,
        chances,
        unit,
        len: len.min(unit_len(index, unit)),
        coded,
        values,
    };
    Isa::best().run(job);
}

/// What is to be decoded.
struct Job<'a> {
    index: &'a Index,
    chances: Chances<'a>,
    unit: u64,
    len: usize,
    coded: Coded<'a>,
    values: &'a mut Values,
}

impl Work for Job<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self, machine: impl Machine) {
        // They are needed when it is known which values are stored.
        prefetch_all(self.coded.bytes);
        let prevailing = prevailing(self.coded.kind);
        let mut plan = self.plan(machine, prevailing);
        let Coded {
            bytes, is_second, ..
        } = self.coded;
        let decoder = if is_second {
            Decoder::backwards(bytes)
        } else {
            Decoder::new(bytes)
        };
        let mut decoding = Decoding {
            prevailing,
            decoder,
        };
        plan.each(self.len, self.chances, &mut decoding);
        for (value, &state) in self.values.iter_mut().zip(plan.frame.states()) {
            *value = state.min(UNKNOWN);
        }
    }
}

impl Job<'_> {
    /// Works out which values are stored.
    #[inline(always)]
    fn plan(&self, machine: impl Machine, prevailing: u8) -> Plan {
        let mut crowd = Crowd::new();
        let rows = Rows::new(self.index, self.unit, true);
        Plan::of(rows, self.len, prevailing, |row, from, left| {
            let [jump, threat] = row.captures(from).map(|bits| bits & low_bits(left));
            let mut left = threat;
            while left != 0 {
                let nth = from + left.trailing_zeros() as usize;
                crowd.push(&row.position(machine, nth));
                left &= left - 1;
            }
            [jump, machine.deposit(crowd.at_rest(), threat)]
        })
    }
}

/// The value that prevails in units of a kind.
const fn prevailing(kind: usize) -> u8 {
    (kind / 4) as u8
}

struct Decoding<'a> {
    prevailing: u8,
    decoder: Decoder<'a>,
}

impl Visitor<Chances<'_>> for Decoding<'_> {
    /// By a branch on the value that prevails, the loop over values that are as expected does not
    /// wait for them.
    #[inline(always)]
    fn visit(&mut self, entry: Entry, _: usize) -> u8 {
        if !self.decoder.decode(entry.first_miss()) {
            let likely = entry.likely();
            if likely == self.prevailing {
                return self.prevailing;
            }
            cold_path();
            return likely;
        }
        let is_last = self.decoder.decode(entry.second_miss());
        entry.order()[1 + usize::from(is_last)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::{Placement, Slice};

    /// Values with some regularity, so that neighbours matter.
    fn made_up(placement: &Placement) -> u8 {
        let near = placement.own_kings.0 ^ placement.their_kings.0 ^ placement.own_men.0;
        (near.count_ones() / 2 % 3) as u8
    }

    /// The bytes of a unit whose neighbour has none.
    fn bytes(code: &Code, is_second: bool) -> Vec<u8> {
        let encoder = Some(&code.encoder);
        if is_second {
            Encoder::join(None, encoder)
        } else {
            Encoder::join(encoder, None)
        }
    }

    #[test]
    fn units_come_back() {
        for slice in (2..=4).flat_map(|pieces| Slice::all(pieces, 3)) {
            let index = Index::new(slice);
            let units = index.len().div_ceil(UNIT as u64);
            let mut counts = Counts::default();
            let mut values = [UNKNOWN; UNIT];
            for unit in (0..units).step_by(7) {
                fill(&index, unit, &mut values, |place| {
                    made_up(&index.placement(unit * UNIT as u64 + place as u64))
                });
                count(&index, unit, &values, &mut counts);
            }
            let model = Model::fit(&counts, 1);
            let mut again = [UNKNOWN; UNIT];
            for unit in (0..units).step_by(7) {
                fill(&index, unit, &mut values, |place| {
                    made_up(&index.placement(unit * UNIT as u64 + place as u64))
                });
                let Ok(code) = encode(&index, &model, unit, &values) else {
                    continue;
                };
                let stored = values.map(|state| state.min(UNKNOWN));
                for is_second in [false, true] {
                    let bytes = bytes(&code, is_second);
                    let coded = Coded {
                        kind: code.kind,
                        bytes: &bytes,
                        is_second,
                    };
                    for isa in Isa::available() {
                        let job = Job {
                            index: &index,
                            chances: model.of(code.kind).expect("what was counted"),
                            unit,
                            len: unit_len(&index, unit),
                            coded,
                            values: &mut again,
                        };
                        isa.run(job);
                        assert!(stored == again, "{slice} unit {unit} {isa:?}");
                    }
                }
            }
        }
    }

    /// A model fitted to a sample may be wrong about a unit, but codes it.
    #[test]
    fn every_kind_codes_every_unit() {
        let slice = Slice::all(4, 2)[4];
        let index = Index::new(slice);
        let mut counts = Counts::default();
        let mut values = [UNKNOWN; UNIT];
        for shift in 0..40 {
            fill(&index, 0, &mut values, |place| {
                if place % 41 == shift { 0 } else { 2 }
            });
            count(&index, 0, &values, &mut counts);
        }
        for _ in 0..2 {
            fill(&index, 0, &mut values, |place| {
                (place * place / 7 % 3) as u8
            });
            count(&index, 0, &values, &mut counts);
        }
        let model = Model::fit(&counts, 1);
        let mut again = [UNKNOWN; UNIT];
        for kind in 0..crate::tablebase::model::KINDS {
            let code = encode_as(kind, &index, &model, 0, &values);
            let bytes = bytes(&code, false);
            let coded = Coded {
                kind,
                bytes: &bytes,
                is_second: false,
            };
            decode(&index, &model, 0, UNIT, coded, &mut again);
            assert!(values.map(|state| state.min(UNKNOWN)) == again);
        }
    }

    #[test]
    fn any_bytes_decode_to_something() {
        let slice = Slice::all(4, 2)[4];
        let index = Index::new(slice);
        let model = Model::fit(&Counts::default(), 1);
        let mut values = [UNKNOWN; UNIT];
        for first in 0..=255 {
            let coded = Coded {
                kind: usize::from(first) % crate::tablebase::model::KINDS,
                bytes: &[first, !first, 77],
                is_second: first > 99,
            };
            decode(&index, &model, 0, UNIT, coded, &mut values);
        }
    }
}
