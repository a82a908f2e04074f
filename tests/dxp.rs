//! DXP over pipes: recorded programs, ourselves at both ends, and peers that misbehave.

use std::fs;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{Sender, bounded};
use engine::board::Color;
use engine::engine::EngineOptions;
use engine::notation::fen;
use engine::rules::{Game, Position};
use engine::search::Limits;
use protocol::dxp::message::{BackVerdict, GameRequest, Reason, Start, Verdict};
use protocol::dxp::peer::{Note, Offer, PAUSE, Parting, PeerOptions, talk};
use protocol::dxp::{Ending, Message, Record, board};
use protocol::hub::reading::{PosStyle, Reading};
use protocol::player::Player;

/// Nothing that is waited for takes longer, even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn options() -> PeerOptions {
    PeerOptions {
        name: "Crownhead test".into(),
        limits: Some(Limits::to_depth(3)),
        style: PosStyle::Auto,
        patience: PATIENCE,
        pause: PAUSE,
        offer: None,
    }
}

fn offer(games: u32) -> Option<Offer> {
    Some(Offer {
        start: Position::START,
        us: Color::Black,
        minutes: 1,
        moves: 0,
        games,
    })
}

/// What a conversation came to.
type Outcome = (Parting, Vec<Record>);

/// Starts one of ourselves between two pipes.
fn start(
    reader: PipeReader,
    writer: PipeWriter,
    options: PeerOptions,
) -> (Receiver<Outcome>, Sender<()>) {
    let (ended, end) = channel();
    let (stop, stopped) = bounded(1);
    thread::spawn(move || {
        let small = EngineOptions {
            hash_mb: 1,
            threads: 1,
        };
        let mut player = Player::new(small).expect("memory");
        let mut records = Vec::new();
        let mut keep = |note: Note<'_>| {
            if let Note::Over(record) = note {
                records.push(record.clone());
            }
        };
        let streams = (reader, writer);
        let parting = talk(streams, &mut player, &options, &stopped, &mut keep);
        // The test may have seen enough.
        let _ = ended.send((parting.expect("threads"), records));
    });
    (end, stop)
}

/// The other end of a conversation with one of ourselves, played by the test.
struct Other {
    out: PipeWriter,
    heard: Receiver<String>,
    end: Receiver<Outcome>,
    stop: Sender<()>,
}

