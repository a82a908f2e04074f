//! `crownhead dxp` over TCP: several clients, clients that come back, an end in mid-game.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// Asks for a game in which we move second.
const REQUEST: &str = "R01Peer                            Z005000A\0";

/// A listening engine, which ends with the test.
struct Engine {
    child: Child,
    port: u16,
}

impl Engine {
    fn new(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_crownhead"))
            .args([
                "dxp",
                "--listen",
                "127.0.0.1:0",
                "--time",
                "0.01",
                "--hash",
                "1",
            ])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("a pipe");
        BufReader::with_capacity(1, out)
            .read_line(&mut line)
            .expect("a line");
        let port = line.trim_end().rsplit(':').next().expect("a port");
        let port = port.parse().expect("a port");
        Self { child, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a listener");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        stream
    }

    /// A connection on which a game has begun.
    fn play(&self) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(REQUEST.as_bytes()).expect("a reader");
        let answer = hear(&mut stream);
        assert!(answer.starts_with('A') && answer.ends_with('0'), "{answer}");
        stream
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next message without its NUL.
fn hear(stream: &mut TcpStream) -> String {
    let (mut message, mut byte) = (Vec::new(), [0]);
    while stream.read_exact(&mut byte).is_ok() && byte != [0] {
        message.extend(byte);
    }
    String::from_utf8(message).expect("ASCII")
}

#[test]
fn one_plays_and_the_others_are_told() {
    let engine = Engine::new(&[]);
    let mut first = engine.play();
    for _ in 0..2 {
        let mut other = engine.connect();
        assert_eq!(hear(&mut other), "Cbusy with another game; try again later");
        assert!(hear(&mut other).ends_with('3'));
    }
    assert!(hear(&mut first).starts_with("M0000"));
}

/// A new connection for each game, at once, whether the one before was closed or left hanging.
#[test]
fn a_client_that_comes_back_is_welcome() {
    let engine = Engine::new(&[]);
    for _ in 0..10 {
        drop(engine.play());
    }
    let mut last = engine.play();
    assert!(hear(&mut last).starts_with("M0000"));
}

#[test]
fn two_engines_play_several_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let [theirs, ours] = ["theirs.pdn", "ours.pdn"].map(|name| folder.path().join(name));
    let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let mut follower = Engine::new(&["--connections", "1", "--pdn", &path(&theirs)]);
    let initiator = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args([
            "dxp",
            "--connect",
            &follower.port.to_string(),
            "--games",
            "3",
        ])
        .args([
            "--time",
            "0.01",
            "--hash",
            "1",
            "--pos",
            "W:WK18,21,30:BK5,7,12",
        ])
        .args(["--pdn", &path(&ours)])
        .output()
        .expect("the binary runs");
    assert!(initiator.status.success(), "{initiator:?}");
    assert!(follower.child.wait().expect("an end").success());
    let [theirs, ours] = [theirs, ours].map(|path| fs::read_to_string(path).expect("games"));
    assert_eq!(ours.matches("[Event ").count(), 3);
    let moves = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('['));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(moves(&ours), moves(&theirs));
}

#[cfg(unix)]
#[test]
fn a_game_is_kept_when_the_engine_is_told_to_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let pdn = folder.path().join("games.pdn");
    let mut engine = Engine::new(&["--pdn", pdn.to_str().expect("UTF-8")]);
    let mut stream = engine.play();
    assert!(hear(&mut stream).starts_with("M0000"));
    let id = engine.child.id().to_string();
    let told = Command::new("kill").arg(id).status();
    assert!(told.expect("kill").success());
    assert_eq!(hear(&mut stream), "E01");
    assert!(engine.child.wait().expect("an end").success());
    let text = fs::read_to_string(pdn).expect("a game");
    assert!(
        text.contains("[Termination \"stopped\"]") && text.contains("1. "),
        "{text}"
    );
}
