//! The sequential probability ratio test: stop a match as soon as it has decided.
//!
//! A generalized test on pair results: the log-likelihood ratio compares the best distribution
//! of pair scores under each hypothesis. Owns the arithmetic only. Sources: Wald (1945) for the
//! bounds; Van den Bergh, "Comments on normalized Elo" and "Maximum likelihood estimates for
//! multinomial distributions" (cantate.be/Fishtest) for the estimates, in the form that the
//! Fishtest and fastchess projects use. Start reading at [`Sprt::log_likelihood_ratio`].

use serde::{Deserialize, Serialize};

use super::elo::{NORMALIZED_ELO_UNIT, Pentanomial, score_of_elo};

/// The scale on which the two hypotheses are stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// The usual one: an expected score.
    #[default]
    Logistic,
    /// Expected score over its deviation, which makes the length of a test independent of how
    /// many games are drawn.
    Normalized,
}

/// A test of "stronger by `elo0` or less" against "stronger by `elo1` or more".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The null hypothesis, in Elo of `scale`.
    pub elo0: f64,
    /// The alternative, greater than `elo0`.
    pub elo1: f64,
    /// The scale of both.
    pub scale: Scale,
    /// Probability of accepting the alternative where the null hypothesis holds, 0 to 1/2.
    pub alpha: f64,
    /// Probability of accepting the null hypothesis where the alternative holds, 0 to 1/2.
    pub beta: f64,
}

/// What the test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Go on.
    Open,
    /// The null hypothesis is accepted.
    Rejected,
    /// The alternative is accepted.
    Accepted,
}

/// A score of a pair, 0 to 1, with its probability.
type Atom = (f64, f64);

impl Sprt {
    /// The log-likelihood ratios at which the null hypothesis and the alternative are accepted
    /// (Wald's approximations).
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// How much better the alternative explains the pairs; 0 without any.
    #[must_use]
    pub fn log_likelihood_ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let (total, observed) = regularized(pairs);
        let null = self.best_under(&observed, self.elo0);
        let alternative = self.best_under(&observed, self.elo1);
        let ratio: f64 = (0..5)
            .map(|i| observed[i].1 * (alternative[i].1 / null[i].1).ln())
            .sum();
        total * ratio
    }

    /// Whether the test is over.
    #[must_use]
    pub fn decision(&self, pairs: &Pentanomial) -> Decision {
        let (lower, upper) = self.bounds();
        match self.log_likelihood_ratio(pairs) {
            ratio if ratio >= upper => Decision::Accepted,
            ratio if ratio <= lower => Decision::Rejected,
            _ => Decision::Open,
        }
    }

    fn best_under(&self, observed: &[Atom; 5], elo: f64) -> [Atom; 5] {
        match self.scale {
            Scale::Logistic => with_mean(observed, score_of_elo(elo)),
            // A pair has half the variance of a game, hence the root of two.
            Scale::Normalized => with_t_value(observed, elo / NORMALIZED_ELO_UNIT * 2_f64.sqrt()),
        }
    }
}

/// The observed frequencies. A result that never came counts as a thousandth of a pair: with
/// probability 0 no hypothesis could be told from another.
fn regularized(pairs: &Pentanomial) -> (f64, [Atom; 5]) {
    let counts = pairs
        .0
        .map(|count| if count == 0 { 1e-3 } else { count as f64 });
    let total: f64 = counts.iter().sum();
    let mut atoms = [(0.0, 0.0); 5];
    for (i, count) in counts.into_iter().enumerate() {
        atoms[i] = (i as f64 / 4.0, count / total);
    }
    (total, atoms)
}

/// The most likely distribution with the expectation `mean` (strictly between 0 and 1).
fn with_mean(observed: &[Atom; 5], mean: f64) -> [Atom; 5] {
    reweighted(observed, &observed.map(|(score, _)| score - mean))
}