impl Other {
    fn of(options: PeerOptions) -> Self {
        let (their_input, out) = std::io::pipe().expect("a pipe");
        let (input, their_output) = std::io::pipe().expect("a pipe");
        let (end, stop) = start(their_input, their_output, options);
        let (sender, heard) = channel();
        thread::spawn(move || {
            for message in BufReader::new(input).split(0).map_while(Result::ok) {
                let text = String::from_utf8(message).expect("ASCII");
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        Self {
            out,
            heard,
            end,
            stop,
        }
    }

    fn follower() -> Self {
        Self::of(options())
    }

    fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\0").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        // It may have closed the connection, which is for the test to find out.
        let _ = self.out.write_all(bytes);
    }

    fn hear(&self) -> String {
        self.heard.recv_timeout(PATIENCE).expect("a message")
    }

    /// Sends a message and checks how the next answers begin.
    fn ask(&mut self, text: &str, answers: &[&str]) {
        self.send(text);
        self.expect(text, answers);
    }

    fn expect(&self, after: &str, answers: &[&str]) {
        for answer in answers {
            let heard = self.hear();
            assert!(
                heard.starts_with(answer),
                "{after}: expected {answer}, heard {heard}"
            );
        }
    }

    fn outcome(self) -> Outcome {
        drop(self.out);
        self.end.recv_timeout(PATIENCE).expect("an end")
    }
}

fn request(name: &str, follower: char, rest: &str) -> String {
    format!("R01{name:<32}{follower}005000{rest}")
}

/// The mover and the letters of a board, plainly.
fn plain(text: &str) -> String {
    let board = board::write(&fen::read(text).expect(text), Reading::Plain);
    let Start::Board(turn, letters) = board else {
        panic!("a board")
    };
    let turn = if turn == Color::White { 'W' } else { 'Z' };
    format!("{turn}{letters}")
}

const ACCEPTED: &str = "ACrownhead test                  0";

/// The messages of a recording with their direction.
fn recording(name: &str) -> (Vec<(bool, String)>, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let text = fs::read_to_string(path.join(name)).expect(name);
    let messages = text.lines().filter_map(|line| {
        let sent = line.starts_with("> ");
        let text = line.strip_prefix("> ").or(line.strip_prefix("< "))?;
        Some((sent, text.strip_suffix("\\0")?.to_owned()))
    });
    (messages.collect(), text.clone())
}

/// pydraughts' own record of its games says where they led.
#[test]
fn recorded_games_of_pydraughts_replay() {
    for name in ["engine-white", "engine-black", "setup"] {
        let (messages, text) = recording(&format!("dxp-pydraughts-english-{name}.txt"));
        let mut game = Game::default();
        for (_, text) in messages {
            let message = Message::read(&text).expect(&text);
            assert_eq!(message.to_string(), text, "{name}");
            match message {
                Message::GameRequest(request) => {
                    let reading = board::reading(PosStyle::Auto, &request.name);
                    assert_eq!(reading, Reading::Swapped);
                    game = Game::new(board::read(&request.start, reading).expect("a board"));
                }
                Message::Move(played) => {
                    let mv = played.find(&game.position()).expect(&text);
                    game.play(mv).expect("a legal move");
                }
                _ => {}
            }
        }
        let end = text.rsplit("final fen ").next().expect("a FEN").trim();
        let (end, position) = (fen::read(end).expect(end), game.position());
        // The client may have moved once more before it left, without telling.
        let moves = position.legal_moves();
        let mut reached = moves.iter().map(|&mv| position.play(mv));
        assert!(position == end || reached.any(|it| it == end), "{name}");
    }
}

/// A record of games, one after the other, with notes on how boards are meant and where
/// pydraughts' own board was when a game was over.
struct Replay {
    style: PosStyle,
    name: String,
    game: Game,
    back: Option<(u16, Color)>,
}

impl Replay {
    fn take(&mut self, message: Message) {
        match message {
            Message::GameRequest(request) => {
                let reading = board::reading(self.style, &request.name);
                self.game = Game::new(board::read(&request.start, reading).expect("a board"));
                assert_eq!(board::write(&self.game.position(), reading), request.start);
                self.name = request.name;
            }
            Message::Move(played) => {
                let mv = played.find(&self.game.position()).expect("a legal move");
                self.game.play(mv).expect("a legal move");
            }
            Message::BackRequest { number, turn } => self.back = Some((number, turn)),
            Message::BackAnswer(verdict) => {
                assert_eq!(verdict, BackVerdict::Yes);
                self.go_back();
            }
            Message::GameEnd {
                reason: Reason::Lost,
                ..
            } => {
                assert!(!self.game.position().can_move());
            }
            _ => {}
        }
    }

    /// pydraughts counts moves as if White began.
    fn go_back(&mut self) {
        let (number, turn) = self.back.take().expect("a request");
        assert!(board::is_pydraughts(&self.name));
        let ply = 2 * usize::from(number - 1) + usize::from(turn == Color::Black);
        while self.game.moves().len() > ply {
            self.game.undo();
        }
    }

    /// The client may have moved once more before it left, without telling.
    fn has_come_to(&self, end: Position) -> bool {
        let position = self.game.position();
        let moves = position.legal_moves();
        position == end || moves.iter().any(|&mv| position.play(mv) == end)
    }
}

/// 20 games against pydraughts in each role and 20 among ourselves, by
/// `scripts/pydraughts_dxp_games.py --record`.
#[test]
fn games_in_every_role_replay() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let text = fs::read_to_string(folder.join("dxp-pydraughts-roles.txt")).expect("a record");
    let mut replay = Replay {
        style: PosStyle::Auto,
        name: String::new(),
        game: Game::default(),
        back: None,
    };
    let (mut games, mut ends) = (0, 0);
    for line in text.lines() {
        if let Some(style) = line.strip_prefix("# style ") {
            replay.style = PosStyle::named(style).expect(line);
        } else if let Some(end) = line.strip_prefix("# end ") {
            assert!(replay.has_come_to(fen::read(end).expect(end)), "{line}");
            ends += 1;
        } else if let Some(text) = line.strip_prefix(['<', '>']) {
            let text = text.trim_start().strip_suffix("\\0").expect(line);
            let message = Message::read(text).expect(line);
            // Victims come in any order.
            let is_move = matches!(message, Message::Move(_));
            assert!(is_move || message.to_string() == text, "{text}");
            games += u32::from(matches!(message, Message::GameRequest(_)));
            replay.take(message);
        }
    }
    assert_eq!((games, ends), (60, 40));
}

/// What Moby Dam answers to the same messages differs in detail only.
#[test]
fn a_recorded_probe_is_answered_in_kind() {
    let mut other = Other::follower();
    let (messages, _) = recording("dxp-mobydam-probe.txt");
    let sent: Vec<String> = messages
        .into_iter()
        .filter(|it| it.0)
        .map(|it| it.1)
        .collect();
    let version = sent
        .iter()
        .find(|text| text.starts_with("R02"))
        .expect("a request");
    other.ask(
        version,
        &["Cversion 01 only", "ACrownhead test                  1"],
    );
    let normal = sent
        .iter()
        .find(|text| text.starts_with("R01") && text.ends_with('A'))
        .expect("a request");
    // The follower is Black, who begins.
    other.ask(normal, &[ACCEPTED, "M0000"]);
    other.ask(
        normal,
        &["CGAMEREQ while", "ACrownhead test                  2"],
    );
    other.ask("X123", &["Cunknown message X123"]);
    other.send("Chello");
    other.ask("B009W", &["K2"]);
    // Back to White's first move: it is the peer's turn already, but nothing lies behind it.
    other.ask("B001W", &["K2"]);
    other.ask("M000132270105", &["Cillegal move 32-27", "E00"]);
    other.ask("E00", &[]);
    other.ask("E01", &[]);
    let (parting, records) = other.outcome();
    assert_eq!(parting, Parting::Done);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].game.moves().len(), 1);
    assert!(matches!(&records[0].ending, Ending::Fault(what) if what.contains("32-27")));
}

