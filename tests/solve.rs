//! Proofs: values of printed problems, and certificates that are refused when they lie.

use std::sync::Arc;
use std::time::Duration;

use engine::notation::{ReadPosition, fen, read_starts_from};
use engine::rules::Position;
use engine::solve::check::{Refusal, check};
use engine::solve::{Rules, Settings, Solution, Solver};
use engine::tablebase::{Tablebase, Wld};
use serde_json::Value;

/// Never reached: everything here takes milliseconds of processor time, whatever else runs.
const TIME: Duration = Duration::from_secs(600);

fn solver(threads: usize) -> Solver {
    solver_under(Rules::Endless, threads)
}

fn solver_under(rules: Rules, threads: usize) -> Solver {
    Solver::new(Settings {
        rules,
        threads,
        table_mb: 32,
        tablebase: Arc::new(Tablebase::built_in(64)),
    })
}

fn read(text: &str) -> Position {
    fen::read(text).expect("a FEN")
}

fn value(letter: &str) -> Wld {
    match letter {
        "W" => Wld::Win,
        "D" => Wld::Draw,
        _ => Wld::Loss,
    }
}

fn solve(solver: &Solver, text: &str) -> Solution {
    solver.clear();
    solver.solve(&read(text), TIME)
}

fn certificate(solver: &Solver, solution: &Solution) -> Vec<u8> {
    let certificate = solution.certificate().expect("something is proven");
    certificate.to_bytes(solver.tablebase()).expect("complete")
}

/// The endings of Lasker's book, with the built-in databases.
#[test]
fn lasker_positions_are_proven_with_sound_certificates() {
    let data: Value =
        serde_json::from_str(include_str!("data/lasker_positions.json")).expect("JSON");
    let solver = solver(2);
    for entry in data["positions"].as_array().expect("positions") {
        let Some(result) = entry["result_for_side_to_move"].as_str() else {
            continue;
        };
        let text = entry["fen"].as_str().expect("a FEN");
        if read(text).occupied().len() > 5 {
            continue;
        }
        let solution = solve(&solver, text);
        assert_eq!(solution.bounds.value(), Some(value(result)), "{text}");
        let proven = check(&certificate(&solver, &solution), solver.tablebase());
        assert_eq!(
            proven.map(|it| it.claim),
            Ok(value(result).to_string()),
            "{text}"
        );
    }
}

/// Problems of the database labels that one thread proves in little time.
#[test]
fn one_thread_proves_wins_losses_and_draws() {
    let solver = solver(1);
    for (text, result) in QUICK {
        let solution = solve(&solver, text);
        assert_eq!(solution.bounds.value(), Some(value(result)), "{text}");
        check(&certificate(&solver, &solution), solver.tablebase()).expect("sound");
    }
}

const QUICK: [(&str, &str); 4] = [
    ("W:W5:B1", "L"),
    ("W:WK32:BK26", "W"),
    ("B:WK32:BK26", "D"),
    ("W:W19,24,31:B2,8,12", "W"),
];

/// Bytes with a correct checksum at the end.
fn sealed(mut body: Vec<u8>) -> Vec<u8> {
    let mut sum = u32::MAX;
    for byte in &body {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 {
                sum >> 1 ^ 0xEDB8_8320
            } else {
                sum >> 1
            };
        }
    }
    body.extend((!sum).to_le_bytes());
    body
}

/// A certificate taken apart: header, steps of 13 bytes.
struct Parts {
    header: String,
    steps: Vec<Vec<u8>>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Self {
        let body = &bytes[..bytes.len() - 4];
        let end = body
            .windows(5)
            .position(|it| it == b"\nend\n")
            .expect("a header")
            + 5;
        Self {
            header: String::from_utf8(body[..end].to_vec()).expect("text"),
            steps: body[end..].chunks(13).map(<[u8]>::to_vec).collect(),
        }
    }

    fn sealed(&self) -> Vec<u8> {
        let mut body = self.header.clone().into_bytes();
        body.extend(self.steps.iter().flatten());
        sealed(body)
    }

    /// The first strategy's number of steps changed by `by`.
    fn recount(&mut self, by: i64) {
        let lines = self.header.lines().map(|line| match line.rsplit_once(' ') {
            Some((head, count)) if line.starts_with("strategy") => {
                let count: i64 = count.parse().expect("a count");
                format!("{head} {}", count + by)
            }
            _ => line.to_owned(),
        });
        self.header = lines.collect::<Vec<_>>().join("\n") + "\n";
    }
}

fn refusal(parts: &Parts, tablebase: &Tablebase) -> Refusal {
    check(&parts.sealed(), tablebase).expect_err("a doctored certificate")
}

fn won_and_certified() -> (Solver, Vec<u8>) {
    let solver = solver(1);
    let solution = solve(&solver, "W:W19,24,31:B2,8,12");
    let bytes = certificate(&solver, &solution);
    assert_eq!(Parts::of(&bytes).sealed(), bytes);
    (solver, bytes)
}

#[test]
fn damage_is_refused() {
    let (solver, bytes) = won_and_certified();
    for length in [0, 3, 20, 60, bytes.len() / 2, bytes.len() - 1] {
        check(&bytes[..length], solver.tablebase()).expect_err("cut short");
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 50 + 1) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        check(&damaged, solver.tablebase()).expect_err("a bit turned");
    }
}

