//! What a caption or comment claims of a position: "White to move and win".
//!
//! Words in languages that are not listed say nothing; that is never an error.

use engine::board::Color;
use engine::tablebase::Wld;

const WHITE: &[&str] = &[
    "white",
    "whites",
    "białe",
    "biale",
    "weiss",
    "weiß",
    "blancs",
    "белые",
];
const BLACK: &[&str] = &[
    "black",
    "blacks",
    "czarne",
    "schwarz",
    "noirs",
    "черные",
    "чёрные",
];
const WIN: &[&str] = &[
    "win",
    "wins",
    "winning",
    "wygrywają",
    "wygrywaja",
    "gewinnt",
    "gewinnen",
    "gagnent",
    "выигрывают",
];
const DRAW: &[&str] = &[
    "draw",
    "draws",
    "drawn",
    "remis",
    "remisują",
    "remisuja",
    "unentschieden",
    "nulle",
    "ничья",
];

/// Captions are short; no claim is looked for beyond so many words.
const MOST_WORDS: usize = 400;

/// The value that `text` claims for `mover`, the side to move; of several clauses the first that
/// claims something of a position in which `mover` moves.
pub(super) fn claim(text: &str, mover: Color) -> Option<Wld> {
    let lower = text.to_lowercase();
    let clauses = lower.split([';', '.', '\n']);
    clauses
        .filter_map(|clause| clause_claim(clause, mover))
        .next()
}

fn side(word: &str) -> Option<Color> {
    if WHITE.contains(&word) {
        return Some(Color::White);
    }
    BLACK.contains(&word).then_some(Color::Black)
}

/// `White to move and win`, `Black to play, White wins`, `White wins`, `draw`.
fn clause_claim(clause: &str, mover: Color) -> Option<Wld> {
    let words: Vec<&str> = clause
        .split(|letter: char| !letter.is_alphabetic())
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .collect();
    let at = words
        .iter()
        .position(|word| WIN.contains(word) || DRAW.contains(word))?;
    let sides: Vec<Color> = words[..at].iter().filter_map(|word| side(word)).collect();
    let names_mover = words[..at]
        .iter()
        .any(|word| matches!(*word, "move" | "play" | "plays" | "moves"));
    if names_mover && sides.first().is_some_and(|&first| first != mover) {
        return None;
    }
    if DRAW.contains(&words[at]) {
        return Some(Wld::Draw);
    }
    let winner = sides.last().copied().unwrap_or(mover);
    Some(if winner == mover { Wld::Win } else { Wld::Loss })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_claim_what_they_say() {
        for (text, mover, value) in [
            ("White to move and win", Color::White, Some(Wld::Win)),
            ("White to move and win", Color::Black, None),
            ("Black to play and draw.", Color::Black, Some(Wld::Draw)),
            ("Black to move, White wins", Color::Black, Some(Wld::Loss)),
            (
                "Diagram 88. White to move wins; Black to move draws",
                Color::Black,
                Some(Wld::Draw),
            ),
            ("Białe zaczynają i wygrywają", Color::White, Some(Wld::Win)),
            ("White wins", Color::Black, Some(Wld::Loss)),
            ("Diagram 87.", Color::White, None),
            ("", Color::White, None),
        ] {
            assert_eq!(claim(text, mover), value, "{text}");
        }
    }
}
