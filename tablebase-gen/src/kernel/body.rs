//! The loops themselves, once, in plain Rust: `kernel` compiles them for each instruction set.

pub(super) use super::lone::{king_landed, lone_row};
use super::{Certain, Duel, DuelSide, StepPass};
use crate::kings::{CHUNK, neighbours};

/// Gathering and scattering of selected bits, the one operation that has no plain form.
pub(super) trait Bits {
    fn extract(word: u32, mask: u32) -> u32;
    fn deposit(word: u32, mask: u32) -> u32;
}

pub(super) struct Plain;

impl Bits for Plain {
    #[inline(always)]
    fn extract(word: u32, mut mask: u32) -> u32 {
        let (mut found, mut bit) = (0, 0);
        while mask != 0 {
            found |= ((word >> mask.trailing_zeros()) & 1) << bit;
            bit += 1;
            mask &= mask - 1;
        }
        found
    }

    #[inline(always)]
    fn deposit(mut word: u32, mut mask: u32) -> u32 {
        let mut found = 0;
        while mask != 0 {
            if word & 1 != 0 {
                found |= mask & mask.wrapping_neg();
            }
            word >>= 1;
            mask &= mask - 1;
        }
        found
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) struct Bmi2;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "two instructions without a plain form")]
impl Bits for Bmi2 {
    #[inline(always)]
    fn extract(word: u32, mask: u32) -> u32 {
        // SAFETY: this type is named only inside functions compiled for BMI2. The gain over
        // `Plain` is twentyfold for a full word.
        unsafe { std::arch::x86_64::_pext_u32(word, mask) }
    }

    #[inline(always)]
    fn deposit(word: u32, mask: u32) -> u32 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_pdep_u32(word, mask) }
    }
}

#[inline(always)]
pub(super) fn or_into<B: Bits>(into: &mut [u32], from: &[u32]) {
    for (into, &from) in into.iter_mut().zip(from) {
        *into |= from;
    }
}

#[inline(always)]
pub(super) fn combine<B: Bits>(certain: &mut Certain<'_>) {
    let results = certain.quiet.iter_mut().zip(&mut *certain.wins);
    let results = results.zip(&mut *certain.loses).zip(certain.legal);
    let captures = certain.capture_wins.iter().zip(certain.capture_saves);
    let captures = captures.zip(certain.captures);
    for ((((quiet, wins), loses), &legal), ((&win, &save), &any)) in results.zip(captures) {
        *quiet = legal & !any;
        *wins = (*wins & *quiet) | (win & legal);
        *loses = legal & !((*loses & *quiet) | save);
    }
}

#[inline(always)]
pub(super) fn duel<B: Bits>(duel: &mut Duel) {
    let [a, b] = &mut duel.sides;
    for side in [&mut *a, &mut *b] {
        side.open = duel.legal;
    }
    loop {
        let rows = |plane: &[u32; 32]| by_rows(plane, duel.near, duel.starts);
        let changed = refine(a, &duel.legal, rows(&b.lost), rows(&b.open));
        if !refine(b, &duel.legal, by_bits(&a.lost), by_bits(&a.open)) && !changed {
            break;
        }
    }
}

/// The union of the rows next to each row.
#[inline(always)]
fn by_rows(plane: &[u32; 32], near: &[u32], starts: &[u32]) -> [u32; 32] {
    std::array::from_fn(|row| {
        near[starts[row] as usize..starts[row + 1] as usize]
            .iter()
            .fold(0, |all, &next| all | plane[(next & 31) as usize])
    })
}

#[inline(always)]
fn by_bits(plane: &[u32; 32]) -> [u32; 32] {
    plane.map(neighbours)
}

/// Where the sets {s, r} with r < s begin in a row over two kings: their ranks follow each other.
const fn pairs_of(s: usize) -> usize {
    s * (s - 1) / 2
}