#[test]
fn a_missing_reply_is_refused_with_its_place() {
    let (solver, bytes) = won_and_certified();
    for missing in 0..Parts::of(&bytes).steps.len() {
        let mut parts = Parts::of(&bytes);
        parts.steps.remove(missing);
        parts.recount(-1);
        let refusal = refusal(&parts, solver.tablebase());
        assert!(refusal.fault.contains("not answered"), "{refusal}");
    }
}

#[test]
fn an_illegal_move_is_refused_with_its_place() {
    let (solver, bytes) = won_and_certified();
    let mut parts = Parts::of(&bytes);
    parts.steps[1][12] = 99;
    let refusal = refusal(&parts, solver.tablebase());
    assert!(refusal.place.starts_with("step 2 of White"), "{refusal}");
    assert!(refusal.fault.contains("number 99 of"), "{refusal}");
}

#[test]
fn a_circle_is_refused_with_its_place() {
    let (solver, bytes) = won_and_certified();
    let mut parts = Parts::of(&bytes);
    parts.steps.reverse();
    let refusal = refusal(&parts, solver.tablebase());
    assert!(refusal.fault.contains("later step"), "{refusal}");
}

#[test]
fn another_claim_or_checksum_is_refused() {
    let (solver, bytes) = won_and_certified();
    let doctored = |from: &str, to: &str| {
        let mut parts = Parts::of(&bytes);
        parts.header = parts.header.replacen(from, to, 1);
        assert_ne!(parts.sealed(), bytes);
        refusal(&parts, solver.tablebase())
    };
    assert!(
        doctored("claim win", "claim loss")
            .fault
            .contains("needs Black")
    );
    assert!(
        doctored("claim win", "claim glory")
            .fault
            .contains("no claim")
    );
    // With the other side to move the proof is no longer the mover's.
    let refusal = doctored("position W", "position B");
    assert!(refusal.fault.contains("needs Black"), "{refusal}");
    let refusal = doctored("database ", "database f");
    assert!(refusal.place.starts_with("database f"), "{refusal}");
    let line = bytes
        .windows(9)
        .position(|it| it == b"database ")
        .expect("a database");
    let mut parts = Parts::of(&bytes);
    parts.header.replace_range(line + 14..line + 18, "0000");
    let refusal = check(&parts.sealed(), solver.tablebase()).expect_err("another database");
    assert!(refusal.fault.contains("checksum"), "{refusal}");
}

/// A strategy to hold that is passed off as one to win ends where the database says draw.
#[test]
fn a_wrong_end_is_refused_with_its_place() {
    let solver = solver(1);
    let solution = solver.solve_draw(&read("W:W19,24,31:B2,8,12"), TIME);
    let mut parts = Parts::of(&certificate(&solver, &solution));
    parts.header = parts
        .header
        .replace(" hold ", " win ")
        .replace("claim at-least-draw", "claim win");
    let refusal = refusal(&parts, solver.tablebase());
    assert!(refusal.place.starts_with("step "), "{refusal}");
}

/// Under the 40-move rule a win ends in a database only where its distance is known, by default up
/// to four pieces.
#[test]
fn the_forty_move_rule_is_stated_and_checked() {
    let solver = solver_under(Rules::FortyMoves, 2);
    for (text, result) in [("W:WK19,K23:BK32", "W"), ("B:WK32:BK26", "D")] {
        let solution = solve(&solver, text);
        assert_eq!(solution.bounds.value(), Some(value(result)), "{text}");
        let bytes = certificate(&solver, &solution);
        let proven = check(&bytes, solver.tablebase()).expect("sound");
        assert_eq!(proven.rules, Rules::FortyMoves, "{text}");
    }
}

/// A proof under weaker rules does not pass for one under the 40-move rule.
#[test]
fn a_win_that_may_come_too_late_is_refused() {
    let (solver, bytes) = won_and_certified();
    let mut parts = Parts::of(&bytes);
    parts.header = parts.header.replace("rules no-forty", "rules forty");
    let refusal = refusal(&parts, solver.tablebase());
    assert!(
        refusal.fault.contains("too late for the 40-move rule"),
        "{refusal}"
    );
    parts.header = parts.header.replace("rules forty", "rules fifty");
    let refusal = self::refusal(&parts, solver.tablebase());
    assert!(refusal.fault.contains("rules fifty"), "{refusal}");
}

/// All set-ups of a file are read in one go, each as it would be alone.
#[test]
fn every_start_of_a_text_is_read() {
    let pdn = "[Event \"A\"]\n[FEN \"W:WK32:BK26\"]\n*\n\n[Event \"B\"]\n[FEN \"B:WK32:BK26\"]\n1. 26-31 *\n";
    let fens = "W:WK32:BK26\n# a remark\nB:WK32:BK26\n";
    for text in [pdn, fens] {
        let starts = read_starts_from(text.as_bytes()).expect("positions");
        let found: Vec<Position> = starts.iter().map(ReadPosition::position).collect();
        assert_eq!(found, [read("W:WK32:BK26"), read("B:WK32:BK26")]);
    }
    assert!(read_starts_from("W:WK32:BK26\nW:W40:B1\n".as_bytes()).is_err());
}
