//! Published and independently computed perft counts (`tests/data/perft.json`).

use engine::notation::{Notation, fen, moves};
use engine::rules::perft::Perft;
use engine::rules::{Move, Position, Route};
use serde_json::Value;

use crate::array_rules::ArrayBoard;

/// Positions counted at most by each way of counting, for one depth of one position.
const FAST: u64 = 20_000_000;
const BY_LISTS: u64 = 1_000_000;
const BY_ARRAYS: u64 = 30_000;

fn data() -> Value {
    serde_json::from_str(include_str!("data/perft.json")).expect("valid JSON")
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a count")
}

fn position(case: &Value) -> Position {
    fen::read(case["fen"].as_str().expect("text")).expect("a legal FEN")
}

/// Calls `check` for each position of the data and each depth up to a count of `most`.
fn each_depth(key: &str, most: u64, check: impl Fn(&Position, u8, u64)) {
    let data = data();
    for case in data["positions"].as_array().expect("a list") {
        let counts = case[key].as_array().expect("a list");
        for (depth, count) in (1..).zip(counts.iter().map(number)) {
            if count <= most {
                check(&position(case), depth, count);
            }
        }
    }
}

fn by_lists(position: &Position, depth: u8, merged: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves: Vec<Move> = if merged {
        position.legal_moves().into_iter().collect()
    } else {
        position.routes().iter().map(Route::as_move).collect()
    };
    moves
        .into_iter()
        .map(|mv| by_lists(&position.play(mv), depth - 1, merged))
        .sum()
}

#[test]
fn bulk_counts_match_the_data() {
    for (key, perft) in [
        ("perft_all_sequences", Perft::by_route()),
        ("perft_unique", Perft::merged()),
    ] {
        each_depth(key, FAST, |position, depth, count| {
            let shown = fen::write(position);
            assert_eq!(perft.count(position, depth), count, "{key} {shown} {depth}");
        });
    }
}

#[test]
fn move_lists_match_the_data() {
    for (key, merged) in [("perft_all_sequences", false), ("perft_unique", true)] {
        each_depth(key, BY_LISTS, |position, depth, count| {
            assert_eq!(
                by_lists(position, depth, merged),
                count,
                "{key} {position:?} {depth}"
            );
        });
    }
}

#[test]
fn the_array_twin_matches_the_data() {
    for (key, merged) in [("perft_all_sequences", false), ("perft_unique", true)] {
        each_depth(key, BY_ARRAYS, |position, depth, count| {
            let board = ArrayBoard::new(position);
            assert_eq!(
                board.perft(depth, merged),
                count,
                "{key} {position:?} {depth}"
            );
        });
    }
}

/// The two conventions part at depth 12. The table makes the depths of billions quick.
#[test]
fn the_published_counts_of_the_start_position_hold() {
    let data = data();
    for (key, perft) in [
        ("start_published_all", Perft::by_route()),
        ("start_unique", Perft::merged()),
    ] {
        let perft = perft.with_table(64).expect("64 MiB");
        for depth in 1..=13u8 {
            let published = &data[key][depth.to_string()];
            if !published.is_null() {
                let count = perft.count(&Position::START, depth);
                assert_eq!(count, number(published), "{key} {depth}");
            }
        }
    }
}

#[test]
fn the_divide_matches_the_data() {
    let data = data();
    for case in data["positions"].as_array().expect("a list") {
        let position = position(case);
        let depth = number(&case["divide_depth"]) as u8;
        let mut found: Vec<(String, u64)> = Perft::by_route()
            .divide(&position, depth)
            .into_iter()
            .map(|(route, count)| (ends(&route), count))
            .collect();
        let mut expected: Vec<(String, u64)> = case["divide"]
            .as_object()
            .expect("moves")
            .iter()
            .flat_map(|(mv, counts)| {
                let counts = counts.as_array().expect("a list");
                counts.iter().map(|count| (mv.clone(), number(count)))
            })
            .collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{}", case["name"]);
    }
}

/// The data names moves by their ends, several routes under one name.
fn ends(route: &Route) -> String {
    let text = moves::write_route(route, Notation::Numeric);
    let separator = if text.contains('x') { 'x' } else { '-' };
    let squares = route.squares();
    format!("{}{separator}{}", squares[0], squares[squares.len() - 1])
}
