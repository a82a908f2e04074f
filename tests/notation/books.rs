//! Boards and lines as books print them: Edward Lasker's, and a collection of problems.

use engine::board::Color;
use engine::notation::{DiagramError, Notation, diagram, fen, moves, pdn, read_position};
use engine::rules::{Game, Position};
use serde_json::Value;

/// The printed boards, in order of the file, and the position of each.
const PRINTED: [Option<&str>; 5] = [
    Some("B:W21-32:B1-12"),
    None,
    None,
    Some("B:W13,14,22,23,26,30:B5,7,8,11,15,21,28"),
    Some("B:WK32,K18:BK24,12"),
];

fn printed() -> Vec<&'static str> {
    include_str!("../data/notation/diagrams.txt")
        .split("\n======== ")
        .skip(1)
        .map(|part| part.split_once('\n').expect("a heading").1)
        .collect()
}

#[test]
fn printed_boards_are_read() {
    let boards = printed();
    assert_eq!(boards.len(), PRINTED.len());
    for (text, expected) in boards.into_iter().zip(PRINTED) {
        let found = diagram::read(text).map(|placement| placement.position);
        let expected = expected
            .map(|text| fen::read(text).expect("a FEN"))
            .ok_or(DiagramError::NamesOnly);
        assert_eq!(found, expected, "{text}");
    }
}

/// Ways in which printers, mailers and scanners damage a board without changing what it says.
#[test]
fn damaged_boards_are_read() {
    let position = fen::read("W:WK18,32,13:B12,K24,21").expect("a FEN");
    for notation in [Notation::Numeric, Notation::Algebraic] {
        let print = diagram::print(&position, notation);
        let rows = |change: &dyn Fn(&str) -> String| print.lines().map(change).collect::<Vec<_>>();
        let damaged = [
            rows(&|line| line.replace('-', "\u{2014}")).join("\n"),
            rows(&|line| line.replace('-', "="))
                .join("\n")
                .replace('=', "\u{2013}"),
            rows(&|line| format!("    {line}   ")).join("\r\n"),
            rows(&|line| line.replace("    ", "\t")).join("\n"),
            rows(&|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).join("\n"),
            rows(&str::to_owned).join("\n\n"),
            rows(&|line| line.replace("--------+", "\n\n-------+")).join("\n"),
            print
                .lines()
                .filter(|line| line.contains('|'))
                .collect::<Vec<_>>()
                .join("\n"),
            print
                .lines()
                .filter(|line| !line.contains("--"))
                .collect::<Vec<_>>()
                .join("\n"),
            print
                .lines()
                .filter(|line| line.contains('|'))
                .collect::<Vec<_>>()
                .join(" "),
            rows(&|line| line.trim_end().trim_end_matches('|').to_owned()).join("\n"),
            rows(&|line| line.replace('|', "\u{2502}")).join("\n"),
            format!("Bia\u{142}e\n{print}\nCzarne\n\nDiagram 12.\nBia\u{142}e wygrywaj\u{105}\n"),
        ];
        for text in damaged {
            let found = diagram::read(&text).map(|placement| placement.position);
            assert_eq!(found, Ok(position.with_turn(Color::Black)), "{text}");
        }
    }
}

#[test]
fn captions_name_the_mover() {
    let print = diagram::print(&Position::START, Notation::Numeric);
    let captions = [
        ("White to move", Some(Color::White)),
        ("Diagram 3. WHITE TO PLAY and win.", Some(Color::White)),
        ("black to play", Some(Color::Black)),
        ("Turn: white", Some(Color::White)),
        (
            "Bia\u{142}e zaczynaj\u{105} i wygrywaj\u{105}",
            Some(Color::White),
        ),
        ("White wins", None),
        ("Black to move draws; white to move wins", None),
        ("", None),
    ];
    for (caption, turn) in captions {
        let placement = diagram::read(&format!("{print}\n{caption}\n")).expect("a board");
        assert_eq!(placement.turn, turn, "{caption}");
    }
}

