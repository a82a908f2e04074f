//! The checker's own board: squares by row and file, moves found one piece and one step at a time.
//!
//! Everything is seen from the side to move, which goes up the board. Shares nothing with the
//! engine's rules; [`Board::captures`] is where to start.

/// No square: beyond the edge.
const NONE: u8 = 32;

/// The four diagonals: up the board first, so that men have the first two.
const WAYS: [(i32, i32); 4] = [(1, -1), (1, 1), (-1, -1), (-1, 1)];

/// `NEXT[way][square]`: one step on.
static NEXT: [[u8; 33]; 4] = next_squares();

/// The row (0 to 7) and the file (0 for a) of square number `square` + 1: the lowest row is read
/// 4 3 2 1 from file a to g, the second 8 7 6 5 from b to h.
const fn row_and_file(square: i32) -> (i32, i32) {
    let row = square / 4;
    (row, 6 + row % 2 - 2 * (square % 4))
}

const fn next_squares() -> [[u8; 33]; 4] {
    let mut table = [[NONE; 33]; 4];
    let mut way = 0;
    while way < 4 {
        let mut from = 0;
        while from < 32 {
            let (row, file) = row_and_file(from);
            let mut to = 0;
            while to < 32 {
                let (r, f) = row_and_file(to);
                if r == row + WAYS[way].0 && f == file + WAYS[way].1 {
                    table[way][from as usize] = to as u8;
                }
                to += 1;
            }
            from += 1;
        }
        way += 1;
    }
    table
}

/// The squares where men are crowned.
const CROWNING: u32 = 0xF000_0000;

/// What stands on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) own_men: u32,
    pub(super) own_kings: u32,
    pub(super) their_men: u32,
    pub(super) their_kings: u32,
}

/// The squares of a set, lowest first.
fn each(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let square = set.trailing_zeros() as u8;
            set &= set - 1;
            square
        })
    })
}

const fn bit(square: u8) -> u32 {
    1 << square
}

impl Board {
    const fn theirs(&self) -> u32 {
        self.their_men | self.their_kings
    }

    const fn all(&self) -> u32 {
        self.own_men | self.own_kings | self.theirs()
    }

    /// How many pieces there are; sets that meet count once.
    pub(super) const fn pieces(&self) -> u32 {
        self.all().count_ones()
    }

    /// Seen from the other side, which is to move then.
    pub(super) const fn turned(&self) -> Self {
        Self {
            own_men: self.their_men.reverse_bits(),
            own_kings: self.their_kings.reverse_bits(),
            their_men: self.own_men.reverse_bits(),
            their_kings: self.own_kings.reverse_bits(),
        }
    }

    /// Calls `visit` with the board after each capture, still seen from the side that made it;
    /// true if there is one.
    pub(super) fn captures(&self, visit: &mut impl FnMut(&Self)) -> bool {
        let mut any = false;
        for (pieces, is_king) in [(self.own_men, false), (self.own_kings, true)] {
            for from in each(pieces) {
                let lifted = Self {
                    own_men: self.own_men & !bit(from),
                    own_kings: self.own_kings & !bit(from),
                    ..*self
                };
                any |= lifted.jumps(from, is_king, 0, visit);
            }
        }
        any
    }

    /// All ways on for a piece in the air over `at`, after taking `taken`; false if it must land.
    fn jumps(&self, at: u8, is_king: bool, taken: u32, visit: &mut impl FnMut(&Self)) -> bool {
        let mut any = false;
        for next in &NEXT[..if is_king { 4 } else { 2 }] {
            let over = next[usize::from(at)];
            let to = next[usize::from(over)];
            if to == NONE || self.theirs() & !taken & bit(over) == 0 || self.all() & bit(to) != 0 {
                continue;
            }
            any = true;
            let taken = taken | bit(over);
            if !self.jumps(to, is_king, taken, visit) {
                visit(&self.landed(to, is_king, taken));
            }
        }
        any
    }

    fn landed(&self, to: u8, is_king: bool, taken: u32) -> Self {
        let is_king = is_king || CROWNING & bit(to) != 0;
        Self {
            own_men: self.own_men | if is_king { 0 } else { bit(to) },
            own_kings: self.own_kings | if is_king { bit(to) } else { 0 },
            their_men: self.their_men & !taken,
            their_kings: self.their_kings & !taken,
        }
    }

    /// Calls `visit` with the board after each step of a man.
    pub(super) fn men_steps(&self, visit: &mut impl FnMut(&Self)) {
        for from in each(self.own_men) {
            for next in &NEXT[..2] {
                let to = next[usize::from(from)];
                if to != NONE && self.all() & bit(to) == 0 {
                    let lifted = Self {
                        own_men: self.own_men & !bit(from),
                        ..*self
                    };
                    visit(&lifted.landed(to, false, 0));
                }
            }
        }
    }
}

/// The sets that one king's step makes of `kings` on an empty board.
pub(super) fn king_steps(kings: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for from in each(kings) {
        for next in &NEXT {
            let to = next[usize::from(from)];
            if to != NONE && kings & bit(to) == 0 {
                found.push(kings & !bit(from) | bit(to));
            }
        }
    }
    found
}

/// How many rows the men of a set have gone, together.
pub(super) fn advance(men: u32) -> u32 {
    each(men).map(|square| u32::from(square) / 4).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_their_neighbours() {
        let from = |square: u8| NEXT.map(|next| next[usize::from(square) - 1]);
        // Square 14 lies between 18, 17 above and 10, 9 below; 29 is a corner, 5 at the edge.
        assert_eq!(from(14), [17, 16, 9, 8]);
        assert_eq!(from(29), [NONE, NONE, 24, NONE]);
        assert_eq!(from(5), [8, NONE, 0, NONE]);
    }

    #[test]
    fn a_king_may_jump_round_in_a_ring_and_a_man_stops_when_crowned() {
        let squares = |set: &[u32]| set.iter().fold(0, |all, square| all | 1 << (square - 1));
        let board = Board {
            own_kings: squares(&[6]),
            their_men: squares(&[9, 10, 17, 18]),
            ..Board::default()
        };
        let mut ends = Vec::new();
        assert!(board.captures(&mut |after| ends.push(*after)));
        assert_eq!(ends.len(), 2);
        assert!(
            ends.iter()
                .all(|it| it.own_kings == squares(&[6]) && it.their_men == 0)
        );
        let board = Board {
            own_men: squares(&[22]),
            their_men: squares(&[26, 27]),
            ..Board::default()
        };
        let mut ends = Vec::new();
        assert!(board.captures(&mut |after| ends.push(*after)));
        assert!(
            ends.iter().all(|it| it.their_men.count_ones() == 1),
            "{ends:?}"
        );
    }
}
