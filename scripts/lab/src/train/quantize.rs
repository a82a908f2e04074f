//! From floating point to the engine's file; its layout is told in `engine::eval::network`.

use engine::eval::network::{BYTES, HEADS};

use super::chances::Curve;
use super::model::{Model, Shape};

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
        bytes.extend(((weight * 127.0).round() as i16).to_le_bytes());
    }
    let byte = |weight: &f32| (weight * 64.0).round().clamp(-127.0, 127.0) as i8 as u8;
    // Half a unit more, as the engine rounds down.
    let bias = |weight: &f32| ((weight * 64.0 * 127.0).round() as i32 + 32).to_le_bytes();
    for head in 0..HEADS {
        bytes.extend(data[Shape::first_bias(head)].iter().flat_map(bias));
        bytes.extend(data[Shape::first(head)].iter().map(byte));
        bytes.extend(data[Shape::second_bias(head)].iter().flat_map(bias));
        bytes.extend(data[Shape::second(head)].iter().map(byte));
        let fine = f64::from(scale) * 4096.0;
        let last_bias = f64::from(data[Shape::last_bias(head)]) * fine;
        bytes.extend((last_bias.round() as i32).to_le_bytes());
        for weight in &data[Shape::last(head)] {
            bytes.extend(((f64::from(*weight) * fine / 127.0).round() as i32).to_le_bytes());
        }
    }
    let check = crc32fast::hash(&bytes);
    bytes.extend(check.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
