//! Openings of self-play games: varied, none twice but by chance, most of them balanced.

use engine::board::{Bitboard, Color};
use engine::rules::{Game, Position, Setup};
use fastrand::Rng;

/// Men that are taken off each side, drawn from this list: half of the games are 11-man games.
const TAKEN_OFF: [u32; 8] = [0, 0, 1, 1, 1, 1, 2, 3];

/// A game with a few random moves behind it; `None` if it ended with them.
#[must_use]
pub fn random(rng: &mut Rng) -> Option<Game> {
    let taken = TAKEN_OFF[rng.usize(..TAKEN_OFF.len())];
    let mut setup = Setup::empty(Color::Black);
    setup.men = [some_of(rng, 0, 12 - taken), some_of(rng, 20, 12 - taken)];
    let mut game = Game::new(Position::try_from(setup).ok()?);
    for _ in 0..2 + rng.usize(..9) {
        play_random(rng, &mut game)?;
    }
    game.outcome().is_none().then_some(game)
}

/// `count` of the twelve squares from index `first` on.
fn some_of(rng: &mut Rng, first: u32, count: u32) -> Bitboard {
    let mut set = 0xFFF;
    while u32::count_ones(set) > count {
        set &= !(1 << rng.u32(..12));
    }
    Bitboard(set << first)
}

/// Plays any legal move; `None` if there is none.
pub fn play_random(rng: &mut Rng, game: &mut Game) -> Option<()> {
    let moves = game.position().legal_moves();
    let mv = *moves.get(rng.usize(..moves.len().max(1)))?;
    game.play(mv).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_equal_in_number_before_the_random_moves_take_some() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..100 {
            let Some(game) = random(&mut rng) else {
                continue;
            };
            let start = game.start();
            assert_eq!(start.own().len(), start.theirs().len());
            assert!((9..=12).contains(&start.own().len()));
        }
    }
}