/// The most likely distribution whose expectation lies `t` deviations above one half: a fixed
/// point, since the deviation depends on the distribution itself. Ten rounds are more than
/// enough wherever it converges ("Normalized Elo in practice", section 4.1).
fn with_t_value(observed: &[Atom; 5], t: f64) -> [Atom; 5] {
    let mut best = observed.map(|(score, _)| (score, 0.2));
    for _ in 0..10 {
        let (mean, deviation) = mean_and_deviation(&best);
        let offsets = observed.map(|(score, _)| {
            let spread = ((mean - score) / deviation).powi(2);
            score - 0.5 - t * deviation * (1.0 + spread) / 2.0
        });
        let next = reweighted(observed, &offsets);
        let change = (0..5)
            .map(|i| (next[i].1 - best[i].1).abs())
            .fold(0.0, f64::max);
        best = next;
        if change < 1e-9 {
            break;
        }
    }
    best
}

/// Divides each probability by `1 + x * offset`, with the `x` that makes the expected offset 0.
/// The offsets must have both signs.
fn reweighted(observed: &[Atom; 5], offsets: &[f64; 5]) -> [Atom; 5] {
    let x = secular_root(observed, offsets);
    let mut best = *observed;
    for (atom, offset) in best.iter_mut().zip(offsets) {
        atom.1 /= 1.0 + x * offset;
    }
    best
}

/// More than the digits of a double.
const HALVINGS: usize = 64;

