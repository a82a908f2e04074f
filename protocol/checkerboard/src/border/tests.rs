//! The exported functions, called as the GUI calls them: guard bytes round every buffer, threads.

use std::ffi::CString;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::board::Color;
use engine::notation::fen;
use engine::rules::Position;

use super::*;
use crate::terms;

const GUARD: u8 = b'G';

/// Held by each test: they share what a loaded library knows.
static ALONE: Mutex<()> = Mutex::new(());

/// Calls `enginecommand` with a reply of 256 bytes between guards.
fn command(text: &str) -> (i32, String) {
    let text = CString::new(text).expect("no NUL");
    let mut room = [GUARD; 3 * REPLY];
    // SAFETY: a text with a NUL, and 256 bytes in the middle of 768.
    let code = unsafe { enginecommand(text.as_ptr(), room.as_mut_ptr().add(REPLY).cast()) };
    let (before, rest) = room.split_at(REPLY);
    let (reply, after) = rest.split_at(REPLY);
    assert!(
        before.iter().chain(after).all(|&byte| byte == GUARD),
        "{text:?}"
    );
    let end = reply.iter().position(|&byte| byte == 0).expect("a NUL");
    (
        code,
        String::from_utf8(reply[..end].to_vec()).expect("UTF-8"),
    )
}

struct Called {
    value: i32,
    after: Board,
    status: String,
    took: Duration,
}

/// Calls `getmove` on a thread of its own, and sets `playnow` after a while.
fn call(position: &Position, time: f64, info: (i32, i32), playnow_after: Option<u64>) -> Called {
    let color = if position.turn() == Color::White {
        1
    } else {
        2
    };
    let mut boards = [[[-1; 8]; 8], terms::write(position), [[-1; 8]; 8]];
    let mut text = [GUARD; 3 * STATUS];
    let playnow = AtomicI32::new(0);
    let began = Instant::now();
    let value = thread::scope(|scope| {
        if let Some(after) = playnow_after {
            let playnow = &playnow;
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(after));
                playnow.store(1, Ordering::Relaxed);
            });
        }
        // SAFETY: the middle board, 1024 bytes in the middle of the text, and an int, all of which
        // outlive the call.
        unsafe {
            getmove(
                &raw mut boards[1],
                color,
                time,
                text.as_mut_ptr().add(STATUS).cast(),
                playnow.as_ptr(),
                info.0,
                info.1,
                std::ptr::null_mut(),
            )
        }
    });
    let took = began.elapsed();
    assert!(
        [boards[0], boards[2]]
            .iter()
            .flatten()
            .flatten()
            .all(|&cell| cell == -1)
    );
    let (before, rest) = text.split_at(STATUS);
    let (status, after) = rest.split_at(STATUS);
    assert!(before.iter().chain(after).all(|&byte| byte == GUARD));
    let end = status.iter().position(|&byte| byte == 0).expect("a NUL");
    let status = String::from_utf8(status[..end].to_vec()).expect("ASCII");
    assert!(!status.contains(['{', '}', '\n', '\r']), "{status}");
    Called {
        value,
        after: boards[1],
        status,
        took,
    }
}

/// The position after a call, which must be one move further.
fn moved(position: &Position, called: &Called) -> Position {
    let moves = position.legal_moves();
    let after = moves.iter().map(|&mv| position.play(mv));
    let mut found = after.filter(|after| terms::write(after) == called.after);
    found
        .next()
        .unwrap_or_else(|| panic!("{}: no legal move", fen::write(position)))
}

#[test]
fn whole_games_are_legal_and_the_status_tells() {
    let _alone = ALONE.lock();
    let mut position = Position::START;
    for ply in 0..30 {
        if !position.can_move() {
            break;
        }
        let called = call(&position, 0.02, (i32::from(ply == 0), 0), None);
        assert!(called.status.starts_with("depth "), "{}", called.status);
        assert!((DRAW..=UNKNOWN).contains(&called.value));
        position = moved(&position, &called);
    }
}

