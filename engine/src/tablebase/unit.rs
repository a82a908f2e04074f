//! Units: 4,096 positions that are coded together.
//!
//! A unit whose stored values are all equal has no bytes. Any other is its kind (decisions whether
//! it is the first, the second and so on of the model's kinds) and then the values in order, each
//! coded by what is known nearby (module `model`); positions that [`rest`](super::rest) leaves out
//! are skipped on both sides. Start reading at [`decode`].

use super::coder::{Decoder, Encoder};
use super::index::Index;
use super::model::{CAPTURE, Context, Counts, Model, OUTSIDE, THREAT, UNKNOWN, kind};
use super::run::{Run, Runs};

/// Positions in a unit.
pub const UNIT: usize = 4096;

/// The most bytes that a directory can tell of a unit.
pub(super) const LONGEST: usize = 1013;

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
    fn at(&self, place: usize, back: usize) -> usize {
        usize::from(self.0[(UNIT + place - back) % (2 * UNIT)])
    }

    #[inline(always)]
    fn set(&mut self, place: usize, state: u8) {
        self.0[(UNIT + place) % (2 * UNIT)] = state;
    }

    /// What is known near position `nth` of a run, but for the parity.
    #[inline(always)]
    fn context(&self, run: &Run, nth: u32) -> Context {
        let place = run.at + nth as usize;
        let lowest = run.lowest + nth;
        let look = |back: usize, there: bool| {
            let state = self.at(place, back);
            if there { state } else { usize::from(OUTSIDE) }
        };
        let [second, third, second_by_four] =
            run.near.map(|near| look(near.back, lowest < near.limit));
        Context::new(
            [
                third,
                second,
                second_by_four,
                look(8, lowest >= 8),
                look(4, lowest >= 4),
            ],
            look(1, lowest >= 1),
        )
    }
}

/// Calls `visit` for each stored value of a unit with its context and its place, to learn it.
#[inline(always)]
fn each_stored(
    index: &Index,
    unit: u64,
    len: usize,
    known: Option<&Values>,
    mut visit: impl FnMut(Context, usize) -> u8,
) -> Frame {
    let mut frame = Frame::new();
    let mut same = [0o77_usize; 2];
    let runs = Runs::new(index, unit, known.is_none());
    runs.each(unit * UNIT as u64, len, |run| {
        for nth in 0..run.len {
            let place = run.at + nth as usize;
            let left_out = match known {
                Some(values) if values[place] > OUTSIDE => Some(values[place]),
                Some(_) => None,
                None => left_out(run, nth),
            };
            let state = left_out.unwrap_or_else(|| {
                let same = &mut same[(run.parity >> nth & 1) as usize];
                let value = visit(frame.context(run, nth).with(*same), place);
                *same = (*same << 2 | usize::from(value)) & 0o77;
                value
            });
            frame.set(place, state);
        }
    });
    frame
}

