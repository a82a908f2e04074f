//! The positions to solve: arguments, files and standard input, each with one or many.

use std::io::Read;
use std::path::Path;

use engine::board::Color;
use engine::notation::pdn::GameResult;
use engine::notation::{Form, ReadPosition, read_starts_from};
use engine::rules::{Move, Position};
use engine::tablebase::Wld;

use super::super::Failure;
use super::super::input::{shorten, turn_is_assumed};
use super::claim;

/// The longest text of positions.
const MOST_BYTES: u64 = 64 << 20;

/// A position with what is said of it.
pub(super) struct Problem {
    /// For tables: the event, the file, or a number.
    pub(super) name: String,
    pub(super) position: Position,
    /// Nothing in the text says who is to move.
    pub(super) turn_assumed: bool,
    /// The value that a caption claims, for the side to move.
    pub(super) claim: Option<Wld>,
    /// The printed solution.
    pub(super) printed: Vec<Move>,
    pub(super) warnings: Vec<String>,
}

/// All positions of all `sources`, in order; `turn` overrides who is to move.
pub(super) fn read_all(sources: &[String], turn: Option<Color>) -> Result<Vec<Problem>, Failure> {
    let mut problems = Vec::new();
    for source in sources {
        let (place, text) = text_of(source)?;
        read_text(&place, &text, turn, &mut problems)?;
    }
    Ok(problems)
}

/// Where the text comes from, for messages, and the text.
fn text_of(source: &str) -> Result<(String, Vec<u8>), Failure> {
    let failed = |place: &str, error: &dyn std::fmt::Display| {
        Failure::Input(format!("{}: cannot read: {error}", shorten(place)))
    };
    if source.trim() == "-" {
        let mut text = Vec::new();
        let read = std::io::stdin()
            .lock()
            .take(MOST_BYTES)
            .read_to_end(&mut text);
        read.map_err(|error| failed("standard input", &error))?;
        return Ok(("standard input".into(), text));
    }
    if source.trim().eq_ignore_ascii_case("start") {
        return Ok(("argument".into(), b"B:W21-32:B1-12".to_vec()));
    }
    let path = Path::new(source);
    match path.metadata() {
        Ok(data) if data.is_dir() => Err(Failure::Input(format!(
            "{}: is a directory; expected a file, a FEN or a printed board",
            shorten(source)
        ))),
        Ok(_) => {
            let mut text = Vec::new();
            let file = std::fs::File::open(path).map_err(|error| failed(source, &error))?;
            let read = file.take(MOST_BYTES).read_to_end(&mut text);
            read.map_err(|error| failed(source, &error))?;
            Ok((source.to_owned(), text))
        }
        Err(_)
            if !source.trim().is_empty() && !source.contains([':', '|', '\n', '[', '-', 'x']) =>
        {
            let place = shorten(source);
            Err(Failure::Input(format!(
                "{place}: no such file, and no FEN such as B:W18:B9"
            )))
        }
        Err(_) => Ok(("argument".into(), source.as_bytes().to_vec())),
    }
}

fn read_text(
    place: &str,
    text: &[u8],
    turn: Option<Color>,
    problems: &mut Vec<Problem>,
) -> Result<(), Failure> {
    let starts = read_starts_from(text)
        .map_err(|error| Failure::Input(format!("{}: {error}", shorten(place))))?;
    for (nth, read) in starts.iter().enumerate() {
        problems.push(problem(place, nth + 1, read, text, turn));
    }
    Ok(())
}

fn problem(
    place: &str,
    number: usize,
    read: &ReadPosition,
    text: &[u8],
    turn: Option<Color>,
) -> Problem {
    let record = &read.record;
    let set_up = record.start != Position::START || record.moves.is_empty();
    let position = if set_up {
        record.start
    } else {
        record.replay(record.moves.len()).position()
    };
    let position = turn.map_or(position, |turn| position.with_turn(turn));
    let mover = position.turn();
    let mut words: Vec<String> = record.comments.clone();
    words.extend(record.tags.iter().map(|tag| tag.value.clone()));
    if read.form == Form::Diagram {
        words.push(String::from_utf8_lossy(text).into_owned());
    }
    let said = words.iter().find_map(|words| claim::claim(words, mover));
    let claim = said.or_else(|| result_claim(&record.result, mover).filter(|_| set_up));
    let name = record.tag("Event").filter(|name| !name.trim().is_empty());
    Problem {
        name: name.map_or_else(|| format!("{} {number}", shorten(place)), shorten),
        position,
        turn_assumed: turn.is_none() && turn_is_assumed(read),
        claim,
        printed: if set_up {
            record.moves.iter().map(|played| played.mv).collect()
        } else {
            Vec::new()
        },
        warnings: record.warnings.clone(),
    }
}

/// A result in the project's sense: `1-0` is Black's win.
fn result_claim(result: &GameResult, mover: Color) -> Option<Wld> {
    let winner = match result {
        GameResult::BlackWins => Color::Black,
        GameResult::WhiteWins => Color::White,
        GameResult::Draw => return Some(Wld::Draw),
        GameResult::Unknown | GameResult::Other(_) => return None,
    };
    Some(if winner == mover { Wld::Win } else { Wld::Loss })
}
