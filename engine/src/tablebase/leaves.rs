//! The entries of a model as they lie in memory, to be found by their context.
//!
//! ```text
//! branch   for a kind and the first three neighbours: its row, and where its leaves begin
//! row      where the leaf of each of the 36 combinations of the other two neighbours lies behind
//!          the first of the branch, which is that of all combinations without entries of their own
//! leaf     four words u32, one for each last value of the same parity: which of the 24 combinations
//!          of what else is near have an entry of their own (24 bits), and where the entry for the
//!          others lies behind the leaf's own start (8 bits, in pairs of bytes); then the entries
//!          (u16), for each last value that for the others and behind it the rest in order, the
//!          value that prevails first; zeros up to a multiple of 16 bytes
//! ```
//!
//! Few of the 96 contexts of a place have an entry of their own: a table of all contexts would take
//! 100 MB with seven pieces and wait for memory half of the time. Knows nothing of how entries are
//! fitted or stored. Start reading at [`Tree::entry`].

use super::entry::Entry;
use super::model::{COARSE, FINE, KINDS, Layers, NEAR};
use crate::prefetch::{prefetch, prefetch_all};

/// Bytes before the entries of a leaf.
const LEAF_HEAD: usize = 16;
/// Numbers of the first three neighbours, with some that do not occur, so that a byte is one.
const BRANCHES: usize = 256;

/// All entries of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Leaves {
    kinds: Vec<[Branch; BRANCHES]>,
    /// In words.
    rows: Vec<u16>,
    /// Where the rows of each kind end.
    ends: Vec<usize>,
    leaves: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Branch {
    row: u32,
    /// In words.
    leaves: u32,
}

/// The entries of one kind of units.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    branches: &'a [Branch; BRANCHES],
    rows: &'a [u16],
    /// The leaves in pairs of bytes and in words.
    pairs: &'a [[u8; 2]],
    words: &'a [[u8; 4]],
}

/// Where a leaf begins, in words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leaf(u32);

impl Leaves {
    /// From what the layers of entries say, each over the one below.
    pub(super) fn new(layers: &Layers) -> Self {
        let mut leaves = Self::default();
        let mut left = layers.each_ref().map(Vec::as_slice);
        for kind in 0..KINDS {
            let mut below = [Entry::default(); 4];
            over(&mut below, split(&mut left[0], 4 * (kind + 1)));
            let mut branches = [leaves.branch(kind, below, &[]); BRANCHES];
            for (coarse, branch) in (kind * COARSE..).zip(&mut branches[..COARSE]) {
                let second = split(&mut left[1], 4 * (coarse + 1));
                let third = split(&mut left[2], FINE * NEAR * (coarse + 1));
                if !second.is_empty() || !third.is_empty() {
                    let mut below = below;
                    over(&mut below, second);
                    *branch = leaves.branch(kind, below, third);
                }
            }
            leaves.kinds.push(branches);
            leaves.ends.push(leaves.rows.len());
        }
        leaves
    }

    /// Adds a branch with the `entries` of its places.
    fn branch(&mut self, kind: usize, below: [Entry; 4], mut entries: &[(usize, Entry)]) -> Branch {
        let branch = Branch {
            row: self.rows.len() as u32,
            leaves: self.leaf(kind, below, &[]),
        };
        let coarse = entries
            .first()
            .map_or(0, |&(number, _)| number / (FINE * NEAR));
        for fine in 0..FINE {
            let own = split(&mut entries, (coarse * FINE + fine + 1) * NEAR);
            let leaf = if own.is_empty() {
                0
            } else {
                self.leaf(kind, below, own) - branch.leaves
            };
            self.rows.push(leaf as u16);
        }
        branch
    }

    /// Adds a leaf; tells where it begins, in words.
    fn leaf(&mut self, kind: usize, below: [Entry; 4], own: &[(usize, Entry)]) -> u32 {
        let start = self.leaves.len();
        self.leaves.resize(start + LEAF_HEAD, 0);
        let prevailing = kind / 4;
        for last in std::iter::once(prevailing).chain((0..4).filter(|&last| last != prevailing)) {
            let first = (self.leaves.len() - start) / 2;
            let mut word = (first as u32) << 24;
            self.leaves.extend(below[last].0.to_le_bytes());
            for &(number, entry) in own.iter().filter(|&&(number, _)| number % 4 == last) {
                word |= 1 << (number % NEAR / 4);
                self.leaves.extend(entry.0.to_le_bytes());
            }
            self.leaves[start + 4 * last..][..4].copy_from_slice(&word.to_le_bytes());
        }
        let end = self.leaves.len().next_multiple_of(LEAF_HEAD);
        self.leaves.resize(end, 0);
        start as u32 / 4
    }

