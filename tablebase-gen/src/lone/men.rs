//! The placements of the side that has only men, in the order in which they are solved, and how
//! its men's moves lead from one to another.
//!
//! Everything is numbered by slots: the placements by advance, most advanced first, each advance
//! padded to whole chunks. A step leads to a slot of an earlier advance; a crowning leads behind
//! the slots, as [`Men::steps`] says. Squares are seen from the side that has the king, so these
//! men go down. Knows neither the other side nor values. Start reading at [`Men`].

use std::sync::OnceLock;

use engine::board::{Bitboard, Color, Direction, Square, regions, steps};
use engine::tablebase::index::{choose, rank};

use crate::kernel::LANES;
use crate::kings::MOST_KINGS;
use crate::pair::by_advance;

/// Where these men move, and where they are crowned.
pub(super) const DOWN: [Direction; 2] = Direction::forward(Color::White);
pub(super) const CROWNED: Bitboard = regions::crownhead(Color::White);

/// A slot for each lane of a vector.
pub(super) type Chunk = [u32; LANES];

/// No slot.
const NONE: u32 = u32::MAX;

/// All placements of so many men.
pub(crate) struct Men {
    men: u32,
    /// The men in each slot; all squares where a slot stands for nothing.
    pub(super) sets: Vec<Chunk>,
    /// The first slot of each advance, most advanced first, and the end. The slots of one advance
    /// are in the order of the ranks.
    pub(super) levels: Vec<usize>,
    /// From the rank of a placement, as its owner sees it, to its slot.
    pub(super) slots: Vec<u32>,
    /// For each chunk, each man from the lowest square and each direction of [`DOWN`]: the slot
    /// after his step; [`Men::zero`] if there is none; `crowned + 4 * slot + square` if he is
    /// crowned, by the slot of the other men.
    pub(super) steps: Vec<Chunk>,
    /// The same after a jump; `crowned + slot` if he is crowned.
    pub(super) jumps: Vec<Chunk>,
    /// For each chunk and each man: the slot without him, among those of one man fewer.
    pub(super) without: Vec<Chunk>,
    /// For each square and each slot of one man fewer the slot with another man there, or [`NONE`].
    with: Vec<u32>,
}

impl Men {
    /// The placements of `men` men, 0 to 7.
    pub(crate) fn of(men: u32) -> &'static Self {
        static ALL: [OnceLock<Men>; MOST_KINGS + 1] = [const { OnceLock::new() }; MOST_KINGS + 1];
        ALL[men as usize].get_or_init(|| Self::new(men))
    }

    fn new(men: u32) -> Self {
        let (sets, levels, slots) = ordered(men);
        let mut this = Self {
            men,
            sets,
            levels,
            slots,
            steps: Vec::new(),
            jumps: Vec::new(),
            without: Vec::new(),
            with: Vec::new(),
        };
        if men > 0 {
            this.link(Self::of(men - 1));
        }
        this
    }

    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        LANES * self.sets.len()
    }

    /// A place behind the slots that leads nowhere: zero in what is looked up.
    pub(super) fn zero(&self) -> u32 {
        self.len() as u32
    }

    /// The first place for what crownings lead to.
    pub(super) fn crowned(&self) -> u32 {
        (self.len() + LANES) as u32
    }

    /// The slot of men as the other side sees them.
    pub(super) fn slot(&self, seen: Bitboard) -> u32 {
        self.slots[rank(seen.rotated()) as usize]
    }

    /// The men in a slot.
    pub(super) fn set(&self, slot: usize) -> Bitboard {
        Bitboard(self.sets[slot / LANES][slot % LANES])
    }

    /// The slots of placements that keep clear of `squares`, and their men.
    pub(super) fn beside(&self, squares: Bitboard) -> impl Iterator<Item = (usize, Bitboard)> {
        let sets = self.sets.as_flattened().iter().enumerate();
        let sets = sets.map(|(slot, &set)| (slot, Bitboard(set)));
        sets.filter(move |&(_, set)| !set.meets(squares) && set != Bitboard::ALL)
    }

    /// The slots of placements with a man on `square` whose others keep clear of `squares`, and
    /// these others; at least one man.
    pub(super) fn having(
        &self,
        square: Square,
        squares: Bitboard,
    ) -> impl Iterator<Item = (usize, Bitboard)> {
        let fewer = Self::of(self.men - 1);
        let with = &self.with[fewer.len() * square.index()..];
        let others = fewer.beside(squares | square.bit());
        others.filter_map(|(slot, others)| {
            let slot = with[slot];
            (slot != NONE).then_some((slot as usize, others))
        })
    }

    fn link(&mut self, fewer: &Self) {
        let men = self.men as usize;
        let [steps, jumps, without] = [2 * men, 2 * men, men].map(|of| self.sets.len() * of);
        self.steps = vec![[self.zero(); LANES]; steps];
        self.jumps = vec![[self.zero(); LANES]; jumps];
        self.without = vec![[0; LANES]; without];
        self.with = vec![NONE; 32 * fewer.len()];
        let placements: Vec<(usize, Bitboard)> = self.beside(Bitboard::EMPTY).collect();
        for (slot, set) in placements {
            for (nth, man) in set.squares().enumerate() {
                let at = men * (slot / LANES) + nth;
                let others = set - man.bit();
                let rest = fewer.slot(others);
                self.without[at][slot % LANES] = rest;
                self.with[fewer.len() * man.index() + rest as usize] = slot as u32;
                for (way, direction) in DOWN.into_iter().enumerate() {
                    let near = steps::step(man.bit(), direction);
                    let far = steps::step(near, direction);
                    let at = 2 * at + way;
                    self.steps[at][slot % LANES] = self.led(others, near, |to| 4 * rest + to);
                    self.jumps[at][slot % LANES] = self.led(others, far, |_| rest);
                }
            }
        }
    }

    /// Where a man who goes to `landing` leads, beside `others`; `crowned` says the place of a
    /// square of the crownhead among those behind the slots.
    fn led(&self, others: Bitboard, landing: Bitboard, crowned: impl Fn(u32) -> u32) -> u32 {
        match (landing - others).first() {
            Some(to) if CROWNED.contains(to) => self.crowned() + crowned(to.index() as u32),
            Some(_) => self.slot(others | landing),
            None => self.zero(),
        }
    }
}

