//! The search through the engine's door: known wins, draws by rule, limits, stops, threads.
//!
//! Distances come from `endgame_facts` of the project's reference data and published play.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use engine::board::{Color, Square};
use engine::engine::{Engine, EngineOptions};
use engine::rules::{Game, Piece, Position, Setup};
use engine::score::Verdict;
use engine::search::{Answer, Clock, Limits, Observer, Report};

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

/// The slow twin: the distance to the end of every position that can come from `root`, by
/// working backwards from the lost ones; positive for a win of the side to move.
fn solve(root: Position) -> HashMap<Position, i32> {
    let mut all = vec![root];
    let mut seen = HashSet::from([root]);
    let mut next = 0;
    while next < all.len() {
        let position = all[next];
        next += 1;
        let children = position
            .legal_moves()
            .into_iter()
            .map(|mv| position.play(mv));
        all.extend(children.filter(|child| seen.insert(*child)));
    }
    let mut distances: HashMap<Position, i32> = HashMap::new();
    for plies in 0.. {
        let before = distances.len();
        let found: Vec<(Position, i32)> = all
            .iter()
            .filter(|position| !distances.contains_key(position))
            .filter_map(|position| Some((*position, settle(position, plies, &distances)?)))
            .collect();
        distances.extend(found);
        if distances.len() == before && plies > 0 {
            return distances;
        }
    }
    unreachable!("some round finds nothing")
}

/// `plies` or its negative if `position` is won or lost in exactly so many.
fn settle(position: &Position, plies: i32, distances: &HashMap<Position, i32>) -> Option<i32> {
    let moves = position.legal_moves();
    let mut children = moves.iter().map(|&mv| distances.get(&position.play(mv)));
    if plies % 2 == 1 {
        let wins = children
            .flatten()
            .any(|&child| child <= 0 && -child == plies - 1);
        return wins.then_some(plies);
    }
    let lost = children.all(|child| child.is_some_and(|&child| child > 0));
    lost.then_some(-plies)
}

fn verdict(distance: i32) -> Verdict {
    if distance > 0 {
        Verdict::WinIn(distance as u16)
    } else {
        Verdict::LossIn(-distance as u16)
    }
}

#[test]
fn small_endings_agree_with_the_slow_twin_in_both_colours() {
    let two_on_one = position(Color::White, (&[], &[32]), (&[], &[19, 23]));
    let near_the_corner = position(Color::White, (&[], &[4]), (&[], &[10, 18]));
    for root in [two_on_one, near_the_corner] {
        let distances = solve(root);
        let mut engine = engine(1);
        let mut line = root;
        for ply in 0..8 {
            let exact = distances.get(&line).copied().expect("decided");
            for position in [line, line.rotated()] {
                engine.set_game(Game::new(position));
                let answer = engine.search(Limits::to_depth(30));
                let found = answer.report.score.verdict();
                assert_eq!(found, Some(verdict(exact)), "ply {ply} of {root:?}");
            }
            engine.set_game(Game::new(line));
            let Some(best) = engine.search(Limits::to_depth(30)).best else {
                break;
            };
            line = line.play(best);
        }
    }
}

#[test]
fn one_return_to_the_root_is_no_draw() {
    let root = position(Color::White, (&[], &[32]), (&[], &[19, 23]));
    let distances = solve(root);
    let mut engine = engine(1);
    engine.set_game(Game::new(root));
    let (sender, reports) = mpsc::channel();
    let limits = Limits {
        lines: 10,
        ..Limits::to_depth(36)
    };
    engine.go(limits, Box::new(Reports(sender)));
    engine.wait();
    let moves = root.legal_moves();
    let all: Vec<Report> = reports.try_iter().collect();
    let last = &all[all.len() - moves.len()..];
    for (index, report) in last.iter().enumerate() {
        assert_eq!(report.line, index + 1);
        let child = root.play(report.pv[0]);
        let wins = distances.get(&child).is_some_and(|&distance| distance <= 0);
        assert_eq!(report.score.is_win(), wins, "{report:?}");
    }
    assert!(last.iter().filter(|report| report.score.is_win()).count() > 1);
}

/// A game of two kings that ends in `target` after `quiet` plies without a position twice. It
/// is found backwards: a king could come from wherever it could go.
fn approached(target: Position, quiet: usize) -> Game {
    let mut state = 1u32;
    let mut line = vec![target];
    while line.len() <= quiet {
        let now = line[line.len() - 1];
        let waiting = now.with_turn(!now.turn());
        let before: Vec<Position> = waiting
            .legal_moves()
            .into_iter()
            .map(|mv| waiting.play(mv).with_turn(!now.turn()))
            .filter(|position| !position.has_jump() && !position.is_threatened())
            .filter(|position| !line.contains(position))
            .collect();
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        match before.get((state >> 16) as usize % before.len().max(1)) {
            Some(&position) => line.push(position),
            None => line.truncate(1),
        }
    }
    let mut game = Game::new(line[quiet]);
    for next in line.iter().rev().skip(1) {
        let moves = game.position().legal_moves();
        let mv = moves
            .into_iter()
            .find(|&mv| game.position().play(mv) == *next);
        game.play(mv.expect("a step back")).expect("legal");
    }
    game
}

