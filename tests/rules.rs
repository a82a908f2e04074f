//! The rules against their slow twin on random positions, and against cases that other programs
//! got wrong.

use std::collections::BTreeSet;

use engine::board::{Bitboard, Color, Square};
use engine::notation::{Notation, fen, moves};
use engine::rules::perft::Perft;
use engine::rules::{DrawReason, Game, Key, MOST_MOVES, Move, Outcome, Position, Route, Setup};

use crate::array_rules::{ArrayBoard, ArrayMove};
use crate::random_positions::Words;

fn position(text: &str) -> Position {
    fen::read(text).expect("a legal FEN")
}

fn numbers(set: Bitboard) -> Vec<u32> {
    set.squares().map(Square::number).collect()
}

fn as_array_move(route: &Route) -> ArrayMove {
    ArrayMove {
        path: route
            .squares()
            .iter()
            .map(|square| square.number())
            .collect(),
        captured: numbers(route.as_move().captured()),
    }
}

fn outlines(moves: impl IntoIterator<Item = Move>) -> Vec<(u32, u32, Vec<u32>)> {
    let mut outlines: Vec<_> = moves
        .into_iter()
        .map(|mv| (mv.from().number(), mv.to().number(), numbers(mv.captured())))
        .collect();
    outlines.sort();
    outlines
}

/// Everything that the move generator says of one position, against the array.
fn compare(position: &Position) {
    let shown = fen::write(position);
    let board = ArrayBoard::new(position);
    let mut expected = board.moves();
    expected.sort();
    let mut routes: Vec<ArrayMove> = position.routes().iter().map(as_array_move).collect();
    routes.sort();
    assert_eq!(routes, expected, "routes of {shown}");
    let merged: BTreeSet<_> = expected.iter().map(ArrayMove::outline).collect();
    let merged: Vec<_> = merged.into_iter().collect();
    assert_eq!(outlines(position.legal_moves()), merged, "moves of {shown}");

    let jumpers: BTreeSet<u32> = expected
        .iter()
        .filter(|mv| !mv.captured.is_empty())
        .map(|mv| mv.path[0])
        .collect();
    assert_eq!(
        numbers(position.jumpers()),
        Vec::from_iter(jumpers),
        "jumpers of {shown}"
    );
    assert_eq!(
        position.has_jump(),
        position.jumpers().any(),
        "jumps of {shown}"
    );
    assert_eq!(
        position.can_move(),
        !expected.is_empty(),
        "{shown} can move"
    );
    let key = Key::of(position);
    for mv in &expected {
        let played = position.play(mv.as_move());
        assert_eq!(played, board.play(mv).position(), "{mv:?} in {shown}");
        assert_eq!(
            key.after(position, mv.as_move()),
            Key::of(&played),
            "{mv:?} in {shown}"
        );
    }
}

#[test]
fn moves_match_the_array_twin_on_random_positions() {
    let mut words = Words(11);
    for round in 0..8_000 {
        compare(&words.position(round % 9));
    }
}

#[test]
fn moves_match_the_array_twin_along_random_games() {
    let mut words = Words(12);
    for _ in 0..100 {
        let mut position = Position::START;
        for _ in 0..120 {
            compare(&position);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[words.below(moves.len() as u64) as usize]);
        }
    }
}

#[test]
fn bulk_perft_matches_the_array_twin_on_random_positions() {
    let mut words = Words(13);
    let counters = [(Perft::by_route(), false), (Perft::merged(), true)];
    for round in 0..1_000 {
        let position = words.position(round % 9);
        let board = ArrayBoard::new(&position);
        for (perft, merged) in &counters {
            for depth in 0..=3 {
                let expected = board.perft(depth, *merged);
                assert_eq!(
                    perft.count(&position, depth),
                    expected,
                    "{}",
                    fen::write(&position)
                );
            }
        }
    }
}

