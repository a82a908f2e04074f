//! What a score means: how games ended in which it was found.
//!
//! Two logistic curves, one for wins and one for losses, fitted to the scores and ends of the
//! self-play games that the network was trained on. Between equal sides most games are drawn.

use super::network::Network;
use crate::score::Score;

/// How games end from a position, as shares of 1, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// Won.
    pub win: f64,
    /// Drawn.
    pub draw: f64,
    /// Lost.
    pub loss: f64,
}

impl Chances {
    const WIN: Self = Self {
        win: 1.0,
        draw: 0.0,
        loss: 0.0,
    };
    const LOSS: Self = Self {
        win: 0.0,
        draw: 0.0,
        loss: 1.0,
    };

    /// The curves for scores in hundredths of a man: half of the games are won at `even`, and
    /// `slope` more makes the odds e times better.
    #[must_use]
    pub fn at(score: f64, even: f64, slope: f64) -> Self {
        let above = |score: f64| 1.0 / (1.0 + ((even - score) / slope).exp());
        let (win, loss) = (above(score), above(-score));
        Self {
            win,
            draw: (1.0 - win - loss).max(0.0),
            loss,
        }
    }
}

impl Network {
    /// What `score` means with this network; a proven one is certain.
    #[must_use]
    pub fn chances(&self, score: Score) -> Chances {
        match (score.is_win(), score.is_loss()) {
            (true, _) => Chances::WIN,
            (_, true) => Chances::LOSS,
            _ => Chances::at(
                f64::from(score.0),
                f64::from(self.even),
                f64::from(self.slope),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_shares_of_one_and_alike_for_both_sides() {
        let network = Network::shipped();
        for score in [-19_000, -700, -40, 0, 40, 700, 19_000].map(Score) {
            let (here, there) = (network.chances(score), network.chances(-score));
            assert!((here.win + here.draw + here.loss - 1.0).abs() < 1e-9);
            assert_eq!((here.win, here.loss), (there.loss, there.win));
        }
        let level = network.chances(Score::DRAW);
        assert!(level.draw > 0.5, "{level:?}");
        assert_eq!(network.chances(Score::win_in(9)), Chances::WIN);
    }
}
