//! From games to PDN text, in the one form that other programs read.
//!
//! Tags first, moves with `-` and `x` in lines of at most 79 characters, `1...` only where a
//! line begins with the second player, since readers are known to lose moves after it.

use std::io;

use super::{GameResult, PdnGame, PlayedMove, Variation};
use crate::board::Color;
use crate::notation::{Notation, fen, moves, tidy};
use crate::rules::Position;

const MOST_COLUMNS: usize = 79;

/// Writes one game and the blank line after it.
///
/// # Errors
///
/// What `out` returns.
pub fn write(game: &PdnGame, notation: Notation, out: &mut impl io::Write) -> io::Result<()> {
    out.write_all(to_text(game, notation).as_bytes())
}

/// One game as text, with the blank line after it.
#[must_use]
pub fn to_text(game: &PdnGame, notation: Notation) -> String {
    let mut text = String::new();
    for tag in game.tags.iter().filter(|tag| !is_own_tag(&tag.name)) {
        push_tag(&mut text, &tag.name, &tag.value);
    }
    if let Some(result) = result_tag(game) {
        push_tag(&mut text, "Result", &result);
    }
    if game.start != Position::START {
        push_tag(&mut text, "SetUp", "1");
        push_tag(&mut text, "FEN", &fen::write(&game.start));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let mut lines = Lines {
        text,
        column: 0,
        notation,
    };
    lines.comments(&game.comments);
    lines.moves(&game.moves, game.start, 0);
    lines.word(&terminator(&game.result));
    lines.text + "\n\n"
}

/// Tags that follow from the game itself.
fn is_own_tag(name: &str) -> bool {
    ["Result", "SetUp", "FEN"]
        .iter()
        .any(|own| name.eq_ignore_ascii_case(own))
}

/// Bare moves need no tag for a result that nobody knows.
fn result_tag(game: &PdnGame) -> Option<String> {
    match &game.result {
        GameResult::Unknown if game.tags.is_empty() && game.start == Position::START => None,
        result => Some(result.to_string()),
    }
}

fn terminator(result: &GameResult) -> String {
    match result {
        GameResult::Other(_) => GameResult::Unknown.to_string(),
        result => result.to_string(),
    }
}

fn push_tag(text: &mut String, name: &str, value: &str) {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    let value = value.replace(char::is_control, " ");
    text.push_str(&format!("[{name} \"{value}\"]\n"));
}

/// Text that is broken into lines between words.
struct Lines {
    text: String,
    column: usize,
    notation: Notation,
}

impl Lines {
    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 {
            let fits = self.column + 1 + length <= MOST_COLUMNS;
            self.text.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
            // A bracket at the start of a line would look like the tag of a new game.
            if !fits && word.starts_with('[') {
                self.text.push(' ');
                self.column = 1;
            }
        }
        self.text.push_str(word);
        self.column += length;
    }

    /// Braces cannot stand in a comment, so they become parentheses.
    fn comments(&mut self, comments: &[String]) {
        for comment in comments {
            let plain = tidy(&comment.replace('{', "(").replace('}', ")"));
            if plain.is_empty() {
                continue;
            }
            for word in format!("{{{plain}}}").split(' ') {
                self.word(word);
            }
        }
    }

    /// A line of moves from `position`, which is reached after `ply` plies of the game.
    fn moves(&mut self, moves: &[PlayedMove], mut position: Position, mut ply: usize) {
        for (index, played) in moves.iter().enumerate() {
            // In a set-up with White to move the first number has only White's move.
            let shift = usize::from(position.turn() == Color::White) ^ (ply % 2);
            let number = (ply + shift) / 2 + 1;
            match position.turn() {
                Color::Black => self.word(&format!("{number}.")),
                Color::White if index == 0 => self.word(&format!("{number}...")),
                Color::White => {}
            }
            let text = moves::write(played.mv, &position, self.notation);
            self.word(&format!("{text}{}", played.marks));
            self.annotations(played, position, ply);
            position = position.play(played.mv);
            ply += 1;
            if let Some(setup) = played.setup {
                position = setup;
                self.word(&format!("/FEN \"{}\"/", fen::write(&setup)));
            }
        }
    }

    fn annotations(&mut self, played: &PlayedMove, before: Position, ply: usize) {
        for nag in &played.nags {
            self.word(&format!("${nag}"));
        }
        self.comments(&played.comments);
        for variation in &played.variations {
            self.variation(variation, before, ply);
        }
    }

    fn variation(&mut self, variation: &Variation, start: Position, ply: usize) {
        self.word("(");
        self.comments(&variation.comments);
        self.moves(&variation.moves, start, ply);
        self.word(")");
    }
}
