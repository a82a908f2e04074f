//! Conversations with the console, typed in advance.

use std::collections::VecDeque;

use engine::engine::{Engine, EngineOptions};
use engine::notation::pdn;
use protocol::console::{Console, Prompt};

/// A person with a plan.
struct Script(VecDeque<String>);

impl Prompt for Script {
    fn ask(&mut self, _: &str) -> Option<String> {
        self.0.pop_front()
    }
}

/// What the console said to lines separated by ` / `.
fn talk(lines: &str) -> String {
    let script = Script(lines.split(" / ").map(String::from).collect());
    let options = EngineOptions {
        hash_mb: 1,
        threads: 1,
    };
    let engine = Engine::new(options).expect("an engine");
    let mut out = Vec::new();
    let console = Console::new(script, &mut out, engine, fastrand::Rng::with_seed(1));
    console.run().expect("a buffer");
    String::from_utf8(out).expect("text")
}

fn holds(lines: &str, parts: &[&str]) {
    let said = talk(lines);
    for part in parts {
        assert!(said.contains(part), "{lines}: no {part:?} in\n{said}");
    }
}

/// FAULTS 107, 2 and 10: a person learns why a move is refused.
#[test]
fn refusals_are_explained() {
    holds(
        "11-15 22-18 9-13",
        &["9-13 is not legal: Black must jump, 15x22"],
    );
    holds(
        "side both / fen B:W23,22,15,14:B11,10 / 10x26",
        &["10x17x26", "10x19x26"],
    );
    holds(
        "side both / fen W:W18:B15,8 / 18x11",
        &["the jump must go on: 18x11x4"],
    );
    holds("11-14", &["11-14 is not legal"]);
    holds("hello", &["help lists the commands"]);
    holds("fen W:W0:B33", &["column"]);
}

#[test]
fn both_notations_are_taken_and_written() {
    holds("c3-d4", &["White (Crownhead) plays 2"]);
    holds(
        "notation algebraic / c3-d4",
        &["White (Crownhead) plays ", "\n     a    b    c"],
    );
    holds(
        "side both / fen W:W18:B15,8 / 18x11 11x4",
        &["Black has no legal move"],
    );
}

/// FAULTS 20: undo after the move that won.
#[test]
fn the_last_move_can_be_taken_back() {
    let said = talk("side both / fen W:WK27:B28 / 27-32 / undo / fen / 27-32 / 1-5");
    assert!(said.contains("W:WK27:B28"), "{said}");
    assert!(
        said.contains("White has won: Black has no legal move. (undo"),
        "{said}"
    );
    assert!(said.contains("The game is over: White has won"), "{said}");
    holds(
        "11-15 / undo / fen / undo",
        &["B:W21,22,23", "nothing to take back"],
    );
    holds(
        "side white / undo / fen",
        &["Black (Crownhead) plays", "W:W21,22"],
    );
}

/// FAULTS 111: nothing is lost without a question.
#[test]
fn a_game_is_not_thrown_away_unasked() {
    holds("11-15 / new / n / fen", &["B1,2,3,4,5,6,7,8,9,10,12"]);
    let said = talk("11-15 / new / y / fen");
    assert!(said.contains("B1,2,3,4,5,6,7,8,9,10,11,12\n"), "{said}");
    let said = talk("11-15 / quit / n / moves");
    assert!(
        said.lines()
            .last()
            .is_some_and(|line| line.contains('-') || line.contains('x')),
        "{said}"
    );
}

/// FAULTS 36: a set-up is kept in the PDN.
#[test]
fn games_are_saved_with_their_setup() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.pdn");
    let path = path.to_str().expect("text");
    holds(
        &format!("side both / fen W:WK8,10:B2,13 / 8-11 / pdn {path} / pdn {path} / n"),
        &["saved in"],
    );
    let text = std::fs::read(path).expect("a file");
    let game = pdn::Reader::new(&text[..])
        .next()
        .expect("a game")
        .expect("a good game");
    assert_eq!(
        (
            game.moves.len(),
            game.start.kings(engine::board::Color::White).len()
        ),
        (1, 1)
    );
    holds(
        "11-15 / pdn",
        &["[White \"Crownhead ", "level 4\"]", "1. 11-15"],
    );
    holds("pdn /no/such/folder/game.pdn", &["cannot save"]);
}

/// FAULTS 110: every command that help names does something.
#[test]
fn every_command_of_the_help_works() {
    for (lines, part) in [
        ("help", "take back"),
        ("moves", "11-15"),
        ("hint", ": "),
        ("go", "Black (Crownhead) plays"),
        ("board", "|  * |"),
        ("flip", " 4 "),
        ("level 10", ">"),
        ("level 11", "expected a level"),
        ("side white", "Black (Crownhead) plays"),
        ("side green", "expected black"),
        ("fen", "B:W21"),
        ("notation cuneiform", "expected numeric"),
    ] {
        holds(lines, &[part]);
    }
}

/// Black's board begins at 28 on the left, White's with 4's row on top and 5 on the left.
#[test]
fn the_board_turns() {
    let said = talk("side both / flip");
    let labelled = |label: &str| said.lines().position(|line| line.starts_with(label));
    let (unturned, turned) = (labelled("28 |"), labelled(" 5 |"));
    assert!(unturned.is_some() && turned > unturned, "{said}");
}

/// A level plays as strongly as it looks: over a few games the higher one takes more.
#[test]
fn levels_differ_in_strength() {
    let (mut high, mut low) = (0, 0);
    for seed in 0..3 {
        let [black, white] = duel([7, 1], seed);
        (high, low) = (high + black, low + white);
        let [black, white] = duel([1, 7], seed);
        (high, low) = (high + white, low + black);
    }
    assert!(high > low, "{high} against {low}");
}

/// Points of Black and White after a game between two levels, played through the console.
fn duel(levels: [usize; 2], seed: u64) -> [u32; 2] {
    let mut plies = Vec::new();
    for ply in 0..160 {
        plies.push(format!("level {}", levels[ply % 2]));
        plies.push("go".to_string());
    }
    let script = Script(
        std::iter::once("side both".to_string())
            .chain(plies)
            .collect(),
    );
    let engine = Engine::new(EngineOptions {
        hash_mb: 1,
        threads: 1,
    })
    .expect("an engine");
    let mut out = Vec::new();
    let console = Console::new(script, &mut out, engine, fastrand::Rng::with_seed(seed));
    console.run().expect("a buffer");
    let said = String::from_utf8(out).expect("text");
    match (
        said.contains("Black has won"),
        said.contains("White has won"),
    ) {
        (true, _) => [2, 0],
        (_, true) => [0, 2],
        _ => [1, 1],
    }
}