/// Both ends at once, colours in turn, over one connection.
#[test]
fn we_play_several_games_against_ourselves() {
    let [plain, swapped] = [Reading::Plain, Reading::Swapped].map(PosStyle::Fixed);
    for (start_fen, moves, style) in [
        ("B:W21-32:B1-12", 8, PosStyle::Auto),
        ("W:WK18,21,30:BK5,7,12", 0, PosStyle::Auto),
        ("W:WK18,21,30:BK5,7,12", 0, swapped),
        ("W:WK27:B20", 0, plain),
    ] {
        let (a_input, b_output) = std::io::pipe().expect("a pipe");
        let (b_input, a_output) = std::io::pipe().expect("a pipe");
        let both = PeerOptions { style, ..options() };
        let (follower, _stop) = start(a_input, a_output, both.clone());
        let initiator = PeerOptions {
            name: "Initiator".into(),
            offer: offer(4).map(|offer| Offer {
                start: fen::read(start_fen).expect(start_fen),
                moves,
                ..offer
            }),
            ..both
        };
        let (initiator, _stop) = start(b_input, b_output, initiator);
        let (parting, records) = initiator.recv_timeout(3 * PATIENCE).expect("an end");
        assert_eq!(parting, Parting::Done, "{start_fen}");
        let (parting, theirs) = follower.recv_timeout(PATIENCE).expect("an end");
        assert!(matches!(parting, Parting::Done | Parting::Gone));
        assert_eq!((records.len(), theirs.len()), (4, 4), "{start_fen}");
        for (number, (one, two)) in records.iter().zip(&theirs).enumerate() {
            let us = if number % 2 == 0 {
                Color::Black
            } else {
                Color::White
            };
            assert_eq!((one.us, two.us), (us, !us));
            assert_eq!(
                (one.peer.as_str(), two.peer.as_str()),
                ("Crownhead test", "Initiator")
            );
            assert!(one.game.moves().eq(two.game.moves()), "{start_fen}");
            assert_eq!(Ok(two.game.start()), fen::read(start_fen));
            if moves > 0 {
                assert_eq!(one.game.moves().len(), 2 * usize::from(moves));
            } else {
                assert_eq!(one.result(), two.result());
                assert_eq!(
                    one.game.outcome().map(Ending::Rules),
                    Some(one.ending.clone())
                );
            }
        }
    }
}

