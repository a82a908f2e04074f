//! Solves pairs with one king in all: a word over its squares, for all placements of the other
//! side's men at once.
//!
//! The lone king's moves can be taken back, but the other side's cannot, so nothing is circular.
//! For each placement of the men of the king's side, most advanced first, a row holds the values
//! of all placements of the other side's men ([`men`]). What the king's steps lead to is found by
//! shifting words; what the other side's moves lead to stands earlier in the same row; what the
//! steps of the king's side's men lead to, in a row of the level before. Rows of a level are shared
//! among the threads: with one man beside the king there are four at most. Results go to their
//! blocks as [`Pair`] wants them. Start reading at [`solve`].

mod jumps;
mod men;

use std::sync::atomic::{AtomicU32, Ordering};

use engine::board::{Bitboard, steps};
use engine::tablebase::index::{choose, rank};
use rayon::prelude::*;

use crate::capture::{CROWNHEAD, FORWARD};
use crate::kernel::{Isa, KingTakes, LANES, LoneRow, Value, both};
use crate::lookup::Lookup;
use crate::pair::{Blocks, Pair, Side, Store, by_advance};
use jumps::{Found, Jumps, king_places, step_places};
use men::Men;

type Values = [Value; LANES];
type Words = [u32; LANES];

/// Whether this module solves the pair.
pub(crate) fn solves(blocks: &Blocks) -> bool {
    blocks.forces[0].kings + blocks.forces[1].kings == 1
}

/// Solves the pair of `blocks`, which has one king.
pub(crate) fn solve(isa: Isa, store: &Store, blocks: Blocks) -> Pair {
    let king = usize::from(blocks.forces[1].kings == 1);
    let words = 2 * blocks.len();
    let tables = [0, 1].map(|_| (0..words).map(|_| AtomicU32::new(0)).collect::<Vec<_>>());
    let own = blocks.forces[king].men;
    let mut lone = Lone {
        isa,
        store,
        blocks: &blocks,
        king,
        men: blocks.forces[1 - king].men,
        tables: &tables,
        rows: vec![Vec::new(); choose(28, own) as usize],
    };
    lone.solve_levels(&by_advance(own));
    let tables = tables.map(|table| table.into_iter().map(AtomicU32::into_inner).collect());
    Pair { blocks, tables }
}

/// Bytes of what is kept while a pair is solved: the rows of two levels, every thread's room, and
/// the placements of the other side's `men` men; the king's side has `own` men.
pub(crate) fn scratch_bytes(own: u32, men: u32, threads: u64) -> u64 {
    let slots = |men: u32| choose(28, men) + LANES as u64 * u64::from(6 * men + 1);
    let (all, fewer) = (slots(men), slots(men - 1));
    let levels = level_sizes(own);
    let most = levels.windows(2).map(|two| two[0] + two[1]).max();
    let rows = 8 * all * 2 * most.unwrap_or(1);
    let room = all * (8 + 2 * 8 + 2 * 4 + 8 + 8) + fewer * (8 + 8 + 4 * 8);
    let placements = all * (8 + 5 * 4 * u64::from(men)) + 32 * 4 * fewer;
    rows + threads * room + placements
}

/// How many placements of so many men have come so far, for each advance.
fn level_sizes(men: u32) -> Vec<u64> {
    let (men, rows) = (men as usize, 6 * men as usize);
    let mut counts = vec![vec![0; rows + 1]; men + 1];
    counts[0][0] = 1;
    for square in 0..28 {
        for count in (1..=men).rev() {
            for advance in square / 4..=rows {
                counts[count][advance] += counts[count - 1][advance - square / 4];
            }
        }
    }
    counts.swap_remove(men)
}

/// A pair while it is solved.
struct Lone<'l> {
    isa: Isa,
    store: &'l Store,
    blocks: &'l Blocks,
    /// The side with the king, and how many men the other one has.
    king: Side,
    men: u32,
    /// With A and with B to move, as in [`Pair`]; every thread writes blocks of its own.
    tables: &'l [Vec<AtomicU32>; 2],
    /// The rows of the level before, with the men's side to move, by the rank of the king's
    /// side's men.
    rows: Vec<Vec<Values>>,
}

/// The values of a row with the men's side and with the king's side to move.
struct Row {
    before: Vec<Values>,
    after: Vec<Value>,
}

