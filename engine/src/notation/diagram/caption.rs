//! Words round a diagram: whose turn it is, and which side is where.
//!
//! A caption in a language that is not listed here says nothing; it is never an error.

use super::rows::Page;
use crate::board::Color;
use crate::notation::is_blank;

/// Names of the sides in the languages of draughts books.
const WHITE: &[&str] = &[
    "white",
    "whites",
    "białe",
    "biale",
    "weiss",
    "weiß",
    "blancs",
    "blancas",
    "bianco",
    "wit",
    "белые",
];
const BLACK: &[&str] = &[
    "black",
    "blacks",
    "czarne",
    "schwarz",
    "noirs",
    "negras",
    "nero",
    "zwart",
    "черные",
    "чёрные",
];
/// "White to" and one of these gives the turn.
const VERBS: &[&str] = &["play", "move", "win", "draw"];

/// The side that a line names by itself, as printed above and below a board.
pub(super) fn side(line: &str) -> Option<Color> {
    side_of(&line.trim_matches(is_blank).to_lowercase())
}

fn side_of(word: &str) -> Option<Color> {
    if WHITE.contains(&word) {
        Some(Color::White)
    } else if BLACK.contains(&word) {
        Some(Color::Black)
    } else {
        None
    }
}

/// The side to move by the captions, if they agree: "White to move", "Turn: black".
pub(super) fn turn(page: &Page<'_>) -> Option<Color> {
    let trails = page.rows.iter().map(|row| row.trail);
    let lines = page.above.iter().chain(&page.below).copied().chain(trails);
    let mut turns = lines.flat_map(turns_in);
    let first = turns.next()?;
    turns.all(|turn| turn == first).then_some(first)
}

fn turns_in(line: &str) -> Vec<Color> {
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !character.is_alphabetic())
        .filter(|word| !word.is_empty())
        .take(64)
        .collect();
    let mut turns = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(color) = side_of(word) else { continue };
        let (before, after) = (&words[..at], &words[at + 1..]);
        let told = match (before, after) {
            (_, ["to", verb, ..]) => VERBS.contains(verb),
            (
                _,
                ["plays" | "moves" | "zaczynają" | "zaczynaja", ..] | ["s", "turn" | "move", ..],
            ) => true,
            ([.., "turn"] | [.., "to", "move" | "play"], _) => true,
            _ => false,
        };
        if told {
            turns.push(color);
        }
    }
    turns
}
