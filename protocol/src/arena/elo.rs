//! What a series of game pairs says about strength: Elo, its error, likelihood of superiority.
//!
//! Owns the pentanomial counts and the estimates drawn from them; knows nothing of games or
//! engines. Both games of a pair start from one opening, so their results hang together; the
//! pair is therefore the unit of measurement. Start reading at [`Pentanomial`].

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// Half the width of a 95 % interval, in standard deviations.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Elo points in one unit of normalized score: 800 / ln 10 (Van den Bergh, "Normalized Elo").
pub(super) const NORMALIZED_ELO_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// How many pairs brought the first engine 0, 1/2, 1, 3/2 and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

/// An estimate with half the width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate, in Elo.
    pub elo: f64,
    /// Half the width of the 95 % interval, in Elo.
    pub error: f64,
}

impl Pentanomial {
    /// Counts one pair in which the first engine made `half_points` (0 to 4; more counts as 4).
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Finished pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean score a game, 0 to 1, and the variance of a pair's; `None` without a pair.
    #[must_use]
    pub fn moments(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return None;
        }
        let expect = |value: &dyn Fn(f64) -> f64| -> f64 {
            let sum: f64 = (0..5)
                .map(|i| self.0[i] as f64 * value(i as f64 / 4.0))
                .sum();
            sum / pairs
        };
        let mean = expect(&|score| score);
        Some((mean, expect(&|score| (score - mean).powi(2))))
    }

    /// The ends of the 95 % interval of the mean score.
    fn interval(&self) -> Option<(f64, f64, f64)> {
        let (mean, variance) = self.moments()?;
        let half = NORMAL_95 * (variance / self.pairs() as f64).sqrt();
        Some((mean - half, mean, mean + half))
    }

    /// The difference in strength on the usual logistic scale. `None` without two different
    /// pairs (nothing tells the error then), or where the score or an end of its interval
    /// reaches 0 or 1, which no finite difference explains.
    #[must_use]
    pub fn elo(&self) -> Option<Estimate> {
        let (low, mean, high) = self.interval()?;
        (low > 0.0 && high < 1.0 && low < high).then(|| Estimate {
            elo: elo_of_score(mean),
            error: (elo_of_score(high) - elo_of_score(low)) / 2.0,
        })
    }

    /// The difference as normalized Elo, whose size does not depend on how many games are drawn.
    #[must_use]
    pub fn normalized_elo(&self) -> Option<Estimate> {
        let (mean, variance) = self.moments()?;
        (variance > 0.0).then(|| Estimate {
            elo: NORMALIZED_ELO_UNIT * (mean - 0.5) / (2.0 * variance).sqrt(),
            error: NORMALIZED_ELO_UNIT * NORMAL_95 / (2.0 * self.pairs() as f64).sqrt(),
        })
    }

    /// The likelihood, 0 to 1, that the first engine is the stronger one.
    #[must_use]
    pub fn superiority(&self) -> Option<f64> {
        let (mean, variance) = self.moments()?;
        let deviation = (variance / self.pairs() as f64).sqrt();
        if deviation == 0.0 {
            return Some(match mean.total_cmp(&0.5) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            });
        }
        Some(Normal::standard().cdf((mean - 0.5) / deviation))
    }
}

/// The logistic Elo difference that makes `score` (strictly between 0 and 1) the expectation.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score of a side that is `elo` points stronger.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts, then logistic Elo, its error, normalized Elo, its error and the likelihood of
    /// superiority in per cent, as published in the tests of the fastchess match runner
    /// (app/tests/elo_test.cpp, "EloPentanomial 1" to "3").
    const PUBLISHED: [([u64; 5], [f64; 5]); 3] = [
        ([34, 54, 63, 64, 75], [55.58, 27.65, 57.94, 28.28, 100.0]),
        (
            [332, 433, 498, 333, 334],
            [-8.64, 10.33, -9.17, 10.96, 5.05],
        ),
        (
            [7895, 8757, 5685, 568, 9999],
            [-21.04, 2.95, -19.01, 2.65, 0.0],
        ),
    ];

    #[test]
    fn estimates_agree_with_published_ones() {
        for (counts, [elo, error, normalized, normalized_error, superiority]) in PUBLISHED {
            let counts = Pentanomial(counts);
            let ours = counts.elo().expect("a finite difference");
            let ours_normalized = counts.normalized_elo().expect("some variance");
            let likelihood = counts.superiority().expect("some pairs");
            assert!((ours.elo - elo).abs() < 0.006, "{counts:?}: {ours:?}");
            assert!((ours.error - error).abs() < 0.006, "{counts:?}: {ours:?}");
            assert!((ours_normalized.elo - normalized).abs() < 0.006);
            assert!((ours_normalized.error - normalized_error).abs() < 0.02);
            assert!((likelihood * 100.0 - superiority).abs() < 0.006);
        }
    }

    #[test]
    fn one_sided_matches_have_no_finite_difference() {
        assert_eq!(Pentanomial::default().elo(), None);
        assert_eq!(Pentanomial([0, 0, 0, 0, 5]).elo(), None);
        assert_eq!(Pentanomial([0, 0, 0, 0, 5]).superiority(), Some(1.0));
        assert_eq!(Pentanomial([0, 0, 7, 0, 0]).superiority(), Some(0.5));
        assert_eq!(Pentanomial([3, 0, 0, 0, 0]).superiority(), Some(0.0));
    }

    #[test]
    fn elo_and_score_invert() {
        for elo in [-700.0, -1.0, 0.0, 12.5, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
    }
}
