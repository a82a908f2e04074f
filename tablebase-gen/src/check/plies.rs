//! Checks distances to the next capture or man's move, for the checker.
//!
//! With values proved, distances are what solves these equations, and nothing else does, since
//! each follows from smaller ones:
//!
//! ```text
//! won     1 with a capture or a man's step that wins, else 1 + the least of the lost positions
//!         that king's steps lead to
//! lost    1 with a capture or without a move, else the most of 1 for a man's step and
//!         1 + the distance after a king's step
//! ```
//!
//! So what is stored of lost positions is put in, won ones are worked out from it, and the lost
//! ones again from these. Start reading at [`check`].

use std::sync::atomic::{AtomicU8, Ordering};

use engine::tablebase::{Placement, Slice};
use rayon::prelude::*;

use super::board::{Board, king_steps};
use super::table::{Numbers, Tables, sets};

/// No distance.
const NONE: u8 = u8::MAX;

const LOSS: u8 = 0;
const WIN: u8 = 2;

/// A distance for each position of a slice.
pub(crate) struct Plies {
    numbers: Numbers,
    plies: Vec<AtomicU8>,
}

impl Plies {
    pub(crate) fn new(slice: Slice) -> Self {
        let numbers = Numbers::new(slice);
        let plies = (0..numbers.len()).map(|_| AtomicU8::new(NONE)).collect();
        Self { numbers, plies }
    }

    fn place(&self, board: &Board) -> &AtomicU8 {
        let their = [board.their_men, board.their_kings].map(u32::reverse_bits);
        let own = [board.own_men, board.own_kings];
        &self.plies[self.numbers.number(own, their)]
    }

    fn get(&self, board: &Board) -> u8 {
        self.place(board).load(Ordering::Relaxed)
    }

    fn put(&self, board: &Board, plies: u8) {
        self.place(board).store(plies, Ordering::Relaxed);
    }

    /// Takes over what is stored of a placement.
    pub(crate) fn store(&self, placement: &Placement, plies: u8) {
        let own = [placement.own_men.0, placement.own_kings.0];
        let their = [placement.their_men.0, placement.their_kings.0];
        self.plies[self.numbers.number(own, their)].store(plies, Ordering::Relaxed);
    }
}

/// What is wrong with the distances of a slice.
#[derive(Default)]
pub(crate) struct Verdict {
    /// Lost positions without a capture: those that have a distance of their own.
    pub(crate) checked: u64,
    /// The longest distance of all positions.
    pub(crate) longest: u8,
    /// Some of what is wrong.
    pub(crate) errors: Vec<String>,
}

/// Errors that are told of a slice.
const MOST: usize = 4;

impl Verdict {
    fn add(mut self, other: Self) -> Self {
        self.checked += other.checked;
        self.longest = self.longest.max(other.longest);
        self.errors.extend(other.errors);
        self.errors.truncate(MOST);
        self
    }
}

/// Works out the distances of the won positions of `slice` from those of the lost ones of the
/// other side.
fn won(tables: &Tables, slice: Slice, lost: &Plies) -> Plies {
    let found = Plies::new(slice);
    for_each(slice, |board, _| {
        if tables.value(board) == WIN {
            found.put(board, of_won(tables, board, lost));
        }
    });
    found
}

fn of_won(tables: &Tables, board: &Board, lost: &Plies) -> u8 {
    if board.captures(&mut |_| ()) {
        return 1;
    }
    let mut found = NONE;
    board.men_steps(&mut |after| {
        if tables.value(&after.turned()) == LOSS {
            found = 1;
        }
    });
    if found == 1 {
        return 1;
    }
    steps(board, |next| {
        if tables.value(next) == LOSS {
            found = found.min(of_stored(next, lost).saturating_add(1));
        }
    });
    found
}

/// The distance of a lost position by what is stored.
fn of_stored(board: &Board, lost: &Plies) -> u8 {
    if board.captures(&mut |_| ()) {
        1
    } else {
        lost.get(board)
    }
}

fn of_lost(board: &Board, won: &Plies) -> u8 {
    let mut found = 1;
    steps(board, |next| {
        found = found.max(won.get(next).saturating_add(1));
    });
    found
}

/// Calls `visit` with the board after each step of a king, seen from the other side.
fn steps(board: &Board, mut visit: impl FnMut(&Board)) {
    for own_kings in king_steps(board.own_kings) {
        let after = Board {
            own_kings,
            ..*board
        };
        if own_kings & (board.own_men | board.their_men | board.their_kings) == 0 {
            visit(&after.turned());
        }
    }
}

/// Calls `visit` for every legal placement of a slice, and sums what it finds.
fn for_each(slice: Slice, visit: impl Fn(&Board, &mut Verdict) + Sync) -> Verdict {
    let men = |count| sets(count, 28);
    let kings = |count| sets(count, 32);
    let (their_men, their_kings) = (men(slice.their.men), kings(slice.their.kings));
    let (own_men, own_kings) = (men(slice.own.men), kings(slice.own.kings));
    let rows = own_men.len() * own_kings.len();
    let row = |row: usize| {
        let mut verdict = Verdict::default();
        for &men in &their_men {
            for &kings in &their_kings {
                let board = Board {
                    own_men: own_men[row / own_kings.len()],
                    own_kings: own_kings[row % own_kings.len()],
                    their_men: men.reverse_bits(),
                    their_kings: kings.reverse_bits(),
                };
                if board.pieces() == slice.pieces() {
                    visit(&board, &mut verdict);
                }
            }
        }
        verdict
    };
    (0..rows)
        .into_par_iter()
        .map(row)
        .reduce(Verdict::default, Verdict::add)
}

/// Checks the distances of the lost positions of `slice`, with those of the same forces and the
/// other side to move (`lost` has both, the slice's own first; the same twice for equal forces).
pub(super) fn check(tables: &Tables, slice: Slice, lost: [&Plies; 2]) -> Verdict {
    let replies = won(tables, slice.reversed(), lost[0]);
    let own = won(tables, slice, lost[1]);
    for_each(slice, |board, verdict| {
        let value = tables.value(board);
        let has_own = value == LOSS && !board.captures(&mut |_| ());
        let found = match value {
            WIN => own.get(board),
            LOSS if has_own => of_lost(board, &replies),
            LOSS => 1,
            _ => 0,
        };
        verdict.longest = verdict.longest.max(found);
        verdict.checked += u64::from(has_own);
        let (stored, expected) = (lost[0].get(board), if has_own { found } else { NONE });
        if stored != expected && verdict.errors.len() < MOST {
            let error = format!("{slice}: distance {stored} stored, not {expected}: {board:?}");
            verdict.errors.push(error);
        }
    })
}
