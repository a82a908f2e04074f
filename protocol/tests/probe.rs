//! `crownhead probe` as people run it.

use std::fs;
use std::process::{Command, Output};

use engine::tablebase::Tablebase;
use serde_json::{Value, json};

fn probe(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .arg("probe")
        .args(arguments)
        .env_remove("CROWNHEAD_TABLEBASE")
        .env("XDG_DATA_HOME", "/nonexistent")
        .output()
        .expect("the binary runs")
}

fn told(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn every_move_has_its_value_the_best_first() {
    let output = probe(&["W:WK19,K23:B12,K28", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let told = told(&output);
    assert_eq!(told["value"], "win");
    let moves = told["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 6);
    assert_eq!(moves[0]["value"], "win");
    let rank = |entry: &Value| match entry["value"].as_str() {
        Some("win") => 2,
        Some("draw") => 1,
        _ => 0,
    };
    assert!(moves.is_sorted_by_key(|entry| -rank(entry)), "{moves:?}");
}

/// A position outside every database is unknown, never a draw (exit code 1).
#[test]
fn what_is_not_there_is_unknown() {
    let output = probe(&["start", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(told(&output)["value"], Value::Null);
    let text = String::from_utf8(probe(&["start"]).stdout).expect("text");
    assert!(
        text.contains("unknown: no database of c0-c0 is loaded"),
        "{text}"
    );
}

/// Both folders of a list are read: a file that is no database is refused in either.
#[test]
fn all_folders_are_read() {
    let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    let list = std::env::join_paths(folders.iter().map(tempfile::TempDir::path)).expect("a list");
    let list = list.to_str().expect("text");
    let arguments = ["B:WK32:BK26", "--json", "--tablebase", list];
    let tablebase = Tablebase::built_in(1);
    for (folder, image) in folders.iter().zip(tablebase.images()) {
        let path = folder.path().join(format!("{}.ctb", image.header().slice));
        fs::write(&path, image.bytes()).expect("written");
        assert_eq!(told(&probe(&arguments))["value"], json!("draw"));
        fs::write(&path, b"no database").expect("written");
        let output = probe(&arguments);
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(error.lines().count(), 1);
        assert!(error.contains("no room for a header"), "{error}");
        fs::remove_file(path).expect("removed");
    }
}
