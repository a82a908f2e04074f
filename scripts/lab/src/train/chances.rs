//! What scores mean: the curves of `engine::eval::chances` that fit self-play games best.

use engine::eval::chances::Chances;
use engine::tablebase::Wld;
use rayon::prelude::*;

use crate::record::{Label, Record};

/// Parameters of the curves, in hundredths of a man.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Curve {
    /// The score at which the mover wins every other game.
    pub even: u32,
    /// How much more makes the odds e times better.
    pub slope: u32,
}

impl Curve {
    /// The likeliest curves, to 10 hundredths, for the search scores and ends of games.
    #[must_use]
    pub fn fitting(records: &[Record]) -> Self {
        let curves = (10..=80).flat_map(|even| {
            (3..=40).map(move |slope| Self {
                even: 10 * even,
                slope: 10 * slope,
            })
        });
        let table = Counts::of(records);
        let all: Vec<Self> = curves.collect();
        let best = all
            .into_par_iter()
            .map(|curve| (table.surprise(curve), curve))
            .min_by(|one, other| one.0.total_cmp(&other.0));
        best.map_or(
            Self {
                even: 300,
                slope: 100,
            },
            |it| it.1,
        )
    }
}

/// Ends of games by score, in steps of ten.
struct Counts(Vec<[u32; 3]>);

impl Counts {
    const MOST: i32 = 1_000;

    fn of(records: &[Record]) -> Self {
        let mut counts = vec![[0; 3]; 2 * Self::MOST as usize / 10 + 1];
        for record in records {
            if let Label::Known(value) = record.label
                && !record.exact
            {
                let score = i32::from(record.score.0).clamp(-Self::MOST, Self::MOST);
                let end = match value {
                    Wld::Win => 0,
                    Wld::Draw => 1,
                    Wld::Loss => 2,
                };
                counts[((score + Self::MOST) / 10) as usize][end] += 1;
            }
        }
        Self(counts)
    }

    /// The sum of minus the logarithms of the chances of what happened.
    fn surprise(&self, curve: Curve) -> f64 {
        let (even, slope) = (f64::from(curve.even), f64::from(curve.slope));
        let mut sum = 0.0;
        for (step, counts) in self.0.iter().enumerate() {
            let score = f64::from(10 * step as i32 - Self::MOST);
            let chances = Chances::at(score, even, slope);
            for (count, chance) in counts.iter().zip([chances.win, chances.draw, chances.loss]) {
                sum -= f64::from(*count) * chance.max(1e-6).ln();
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::rules::Position;
    use engine::score::Score;

    #[test]
    fn games_made_by_a_curve_give_it_back() {
        let mut rng = fastrand::Rng::with_seed(4);
        let records: Vec<Record> = (0..100_000)
            .map(|_| {
                let score = rng.i16(-600..600);
                let chances = Chances::at(f64::from(score), 240.0, 80.0);
                let drawn = rng.f64();
                let value = match drawn {
                    it if it < chances.win => Wld::Win,
                    it if it < chances.win + chances.loss => Wld::Loss,
                    _ => Wld::Draw,
                };
                Record {
                    position: Position::START,
                    score: Score(score),
                    label: Label::Known(value),
                    exact: false,
                    ply: 0,
                }
            })
            .collect();
        let found = Curve::fitting(&records);
        assert!(found.even.abs_diff(240) <= 10, "{found:?}");
        assert!(found.slope.abs_diff(80) <= 10, "{found:?}");
    }
}