/// The chunks of placements by advance, the first slot of each advance, and the slots by rank.
fn ordered(men: u32) -> (Vec<Chunk>, Vec<usize>, Vec<u32>) {
    let mut slots = vec![NONE; choose(28, men) as usize];
    let mut sets = Vec::new();
    let mut starts = vec![0];
    for level in by_advance(men).iter().rev() {
        for part in level.chunks(LANES) {
            let mut chunk = [u32::MAX; LANES];
            for (lane, &set) in part.iter().enumerate() {
                chunk[lane] = set.rotated().0;
                slots[rank(set) as usize] = (LANES * sets.len() + lane) as u32;
            }
            sets.push(chunk);
        }
        starts.push(LANES * sets.len());
    }
    (sets, starts, slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The square so many rows down and as many files aside, to the right first.
    fn below(square: Square, way: usize, rows: u32) -> Option<Square> {
        let row = square.row().checked_sub(rows)?;
        let file = match way {
            0 => square.file() + rows,
            _ => square.file().checked_sub(rows)?,
        };
        Square::at(row, file)
    }

    /// Where a man who goes to `landing` should lead: the values behind the slots are `each` for
    /// the other men, one for each square of the crownhead or one for all.
    fn expected(men: &Men, set: Bitboard, man: Square, to: Option<Square>, each: u32) -> u32 {
        let others = set - man.bit();
        match to {
            Some(to) if to.index() < 4 => {
                let fewer = Men::of(set.len() - 1).slot(others);
                men.crowned() + each * fewer + to.index() as u32 % each
            }
            Some(to) if !others.contains(to) => men.slot(others | to.bit()),
            _ => men.zero(),
        }
    }

    #[test]
    fn placements_having_a_man_are_those_with_the_others_beside_him() {
        let (men, clear) = (Men::of(3), Bitboard(0x0001_0400));
        for square in Square::all() {
            let mut expected: Vec<(usize, Bitboard)> = men
                .beside(Bitboard::EMPTY)
                .filter(|(_, set)| set.contains(square) && !(*set - square.bit()).meets(clear))
                .map(|(slot, set)| (slot, set - square.bit()))
                .collect();
            let mut found: Vec<(usize, Bitboard)> = men.having(square, clear).collect();
            found.sort_by_key(|&(slot, _)| slot);
            expected.sort_by_key(|&(slot, _)| slot);
            assert_eq!(found, expected);
        }
    }

    /// Each placement has one slot, and moves lead to earlier ones: those of the placements that
    /// rows and files give.
    #[test]
    fn steps_and_jumps_lead_to_earlier_slots() {
        for count in 1..=4 {
            let men = Men::of(count);
            let mut seen = 0;
            for (slot, set) in men.beside(Bitboard::EMPTY) {
                seen += 1;
                assert_eq!(men.slot(set) as usize, slot);
                assert_eq!(set.len(), count);
                let (chunk, lane) = (slot / LANES, slot % LANES);
                for (nth, man) in set.squares().enumerate() {
                    let at = count as usize * chunk + nth;
                    let without = men.without[at][lane] as usize;
                    assert_eq!(Men::of(count - 1).set(without), set - man.bit());
                    for way in [0, 1] {
                        let [step, jump] = [1, 2].map(|rows| below(man, way, rows));
                        let [step, jump] = [(step, 4), (jump, 1)]
                            .map(|(to, each)| expected(men, set, man, to, each));
                        let led = [men.steps[2 * at + way][lane], men.jumps[2 * at + way][lane]];
                        assert_eq!(led, [step, jump]);
                        let earlier = |&to: &u32| to < (LANES * chunk) as u32 || to >= men.zero();
                        assert!(led.iter().all(earlier));
                    }
                }
            }
            assert_eq!(seen, choose(28, count));
        }
    }
}
