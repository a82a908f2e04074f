//! Hub: known faults of other engines, and what Hub alone can do.

use std::time::Duration;

use engine::notation::fen;
use engine::rules::{Game, Position};
use protocol::hub::Line;

use super::hub_recordings::swapped_game;
use super::{START, check_done, hub, king_tour, letters};
use crate::client::{Client, PATIENCE, options};

/// Lines of Hub, and how the answer to the last of them begins and what it contains.
#[test]
fn known_faults_of_others_are_absent() {
    let long_tour = king_tour(5_000);
    let tour = letters("B:WK29,K32:BK1,K4");
    for (row, lines, word, parts) in [
        (
            "2",
            format!("pos pos={} moves=10x26", letters("B:W23,22,15,14:B11,10")),
            "error",
            "10x17x26|10x19x26",
        ),
        (
            "5",
            format!(
                "pos pos={} moves=2x2x6x7x14x15 / go think",
                letters("B:W6,7,14,15:BK2")
            ),
            "done",
            "done",
        ),
        (
            "5 path",
            format!(
                "pos pos={} moves=2x9x18x11x2 / go think",
                letters("B:W6,7,14,15:BK2")
            ),
            "done",
            "done",
        ),
        (
            "10",
            format!("pos pos={} moves=18x11", letters("W:W18:B15,8")),
            "error",
            "illegal move|18x11x4",
        ),
        (
            "16",
            format!("pos pos={} / go think", letters("W:W5:B1")),
            "done",
            "done",
        ),
        (
            "60",
            format!("pos pos={} / go think", letters("W:WK27:B28")),
            "done",
            "done move=27-32",
        ),
        (
            "62",
            format!("pos pos={START} moves=\"11-15 1-32\""),
            "error",
            "illegal move|move 2: 1-32",
        ),
        (
            "65",
            format!(
                "pos pos={} / level depth=20 / go think",
                letters("W:WK29:BK25")
            ),
            "info",
            "score=|pv=\"",
        ),
        ("66", "go think".into(), "done", "done move="),
        (
            "67",
            "pos pos=Beeeeeeeeeeeeeeeeeweeeeeeeeeeeeee / go think".into(),
            "done",
            "done",
        ),
        (
            "67 ponder",
            "pos pos=Beeeeeeeeeeeeeeeeeweeeeeeeeeeeeee / go ponder".into(),
            "done",
            "done",
        ),
        (
            "67 analyze",
            "pos pos=Beeeeeeeeeeeeeeeeeweeeeeeeeeeeeee / go analyze".into(),
            "done",
            "done",
        ),
        (
            "70",
            format!("pos pos={tour} moves=\"{long_tour}\" / level depth=3 / go think"),
            "done",
            "done move=",
        ),
        (
            "75",
            "level time=180,000 inc=0,1 depth=2 / go think".into(),
            "done",
            "done move=",
        ),
        (
            "76",
            "level time=-0.05 inc=0.1 / go think".into(),
            "done",
            "done move=",
        ),
        (
            "82",
            "set-param name=hash value=99999999".into(),
            "error",
            "hash|found 99999999|MB are in use",
        ),
        (
            "82 letters",
            "set-param name=hash value=abc".into(),
            "error",
            "found abc",
        ),
        (
            "82 negative",
            "set-param name=hash value=-1".into(),
            "error",
            "found -1",
        ),
    ] {
        let mut client = hub();
        let answer = client.ask(&lines, word);
        for part in parts.split('|') {
            assert!(answer.contains(part), "row {row}: {answer}");
        }
        assert!(
            parts != "done" || !answer.contains("move=32") || row == "5",
            "row {row}"
        );
        assert_eq!(client.ask("stop / ping", "pong"), "pong", "row {row}");
    }
}

/// Row 60 in full, and rows 16 and 67: nothing follows.
#[test]
fn answers_end_where_the_game_ends() {
    let mut client = hub();
    for board in [
        "W:WK27:B28",
        "W:W5:B1",
        "W:W12:B3,8",
        "W:W32:B23,24,27,28",
        "B:W18:B",
        "W:W:B18",
    ] {
        let over = !fen::read(board).expect(board).can_move();
        for go in ["think", "ponder", "analyze"] {
            client.send(&format!(
                "new-game / pos pos={} / level depth=9 / go {go}",
                letters(board)
            ));
            if !over && go == "ponder" {
                client.send("ponder-hit");
            }
            let answer = client.until("done");
            let done = if over { "done" } else { "done move=27-32" };
            assert_eq!(answer.last().map(String::as_str), Some(done), "{board}");
            assert_eq!(answer.len() == 1, over, "{board}: {answer:?}");
        }
    }
}

