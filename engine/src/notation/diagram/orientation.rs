//! Which way a printed board lies.
//!
//! Every number or letter at the edge, and every square name inside, fits the board with White
//! at the top or the board turned by half; the majority decides. Without any of them a boxed
//! print is the books' (White at the top), after a look at which side is named above it.

use super::rows::{Page, Row};
use super::symbol::{self, Symbol};
use super::{DiagramError, caption, square_at};
use crate::board::{Color, Square};
use crate::notation::is_blank;

#[derive(Default)]
struct Votes {
    upright: u32,
    turned: u32,
}

impl Votes {
    fn add(&mut self, upright: bool, turned: bool) {
        self.upright += u32::from(upright);
        self.turned += u32::from(turned);
    }
}

/// Whether Black is at the top.
pub(super) fn is_turned(page: &Page<'_>) -> Result<bool, DiagramError> {
    let mut votes = Votes::default();
    for (index, row) in page.rows.iter().enumerate() {
        vote_by_edges(&mut votes, index, row);
        vote_by_names(&mut votes, index, row);
    }
    for (lines, is_below) in [(&page.above, false), (&page.below, true)] {
        for line in lines {
            vote_by_line(&mut votes, line, is_below);
        }
    }
    match votes.upright.cmp(&votes.turned) {
        std::cmp::Ordering::Greater => Ok(false),
        std::cmp::Ordering::Less => Ok(true),
        std::cmp::Ordering::Equal if votes.upright > 0 => Err(DiagramError::Labels),
        std::cmp::Ordering::Equal => by_sides(page),
    }
}

/// "White" above the board, or "Black" below it; without them the books' way.
fn by_sides(page: &Page<'_>) -> Result<bool, DiagramError> {
    let named = |lines: &[&str]| lines.iter().find_map(|line| caption::side(line));
    let top = named(&page.above).or_else(|| named(&page.below).map(|bottom| !bottom));
    match top {
        Some(top) => Ok(top == Color::Black),
        None if page.boxed => Ok(false),
        None => Err(DiagramError::Orientation),
    }
}

fn numbers(text: &str) -> Vec<u32> {
    text.split(is_blank)
        .take(16)
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// A rank of 1-8, or the number of the square at the edge, or of all four squares in the row.
fn vote_by_edges(votes: &mut Votes, index: usize, row: &Row<'_>) {
    let rank = index as u32 + 1;
    let (lead, trail) = (numbers(row.lead), numbers(row.trail));
    if trail.len() >= 4 {
        return vote_by_grid(votes, index, &trail);
    }
    for (label, cell) in [(lead.last(), 0), (trail.first(), 7)] {
        let Some(&label) = label else { continue };
        let at = |turned| square_at(index, cell, turned).map(Square::number);
        votes.add(
            label == 9 - rank || at(false) == Some(label),
            label == rank || at(true) == Some(label),
        );
    }
}

fn vote_by_grid(votes: &mut Votes, index: usize, numbers: &[u32]) {
    let dark = |turned| {
        (0..8)
            .filter_map(|cell| square_at(index, cell, turned))
            .map(Square::number)
            .collect::<Vec<_>>()
    };
    votes.add(numbers[..4] == dark(false), numbers[..4] == dark(true));
}

fn vote_by_names(votes: &mut Votes, index: usize, row: &Row<'_>) {
    for (cell, text) in row.cells.iter().enumerate() {
        if let Some(Symbol::Name(square)) = symbol::read(text) {
            let at = |turned| square_at(index, cell, turned) == Some(square);
            votes.add(at(false), at(true));
        }
    }
}

/// A line of file letters, or of the numbers of the first or last row.
fn vote_by_line(votes: &mut Votes, line: &str, is_below: bool) {
    let words: Vec<&str> = line
        .split(is_blank)
        .filter(|word| !word.is_empty())
        .collect();
    let letters = words.concat().to_lowercase();
    votes.add(letters == "abcdefgh", letters == "hgfedcba");
    let numbers = numbers(line);
    if numbers.is_empty() || numbers.len() != words.len() {
        return;
    }
    let all_in = |first: u32| {
        numbers
            .iter()
            .all(|number| (first..first + 4).contains(number))
    };
    let (white_row, black_row) = (all_in(29), all_in(1));
    votes.add(
        if is_below { black_row } else { white_row },
        if is_below { white_row } else { black_row },
    );
}
