//! The tables of odd inputs in `tests/data/notation`, one line a case.

use engine::notation::pdn::{PdnGame, Reader, play_line};
use engine::notation::{Notation, fen, moves, read_position};
use engine::rules::Game;

/// The lines of a table: columns between tabs, `#` for comments.
fn cases(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

/// `\n`, `\r`, `\t`, `\\` and `\xNN` as bytes.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let (code, tail) = after.split_at(if after.starts_with('x') { 3 } else { 1 });
        bytes.push(match code {
            "n" => b'\n',
            "r" => b'\r',
            "t" => b'\t',
            "\\" => b'\\',
            code => u8::from_str_radix(&code[1..], 16).expect("two hex digits"),
        });
        rest = tail;
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[test]
fn fens() {
    for case in cases(include_str!("../data/notation/fen.tsv")) {
        let [text, expected] = case[..] else {
            panic!("two columns: {case:?}")
        };
        let text = String::from_utf8(unescape(text)).expect("UTF-8");
        let found = match fen::read(&text) {
            Ok(position) => fen::write(&position),
            Err(error) => format!("!{error}"),
        };
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn move_texts() {
    for case in cases(include_str!("../data/notation/moves.tsv")) {
        let [position, text, expected] = case[..] else {
            panic!("three columns: {case:?}")
        };
        let position = fen::read(position).expect("a FEN");
        let found = match moves::read(text, &position) {
            Ok(mv) => moves::write_hub(mv),
            Err(error) => format!("!{error}"),
        };
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn games() {
    let mut wrong = Vec::new();
    for case in cases(include_str!("../data/notation/pdn.tsv")) {
        let [text, expected] = case[..] else {
            panic!("two columns: {case:?}")
        };
        let bytes = unescape(text);
        let found: Vec<String> = Reader::new(&bytes[..])
            .map(|game| summary(&game.expect("memory does not fail")))
            .collect();
        let found = found.join(" | ");
        if found != expected {
            wrong.push(format!("{text}\n  found    {found}\n  expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lines_of_moves() {
    for case in cases(include_str!("../data/notation/lines.tsv")) {
        let [position, text, expected] = case[..] else {
            panic!("three columns: {case:?}")
        };
        let mut game = Game::new(fen::read(position).expect("a FEN"));
        let found = match play_line(text, &mut game) {
            Ok(()) => game
                .history()
                .map(|(before, mv)| moves::write(mv, &before, Notation::Numeric))
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => format!("!{error}"),
        };
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn texts_of_any_form() {
    for case in cases(include_str!("../data/notation/texts.tsv")) {
        let [text, expected] = case[..] else {
            panic!("two columns: {case:?}")
        };
        let text = String::from_utf8(unescape(text)).expect("UTF-8");
        let found = match read_position(&text) {
            Ok(read) => fen::write(&read.position()),
            Err(error) => format!("!{error}"),
        };
        assert_eq!(found, expected, "{text}");
    }
}

fn summary(game: &PdnGame) -> String {
    let mut words = Vec::new();
    words.extend(game.tag("Event").map(|event| format!("Event={event}")));
    let mut position = game.start;
    for played in &game.moves {
        words.push(moves::write(played.mv, &position, Notation::Numeric));
        position = played.setup.unwrap_or(position.play(played.mv));
    }
    match &game.fault {
        Some(fault) => words.push(format!("!{fault}")),
        None => words.push(game.result.to_string()),
    }
    if !game.warnings.is_empty() {
        words.push(format!("+{}", game.warnings.len()));
    }
    words.join(" ")
}