#[test]
fn values_are_returned_when_they_are_proven() {
    let _alone = ALONE.lock();
    for (board, value) in [
        ("W:WK32:BK26", terms::WIN),
        ("W:WK27:B28", terms::WIN),
        ("B:WK32,K31,K27:BK1", UNKNOWN),
        ("B:W21-32:B1-12", UNKNOWN),
    ] {
        let position = fen::read(board).expect(board);
        let called = call(&position, 0.1, (1, 0), None);
        moved(&position, &called);
        assert!(
            called.value == value || value == UNKNOWN && called.value != DRAW,
            "{board}"
        );
    }
    // Nothing to play: lost, and the board as it was.
    let lost = fen::read("W:W5:B1").expect("a board");
    let called = call(&lost, 0.1, (0, 0), None);
    assert_eq!(
        (called.value, called.after),
        (terms::LOSS, terms::write(&lost))
    );
}

/// The GUI counts neither repetitions nor quiet moves; we are told what led here.
#[test]
fn draws_by_rule_are_told() {
    let _alone = ALONE.lock();
    // Both can only shuffle: after 80 such plies it is drawn whatever is played.
    let tour = " 1-5 32-28 5-1 28-32".repeat(20);
    let tour = tour.strip_suffix(" 28-32").expect("the last move");
    let position = fen::read("W:WK28,K31:BK1").expect("a board");
    let told = fen::read("B:WK32,K31:BK1")
        .map(|it| fen::write(&it))
        .expect("a board");
    assert_eq!(command(&format!("set gamehist {told}{tour}")).0, 1);
    let called = call(&position, 0.02, (0, 0), None);
    moved(&position, &called);
    assert_eq!(called.value, DRAW, "{}", called.status);
}

#[test]
fn playnow_ends_an_endless_search_with_a_legal_move() {
    let _alone = ALONE.lock();
    let position = Position::START;
    let called = call(&position, 8_600_000.0, (0, 0), Some(60));
    moved(&position, &called);
    assert!(called.took < Duration::from_secs(5), "{:?}", called.took);
    // Set before the search begins.
    let called = call(&position, 8_600_000.0, (0, 0), Some(0));
    moved(&position, &called);
}

#[test]
fn odd_arguments_do_no_harm() {
    let _alone = ALONE.lock();
    let position = Position::START;
    for (time, info) in [
        (0.0, (0, 0)),
        (-5.0, (2, 0)),
        (f64::NAN, (0, 0)),
        (0.01, (4, 0)),
        (0.01, (15, -1 << 16 | 1)),
        (0.01, (8, 0x0001_FFFF)),
    ] {
        let playnow = info.0 == 15;
        let called = call(&position, time, info, playnow.then_some(20));
        moved(&position, &called);
    }
    // A man on its crownhead and a side that does not exist: nothing is played.
    let mut board = Board::default();
    board[6][0] = 5;
    let before = board;
    // SAFETY: a board; null is allowed for the rest.
    let value = unsafe {
        getmove(
            &raw mut board,
            7,
            0.1,
            std::ptr::null_mut(),
            std::ptr::null(),
            0,
            0,
            std::ptr::null_mut(),
        )
    };
    assert_eq!((value, board), (UNKNOWN, before));
}

#[test]
fn replies_fit_and_are_quick_during_a_search() {
    let _alone = ALONE.lock();
    let long = format!(
        "set gamehist W:WK9,K14:B13,K19,K31,K32{}",
        " 9-5 32-28".repeat(39)
    );
    for (text, code) in [
        ("name", 1),
        ("about", 1),
        ("help", 1),
        ("get gametype", 1),
        ("get movelist B:W1:B", 0),
        ("", 0),
        ("set dbpath /tmp/no such folder ż", 1),
        (long.as_str(), 0),
        (&format!("set dbpath /{}", "ż".repeat(400)), 1),
        ("get dbpath", 1),
        ("set dbpath", 1),
    ] {
        let (found, reply) = command(text);
        assert_eq!(found, code, "{text}: {reply}");
        assert_eq!(reply == "?", code == 0, "{text}: {reply}");
    }
    thread::scope(|scope| {
        let search = scope.spawn(|| call(&Position::START, 8_600_000.0, (0, 0), Some(1_000)));
        thread::sleep(Duration::from_millis(200));
        let began = Instant::now();
        assert_eq!(command("get searchthreads").1, "1");
        assert_eq!(command("set hashsize 2").1, "hashsize 2");
        assert!(began.elapsed() < Duration::from_millis(500));
        moved(&Position::START, &search.join().expect("no panic"));
    });
    assert_eq!(command("get hashsize").1, "2");
}
