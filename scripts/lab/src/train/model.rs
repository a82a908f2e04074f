//! The network in floating point: parameters, value and gradient.
//!
//! The same shape as the engine's (`engine::eval::network`), with 1.0 where that has 127 or 64.
//! All parameters lie in one vector, so that gradients are added and descended along without
//! knowing what they are; [`Shape`] says where each begins.

use engine::eval::features::{FEATURES, turned};
use engine::eval::network::{FIRST, HEADS, SECOND, SUMS, VALUES, head};

use super::samples::Sample;

/// A product of two values of 127 is cut to 126 by the engine: 127 * 127 / 128.
const PRODUCT: f32 = 127.0 / 128.0;

/// Where the parameters of the heads begin.
const ROWS: usize = SUMS;
const HEADS_AT: usize = ROWS + FEATURES * SUMS;
const FIRST_BIAS: usize = 2 * VALUES * FIRST;
const SECOND_AT: usize = FIRST_BIAS + FIRST;
const SECOND_BIAS: usize = SECOND_AT + FIRST * SECOND;
const LAST: usize = SECOND_BIAS + SECOND;
const LAST_BIAS: usize = LAST + SECOND;
/// Parameters of a head.
const HEAD: usize = LAST_BIAS + 1;
/// Parameters in all.
pub const PARAMETERS: usize = HEADS_AT + HEADS * HEAD;

/// The parameters, or a gradient by them.
#[derive(Clone, Debug)]
pub struct Model(pub Vec<f32>);

/// Parts of a [`Model`] by name.
pub struct Shape;

impl Shape {
    /// Biases of the sums.
    pub const BIAS: std::ops::Range<usize> = 0..SUMS;
    /// Weights by feature, then sum.
    pub const ROWS: std::ops::Range<usize> = ROWS..HEADS_AT;

    /// Weights of the first product by input, then result.
    #[must_use]
    pub const fn first(head: usize) -> std::ops::Range<usize> {
        let at = HEADS_AT + head * HEAD;
        at..at + FIRST_BIAS
    }

    /// Its biases.
    #[must_use]
    pub const fn first_bias(head: usize) -> std::ops::Range<usize> {
        let at = HEADS_AT + head * HEAD;
        at + FIRST_BIAS..at + SECOND_AT
    }

    /// Weights of the second product by input, then result.
    #[must_use]
    pub const fn second(head: usize) -> std::ops::Range<usize> {
        let at = HEADS_AT + head * HEAD;
        at + SECOND_AT..at + SECOND_BIAS
    }

    /// Its biases.
    #[must_use]
    pub const fn second_bias(head: usize) -> std::ops::Range<usize> {
        let at = HEADS_AT + head * HEAD;
        at + SECOND_BIAS..at + LAST
    }

    /// Weights of the last product.
    #[must_use]
    pub const fn last(head: usize) -> std::ops::Range<usize> {
        let at = HEADS_AT + head * HEAD;
        at + LAST..at + LAST_BIAS
    }

    /// Its bias.
    #[must_use]
    pub const fn last_bias(head: usize) -> usize {
        HEADS_AT + head * HEAD + LAST_BIAS
    }
}

/// The values inside the network for one position.
struct Pass {
    features: [[u8; 24]; 2],
    pieces: usize,
    sums: [[f32; SUMS]; 2],
    values: [[f32; VALUES]; 2],
    first: [f32; FIRST],
    second: [f32; SECOND],
    output: f32,
}

fn cut(value: f32) -> f32 {
    value.clamp(0.0, 1.0)
}

fn is_inside(value: f32) -> bool {
    value > 0.0 && value < 1.0
}

/// 1 where a value is not cut: the slope of [`cut`].
fn inside(value: f32) -> f32 {
    f32::from(u8::from(is_inside(value)))
}

/// `to += from * factor`, lane by lane.
#[inline(always)]
fn add<const N: usize>(to: &mut [f32; N], from: &[f32; N], factor: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += *from * factor;
    }
}

