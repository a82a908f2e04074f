//! Streams of any length in bounded memory, and hostile text in bounded time.

use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::rc::Rc;
use std::time::{Duration, Instant};

use engine::notation::pdn::{Reader, to_text};
use engine::notation::{Notation, diagram, fen, moves, read_position};
use engine::rules::{Game, Position};

/// One game again and again, counting what was taken.
struct Endless {
    game: Vec<u8>,
    games: usize,
    at: usize,
    taken: Rc<Cell<usize>>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = &self.game[self.at..];
        let length = if self.games == 0 {
            0
        } else {
            rest.len().min(buffer.len())
        };
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        if self.at == self.game.len() {
            self.at = 0;
            self.games -= 1;
        }
        self.taken.set(self.taken.get() + length);
        Ok(length)
    }
}

/// The reader never runs further ahead than a few pieces, so memory cannot grow with the file.
#[test]
fn games_are_read_one_at_a_time() {
    let game = "[Event \"x\"]\n[Result \"1-0\"]\n\n1. 11-15 23-19 2. 8-11 22-17 {a comment} 3. 4-8 25-22 1-0\n\n";
    let taken = Rc::new(Cell::new(0));
    let games = 100_000;
    let input = Endless {
        game: game.into(),
        games,
        at: 0,
        taken: Rc::clone(&taken),
    };
    let mut count = 0;
    for read in Reader::new(BufReader::new(input)) {
        let read = read.expect("the stream does not fail");
        count += 1;
        assert_eq!((read.number, read.moves.len()), (count, 6));
        assert!(
            taken.get() - (count - 1) * game.len() < 100_000,
            "game {count}"
        );
    }
    assert_eq!(count, games);
}

/// 1,200 plies of kings walking to and fro: nothing is cut off anywhere.
#[test]
fn long_games_are_kept_whole() {
    let start = fen::read("B:WK32:BK1").expect("a FEN");
    let mut game = Game::new(start);
    for text in ["1-5", "32-28", "5-1", "28-32"].iter().cycle().take(1_200) {
        moves::play(text, &mut game).expect("kings walk");
    }
    let text = to_text(
        &engine::notation::pdn::PdnGame::from_game(&game),
        Notation::Algebraic,
    );
    let read = Reader::new(text.as_bytes())
        .next()
        .expect("a game")
        .expect("memory does not fail");
    assert_eq!(read.moves.len(), 1_200);
    assert_eq!(read.replay(usize::MAX).position(), game.position());
    // Several set-ups and variations inside one another are bounded too.
    let deep = format!(
        "1. 9-13 {} 21-17 *",
        "( 1. 9-14 ".repeat(2_000) + &")".repeat(2_000)
    );
    let read = Reader::new(deep.as_bytes())
        .next()
        .expect("a game")
        .expect("memory does not fail");
    assert_eq!((read.moves.len(), read.fault), (2, None));
}

/// A game without end stops at its limit, says so, and the next game is read.
#[test]
fn endless_games_are_cut_short() {
    let input = "[FEN \"B:WK32:BK1\"]\n".to_owned()
        + &"1-5 32-28 5-1 28-32 ".repeat(60_000)
        + "*\n[Event \"next\"]\n1. 9-13 *";
    let games: Vec<_> = Reader::new(input.as_bytes())
        .collect::<Result<_, _>>()
        .expect("memory");
    assert_eq!(games.len(), 2);
    assert!(
        games[0]
            .fault
            .as_ref()
            .is_some_and(|fault| fault.to_string().contains("longer than"))
    );
    assert!(games[0].moves.len() > 50_000);
    assert_eq!(games[1].moves.len(), 1);
}

/// No text of 64 KiB takes more than a tenth of a second, whatever it repeats.
#[test]
fn hostile_text_takes_no_time() {
    const PIECES: &[&str] = &[
        "(",
        ")",
        "{",
        "}",
        "{a{",
        "}{",
        "[",
        "]",
        "[a \"",
        "\"]",
        "1",
        "0",
        "11-15 ",
        "11x",
        "x",
        "-",
        "- ",
        "1-",
        "1 - ",
        "1.",
        "...",
        "$",
        "$1",
        "*",
        "!",
        "?",
        "(?",
        "(1. 9-13 ",
        "%\n",
        ";",
        "/FEN \"",
        "|",
        "| ",
        "|o",
        "\n",
        "\r",
        "---",
        "|---|",
        "+",
        "o ",
        "* ",
        ". ",
        "B:",
        "W:W",
        ",",
        "1,",
        "K",
        "1-32,",
        "W:",
        ":",
        "\u{FEFF}",
        "\u{A0}",
        "\0",
        "a1",
        "a1 ",
        "h8-",
        "1/2",
        "{\n\n[Event \"",
        "2x9x18x11",
        " 2x9 9x18",
        "\u{BD}",
        "| | | | | | | | |\n",
        "o o o o\n",
        "1 2 3 4\n",
        "white to play ",
        "[FEN \"W:WK18:B15\"] 18x11 ",
        "\u{201C}",
    ];
    let position = fen::read("B:W6,7,8,14,15,16,22,23,24:BK2").expect("a FEN");
    let mut worst = (Duration::ZERO, "");
    for piece in PIECES {
        let text: String = piece.repeat(64 * 1024 / piece.len());
        let prefixed = format!("1. 9-13 {text}");
        let attempt = || {
            let began = Instant::now();
            let _ = fen::read(&text);
            let _ = moves::read(&text, &position);
            let _ = moves::read(&text, &Position::START);
            let _ = diagram::read(&text);
            let _ = read_position(&text);
            let _ = read_position(&prefixed);
            Reader::new(text.as_bytes()).for_each(drop);
            began.elapsed() / 7
        };
        // Other processes may hold this one up, so the better of several attempts counts.
        let taken = (0..5).map(|_| attempt()).min().unwrap_or_default();
        worst = worst.max((taken, piece));
    }
    assert!(worst.0 < Duration::from_millis(100), "{worst:?}");
}