#[inline(always)]
pub(super) fn reach_pairs<B: Bits>(into: &mut [u32], from: &[u32], near: &[u32], starts: &[u32]) {
    // A square matrix of both kings: symmetric, nothing on the diagonal.
    let mut below = [0; 32];
    for (s, row) in below.iter_mut().enumerate().skip(1) {
        let at = pairs_of(s);
        let words = u64::from(from[at / 32]) | u64::from(from[at / 32 + 1]) << 32;
        *row = (words >> (at % 32)) as u32 & ((1 << s) - 1);
    }
    let mut matrix = below;
    transpose::<B>(&mut matrix);
    for (row, below) in matrix.iter_mut().zip(below) {
        *row |= below;
    }
    let (one, other) = (by_rows(&matrix, near, starts), by_bits(&matrix));
    for s in 1..32 {
        let at = pairs_of(s);
        let bits = u64::from((one[s] | other[s]) & ((1 << s) - 1)) << (at % 32);
        into[at / 32] |= bits as u32;
        into[at / 32 + 1] |= (bits >> 32) as u32;
    }
}

/// Takes in what king steps lead to; true if anything has changed.
#[inline(always)]
fn refine(side: &mut DuelSide, legal: &[u32; 32], lost: [u32; 32], open: [u32; 32]) -> bool {
    let mut change = 0;
    for i in 0..32 {
        let quiet = side.quiet[i];
        let new_lost = side.loses[i] & !(quiet & open[i]);
        let new_open = legal[i] & !(side.wins[i] | (quiet & lost[i]));
        change |= (new_lost ^ side.lost[i]) | (new_open ^ side.open[i]);
        side.lost[i] = new_lost;
        side.open[i] = new_open;
    }
    change != 0
}

#[inline(always)]
pub(super) fn extract<B: Bits>(word: u32, mask: u32) -> u32 {
    B::extract(word, mask)
}

#[inline(always)]
pub(super) fn step<B: Bits>(pass: &mut StepPass<'_>) -> bool {
    if pass.width == 1 {
        step_chunks::<1>(pass)
    } else {
        step_chunks::<CHUNK>(pass)
    }
}

/// Chunks outermost: the rows of one chunk stay in the cache while steps lead to and fro.
#[inline(always)]
fn step_chunks<const N: usize>(pass: &mut StepPass<'_>) -> bool {
    let (chunks, rows) = (pass.width / N, pass.starts.len() - 1);
    let mut any = false;
    let changed = pass.changed;
    for (chunk, changed) in changed.chunks_exact(rows.div_ceil(64)).enumerate() {
        let marks: u32 = changed.iter().map(|word| word.count_ones()).sum();
        if marks == 0 {
            continue;
        }
        let mut visit = |pass: &mut StepPass<'_>, row: usize| {
            let words = step_row::<N>(pass, row, chunk);
            if words != 0 {
                pass.dirty[row / 32 * chunks + chunk] |= words;
                any = true;
            }
        };
        // Each change concerns the rows a step away, which are about twelve at most.
        if marks as usize * 6 > rows {
            (0..rows).for_each(|row| visit(pass, row));
        } else {
            mark_near(pass, changed);
            for word in 0..pass.todo.len() {
                ones(pass.todo[word], |bit| visit(pass, 64 * word + bit));
            }
        }
    }
    any
}

/// Marks in `todo` the rows one step away from the changed ones.
#[inline(always)]
fn mark_near(pass: &mut StepPass<'_>, changed: &[u64]) {
    pass.todo.clear();
    pass.todo.resize(changed.len(), 0);
    for (word, &bits) in changed.iter().enumerate() {
        ones(bits, |bit| {
            let row = 64 * word + bit;
            let (from, to) = (pass.starts[row] as usize, pass.starts[row + 1] as usize);
            for &near in &pass.steps[from..to] {
                pass.todo[near as usize / 64] |= 1 << (near % 64);
            }
        });
    }
}

