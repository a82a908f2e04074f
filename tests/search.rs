//! The search through the engine's door: known wins, draws by rule, limits, stops, threads.
//!
//! Distances come from `endgame_facts` of the project's reference data and published play.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use engine::board::{Color, Square};
use engine::engine::{Engine, EngineOptions};
use engine::rules::{Game, Piece, Position, Setup};
use engine::score::Verdict;
use engine::search::{Answer, Limits, Observer, Report};

fn engine(threads: usize) -> Engine {
    Engine::new(EngineOptions {
        hash_mb: 8,
        threads,
    })
    .expect("8 MiB")
}

type Side<'a> = (&'a [u32], &'a [u32]);

/// A position from the numbers of (men, kings) of Black and of White.
fn position(turn: Color, black: Side<'_>, white: Side<'_>) -> Position {
    let mut setup = Setup::empty(turn);
    for (color, (men, kings)) in [(Color::Black, black), (Color::White, white)] {
        for (piece, squares) in [(Piece::Man, men), (Piece::King, kings)] {
            for &number in squares {
                setup.put(Square::new(number).expect("1-32"), color, piece);
            }
        }
    }
    Position::try_from(setup).expect("a legal set-up")
}

fn search(position: Position, limits: Limits) -> Answer {
    let mut engine = engine(1);
    engine.set_game(Game::new(position));
    engine.search(limits)
}

#[test]
fn short_wins_have_their_distance() {
    let blocked = position(Color::White, (&[28], &[]), (&[], &[27]));
    let answer = search(blocked, Limits::to_depth(3));
    assert_eq!(answer.report.score.verdict(), Some(Verdict::WinIn(1)));
    assert_eq!(answer.ponder, None);

    let opposition = position(Color::White, (&[], &[26]), (&[], &[32]));
    let answer = search(opposition, Limits::to_depth(16));
    assert_eq!(answer.report.score.verdict(), Some(Verdict::WinIn(9)));
}

#[test]
fn a_finished_position_has_no_move_even_when_pondering() {
    let lost = position(Color::White, (&[1], &[]), (&[5], &[]));
    for (ponder, infinite) in [(false, false), (true, false), (false, true)] {
        let limits = Limits {
            ponder,
            infinite,
            ..Limits::default()
        };
        let (mut engine, answers) = (engine(1), mpsc::channel());
        engine.set_game(Game::new(lost));
        engine.go(limits, Box::new(Listener(answers.0)));
        engine.wait();
        let answer = answers.1.try_recv().expect("an answer");
        assert_eq!((answer.best, answer.ponder), (None, None));
    }
}

#[test]
fn one_thread_searches_the_same_nodes_every_time() {
    let count = |_| search(Position::START, Limits::to_depth(11)).report.nodes;
    let counts: Vec<u64> = (0..3).map(count).collect();
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[0], counts[2]);
    let limited = search(Position::START, Limits::to_nodes(12_345))
        .report
        .nodes;
    assert_eq!(limited, 12_345);
}

#[test]
fn a_stop_is_answered_at_once() {
    for threads in [1, 4] {
        let (mut engine, answers) = (engine(threads), mpsc::channel());
        let limits = Limits {
            infinite: true,
            ..Limits::default()
        };
        engine.go(limits, Box::new(Listener(answers.0)));
        std::thread::sleep(Duration::from_millis(50));
        assert!(engine.is_searching() && answers.1.try_recv().is_err());
        let asked = Instant::now();
        engine.stop();
        engine.wait();
        // 10 ms on a machine of its own; tests share theirs.
        assert!(asked.elapsed() < Duration::from_millis(200));
        let answer = answers.1.try_recv().expect("an answer");
        assert!(answer.best.is_some());
    }
}

#[test]
fn a_new_search_ends_the_old_one_first() {
    let (mut engine, answers) = (engine(2), mpsc::channel());
    let endless = Limits {
        infinite: true,
        ..Limits::default()
    };
    engine.go(endless, Box::new(Listener(answers.0.clone())));
    let single = position(Color::White, (&[25], &[]), (&[], &[29]));
    engine.set_game(Game::new(single));
    assert_eq!(answers.1.try_iter().count(), 1);
    engine.go(Limits::to_depth(4), Box::new(Listener(answers.0)));
    engine.wait();
    let answer = answers.1.try_recv().expect("an answer");
    assert_eq!(answer.best, single.legal_moves().first().copied());
}

struct Listener(mpsc::Sender<Answer>);

impl Observer for Listener {
    fn report(&mut self, report: &Report) {
        assert!(report.line >= 1);
    }

    fn answer(&mut self, answer: &Answer) {
        self.0.send(answer.clone()).expect("somebody listens");
    }
}