/// The root of the sum of `p * offset / (1 + x * offset)`, which falls from plus to minus
/// infinity between its poles: the bracket is halved. Newton's steps would be quicker, but may
/// stop on a pole.
fn secular_root(observed: &[Atom; 5], offsets: &[f64; 5]) -> f64 {
    let least = offsets.iter().copied().fold(f64::INFINITY, f64::min);
    let most = offsets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..HALVINGS {
        let x = f64::midpoint(low, high);
        if secular(observed, offsets, x) > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    f64::midpoint(low, high)
}

/// The secular sum at `x`.
fn secular(observed: &[Atom; 5], offsets: &[f64; 5], x: f64) -> f64 {
    let terms = observed.iter().zip(offsets);
    terms
        .map(|(&(_, p), &offset)| p * offset / (1.0 + x * offset))
        .sum()
}

fn mean_and_deviation(atoms: &[Atom; 5]) -> (f64, f64) {
    let mean: f64 = atoms.iter().map(|&(score, p)| score * p).sum();
    let variance: f64 = atoms
        .iter()
        .map(|&(score, p)| p * (score - mean).powi(2))
        .sum();
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(scale: Scale, elo0: f64, elo1: f64) -> Sprt {
        Sprt {
            elo0,
            elo1,
            scale,
            alpha: 0.05,
            beta: 0.05,
        }
    }

    /// Published ratios: the test cases of fastchess pull request 426, each computed there with
    /// Fishtest's formulae, and the example of its pull request 783 (the last one).
    #[test]
    fn ratios_agree_with_published_ones() {
        use Scale::{Logistic, Normalized};
        let published = [
            (
                Normalized,
                0.0,
                2.0,
                [365, 16_618, 36_229, 16_974, 390],
                2.25,
            ),
            (
                Normalized,
                -1.75,
                0.25,
                [127, 4_883, 10_712, 5_150, 104],
                3.01,
            ),
            (Logistic, 0.5, 2.5, [223, 9_863, 21_279, 10_037, 246], -3.07),
            (
                Logistic,
                0.0,
                2.0,
                [871, 26_175, 55_983, 26_678, 821],
                -4.98,
            ),
            (
                Normalized,
                0.0,
                2.0,
                [379, 10_170, 21_828, 10_640, 343],
                2.945_98,
            ),
        ];
        for (scale, elo0, elo1, counts, expected) in published {
            let ratio = test(scale, elo0, elo1).log_likelihood_ratio(&Pentanomial(counts));
            assert!((ratio - expected).abs() < 0.01, "{counts:?}: {ratio}");
        }
    }

    /// Where Newton's steps from 0 end on a pole. The ratios were found with 60 decimal digits by
    /// a program of its own.
    #[test]
    fn no_counts_are_special() {
        let counts = [5, 20, 25, 4, 1];
        let turned = [1, 4, 25, 20, 5];
        let cases = [
            (0.0, 8.0, counts, -1.091_991_798),
            (-8.0, 0.0, counts, -1.036_815_039),
            (0.0, 8.0, turned, 1.036_815_039),
            (-8.0, 0.0, turned, 1.091_991_798),
        ];
        for (elo0, elo1, counts, expected) in cases {
            let sprt = test(Scale::Logistic, elo0, elo1);
            let ratio = sprt.log_likelihood_ratio(&Pentanomial(counts));
            assert!((ratio - expected).abs() < 1e-8, "{counts:?}: {ratio}");
        }
    }

    /// Whatever was counted, both hypotheses are distributions with the expectation that they are
    /// named after.
    #[test]
    fn hypotheses_are_distributions() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let most = 1 << random.u32(1..8);
            let pairs = Pentanomial([(); 5].map(|()| random.u64(0..most)));
            if pairs.pairs() == 0 {
                continue;
            }
            let (_, observed) = regularized(&pairs);
            for elo in [-30.0, -8.0, 0.0, 8.0, 30.0] {
                let best = with_mean(&observed, score_of_elo(elo));
                let total: f64 = best.iter().map(|&(_, p)| p).sum();
                let (mean, _) = mean_and_deviation(&best);
                assert!((total - 1.0).abs() < 1e-9, "{pairs:?} at {elo}: {total}");
                assert!(
                    (mean - score_of_elo(elo)).abs() < 1e-9,
                    "{pairs:?} at {elo}: {mean}"
                );
                assert!(best.iter().all(|&(_, p)| p > 0.0), "{pairs:?} at {elo}");
            }
        }
    }

    #[test]
    fn bounds_are_walds() {
        let (lower, upper) = test(Scale::Logistic, 0.0, 5.0).bounds();
        assert!((upper - 2.944).abs() < 0.001);
        assert!((lower + 2.944).abs() < 0.001);
    }

    #[test]
    fn no_pairs_decide_nothing() {
        let sprt = test(Scale::Logistic, 0.0, 5.0);
        assert_eq!(sprt.decision(&Pentanomial::default()), Decision::Open);
        assert_eq!(
            sprt.decision(&Pentanomial([900, 0, 0, 0, 0])),
            Decision::Rejected
        );
        assert_eq!(
            sprt.decision(&Pentanomial([0, 0, 0, 0, 900])),
            Decision::Accepted
        );
    }

    /// Pair results drawn from a known distribution until the test decides.
    fn simulate(sprt: &Sprt, probabilities: &[Atom; 5], random: &mut fastrand::Rng) -> Decision {
        let mut pairs = Pentanomial::default();
        loop {
            let mut left = random.f64();
            let result = probabilities.iter().position(|&(_, p)| {
                left -= p;
                left < 0.0
            });
            pairs.add(result.unwrap_or(4));
            let decision = sprt.decision(&pairs);
            if decision != Decision::Open {
                return decision;
            }
        }
    }

    /// Draughts between peers: three pairs of four come out even. The true strength is put
    /// exactly on a hypothesis, where the test errs most often. Over 20,000 matches a case the
    /// rates are 4.8 % and 4.9 % (logistic), 4.5 % and 4.7 % (normalized), below the nominal 5 %.
    #[test]
    fn simulated_matches_err_no_more_often_than_promised() {
        let peers = [
            (0.0, 0.01),
            (0.25, 0.12),
            (0.5, 0.74),
            (0.75, 0.12),
            (1.0, 0.01),
        ];
        for (scale, elo1) in [(Scale::Logistic, 12.0), (Scale::Normalized, 30.0)] {
            let sprt = test(scale, 0.0, elo1);
            for (elo, wrong) in [(0.0, Decision::Accepted), (elo1, Decision::Rejected)] {
                let truth = sprt.best_under(&peers, elo);
                let mut random = fastrand::Rng::with_seed(1_000);
                let errors = (0..1_000)
                    .filter(|_| simulate(&sprt, &truth, &mut random) == wrong)
                    .count();
                // 66 is the 99 % quantile of 1,000 trials at 5 %.
                assert!(
                    errors <= 66,
                    "{scale:?} at {elo} Elo: {errors} of 1,000 wrong"
                );
            }
        }
    }
}
