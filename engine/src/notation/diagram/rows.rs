//! Finds the eight rows of a board in a text, whatever its frame looks like.
//!
//! A rule (a run of three or more dashes with its corners) ends a line, so that a print whose
//! rows were joined falls apart again into rows. A row has eight cells between bars; the bars at
//! its ends may be missing. A print without bars has four or eight symbols a line.

use std::borrow::Cow;

use super::{DiagramError, symbol};
use crate::notation::{is_blank, is_dash};

/// One row of the board, from the top.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    /// The line of the text, from 1.
    pub(super) line: usize,
    /// What stands before the cells.
    pub(super) lead: &'a str,
    pub(super) cells: [&'a str; 8],
    /// What stands after the cells.
    pub(super) trail: &'a str,
}

/// A board with what is printed around it.
#[derive(Clone, Debug)]
pub(super) struct Page<'a> {
    pub(super) rows: Vec<Row<'a>>,
    /// The other lines before the first row and between rows.
    pub(super) above: Vec<&'a str>,
    /// The other lines after the last row.
    pub(super) below: Vec<&'a str>,
    /// Whether the cells stand between bars.
    pub(super) boxed: bool,
}

/// The text with `|` for the `!` or `I` that a scan or a typist put in its place. Eight lines of
/// seven are needed, which no game and no prose has.
pub(super) fn with_bars(text: &str) -> Cow<'_, str> {
    let is_row = |line: &&str, bar: char| line.matches(bar).count() >= 7;
    let rows = |bar| text.lines().filter(|line| is_row(line, bar)).count();
    match ['!', 'I'].into_iter().find(|&bar| rows(bar) >= 8) {
        Some(bar) => text.replace(bar, "|").into(),
        None => text.into(),
    }
}

/// Finds the rows. [`DiagramError::Rows`] with 0 means that nothing looks like a board.
pub(super) fn find(text: &str) -> Result<Page<'_>, DiagramError> {
    let lines = lines(text);
    let boxed = lines.iter().any(|&(_, line)| bars(line) >= 7);
    let mut page = Page {
        rows: Vec::new(),
        above: Vec::new(),
        below: Vec::new(),
        boxed,
    };
    for (number, line) in lines {
        let row = if boxed {
            boxed_row(number, line)?
        } else {
            open_row(number, line, page.rows.len())
        };
        match row {
            Some(row) => page.rows.push(row),
            None if page.rows.len() < 8 => page.above.push(line),
            None => page.below.push(line),
        }
    }
    if page.rows.len() != 8 {
        return Err(DiagramError::Rows(page.rows.len()));
    }
    Ok(page)
}

/// The lines with their numbers, cut where a rule stands.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let mut rest = line;
        while let Some((before, after)) = cut_at_rule(rest) {
            lines.push((index + 1, before));
            rest = after;
        }
        lines.push((index + 1, rest));
    }
    lines.retain(|(_, line)| !line.chars().all(is_blank));
    lines
}

/// The text before and after the first rule. The bars and corners that touch it belong to it.
fn cut_at_rule(line: &str) -> Option<(&str, &str)> {
    let mut start = None;
    let mut dashes = 0;
    let mut ruled = false;
    for (at, character) in line.char_indices() {
        if !is_frame(character) {
            if ruled {
                return Some((&line[..start?], &line[at..]));
            }
            start = None;
            dashes = 0;
            continue;
        }
        start = start.or(Some(at));
        dashes = if is_dash(character) { dashes + 1 } else { 0 };
        ruled |= dashes >= 3;
    }
    ruled.then_some((&line[..start?], ""))
}

fn is_bar(character: char) -> bool {
    matches!(
        character,
        '|' | '\u{A6}' | '\u{2502}' | '\u{2503}' | '\u{2551}'
    )
}

fn is_frame(character: char) -> bool {
    is_dash(character)
        || is_bar(character)
        || character == '+'
        || ('\u{2500}'..='\u{257F}').contains(&character)
}

fn bars(line: &str) -> usize {
    line.chars().filter(|&character| is_bar(character)).count()
}

/// Eight cells with a lead and a trail; without the bar at one end, or at both, fewer parts.
fn boxed_row(line: usize, text: &str) -> Result<Option<Row<'_>>, DiagramError> {
    let count = bars(text);
    if count < 5 {
        return Ok(None);
    }
    let mut parts: Vec<&str> = text.split(is_bar).collect();
    let (first, last) = (parts[0], parts[count]);
    match count {
        9 => {}
        8 if is_opened(text) || is_label(first) => parts.push(""),
        8 => parts.insert(0, ""),
        7 if !is_label(first) && !is_label(last) => {
            parts.insert(0, "");
            parts.push("");
        }
        _ => {
            let found = count.saturating_sub(1);
            return Err(DiagramError::Cells { line, found });
        }
    }
    let Ok(cells) = parts[1..9].try_into() else {
        return Ok(None);
    };
    let (lead, trail) = (parts[0], parts[9]);
    Ok(Some(Row {
        line,
        lead,
        cells,
        trail,
    }))
}

/// Whether a row that lacks one bar lacks the right one: blanks before a bar may be its margin
/// or an empty cell, which only the other end can tell.
fn is_opened(text: &str) -> bool {
    text.starts_with(is_bar)
        || (text.trim_start_matches(is_blank).starts_with(is_bar)
            && !text.trim_end_matches(is_blank).ends_with(is_bar))
}

/// A number at the edge; the word beside it (as in "White 8") does not matter.
fn is_label(text: &str) -> bool {
    text.split(is_blank)
        .any(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A row of a print without bars: an optional rank, then four symbols (dark squares only) or
/// eight, then whatever follows, such as the numbers of the squares.
fn open_row(line: usize, text: &str, index: usize) -> Option<Row<'_>> {
    let text = text.trim_matches(is_blank);
    let (lead, body) = match text.split_once(is_blank) {
        Some((word, rest)) if is_label(word) => (word, rest),
        _ => ("", text),
    };
    let mut rest = body;
    let mut cells = Vec::new();
    while let Some((word, after)) = next_word(rest) {
        if !symbol::is_open(word) || cells.len() == 8 {
            break;
        }
        cells.push(word);
        rest = after;
    }
    let cells = match cells[..] {
        [a, b, c, d] => spread([a, b, c, d], index),
        _ => cells.try_into().ok()?,
    };
    Some(Row {
        line,
        lead,
        cells,
        trail: rest,
    })
}

/// Four dark squares of the row with this index from the top: the first row begins light.
fn spread(dark: [&str; 4], index: usize) -> [&str; 8] {
    let first = (index + 1) % 2;
    let mut cells = [""; 8];
    for (at, symbol) in dark.into_iter().enumerate() {
        cells[first + 2 * at] = symbol;
    }
    cells
}

fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(is_blank);
    let end = text.find(is_blank).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}
