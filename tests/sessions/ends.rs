//! How sessions begin and end, and what must not end them: any dialect.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

use protocol::dialect::Dialect;

use super::{START, hub, king_tour, letters};
use crate::client::{Client, PATIENCE, options, start};

/// Where an exit is due.
const AT_ONCE: Duration = Duration::from_millis(100);

/// The shortest of some tries: a busy machine may delay any single one.
fn shortest(attempt: impl Fn() -> Duration) -> Duration {
    (0..5)
        .map(|_| attempt())
        .find(|&took| took < AT_ONCE)
        .unwrap_or(Duration::MAX)
}

/// Leaves in mid-search, by `quit` or by closing the input; the search is answered all the same.
fn leave_searching(dialect: Dialect, go: &str, quit: bool) -> Duration {
    let mut client = Client::new(options(Some(dialect)));
    client.send(go);
    client.until("info");
    if quit {
        client.send("quit");
    }
    let (took, rest) = client.leave();
    let answers = rest.iter().filter(|line| !line.starts_with("info")).count();
    assert_eq!(answers, 1, "{rest:?}");
    took
}

#[test]
fn a_session_ends_at_once_in_the_middle_of_a_search() {
    for (dialect, go) in [
        (Dialect::Hub, "level infinite / go analyze"),
        (Dialect::Hub, "level time=1000 / go ponder"),
        (Dialect::Ugi, "go infinite"),
        (Dialect::Cb, "go infinite"),
    ] {
        for quit in [false, true] {
            let took = shortest(|| leave_searching(dialect, go, quit));
            assert!(took < AT_ONCE, "{dialect:?}, quit: {quit}");
        }
    }
}

/// Closes the output in mid-search; the time from the next line that is due to the end.
fn close_output() -> Duration {
    let (mut input, output, ended) = start(options(None));
    let mut output = BufReader::new(output);
    input
        .write_all(b"hub\ninit\nlevel infinite\ngo analyze\n")
        .expect("a reader");
    let mut line = String::new();
    while !line.starts_with("info") {
        line.clear();
        output.read_line(&mut line).expect("a line");
    }
    drop(output);
    let began = Instant::now();
    // The search may have had something to say already, and ended the session.
    let _ = input.write_all(b"stop\nping\n");
    let end = ended.recv_timeout(PATIENCE).expect("an end");
    assert!(end.is_err_and(|error| error.to_string().contains("cannot write")));
    began.elapsed()
}

#[test]
fn a_closed_output_ends_the_session() {
    assert!(shortest(close_output) < AT_ONCE);
}

#[test]
fn floods_noise_and_long_lines_do_no_harm() {
    let mut client = hub();
    client.send("level infinite / go analyze");
    for _ in 0..2_000 {
        client.send("stop");
    }
    client.until("done");
    assert_eq!(client.ask("ping", "pong"), "pong");
    client.send_bytes(&(0..=255u8).cycle().take(50_000).collect::<Vec<u8>>());
    client.send_bytes(b"\n");
    assert_eq!(client.ask("ping", "pong"), "pong");
    // 1 MB and well over a hundred thousand plies.
    let tour = king_tour(200_000);
    let line = format!("pos pos={} moves=\"{tour}\"", letters("B:WK29,K32:BK1,K4"));
    assert!(line.len() > 900_000);
    let done = client.ask(&format!("{line} / level depth=2 / go think"), "done");
    assert!(done.contains("move="), "{done}");
    // A line that never seems to end.
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..16 {
        client.send_bytes(&chunk);
    }
    assert_eq!(client.ask("", "error"), "error message=\"line too long\"");
    assert_eq!(client.ask("ping", "pong"), "pong");
}

#[test]
fn sessions_without_a_beginning_work() {
    for (first, word) in [
        ("go think", "done"),
        ("init", "ready"),
        ("ping", "pong"),
        (&format!("pos pos={START} / go think"), "done"),
        ("foo / bar / hub", "wait"),
        ("name", "Crownhead"),
        ("get hashsize", "1"),
        ("ugi", "ugiok"),
        ("isready", "readyok"),
        ("position startpos moves 11-15 / go depth 3", "bestmove"),
        ("foo / name", "Crownhead"),
    ] {
        let mut client = Client::new(options(None));
        client.send(first);
        client.until(word);
    }
}

#[test]
fn a_hundred_megabytes_are_not_kept() {
    let input = std::io::repeat(b'x').take(100 << 20);
    let mut output = Vec::new();
    protocol::session::serve(input, &mut output, &options(None)).expect("a session");
    assert_eq!(
        String::from_utf8_lossy(&output),
        "error message=\"line too long\"\n"
    );
}
