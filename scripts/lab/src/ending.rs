//! Endings drawn at random with their exact values: games of the engine end before these.

use engine::board::{Bitboard, Color};
use engine::rules::{Position, Setup};
use engine::score::Score;
use engine::tablebase::Tablebase;
use fastrand::Rng;

use crate::record::{Label, Record};

/// A random position of 2 to `most` pieces that the databases know, with nothing to jump.
pub fn random(rng: &mut Rng, most: u32, tablebase: &Tablebase) -> Record {
    loop {
        let pieces = rng.u32(2..=most);
        let position = place(rng, pieces).filter(|it| !it.has_jump() && it.can_move());
        let Some(position) = position else { continue };
        if let Ok(value) = tablebase.probe(&position) {
            return Record {
                position,
                score: Score::DRAW,
                label: Label::Known(value),
                exact: true,
                ply: u8::MAX,
            };
        }
    }
}

/// Men and kings anywhere, at least one piece a side; `None` if the squares were no good.
fn place(rng: &mut Rng, pieces: u32) -> Option<Position> {
    let mut setup = Setup::empty(Color::BOTH[rng.usize(..2)]);
    let mut occupied = 0u32;
    for number in 0..pieces {
        let side = match number {
            0 | 1 => number as usize,
            _ => rng.usize(..2),
        };
        let square = 1u32 << rng.u32(..32);
        if occupied & square != 0 {
            return None;
        }
        occupied |= square;
        let kind = if rng.bool() {
            &mut setup.men
        } else {
            &mut setup.kings
        };
        kind[side] |= Bitboard(square);
    }
    Position::try_from(setup).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_small_quiet_and_of_every_value() {
        let tablebase = Tablebase::built_in(8);
        let mut rng = Rng::with_seed(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let record = random(&mut rng, 5, &tablebase);
            let pieces = record.position.occupied().len();
            assert!((2..=5).contains(&pieces) && record.exact);
            let Label::Known(value) = record.label else {
                panic!("an ending without a value");
            };
            seen.insert(value);
        }
        assert_eq!(seen.len(), 3);
    }
}
