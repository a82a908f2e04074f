//! Sessions over pipes: real clients' recordings, known faults of other engines, hostile input.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use engine::notation::{fen, moves};
use engine::rules::{Game, Position};
use protocol::hub::reading::Reading;
use protocol::hub::{Line, read_position, write_position};
use protocol::session::{SessionOptions, Speech};

use crate::client::{Client, PATIENCE, options, start};

const START: &str = "Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww";

/// Where an exit is due.
const AT_ONCE: Duration = Duration::from_millis(100);

fn hub() -> Client {
    let mut client = Client::new(options(None));
    client.send("hub / init");
    client.until("ready");
    client
}

/// The letters of a FEN, plainly.
fn letters(text: &str) -> String {
    write_position(&fen::read(text).expect(text))
}

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
fn swapped_game(pos: &Line) -> Game {
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

/// Both moves of a `done` line are legal and written as Hub does.
fn check_done(done: &str, mut game: Game) {
    let line = Line::read(done);
    for key in ["move", "ponder"] {
        let Some(text) = line.value(key) else {
            assert_eq!(key, "ponder", "{done}");
            return;
        };
        let mv = moves::play(text, &mut game).expect(done);
        assert_eq!(moves::write_hub(mv), text);
    }
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

/// `plies` plies in which kings go to and fro (row 70; drawn long ago, but nobody claimed it).
fn king_tour(plies: usize) -> String {
    let cycle = ["1-5", "32-28", "5-1", "28-32"];
    (0..plies)
        .map(|ply| cycle[ply % 4])
        .collect::<Vec<_>>()
        .join(" ")
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

/// Row 35: the order of the lists and the case of letters mean nothing.
#[test]
fn fen_is_read_as_written() {
    for (speech, set_up) in [(Speech::Cb, "setup"), (Speech::Ugi, "position fen")] {
        for text in ["B:B9:W18", "b:w18:b9", "B:W18:B9"] {
            let mut client = Client::new(options(Some(speech)));
            let (go, word) = match speech {
                Speech::Cb => ("board", "B:W18:B9"),
                _ => ("query p1turn", "response"),
            };
            let answer = client.ask(&format!("{set_up} {text} / {go}"), word);
            assert!(
                ["B:W18:B9", "response true"].contains(&answer.as_str()),
                "{text}: {answer}"
            );
        }
    }
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

/// The shortest of some tries: a busy machine may delay any single one.
fn shortest(attempt: impl Fn() -> Duration) -> Duration {
    (0..5)
        .map(|_| attempt())
        .find(|&took| took < AT_ONCE)
        .unwrap_or(Duration::MAX)
}

/// Leaves in mid-search, by `quit` or by closing the input; the search is answered all the same.
fn leave_searching(speech: Speech, go: &str, quit: bool) -> Duration {
    let mut client = Client::new(options(Some(speech)));
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
    for (speech, go) in [
        (Speech::Hub, "level infinite / go analyze"),
        (Speech::Hub, "level time=1000 / go ponder"),
        (Speech::Ugi, "go infinite"),
        (Speech::Cb, "go infinite"),
    ] {
        for quit in [false, true] {
            let took = shortest(|| leave_searching(speech, go, quit));
            assert!(took < AT_ONCE, "{speech:?}, quit: {quit}");
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
fn ugi_knows_how_the_game_stands() {
    let mut client = Client::new(options(Some(Speech::Ugi)));
    for (lines, answer) in [
        ("position startpos / query gameover", "response false"),
        ("query result", "response none"),
        ("query p1turn", "response true"),
        ("position fen W:W5:B1 / query gameover", "response true"),
        ("query result", "response p1win"),
        (
            "position fen B:WK32,K31:BK1 moves 1-5 32-28 5-1 28-32 1-5 32-28 5-1 28-32 / query result",
            "response draw",
        ),
        ("query p1turn", "response true"),
    ] {
        assert_eq!(client.ask(lines, "response"), answer, "{lines}");
    }
    assert_eq!(
        client.ask("position fen W:W5:B1 / go depth 3", "bestmove"),
        "bestmove none"
    );
    let answer = client.ask(
        "position fen B:W23,22,15,14:B11,10 / go depth 5",
        "bestmove",
    );
    assert!(answer.contains("bestmove 1"), "{answer}");
}

#[test]
fn cb_plays_and_tells_its_settings() {
    let mut client = Client::new(options(Some(Speech::Cb)));
    assert_eq!(client.ask("set hashsize 3", "hashsize"), "hashsize 3");
    assert_eq!(client.ask("get hashsize", "3"), "3");
    assert_eq!(
        client.ask("set searchthreads 2", "searchthreads"),
        "searchthreads 2"
    );
    assert_eq!(client.ask("get searchthreads", "2"), "2");
    assert_eq!(client.ask("get nonsense", "?"), "?");
    assert!(
        client
            .ask("setup W:W0:B33", "?")
            .contains("bad position: FEN column")
    );
    let answer = client.ask("setup W:W18:B15,8 / go depth 5", "move");
    assert_eq!(answer, "move 18x11x4 result 1");
    assert_eq!(
        client.ask("setup W:W5:B1 / go", "move"),
        "move none result 2"
    );
    assert!(
        client
            .ask("set gamehist B:WK32:BK1 1-5 32-28 / go time 0.05", "move")
            .starts_with("move 5-")
    );
    let value = engine::eval::Evaluator::new().evaluate(&Position::START);
    assert!(
        client
            .ask(
                "setup start / staticevaluation",
                &format!("{:+.2}", value.men())
            )
            .ends_with("for Black")
    );
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
