//! Distances of the endgame databases: against a slow twin, and as what wins games.
//!
//! With `CROWNHEAD_TABLEBASE` naming a folder of more pieces these tests look at those too.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use engine::engine::{Engine, EngineOptions};
use engine::notation::fen;
use engine::rules::{Game, Outcome, Position};
use engine::search::Limits;
use engine::tablebase::distance::Image;
use engine::tablebase::rest::is_left_out;
use engine::tablebase::{Index, Rated, Slice, Tablebase, Wld, forty_move_value};
use protocol::databases::{self, CACHE_MB, Wanted};

static FOUND: LazyLock<Arc<Tablebase>> = LazyLock::new(|| {
    let found = databases::open(&Wanted::Usual, CACHE_MB).expect("sound files");
    Arc::new(found.tablebase.expect("at least what is built in"))
});

/// All positions of a slice, and then with the other side to move.
fn positions(slice: Slice) -> Vec<Position> {
    let both = [slice, slice.reversed()].map(Index::new);
    let all = both
        .iter()
        .flat_map(|index| (0..index.len()).filter_map(|number| index.placement(number).position()));
    all.collect()
}

/// The distances of all positions of a pair of slices, level by level from the rules and the
/// values: the slow twin.
fn levels(slice: Slice) -> HashMap<Position, u32> {
    // Black is to move in every numbered position.
    let seen = |position: Position| match position.turn() {
        engine::board::Color::Black => position,
        engine::board::Color::White => position.rotated(),
    };
    let value = |position: &Position| FOUND.probe(position).expect("built in");
    let mut open: Vec<(Position, Wld)> = positions(slice)
        .into_iter()
        .map(|position| (position, value(&position)))
        .filter(|&(_, value)| value != Wld::Draw)
        .collect();
    let mut found = HashMap::new();
    for plies in 1.. {
        let settled = |&(position, value): &(Position, Wld)| {
            let ends = |mv| {
                let next = position.play(mv);
                let kept = value == Wld::Loss || FOUND.probe(&next) == Ok(Wld::Loss);
                let near = position.is_irreversible(mv) || found.contains_key(&seen(next));
                (kept, near)
            };
            let mut moves = position.legal_moves().into_iter().map(ends);
            match value {
                Wld::Win => moves.any(|it| it == (true, true)),
                _ => moves.all(|(_, near)| near),
            }
        };
        let (now, later): (Vec<_>, Vec<_>) = open.into_iter().partition(settled);
        if now.is_empty() {
            assert!(later.is_empty(), "{slice}: wins without a distance");
            return found;
        }
        found.extend(now.into_iter().map(|(position, _)| (position, plies)));
        open = later;
    }
    found
}

#[test]
fn distances_are_those_of_the_slow_twin() {
    let mut compared = 0;
    for slice in (2..=3).flat_map(|pieces| Slice::all(pieces, 4)) {
        if slice.own.pieces() < slice.their.pieces() {
            continue;
        }
        for (position, plies) in levels(slice) {
            let found = FOUND.distance(&position);
            assert_eq!(found, Ok(Some(plies)), "{}", fen::write(&position));
            compared += 1;
        }
    }
    assert!(compared > 150_000, "{compared}");
}

/// The positions that are longest from their next capture or man's move, with their distances.
fn longest(pieces: u32) -> Vec<(Position, u32)> {
    let of_pieces = |image: &&Image| image.header().slice.pieces() == pieces;
    let mut all: Vec<(Position, u32)> = FOUND
        .distances()
        .iter()
        .filter(of_pieces)
        .filter_map(|image| {
            let header = image.header();
            let placement = Index::new(header.slice).placement(header.longest_at);
            Some((placement.position()?, u32::from(header.longest)))
        })
        .collect();
    all.sort_by_key(|&(_, plies)| std::cmp::Reverse(plies));
    all
}

/// Plays a won position to its end: the engine wins, against the defence that holds out longest.
fn play_out(start: Position, depth: i16) -> Game {
    let mut engine = Engine::new(EngineOptions {
        hash_mb: 4,
        threads: 1,
    })
    .expect("4 MiB");
    engine.set_tablebase(Some(FOUND.clone()));
    let mut game = Game::new(start);
    while game.outcome().is_none() {
        let position = game.position();
        let mv = match FOUND.probe(&position) {
            Ok(Wld::Win) => {
                engine.set_game(game.clone());
                engine.search(Limits::to_depth(depth)).best
            }
            _ => FOUND
                .rate_moves(&position)
                .iter()
                .min_by_key(|rated| rated.order())
                .map(|rated| rated.mv),
        };
        game.play(mv.expect("the game goes on")).expect("legal");
    }
    game
}

