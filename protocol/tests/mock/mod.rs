//! An engine that misbehaves on demand, for the tests of whatever has to live with engines.
//!
//! The test binary is its own mock: a command line built by [`command`] starts it again with only
//! the test that calls [`serve`], which then speaks Hub until its input ends.

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use engine::notation::moves;
use engine::rules::{Game, Key};
use protocol::hub::{Line, read_position};

/// Comes before the manner in the command line. To the test harness it is one more filter.
const MARK: &str = "manner:";

/// The command that starts this binary as an engine with these manners.
pub(crate) fn command(manner: &str) -> String {
    let program = std::env::current_exe().expect("the path of this test");
    let program = program.to_str().expect("a path in UTF-8");
    format!("'{program}' --exact mock_engine --nocapture --skip {MARK}{manner}")
}

/// Plays the engine if this process was started by [`command`]; returns at once if it was not.
pub(crate) fn serve() {
    let marked = std::env::args().find_map(|word| word.strip_prefix(MARK).map(str::to_owned));
    if let Some(manner) = marked {
        Mock {
            manner,
            game: Game::default(),
            games: 0,
            searches: 0,
        }
        .run();
    }
}

struct Mock {
    manner: String,
    game: Game,
    games: usize,
    searches: usize,
}

fn say(line: &str) {
    // In one piece, however many lines.
    let text = format!("{line}\n");
    let mut out = io::stdout().lock();
    if out
        .write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .is_err()
    {
        exit(0);
    }
}

impl Mock {
    fn run(mut self) -> ! {
        if self.is("deaf") {
            self.talk_without_listening();
        }
        for line in io::stdin().lock().lines() {
            let line = line.unwrap_or_default();
            self.obey(&Line::read(&line));
        }
        if self.is("stubborn") {
            // Neither the end of its input nor anything else moves it.
            sleep(Duration::from_secs(600));
        }
        exit(0)
    }

    fn is(&self, manner: &str) -> bool {
        self.manner == manner
    }

    fn obey(&mut self, line: &Line) {
        match line.command() {
            "hub" => {
                say("id name=Mock version=1 author=Nobody country=None");
                say("param name=hash value=1 type=int min=1 max=64");
                say("wait");
            }
            "init" if self.is("unready") => {}
            "init" => say("ready"),
            "ping" => say("pong"),
            "new-game" => {
                self.games += 1;
                if self.is("mortal") && self.games == 3 {
                    exit(7);
                }
            }
            "pos" => self.set(line),
            "go" => self.search(),
            "quit" if !self.is("stubborn") => exit(0),
            _ => {}
        }
    }

    fn set(&mut self, line: &Line) {
        let letters = line.value("pos").unwrap_or_default();
        self.game = Game::new(read_position(letters).expect("a legal position"));
        for text in line.value("moves").unwrap_or_default().split_whitespace() {
            moves::play(text, &mut self.game).expect("a legal move");
        }
    }

    fn search(&mut self) {
        self.searches += 1;
        let depth = format!(
            "info depth=8 score=0.25 nodes=1000 time=0.001 pv=\"{}\"",
            self.best()
        );
        match self.manner.as_str() {
            "slow" => sleep(Duration::from_millis(2_800)),
            "silent" | "stubborn" if self.searches >= 3 => return,
            "crash" if self.searches >= 3 => {
                eprintln!("assertion failed: the mock has had enough");
                exit(9);
            }
            "quitter" if self.searches >= 3 => exit(0),
            "illegal" if self.searches >= 3 => return say("done move=1-32"),
            "empty" => return say("done"),
            "babbler" => return say("done move=\u{1f600}\u{7}<script>"),
            "victimless" => return say(&format!("done move={}x9", self.best())),
            "boaster" => say("info depth=99 score=99.99 nodes=1 pv=\"1-32 1-32\""),
            "drawish" => say("info depth=1 score=0.00 message=\"draw\""),
            "garbage" => self.garbage(),
            "complainer" if self.searches == 3 => say("error message=\"bad mood\" detail=today"),
            "shouter" => eprintln!("{}", "x".repeat(200_000)),
            "flood" => self.flood(),
            "parent" => self.leave_a_child(),
            _ => say(&depth),
        }
        let best = self.best();
        if self.is("stutterer") {
            // At once, or the second could pass for the next answer.
            say(&format!("done move={best} ponder=\ndone move={best}"));
        } else {
            say(&format!("done move={best} ponder="));
        }
    }

    /// Some legal move, the same one every time in the same position.
    fn best(&self) -> String {
        let position = self.game.position();
        let legal = position.legal_moves();
        let choice = Key::of(&position).0 as usize % legal.len();
        moves::write_hub(legal[choice])
    }

    fn garbage(&self) {
        let mut out = io::stdout().lock();
        // Far longer than any line that a client should keep, and no text at all.
        let _ = out.write_all(&[b'y'; 300_000]);
        let _ =
            out.write_all(b"\n\xff\xfe\0\x01\ninfo\ninfo depth=x score=#5 nodes=\ndone_\nready\n");
    }

    fn flood(&self) {
        loop {
            say("info depth=1 score=0.00 nodes=1");
        }
    }

    fn talk_without_listening(&self) -> ! {
        for line in ["id name=Deaf", "wait", "ready", "pong", "pong"] {
            say(line);
        }
        loop {
            say("done move=11-15");
            sleep(Duration::from_millis(1));
        }
    }

    /// Starts a process that outlives us if nobody ends it, says where, and hangs.
    fn leave_a_child(&self) {
        let mut child = std::process::Command::new("sleep")
            .arg("600")
            .spawn()
            .expect("sleep");
        let path = std::env::temp_dir().join(format!("crownhead-mock-{}", std::process::id()));
        std::fs::write(path, child.id().to_string()).expect("a temporary file");
        let _ = child.wait();
    }
}