/// Rows 16 and 17: no pass and no waiting, whoever cannot move.
#[test]
fn finished_positions_end_the_game() {
    // We win with our first move; the peer says nothing, or says so.
    for says_so in [true, false] {
        let mut other = Other::follower();
        other.ask(
            &request("Peer", 'W', &format!("B{}", plain("W:WK27:B28"))),
            &[ACCEPTED, "M0000273200"],
        );
        if says_so {
            other.ask("E10", &["E00"]);
            other.ask("E01", &[]);
        } else {
            thread::sleep(Duration::from_millis(50));
        }
        let (_, records) = other.outcome();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].result().to_string(), "0-1");
    }
    // The peer wins: we resign instead of a move.
    let mut other = Other::follower();
    other.ask(
        &request("Peer", 'Z', &format!("B{}", plain("W:WK27:B28"))),
        &[ACCEPTED],
    );
    other.ask("M0000273200", &["E10"]);
    other.ask("E00", &[]);
    // And the next game begins on the same connection.
    other.ask(&request("Peer", 'Z', "A"), &[ACCEPTED, "M0000"]);
    other.ask("E21", &["E01"]);
    let (parting, records) = other.outcome();
    assert_eq!(parting, Parting::Done);
    let results: Vec<String> = records.iter().map(|it| it.result().to_string()).collect();
    assert_eq!(results, ["0-1", "1/2-1/2"]);
    // A game that is over before it begins is none.
    let mut other = Other::follower();
    let over = request("Peer", 'W', &format!("B{}", plain("W:W5:B1")));
    other.ask(
        &over,
        &["Cthe game is over", "ACrownhead test                  2"],
    );
}

#[test]
fn moves_are_taken_back_in_mid_search_too() {
    let mut other = Other::of(PeerOptions {
        limits: Some(Limits {
            infinite: true,
            ..Limits::default()
        }),
        ..options()
    });
    // We are White: the search after each of Black's moves never ends by itself.
    other.ask(&request("Peer", 'W', "A"), &[ACCEPTED]);
    other.send("M0000111500");
    other.ask("B001Z", &["K0"]);
    other.send("M0000091300");
    other.ask("B002Z", &["K2"]);
    other.ask("B000Z", &["K2"]);
    other.ask("E10", &["E00"]);
    let (_, records) = other.outcome();
    let played: Vec<String> = records[0].game.moves().map(|mv| mv.to_string()).collect();
    assert_eq!(played, ["9-13"]);
    assert_eq!(records[0].ending, Ending::Told(Reason::Lost));
    // We are Black: our first move goes back, and we move again. pydraughts counts from White.
    for (name, back) in [("Peer", "B001Z"), ("DXP Client", "B001W")] {
        let mut other = Other::follower();
        other.ask(&request(name, 'Z', "A"), &[ACCEPTED, "M0000"]);
        other.ask(back, &["K0", "M0000"]);
        let (parting, records) = other.outcome();
        assert_eq!(parting, Parting::Gone);
        assert_eq!(records[0].game.moves().len(), 1);
        assert_eq!(records[0].ending, Ending::Gone);
    }
}

/// pydraughts loses the second of two messages that arrive together.
#[test]
fn messages_that_follow_each_other_are_spaced() {
    let mut other = Other::follower();
    other.send(&request("Peer", 'Z', "A"));
    assert_eq!(other.hear(), ACCEPTED);
    let answered = std::time::Instant::now();
    assert!(other.hear().starts_with('M'));
    assert!(answered.elapsed() >= Duration::from_millis(100));
}

#[test]
fn requests_that_cannot_be_met_are_refused_with_a_reason() {
    for (text, why, code) in [
        (
            request("Peer", 'W', &format!("BW{}", "e".repeat(50))),
            "found 50",
            '2',
        ),
        (
            request("Peer", 'W', &format!("BW{}", "w".repeat(32))),
            "crown row",
            '2',
        ),
        (
            request("Peer", 'W', &format!("BW{}", "w".repeat(31))),
            "found 31",
            '2',
        ),
    ] {
        let mut other = Other::follower();
        other.send(&text);
        let chat = other.hear();
        assert!(chat.starts_with('C') && chat.contains(why), "{chat}");
        let answer = other.hear();
        assert!(
            answer.starts_with('A') && answer.ends_with(code),
            "{answer}"
        );
        // It may ask again.
        other.ask(&request("Peer", 'W', "A"), &[ACCEPTED]);
    }
}

