//! Solves positions again from nothing, for the checker.
//!
//! All positions with the same men are solved together, one byte each: first what captures and
//! men's steps decide, then king's steps over and over. A win needs a step to a proved loss, a
//! loss needs every move to lead to a proved win; so no win rests on itself, and what is left is
//! drawn. Start reading at [`Solver::solve`].

use engine::tablebase::{Force, Slice};
use rayon::prelude::*;

use super::board::Board;
use super::table::{KingSets, MenSets, Table, Tables};

const LOSS: u8 = 0;
const DRAW: u8 = 1;
const WIN: u8 = 2;
const ILLEGAL: u8 = 3;
/// Not decided, with a man's step that does not lose.
const SAFE: u8 = 4;
/// Not decided.
const OPEN: u8 = 5;

/// One side to move: its kings outermost, and the same with the other side's outermost.
#[derive(Default)]
struct Plane {
    states: Vec<u8>,
    turned: Vec<u8>,
    /// The rows of `turned` that have changed since the other side looked.
    changed: Vec<bool>,
}

impl Plane {
    /// Copies the states to where the other side reads them.
    fn turn(&mut self, rows: usize, columns: usize) {
        const TILE: usize = 32;
        for row in (0..rows).step_by(TILE) {
            for column in 0..columns {
                let to = &mut self.turned[column * rows..][row..rows.min(row + TILE)];
                let from = self.states[row * columns + column..]
                    .iter()
                    .step_by(columns);
                let mut change = 0;
                for (to, &from) in to.iter_mut().zip(from) {
                    change |= *to ^ from;
                    *to = from;
                }
                self.changed[column] |= change != 0;
            }
        }
    }
}

/// Room to work in.
#[derive(Default)]
struct Scratch {
    planes: [Plane; 2],
    lost: Vec<u8>,
    open: Vec<u8>,
}

/// One pair of forces.
pub(super) struct Solver<'a> {
    tables: &'a Tables,
    forces: [Force; 2],
    kings: [KingSets; 2],
    men: [MenSets; 2],
    results: Vec<Table>,
}

impl<'a> Solver<'a> {
    pub(super) fn new(tables: &'a Tables, forces: [Force; 2]) -> Self {
        let slices = crate::build::slices(forces);
        Self {
            tables,
            forces,
            kings: forces.map(|force| KingSets::new(force.kings)),
            men: forces.map(|force| MenSets::new(force.men)),
            results: slices.into_iter().map(Table::new).collect(),
        }
    }

    /// The tables of the pair: with the first force to move, and with the second if it is another.
    /// Men that have come further are solved first, since steps lead to them.
    pub(super) fn solve(self) -> Vec<Table> {
        let [first, second] = &self.men;
        for level in (0..=first.most() + second.most()).rev() {
            let men: Vec<(u32, usize)> = (0..=level.min(first.most()))
                .flat_map(|ahead| {
                    first
                        .level(ahead)
                        .iter()
                        .map(move |&men| (men, level - ahead))
                })
                .collect();
            let min_len = if second.level(level / 2).len() > 16 {
                1
            } else {
                64
            };
            men.into_par_iter().with_min_len(min_len).for_each_init(
                Scratch::default,
                |scratch, (men, behind)| {
                    for &other in second.level(behind) {
                        let is_twin = self.results.len() == 1 && men > other;
                        if men & other.reverse_bits() == 0 && !is_twin {
                            self.block([men, other], scratch);
                        }
                    }
                },
            );
        }
        self.results
    }

    fn block(&self, men: [u32; 2], scratch: &mut Scratch) {
        let sizes = [0, 1].map(|side: usize| self.kings[side].sets.len());
        for side in [0, 1] {
            let plane = &mut scratch.planes[side];
            let (rows, columns) = (sizes[side], sizes[1 - side]);
            self.first(side, men, &mut plane.states);
            plane.turned.clear();
            plane.turned.resize(rows * columns, ILLEGAL);
            plane.changed.clear();
            plane.changed.resize(columns, true);
            plane.turn(rows, columns);
        }
        let mut side = 0;
        let mut idle = 0;
        while idle < 2 {
            idle = if self.sweep(side, scratch) {
                0
            } else {
                idle + 1
            };
            side = 1 - side;
        }
        for side in [0, 1] {
            let states = &mut scratch.planes[side].states;
            for state in states.iter_mut().filter(|state| **state > ILLEGAL) {
                *state = DRAW;
            }
            let result = self.results.get(side).unwrap_or(&self.results[0]);
            result.put(men[side], men[1 - side], states);
        }
    }

