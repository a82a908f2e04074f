//! Gradient descent: Adam (Kingma and Ba 2015) on shuffled batches.
//!
//! The gradient is that of the network as its file will have it, rounded, and moves the weights
//! behind it, which are not: what is rounded after training instead costs as much as a good deal
//! of data gives (`engine/nets/README.md`).

use rayon::prelude::*;

use super::model::{Model, PARAMETERS, Shape};
use super::quantize::round_into;
use super::samples::Sample;
use engine::eval::network::HEADS;

/// Parts into which a batch is split, whatever the number of threads: it decides the order of
/// sums, and so the result.
const PARTS: usize = 16;

/// How to descend.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Passes over the data.
    pub epochs: usize,
    /// Samples between two steps.
    pub batch: usize,
    /// Step size of the first epoch; it falls to a hundredth along a cosine.
    pub rate: f32,
    /// Decides shuffling, and the start weights where none are given.
    pub seed: u64,
}

/// How far training has come after an epoch.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Epochs done.
    pub epoch: usize,
    /// Mean squared error of the expected result on the training samples.
    pub training: f64,
    /// The same on samples that were held back.
    pub validation: f64,
}

/// Trains `start`, or without it a network of random weights, on `training`; `tell` hears of every
/// epoch.
pub fn descend(
    plan: Plan,
    start: Option<Model>,
    training: &mut [Sample],
    validation: &[Sample],
    mut tell: impl FnMut(Told),
) -> Model {
    let mut rng = fastrand::Rng::with_seed(plan.seed);
    let seed = rng.u64(..);
    let mut model = start.unwrap_or_else(|| Model::random(seed));
    let mut rounded = model.clone();
    round_into(&model, &mut rounded);
    let mut adam = Adam::new();
    let steps = plan.epochs * training.len().div_ceil(plan.batch);
    for epoch in 0..plan.epochs {
        rng.shuffle(training);
        let mut loss = 0.0;
        for batch in training.chunks(plan.batch) {
            let (gradient, sum) = gradient(&rounded, batch);
            let rate = plan.rate * cosine(adam.steps as f32 / steps as f32);
            adam.step(&mut model, &gradient, batch.len(), rate);
            round_into(&model, &mut rounded);
            loss += sum;
        }
        tell(Told {
            epoch: epoch + 1,
            training: loss / training.len() as f64,
            validation: mean_error(&rounded, validation),
        });
    }
    rounded
}

/// From 1 at `done` 0 to a hundredth at 1.
fn cosine(done: f32) -> f32 {
    0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * done.min(1.0)).cos())
}

/// The sum of the samples' gradients and of their losses.
fn gradient(model: &Model, batch: &[Sample]) -> (Model, f64) {
    let parts: Vec<(Model, f64)> = batch
        .par_chunks(batch.len().div_ceil(PARTS))
        .map(|part| {
            let mut gradient = Model::zero();
            let learn = |sample| f64::from(model.learn(sample, &mut gradient));
            let loss = part.iter().map(learn).sum();
            (gradient, loss)
        })
        .collect();
    let mut sum = Model::zero();
    sum.0
        .par_chunks_mut(4096)
        .enumerate()
        .for_each(|(chunk, to)| {
            for (part, _) in &parts {
                let from = &part.0[chunk * 4096..];
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
        });
    (sum, parts.iter().map(|(_, loss)| loss).sum())
}

/// The mean squared error of the expected result.
#[must_use]
pub fn mean_error(model: &Model, samples: &[Sample]) -> f64 {
    let error = |sample: &Sample| {
        let chance = 1.0 / (1.0 + (-model.output(sample)).exp());
        f64::from((chance - sample.target) * (chance - sample.target))
    };
    let sums: Vec<f64> = samples
        .par_chunks(4096)
        .map(|part| part.iter().map(error).sum())
        .collect();
    sums.iter().sum::<f64>() / samples.len().max(1) as f64
}

/// The optimiser's memory.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: usize,
}

impl Adam {
    const KEEP_MEAN: f32 = 0.9;
    const KEEP_SQUARE: f32 = 0.999;

    fn new() -> Self {
        Self {
            mean: vec![0.0; PARAMETERS],
            square: vec![0.0; PARAMETERS],
            steps: 0,
        }
    }

    fn step(&mut self, model: &mut Model, gradient: &Model, samples: usize, rate: f32) {
        self.steps += 1;
        let power = self.steps.min(100_000) as i32;
        let mean_part = 1.0 - Self::KEEP_MEAN.powi(power);
        let square_part = 1.0 - Self::KEEP_SQUARE.powi(power);
        let each = 1.0 / samples as f32;
        for at in 0..PARAMETERS {
            let slope = gradient.0[at] * each;
            let mean = Self::KEEP_MEAN * self.mean[at] + (1.0 - Self::KEEP_MEAN) * slope;
            let square =
                Self::KEEP_SQUARE * self.square[at] + (1.0 - Self::KEEP_SQUARE) * slope * slope;
            self.mean[at] = mean;
            self.square[at] = square;
            model.0[at] -= rate * (mean / mean_part) / ((square / square_part).sqrt() + 1e-8);
        }
        hold_in_range(model);
    }
}

/// Keeps the weights of products within what a byte can hold.
fn hold_in_range(model: &mut Model) {
    const MOST: f32 = 127.0 / 64.0;
    for head in 0..HEADS {
        for range in [Shape::first(head), Shape::second(head)] {
            for weight in &mut model.0[range] {
                *weight = weight.clamp(-MOST, MOST);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::rules::Position;

    fn samples() -> Vec<Sample> {
        let mut rng = fastrand::Rng::with_seed(9);
        let mut position = Position::START;
        let mut samples = Vec::new();
        while samples.len() < 500 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                position = Position::START;
                continue;
            }
            position = position.play(moves[rng.usize(..moves.len())]);
            let lead = position.own().len() as f32 - position.theirs().len() as f32;
            samples.push(Sample::of(&position, 0.5 + lead / 24.0));
        }
        samples
    }

    fn trained(threads: usize, epochs: usize, start: Option<Model>) -> (Model, Vec<Told>) {
        let plan = Plan {
            epochs,
            batch: 64,
            rate: 0.005,
            seed: 2,
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut told = Vec::new();
        let model = pool.expect("threads").install(|| {
            let mut training = samples();
            let validation = training.split_off(450);
            descend(plan, start, &mut training, &validation, |now| {
                told.push(now);
            })
        });
        (model, told)
    }

    #[test]
    fn the_seed_decides_the_network_and_threads_do_not() {
        let (one, told) = trained(1, 3, None);
        let (three, _) = trained(3, 3, None);
        assert!(one.0 == three.0);
        assert!(told[2].validation < told[0].validation, "{told:?}");
    }

    #[test]
    fn training_goes_on_from_a_network() {
        let (once, before) = trained(2, 3, None);
        let (same, _) = trained(2, 0, Some(once.clone()));
        assert!(same.0 == once.0);
        let (_, after) = trained(2, 1, Some(once));
        assert!(after[0].validation < before[0].validation, "{after:?}");
    }
}
