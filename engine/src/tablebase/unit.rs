//! Units: 4,096 positions that are coded together.
//!
//! A unit whose stored values are all equal has no bytes. Any other has a kind, and its values are
//! coded in order, each by what is known nearby (module `model`); positions that [`rest`] leaves
//! out are skipped on both sides. Two units share a run of bytes, the second is read backwards
//! from its end. Start reading at [`decode`].

use super::coder::{Decoder, Encoder};
use super::entry::Tally;
use super::index::Index;
use super::model::{CAPTURE, Context, Counts, Model, OUTSIDE, THREAT, UNKNOWN, kind};
use super::rest::{self, Crowd};
use super::row::{Backs, Row, Rows};
use crate::rules::Position;

/// Positions in a unit.
pub const UNIT: usize = 4096;

/// The states of a unit: the values 0 to 2, or why none is stored ([`OUTSIDE`], [`THREAT`],
/// [`CAPTURE`]).
pub type Values = [u8; UNIT];

/// The states of a unit behind as many that are outside, so that every neighbour has a place.
struct Frame([u8; 2 * UNIT]);

impl Frame {
    const fn new() -> Self {
        Self([OUTSIDE; 2 * UNIT])
    }

    #[inline(always)]
    fn at(&self, place: usize, back: u16) -> usize {
        usize::from(self.0[(UNIT + place).wrapping_sub(back.into()) % (2 * UNIT)])
    }

    #[inline(always)]
    fn set(&mut self, place: usize, state: u8) {
        self.0[(UNIT + place) % (2 * UNIT)] = state;
    }

    /// The states of the neighbours of a position, but for the nearest. A neighbour that is not
    /// there is 0 positions back, where the position itself is still outside.
    #[inline(always)]
    fn neighbours(&self, place: usize, backs: Backs, near: [u16; 3]) -> [usize; 5] {
        let [third, second, second_by_three, three, four, _] = backs;
        [
            self.at(place, third | near[0]),
            self.at(place, second | near[1]),
            self.at(place, three),
            self.at(place, second_by_three | near[2]),
            self.at(place, four),
        ]
    }

    /// Notes up to 64 positions that are not stored.
    #[inline(always)]
    fn leave_out(&mut self, place: usize, len: usize, jump: u64, at_rest: u64) {
        let outside = u64::from_le_bytes([OUTSIDE; 8]);
        for from in (0..len).step_by(8) {
            let states = outside + 2 * spread(jump >> from) + spread(at_rest >> from);
            let start = UNIT + place + from;
            let end = (start + 8).min(2 * UNIT);
            if let Some(into) = self.0.get_mut(start..end) {
                into.copy_from_slice(&states.to_le_bytes()[..end - start]);
            }
        }
    }
}

