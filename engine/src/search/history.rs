//! What moves did in earlier nodes: statistics that order the moves of later ones.
//!
//! Three counters vote on a move: the move by itself, the move as a reply to the last one, and
//! the move as a follow-up of our own last one. Each search thread has its own.

use super::params::HISTORY_MOST;
use crate::board::Color;
use crate::rules::{Move, Position};

/// Steps and jumps from each square: the low four bits of `to - from` tell them apart.
const STEPS: usize = 32 * 16;
/// Piece and square where the earlier move ended.
const CONTEXTS: usize = 2 * 2 * 32;

/// Who moved where: the context in which the next move is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context(u8);

impl Context {
    /// `mv`, about to be played in `position`.
    #[inline]
    pub(super) fn of(position: &Position, mv: Move) -> Self {
        let king = position.all_kings().contains(mv.from());
        let side = position.turn().index() * 64 + usize::from(king) * 32;
        Self((side + mv.to().index()) as u8)
    }
}

/// The counters of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    alone: Vec<i16>,
    reply: Vec<i16>,
    follow_up: Vec<i16>,
}

/// The two earlier moves: the opponent's last and our own before it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Earlier {
    pub(super) theirs: Option<Context>,
    pub(super) ours: Option<Context>,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            alone: vec![0; 4 * STEPS],
            reply: vec![0; CONTEXTS * STEPS],
            follow_up: vec![0; CONTEXTS * STEPS],
        }
    }
}

#[inline]
fn step(mv: Move) -> usize {
    let (from, to) = (mv.from().index(), mv.to().index());
    from * 16 + (to.wrapping_sub(from) & 15)
}

#[inline]
fn alone_index(position: &Position, mv: Move) -> usize {
    let king = position.all_kings().contains(mv.from());
    let side = usize::from(position.turn() == Color::White) * 2 + usize::from(king);
    side * STEPS + step(mv)
}

#[inline]
fn context_index(context: Context, mv: Move) -> usize {
    usize::from(context.0) % CONTEXTS * STEPS + step(mv)
}

/// Moves `counter` towards the sign of `bonus`; never beyond [`HISTORY_MOST`].
#[inline]
fn learn(counter: &mut i16, bonus: i32) {
    let old = i32::from(*counter);
    *counter = (old + bonus - old * bonus.abs() / HISTORY_MOST) as i16;
}

impl Statistics {
    /// How well `mv` did so far; higher is better.
    #[inline]
    pub(super) fn rate(&self, position: &Position, mv: Move, earlier: Earlier) -> i32 {
        let alone = self.alone[alone_index(position, mv)];
        let reply = earlier
            .theirs
            .map_or(0, |context| self.reply[context_index(context, mv)]);
        let follow_up = earlier
            .ours
            .map_or(0, |context| self.follow_up[context_index(context, mv)]);
        i32::from(alone) + i32::from(reply) + i32::from(follow_up)
    }

    /// Rewards (`bonus` > 0) or punishes `mv`.
    pub(super) fn update(&mut self, position: &Position, mv: Move, earlier: Earlier, bonus: i32) {
        learn(&mut self.alone[alone_index(position, mv)], bonus);
        if let Some(context) = earlier.theirs {
            learn(&mut self.reply[context_index(context, mv)], bonus);
        }
        if let Some(context) = earlier.ours {
            learn(&mut self.follow_up[context_index(context, mv)], bonus);
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        for counters in [&mut self.alone, &mut self.reply, &mut self.follow_up] {
            counters.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stay_in_range_and_rank_moves() {
        let position = Position::START;
        let moves = position.legal_moves();
        let mut statistics = Statistics::default();
        let earlier = Earlier {
            theirs: Some(Context::of(&position, moves[1])),
            ours: None,
        };
        for _ in 0..1_000 {
            statistics.update(&position, moves[0], earlier, 400);
            statistics.update(&position, moves[2], earlier, -400);
        }
        let rates = [0, 1, 2].map(|index| statistics.rate(&position, moves[index], earlier));
        assert!(rates[0] > rates[1] && rates[1] > rates[2]);
        assert!(rates[0] <= 2 * HISTORY_MOST && rates[2] >= -2 * HISTORY_MOST);
    }
}