/// Calls `visit` with the place of each bit that is set.
#[inline(always)]
fn ones(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[inline(always)]
fn chunk_at<const N: usize>(plane: &[u32], at: usize) -> &[u32; N] {
    plane[at..].first_chunk().expect("rows are whole chunks")
}

#[inline(always)]
fn step_row<const N: usize>(pass: &mut StepPass<'_>, row: usize, chunk: usize) -> u32 {
    let at = row * pass.width + chunk * N;
    let quiet = chunk_at::<N>(pass.quiet, at);
    let (mut lost, mut open) = ([0; N], [0; N]);
    let (from, to) = (pass.starts[row] as usize, pass.starts[row + 1] as usize);
    for &next in &pass.steps[from..to] {
        let next = next as usize * pass.width + chunk * N;
        let their_lost = chunk_at::<N>(pass.their_lost, next);
        let their_open = chunk_at::<N>(pass.their_open, next);
        for i in 0..N {
            lost[i] |= their_lost[i];
            open[i] |= their_open[i];
        }
    }
    let wins = chunk_at::<N>(pass.wins, at);
    let loses = chunk_at::<N>(pass.loses, at);
    let won_now: &mut [u32; N] = pass.won[at..].first_chunk_mut().expect("whole chunks");
    let lost_now: &mut [u32; N] = pass.lost[at..].first_chunk_mut().expect("whole chunks");
    let (mut change, mut any) = ([0; N], 0);
    for i in 0..N {
        let won = wins[i] | (quiet[i] & lost[i]);
        let lose = loses[i] & !(quiet[i] & open[i]);
        change[i] = (won ^ won_now[i]) | (lose ^ lost_now[i]);
        any |= change[i];
        won_now[i] = won;
        lost_now[i] = lose;
    }
    if any == 0 {
        return 0;
    }
    (0..N).fold(0, |words, i| words | u32::from(change[i] != 0) << i)
}

#[inline(always)]
pub(super) fn transpose<B: Bits>(tile: &mut [u32; 32]) {
    stage::<16>(tile, 0x0000_FFFF);
    stage::<8>(tile, 0x00FF_00FF);
    stage::<4>(tile, 0x0F0F_0F0F);
    stage::<2>(tile, 0x3333_3333);
    stage::<1>(tile, 0x5555_5555);
}

/// Exchanges the off-diagonal quarters of all squares of 2 S bits.
#[inline(always)]
fn stage<const S: usize>(tile: &mut [u32; 32], low: u32) {
    for block in (0..32).step_by(2 * S) {
        for i in block..block + S {
            let swap = ((tile[i] >> S) ^ tile[i + S]) & low;
            tile[i] ^= swap << S;
            tile[i + S] ^= swap;
        }
    }
}

#[inline(always)]
pub(super) fn gather<B: Bits>(
    into: &mut [u64],
    mut at: usize,
    source: &[u32],
    mask: &[u32],
) -> usize {
    for (&word, &mask) in source.iter().zip(mask) {
        let found = u128::from(B::extract(word, mask)) << (at % 64);
        into[at / 64] |= found as u64;
        if found >> 64 != 0 {
            into[at / 64 + 1] |= (found >> 64) as u64;
        }
        at += mask.count_ones() as usize;
    }
    at
}

#[inline(always)]
pub(super) fn expand<B: Bits>(into: &mut [u32], mask: &[u32], source: &[u32], keep: &[u32]) {
    let words = source.iter().zip(keep).map(|(&word, &keep)| (word, keep));
    distribute::<B>(into, mask, words);
}

/// Deposits in `mask` what is kept of the words.
#[inline(always)]
fn distribute<B: Bits>(
    into: &mut [u32],
    mask: &[u32],
    mut words: impl Iterator<Item = (u32, u32)>,
) {
    let (mut buffer, mut have) = (0_u64, 0);
    for (into, &mask) in into.iter_mut().zip(mask) {
        let need = mask.count_ones();
        while have < need {
            let Some((word, keep)) = words.next() else {
                break;
            };
            buffer |= u64::from(B::extract(word, keep)) << have;
            have += keep.count_ones();
        }
        *into |= B::deposit(buffer as u32, mask);
        buffer >>= need;
        have = have.saturating_sub(need);
    }
}

#[inline(always)]
pub(super) fn expand_rows<B: Bits>(
    into: &mut [u32],
    places: &[u32],
    from: &[u32],
    rows: &[u32],
    mask: &[u32],
    keep: [&[u32]; 2],
) {
    let (width, from_width) = (mask.len(), keep[0].len());
    for (&place, &row) in places.iter().zip(rows) {
        let into = &mut into[place as usize * width..][..width];
        let from = &from[row as usize * from_width..][..from_width];
        let words = from.iter().zip(keep[0]).zip(keep[1]);
        let words = words.map(|((&word, &keep), &also)| (word & also, keep));
        distribute::<B>(into, mask, words);
    }
}

/// Calls `join` with each chunk of `N` words of rows `places` of `into`, the same chunk of
/// rows `rows` of `from`, and its place in both.
#[inline(always)]
fn each_chunk<const N: usize>(
    (into, places): (&mut [u32], &[u32]),
    (from, rows): (&[u32], &[u32]),
    width: usize,
    join: impl Fn(&mut [u32; N], &[u32; N], usize, usize),
) {
    for (&place, &row) in places.iter().zip(rows) {
        let (place, row) = (place as usize * width, row as usize * width);
        for at in (0..width).step_by(N) {
            let into: &mut [u32; N] = into[place + at..].first_chunk_mut().expect("whole chunks");
            join(into, chunk_at::<N>(from, row + at), place + at, at);
        }
    }
}

#[inline(always)]
pub(super) fn or_rows<B: Bits>(
    into: &mut [u32],
    places: &[u32],
    from: &[u32],
    rows: &[u32],
    width: usize,
) {
    if width == 1 {
        each_chunk::<1>((into, places), (from, rows), 1, |into, from, _, _| {
            into[0] |= from[0];
        });
    } else {
        each_chunk::<CHUNK>((into, places), (from, rows), width, |into, from, _, _| {
            for i in 0..CHUNK {
                into[i] |= from[i];
            }
        });
    }
}

#[inline(always)]
pub(super) fn or_kept<B: Bits>(
    into: &mut [u32],
    places: &[u32],
    from: &[u32],
    rows: &[u32],
    keep: &[u32],
) {
    let width = keep.len();
    if let &[keep] = keep {
        each_chunk::<1>((into, places), (from, rows), 1, |into, from, _, _| {
            into[0] |= from[0] & keep;
        });
    } else {
        each_chunk::<CHUNK>((into, places), (from, rows), width, |into, from, _, at| {
            let keep = chunk_at::<CHUNK>(keep, at);
            for i in 0..CHUNK {
                into[i] |= from[i] & keep[i];
            }
        });
    }
}

#[inline(always)]
pub(super) fn or_rest<B: Bits>(
    into: &mut [u32],
    places: &[u32],
    from: &[u32],
    rows: &[u32],
    (except, width): (&[u32], usize),
) {
    if width == 1 {
        each_chunk::<1>((into, places), (from, rows), 1, |into, from, place, _| {
            into[0] |= from[0] & !except[place];
        });
    } else {
        each_chunk::<CHUNK>(
            (into, places),
            (from, rows),
            width,
            |into, from, place, _| {
                let except = chunk_at::<CHUNK>(except, place);
                for i in 0..CHUNK {
                    into[i] |= from[i] & !except[i];
                }
            },
        );
    }
}

#[inline(always)]
pub(super) fn set_rows<B: Bits>(into: &mut [u32], places: &[u32], mask: &[u32], keep: &[u32]) {
    let width = mask.len();
    for &place in places {
        let into = &mut into[place as usize * width..][..width];
        for ((into, &mask), &keep) in into.iter_mut().zip(mask).zip(keep) {
            *into |= mask & keep;
        }
    }
}

#[inline(always)]
pub(super) fn or_column<B: Bits>(into: &mut [u32], places: &[u32], from: &[u32], column: u32) {
    for &place in places {
        let bit = from[(place / 32) as usize] >> (place % 32) & 1;
        into[place as usize] |= bit << column;
    }
}
