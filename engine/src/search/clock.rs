//! How much time a move is worth.

use std::time::Duration;

use super::limits::{Clock, Limits};
use super::params::{HARD_SHARE, MOVES_LEFT, SAFETY, SOFT_SHARE};

/// When to stop: `soft` between iterations, `hard` at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget {
    /// No new iteration after this, stretched or shrunk by how settled the best move is.
    pub(super) soft: Option<Duration>,
    /// The search ends here.
    pub(super) hard: Option<Duration>,
}

impl Budget {
    pub(super) fn of(limits: &Limits) -> Self {
        let by_move = limits
            .move_time
            .map(|time| time.saturating_sub(safety(time)));
        let Some(clock) = limits.clock else {
            return Self {
                soft: None,
                hard: by_move,
            };
        };
        let by_clock = Self::of_clock(clock);
        Self {
            soft: by_clock.soft,
            hard: by_clock.hard.into_iter().chain(by_move).min(),
        }
    }

    fn of_clock(clock: Clock) -> Self {
        let usable = clock.remaining.saturating_sub(safety(clock.remaining));
        let moves = clock.moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
        let share = usable / moves + clock.increment.mul_f64(0.75);
        // The last move before the clock is filled up may use all of it.
        let most = if moves == 1 {
            usable
        } else {
            usable.mul_f64(0.6)
        };
        Self {
            soft: Some(share.mul_f64(SOFT_SHARE).min(most)),
            hard: Some(share.mul_f64(HARD_SHARE).min(most)),
        }
    }
}

/// Kept back from `time` for what the engine cannot control: waking up, the way of the answer.
fn safety(time: Duration) -> Duration {
    (SAFETY + time / 50).min(SAFETY * 10).min(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Budget {
        Budget::of(&Limits {
            clock: Some(Clock {
                remaining: Duration::from_millis(remaining),
                increment: Duration::from_millis(increment),
                moves_to_go,
            }),
            ..Limits::default()
        })
    }

    #[test]
    fn a_fallen_flag_leaves_no_time() {
        let budget = clock(0, 100, None);
        assert_eq!(budget.hard, Some(Duration::ZERO));
    }

    #[test]
    fn no_budget_exceeds_what_is_left() {
        for remaining in [1, 5, 10, 100, 1_000, 60_000] {
            for increment in [0, 10, 1_000, 60_000] {
                for moves in [None, Some(1), Some(2), Some(40)] {
                    let budget = clock(remaining, increment, moves);
                    assert!(budget.hard < Some(Duration::from_millis(remaining)));
                    assert!(budget.soft <= budget.hard);
                }
            }
        }
    }

    #[test]
    fn a_game_without_increment_never_runs_out() {
        let mut left = Duration::from_secs(1);
        for _ in 0..300 {
            let budget = Budget::of_clock(Clock {
                remaining: left,
                increment: Duration::ZERO,
                moves_to_go: None,
            });
            left -= budget.hard.expect("a clock bounds");
        }
    }
}