/// The low eight bits, each in a byte of its own.
#[inline(always)]
const fn spread(bits: u64) -> u64 {
    let each = ((bits & 0xFF) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((each + 0x7F7F_7F7F_7F7F_7F7F) >> 7) & 0x0101_0101_0101_0101
}

/// The lowest `len` bits, up to 64.
#[inline(always)]
const fn low_bits(len: usize) -> u64 {
    if len >= 64 { u64::MAX } else { (1 << len) - 1 }
}

/// Which of up to 64 positions are stored, by their states.
#[inline(always)]
fn are_stored(states: &[u8]) -> u64 {
    states.chunks(8).rev().fold(0, |bits, states| {
        let mut eight = [THREAT; 8];
        eight[..states.len()].copy_from_slice(states);
        // The states of what is not stored have bit 2.
        let stored = !(u64::from_le_bytes(eight) >> 2) & 0x0101_0101_0101_0101;
        bits << 8 | stored.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// What was known last: the last three values of either parity, and where the next position is if
/// it follows the one whose value was last. All of it stays in registers, as does what is made of
/// it, so that the next value need not wait for memory: 1.4 times as fast as from an array.
struct Lately {
    even: usize,
    odd: usize,
    next: usize,
    last: u8,
}

impl Lately {
    const fn new() -> Self {
        Self {
            even: 0o77,
            odd: 0o77,
            next: usize::MAX,
            last: OUTSIDE,
        }
    }

    /// The values of one parity, told by a mask.
    #[inline(always)]
    const fn same(&self, odd: usize) -> usize {
        self.even & !odd | self.odd & odd
    }

    #[inline(always)]
    const fn note(&mut self, odd: usize, place: usize, value: u8) {
        let same = (self.same(odd) << 2 | value as usize) & 0o77;
        self.even = self.even & odd | same & !odd;
        self.odd = self.odd & !odd | same & odd;
        self.next = place + 1;
        self.last = value;
    }
}

/// Calls `visit` for each of the positions `stored` from `from` on in a row, with its context and
/// its place, to learn the value.
#[inline(always)]
fn each_stored(
    frame: &mut Frame,
    lately: &mut Lately,
    row: &Row,
    from: usize,
    mut stored: u64,
    mut visit: impl FnMut(Context, usize) -> u8,
) {
    let parity = row.parity(from);
    let (near, backs) = (row.near(), &row.backs()[from..]);
    while stored != 0 {
        let nth = stored.trailing_zeros() as usize;
        stored &= stored - 1;
        let place = row.at + from + nth;
        let odd = 0_usize.wrapping_sub((parity >> nth & 1) as usize);
        let backs = backs[nth];
        // By a mask: whether the position before is stored cannot be guessed.
        let follows = 0_usize.wrapping_sub((place == lately.next && backs[5] == 1).into());
        let last = usize::from(lately.last);
        let lower = last & follows | frame.at(place, backs[5]) & !follows;
        let context = Context::new(frame.neighbours(place, backs, near), lower);
        let value = visit(context.with(lately.same(odd)), place);
        lately.note(odd, place, value);
        frame.set(place, value);
    }
}

/// Goes through the stored values of a unit that are known.
#[inline(always)]
fn each_known(index: &Index, unit: u64, values: &Values, mut visit: impl FnMut(Context, u8)) {
    let mut frame = Frame::new();
    for (state, &value) in frame.0[UNIT..].iter_mut().zip(values) {
        *state = value.max(OUTSIDE);
    }
    let mut lately = Lately::new();
    Rows::new(index, unit, false).each(unit_len(index, unit), |row| {
        for from in (0..row.len).step_by(64) {
            let states = &values[row.at + from..][..(row.len - from).min(64)];
            let stored = are_stored(states);
            each_stored(
                &mut frame,
                &mut lately,
                row,
                from,
                stored,
                |context, place| {
                    visit(context, values[place]);
                    values[place]
                },
            );
        }
    });
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
fn window(words: &[u64], at: usize) -> u64 {
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
                threats.push((place + nth, row.position(from + nth)));
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
        each_known(index, unit, values, |context, value| {
            counts.add(kind, context, value);
        });
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
    let mut encoder = Encoder::new();
    each_known(index, unit, values, |context, value| {
        let entry = model.entry(kind, context);
        let is_miss = value != entry.likely();
        encoder.encode(is_miss, entry.first_miss());
        if is_miss {
            encoder.encode(value != entry.order()[1], entry.second_miss());
        }
    });
    Code { kind, encoder }
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
    let kind = coded.kind;
    let mut decoder = if coded.is_second {
        Decoder::backwards(coded.bytes)
    } else {
        Decoder::new(coded.bytes)
    };
    // The next entry is found by the value of this one, and most entries have to come from far
    // away. By a branch on the value that prevails the processor goes on before they are there.
    let prevailing = (kind / 4) as u8;
    let guessed = std::hint::black_box(prevailing);
    let len = len.min(unit_len(index, unit));
    let (mut frame, mut lately, mut crowd) = (Frame::new(), Lately::new(), Crowd::new());
    Rows::new(index, unit, true).each(len, |row| {
        for from in (0..row.len).step_by(64) {
            let left = (row.len - from).min(64);
            let [jump, threat] = row.captures(from).map(|bits| bits & low_bits(left));
            let at_rest = at_rest(&mut crowd, row, from, threat);
            frame.leave_out(row.at + from, left, jump, at_rest);
            let stored = low_bits(left) & !(jump | at_rest);
            each_stored(&mut frame, &mut lately, row, from, stored, |context, _| {
                let entry = model.entry(kind, context);
                if !decoder.decode(entry.first_miss()) {
                    let likely = entry.likely();
                    return if likely == prevailing {
                        guessed
                    } else {
                        as_it_is(likely)
                    };
                }
                let is_last = decoder.decode(entry.second_miss());
                entry.order()[1 + usize::from(is_last)]
            });
        }
    });
    for (value, &state) in values.iter_mut().zip(&frame.0[UNIT..]) {
        *value = state.min(UNKNOWN);
    }
}

/// A value that is not the one to guess.
#[cold]
#[inline(never)]
const fn as_it_is(value: u8) -> u8 {
    value
}

/// Those of the threats from `from` on that need no stored value; `crowd` is empty.
#[inline(always)]
fn at_rest(crowd: &mut Crowd, row: &Row, from: usize, threat: u64) -> u64 {
    let mut left = threat;
    while left != 0 {
        crowd.push(&row.position(from + left.trailing_zeros() as usize));
        left &= left - 1;
    }
    let (mut rest, mut found, mut left) = (crowd.at_rest(), 0, threat);
    while left != 0 {
        found |= (left & left.wrapping_neg()) * (rest & 1);
        rest >>= 1;
        left &= left - 1;
    }
    found
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
                    decode(&index, &model, unit, UNIT, coded, &mut again);
                    assert!(stored == again, "{slice} unit {unit}");
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
