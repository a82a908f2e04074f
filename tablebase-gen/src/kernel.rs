//! The loops that the time goes into, compiled for each instruction set and chosen at run time.
//!
//! Every loop is written once, in plain Rust (modules `body` and `lone`); the only unsafe code of
//! the crate is here, where a copy compiled for AVX2 or AVX-512 is called after the processor was
//! asked. Results are the same bit for bit. Knows rows of bits and words of squares, not where they
//! come from.

mod body;
mod lone;

use std::fmt;

use engine::board::Bitboard;
use engine::tablebase::index;

pub(crate) use lone::{KingTakes, LoneRow, Value, both, value};

/// Placements of men that the loops over a lone king's squares take at once.
pub(crate) const LANES: usize = 16;

/// An instruction set that this processor has. Values other than `Portable` come only from
/// [`Isa::detect`] and [`Isa::available`], which ask the processor: the calls below rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
        })
    }
}

impl Isa {
    /// Plain code that runs everywhere.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// The fastest one that this processor has.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self::PORTABLE)
    }

    /// All that this processor has, slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "other architectures have one entry")]
        let mut found = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            let bits = is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt");
            if bits && is_x86_feature_detected!("avx2") {
                found.push(Self(Level::Avx2));
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    found.push(Self(Level::Avx512));
                }
            }
        }
        found
    }
}

impl Isa {
    /// As [`index::squeeze`], in one instruction where there is one.
    #[inline]
    pub(crate) fn squeeze(self, set: Bitboard, taken: Bitboard) -> Bitboard {
        if self == Self::PORTABLE {
            index::squeeze(set, taken)
        } else {
            Bitboard(self.extract(set.0, !taken.0))
        }
    }
}

/// One pass of king steps over all rows of a block: what it reads, and what it refines.
///
/// Rows are placements of the mover's kings, bits those of the opponent's. A position is won if
/// a step leads to a lost one, and not lost if a step leads to one that is not won.
pub(crate) struct StepPass<'a> {
    /// Words in a row: 1 or a multiple of 16.
    pub(crate) width: usize,
    /// The ranks one step away, as in `Kings`.
    pub(crate) steps: &'a [u32],
    pub(crate) starts: &'a [u32],
    /// A bit for each of the opponent's rows, chunk by chunk: it has changed there.
    pub(crate) changed: &'a [u64],
    /// Room for the rows to look at.
    pub(crate) todo: &'a mut Vec<u64>,
    /// The opponent to move: lost, and legal but not won.
    pub(crate) their_lost: &'a [u32],
    pub(crate) their_open: &'a [u32],
    /// Per position: won at once; king steps count; lost unless a king step saves it.
    pub(crate) wins: &'a [u32],
    pub(crate) quiet: &'a [u32],
    pub(crate) loses: &'a [u32],
    /// The result, refined in place.
    pub(crate) won: &'a mut [u32],
    pub(crate) lost: &'a mut [u32],
    /// For each (group of 32 rows, chunk) the words in which the result has changed.
    pub(crate) dirty: &'a mut [u32],
}

/// What captures and men's moves decide, to be joined; planes of equal length.
pub(crate) struct Certain<'a> {
    pub(crate) legal: &'a [u32],
    /// Some capture wins; some capture does not lose; there is a capture.
    pub(crate) capture_wins: &'a [u32],
    pub(crate) capture_saves: &'a [u32],
    pub(crate) captures: &'a [u32],
    /// Result: legal, and no capture.
    pub(crate) quiet: &'a mut [u32],
    /// Some man's move wins; then: won at once.
    pub(crate) wins: &'a mut [u32],
    /// Some man's move does not lose; then: lost unless a king's step saves it.
    pub(crate) loses: &'a mut [u32],
}

/// One side of a block with one king a side; rows are the squares of A's king, bits those of
/// B's, whichever side is to move.
#[derive(Clone, Default)]
pub(crate) struct DuelSide {
    /// As in [`StepPass`].
    pub(crate) wins: [u32; 32],
    pub(crate) quiet: [u32; 32],
    pub(crate) loses: [u32; 32],
    /// The result: lost, and legal but not won.
    pub(crate) lost: [u32; 32],
    pub(crate) open: [u32; 32],
}

/// A block with one king a side, A's first.
#[derive(Clone, Default)]
pub(crate) struct Duel {
    pub(crate) legal: [u32; 32],
    pub(crate) sides: [DuelSide; 2],
    /// The squares next to each square: those of square `s` are `near[starts[s]..starts[s + 1]]`.
    pub(crate) near: &'static [u32],
    pub(crate) starts: &'static [u32],
}

macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?) => {
        impl Isa {
            $(#[$doc])*
            #[inline]
            pub(crate) fn $name(self, $($arg: $type),*) $(-> $result)? {
                #[cfg(target_arch = "x86_64")]
                #[allow(unsafe_code, reason = "calls code compiled for a detected instruction set")]
                {
                    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
                    fn avx2($($arg: $type),*) $(-> $result)? {
                        body::$name::<body::Bmi2>($($arg),*)
                    }
                    #[target_feature(
                        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt"
                    )]
                    fn avx512($($arg: $type),*) $(-> $result)? {
                        body::$name::<body::Bmi2>($($arg),*)
                    }
                    match self.0 {
                        // SAFETY: the level says that the processor has the features; it cannot
                        // be made otherwise.
                        Level::Avx512 => return unsafe { avx512($($arg),*) },
                        // SAFETY: as above.
                        Level::Avx2 => return unsafe { avx2($($arg),*) },
                        Level::Portable => {}
                    }
                }
                body::$name::<body::Plain>($($arg),*)
            }
        }
    };
}

