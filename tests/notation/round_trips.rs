//! Whatever is written reads back as itself, in random positions with many kings.

use engine::board::{Bitboard, Color, regions};
use engine::notation::pdn::{self, PdnGame, Reader};
use engine::notation::{Notation, diagram, fen, moves};
use engine::rules::{Game, Position, Setup};
use proptest::prelude::*;

const NOTATIONS: [Notation; 2] = [Notation::Numeric, Notation::Algebraic];

/// Any legal position; most have many kings, and so long and tangled jumps.
fn positions() -> impl Strategy<Value = Position> {
    (
        any::<u32>(),
        any::<u32>(),
        any::<u32>(),
        any::<u32>(),
        any::<bool>(),
    )
        .prop_map(|(black, white, kings, more_kings, white_to_move)| {
            let black = thin(black);
            let white = thin(white & !black);
            let kings = kings | more_kings;
            let mut setup = Setup::empty(if white_to_move {
                Color::White
            } else {
                Color::Black
            });
            for (color, set) in [(Color::Black, black), (Color::White, white)] {
                let kings = kings | regions::crownhead(color).0;
                setup.kings[color.index()] = Bitboard(set & kings);
                setup.men[color.index()] = Bitboard(set & !kings);
            }
            Position::try_from(setup).expect("men off their crownheads, 12 a side at most")
        })
}

fn thin(mut set: u32) -> u32 {
    while set.count_ones() > 12 {
        set &= set - 1;
    }
    set
}

/// A game of random moves.
fn games() -> impl Strategy<Value = Game> {
    (
        positions(),
        prop::collection::vec(any::<prop::sample::Index>(), 0..200),
    )
        .prop_map(|(start, choices)| {
            let mut game = Game::new(start);
            for choice in choices {
                let legal = game.position().legal_moves();
                if legal.is_empty() {
                    break;
                }
                game.play(legal[choice.index(legal.len())])
                    .expect("a legal move");
            }
            game
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn positions_read_back(position in positions()) {
        prop_assert_eq!(fen::read(&fen::write(&position)), Ok(position));
        for notation in NOTATIONS {
            let text = diagram::print(&position, notation) + &format!("{} to move\n", position.turn());
            let placement = diagram::read(&text).expect("our own print");
            prop_assert_eq!(placement.position, position);
        }
    }

    #[test]
    fn moves_read_back(position in positions()) {
        for mv in position.legal_moves() {
            prop_assert_eq!(moves::read(&moves::write_hub(mv), &position), Ok(mv));
            for notation in NOTATIONS {
                for text in [moves::write(mv, &position, notation), moves::write_full(mv, &position, notation)] {
                    prop_assert_eq!(moves::read(&text, &position), Ok(mv), "{}", text);
                }
            }
        }
        for route in position.routes() {
            let text = moves::write_route(&route, Notation::Numeric);
            prop_assert_eq!(moves::read(&text, &position), Ok(route.as_move()), "{}", text);
        }
        let mut list = moves::list(&position, Notation::Algebraic);
        list.sort_unstable();
        let count = list.len();
        list.dedup();
        prop_assert_eq!((list.len(), count), (position.routes().len(), position.routes().len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn games_read_back(game in games(), event in "\\PC{0,20}", comment in "\\PC{0,30}") {
        let mut written = PdnGame::from_game(&game);
        written.set_tag("Event", &event);
        if let Some(played) = written.moves.last_mut() {
            played.comments.push(comment);
        }
        for notation in NOTATIONS {
            let text = pdn::to_text(&written, notation);
            prop_assert!(text.lines().all(|line| line.starts_with('[') || line.chars().count() <= 79));
            let read = Reader::new(text.as_bytes()).next().expect("a game").expect("memory does not fail");
            prop_assert_eq!(&read.fault, &None);
            prop_assert_eq!(read.start, game.start());
            prop_assert!(read.moves.iter().map(|played| played.mv).eq(game.moves()));
            prop_assert_eq!(&read.result, &written.result);
            prop_assert_eq!(read.tag("Event").unwrap_or_default(), event.as_str());
            prop_assert_eq!(pdn::to_text(&read, notation), text);
        }
    }
}

/// A tangle of jumps with many equal ends: each route is entered by its path and kept by PDN.
#[test]
fn tangled_jumps_read_back() {
    for (text, routes, merged) in [
        ("B:W6,7,8,14,15,16,22,23,24:BK2", 14, None),
        ("B:W6,7,8,14,15,16,22,23,24:BK1", 9, Some(4)),
    ] {
        let position = fen::read(text).expect("a FEN");
        assert_eq!(position.routes().len(), routes);
        assert_eq!(moves::list(&position, Notation::Numeric).len(), routes);
        if let Some(merged) = merged {
            assert_eq!(position.legal_moves().len(), merged);
        }
        for route in position.routes() {
            let mut game = Game::new(position);
            let path = moves::write_route(&route, Notation::Numeric);
            assert_eq!(moves::play(&path, &mut game), Ok(route.as_move()));
            let text = pdn::to_text(&PdnGame::from_game(&game), Notation::Numeric);
            let read = Reader::new(text.as_bytes())
                .next()
                .expect("a game")
                .expect("memory");
            assert_eq!(read.moves[0].mv, route.as_move(), "{text}");
        }
    }
}