/// Position, board text and what is wrong with it.
#[test]
fn broken_boards_are_refused_with_the_place() {
    let print = diagram::print(&Position::START, Notation::Numeric);
    let broken = [
        (print.replacen("28 |  o |    |", "28 |", 1), "line 5: found"),
        (
            print.lines().take(9).collect::<Vec<_>>().join("\n"),
            "found 4 rows",
        ),
        (
            print.replacen(" o ", " q ", 1),
            "line 3, cell 2: found \"q\"",
        ),
        (
            print.replacen("|    |  o |", "|  o |    |", 1),
            "line 3, cell 1: \"o\" stands on a light square",
        ),
        (
            print.replacen(
                "|  * |    |  * |    |  * |    |  * |    |\n   +",
                "|  o |    |  * |    |  * |    |  * |    |\n   +",
                1,
            ),
            "White man on 4 stands on its crown row",
        ),
    ];
    for (text, expected) in broken {
        let error = diagram::read(&text)
            .expect_err("a broken board")
            .to_string();
        assert!(error.contains(expected), "{error}\n{text}");
    }
}

/// The rules example of the English and the Polish book: every reply is the only legal move.
#[test]
fn diagram_87_replays_in_both_notations() {
    let start = fen::read("W:W13,14,22,23,26,30:B5,7,8,11,15,21,28").expect("a FEN");
    let numeric = ["14-9", "5x14", "23-18", "14x23", "26x19x10x3"];
    let algebraic = ["f4-g3", "h2xf4", "d6-e5", "f4xd6", "e7xc5xe3xc1"];
    let printed = diagram::read(printed()[3]).expect("a board").position;
    assert_eq!(printed.with_turn(Color::White), start);
    for line in [
        numeric,
        algebraic,
        ["14-9", "h2:f4", "2318", "14-23", "e7:c1"],
    ] {
        let mut game = Game::new(start);
        for text in line {
            if game.position().turn() == Color::Black {
                assert_eq!(game.position().legal_moves().len(), 1, "{text}");
            }
            moves::play(text, &mut game).expect(text);
        }
        let end = fen::read("B:WK3,13,22,30:B8,11,21,28").expect("a FEN");
        assert_eq!(game.position(), end);
    }
}

fn replay(position: &str, line: &str) -> Game {
    let mut game = Game::new(fen::read(position).expect(position));
    let played = pdn::play_line(line, &mut game);
    assert_eq!(played, Ok(()), "{line} in {position}");
    game
}

fn texts(entry: &Value) -> Vec<&str> {
    match entry {
        Value::String(line) => vec![line],
        Value::Array(lines) => lines.iter().flat_map(texts).collect(),
        Value::Object(lines) => lines.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Every published line is legal, and is written back as it is printed.
#[test]
fn published_lines_replay() {
    let lasker: Value =
        serde_json::from_str(include_str!("../data/lasker_positions.json")).expect("JSON");
    let problems: Value =
        serde_json::from_str(include_str!("../data/problems.json")).expect("JSON");
    let entries = [&lasker["positions"], &problems["problems"]]
        .into_iter()
        .flat_map(|list| list.as_array().expect("a list"));
    let mut plies = 0;
    for entry in entries {
        let position = entry["fen"].as_str().expect("a FEN");
        for line in texts(&entry["line"])
            .into_iter()
            .chain(texts(&entry["other_lines"]))
        {
            let game = replay(position, line);
            plies += game.moves().len();
            let written: Vec<String> = game
                .history()
                .map(|(before, mv)| moves::write(mv, &before, Notation::Numeric))
                .collect();
            replay(position, &written.join(" "));
        }
    }
    assert_eq!(plies, 778);
}

#[test]
fn the_form_of_a_text_is_found() {
    let start = Position::START;
    let print = diagram::print(&start, Notation::Algebraic);
    for text in [
        "B:W21-32:B1-12",
        "[FEN \"B:W21-32:B1-12\"]",
        &print,
        "[Event \"x\"]\n*",
        "# one\nB:W21-32:B1-12",
    ] {
        assert_eq!(read_position(text).expect(text).position(), start, "{text}");
    }
    for text in ["", " \n", "hello", "\0"] {
        assert!(read_position(text).is_err(), "{text:?}");
    }
}
