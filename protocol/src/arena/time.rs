//! How long an engine may think: time controls, other bounds, and the clock of one player.
//!
//! Times add up as Hub says: the increment comes before the move, so it may be used for it. Knows
//! no engine. Start reading at [`TimeControl`].

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::client::{Budget, Remaining};

/// The deepest search that may be asked for, in plies.
pub const MOST_PLIES: u32 = 200;

/// The time that a player has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// The same for each move; what is not used is lost.
    PerMove(Duration),
    /// A clock.
    Clock {
        /// To begin with, and again after every `moves` moves.
        base: Duration,
        /// Added before each move.
        increment: Duration,
        /// Moves in a period; `None` if `base` is for the whole game.
        moves: Option<u32>,
    },
}

/// A time control that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "\"{0}\" is no time control; expected seconds a move (0.1), a clock (10+0.1, 10+0) or moves in \
     a time (40/60, 40/60+0.5), with a decimal point"
)]
pub struct TimeControlError(String);

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text).ok_or_else(|| TimeControlError(text.into()))
    }
}

fn read(text: &str) -> Option<TimeControl> {
    let (moves, clock) = match text.split_once('/') {
        Some((moves, clock)) => (Some(moves.parse().ok().filter(|&moves| moves > 0)?), clock),
        None => (None, text),
    };
    let (base, increment) = match clock.split_once('+') {
        Some((base, increment)) => (seconds(base)?, Some(seconds(increment)?)),
        None => (seconds(clock)?, None),
    };
    if base.is_zero() && increment.unwrap_or_default().is_zero() {
        return None;
    }
    Some(match (moves, increment) {
        (None, None) => TimeControl::PerMove(base),
        (moves, increment) => TimeControl::Clock {
            base,
            increment: increment.unwrap_or_default(),
            moves,
        },
    })
}

/// Up to a day, with a decimal point.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    let plain = !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = text.parse().ok().filter(|_| plain)?;
    (number <= 86_400.0).then(|| Duration::from_secs_f64(number))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerMove(time) => write!(f, "{}", time.as_secs_f64()),
            Self::Clock {
                base,
                increment,
                moves,
            } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
        }
    }
}

impl Serialize for TimeControl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Everything that bounds an engine's searches; several bounds may hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// Time.
    pub time: Option<TimeControl>,
    /// Positions a move.
    pub nodes: Option<u64>,
    /// Plies a move.
    pub depth: Option<u32>,
}

impl Allowance {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time.map(|time| match time {
            TimeControl::PerMove(_) => format!("{time} s a move"),
            TimeControl::Clock { .. } => format!("{time} s"),
        });
        let nodes = self.nodes.map(|nodes| format!("{nodes} nodes a move"));
        let depth = self.depth.map(|depth| format!("depth {depth}"));
        let parts: Vec<String> = [time, nodes, depth].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// One player's clock in one game; stands still where no clock was asked for.
#[derive(Clone, Copy, Debug)]
pub struct PlayerClock {
    control: Option<TimeControl>,
    left: Duration,
    moves_made: u32,
}

impl PlayerClock {
    /// The clock at the beginning of a game.
    #[must_use]
    pub fn new(control: Option<TimeControl>) -> Self {
        let left = match control {
            Some(TimeControl::Clock { base, .. }) => base,
            _ => Duration::ZERO,
        };
        Self {
            control,
            left,
            moves_made: 0,
        }
    }

    /// What the next move may take; `None` without a limit.
    #[must_use]
    pub fn allowed(&self) -> Option<Duration> {
        match self.control? {
            TimeControl::PerMove(time) => Some(time),
            TimeControl::Clock { increment, .. } => Some(self.left + increment),
        }
    }

    /// What is left on the clock, the next move's increment not included; `None` without one.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        matches!(self.control, Some(TimeControl::Clock { .. })).then_some(self.left)
    }

    /// What the engine is told.
    #[must_use]
    pub fn remaining(&self) -> Remaining {
        match self.control {
            Some(TimeControl::Clock {
                increment, moves, ..
            }) => Remaining {
                time: self.left,
                increment,
                moves: moves.map(|moves| moves - self.moves_made % moves),
            },
            _ => Remaining {
                time: Duration::ZERO,
                increment: Duration::ZERO,
                moves: None,
            },
        }
    }

    /// Takes the time of a move off. What exceeds the clock is forgiven: the margin allowed it.
    pub fn spend(&mut self, elapsed: Duration) {
        self.moves_made += 1;
        if let Some(TimeControl::Clock {
            base,
            increment,
            moves,
        }) = self.control
        {
            self.left = (self.left + increment).saturating_sub(elapsed);
            if moves.is_some_and(|moves| self.moves_made.is_multiple_of(moves)) {
                self.left += base;
            }
        }
    }
}

/// What the player with `clocks[turn]` is told before its move.
#[must_use]
pub fn budget(allowance: &Allowance, clocks: &[PlayerClock; 2]) -> Budget {
    let (move_time, clocks) = match allowance.time {
        Some(TimeControl::PerMove(time)) => (Some(time), None),
        Some(TimeControl::Clock { .. }) => (None, Some(clocks.map(|clock| clock.remaining()))),
        None => (None, None),
    };
    Budget {
        depth: allowance.depth,
        nodes: allowance.nodes,
        move_time,
        clocks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().expect(text)
    }

    #[test]
    fn the_forms_read_and_write_back() {
        for text in ["0.1", "10+0.1", "10+0", "40/60+0.5", "40/60+0"] {
            assert_eq!(control(text).to_string(), text);
        }
        assert_eq!(control("40/60"), control("40/60+0"));
        assert_eq!(
            control("0.1"),
            TimeControl::PerMove(Duration::from_millis(100))
        );
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "", "0", "0+0", "-1", "1,5", "0,1+0,01", "1e3", "inf", "nan", "0/60", "/60", "40/",
            "1+", "+1", "1+-1", "100000", "10 + 1",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_increment_comes_before_the_move() {
        let mut clock = PlayerClock::new(Some(control("1+0.5")));
        assert_eq!(clock.allowed(), Some(Duration::from_millis(1500)));
        clock.spend(Duration::from_millis(1200));
        assert_eq!(clock.left(), Some(Duration::from_millis(300)));
        clock.spend(Duration::from_secs(9));
        assert_eq!(clock.allowed(), Some(Duration::from_millis(500)));
    }

    #[test]
    fn a_period_fills_the_clock_up() {
        let mut clock = PlayerClock::new(Some(control("2/10")));
        assert_eq!(clock.remaining().moves, Some(2));
        clock.spend(Duration::from_secs(4));
        assert_eq!(clock.remaining().moves, Some(1));
        clock.spend(Duration::from_secs(4));
        assert_eq!(clock.remaining().moves, Some(2));
        assert_eq!(clock.left(), Some(Duration::from_secs(12)));
    }

    #[test]
    fn time_a_move_knows_no_clock() {
        let mut clock = PlayerClock::new(Some(control("0.1")));
        clock.spend(Duration::from_secs(4));
        assert_eq!(clock.allowed(), Some(Duration::from_millis(100)));
        assert_eq!(clock.left(), None);
        assert_eq!(PlayerClock::new(None).allowed(), None);
    }
}
