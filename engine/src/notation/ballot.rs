//! The openings of tournament play: three moves drawn by ballot.
//!
//! The list is data (`ballots_3move.txt`), read with the same reader as every other move. Knows
//! nothing of matches; what to do with an opening is the caller's.

use std::sync::LazyLock;

use super::{Notation, moves};
use crate::rules::{Game, Move, Position};

const LIST: &str = include_str!("ballots_3move.txt");

static THREE_MOVE: LazyLock<Vec<Ballot>> =
    LazyLock::new(|| LIST.lines().filter_map(read).collect());

/// Which pack a ballot is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deck {
    /// Played over the board: 144 ballots.
    Crossboard,
    /// Added for play by mail: 12 ballots.
    Mail,
    /// Lost for one side and not drawn: 18 ballots.
    Barred,
}

/// Three opening moves from the start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ballot {
    number: u32,
    deck: Deck,
    moves: [Move; 3],
}

impl Ballot {
    /// All 174 ballots of three moves, by number.
    #[must_use]
    pub fn three_move() -> &'static [Self] {
        &THREE_MOVE
    }

    /// The 156 that are played.
    pub fn playable() -> impl Iterator<Item = Self> {
        Self::three_move()
            .iter()
            .copied()
            .filter(|ballot| ballot.deck != Deck::Barred)
    }

    /// Its number in the federation's list, 1 to 174.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The pack it belongs to.
    #[must_use]
    pub const fn deck(&self) -> Deck {
        self.deck
    }

    /// The three moves: Black, White, Black.
    #[must_use]
    pub const fn moves(&self) -> [Move; 3] {
        self.moves
    }

    /// The game after the three moves, White to move.
    #[must_use]
    pub fn game(&self) -> Game {
        let mut game = Game::new(Position::START);
        for mv in self.moves {
            let played = game.play(mv);
            debug_assert!(played.is_ok(), "the list was read with legal moves only");
        }
        game
    }

    /// Its name, which is its moves: `9-13 21-17 5-9`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut position = Position::START;
        self.moves
            .map(|mv| {
                let text = moves::write(mv, &position, Notation::Numeric);
                position = position.play(mv);
                text
            })
            .join(" ")
    }
}

/// One line of the list: number, deck, three moves. Comments are no ballots.
fn read(line: &str) -> Option<Ballot> {
    let mut words = line.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let deck = match words.next()? {
        "crossboard" => Deck::Crossboard,
        "mail" => Deck::Mail,
        "barred" => Deck::Barred,
        _ => return None,
    };
    let mut position = Position::START;
    let mut next = || {
        let mv = moves::read(words.next()?, &position).ok()?;
        position = position.play(mv);
        Some(mv)
    };
    Some(Ballot {
        number,
        deck,
        moves: [next()?, next()?, next()?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decks_have_their_published_sizes() {
        let count = |deck| {
            let of_deck = |ballot: &&Ballot| ballot.deck == deck;
            Ballot::three_move().iter().filter(of_deck).count()
        };
        assert_eq!(Ballot::three_move().len(), 174);
        assert_eq!(count(Deck::Crossboard), 144);
        assert_eq!(count(Deck::Mail), 12);
        assert_eq!(count(Deck::Barred), 18);
        assert_eq!(Ballot::playable().count(), 156);
    }

    #[test]
    fn numbers_are_in_order_and_texts_read_back() {
        for (index, ballot) in Ballot::three_move().iter().enumerate() {
            assert_eq!(ballot.number() as usize, index + 1);
            let line = format!("{} mail {}", ballot.number(), ballot.text());
            assert_eq!(read(&line).map(|ballot| ballot.moves), Some(ballot.moves));
            assert_eq!(ballot.game().moves().len(), 3);
        }
    }
}