#[test]
fn a_win_counts_only_within_forty_moves() {
    let root = position(Color::White, (&[], &[26]), (&[], &[32]));
    let distances = solve(root);
    for (quiet, plies) in [
        (70, 5),
        (75, 5),
        (76, 5),
        (77, 3),
        (78, 3),
        (79, 1),
        (78, 5),
    ] {
        let target = *distances
            .iter()
            .filter(|&(position, &distance)| distance == plies && !position.is_threatened())
            .map(|(position, _)| position)
            .min_by_key(|position| (position.own().0, position.theirs().0))
            .expect("such a win");
        let game = approached(target, quiet);
        let mut engine = engine(1);
        engine.set_game(game);
        let score = engine.search(Limits::to_depth(20)).report.score;
        // The mover after the last quiet ply must be beaten with the count below 80.
        let in_time = quiet as i32 + plies - 1 < 80;
        let expected = in_time.then_some(Verdict::WinIn(plies as u16));
        assert_eq!(
            score.verdict(),
            expected,
            "{quiet} quiet plies, win in {plies}"
        );
    }
}

#[test]
fn a_third_occurrence_is_a_draw() {
    let root = position(Color::Black, (&[], &[1, 4]), (&[], &[29, 32]));
    let mut game = Game::new(root);
    let step = |from, to| {
        let square = |number| Square::new(number).expect("1-32");
        engine::rules::Move::step(square(from), square(to))
    };
    for (from, to) in [(1, 5), (32, 28), (5, 1), (28, 32), (1, 5), (32, 28), (5, 1)] {
        game.play(step(from, to)).expect("legal");
    }
    let mut engine = engine(1);
    engine.set_game(game.clone());
    let limits = Limits {
        lines: 10,
        ..Limits::to_depth(1)
    };
    let (sender, reports) = mpsc::channel();
    engine.go(limits, Box::new(Reports(sender)));
    engine.wait();
    let repeats = reports
        .try_iter()
        .find(|report| report.pv[0] == step(28, 32));
    assert_eq!(repeats.expect("reported").score, engine::score::Score::DRAW);
}

#[test]
fn every_reported_line_is_legal_on_any_number_of_threads() {
    for (threads, depth) in [(1, 12), (3, 12), (16, 9)] {
        let mut engine = engine(threads);
        let (sender, reports) = mpsc::channel();
        let limits = Limits {
            lines: 3,
            ..Limits::to_depth(depth)
        };
        engine.go(limits, Box::new(Reports(sender)));
        engine.wait();
        let mut at_last = [false; 3];
        for report in reports.try_iter() {
            let mut game = Game::default();
            for &mv in &report.pv {
                game.play(mv).expect("a legal line");
            }
            assert!(!report.pv.is_empty() && (1..=3).contains(&report.line));
            at_last[report.line - 1] |= report.depth.0 == depth;
        }
        // Shallow depths may be over before the first thread hears of them; the last never is.
        assert_eq!(at_last, [true; 3], "{threads} threads");
    }
}

#[test]
fn overfull_and_empty_boards_are_searched() {
    let twelve: Vec<u32> = (1..=12).collect();
    let other_twelve: Vec<u32> = (21..=32).collect();
    let middle: Vec<u32> = (10..=20).collect();
    let outside: Vec<u32> = (1..=9).chain(21..=22).collect();
    let crowded = [
        position(Color::White, (&[], &twelve), (&[], &other_twelve)),
        position(
            Color::Black,
            (&[], &[1, 2, 3, 4, 13, 14, 15, 16, 17, 18, 19, 20]),
            (&other_twelve, &[]),
        ),
        position(Color::White, (&[], &outside), (&[], &middle)),
    ];
    for position in crowded {
        let answer = search(position, Limits::to_nodes(5_000));
        assert!(
            position
                .legal_moves()
                .contains(&answer.best.expect("a move"))
        );
    }
    // Deeper than any line: the limit of plies ends it, whatever the caller's stack.
    let bounded = Limits {
        nodes: Some(300_000),
        ..Limits::to_depth(200)
    };
    let alone = position(Color::Black, (&[], &[1]), (&[], &[32]));
    let deep = std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(move || search(alone, bounded))
        .expect("a thread");
    let answer = deep.join().expect("no overflow");
    assert_eq!(answer.report.score, engine::score::Score::DRAW);
}

