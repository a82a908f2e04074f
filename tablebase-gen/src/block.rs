//! Solves one block: all positions with the same men, either side to move.
//!
//! Only kings move inside a block, so it is a closed system once captures and men's moves are
//! known from earlier blocks. For each side, rows over the opponent's kings hold what is certain
//! ([`Half`]); passes of king steps then alternate until nothing changes. Positions never won
//! nor lost by then are draws. Start reading at [`Solver::solve`].

use engine::board::{Bitboard, Square, steps};
use engine::tablebase::Force;

use crate::capture::{CROWNHEAD, Captures, FORWARD, Scene};
use crate::kernel::{Certain, Duel, DuelSide, Isa, StepPass};
use crate::kings::{CHUNK, KingSteps, Kings, Space};
use crate::lookup::Lookup;
use crate::pair::{Blocks, Side};

/// One side to move: a row for each placement of its kings, a bit for each of the opponent's.
#[derive(Default)]
struct Half {
    legal: Vec<u32>,
    /// Won at once, by a capture or a man's move.
    wins: Vec<u32>,
    /// Legal, and no capture: king steps count.
    quiet: Vec<u32>,
    /// Lost unless a king's step saves it.
    loses: Vec<u32>,
    won: Vec<u32>,
    lost: Vec<u32>,
    /// The legal placements of the opponent's kings beside the men.
    base: Vec<u32>,
    /// Words with changed results, by groups of 32 rows and by chunk.
    dirty: Vec<u32>,
    /// Changed rows of the other side's results, a bit each, chunk by chunk.
    changed: Vec<u64>,
    todo: Vec<u64>,
}

impl Half {
    fn clear(&mut self, space: Space) {
        let words = space.words();
        let planes = [
            &mut self.legal,
            &mut self.wins,
            &mut self.quiet,
            &mut self.loses,
            &mut self.won,
            &mut self.lost,
        ];
        for plane in planes {
            if plane.len() == words {
                plane.fill(0);
            } else {
                plane.clear();
                plane.resize(words, 0);
            }
        }
        let chunks = space.their.width.div_ceil(CHUNK);
        self.dirty.clear();
        self.dirty.resize(space.own.sets.div_ceil(32) * chunks, 0);
        self.changed.clear();
        let marks = space.own.sets.div_ceil(64);
        self.changed.resize(chunks * marks, u64::MAX);
    }

    /// Marks the legal placements: no king on a square of `men`, none on another king.
    fn fill_legal(&mut self, space: Space, men: Bitboard) {
        let Space { own, their } = space;
        if space.is_flat() {
            self.legal.copy_from_slice(&own.valid);
            clear_squares(&mut self.legal, own, men);
            return;
        }
        self.base.clear();
        self.base.extend_from_slice(&their.valid);
        clear_squares(&mut self.base, their, men.rotated());
        let rows = self.legal.chunks_exact_mut(their.width);
        for (row, &kings) in rows.zip(&own.placements) {
            if !kings.meets(men) {
                row.copy_from_slice(&self.base);
                clear_squares(row, their, kings.rotated());
            }
        }
    }
}

/// The planes that a block is solved into, for one side to move.
pub(crate) struct Target<'t> {
    pub(crate) lost: &'t mut [u32],
    pub(crate) open: &'t mut [u32],
}

impl<'t> Target<'t> {
    /// The two planes of a block, one after the other.
    pub(crate) fn of(planes: &'t mut [u32]) -> Self {
        let (lost, open) = planes.split_at_mut(planes.len() / 2);
        Self { lost, open }
    }
}

/// Who is told when positions are decided: the seam for distances.
///
/// A position's round is the number of king steps, by both sides together, before a capture or a
/// man's move settles it (or nobody has a move): 0 when its own side settles it at once. With
/// [`Watch::LEVELS`] every position is reported exactly once, at its own round, and the rounds of a
/// block never go back; draws are never reported. Values are the same either way. The planes
/// are those of the [`Target`] with `side` to move: word `at` of `lost` and of `open`, which
/// hold what was known before. Example: a table of rounds adds `round` at the bits reported.
pub(crate) trait Watch {
    /// Whether both sides advance by one round at a time. Otherwise the sides take turns, which
    /// needs half the work, and nothing is reported.
    const LEVELS: bool;