#[test]
fn long_wins_are_won_within_the_forty_move_rule() {
    let most = FOUND
        .distances()
        .iter()
        .map(|it| it.header().slice.pieces());
    for (position, plies) in longest(most.max().unwrap_or(0)).into_iter().take(10) {
        let text = fen::write(&position);
        assert_eq!(FOUND.distance(&position), Ok(Some(plies)), "{text}");
        let winner = match FOUND.probe(&position) {
            Ok(Wld::Win) => position.turn(),
            _ => !position.turn(),
        };
        let game = play_out(position, 5);
        if plies <= 80 {
            assert_eq!(game.outcome(), Some(Outcome::Win(winner)), "{text}");
        }
    }
}

#[test]
fn famous_wins_are_won() {
    // Longest wins to the end of the game by pieces, and the First Position; see endgame_counts.
    for text in [
        "W:WK19,K23:B12,K28",
        "B:WK13:BK1",
        "B:W30:B25",
        "B:WK4,K12:BK1",
    ] {
        let position = fen::read(text).expect("a position");
        let game = play_out(position, 5);
        assert!(matches!(game.outcome(), Some(Outcome::Win(_))), "{text}");
    }
}

/// A game in which kings have walked to and fro for `plies` (a multiple of four) from `position`.
fn after_shuffling(position: Position, plies: usize) -> Game {
    let mut game = Game::new(position);
    let there_and_back = |first, second| {
        let mut trial = Game::new(position);
        for mv in [first, second] {
            trial.play(mv).ok()?;
        }
        let mut line = vec![first, second];
        for _ in 0..2 {
            let back = line[line.len() - 2];
            let moves = trial.position().legal_moves();
            let home = moves
                .into_iter()
                .find(|mv| (mv.from(), mv.to()) == (back.to(), back.from()))?;
            trial.play(home).ok()?;
            line.push(home);
        }
        (trial.quiet_plies() == 4).then_some(line)
    };
    let firsts = position.legal_moves();
    let line = firsts.into_iter().find_map(|first| {
        let seconds = position.play(first).legal_moves();
        seconds
            .into_iter()
            .find_map(|second| there_and_back(first, second))
    });
    let line = line.expect("kings that can walk");
    for mv in line.iter().cycle().take(plies) {
        game.play(*mv).expect("legal");
    }
    game
}

#[test]
fn a_win_that_comes_too_late_is_not_taken_for_one() {
    let position = fen::read("W:WK19,K23:B12,K28").expect("a position");
    let plies = FOUND.distance(&position).expect("built in").expect("a win");
    let mut engine = Engine::new(EngineOptions {
        hash_mb: 4,
        threads: 1,
    })
    .expect("4 MiB");
    engine.set_tablebase(Some(FOUND.clone()));
    for quiet in [60, 64, 76] {
        let game = after_shuffling(position, quiet);
        let in_time = quiet as u32 + plies <= 80;
        let value = forty_move_value(Wld::Win, Some(plies), game.quiet_plies());
        assert_eq!(value == Wld::Win, in_time);
        engine.set_game(game);
        let report = engine.search(Limits::to_depth(4)).report;
        assert_eq!(report.proven(), in_time.then_some(Wld::Win), "{quiet}");
    }
}

#[test]
fn moves_are_ordered_by_what_they_are_worth() {
    let position = fen::read("W:WK19,K23:B12,K28").expect("a position");
    let mut rated = FOUND.rate_moves(&position);
    rated.sort_by_key(Rated::order);
    let values: Vec<_> = rated.iter().map(|it| it.value).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    assert_eq!(
        rated[0].distance,
        FOUND.distance(&position).expect("built in")
    );
}

/// Look-ups that a probe makes at most: all successors where it goes on to them.
fn look_ups(position: &Position) -> u32 {
    if !position.can_move() || position.theirs().is_empty() {
        return 0;
    }
    if !position.has_jump() && !is_left_out(position) {
        return 1;
    }
    let moves = position.legal_moves().into_iter();
    moves.map(|mv| look_ups(&position.play(mv))).sum()
}

/// Chains of threats and captures: every hundredth position of five pieces and a sample of six.
#[test]
fn every_probe_needs_few_look_ups() {
    let (mut worst, mut all, mut sum) = ((0, None), 0_u64, 0_u64);
    for (pieces, step) in [(4, 20), (5, 1_009), (6, 20_011)] {
        for slice in Slice::all(pieces, 4) {
            let index = Index::new(slice);
            for number in (0..index.len()).step_by(step) {
                let position = index.placement(number).position().expect("legal");
                let count = look_ups(&position);
                worst = worst.max((count, Some(number)));
                (all, sum) = (all + 1, sum + u64::from(count));
                assert!(count <= 400, "{count}: {}", fen::write(&position));
            }
        }
    }
    assert!(
        sum < 4 * all,
        "{sum} look-ups for {all} positions, at worst {worst:?}"
    );
}