/// Colours inverted somewhere would show here.
#[test]
fn a_turned_board_has_the_turned_moves() {
    let mut words = Words(14);
    let perft = Perft::by_route();
    for round in 0..3_000 {
        let position = words.position(round % 9);
        let turned = position.rotated();
        assert_eq!(turned.rotated(), position);
        let expected = position.legal_moves().into_iter().map(|mv| {
            Move::jump(
                mv.from().rotated(),
                mv.to().rotated(),
                mv.captured().rotated(),
            )
        });
        assert_eq!(outlines(turned.legal_moves()), outlines(expected));
        assert_eq!(
            perft.count(&turned, 4),
            perft.count(&position, 4),
            "{}",
            fen::write(&position)
        );
    }
}

/// Climbs towards the positions with the most moves, and with the most jumps, by adding and
/// removing pieces at random.
#[test]
fn no_position_has_nearly_as_many_moves_as_the_list_has_room_for() {
    let mut words = Words(15);
    let all = |position: &Position| position.legal_moves().len();
    let jumps = |position: &Position| {
        if position.has_jump() {
            all(position)
        } else {
            0
        }
    };
    let routes = |position: &Position| {
        if position.has_jump() {
            position.routes().len()
        } else {
            0
        }
    };
    for measure in [&all as &dyn Fn(&Position) -> usize, &jumps, &routes] {
        let most = (0..30).map(|_| climb(&mut words, measure)).max();
        let most = most.unwrap_or(0);
        assert!(most > 20, "the search found only {most} moves");
        assert!(2 * most < MOST_MOVES, "the search found {most} moves");
    }
}

fn climb(words: &mut Words, measure: &dyn Fn(&Position) -> usize) -> usize {
    let mut setup = words.setup(8);
    let mut most = 0;
    for _ in 0..3_000 {
        let changed = change(setup, words);
        let Ok(position) = Position::try_from(changed) else {
            continue;
        };
        let count = measure(&position);
        if count >= most {
            (setup, most) = (changed, count);
        }
    }
    most
}

fn change(mut setup: Setup, words: &mut Words) -> Setup {
    let gone = Square::from_index(words.below(32) as u32).bit();
    for set in setup.men.iter_mut().chain(&mut setup.kings) {
        *set = *set - gone;
    }
    for _ in 0..words.below(3) {
        let color = Color::BOTH[words.below(2) as usize];
        words.put(&mut setup, color, 7);
    }
    setup
}

fn routes(text: &str) -> Vec<String> {
    let mut routes: Vec<String> = position(text)
        .routes()
        .iter()
        .map(|route| moves::write_route(route, Notation::Numeric))
        .collect();
    routes.sort();
    routes
}

/// Each row: what it shows, the position, all its routes.
#[test]
fn routes_of_awkward_positions() {
    let cases: [(&str, &str, &[&str]); 9] = [
        (
            "equal ends, different men",
            "B:W23,22,15,14:B11,10",
            &["10x17x26", "10x19x26", "11x18x25", "11x18x27"],
        ),
        (
            "a round trip ends where it began; both ways round are listed",
            "B:W6,7,14,15:BK2",
            &["2x11x18x9x2", "2x9x18x11x2"],
        ),
        (
            "a king in the corner does not jump from afar",
            "W:WK4:B15",
            &["4-8"],
        ),
        (
            "a king steps one square and never stays",
            "W:WK18:B1",
            &["18-14", "18-15", "18-22", "18-23"],
        ),
        ("a jump must be finished", "W:W18:B15,8", &["18x11x4"]),
        (
            "a man that jumps to the crownhead stops there",
            "B:W17,18,26,29,30:B3,10,21,22",
            &["22x31"],
        ),
        (
            "as a king it would have gone on",
            "B:W25,26:B21",
            &["21x30"],
        ),
        (
            "no jump over the edge or two in a row",
            "B:W9,14,18:B5",
            &[],
        ),
        ("a piece is jumped once only", "B:W6:BK1", &["1x10"]),
    ];
    for (what, text, expected) in cases {
        assert_eq!(routes(text), expected, "{what}: {text}");
    }
}