/// Room to work in, used again for every row.
struct Room<'l> {
    lookup: Lookup<'l>,
    /// By the number of the other side's men that are left: values where the king has landed.
    landed: Vec<Vec<Values>>,
    king_taken: Vec<Value>,
    quiet: Vec<Values>,
    /// Captures with the men's and with the king's side to move.
    captures: [Vec<Values>; 2],
    any: [Vec<Words>; 2],
    after: Vec<Value>,
}

impl<'l> Room<'l> {
    fn new(lone: &Lone<'l>) -> Self {
        let chunks = |men| Men::of(men).sets.len();
        let all = chunks(lone.men);
        Self {
            lookup: Lookup::new(lone.store, lone.blocks, [&[], &[]]).with(lone.isa),
            landed: (0..lone.men)
                .map(|men| vec![[0; LANES]; chunks(men)])
                .collect(),
            king_taken: vec![0; king_places(lone.men)],
            quiet: vec![[0; LANES]; all],
            captures: [0, 1].map(|_| vec![[0; LANES]; all]),
            any: [0, 1].map(|_| vec![[0; LANES]; all]),
            after: vec![0; step_places(lone.men)],
        }
    }

    fn clear(&mut self) {
        self.quiet.fill([0; LANES]);
        for side in [0, 1] {
            self.captures[side].fill([0; LANES]);
            self.any[side].fill([0; LANES]);
        }
    }
}

impl<'l> Lone<'l> {
    /// Solves all rows, by the advance of the king's side's men.
    fn solve_levels(&mut self, levels: &[Vec<Bitboard>]) {
        let mut last: &[Bitboard] = &[];
        for level in levels.iter().rev() {
            let solved: Vec<Row> = level
                .par_iter()
                .map_init(|| Room::new(self), |room, &set| self.row(room, set))
                .collect();
            self.store_level(level, &solved);
            for &set in last {
                self.rows[rank(set) as usize] = Vec::new();
            }
            for (&set, row) in level.iter().zip(solved) {
                self.rows[rank(set) as usize] = row.before;
            }
            last = level;
        }
    }

    /// Solves all blocks in which the king's side's men are `own`.
    fn row(&self, room: &mut Room<'l>, own: Bitboard) -> Row {
        let men = Men::of(self.men);
        room.clear();
        self.king_landings(room, own);
        self.captures(room, own);
        self.men_steps(room, own);
        self.crownings_against(room, own);
        let mut before = vec![[0; LANES]; men.sets.len()];
        let [first, second] = &room.any;
        self.isa.lone_row(&mut LoneRow {
            own: own.0,
            sets: &men.sets,
            without: &men.without,
            taken: room.landed[self.men as usize - 1].as_flattened(),
            steps: &men.steps,
            jumps: &men.jumps,
            king_taken: &room.king_taken,
            quiet: &room.quiet,
            captures: [&room.captures[0], &room.captures[1]],
            any: [first, second],
            after: &mut room.after,
            before: &mut before,
        });
        let after = room.after[..men.len()].to_vec();
        Row { before, after }
    }

