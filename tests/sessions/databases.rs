//! Sessions with endgame databases: what is damaged is told, and several threads share them.

use std::time::Duration;

use engine::engine::EngineOptions;
use engine::notation::fen;
use engine::rules::Game;
use protocol::databases::Wanted;
use protocol::dialect::Dialect;
use protocol::session::SessionOptions;

use super::{check_done, letters};
use crate::client::{Client, options};
use crate::damaged;

/// The score of the last `info` of a Hub session.
fn last_score(lines: &[String]) -> f64 {
    let info = lines.iter().rfind(|line| line.starts_with("info"));
    let score = info.and_then(|line| line.split("score=").nth(1));
    let score = score.and_then(|it| it.split(' ').next()).expect("a score");
    score.parse().expect("a number")
}

#[test]
fn a_damaged_database_is_told_once_in_every_dialect() {
    let folder = damaged::two_pieces();
    for (dialect, search, word, said) in [
        (
            Dialect::Hub,
            format!(
                "pos pos={} / level depth=4 / go think",
                letters("W:WK32:BK26")
            ),
            "done",
            "error message=\"damaged database\" detail=",
        ),
        (
            Dialect::Ugi,
            "position fen W:WK32:BK26 / go depth 4".into(),
            "bestmove",
            "info string error damaged database: ",
        ),
        (
            Dialect::Cb,
            "setup W:WK32:BK26 / go depth 4".into(),
            "move",
            "? damaged database: ",
        ),
    ] {
        let mut client = Client::new(SessionOptions {
            tablebase: damaged::wanted(&folder),
            ..options(Some(dialect))
        });
        let lines: Vec<String> = (0..3).flat_map(|_| client.ask_all(&search, word)).collect();
        let told = lines.iter().filter(|line| line.contains("damaged"));
        let told: Vec<&String> = told.collect();
        assert_eq!(told.len(), 1, "{dialect:?}: {lines:#?}");
        assert!(told[0].starts_with(said), "{}", told[0]);
        assert!(told[0].contains(".ctb"), "{}", told[0]);
    }
}

/// For matches with equal databases: each dialect limits them, and the one that tells tells so.
#[test]
fn databases_can_be_limited_to_so_many_pieces() {
    let start = |dialect| {
        Client::new(SessionOptions {
            tablebase: Wanted::BuiltIn,
            ..options(Some(dialect))
        })
    };
    let mut checkerboard = start(Dialect::Cb);
    for (most, told) in [(4, "4"), (0, "0"), (24, "5")] {
        checkerboard.ask(&format!("set max_dbpieces {most}"), "max_dbpieces");
        assert_eq!(checkerboard.ask("get max_dbpieces", told), told);
    }
    // White's two kings win against one within a few moves, but not at depth 1.
    let position = "W:WK32,K31:BK1";
    let hub = format!("pos pos={} / level depth=1 / go think", letters(position));
    let mut client = start(Dialect::Hub);
    client.ask("hub", "wait");
    let mut score = |pieces: u32| {
        client.send(&format!("set-param name=tablebase-pieces value={pieces}"));
        last_score(&client.ask_all(&hub, "done"))
    };
    assert!(score(3) >= 90.0 && score(2) < 90.0 && score(24) >= 90.0);
    let refused = client.ask("set-param name=tablebase-pieces value=25", "error");
    assert!(refused.contains("0 to 24"), "{refused}");
}

/// Searches that are stopped, hit, left and asked again, on more threads than the machine may
/// have, with a cache so small that threads push each other's values out.
#[test]
fn several_threads_share_the_databases() {
    let mut client = Client::new(SessionOptions {
        engine: EngineOptions {
            hash_mb: 1,
            threads: 4,
        },
        tablebase: Wanted::BuiltIn,
        ..options(Some(Dialect::Hub))
    });
    client.ask(
        "hub / set-param name=tablebase-cache value=1 / init",
        "ready",
    );
    let boards = [
        "W:WK19,K23:B12,K28",
        "B:WK14,K22,31,32:BK1,2,3",
        "W:WK32,27,31:B2,7,15,16,23,24",
        "B:W18,22,25,26:B9,K10,15",
        "W:WK18,21,30:BK5,7,12",
    ];
    for (round, board) in boards.iter().cycle().take(40).enumerate() {
        let pos = format!("pos pos={} / ", letters(board));
        let done = match round % 4 {
            0 => client.ask(&format!("{pos}level depth=9 / go think"), "done"),
            1 => client.ask(&format!("{pos}level move-time=0.02 / go think"), "done"),
            2 => client.ask(&format!("{pos}level infinite / go analyze / stop"), "done"),
            _ => {
                let ponder = format!("{pos}level move-time=0.01 / go ponder / ping / ponder-hit");
                client.ask(&ponder, "done")
            }
        };
        check_done(&done, Game::new(fen::read(board).expect(board)));
    }
    // Other databases in mid-search: the search is answered first.
    let pos = format!("pos pos={}", letters(boards[0]));
    for databases in ["off", "built-in", "auto"] {
        client.send(&format!("{pos} / level infinite / go think"));
        client.until("info");
        client.send(&format!("set-param name=tablebase value={databases}"));
        client.until("done");
    }
    let won = client.ask_all(&format!("{pos} / level depth=12 / go think"), "done");
    assert!(last_score(&won) >= 90.0, "{won:#?}");
    client.send("level infinite / go analyze");
    client.until("info");
    let (took, rest) = client.leave();
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(
        rest.last().is_some_and(|line| line.starts_with("done")),
        "{rest:#?}"
    );
}