/// Row 61: the old search answers first, and nothing is said about the old board afterwards.
#[test]
fn a_new_position_ends_the_search_for_the_old_one() {
    let mut client = hub();
    let kings = letters("W:WK29:BK25");
    client.send("new-game / level infinite / go analyze / ping");
    client.until("pong");
    client.send(&format!(
        "new-game / pos pos={kings} / level depth=4 / go think"
    ));
    let old = client.until("done").pop().expect("an answer");
    check_done(&old, Game::new(Position::START));
    let new = client.until("done").pop().expect("an answer");
    check_done(&new, Game::new(fen::read("W:WK29:BK25").expect("a board")));
    // `go` while searching, without anything between.
    client.send("level infinite / go analyze / level depth=3 / go think / ping");
    let lines = client.until("pong");
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("done")).count(),
        1,
        "{lines:?}"
    );
    client.until("done");
}

/// Row 37: the second board replaces the first one, and a bad one leaves none.
#[test]
fn only_the_last_position_counts() {
    let mut client = hub();
    let (first, second) = (letters("B:W32:B1"), letters("B:W27,30:BK18"));
    let done = client.ask(
        &format!("pos pos={first} / pos pos={second} / level depth=3 / go think"),
        "done",
    );
    check_done(
        &done,
        Game::new(fen::read("B:W27,30:BK18").expect("a board")),
    );
    let lines = client.ask("pos pos=Wbbb / go think", "done");
    assert_eq!(lines, "done");
    assert!(client.ask("pos pos=Wbbb", "error").contains("bad position"));
    assert!(
        client
            .ask(&format!("pos pos={second} / go think"), "done")
            .contains("move=")
    );
}

#[test]
fn errors_are_told_in_scans_words() {
    let mut client = hub();
    for (line, message) in [
        ("foo", "bad command"),
        ("", "missing command"),
        ("set-param value=3", "missing name"),
        ("pos pos=Wbbb", "bad position"),
        ("pos", "bad position"),
        (&format!("pos pos={START} moves=\"11-15 99-1\""), "bad move"),
        (
            &format!("pos pos={START} moves=\"11-15 1-32\""),
            "illegal move",
        ),
        ("level depth=many", "bad value"),
    ] {
        let error = client.ask(line, "error");
        assert_eq!(Line::read(&error).value("message"), Some(message), "{line}");
        assert_eq!(client.ask("ping", "pong"), "pong");
    }
    for quiet in [
        "set-param name=unheard-of value=3",
        "set-param name=initial-time value=180.0",
        "stop",
        "ponder-hit",
        "set-param name=variant value=american",
    ] {
        client.send(quiet);
        assert_eq!(client.ask("ping", "pong"), "pong", "{quiet}");
    }
}

#[test]
fn pings_and_hits_are_heard_during_a_search() {
    let mut client = hub();
    client.send(
        "pos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww moves=\"11-15\" / level time=0.2 / go ponder",
    );
    client.until("info");
    assert_eq!(client.ask("ping", "pong"), "pong");
    assert_eq!(
        client
            .line_within(Duration::ZERO)
            .filter(|line| line.starts_with("done")),
        None
    );
    let done = client.ask("ponder-hit", "done");
    let start = Line::new("pos")
        .with("pos", "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww")
        .with("moves", "11-15");
    check_done(&done, swapped_game(&start));
}

/// Row 71: nothing waits in a buffer.
#[test]
fn lines_arrive_when_they_are_written() {
    let mut client = Client::new(options(None));
    client.send("hub");
    assert!(
        client
            .line_within(PATIENCE)
            .is_some_and(|line| line.starts_with("id name=Crownhead"))
    );
    client.until("wait");
    client.send("init / level infinite / go think");
    client.until("ready");
    assert!(
        client
            .line_within(PATIENCE)
            .is_some_and(|line| line.starts_with("info depth=1 "))
    );
    client.send("stop");
    client.until("done");
}

/// The first moves of some games with a seed.
fn openings(seed: u64) -> Vec<String> {
    let mut client = hub();
    client.send(&format!(
        "set-param name=variety value=30 / set-param name=seed value={seed}"
    ));
    let ask = format!("new-game / pos pos={START} / level depth=4 / go think");
    (0..12).map(|_| client.ask(&ask, "done")).collect()
}

#[test]
fn variety_varies_and_its_seed_repeats_it() {
    let games = openings(7);
    assert_eq!(games, openings(7));
    assert_ne!(games, openings(8));
    let mut different = games.clone();
    different.sort();
    different.dedup();
    assert!(different.len() >= 3, "{games:?}");
    games
        .iter()
        .for_each(|done| check_done(done, Game::new(Position::START)));
}