    fn jumps<'j>(&self, lookup: &'j mut Lookup<'l>) -> Jumps<'j, 'l> {
        Jumps {
            store: self.store,
            lookup,
            men: self.men,
        }
    }

    /// Where the king has landed, by what is left of the other side.
    fn king_landings(&self, room: &mut Room<'l>, own: Bitboard) {
        room.landed[0][0] = [both((!own).0); LANES];
        for men in 1..self.men as usize {
            let (fewer, here) = room.landed.split_at_mut(men);
            let all = Men::of(men as u32);
            let mut jumps = self.jumps(&mut room.lookup);
            let into = here[0].as_flattened_mut();
            for (slot, set) in all.beside(own) {
                into[slot] = jumps.moved(own, set);
            }
            self.isa.king_landed(&mut KingTakes {
                own: own.0,
                sets: &all.sets,
                without: &all.without,
                taken: fewer[men - 1].as_flattened(),
                landed: &mut here[0],
            });
        }
    }

    fn captures(&self, room: &mut Room<'l>, own: Bitboard) {
        let mut jumps = self.jumps(&mut room.lookup);
        jumps.of_king(own, &mut room.king_taken);
        let [against, by] = &mut room.captures;
        let [any_against, any_by] = &mut room.any;
        jumps.of_men(
            own,
            &mut Found {
                values: against.as_flattened_mut(),
                any: any_against.as_flattened_mut(),
            },
        );
        jumps.by_men(
            own,
            &mut Found {
                values: by.as_flattened_mut(),
                any: any_by.as_flattened_mut(),
            },
        );
    }

    /// What steps of the king's side's men lead to.
    fn men_steps(&self, room: &mut Room<'l>, own: Bitboard) {
        for from in own {
            let others = own - from.bit();
            let [left, right] = FORWARD.map(|way| steps::step(from.bit(), way) - own);
            let (crowned, quiet) = ((left | right) & CROWNHEAD, (left | right) - CROWNHEAD);
            if crowned.any() {
                self.crownings(room, others, crowned);
            }
            for to in quiet {
                let row = &self.rows[rank(others | to.bit()) as usize];
                for (into, from) in room.quiet.iter_mut().zip(row) {
                    for lane in 0..LANES {
                        into[lane] |= from[lane];
                    }
                }
            }
        }
    }

    /// What it leads to that a man of the king's side is crowned on one of `squares`.
    fn crownings(&self, room: &mut Room<'l>, others: Bitboard, squares: Bitboard) {
        let mut jumps = self.jumps(&mut room.lookup);
        let quiet = room.quiet.as_flattened_mut();
        // Where one of the squares is taken, the values of two kings are zero.
        for (slot, set) in Men::of(self.men).beside(others) {
            quiet[slot] |= jumps.crowned(others, squares, set);
        }
    }

    /// What crownings of the other side's men lead to.
    fn crownings_against(&self, room: &mut Room<'l>, own: Bitboard) {
        let mut jumps = self.jumps(&mut room.lookup);
        let first = Men::of(self.men).crowned() as usize;
        for (slot, set) in Men::of(self.men - 1).beside(own) {
            let found = jumps.crowned_against(own, set);
            room.after[first + 4 * slot..first + 4 * slot + 4].copy_from_slice(&found);
        }
    }

    /// Writes the results of all rows of a level, whose men are `owns`, to their blocks. Blocks of
    /// one level of the pair in which A's men are the same follow each other.
    fn store_level(&self, owns: &[Bitboard], rows: &[Row]) {
        let men = Men::of(self.men);
        if self.king == 0 {
            owns.par_iter().zip(rows).for_each(|(&own, row)| {
                for level in men.levels.windows(2) {
                    let slots = (level[0]..level[1]).map(|slot| (slot, own, row));
                    self.store_run(men, slots);
                }
            });
        } else {
            (0..men.len()).into_par_iter().for_each(|slot| {
                let rows = owns.iter().zip(rows);
                self.store_run(men, rows.map(|(&own, row)| (slot, own, row)));
            });
        }
    }

    /// Writes to blocks that follow each other, but for those in which men meet.
    fn store_run<'r>(&self, men: &Men, run: impl Iterator<Item = (usize, Bitboard, &'r Row)>) {
        let mut next = None;
        for (slot, own, row) in run {
            let set = men.set(slot);
            if set.meets(own) || set == Bitboard::ALL {
                continue;
            }
            let place = next.unwrap_or_else(|| self.place(own, set));
            self.put(self.king, place, row.after[slot]);
            self.put(1 - self.king, place, row.before.as_flattened()[slot]);
            next = Some(place + 1);
        }
    }

    fn place(&self, own: Bitboard, set: Bitboard) -> usize {
        let mut men = [own, set.rotated()];
        if self.king == 1 {
            men.swap(0, 1);
        }
        self.blocks.place_by(self.isa, men).0
    }

    fn put(&self, mover: Side, place: usize, value: Value) {
        let table = &self.tables[mover][2 * place..2 * place + 2];
        table[0].store(value as u32, Ordering::Relaxed);
        table[1].store((value >> 32) as u32, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{pairs, solve_blocks, solve_pair};

    #[test]
    fn levels_are_counted_as_they_are_made() {
        for men in 0..=4 {
            let made = by_advance(men).into_iter().map(|level| level.len() as u64);
            assert_eq!(level_sizes(men), made.collect::<Vec<_>>());
        }
    }

    /// The slow twin: all pairs with one king, block by block.
    #[test]
    fn rows_hold_what_blocks_do() {
        for isa in Isa::available() {
            let mut store = Store::default();
            let mut compared = 0;
            for pieces in 2..=5 {
                for [a, b] in pairs(pieces, 4) {
                    let pair = solve_pair(isa, &mut store, [a, b]);
                    if a.kings + b.kings == 1 {
                        let blocks = solve_blocks(isa, &store, Blocks::new(a, b));
                        for side in [0, 1] {
                            assert!(pair.tables[side] == blocks.tables[side], "{a}-{b} {side}");
                        }
                        compared += 1;
                    }
                    store.insert(pair);
                }
            }
            assert_eq!(compared, 1 + 2 + 3 + 4);
        }
    }
}
