//! The dialects that write positions as FEN: UGI and CheckerBoard's commands.

use engine::rules::Position;
use protocol::dialect::Dialect;

use crate::client::{Client, options};

/// Row 35: the order of the lists and the case of letters mean nothing.
#[test]
fn fen_is_read_as_written() {
    for (dialect, set_up) in [(Dialect::Cb, "setup"), (Dialect::Ugi, "position fen")] {
        for text in ["B:B9:W18", "b:w18:b9", "B:W18:B9"] {
            let mut client = Client::new(options(Some(dialect)));
            let (go, word) = match dialect {
                Dialect::Cb => ("board", "B:W18:B9"),
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
fn ugi_knows_how_the_game_stands() {
    let mut client = Client::new(options(Some(Dialect::Ugi)));
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
    let mut client = Client::new(options(Some(Dialect::Cb)));
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
    let value = engine::eval::Evaluator::default().evaluate_alone(&Position::START);
    assert!(
        client
            .ask(
                "setup start / staticevaluation",
                &format!("{:+.2}", value.men())
            )
            .ends_with("for Black")
    );
}
