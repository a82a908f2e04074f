//! `crownhead json`: requests and answers as programs see them.

use std::io::{BufRead, BufReader, Write};
use std::thread;

use engine::engine::EngineOptions;
use protocol::databases::Wanted;
use protocol::json::{MOST_WAITING, serve};
use serde_json::{Value, json};

use crate::damaged;

const SMALL: EngineOptions = EngineOptions {
    hash_mb: 1,
    threads: 1,
};

/// All objects that answer these lines.
fn answers(lines: &str) -> Vec<Value> {
    answers_with(lines, &Wanted::Off)
}

fn answers_with(lines: &str, tablebase: &Wanted) -> Vec<Value> {
    let mut out = Vec::new();
    let input = std::io::Cursor::new(lines.to_owned().into_bytes());
    serve(input, &mut out, SMALL, tablebase).expect("a session");
    let text = String::from_utf8(out).expect("text");
    let read = |line: &str| serde_json::from_str(line).expect("an object");
    text.lines().map(read).collect()
}

fn answer(request: &Value) -> Value {
    let mut all = answers(&format!("{request}\n"));
    assert_eq!(all.len(), 1, "{request}: {all:?}");
    all.remove(0)
}

#[test]
fn positions_come_in_any_form() {
    let moves = json!(["11-15", "22-18"]);
    for request in [
        json!({"moves": "11-15 22-18", "depth": 4}),
        json!({"position": "start", "moves": moves, "depth": 4}),
        json!({"position": "B:W21-32:B1-12", "moves": "1. 11-15 22-18", "depth": 4}),
        json!({"position": "1. 11-15 22-18 *", "depth": 4}),
    ] {
        let found = answer(&request);
        assert_eq!(found["turn"], "black", "{request}");
        assert_eq!(found["legal_moves"], json!(["15x22"]), "{request}");
        assert_eq!(found["best"], "15x22", "{request}");
        assert_eq!(found["id"], Value::Null);
        assert_eq!(found["outcome"], Value::Null);
        assert_eq!(found["lines"][0]["depth"], 4);
    }
}

