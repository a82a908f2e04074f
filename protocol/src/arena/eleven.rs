//! The 11-man openings, made by rule.
//!
//! A man is taken from one of each side's two front rows, then each side makes a move that leaves
//! its back row whole. That gives 2,500 different positions with Black to move, the very ones that
//! Ed Gilbert published; 247 of them are lost for one side (data/lost_11man.txt). Every game starts
//! uneven, so that even equal engines win and lose. Start reading at [`eleven_man`].

use std::collections::{BTreeSet, HashSet};

use engine::board::{Bitboard, Color, Square, regions};
use engine::rules::{Move, Position, Setup};

use super::openings::Opening;

const LOST: &str = include_str!("../../data/lost_11man.txt");

/// All 2,500 openings, by the men taken off and then by the moves.
#[must_use]
pub(super) fn eleven_man() -> Vec<Opening> {
    let lost: BTreeSet<&str> = LOST.lines().filter(|line| !line.starts_with('#')).collect();
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    for black in front_rows(Color::Black).squares() {
        for white in front_rows(Color::White).squares() {
            let Some(start) = without(black, white) else {
                continue;
            };
            for [first, second] in pairs_of_moves(start) {
                let end = start.play(first).play(second);
                if seen.insert(end) {
                    let name = format!("{black} {white} {first} {second}");
                    openings.push(Opening {
                        lost: lost.contains(name.as_str()),
                        start: end,
                        moves: Vec::new(),
                        name,
                    });
                }
            }
        }
    }
    openings
}

/// The rows in front of the back row, as a game begins.
fn front_rows(color: Color) -> Bitboard {
    Position::START.men(color) - regions::crownhead(!color)
}

fn without(black: Square, white: Square) -> Option<Position> {
    let mut setup = Setup::from(Position::START);
    setup.men[0] = setup.men[0] - black.bit();
    setup.men[1] = setup.men[1] - white.bit();
    Position::try_from(setup).ok()
}

fn pairs_of_moves(start: Position) -> impl Iterator<Item = [Move; 2]> {
    moves_off_the_back_row(start)
        .into_iter()
        .flat_map(move |first| {
            moves_off_the_back_row(start.play(first))
                .into_iter()
                .map(move |second| [first, second])
        })
}

fn moves_off_the_back_row(position: Position) -> Vec<Move> {
    let back_row = regions::crownhead(!position.turn());
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.retain(|mv| !back_row.contains(mv.from()));
    moves.sort_by_key(|mv| (mv.from(), mv.to()));
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2,500 positions, 2,253 of them playable: pydraughts 0.6.7, ballot_files/11_english.json.
    #[test]
    fn the_published_numbers_come_out() {
        let openings = eleven_man();
        assert_eq!(openings.len(), 2_500);
        assert_eq!(
            openings.iter().filter(|opening| !opening.lost).count(),
            2_253
        );
        for opening in openings {
            let position = opening.start;
            assert_eq!(position.turn(), Color::Black);
            assert_eq!(Color::BOTH.map(|color| position.men(color).len()), [11, 11]);
        }
    }
}