#[inline(always)]
fn dot<const N: usize>(one: &[f32; N], other: &[f32; N]) -> f32 {
    let mut lanes = [0.0; 16];
    for at in (0..N).step_by(16) {
        for lane in 0..16 {
            lanes[lane] += one[at + lane] * other[at + lane];
        }
    }
    // Halves are added to halves: a sum in order would wait for each addition.
    let mut width = 8;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn part<const N: usize>(data: &[f32], at: usize) -> &[f32; N] {
    data[at..].first_chunk().expect("the part is inside")
}

#[inline(always)]
fn part_mut<const N: usize>(data: &mut [f32], at: usize) -> &mut [f32; N] {
    data[at..].first_chunk_mut().expect("the part is inside")
}

impl Model {
    /// All zeros: a gradient before anything was added.
    #[must_use]
    pub fn zero() -> Self {
        Self(vec![0.0; PARAMETERS])
    }

    /// Small random weights, so that signals keep their size from layer to layer.
    #[must_use]
    pub fn random(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut model = Self::zero();
        let mut fill = |range: std::ops::Range<usize>, size: f32| {
            for weight in &mut model.0[range] {
                *weight = (rng.f32() * 2.0 - 1.0) * size;
            }
        };
        fill(Shape::ROWS, 0.3);
        for head in 0..HEADS {
            fill(Shape::first(head), 0.15);
            fill(Shape::second(head), 0.35);
            fill(Shape::last(head), 0.3);
        }
        model.0[Shape::BIAS].fill(0.4);
        for head in 0..HEADS {
            model.0[Shape::first_bias(head)].fill(0.2);
            model.0[Shape::second_bias(head)].fill(0.2);
        }
        model
    }

    /// The logit of the expected result for the side to move.
    #[must_use]
    pub fn output(&self, sample: &Sample) -> f32 {
        self.pass(sample).output
    }

    #[inline]
    fn pass(&self, sample: &Sample) -> Pass {
        let (features, pieces) = sample.features();
        let mut pass = Pass {
            features,
            pieces,
            sums: [*part(&self.0, 0); 2],
            values: [[0.0; VALUES]; 2],
            first: [0.0; FIRST],
            second: [0.0; SECOND],
            output: 0.0,
        };
        let at = HEADS_AT + head(pieces) * HEAD;
        pass.first = *part(&self.0, at + FIRST_BIAS);
        for view in 0..2 {
            for &feature in &pass.features[view][..pieces] {
                let row = part(&self.0, ROWS + usize::from(feature) * SUMS);
                add(&mut pass.sums[view], row, 1.0);
            }
            for value in 0..VALUES {
                let (one, other) = (pass.sums[view][value], pass.sums[view][value + VALUES]);
                pass.values[view][value] = cut(one) * cut(other) * PRODUCT;
            }
            for value in 0..VALUES {
                let row = part(&self.0, at + (view * VALUES + value) * FIRST);
                add(&mut pass.first, row, pass.values[view][value]);
            }
        }
        pass.second = *part(&self.0, at + SECOND_BIAS);
        for input in 0..FIRST {
            let factor = cut(pass.first[input]);
            let row = part(&self.0, at + SECOND_AT + input * SECOND);
            add(&mut pass.second, row, factor);
        }
        let last: &[f32; SECOND] = part(&self.0, at + LAST);
        pass.output = self.0[at + LAST_BIAS] + dot(&pass.second.map(cut), last);
        pass
    }

    /// Adds to `gradient` that of the cross entropy of target and chance at `sample`, and returns the
    /// squared error there.
    #[inline]
    pub fn learn(&self, sample: &Sample, gradient: &mut Self) -> f32 {
        let pass = self.pass(sample);
        let chance = 1.0 / (1.0 + (-pass.output).exp());
        let error = chance - sample.target;
        let first = self.learn_products(&pass, error, gradient);
        self.learn_sums(&pass, &first, gradient);
        error * error
    }

    /// The part of the two last products; returns the gradient by the first product's results.
    #[inline(always)]
    fn learn_products(&self, pass: &Pass, error: f32, gradient: &mut Self) -> [f32; FIRST] {
        let at = HEADS_AT + head(pass.pieces) * HEAD;
        gradient.0[at + LAST_BIAS] += error;
        add(
            part_mut(&mut gradient.0, at + LAST),
            &pass.second.map(cut),
            error,
        );
        let last: &[f32; SECOND] = part(&self.0, at + LAST);
        let mut second = [0.0; SECOND];
        for result in 0..SECOND {
            if is_inside(pass.second[result]) {
                second[result] = last[result] * error;
            }
        }
        add(part_mut(&mut gradient.0, at + SECOND_BIAS), &second, 1.0);
        let mut first = [0.0; FIRST];
        for (input, (slope, &result)) in first.iter_mut().zip(&pass.first).enumerate() {
            let row = at + SECOND_AT + input * SECOND;
            add(part_mut(&mut gradient.0, row), &second, cut(result));
            if is_inside(result) {
                *slope = dot(part::<SECOND>(&self.0, row), &second);
            }
        }
        add(part_mut(&mut gradient.0, at + FIRST_BIAS), &first, 1.0);
        first
    }

    /// The part of the first product and of the rows. Zeros are multiplied too: a branch that goes either
    /// way half the time costs more.
    #[inline(always)]
    fn learn_sums(&self, pass: &Pass, first: &[f32; FIRST], gradient: &mut Self) {
        let at = HEADS_AT + head(pass.pieces) * HEAD;
        for view in 0..2 {
            let mut slopes = [0.0; VALUES];
            for (value, slope) in slopes.iter_mut().enumerate() {
                let row = at + (view * VALUES + value) * FIRST;
                add(
                    part_mut(&mut gradient.0, row),
                    first,
                    pass.values[view][value],
                );
                *slope = dot(part::<FIRST>(&self.0, row), first) * PRODUCT;
            }
            let mut sums = [0.0; SUMS];
            for (value, slope) in slopes.into_iter().enumerate() {
                let (one, other) = (pass.sums[view][value], pass.sums[view][value + VALUES]);
                sums[value] = slope * cut(other) * inside(one);
                sums[value + VALUES] = slope * cut(one) * inside(other);
            }
            add(part_mut(&mut gradient.0, 0), &sums, 1.0);
            for &feature in &pass.features[view][..pass.pieces] {
                let row = ROWS + usize::from(feature) * SUMS;
                add(part_mut(&mut gradient.0, row), &sums, 1.0);
            }
        }
    }
}

/// The features of a position in the mover's view, then in the other's.
pub(super) fn both_views(features: [u8; 24]) -> [[u8; 24]; 2] {
    [
        features,
        features.map(|feature| turned(usize::from(feature)) as u8),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::rules::Position;

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let mut model = Model::random(3);
        let sample = Sample::of(&Position::START, 0.8);
        let mut gradient = Model::zero();
        model.learn(&sample, &mut gradient);
        let loss = |model: &Model| {
            let chance = 1.0 / (1.0 + (-model.output(&sample)).exp());
            -(0.8 * chance.ln() + 0.2 * (1.0 - chance).ln())
        };
        // A step may cross a value at which a part is cut, so a few may differ.
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut compared, mut wrong) = (0, 0);
        while compared < 200 {
            let at = rng.usize(..PARAMETERS);
            if gradient.0[at].abs() < 1e-3 {
                continue;
            }
            let before = model.0[at];
            model.0[at] = before + 4e-3;
            let above = loss(&model);
            model.0[at] = before - 4e-3;
            let slope = (above - loss(&model)) / 8e-3;
            model.0[at] = before;
            let error = (slope - gradient.0[at]).abs();
            wrong += u32::from(error > 0.1 * slope.abs() + 1e-3);
            compared += 1;
        }
        assert!(wrong <= 6, "{wrong} of {compared}");
    }
}
