use super::*;
use crate::notation::{Notation, fen};

fn refused(position: &str, text: &str) -> String {
    let position = fen::read(position).expect("a FEN");
    read(text, &position).expect_err(text).to_string()
}

#[test]
fn a_jump_over_another_side_of_the_ring_needs_its_route() {
    let position = fen::read("B:W23,22,15,14:B11,10").expect("a FEN");
    let texts = list(&position, Notation::Numeric);
    assert_eq!(texts, ["10x17x26", "10x19x26", "11x18x25", "11x18x27"],);
}

#[test]
fn the_reason_is_a_players() {
    assert_eq!(
        refused("B:W18,21:B9,15", "9-13"),
        "9-13 is not legal: Black must jump, 15x22"
    );
}

/// Position, text, and what the error must say.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "W:W18:B15,8",
        "18x11",
        "18x11 is not complete: the jump must go on: 18x11x4",
    ),
    (
        "B:W23,22,15,14:B11,10",
        "10x26",
        "10x26 is ambiguous: 10x17x26 or 10x19x26",
    ),
    (
        "W:WK18:B1",
        "18-18",
        "18-18 is not legal: the piece would stay on 18",
    ),
    (
        "W:WK4:B15",
        "4-15",
        "4-15 is not legal: 15 is occupied by a Black man",
    ),
    (
        "W:WK4:B15",
        "4x18",
        "4x18 is not legal: 18 is not one step from 4",
    ),
    (
        "W:WK18:B1",
        "19-16",
        "19-16 is not legal: there is no piece on 19",
    ),
    (
        "W:W18:B1",
        "1-5",
        "1-5 is not legal: the man on 1 is Black's and White is to move",
    ),
    (
        "W:W18:B1",
        "18-22",
        "18-22 is not legal: a man does not move backward",
    ),
    (
        "W:W18:B22",
        "18x25",
        "18x25 is not legal: a man does not move backward",
    ),
    (
        "W:W18:B1",
        "18x11",
        "18x11 is not legal: there is nothing on 15 to jump",
    ),
    (
        "W:W18,15:B1",
        "18x11",
        "18x11 is not legal: the piece on 15 is White's own and cannot be jumped",
    ),
    (
        "W:W18,15:B1",
        "18-15",
        "18-15 is not legal: 15 is occupied by a White man",
    ),
    (
        "W:W5:B1",
        "5-1",
        "5-1 is not legal: White has no legal move, the game is over",
    ),
    (
        "W:W26:B23,15,7,8",
        "26x19x10x3x12",
        "26x19x10x3x12 is not legal: the jump ends on 3, where the man is crowned: 26x19x10x3",
    ),
    (
        "W:W26:B23,15,7,8",
        "e7xc5",
        "e7xc5 is not complete: the jump must go on: e7xc5xe3xc1",
    ),
    (
        "W:W26:B23,15,7,8",
        "e7-d6",
        "e7-d6 is not legal: White must jump, e7xc5xe3xc1",
    ),
    (
        "W:W18:B1",
        "",
        "no move given; expected one such as 11-15 or 15x22",
    ),
    (
        "W:W18:B1",
        "18",
        "move \"18\": expected two squares, where from and where to",
    ),
    (
        "W:W18:B1",
        "18-33",
        "move \"18-33\": 33 is not a square of play; expected 1 to 32 or a1 to h8 (dark)",
    ),
    (
        "W:W18:B1",
        "a2-b3",
        "move \"a2-b3\": a2 is not a square of play; expected 1 to 32 or a1 to h8 (dark)",
    ),
    (
        "W:W18:B1",
        "18-z",
        "move \"18-z\", column 4: found 'z'; expected a square (1 to 32, or a1 to h8), '-' or 'x'",
    ),
    (
        "W:W18:B1",
        "18-",
        "move \"18-\", column 4: found the end; expected a square (1 to 32, or a1 to h8)",
    ),
    (
        "W:W18:B1",
        "-18",
        "move \"-18\", column 2: found '1'; expected a square (1 to 32, or a1 to h8) before it",
    ),
    (
        "W:W18:B1",
        "18-15 1-5",
        "move \"18-15 1-5\": expected one move",
    ),
];

#[test]
fn refusals_name_the_rule() {
    for &(position, text, expected) in REFUSED {
        assert_eq!(refused(position, text), expected, "{text} in {position}");
    }
}

/// Position, text, and the move in Hub's form; nothing for a text that must be refused.
const READ: &[(&str, &str, &str)] = &[
    ("B:W21-32:B1-12", "11-15", "11-15"),
    ("B:W21-32:B1-12", "11x15", "11-15"),
    ("B:W21-32:B1-12", "1115", "11-15"),
    ("B:W21-32:B1-12", " 9 - 13 ", "9-13"),
    ("B:W21-32:B1-12", "09-013", "9-13"),
    ("B:W21-32:B1-12", "913", "9-13"),
    ("B:W21-32:B1-12", "9 13", "9-13"),
    ("B:W21-32:B1-12", "12. 9-13!?", "9-13"),
    ("B:W21-32:B1-12", "9-13*", "9-13"),
    ("B:W21-32:B1-12", "9-13 (?)", "9-13"),
    ("B:W21-32:B1-12", "9\u{2013}13", "9-13"),
    ("B:W21-32:B1-12", "c3d4", "11-15"),
    ("B:W21-32:B1-12", "C3-D4", "11-15"),
    ("W:W18:B15,8", "18x11 11x4", "18x4x8x15"),
    ("W:W18:B15,8", "18X11X4", "18x4x8x15"),
    ("W:W18:B15,8", "18-4", "18x4x8x15"),
    ("W:W18:B15,8", "18x4x15x8", "18x4x8x15"),
    ("W:W18:B15,8", "f4:a1", ""),
    ("W:W26:B23,15,7,8", "e7:c1", "26x3x7x15x23"),
    ("W:W26:B23,15,7,8", "e7xc5xe3xc1", "26x3x7x15x23"),
    ("W:W26:B23,15,7,8", "26x19x3", "26x3x7x15x23"),
    ("B:W6,7,14,15:BK2", "2x9x18x11x2", "2x2x6x7x14x15"),
    ("B:W6,7,14,15:BK2", "2x11x18x9x2", "2x2x6x7x14x15"),
    ("B:W6,7,14,15:BK2", "2x2", "2x2x6x7x14x15"),
    ("B:W6,7,14,15:BK2", "2x2x15x14x6x7", "2x2x6x7x14x15"),
];

#[test]
fn lenient_texts_mean_one_move() {
    for &(position, text, expected) in READ {
        let position = fen::read(position).expect("a FEN");
        let found = read(text, &position).map_or_else(|_| String::new(), write_hub);
        assert_eq!(found, expected, "{text}");
    }
}