    /// The bits of `won` and `lost` at word `at` of the planes are decided in `round`.
    fn decided(&mut self, round: u32, side: Side, at: usize, won: u32, lost: u32);
}

/// Nobody is told.
impl Watch for () {
    const LEVELS: bool = false;

    fn decided(&mut self, _: u32, _: Side, _: usize, _: u32, _: u32) {}
}

/// Room to work in, used again for every block.
pub(crate) struct Solver {
    isa: Isa,
    halves: [Half; 2],
    captures: Captures,
    king_steps: KingSteps,
}

impl Solver {
    pub(crate) fn new(isa: Isa) -> Self {
        Self {
            isa,
            halves: Default::default(),
            captures: Captures::default(),
            king_steps: KingSteps::default(),
        }
    }

    /// Solves the block of `blocks` with these men into zeroed planes.
    pub(crate) fn solve(
        &mut self,
        blocks: &Blocks,
        men: [Bitboard; 2],
        lookup: &mut Lookup<'_>,
        mut out: [Target<'_>; 2],
        watch: &mut impl Watch,
    ) {
        let kings = blocks.forces.map(|force| force.kings);
        for side in [0, 1] {
            let scene = Scene {
                men: men[side],
                kings: kings[side],
                their_men: men[1 - side].rotated(),
                their_kings: kings[1 - side],
            };
            self.prepare(side, &scene, lookup);
        }
        let [first, second] = &mut out;
        match kings {
            [0, 0] => {
                self.finish_without_kings(0, first, watch);
                self.finish_without_kings(1, second, watch);
            }
            [0, _] => {
                self.finish_without_kings(0, first, watch);
                self.finish_against_men(1, kings[1], first, second, watch);
            }
            [_, 0] => {
                self.finish_without_kings(1, second, watch);
                self.finish_against_men(0, kings[0], second, first, watch);
            }
            _ => self.settle(kings, &mut out, watch),
        }
    }

    /// Fills what is certain for one side to move.
    fn prepare(&mut self, side: Side, scene: &Scene, lookup: &mut Lookup<'_>) {
        let space = Space::of(scene.kings, scene.their_kings);
        self.halves[side].clear(space);
        self.men_moves(side, scene, lookup);
        let captures = self.captures.of(self.isa, scene, lookup);
        let half = &mut self.halves[side];
        half.fill_legal(space, scene.men | scene.their_men);
        self.isa.combine(&mut Certain {
            legal: &half.legal,
            capture_wins: &captures.wins,
            capture_saves: &captures.saves,
            captures: &captures.any,
            quiet: &mut half.quiet,
            wins: &mut half.wins,
            loses: &mut half.loses,
        });
    }

    /// Adds what men's steps lead to: won in `wins`, not lost in `loses`.
    fn men_moves(&mut self, side: Side, scene: &Scene, lookup: &mut Lookup<'_>) {
        for from in scene.men {
            for direction in FORWARD {
                let to = steps::step(from.bit(), direction) - scene.men - scene.their_men;
                if let Some(to) = to.first() {
                    self.man_move(side, scene, lookup, from, to);
                }
            }
        }
    }

    fn man_move(
        &mut self,
        side: Side,
        scene: &Scene,
        lookup: &mut Lookup<'_>,
        from: Square,
        to: Square,
    ) {
        let space = Space::of(scene.kings, scene.their_kings);
        let crowns = CROWNHEAD.contains(to);
        let men = scene.men - from.bit();
        let (men, kings) = if crowns {
            (men, scene.kings + 1)
        } else {
            (men | to.bit(), scene.kings)
        };
        let force = Force {
            men: men.len(),
            kings,
        };
        let their = Force {
            men: scene.their_men.len(),
            kings: scene.their_kings,
        };
        let planes = lookup.find((force, men), (their, scene.their_men));
        let half = &mut self.halves[side];
        for (into, from) in [
            (&mut half.wins, planes.lost),
            (&mut half.loses, planes.open),
        ] {
            if !crowns {
                self.isa.or_into(into, from);
            } else if space.is_flat() {
                let keep = Kings::of(kings).holds(to);
                self.isa.expand(into, space.own.lacks(to), from, keep);
            } else {
                let (places, rows) = (space.own.without(to), Kings::of(kings).with(to));
                self.isa
                    .or_rows(into, places, from, rows, space.their.width);
            }
        }
    }

    /// A side without kings has nothing more to decide.
    fn finish_without_kings(&self, side: Side, out: &mut Target<'_>, watch: &mut impl Watch) {
        let half = &self.halves[side];
        out.lost.copy_from_slice(&half.loses);
        for (at, (legal, wins)) in half.legal.iter().zip(&half.wins).enumerate() {
            watch.decided(0, side, at, legal & wins, half.loses[at]);
            out.open[at] = legal & !wins;
        }
    }

    /// Kings against men: every move of the men is final, so one pass of king steps is enough.
    fn finish_against_men<W: Watch>(
        &mut self,
        side: Side,
        kings: u32,
        theirs: &Target<'_>,
        out: &mut Target<'_>,
        watch: &mut W,
    ) {
        let half = &mut self.halves[side];
        self.king_steps
            .reach(self.isa, kings, theirs.lost, &mut half.won);
        self.king_steps
            .reach(self.isa, kings, theirs.open, &mut half.lost);
        for (at, &legal) in half.legal.iter().enumerate() {
            let (wins, loses, quiet) = (half.wins[at], half.loses[at], half.quiet[at]);
            out.open[at] = legal & !(wins | (quiet & half.won[at]));
            out.lost[at] = loses & !(quiet & half.lost[at]);
        }
        if W::LEVELS {
            self.report_against_men(side, kings, out, watch);
        }
    }

    fn report_against_men(
        &mut self,
        side: Side,
        kings: u32,
        out: &Target<'_>,
        watch: &mut impl Watch,
    ) {
        let half = &mut self.halves[side];
        half.lost.fill(0);
        self.king_steps
            .reach(self.isa, kings, &half.legal, &mut half.lost);
        let now = |at: usize| {
            [
                half.wins[at],
                out.lost[at] & !(half.quiet[at] & half.lost[at]),
            ]
        };
        for at in 0..half.legal.len() {
            let [won, lost] = now(at);
            watch.decided(0, side, at, won, lost);
        }
        for at in 0..half.legal.len() {
            let [won, lost] = now(at);
            let all = half.legal[at] & !out.open[at];
            watch.decided(1, side, at, all & !won, out.lost[at] & !lost);
        }
    }

    /// Passes of king steps until nothing changes.
    fn settle<W: Watch>(&mut self, kings: [u32; 2], out: &mut [Target<'_>; 2], watch: &mut W) {
        if kings == [1, 1] && !W::LEVELS {
            return self.settle_duel(out);
        }
        for side in [0, 1] {
            out[side].open.copy_from_slice(&self.halves[1 - side].legal);
        }
        let rounds = if W::LEVELS {
            Self::settle_by_levels
        } else {
            Self::settle_by_turns
        };
        rounds(self, kings, out, watch);
    }

    /// One king a side: everything in rows over A's king, which saves turning results.
    fn settle_duel(&mut self, out: &mut [Target<'_>; 2]) {
        let row = |plane: &[u32]| *plane.first_chunk::<32>().expect("a row for each square");
        let turn = |plane: [u32; 32]| {
            let mut plane = plane;
            self.isa.transpose(&mut plane);
            plane
        };
        let own = Kings::of(1);
        let side = |half: &Half, turn: &dyn Fn([u32; 32]) -> [u32; 32]| DuelSide {
            wins: turn(row(&half.wins)),
            quiet: turn(row(&half.quiet)),
            loses: turn(row(&half.loses)),
            ..DuelSide::default()
        };
        let [a, b] = &self.halves;
        let mut duel = Duel {
            legal: row(&a.legal),
            sides: [side(a, &|plane| plane), side(b, &turn)],
            near: &own.steps,
            starts: &own.starts,
        };
        self.isa.duel(&mut duel);
        let [a, b] = duel.sides;
        out[0].lost.copy_from_slice(&turn(a.lost));
        out[0].open.copy_from_slice(&turn(a.open));
        out[1].lost.copy_from_slice(&b.lost);
        out[1].open.copy_from_slice(&b.open);
    }

    /// The sides take turns; each sees what the other has just found.
    fn settle_by_turns<W: Watch>(
        &mut self,
        kings: [u32; 2],
        out: &mut [Target<'_>; 2],
        watch: &mut W,
    ) {
        let (mut side, mut idle) = (0, 0);
        while idle < 2 {
            let changed = self.pass(side, kings, out);
            if changed {
                self.publish(side, kings, &mut out[side], 0, watch);
            }
            idle = if changed { 0 } else { idle + 1 };
            side = 1 - side;
        }
    }

    /// Both sides see what was known after the round before.
    fn settle_by_levels<W: Watch>(
        &mut self,
        kings: [u32; 2],
        out: &mut [Target<'_>; 2],
        watch: &mut W,
    ) {
        for round in 0.. {
            let changed = [0, 1].map(|side| self.pass(side, kings, out));
            for side in [0, 1] {
                self.publish(side, kings, &mut out[side], round, watch);
            }
            if changed == [false; 2] {
                break;
            }
        }
    }
    /// One pass for one side; true if it changed anything.
    fn pass(&mut self, side: Side, kings: [u32; 2], out: &mut [Target<'_>; 2]) -> bool {
        let (own, their) = (Kings::of(kings[side]), Kings::of(kings[1 - side]));
        let half = &mut self.halves[side];
        let changed = self.isa.step(&mut StepPass {
            width: their.width,
            steps: &own.steps,
            starts: &own.starts,
            changed: &half.changed,
            todo: &mut half.todo,
            their_lost: out[1 - side].lost,
            their_open: out[1 - side].open,
            wins: &half.wins,
            quiet: &half.quiet,
            loses: &half.loses,
            won: &mut half.won,
            lost: &mut half.lost,
            dirty: &mut half.dirty,
        });
        half.changed.fill(0);
        changed
    }

    /// Copies changed results of one side, turned, to where the other side's passes read them.
    fn publish(
        &mut self,
        side: Side,
        kings: [u32; 2],
        out: &mut Target<'_>,
        round: u32,
        watch: &mut impl Watch,
    ) {
        let (own, their) = (Kings::of(kings[side]), Kings::of(kings[1 - side]));
        let [first, second] = &mut self.halves;
        let (half, other) = if side == 0 {
            (first, second)
        } else {
            (second, first)
        };
        let chunks = their.width.div_ceil(CHUNK);
        let chunk_words = their.width / chunks;
        let marks = their.sets.div_ceil(64);
        for (place, dirty) in half.dirty.iter_mut().enumerate() {
            let (group, chunk) = (place / chunks, place % chunks);
            let mut words = std::mem::take(dirty);
            while words != 0 {
                let word = chunk * chunk_words + words.trailing_zeros() as usize;
                words &= words - 1;
                let won = turned(self.isa, &half.won, group, word, own, their);
                let lost = turned(self.isa, &half.lost, group, word, own, their);
                for (i, (won, lost)) in won.into_iter().zip(lost).enumerate() {
                    let row = 32 * word + i;
                    if won | lost == 0 {
                        continue;
                    }
                    let at = row * own.width + group;
                    let new = [out.open[at] & won, lost & !out.lost[at]];
                    if new != [0; 2] {
                        watch.decided(round, side, at, new[0], new[1]);
                        out.open[at] &= !won;
                        out.lost[at] |= lost;
                        other.changed[group / CHUNK * marks + row / 64] |= 1 << (row % 64);
                    }
                }
            }
        }
    }
}

/// Clears the placements that cover any of `squares`, as the owner of the kings sees them.
#[inline]
fn clear_squares(row: &mut [u32], kings: &Kings, squares: Bitboard) {
    for square in squares {
        for (word, kept) in row.iter_mut().zip(kings.lacks(square)) {
            *word &= kept;
        }
    }
}

/// The tile at 32 rows and one word of a plane, with rows and bits exchanged.
fn turned(
    isa: Isa,
    plane: &[u32],
    group: usize,
    word: usize,
    own: &Kings,
    their: &Kings,
) -> [u32; 32] {
    let mut tile = [0; 32];
    let rows = own.sets.min(32 * group + 32) - 32 * group;
    let mut any = 0;
    for (i, tile) in tile.iter_mut().enumerate().take(rows) {
        *tile = plane[(32 * group + i) * their.width + word];
        any |= *tile;
    }
    if any != 0 {
        isa.transpose(&mut tile);
    }
    tile
}

#[cfg(test)]
mod tests {
    use engine::tablebase::{Slice, index::MenIndex};

    use super::*;
    use crate::build::{pairs, solve_pair};
    use crate::pair::{Pair, Planes, Store};

    /// Adds up what is reported, and checks that nothing is reported twice or out of turn.
    struct Tally {
        last: u32,
        seen: [[Vec<u32>; 2]; 2],
    }

    impl Watch for Tally {
        const LEVELS: bool = true;

        fn decided(&mut self, round: u32, side: Side, at: usize, won: u32, lost: u32) {
            assert!(round >= self.last);
            self.last = round;
            for (seen, bits) in self.seen[side].iter_mut().zip([won, lost]) {
                assert_eq!(seen[at] & bits, 0);
                seen[at] |= bits;
            }
        }
    }

    /// Level by level the values are the same, and what is reported is all that is decided.
    fn check_levels(store: &Store, pair: &Pair) {
        let ones = |plane: &[u32]| {
            plane
                .iter()
                .map(|word| u64::from(word.count_ones()))
                .sum::<u64>()
        };
        let mut positions = 0;
        let blocks = &pair.blocks;
        let words = [0, 1].map(|mover| blocks.plane_words(mover));
        let mut solver = Solver::new(Isa::detect());
        for place in 0..blocks.len() {
            let done = [0, 1].map(|side| &pair.tables[side][..]);
            let mut lookup = Lookup::new(store, blocks, done);
            let mut out = words.map(|words| vec![0; 2 * words]);
            let mut tally = Tally {
                last: 0,
                seen: words.map(|words| [vec![0; words], vec![0; words]]),
            };
            let targets = out.each_mut().map(|planes| Target::of(planes));
            solver.solve(blocks, blocks.men(place), &mut lookup, targets, &mut tally);
            for side in [0, 1] {
                let (lost, open) = out[side].split_at(words[side]);
                let planes = Planes::of(blocks, &pair.tables[side], place, side);
                assert!(lost == planes.lost && open == planes.open);
                let [won_seen, lost_seen] = &tally.seen[side];
                assert!(lost_seen == lost);
                assert!(won_seen.iter().zip(open).all(|(won, open)| won & open == 0));
                positions += ones(won_seen) + ones(open);
            }
        }
        assert_eq!(positions, expected(pair));
    }

    /// Positions in the stored blocks: of a symmetric pair only half of those with unlike men.
    fn expected(pair: &Pair) -> u64 {
        let [a, b] = pair.blocks.forces;
        let both = 2 * Slice { own: a, their: b }.positions();
        if !pair.blocks.is_symmetric() {
            return both;
        }
        let twice = (0..pair.blocks.len()).filter(|&place| {
            let [a, b] = pair.blocks.men(place);
            a == b
        });
        let block = both / u64::from(MenIndex::new(a.men, b.men).len());
        (both + twice.count() as u64 * block) / 2
    }

    #[test]
    fn levels_report_each_decided_position_once() {
        let mut store = Store::default();
        for pieces in 2..=4 {
            for forces in pairs(pieces, 4) {
                let pair = solve_pair(Isa::detect(), &mut store, forces);
                check_levels(&store, &pair);
                store.insert(pair);
            }
        }
    }
}