#[test]
fn a_size_that_cannot_be_had_leaves_the_old_one() {
    let mut engine = engine(1);
    let refused = engine.set_hash_mb(99_999_999).expect_err("100 TB");
    assert_eq!((refused.asked, refused.in_use), (99_999_999, 8));
    assert_eq!(engine.hash_mb(), 8);
    for (asked, had) in [(0, 1), (1, 1), (3, 3), (10, 10)] {
        assert_eq!(engine.set_hash_mb(asked), Ok(had));
    }
    assert_eq!(engine.set_threads(0), 1);
    assert!(engine.search(Limits::to_depth(6)).best.is_some());
}

#[test]
fn clocks_are_kept() {
    let mut engine = engine(1);
    let (mut spent, limit) = (Vec::new(), Duration::from_millis(30));
    for _ in 0..15 {
        let asked = Instant::now();
        assert!(engine.search(Limits::for_time(limit)).best.is_some());
        spent.push(asked.elapsed());
    }
    // The best of all: tests share their machine.
    assert!(spent.iter().min() < Some(&limit), "{spent:?}");

    let clock = |remaining| Limits {
        clock: Some(Clock {
            remaining,
            increment: Duration::from_millis(100),
            moves_to_go: None,
        }),
        ..Limits::default()
    };
    let fallen = engine.search(clock(Duration::ZERO));
    assert!(fallen.best.is_some() && fallen.report.time < Duration::from_millis(100));
    let single = position(Color::White, (&[25], &[]), (&[], &[29]));
    engine.set_game(Game::new(single));
    let forced = engine.search(clock(Duration::from_secs(600)));
    assert_eq!(forced.best, single.legal_moves().first().copied());
    assert!(forced.report.time < Duration::from_millis(500));
}

#[test]
fn pondering_is_not_answered_before_the_hit() {
    let (mut engine, answers) = (engine(1), mpsc::channel());
    let limits = Limits {
        ponder: true,
        depth: Some(engine::score::Depth(2)),
        ..Limits::default()
    };
    engine.go(limits, Box::new(Listener(answers.0)));
    std::thread::sleep(Duration::from_millis(30));
    assert!(answers.1.try_recv().is_err());
    engine.ponder_hit();
    engine.wait();
    assert!(answers.1.try_recv().expect("an answer").best.is_some());
}

#[test]
fn an_observer_that_panics_gets_its_answer_all_the_same() {
    let (mut engine, answers) = (engine(2), mpsc::channel());
    engine.go(Limits::to_depth(5), Box::new(Clumsy(answers.0)));
    engine.wait();
    assert!(answers.1.try_recv().expect("an answer").best.is_some());
    assert!(engine.search(Limits::to_depth(5)).best.is_some());
}

struct Reports(mpsc::Sender<Report>);

impl Observer for Reports {
    fn report(&mut self, report: &Report) {
        self.0.send(report.clone()).expect("somebody listens");
    }

    fn answer(&mut self, _: &Answer) {}
}

struct Clumsy(mpsc::Sender<Answer>);

impl Observer for Clumsy {
    fn report(&mut self, report: &Report) {
        panic!("cannot print depth {}", report.depth.0);
    }

    fn answer(&mut self, answer: &Answer) {
        self.0.send(answer.clone()).expect("somebody listens");
    }
}

/// Whether the answer has the right first move, or a score that says the right result.
fn solves(answer: &Answer, problem: &serde_json::Value) -> bool {
    let score = answer.report.score;
    let right_value = match problem["result"].as_str().expect("W, D or L") {
        "W" => score.men() > 1.5,
        "L" => score.men() < -1.5,
        _ => score.men().abs() < 0.4,
    };
    let best = answer.best.expect("a move");
    let text = format!("{}-{}", best.from(), best.to());
    let listed = ["moves_keeping_the_result", "first_moves_stated"]
        .iter()
        .filter_map(|list| problem[list].as_array())
        .flatten();
    let listed = listed.filter_map(|mv| mv.as_str());
    right_value || listed.map(|mv| mv.replace('x', "-")).any(|mv| mv == text)
}

#[test]
fn most_problems_are_solved_with_few_nodes() {
    let data: serde_json::Value =
        serde_json::from_str(include_str!("data/problems.json")).expect("valid JSON");
    let problems = data["problems"].as_array().expect("a list");
    let certain = |problem: &&serde_json::Value| {
        let how = problem["verification"].as_str();
        how.is_some_and(|how| how.contains("database"))
    };
    let problems: Vec<&serde_json::Value> = problems.iter().filter(certain).collect();
    let mut engine = engine(1);
    let missed: Vec<&str> = problems
        .iter()
        .filter(|problem| {
            let text = problem["fen"].as_str().expect("text");
            let position = engine::notation::fen::read(text).expect("a legal FEN");
            engine.new_game();
            engine.set_game(Game::new(position));
            !solves(&engine.search(Limits::to_nodes(40_000)), problem)
        })
        .filter_map(|problem| problem["id"].as_str())
        .collect();
    let solved = problems.len() - missed.len();
    assert!(10 * solved >= 7 * problems.len(), "missed {missed:?}");
}