#[test]
fn answers_hold_the_lines_that_were_asked_for() {
    let found = answer(&json!({
        "id": [1, "x"], "position": "W:WK32:BK26", "depth": 12, "lines": 2,
        "notation": "algebraic",
    }));
    assert_eq!(found["id"], json!([1, "x"]));
    let lines = found["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["value"], "win");
    assert_eq!(lines[0]["line"], 1);
    assert_eq!(lines[1]["value"], Value::Null);
    assert_eq!(lines[0]["pv"][0], found["best"]);
    assert_eq!(found["best"], "b8-c7");
    let keys: Vec<&String> = lines[0].as_object().expect("an object").keys().collect();
    assert_eq!(keys.len(), 10, "{keys:?}");
}

#[test]
fn finished_games_have_no_best_move() {
    let found = answer(&json!({"position": "W:W5:B1"}));
    assert_eq!(found["best"], Value::Null);
    assert_eq!(found["legal_moves"], json!([]));
    assert_eq!(found["outcome"]["winner"], "black");
    let tour = "1-5 32-28 5-1 28-32 1-5 32-28 5-1 28-32";
    let drawn = answer(&json!({"position": "B:WK32,K31:BK1", "moves": tour, "depth": 3}));
    assert_eq!(drawn["outcome"]["winner"], Value::Null);
    assert!(
        drawn["best"].is_string() && drawn["ponder"] == Value::Null,
        "{drawn}"
    );
}

#[test]
fn requests_that_cannot_be_met_say_why() {
    for (line, error) in [
        ("hello", "expected a JSON object, found hello"),
        ("[1]", "expected a JSON object"),
        (
            r#"{"id": 7, "positoin": "start"}"#,
            "unknown field `positoin`",
        ),
        (
            r#"{"id": 7, "position": "W:W0:B33"}"#,
            "position: FEN column",
        ),
        (r#"{"id": 7, "position": ""}"#, "position: "),
        (r#"{"id": 7, "moves": "11-15 1-32"}"#, "moves: ply 2: "),
        (r#"{"id": 7, "depth": 0}"#, "depth: expected 1 to 200"),
        (r#"{"id": 7, "depth": 201}"#, "depth: expected 1 to 200"),
        (r#"{"id": 7, "depth": "x"}"#, "invalid type"),
        (r#"{"id": 7, "time": -1}"#, "time: expected seconds"),
        (r#"{"id": 7, "time": 1e300}"#, "time: expected seconds"),
        (r#"{"id": 7, "nodes": 0}"#, "nodes: expected 1 or more"),
        (r#"{"id": 7, "lines": 129}"#, "lines: expected 1 to 128"),
        (
            r#"{"id": 7, "notation": "x"}"#,
            "notation: expected numeric",
        ),
    ] {
        let found = answers(&format!("{line}\n{{\"nodes\": 1}}\n"));
        assert_eq!(found.len(), 2, "{line}");
        let said = found[0]["error"].as_str().unwrap_or_default();
        assert!(
            said.contains(error) && said.lines().count() == 1,
            "{line}: {said}"
        );
        if line.starts_with('{') {
            assert_eq!(found[0]["id"], 7, "{line}");
        }
        assert!(found[1]["best"].is_string(), "{line}");
    }
    let long = format!("{{\"id\": \"{}\"}}\n", "x".repeat(5 << 20));
    assert!(
        answers(&long)[0]["error"]
            .as_str()
            .is_some_and(|it| it.starts_with("line longer"))
    );
}

/// Requests that come while one is searched wait for their turn; blank lines are nothing.
#[test]
fn many_requests_are_answered_in_order() {
    let lines: String = (0..100)
        .map(|id| {
            format!(
                "\n{}\n",
                json!({"id": id, "depth": 3, "forget": id % 10 == 0})
            )
        })
        .collect();
    let ids: Vec<Value> = answers(&lines).iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, (0..100).map(Value::from).collect::<Vec<_>>());
}

#[test]
fn progress_and_stop() {
    let (their_input, mut input) = std::io::pipe().expect("a pipe");
    let (output, their_output) = std::io::pipe().expect("a pipe");
    let session = thread::spawn(move || serve(their_input, their_output, SMALL, &Wanted::Off));
    let mut lines = BufReader::new(output).lines();
    let mut next = || -> Value {
        let line = lines.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("an object")
    };
    let request = json!({"id": "p", "time": 1000, "progress": true});
    writeln!(input, "{request}").expect("a reader");
    let first = next();
    assert_eq!((&first["id"], &first["depth"]), (&json!("p"), &json!(1)));
    assert_eq!(first["fen"], Value::Null);
    writeln!(
        input,
        "{}\n{}",
        json!({"stop": true}),
        json!({"id": "q", "depth": 2})
    )
    .expect("a reader");
    while next()["fen"] == Value::Null {}
    assert_eq!(next()["id"], "q");
    drop(input);
    assert!(session.join().expect("no panic").is_ok());
}

/// However many requests wait behind the one that runs, up to the bound of what is kept.
#[test]
fn a_stop_is_heard_over_waiting_requests() {
    let mut lines = json!({"id": 0, "time": 1000}).to_string();
    for id in 1..200 {
        lines += &format!("\n{}", json!({"id": id, "depth": 1}));
    }
    let began = std::time::Instant::now();
    let found = answers(&format!("{lines}\n{}\n", json!({"stop": true})));
    assert!(began.elapsed().as_secs() < 20);
    assert_eq!(found.len(), 200);
    let ids = found.iter().map(|it| it["id"].clone());
    assert!(ids.eq((0..200).map(Value::from)));
    // More than is kept: the client has to wait, and nothing is lost.
    let long = json!({"id": "x".repeat(1 << 20), "nodes": 1}).to_string() + "\n";
    let count = 2 * MOST_WAITING / long.len();
    let first = json!({"nodes": 100_000}).to_string() + "\n";
    assert_eq!(answers(&(first + &long.repeat(count))).len(), 1 + count);
}

#[test]
fn a_damaged_database_is_a_warning_within_the_answer() {
    let folder = damaged::two_pieces();
    let request = json!({"position": "W:WK32:BK26", "depth": 4}).to_string() + "\n";
    let found = answers_with(&request.repeat(3), &damaged::wanted(&folder));
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|it| it["best"].is_string()));
    let warned: Vec<&Value> = found
        .iter()
        .filter(|it| it.get("warning").is_some())
        .collect();
    assert_eq!(warned.len(), 1);
    let warning = warned[0]["warning"].as_str().expect("text");
    assert!(
        warning.contains(".ctb") && warning.contains("damaged"),
        "{warning}"
    );
}