    /// What captures and men's steps decide.
    fn first(&self, side: usize, men: [u32; 2], states: &mut Vec<u8>) {
        states.clear();
        let own_men = men[side];
        let their_men = men[1 - side].reverse_bits();
        for &own_kings in &self.kings[side].sets {
            for their_kings in &self.kings[1 - side].sets {
                let their_kings = their_kings.reverse_bits();
                let kings = own_kings | their_kings;
                let board = Board {
                    own_men,
                    own_kings,
                    their_men,
                    their_kings,
                };
                let is_legal = own_kings & their_kings == 0 && kings & (own_men | their_men) == 0;
                states.push(if is_legal {
                    self.start(&board)
                } else {
                    ILLEGAL
                });
            }
        }
    }

    fn start(&self, board: &Board) -> u8 {
        let mut best = LOSS;
        if board.captures(&mut |after| best = best.max(self.after(after))) {
            return best;
        }
        board.men_steps(&mut |after| best = best.max(self.after(after)));
        match best {
            WIN => WIN,
            DRAW => SAFE,
            _ => OPEN,
        }
    }

    /// The value of a board that the mover has left, for the mover.
    fn after(&self, board: &Board) -> u8 {
        let turned = board.turned();
        let force = |men: u32, kings: u32| Force {
            men: men.count_ones(),
            kings: kings.count_ones(),
        };
        let own = force(turned.own_men, turned.own_kings);
        let their = force(turned.their_men, turned.their_kings);
        let [a, b] = self.forces;
        let here = if (own, their) == (a, b) {
            self.results.first()
        } else if (own, their) == (b, a) {
            self.results.get(1)
        } else {
            None
        };
        let value = match here {
            Some(table) => table.get(
                [turned.own_men, turned.own_kings],
                [turned.their_men, turned.their_kings].map(u32::reverse_bits),
            ),
            None => self.tables.value(&turned),
        };
        debug_assert!(value != ILLEGAL, "{turned:?} is not solved");
        2 - value.min(2)
    }

    /// One pass of king's steps of one side; true if it decided anything.
    fn sweep(&self, side: usize, scratch: &mut Scratch) -> bool {
        let (rows, columns) = (self.kings[side].sets.len(), self.kings[1 - side].sets.len());
        let (first, second) = scratch.planes.split_at_mut(1);
        let (own, their) = if side == 0 {
            (&mut first[0], &mut second[0])
        } else {
            (&mut second[0], &mut first[0])
        };
        let mut any = false;
        for (row, steps) in self.kings[side].steps.iter().enumerate() {
            if !steps.iter().any(|&to| their.changed[usize::from(to)]) && !their.changed[row] {
                continue;
            }
            scratch.lost.clear();
            scratch.lost.resize(columns, 0);
            scratch.open.clear();
            scratch.open.resize(columns, 0);
            for &to in steps {
                let reached = &their.turned[usize::from(to) * columns..][..columns];
                for ((lost, open), &state) in
                    scratch.lost.iter_mut().zip(&mut scratch.open).zip(reached)
                {
                    *lost |= u8::from(state == LOSS);
                    *open |= u8::from(state == DRAW) | u8::from(state >= SAFE);
                }
            }
            let states = &mut own.states[row * columns..][..columns];
            any |= decide(states, &scratch.lost, &scratch.open);
        }
        their.changed.fill(false);
        if any {
            own.turn(rows, columns);
        }
        any
    }
}

/// Decides what follows from whether a step reaches a proved loss, and whether one reaches anything
/// but proved wins; true if anything did.
fn decide(states: &mut [u8], lost: &[u8], open: &[u8]) -> bool {
    let mut change = 0;
    for ((state, &lost), &open) in states.iter_mut().zip(lost).zip(open) {
        let is_pending = *state >= SAFE;
        let is_lost = *state == OPEN && open == 0;
        let next = if is_pending && lost != 0 {
            WIN
        } else if is_lost {
            LOSS
        } else {
            *state
        };
        change |= *state ^ next;
        *state = next;
    }
    change != 0
}

/// How many positions of a slice are lost, drawn and won, in that order.
pub(super) fn count(table: &Table, slice: Slice) -> [u64; 3] {
    let (own, their) = (MenSets::new(slice.own.men), MenSets::new(slice.their.men));
    let own: Vec<u32> = own.all().collect();
    own.into_par_iter()
        .map(|own_men| {
            let mut counts = [0; 4];
            for their_men in their.all().filter(|men| men.reverse_bits() & own_men == 0) {
                table.tally(own_men, their_men, &mut counts);
            }
            [counts[0], counts[1], counts[2]]
        })
        .reduce(
            || [0; 3],
            |a, b| std::array::from_fn(|value| a[value] + b[value]),
        )
}
