//! Units: 4,096 positions that are coded together.
//!
//! A unit whose stored values are all equal has no bytes. Any other is its kind (decisions whether
//! it is the first, the second and so on of the model's kinds) and then the values in order, each
//! coded by what is known nearby; positions that [`rest`] leaves out are skipped on both sides. Start
//! reading at [`decode`].

use super::coder::{Decoder, Encoder};
use super::index::{Index, choose};
use super::model::{Counts, Model, UNKNOWN, kind};
use super::rest;
use super::walk::Walk;
use crate::board::{Bitboard, regions};

/// Positions in a unit.
pub const UNIT: usize = 4096;

/// The values of a unit, or [`UNKNOWN`] where none is stored.
pub type Values = [u8; UNIT];

/// A piece whose last step down is a neighbour: which digit, which piece in it, and how many
/// positions one step of the digit's lowest piece passes over.
type Movable = (usize, u32, u64);

/// What is known of the values before the current one.
struct Nearby {
    /// The last three values of each parity, two bits each, the latest lowest.
    same: [usize; 2],
    last: usize,
    /// The second and the third piece that turns.
    movable: [Option<Movable>; 2],
}

impl Nearby {
    fn new(index: &Index) -> Self {
        let slice = index.slice();
        let men = if slice.own.men == 0 {
            slice.their.men
        } else {
            slice.own.men
        };
        let counts = [slice.own.kings, slice.their.kings, men];
        let strides = [1, index.row_len(), index.block_len()];
        let mut movable = (0..3)
            .flat_map(|digit| (0..counts[digit]).map(move |nth| (digit, nth, strides[digit])))
            .skip(1);
        Self {
            same: [0o77; 2],
            last: usize::from(UNKNOWN),
            movable: [movable.next(), movable.next()],
        }
    }

    #[inline]
    fn context(&self, values: &Values, at: usize, walk: &Walk, parity: usize) -> usize {
        let same = self.same[parity];
        let lower =
            |movable: Option<Movable>| movable.map_or(UNKNOWN, |it| lower(values, at, walk, it));
        let [second, third] = self.movable.map(lower).map(usize::from);
        same & 15 | self.last << 4 | (same & 48) << 2 | second << 8 | third << 10
    }

    #[inline]
    fn note(&mut self, parity: usize, value: u8) {
        self.last = usize::from(value);
        self.same[parity] = (self.same[parity] << 2 | self.last) & 63;
    }
}

/// The value where one piece stands one square lower, if it can and is in this unit.
#[inline]
fn lower(values: &Values, at: usize, walk: &Walk, (digit, nth, stride): Movable) -> u8 {
    let set = walk.digits()[digit].0;
    let from_nth = (0..nth).fold(set, |set, _| set & set.wrapping_sub(1));
    let square = from_nth.trailing_zeros();
    if square == 0 || set >> (square - 1) & 1 != 0 {
        return UNKNOWN;
    }
    let back = stride * choose(square - 1, nth);
    match (at as u64).checked_sub(back) {
        Some(earlier) => values[earlier as usize],
        None => UNKNOWN,
    }
}

/// The parity of the sum of rows, up to a constant of the slice.
#[inline]
fn parity(walk: &Walk) -> usize {
    let placement = walk.placement();
    let sets = [
        placement.own_men,
        placement.own_kings,
        placement.their_men,
        placement.their_kings,
    ];
    let sum = sets.into_iter().fold(0, |sum, set: Bitboard| {
        sum ^ (set & regions::ODD_ROWS).len()
    });
    (sum & 1) as usize
}

/// Calls `visit` for each stored value of a unit with its context and its place.
fn each_stored(index: &Index, unit: u64, values: &Values, mut visit: impl FnMut(usize, u8)) {
    let mut walk = Walk::new(index, unit * UNIT as u64);
    let mut nearby = Nearby::new(index);
    for (at, &value) in values.iter().enumerate() {
        if value != UNKNOWN {
            let parity = parity(&walk);
            visit(nearby.context(values, at, &walk, parity), value);
            nearby.note(parity, value);
        }
        walk.advance();
    }
}

