//! `crownhead solve` and `crownhead check` as people run them.

mod process;

use std::path::Path;
use std::process::Output;

use process::run;

/// Diagram 87 of an old book, in the algebraic form.
const ALGEBRAIC: &str = "\
+———————————————————-+
8 | | | | | | o | | |
|———————————————————-|
7 | * | | | | o | | | |
|———————————————————-|
6 | | | | o | | o | | * |
|———————————————————-|
5 | | | | | | | | |
|———————————————————-|
4 | | | | * | | o | | o |
|———————————————————-|
3 | | | * | | | | | |
|———————————————————-|
2 | | * | | * | | | | * |
|———————————————————-|
1 | | | | | | | | |
+———————————————————-+
a b c d e f g h
DIAGRAM 87.
White to move
";

/// Diagram 96 of the same book, White to move.
const PROBLEM: &[u8] = b"[FEN \"W:W19,24,31:B2,8,12\"]\n{White to move and win} *\n";

fn json(output: &Output) -> Vec<serde_json::Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let parse = |line| serde_json::from_str(line).expect("JSON");
    text.lines().map(parse).collect()
}

const BUILT_IN: [&str; 2] = ["--tablebase", "built-in"];

#[test]
fn a_printed_problem_is_proven_and_its_certificate_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (proof, page, picture) = (file("87.chc"), file("87.html"), file("87.svg"));
    let options = [
        "solve",
        "-",
        // Two threads find one proof today and another tomorrow.
        "--threads",
        "1",
        "--time",
        "60",
        "--json",
        "--certificate",
        &proof,
    ];
    let pictures = ["--report", &page, "--svg", &picture];
    let output = run(&[&options[..], &pictures, &BUILT_IN].concat(), PROBLEM);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = &json(&output)[0];
    assert_eq!(told["value"], "win");
    assert_eq!(told["agrees"], true);
    let line = told["line"].as_array().expect("a line");
    let forced = told["forced"].as_array().expect("marks");
    assert!(line.len() > 8 && line.len() == forced.len());
    assert!(forced.contains(&true.into()) && told["keeping"][0].is_string());
    let checked = run(&["check", &proof, "--json", "--tablebase", "built-in"], b"");
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    assert_eq!(json(&checked)[0]["claim"], "win");
    for (path, start) in [(&page, "<!DOCTYPE html>"), (&picture, "<svg")] {
        let text = std::fs::read_to_string(path).expect("written");
        assert!(
            text.starts_with(start) && text.contains("marker-end"),
            "{path}"
        );
    }
    damaged_proof_is_refused(Path::new(&proof));
}

/// A printed board is read with its caption; what is not proven in the time is told as unknown.
#[test]
fn a_printed_board_is_read() {
    let options = ["solve", "-", "--time", "0.2", "--hash", "8", "--json"];
    let output = run(&[&options[..], &BUILT_IN].concat(), ALGEBRAIC.as_bytes());
    let told = &json(&output)[0];
    assert_eq!(told["fen"], "W:W13,14,22,23,26,30:B5,7,8,11,15,21,28");
    assert_eq!(told["claim"], serde_json::Value::Null);
}

fn damaged_proof_is_refused(proof: &Path) {
    let bytes = std::fs::read(proof).expect("the certificate");
    std::fs::write(proof, &bytes[..bytes.len() - 7]).expect("written");
    let checked = run(
        &["check", &proof.to_string_lossy(), "--tablebase", "built-in"],
        b"",
    );
    assert_eq!(checked.status.code(), Some(1));
    let told = String::from_utf8_lossy(&checked.stdout);
    assert!(told.contains("REFUSED: file: the checksum"), "{told}");
}

#[test]
fn several_problems_are_told_in_a_table_and_false_claims_are_contradicted() {
    let text = b"[Event \"one\"]\n[FEN \"W:WK32:BK26\"]\n{White to move and win} *\n\n\
                 [Event \"two\"]\n[FEN \"B:WK32:BK26\"]\n{Black to play and win} *\n";
    let output = run(
        &[&["solve", "-", "--explain"][..], &BUILT_IN].concat(),
        text,
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = String::from_utf8_lossy(&output.stdout);
    for part in [
        "PROVEN: White wins",
        "wins: 32-27  (unique: no other move wins)",
        "claim: Black wins: CONTRADICTED",
        "PROVEN: draw",
        "2 positions: 2 solved, 0 unknown; claims: 1 confirmed, 1 contradicted",
        "rules: endless play is a draw, no 40-move rule",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
}

#[test]
fn a_wrong_printed_solution_is_explained() {
    let text = b"[FEN \"W:WK32:BK26\"]\n{White to move and win} 1. 32-28 26-31 *\n";
    let output = run(
        &[&["solve", "-", "--explain"][..], &BUILT_IN].concat(),
        text,
    );
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        told.contains("fails at ply 1, White's 32-28: before it White wins, after it draw"),
        "{told}"
    );
    assert!(told.contains("32-27 was right"), "{told}");
}

/// A blocked side has lost already; unknown positions and bad input are told apart by exit codes.
#[test]
fn finished_unknown_and_bad_positions() {
    let lost = run(
        &[&["solve", "W:W5:B1", "--json"][..], &BUILT_IN].concat(),
        b"",
    );
    assert_eq!(json(&lost)[0]["value"], "loss");
    assert_eq!(lost.status.code(), Some(0));
    let unknown = ["solve", "start", "--time", "0.2", "--hash", "8"];
    let unknown = run(&[&unknown[..], &BUILT_IN].concat(), b"");
    let told = String::from_utf8_lossy(&unknown.stdout);
    assert!(told.contains("opinion, not proven: "), "{told}");
    assert_eq!(unknown.status.code(), Some(1));
    for source in ["", "/dev/null", "/", "W:W5:B5", "nothing-here.pdn"] {
        let refused = run(&["solve", source, "--time", "0.1"], b"");
        assert_eq!(refused.status.code(), Some(2), "{source}: {refused:?}");
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(
            told.starts_with("error: ") && told.lines().count() == 1,
            "{told}"
        );
    }
    let empty = run(&["solve", "-"], b"");
    assert_eq!(empty.status.code(), Some(2));
}

/// A stopped proof leaves a progress file; another position refuses it.
#[test]
fn progress_is_kept_and_belongs_to_its_position() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder
        .path()
        .join("progress")
        .to_string_lossy()
        .into_owned();
    let options = ["--time", "0.3", "--hash", "8", "--progress", &path];
    for _ in 0..2 {
        let output = run(
            &[&["solve", "start"][..], &options, &BUILT_IN].concat(),
            b"",
        );
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    let other = run(
        &[&["solve", "B:WK32:BK26"][..], &options, &BUILT_IN].concat(),
        b"",
    );
    assert_eq!(other.status.code(), Some(2));
    let told = String::from_utf8_lossy(&other.stderr);
    assert!(told.contains("another position"), "{told}");
}