/// Nine men in the middle and a king: the tangles of the CheckerBoard programme's own tests.
#[test]
fn tangled_jumps_are_all_listed() {
    let tangle = "B:W6,7,8,14,15,16,22,23,24:BK2";
    assert_eq!(position(tangle).routes().len(), 14);
    let long = position("B:W6,7,8,14,15,16,22,23,24:BK1");
    assert_eq!(long.routes().len(), 9);
    assert_eq!(long.legal_moves().len(), 4);
    let whole = long.routes().into_iter().map(|route| route.as_move());
    let whole: Vec<Move> = whole.filter(|mv| mv.captured().len() == 9).collect();
    assert_eq!(whole.len(), 6);
    assert!(whole.iter().all(|mv| mv.to().number() == 28));
}

#[test]
fn a_side_that_cannot_move_has_lost() {
    for text in [
        "W:W5:B1",
        "W:W12:B3,8",
        "W:W32:B23,24,27,28",
        "W:W:B1",
        "W:WK4:B8,11",
    ] {
        let mut game = Game::new(position(text));
        assert!(game.position().legal_moves().is_empty(), "{text}");
        assert_eq!(game.outcome(), Some(Outcome::Win(Color::Black)), "{text}");
        let pass = Move::step(Square::from_index(4), Square::from_index(4));
        assert!(game.play(pass).is_err(), "{text}: never a pass");
    }
}

fn play(game: &mut Game, text: &str) {
    moves::play(text, game).unwrap_or_else(|error| panic!("{text}: {error}"));
}

#[test]
fn the_winning_move_can_be_taken_back() {
    let mut game = Game::new(position("W:WK27:B28"));
    play(&mut game, "27-32");
    assert_eq!(game.outcome(), Some(Outcome::Win(Color::White)));
    assert!(game.undo().is_some());
    assert_eq!(game.position(), position("W:WK27:B28"));
    assert_eq!((game.quiet_plies(), game.occurrences()), (0, 1));
    assert_eq!(game.outcome(), None);
    assert_eq!(game.undo(), None);
}

/// Two kings on round tours of eight and six squares: no position comes a third time.
fn tour(plies: usize) -> Game {
    const BLACK: [&str; 8] = [
        "1-5", "5-9", "9-13", "13-17", "17-14", "14-10", "10-6", "6-1",
    ];
    const WHITE: [&str; 6] = ["32-28", "28-24", "24-19", "19-23", "23-27", "27-32"];
    let mut game = Game::new(position("B:WK32,29:BK1,4"));
    for ply in 0..plies {
        let text = if ply % 2 == 0 {
            BLACK[ply / 2 % 8]
        } else {
            WHITE[ply / 2 % 6]
        };
        play(&mut game, text);
    }
    game
}

#[test]
fn forty_quiet_moves_by_each_side_draw() {
    assert_eq!(tour(79).outcome(), None);
    let drawn = tour(80);
    assert_eq!(drawn.outcome(), Some(Outcome::Draw(DrawReason::FortyMoves)));
    assert_eq!(drawn.quiet_plies(), 80);
}

#[test]
fn a_mans_move_by_either_side_starts_the_count_again() {
    let mut last = tour(79);
    play(&mut last, "29-25");
    assert_eq!((last.quiet_plies(), last.outcome()), (0, None));

    let mut earlier = tour(78);
    play(&mut earlier, "4-8");
    assert_eq!(earlier.quiet_plies(), 0);
    play(&mut earlier, "19-23");
    assert_eq!((earlier.quiet_plies(), earlier.outcome()), (1, None));
}

#[test]
fn a_position_draws_the_third_time() {
    let mut game = Game::new(position("B:WK32,29:BK1,4"));
    for (round, text) in ["1-5", "32-28", "5-1", "28-32"]
        .iter()
        .cycle()
        .take(8)
        .enumerate()
    {
        assert_eq!(game.outcome(), None, "ply {round}");
        play(&mut game, text);
    }
    assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::Repetition)));
    game.undo();
    assert_eq!(game.outcome(), None);
}
