//! Ending a game before the rules do, because both engines agree about it.
//!
//! Off unless asked for: an engine's claim alone never ends a game. Start reading at
//! [`Agreement::hear`].

use std::str::FromStr;

use engine::board::Color;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A score that must hold for a number of plies in a row, so that both engines confirm it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Consent {
    /// In men, 0 or more.
    pub score: f64,
    /// 2 or more.
    pub plies: u32,
}

/// A consent that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\": expected SCORE,PLIES: men, and at least 2 plies in a row, such as 4,6")]
pub struct ConsentError(String);

impl FromStr for Consent {
    type Err = ConsentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (score, plies) = text.split_once(',')?;
            let score: f64 = score.parse().ok()?;
            let plies: u32 = plies.parse().ok()?;
            (score >= 0.0 && score.is_finite() && plies >= 2).then_some(Self { score, plies })
        };
        read().ok_or_else(|| ConsentError(text.into()))
    }
}

/// Which agreements end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Won, once all scores favour one side by at least this much.
    pub win: Option<Consent>,
    /// Drawn, once no score favours a side by more than this.
    pub draw: Option<Consent>,
}

/// What was agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreed {
    /// The side wins.
    Win(Color),
    /// Nobody does.
    Draw,
}

/// The scores of a game so far, as far as they agree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Agreement {
    winner: Option<Color>,
    won_plies: u32,
    even_plies: u32,
}

impl Agreement {
    /// Takes the mover's score in; says whether the game is decided by it.
    pub fn hear(
        &mut self,
        rules: &Adjudication,
        mover: Color,
        score: Option<f64>,
    ) -> Option<Agreed> {
        let Some(score) = score else {
            *self = Self::default();
            return None;
        };
        let favoured = if score > 0.0 { mover } else { !mover };
        let decisive = rules.win.is_some_and(|win| score.abs() >= win.score);
        let even = rules.draw.is_some_and(|draw| score.abs() <= draw.score);
        self.won_plies = match decisive {
            true if self.winner == Some(favoured) => self.won_plies + 1,
            true => 1,
            false => 0,
        };
        self.winner = decisive.then_some(favoured);
        self.even_plies = if even { self.even_plies + 1 } else { 0 };
        self.verdict(rules)
    }

    fn verdict(&self, rules: &Adjudication) -> Option<Agreed> {
        if rules.win.is_some_and(|win| self.won_plies >= win.plies) {
            return self.winner.map(Agreed::Win);
        }
        let even = rules.draw.is_some_and(|draw| self.even_plies >= draw.plies);
        even.then_some(Agreed::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(rules: &Adjudication, scores: &[Option<f64>]) -> Vec<Option<Agreed>> {
        let mut agreement = Agreement::default();
        let movers = [Color::Black, Color::White].into_iter().cycle();
        let heard = movers.zip(scores);
        heard
            .map(|(mover, &score)| agreement.hear(rules, mover, score))
            .collect()
    }

    #[test]
    fn a_win_needs_both_sides_to_see_it() {
        let rules = Adjudication {
            win: "4,3".parse().ok(),
            draw: None,
        };
        let white = Some(Agreed::Win(Color::White));
        let agree = [Some(-4.0), Some(5.0), Some(-9.0)];
        assert_eq!(verdicts(&rules, &agree), [None, None, white]);
        let dispute = [Some(4.0), Some(5.0), Some(4.0), Some(5.0)];
        assert_eq!(verdicts(&rules, &dispute), [None; 4]);
        let silent = [Some(-4.0), Some(5.0), None, Some(4.0)];
        assert_eq!(verdicts(&rules, &silent), [None; 4]);
    }

    #[test]
    fn a_draw_needs_scores_near_zero() {
        let rules = Adjudication {
            win: None,
            draw: "0.1,2".parse().ok(),
        };
        let scores = [Some(0.1), Some(0.2), Some(0.0), Some(-0.1)];
        assert_eq!(
            verdicts(&rules, &scores),
            [None, None, None, Some(Agreed::Draw)]
        );
        assert_eq!(verdicts(&Adjudication::default(), &scores), [None; 4]);
    }

    #[test]
    fn consents_are_checked() {
        for text in ["", "4", "4,1", "x,6", "-1,6", "nan,4", "4,6,8"] {
            assert!(text.parse::<Consent>().is_err(), "{text}");
        }
    }
}