/// Half frames, noise, floods: an end or an answer, never a hang, and the game is kept.
#[test]
fn hostile_peers_get_a_clear_end() {
    let playing = || {
        let mut other = Other::follower();
        other.ask(&request("Peer", 'Z', "A"), &[ACCEPTED, "M"]);
        other
    };
    // Half a message, and gone.
    let mut other = playing();
    other.send_bytes(b"M00002");
    let (parting, records) = other.outcome();
    assert_eq!((parting, records.len()), (Parting::Gone, 1));
    // No NUL for ten megabytes.
    let mut other = playing();
    other.send_bytes(&[b'C'; 200]);
    other.expect("200 bytes", &["Cmessage longer than 127 bytes", "E01"]);
    other.send_bytes(&vec![b'x'; 10 << 20]);
    let (parting, records) = other.outcome();
    assert!(matches!(parting, Parting::Fault(_)), "{parting:?}");
    assert!(matches!(records[0].ending, Ending::Fault(_)));
    // Nonsense without end.
    let mut other = playing();
    (0..1_000).for_each(|_| other.send("\u{7f}\u{e9}"));
    let (parting, records) = other.outcome();
    assert!(matches!(parting, Parting::Fault(_)), "{parting:?}");
    assert_eq!(records.len(), 1);
    // Chat without end is no fault.
    let mut other = playing();
    (0..50_000).for_each(|_| other.send("Cnice move"));
    other.ask("B001Z", &["K0", "M"]);
    // Moves out of turn and out of a game.
    let mut other = Other::follower();
    other.ask("M0000111500", &["CMOVE without a game"]);
    other.ask("K0", &["CBACKACC without"]);
    other.ask("B001Z", &["K2"]);
    other.ask("ASomebody                        0", &["CGAMEACC without"]);
    other.ask(&request("Peer", 'W', "A"), &[ACCEPTED]);
    other.send("M0000111500");
    other.expect("11-15", &["M"]);
    other.ask("M0000222600", &["Cillegal move 22-26", "E00"]);
    // What crosses our GAMEEND is no fault.
    other.ask("M0000222600", &[]);
    other.ask("E00", &[]);
    other.ask(&request("Peer", 'W', "A"), &[ACCEPTED]);
}

#[test]
fn an_initiator_is_refused_ignored_or_left() {
    let initiator = |patience| {
        Other::of(PeerOptions {
            patience,
            offer: offer(2),
            ..options()
        })
    };
    let other = initiator(PATIENCE);
    let asked = other.hear();
    let Ok(Message::GameRequest(GameRequest {
        follower,
        minutes,
        start,
        ..
    })) = Message::read(&asked)
    else {
        panic!("{asked}")
    };
    assert_eq!((follower, minutes), (Color::White, 1.0));
    assert_eq!(board::read(&start, Reading::Plain), Ok(Position::START));
    // Refused.
    let mut other = initiator(PATIENCE);
    other.ask(&format!("A{:<32}3", "Busy"), &["R01Crownhead test"]);
    assert_eq!(other.outcome().0, Parting::Refused(Verdict::AnyGame));
    // Never answered.
    let other = initiator(Duration::from_millis(100));
    let (parting, records) = (other.end.recv_timeout(PATIENCE)).expect("an end");
    assert!(matches!(parting, Parting::Silent(_)) && records.is_empty());
    // The follower wants no second game.
    let mut other = initiator(PATIENCE);
    other.ask(&format!("A{:<32}0", "Once"), &["R01", "M0000"]);
    other.ask("E11", &["E01"]);
    let (parting, records) = other.outcome();
    assert_eq!((parting, records.len()), (Parting::Done, 1));
    assert_eq!(records[0].peer, "Once");
    // And from our side.
    let mut other = initiator(PATIENCE);
    other.ask(&format!("A{:<32}0", "Patient"), &["R01", "M0000"]);
    other.stop.send(()).expect("a listener");
    other.expect("stop", &["E01"]);
    let (parting, records) = other.outcome();
    assert_eq!(parting, Parting::Stopped);
    assert_eq!(records[0].ending, Ending::Stopped);
}

/// A peer that falls silent in its own turn.
#[test]
fn silence_ends_a_game() {
    let mut other = Other::of(PeerOptions {
        patience: Duration::from_millis(400),
        ..options()
    });
    other.ask(&request("Peer", 'Z', "A"), &[ACCEPTED, "M", "E01"]);
    let (parting, records) = other.end.recv_timeout(PATIENCE).expect("an end");
    assert!(matches!(parting, Parting::Silent(_)));
    assert!(matches!(records[0].ending, Ending::Silent(_)));
}

/// Whatever was recorded, squares beyond 32 included, is read or refused in one line.
#[test]
fn every_recorded_message_is_read_or_refused_clearly() {
    for (name, faults) in [("scan-mobydam-10x10", 1), ("mobydam-probe", 1)] {
        let (messages, _) = recording(&format!("dxp-{name}.txt"));
        let mut found = 0;
        for (_, text) in messages {
            match Message::read(&text) {
                Ok(message) => assert_eq!(message.to_string(), text),
                Err(error) => {
                    found += 1;
                    assert_eq!(error.to_string().lines().count(), 1, "{text}");
                }
            }
        }
        assert_eq!(found, faults, "{name}");
    }
}