/// How many positions unit `unit` of a slice has: all have [`UNIT`] but the last.
#[must_use]
pub fn unit_len(index: &Index, unit: u64) -> usize {
    (index.len() - unit * UNIT as u64).min(UNIT as u64) as usize
}

/// Fills a unit with the values that are stored, asking `value` for each (0 loss, 1 draw, 2 win).
pub fn fill(index: &Index, unit: u64, values: &mut Values, mut value: impl FnMut(&Walk) -> u8) {
    values.fill(UNKNOWN);
    let mut walk = Walk::new(index, unit * UNIT as u64);
    for slot in &mut values[..unit_len(index, unit)] {
        if !rest::is_left_out(&walk.position()) {
            *slot = value(&walk);
        }
        walk.advance();
    }
}

/// What a unit's values are like; `Err` with the value when all are the same.
///
/// # Errors
///
/// The common value of all stored positions; a loss if there is none.
pub fn unit_kind(values: &Values) -> Result<usize, u8> {
    let mut tally = [0; 4];
    for &value in values {
        tally[usize::from(value)] += 1;
    }
    let [loss, draw, win, _] = tally;
    kind([loss, draw, win]).ok_or(if win > 0 { 2 } else { u8::from(draw > 0) })
}

/// Adds the values of a unit to the counts from which a model is fitted.
pub fn count(index: &Index, unit: u64, values: &Values, counts: &mut Counts) {
    if let Ok(kind) = unit_kind(values) {
        counts.add_unit(kind);
        each_stored(index, unit, values, |context, value| {
            counts.add(kind, context, value);
        });
    }
}

/// The bytes of a unit; `Err` with the value of all positions when it needs none.
///
/// # Errors
///
/// As [`unit_kind`].
pub fn encode(index: &Index, model: &Model, unit: u64, values: &Values) -> Result<Vec<u8>, u8> {
    let kind = unit_kind(values)?;
    let mut encoder = Encoder::new();
    encode_kind(model, kind, &mut encoder);
    each_stored(index, unit, values, |context, value| {
        let (order, [first, second]) = model.odds(kind, context);
        encoder.encode(value != order[0], first);
        if value != order[0] {
            encoder.encode(value != order[1], second);
        }
    });
    Ok(encoder.finish())
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

/// Decodes the first `len` values of a unit from its bytes.
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
    values.fill(UNKNOWN);
    let mut decoder = Decoder::new(bytes);
    let kind = decode_kind(model, &mut decoder);
    let mut walk = Walk::new(index, unit * UNIT as u64);
    let mut nearby = Nearby::new(index);
    for at in 0..len.min(unit_len(index, unit)) {
        if !rest::is_left_out(&walk.position()) {
            let parity = parity(&walk);
            let (order, [first, second]) =
                model.odds(kind, nearby.context(values, at, &walk, parity));
            let place = if !decoder.decode(first) {
                0
            } else if !decoder.decode(second) {
                1
            } else {
                2
            };
            values[at] = order[place];
            nearby.note(parity, order[place]);
        }
        walk.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::Slice;

    /// Values with some regularity, so that neighbours matter.
    fn made_up(walk: &Walk) -> u8 {
        let placement = walk.placement();
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
                fill(&index, unit, &mut values, made_up);
                count(&index, unit, &values, &mut counts);
            }
            let model = Model::fit(&counts);
            let mut again = [UNKNOWN; UNIT];
            for unit in (0..units).step_by(7) {
                fill(&index, unit, &mut values, made_up);
                let Ok(bytes) = encode(&index, &model, unit, &values) else {
                    continue;
                };
                decode(&index, &model, unit, UNIT, &bytes, &mut again);
                assert!(values == again, "{slice} unit {unit}");
            }
        }
    }

    #[test]
    fn any_bytes_decode_to_something() {
        let slice = Slice::all(4, 2)[4];
        let index = Index::new(slice);
        let model = Model::fit(&Counts::default());
        let mut values = [UNKNOWN; UNIT];
        for first in 0..=255 {
            decode(&index, &model, 0, UNIT, &[first, !first, 77], &mut values);
        }
    }
}
