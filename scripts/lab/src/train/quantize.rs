//! From floating point to the engine's file and back; its layout is told in
//! `engine::eval::network`.

use std::ops::Range;

use engine::eval::network::{BYTES, HEADS, NetError, Numbers};

use super::chances::Curve;
use super::model::{Model, Shape};

/// 1 in a file (see the fixed point in `engine::eval::network`), of sums and values.
const ONE_VALUE: f32 = 127.0;
/// 1 of the weights of products.
const ONE_WEIGHT: f32 = 64.0;
/// 1 of the score, which the last product gives.
const ONE_LAST: f64 = 4096.0;
/// The largest weight of a product in a file.
const MOST_WEIGHT: f32 = 127.0;

/// The file of `model`, whose output times `scale` is the score in hundredths of a man; `curve`
/// tells what scores mean.
#[must_use]
pub fn file(model: &Model, scale: f32, curve: Curve) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BYTES);
    bytes.extend(b"CHNET\0\0\x01");
    bytes.extend(curve.even.to_le_bytes());
    bytes.extend(curve.slope.to_le_bytes());
    let data = &model.0;
    for weight in data[Shape::BIAS].iter().chain(&data[Shape::ROWS]) {
        bytes.extend(((weight * ONE_VALUE).round() as i16).to_le_bytes());
    }
    let byte = |weight: &f32| {
        let weight = (weight * ONE_WEIGHT).round();
        weight.clamp(-MOST_WEIGHT, MOST_WEIGHT) as i8 as u8
    };
    // Half a unit more, as the engine rounds down.
    let bias = |weight: &f32| ((weight * ONE_WEIGHT * ONE_VALUE).round() as i32 + 32).to_le_bytes();
    for head in 0..HEADS {
        bytes.extend(data[Shape::first_bias(head)].iter().flat_map(bias));
        bytes.extend(data[Shape::first(head)].iter().map(byte));
        bytes.extend(data[Shape::second_bias(head)].iter().flat_map(bias));
        bytes.extend(data[Shape::second(head)].iter().map(byte));
        let fine = f64::from(scale) * ONE_LAST;
        let last_bias = f64::from(data[Shape::last_bias(head)]) * fine;
        bytes.extend((last_bias.round() as i32).to_le_bytes());
        for weight in &data[Shape::last(head)] {
            bytes.extend(
                ((f64::from(*weight) * fine / f64::from(ONE_VALUE)).round() as i32).to_le_bytes(),
            );
        }
    }
    let check = crc32fast::hash(&bytes);
    bytes.extend(check.to_le_bytes());
    bytes
}

/// Makes `to` what is left of `model` in a file, but for the last product, whose numbers are fine
/// enough: the network to measure, and to take the gradient of, while `model` itself moves by less
/// than a file can tell.
pub fn round_into(model: &Model, to: &mut Model) {
    to.0.copy_from_slice(&model.0);
    let mut round = |range: Range<usize>, one: f32, most: f32| {
        for weight in &mut to.0[range] {
            *weight = (*weight * one).round().clamp(-most, most) / one;
        }
    };
    round(Shape::BIAS, ONE_VALUE, f32::from(i16::MAX));
    round(Shape::ROWS, ONE_VALUE, f32::from(i16::MAX));
    for head in 0..HEADS {
        round(Shape::first(head), ONE_WEIGHT, MOST_WEIGHT);
        round(Shape::second(head), ONE_WEIGHT, MOST_WEIGHT);
    }
}

/// The model whose [`file()`] is `bytes`, with the same `scale`: what rounding took is lost, and
/// nothing else.
///
/// # Errors
///
/// [`NetError`] if `bytes` are no network.
pub fn model(bytes: &[u8], scale: f32) -> Result<Model, NetError> {
    let mut numbers = Numbers::of(bytes)?;
    // What scores mean follows from the games, not from the model.
    let _curve = [numbers.u32(), numbers.u32()];
    let mut model = Model::zero();
    let data = &mut model.0;
    for range in [Shape::BIAS, Shape::ROWS] {
        data[range].fill_with(|| f32::from(numbers.i16()) / ONE_VALUE);
    }
    let fine = f64::from(scale) * ONE_LAST;
    let one_bias = f64::from(ONE_WEIGHT * ONE_VALUE);
    for head in 0..HEADS {
        for (biases, weights) in [
            (Shape::first_bias(head), Shape::first(head)),
            (Shape::second_bias(head), Shape::second(head)),
        ] {
            data[biases].fill_with(|| ((f64::from(numbers.i32()) - 32.0) / one_bias) as f32);
            data[weights].fill_with(|| f32::from(numbers.i8()) / ONE_WEIGHT);
        }
        data[Shape::last_bias(head)] = (f64::from(numbers.i32()) / fine) as f32;
        data[Shape::last(head)]
            .fill_with(|| (f64::from(numbers.i32()) * f64::from(ONE_VALUE) / fine) as f32);
    }
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening;
    use crate::train::samples::Sample;
    use engine::eval::Evaluator;
    use engine::eval::network::Network;
    use engine::score::Score;

    #[test]
    fn the_engine_reads_what_is_written() {
        let curve = Curve {
            even: 250,
            slope: 90,
        };
        let bytes = file(&Model::random(1), 120.0, curve);
        assert_eq!(bytes.len(), BYTES);
        let network = Network::read(&bytes).expect("a network");
        assert_eq!(network.chances(Score(250)).win, 0.5);
    }

    #[test]
    fn a_network_read_and_written_again_is_the_same_file() {
        let shipped = include_bytes!("../../../../engine/nets/crownhead.net");
        let word = |at| u32::from_le_bytes(*shipped[at..].first_chunk().expect("four bytes"));
        let curve = Curve {
            even: word(8),
            slope: word(12),
        };
        for scale in [60.0, 150.0] {
            let read = model(shipped, scale).expect("a network");
            assert!(file(&read, scale, curve) == shipped, "scale {scale}");
        }
        assert_eq!(model(&shipped[1..], 150.0).err(), Some(NetError::Magic));
    }

    #[test]
    fn rounding_takes_what_writing_takes() {
        let curve = Curve {
            even: 250,
            slope: 90,
        };
        let model = Model::random(1);
        let mut rounded = Model::zero();
        round_into(&model, &mut rounded);
        assert!(file(&rounded, 120.0, curve) == file(&model, 120.0, curve));
        assert_ne!(rounded.0[Shape::ROWS], model.0[Shape::ROWS]);
        let mut again = Model::zero();
        round_into(&rounded, &mut again);
        assert!(again.0 == rounded.0);
    }

    #[test]
    fn the_model_values_positions_as_the_engine_does() {
        let network = Network::shipped();
        let mut evaluator = Evaluator::new(network);
        let shipped = include_bytes!("../../../../engine/nets/crownhead.net");
        let read = model(shipped, 100.0).expect("a network");
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..50 {
            let Some(game) = opening::random(&mut rng) else {
                continue;
            };
            let position = game.position();
            let exact = f32::from(evaluator.evaluate_alone(&position).0);
            let value = 100.0 * read.output(&Sample::of(&position, 0.5));
            // The engine rounds down what it multiplies.
            let error = (value - exact).abs();
            assert!(error < 6.0 + exact.abs() / 20.0, "{value} for {exact}");
        }
    }
}