dispatch! {
    /// `into |= from`, word by word.
    or_into(into: &mut [u32], from: &[u32])
}
dispatch! {
    /// The bits of `word` that `mask` selects, moved together.
    extract(word: u32, mask: u32) -> u32
}
dispatch! {
    /// Runs `pass`; true if anything has changed.
    step(pass: &mut StepPass<'_>) -> bool
}
dispatch! {
    /// Joins captures and men's moves.
    combine(certain: &mut Certain<'_>)
}
dispatch! {
    /// Steps of both kings, the sides in turn, until nothing changes.
    duel(duel: &mut Duel)
}
dispatch! {
    /// Adds to the row `into` over two kings the placements from which a step leads to one in
    /// `from`; `near` and `starts` as in [`Duel`].
    reach_pairs(into: &mut [u32], from: &[u32], near: &[u32], starts: &[u32])
}
dispatch! {
    /// Turns a tile of 32 words by 32 bits: bit `c` of word `r` becomes bit `r` of word `c`.
    transpose(tile: &mut [u32; 32])
}
dispatch! {
    /// Distributes the bits of `source` selected by `keep` over the bits set in `mask`, in
    /// order, and adds them to `into`.
    expand(into: &mut [u32], mask: &[u32], source: &[u32], keep: &[u32])
}
dispatch! {
    /// Adds row `rows[n]` of `from` to row `places[n]` of `into`, for all `n`.
    or_rows(into: &mut [u32], places: &[u32], from: &[u32], rows: &[u32], width: usize)
}
dispatch! {
    /// As `or_rows`, but only the bits in `keep`, which is a row wide.
    or_kept(into: &mut [u32], places: &[u32], from: &[u32], rows: &[u32], keep: &[u32])
}
dispatch! {
    /// As `or_rows`, but only the bits that `except` (planes like `into`, their width) lacks.
    or_rest(into: &mut [u32], places: &[u32], from: &[u32], rows: &[u32], except: (&[u32], usize))
}
dispatch! {
    /// Sets the bits that both `mask` and `keep` have in the rows `places` of `into`.
    set_rows(into: &mut [u32], places: &[u32], mask: &[u32], keep: &[u32])
}
dispatch! {
    /// Rows are words: adds bit `place` of `from` as bit `column` to each of the rows `places`.
    or_column(into: &mut [u32], places: &[u32], from: &[u32], column: u32)
}
dispatch! {
    /// For all `n`: distributes the bits of row `rows[n]` of `from` that are selected by the first
    /// `keep` over the bits set in `mask`, leaving out those that the second `keep` lacks, and adds
    /// them to row `places[n]` of `into`. Rows are as wide as the masks for them.
    expand_rows(
        into: &mut [u32],
        places: &[u32],
        from: &[u32],
        rows: &[u32],
        mask: &[u32],
        keep: [&[u32]; 2]
    )
}
dispatch! {
    /// Adds captures to what it is worth that a lone king has just landed.
    king_landed(takes: &mut KingTakes<'_>)
}
dispatch! {
    /// Solves all placements of men beside one placement of a lone king's men.
    lone_row(row: &mut LoneRow<'_>)
}
dispatch! {
    /// Appends the bits of `source` that `mask` selects, in order, to the first `at` bits of
    /// `into`, which is zero beyond them; how many bits there are then.
    gather(into: &mut [u64], at: usize, source: &[u32], mask: &[u32]) -> usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(count: usize, mut seed: u64) -> Vec<u32> {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 32) as u32
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn transposing_moves_each_bit_across_the_diagonal() {
        for isa in Isa::available() {
            let before: [u32; 32] = noise(32, 7).try_into().expect("32 words");
            let mut after = before;
            isa.transpose(&mut after);
            for (row, word) in before.iter().enumerate() {
                for (column, turned) in after.iter().enumerate() {
                    assert_eq!((word >> column) & 1, (turned >> row) & 1, "{isa}");
                }
            }
        }
    }

    #[test]
    fn gathering_is_the_same_on_all_instruction_sets() {
        let (source, mask) = (noise(40, 4), noise(40, 5));
        let mut expected = vec![0_u64; 22];
        let mut bits = 3;
        for (word, mask) in source.iter().zip(&mask) {
            for bit in (0..32).filter(|bit| mask >> bit & 1 != 0) {
                expected[bits / 64] |= u64::from(word >> bit & 1) << (bits % 64);
                bits += 1;
            }
        }
        for isa in Isa::available() {
            let mut into = vec![0; 22];
            assert_eq!(isa.gather(&mut into, 3, &source, &mask), bits, "{isa}");
            assert_eq!(into, expected, "{isa}");
        }
    }

    #[test]
    fn expansion_is_the_same_on_all_instruction_sets() {
        let (mask, source, keep) = (noise(16, 1), noise(16, 2), noise(16, 3));
        let mut expected = Vec::new();
        let mut bits = source.iter().zip(&keep).flat_map(|(&word, &keep)| {
            (0..32)
                .filter(move |bit| keep >> bit & 1 != 0)
                .map(move |bit| word >> bit & 1)
        });
        for mask in &mask {
            expected.push(
                (0..32)
                    .filter(|bit| mask >> bit & 1 != 0)
                    .fold(0, |word, bit| word | bits.next().unwrap_or(0) << bit),
            );
        }
        for isa in Isa::available() {
            let mut into = vec![0; 16];
            isa.expand(&mut into, &mask, &source, &keep);
            assert_eq!(into, expected, "{isa}");
        }
    }
}
