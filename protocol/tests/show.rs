//! `crownhead show` as people run it: every odd input gives a position, or one line and exit 2.

mod process;

use std::process::Output;

use process::run;

fn show(arguments: &[&str], input: &[u8]) -> Output {
    run(&[&["show"], arguments].concat(), input)
}

/// Exit 0 with output and nothing but warnings on standard error, or exit 2 with one line on it.
fn check(name: &str, output: &Output) -> bool {
    let told = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(
            !output.stdout.is_empty() && told.lines().all(|line| line.starts_with("warning: ")),
            "{name}: {told}"
        ),
        Some(2) => {
            assert!(output.stdout.is_empty(), "{name}");
            assert_eq!(told.lines().count(), 1, "{name}: {told}");
            assert!(
                told.starts_with("error: ") && told.len() > 20,
                "{name}: {told}"
            );
        }
        code => panic!("{name}: exit {code:?}, {told}"),
    }
    output.status.success()
}

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

fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
}

#[test]
fn odd_fens_and_games_are_shown_or_refused_in_one_line() {
    for (text, expected) in rows(include_str!("../../tests/data/notation/fen.tsv")) {
        let bytes = unescape(text);
        let piped = check(text, &show(&["-"], &bytes));
        // A tag that holds no FEN is a game's.
        let game = text.starts_with("[Event");
        assert_eq!(piped, game || !expected.starts_with('!'), "{text}");
        if let Ok(argument) = std::str::from_utf8(&bytes) {
            assert_eq!(
                check(text, &show(&["--json", argument], b"")),
                piped,
                "{text}"
            );
        }
    }
    for (text, expected) in rows(include_str!("../../tests/data/notation/pdn.tsv")) {
        // A lone result is a game to the reader of PDN, and no position to show.
        if text == "1. 0-2" {
            continue;
        }
        let shown = check(text, &show(&["-", "--json"], &unescape(text)));
        let first = expected.split(" | ").next().unwrap_or_default();
        assert_eq!(shown, !first.contains('!'), "{text}");
    }
}

#[test]
fn moves_are_played_or_refused_in_one_line() {
    for (position, rest) in rows(include_str!("../../tests/data/notation/moves.tsv")) {
        let (text, expected) = rest.split_once('\t').expect("three columns");
        // `--moves` takes a line of PDN, in which blanks part moves and `1-0` is a result.
        if text.is_empty() || text.contains(' ') || text == "1-0" {
            continue;
        }
        let shown = check(text, &show(&[position, "--moves", text], b""));
        assert_eq!(shown, !expected.starts_with('!'), "{text} in {position}");
    }
}

#[test]
fn what_is_no_text_is_refused() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let missing = "no/such/file.pdn";
    for arguments in [
        &[""][..],
        &["-"],
        &[folder],
        &[missing],
        &["start", "--game", "2"],
        &["start", "--ply", "1"],
    ] {
        assert!(!check(&arguments.join(" "), &show(arguments, b"")));
    }
    #[cfg(unix)]
    assert!(!check("/dev/null", &show(&["/dev/null"], b"")));
}

#[test]
fn the_forms_are_printed() {
    let output = show(&["W:W5:B1"], b"");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("Black has won: White has no legal move"),
        "{text}"
    );
    let output = show(&["B:W23,22,15,14:B11,10", "--json"], b"");
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(shown["fen"], "B:W14,15,22,23:B10,11");
    assert_eq!(shown["turn"], "black");
    assert_eq!(shown["outcome"], serde_json::Value::Null);
    let moves = ["10x17x26", "10x19x26", "11x18x25", "11x18x27"];
    assert_eq!(shown["legal_moves"], serde_json::json!(moves));
    let output = show(&["start", "--notation", "algebraic", "--svg", "-"], b"");
    let svg = String::from_utf8_lossy(&output.stdout);
    assert!(svg.starts_with("<svg ") && svg.matches("<circle").count() == 24 * 2 + 1);
    let game = b"1. 11-15 22-18 9-13 *";
    assert!(!check("a bad move", &show(&["-"], game)));
    assert!(check(
        "before the bad move",
        &show(&["-", "--ply", "2"], game)
    ));
}