    /// The entries of a kind, asking for the memory that is needed first; `None` where the model is
    /// blank.
    #[inline]
    pub(super) fn of(&self, kind: usize) -> Option<Tree<'_>> {
        let branches = self.kinds.get(kind)?;
        let start = branches[BRANCHES - 1].row as usize;
        prefetch_all(&branches[..COARSE]);
        prefetch_all(self.rows.get(start..self.ends[kind])?);
        Some(Tree {
            branches,
            rows: &self.rows,
            pairs: self.leaves.as_chunks().0,
            words: self.leaves.as_chunks().0,
        })
    }
}

impl Tree<'_> {
    /// The leaf for the first three neighbours and the other two; its memory is asked for.
    #[inline(always)]
    pub(super) fn leaf(&self, coarse: u8, fine: u8) -> Leaf {
        let branch = self.branches[usize::from(coarse)];
        let leaf = self.rows[branch.row as usize + usize::from(fine)];
        let leaf = branch.leaves + u32::from(leaf);
        if let Some(word) = self.words.get(leaf as usize) {
            prefetch(word);
        }
        Leaf(leaf)
    }

    /// The entry of a leaf for the last value of the same parity and what else is near.
    #[inline(always)]
    pub(super) fn entry(&self, Leaf(leaf): Leaf, last: u32, near: u32) -> Entry {
        let leaf = leaf as usize;
        let word = u32::from_le_bytes(self.words[leaf + last as usize]);
        let is_own = 0_u32.wrapping_sub(word >> near & 1);
        let nth = (word & ((2 << near) - 1)).count_ones() & is_own;
        let entry = 2 * leaf + ((word >> 24) + nth) as usize;
        Entry(u16::from_le_bytes(self.pairs[entry]))
    }
}

/// Takes those with numbers below `end` from the front.
fn split<'a>(entries: &mut &'a [(usize, Entry)], end: usize) -> &'a [(usize, Entry)] {
    let count = entries.partition_point(|&(number, _)| number < end);
    let (front, rest) = entries.split_at(count);
    *entries = rest;
    front
}

/// Lays entries over those of the layer below, by last value.
fn over(below: &mut [Entry; 4], entries: &[(usize, Entry)]) {
    for &(number, entry) in entries {
        below[number % 4] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some numbers below `end`, ascending, each with an entry.
    fn some(seed: &mut u32, end: usize, most: u32) -> Vec<(usize, Entry)> {
        let mut entries = Vec::new();
        let mut number = 0;
        loop {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number += 1 + (*seed >> 8) as usize % most as usize;
            if number >= end {
                return entries;
            }
            // The state one square lower is below 6.
            if number % NEAR < 96 {
                entries.push((number, Entry((*seed >> 18) as u16 % 6144)));
            }
        }
    }

    #[test]
    fn each_layer_lies_over_the_one_below() {
        let mut seed = 7;
        let places = KINDS * COARSE * FINE;
        let layers = [
            some(&mut seed, KINDS * 4, 3),
            some(&mut seed, KINDS * COARSE * 4, 9),
            some(&mut seed, places * NEAR, 900),
        ];
        let leaves = Leaves::new(&layers);
        let of = |layer: usize, number: usize| {
            let found = layers[layer].binary_search_by_key(&number, |it| it.0);
            found.ok().map(|at| layers[layer][at].1)
        };
        for place in (0..places).step_by(5) {
            let (coarse, fine) = (place / FINE, place % FINE);
            let tree = leaves.of(coarse / COARSE).expect("no blank model");
            let leaf = tree.leaf((coarse % COARSE) as u8, fine as u8);
            for near in 0..96 {
                let last = near % 4;
                let expected = of(2, place * NEAR + near)
                    .or(of(1, coarse * 4 + last))
                    .or(of(0, coarse / COARSE * 4 + last));
                let entry = tree.entry(leaf, last as u32, near as u32 / 4);
                assert_eq!(entry, expected.unwrap_or_default(), "{place} {near}");
            }
        }
    }
}