/// The state of a position whose value is not stored.
#[inline(always)]
fn left_out(run: &Run, nth: u32) -> Option<u8> {
    if run.jump >> nth & 1 != 0 {
        Some(CAPTURE)
    } else if run.threat >> nth & 1 != 0 && run.is_at_rest(nth) {
        Some(THREAT)
    } else {
        None
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
    values.fill(OUTSIDE);
    let runs = Runs::new(index, unit, true);
    runs.each(unit * UNIT as u64, unit_len(index, unit), |run| {
        for nth in 0..run.len {
            let place = run.at + nth as usize;
            values[place] = left_out(run, nth).unwrap_or_else(|| value(place));
        }
    });
}

/// What a unit's values are like; `Err` with the value when all are the same.
///
/// # Errors
///
/// The common value of all stored positions; a loss if there is none.
pub fn unit_kind(values: &Values) -> Result<usize, u8> {
    let mut tally = [0; 8];
    for &value in values {
        tally[usize::from(value % 8)] += 1;
    }
    let [loss, draw, win, ..] = tally;
    kind([loss, draw, win]).ok_or(if win > 0 { 2 } else { u8::from(draw > 0) })
}

/// Adds the values of a unit to the counts from which a model is fitted.
pub fn count(index: &Index, unit: u64, values: &Values, counts: &mut Counts) {
    if let Ok(kind) = unit_kind(values) {
        counts.add_unit(kind);
        each_stored(
            index,
            unit,
            unit_len(index, unit),
            Some(values),
            |context, place| {
                counts.add(kind, context, values[place]);
                values[place]
            },
        );
    }
}

/// The bytes of a unit; `Err` with the value of all positions when it needs none.
///
/// # Errors
///
/// As [`unit_kind`].
pub fn encode(index: &Index, model: &Model, unit: u64, values: &Values) -> Result<Vec<u8>, u8> {
    let kind = unit_kind(values)?;
    let coded = encode_as(kind, index, model, unit, values);
    if coded.len() <= LONGEST {
        return Ok(coded);
    }
    // A model fitted to a sample may be wrong about a rare unit; another kind may suit it better.
    let kinds = model.kinds().map(|(kind, _)| kind);
    let others = kinds.map(|kind| encode_as(kind, index, model, unit, values));
    Ok(others.min_by_key(Vec::len).unwrap_or(coded))
}

fn encode_as(kind: usize, index: &Index, model: &Model, unit: u64, values: &Values) -> Vec<u8> {
    let mut encoder = Encoder::new();
    encode_kind(model, kind, &mut encoder);
    let len = unit_len(index, unit);
    each_stored(index, unit, len, Some(values), |context, place| {
        let value = values[place];
        let (order, [first, second]) = model.odds(kind, context);
        encoder.encode(value != order[0], first);
        if value != order[0] {
            encoder.encode(value != order[1], second);
        }
        value
    });
    encoder.finish()
}

fn encode_kind(model: &Model, kind: usize, encoder: &mut Encoder) {
    let last = model.kinds().len().saturating_sub(1);
    for (candidate, later) in model.kinds().take(last) {
        encoder.encode(candidate != kind, later);
        if candidate == kind {
            break;
        }
    }
}

fn decode_kind(model: &Model, decoder: &mut Decoder<'_>) -> usize {
    let last = model.kinds().len().saturating_sub(1);
    let found = model
        .kinds()
        .enumerate()
        .find(|&(nth, (_, later))| nth == last || !decoder.decode(later));
    found.map_or(0, |(_, (kind, _))| kind)
}

/// Decodes the first `len` values of a unit from its bytes; the others, and those that are not
/// stored, are [`UNKNOWN`].
///
/// Bytes that were not written by [`encode`] give values without meaning, never a panic.
pub fn decode(
    index: &Index,
    model: &Model,
    unit: u64,
    len: usize,
    bytes: &[u8],
    values: &mut Values,
) {
    let mut decoder = Decoder::new(bytes);
    let kind = decode_kind(model, &mut decoder);
    let len = len.min(unit_len(index, unit));
    let frame = each_stored(index, unit, len, None, |context, _| {
        let (order, [first, second]) = model.odds(kind, context);
        if !decoder.decode(first) {
            order[0]
        } else if !decoder.decode(second) {
            order[1]
        } else {
            order[2]
        }
    });
    for (value, &state) in values.iter_mut().zip(&frame.0[UNIT..]) {
        *value = state.min(UNKNOWN);
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
                let Ok(bytes) = encode(&index, &model, unit, &values) else {
                    continue;
                };
                decode(&index, &model, unit, UNIT, &bytes, &mut again);
                let stored = values.map(|state| state.min(UNKNOWN));
                assert!(stored == again, "{slice} unit {unit}");
            }
        }
    }

    /// Any kind codes any unit, so that there is always one that fits.
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
        let coded = encode(&index, &model, 0, &values).expect("a mixed unit");
        assert!(coded.len() <= LONGEST);
        let mut again = [UNKNOWN; UNIT];
        decode(&index, &model, 0, UNIT, &coded, &mut again);
        assert!(values.map(|state| state.min(UNKNOWN)) == again);
        let all = (0..crate::tablebase::model::KINDS)
            .filter(|&kind| model.kinds().any(|(it, _)| it == kind))
            .map(|kind| encode_as(kind, &index, &model, 0, &values));
        for coded in all {
            decode(&index, &model, 0, UNIT, &coded, &mut again);
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
            decode(&index, &model, 0, UNIT, &[first, !first, 77], &mut values);
        }
    }
}
