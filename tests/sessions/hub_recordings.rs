//! What real Hub clients sent, sent again: recordings in `tests/data/transcripts`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use engine::notation::moves;
use engine::rules::Game;
use protocol::hub::reading::Reading;
use protocol::hub::{Line, read_position};
use protocol::session::SessionOptions;

use super::check_done;
use crate::client::{Client, options};

/// What pydraughts 0.6.7 does with a line; a panic where it would raise.
fn read_as_pydraughts(line: &str) {
    let mut words = line.split_whitespace();
    let command = words.next().expect("a command");
    let line = Line::read(line);
    match command {
        "id" | "param" | "info" => {
            // Blanks within quotes do not part; every other token needs exactly one '='.
            let mut quoted = false;
            let parted: String = line
                .to_string()
                .chars()
                .map(|c| {
                    quoted ^= c == '"';
                    if quoted && c == ' ' { '_' } else { c }
                })
                .collect();
            let tokens: Vec<&str> = parted.split(' ').skip(1).collect();
            assert!(!tokens.is_empty(), "{line}");
            tokens
                .iter()
                .for_each(|token| assert_eq!(token.matches('=').count(), 1, "{line}"));
            for key in ["depth", "nodes"] {
                line.value(key)
                    .map(|value| value.parse::<u64>().expect(key));
            }
            for key in ["score", "time", "nps"] {
                line.value(key)
                    .map(|value| value.parse::<f64>().expect(key));
            }
        }
        "done" => {
            let first = words.next().expect("a move");
            assert!(first.starts_with("move="), "{line}");
            assert_ne!(line.value("ponder"), Some(""), "{line}");
            assert!(words.count() <= 1, "{line}");
        }
        "wait" | "ready" | "pong" => assert_eq!(line.to_string(), command),
        "error" => assert!(line.value("message").is_some(), "{line}"),
        _ => panic!("no Hub answer: {line}"),
    }
}

/// The game of a `pos` line of pydraughts, replayed without the session's own detection.
pub(super) fn swapped_game(pos: &Line) -> Game {
    let board = read_position(pos.value("pos").expect("pos="))
        .expect("a board")
        .rotated();
    let mut game = Game::new(board);
    for text in pos
        .value("moves")
        .unwrap_or_default()
        .split(' ')
        .filter(|text| !text.is_empty())
    {
        moves::play(text, &mut game).expect("a legal move");
    }
    game
}

/// The sessions of a recording: the `>` lines up to each `quit`, after which a fresh process came.
fn sessions(recording: &str) -> Vec<Vec<&str>> {
    let sent: Vec<&str> = recording
        .lines()
        .filter_map(|line| line.strip_prefix("> "))
        .collect();
    sent.split_inclusive(|line| *line == "quit")
        .map(<[&str]>::to_vec)
        .collect()
}

/// Sends the lines of a session; searches are cut short where the client does not do it.
/// Returns how many errors were told.
fn replay(sent: &[&str], is_english: bool) -> usize {
    let guess = if is_english {
        Reading::Swapped
    } else {
        Reading::Plain
    };
    let mut client = Client::new(SessionOptions {
        guess,
        ..options(None)
    });
    let mut position = Line::new("");
    let mut heard = Vec::new();
    let mut began = None;
    for (index, line) in sent.iter().enumerate() {
        client.send(line);
        if line.starts_with("go") {
            began = Some(heard.len());
        }
        if line.starts_with("pos ") {
            position = Line::read(line);
        }
        match *line {
            "hub" => heard.extend(client.until("wait")),
            "init" => heard.extend(client.until("ready")),
            "ping" => heard.extend(client.until("pong")),
            _ => {}
        }
        let next = sent.get(index + 1);
        if let Some(since) = began
            && !matches!(next, Some(&("ping" | "ponder-hit" | "stop")))
        {
            std::thread::sleep(Duration::from_millis(5));
            if !heard[since..]
                .iter()
                .any(|line: &String| line.starts_with("done"))
            {
                heard.extend(client.ask_all("stop", "done"));
            }
            began = None;
            if is_english {
                check_done(&heard[heard.len() - 1], swapped_game(&position));
            }
        }
    }
    heard.extend(client.leave().1);
    heard
        .iter()
        .for_each(|line| read_as_pydraughts_or_bare(line));
    heard
        .iter()
        .filter(|line| line.starts_with("error"))
        .count()
}

fn read_as_pydraughts_or_bare(line: &str) {
    if line != "done" {
        read_as_pydraughts(line);
    }
}

#[test]
fn recorded_clients_are_served() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("recordings") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if name.starts_with("hub-") {
            let text = fs::read_to_string(&path).expect("text");
            // The American recording holds no position: its client refuses the board itself.
            let is_english = !name.contains("10x10");
            for sent in sessions(&text) {
                let errors = replay(&sent, is_english);
                assert_eq!(errors == 0, is_english, "{name}: {errors} errors");
            }
            count += 1;
        }
    }
    assert_eq!(count, 8);
}
