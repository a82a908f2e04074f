//! The static evaluation: what a quiet position is worth, without searching.
//!
//! Knows the rules and the score bands, nothing of search. [`Evaluator`] is the only door for
//! players; a network learned from own games stands behind it. `features` says what the network
//! sees, `network` what it consists of, `accumulator` and `kernel` how it is computed. Start
//! reading at [`Evaluator::evaluate`].

mod accumulator;
pub mod chances;
pub mod features;
mod kernel;
pub mod network;
mod simd;

use std::sync::Arc;

use accumulator::Accumulator;
use features::Pieces;
use kernel::Isa;
use network::Network;

use crate::rules::Position;
use crate::score::{Ply, Score};

/// Gives positions their value. Every search thread owns one.
///
/// The first layer's sums are kept for the last position at each ply: the next one there, or at
/// the ply after it, differs by a piece or two.
#[derive(Clone, Debug)]
pub struct Evaluator {
    network: Arc<Network>,
    isa: Isa,
    /// By ply, modulo their number; [`Accumulator::empty`] before first use.
    accumulators: Vec<Accumulator>,
}

/// Plies for which sums are kept.
const KEPT: usize = 64;

impl Default for Evaluator {
    /// With the network in use.
    fn default() -> Self {
        Self::new(Network::in_use())
    }
}

impl Evaluator {
    /// An evaluator with `network`.
    #[must_use]
    pub fn new(network: Arc<Network>) -> Self {
        Self::with_instructions(network, Isa::best())
    }

    fn with_instructions(network: Arc<Network>, isa: Isa) -> Self {
        let accumulators = vec![Accumulator::empty(&network); KEPT];
        Self {
            network,
            isa,
            accumulators,
        }
    }

    /// The value of `position` for the side to move, inside the evaluation band of [`Score`].
    /// Only meaningful where the side to move cannot jump. `ply` may be anything; calls are quick
    /// where it is the distance from one root.
    #[must_use]
    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        let pieces = Pieces::of(position);
        let at = usize::from(ply.0) % KEPT;
        self.bring_up_to_date(pieces, at);
        let sums = &self.accumulators[at].sums;
        let count = position.occupied().len() as usize;
        let turn = position.turn().index();
        Score::evaluation(self.isa.value(&self.network, sums, turn, count))
    }

    /// The value of a position that belongs to no line.
    #[must_use]
    pub fn evaluate_alone(&mut self, position: &Position) -> Score {
        self.evaluate(position, Ply(0))
    }

    /// Makes accumulator `at` that of `pieces`, from the nearest of those around it.
    #[inline]
    fn bring_up_to_date(&mut self, pieces: Pieces, at: usize) {
        let before = (at + KEPT - 1) % KEPT;
        let here = pieces.difference(self.accumulators[at].pieces);
        let there = pieces.difference(self.accumulators[before].pieces);
        let (network, isa) = (&*self.network, self.isa);
        match self.accumulators.get_disjoint_mut([at, before]) {
            Ok([to, from]) if there < here => to.follow(from, pieces, network, isa),
            _ => self.accumulators[at].advance(pieces, network, isa),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of a game in which the moves are picked by a fixed rule.
    fn some_positions() -> Vec<Position> {
        let mut positions = vec![Position::START];
        for start in 0..40usize {
            let mut position = Position::START;
            for ply in 0..80usize {
                let moves = position.legal_moves();
                let Some(mv) = moves.get((start * 7 + ply * ply) % moves.len().max(1)) else {
                    break;
                };
                position = position.play(*mv);
                positions.push(position);
            }
        }
        positions
    }

    #[test]
    fn colours_are_judged_alike() {
        let mut evaluator = Evaluator::default();
        for position in some_positions() {
            let turned = evaluator.evaluate(&position.rotated(), Ply(0));
            assert_eq!(
                evaluator.evaluate(&position, Ply(0)),
                turned,
                "{position:?}"
            );
        }
    }

    #[test]
    fn a_man_more_is_better() {
        let mut evaluator = Evaluator::default();
        let mut setup = crate::rules::Setup::from(Position::START);
        setup.men[1] = crate::board::Bitboard(0xFFE0_0000);
        let ahead = Position::try_from(setup).expect("legal");
        let gain =
            evaluator.evaluate(&ahead, Ply(0)).0 - evaluator.evaluate(&Position::START, Ply(0)).0;
        assert!((50..250).contains(&gain), "{gain}");
    }

    #[test]
    fn the_shipped_network_is_whole() {
        let bytes = include_bytes!("../../nets/crownhead.net");
        assert_eq!(Network::read(bytes).as_ref(), Ok(&*Network::shipped()));
        let mut damaged = bytes.to_vec();
        damaged[5_000] ^= 1;
        assert_eq!(Network::read(&damaged), Err(network::NetError::Checksum));
        assert!(Network::read(&bytes[..100]).is_err());
    }

    #[test]
    fn following_a_line_gives_what_a_new_start_gives() {
        let mut following = Evaluator::default();
        for (number, position) in some_positions().iter().enumerate() {
            let fresh = Evaluator::default().evaluate(position, Ply(0));
            let ply = Ply(number as u16 * 7 % 81);
            assert_eq!(following.evaluate(position, ply), fresh, "{position:?}");
        }
    }

    #[test]
    fn all_instruction_sets_agree() {
        let network = Network::shipped();
        let mut evaluators: Vec<Evaluator> = Isa::all()
            .into_iter()
            .map(|isa| Evaluator::with_instructions(Arc::clone(&network), isa))
            .collect();
        for (ply, position) in some_positions().iter().enumerate() {
            let values = evaluators
                .iter_mut()
                .map(|it| it.evaluate(position, Ply(ply as u16 % 80)));
            let values: Vec<Score> = values.collect();
            assert!(values.iter().all(|it| *it == values[0]), "{values:?}");
        }
    }
}
