//! The checker's own board: where the pieces stand, which moves are legal, what comes of them.
//!
//! Written for clarity, a square at a time; shares nothing with the rules of the engine but the words
//! for colours and pieces, and hands positions to the databases. Start reading at [`Board::moves`].

use crate::board::{Color, Square};
use crate::rules::{Piece, Position, Setup};
use crate::tablebase::{Tablebase, Wld};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Man {
    side: Color,
    king: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Board {
    /// Square n is at n - 1.
    cells: [Option<Man>; 32],
    pub(super) turn: Color,
}

/// From, to, the set of captured squares: the order of this triple numbers the moves.
pub(super) type Step = (usize, usize, u32);

/// The square beside `square`, one row up or down and one file to a side. Squares are counted from
/// 0, four to a row, from the right; files here too. Square 0 stands on file 1, square 4 on file 0.
fn beside(square: usize, up: bool, left: bool) -> Option<usize> {
    let row = square / 4;
    let column = 2 * (square % 4) + 1 - row % 2;
    let row = if up { row + 1 } else { row.checked_sub(1)? };
    let column = if left {
        column + 1
    } else {
        column.checked_sub(1)?
    };
    (row < 8 && column < 8).then_some(row * 4 + column / 2)
}

impl Board {
    fn ways(man: Man) -> impl Iterator<Item = (bool, bool)> {
        let ways = [(true, true), (true, false), (false, true), (false, false)];
        ways.into_iter()
            .filter(move |&(up, _)| man.king || up == (man.side == Color::Black))
    }

    fn crowned(man: Man, square: usize) -> Man {
        let far = if man.side == Color::Black { 7 } else { 0 };
        Man {
            king: man.king || square / 4 == far,
            ..man
        }
    }

    /// Follows the jumps of `man` from `at`; `taken` is what it has jumped already.
    fn jumps(&self, man: Man, from: usize, at: usize, taken: u32, found: &mut Vec<Step>) {
        let mut goes_on = false;
        for (up, left) in Self::ways(man) {
            let Some(over) = beside(at, up, left) else {
                continue;
            };
            let Some(to) = beside(over, up, left) else {
                continue;
            };
            let enemy = self.cells[over].is_some_and(|it| it.side != man.side);
            // The start square is vacant for a round trip.
            let free = self.cells[to].is_none() || to == from;
            if !enemy || !free || taken & 1 << over != 0 {
                continue;
            }
            goes_on = true;
            let taken = taken | 1 << over;
            if Self::crowned(man, to) == man {
                self.jumps(man, from, to, taken, found);
            } else {
                found.push((from, to, taken));
            }
        }
        if !goes_on && taken != 0 {
            found.push((from, at, taken));
        }
    }

    fn all_jumps(&self, side: Color) -> Vec<Step> {
        let mut found = Vec::new();
        for (square, cell) in self.cells.iter().enumerate() {
            if let Some(man) = cell.filter(|man| man.side == side) {
                self.jumps(man, square, square, 0, &mut found);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whoever can jump must.
    pub(super) fn moves(&self) -> Vec<Step> {
        let mut found = self.all_jumps(self.turn);
        if !found.is_empty() {
            return found;
        }
        for (square, cell) in self.cells.iter().enumerate() {
            let Some(man) = cell.filter(|man| man.side == self.turn) else {
                continue;
            };
            let steps = Self::ways(man).filter_map(|(up, left)| beside(square, up, left));
            found.extend(
                steps
                    .filter(|&to| self.cells[to].is_none())
                    .map(|to| (square, to, 0)),
            );
        }
        found.sort_unstable();
        found
    }

    pub(super) fn play(&self, (from, to, captured): Step) -> Self {
        let mut after = self.clone();
        let man = after.cells[from].take();
        for square in (0..32).filter(|square| captured & 1 << square != 0) {
            after.cells[square] = None;
        }
        after.cells[to] = man.map(|man| Self::crowned(man, to));
        after.turn = !self.turn;
        after
    }

    /// A man on its own crownhead or more than 12 pieces a side is no position.
    fn is_sound(&self) -> bool {
        let count = |side| {
            self.cells
                .iter()
                .flatten()
                .filter(|man| man.side == side)
                .count()
        };
        let men = self.cells.iter().enumerate();
        let mut men = men.filter_map(|(square, cell)| Some((square, (*cell)?)));
        men.all(|(square, man)| Self::crowned(man, square) == man)
            && Color::BOTH.into_iter().all(|side| count(side) <= 12)
    }

    pub(super) fn from_sets(sets: [u32; 3], turn: Color) -> Option<Self> {
        let [black, white, kings] = sets;
        let mut cells = [None; 32];
        for (square, cell) in cells.iter_mut().enumerate() {
            let on = |set: u32| set & 1 << square != 0;
            let side = match (on(black), on(white)) {
                (false, false) => continue,
                (true, false) => Color::Black,
                (false, true) => Color::White,
                (true, true) => return None,
            };
            let king = on(kings);
            *cell = Some(Man { side, king });
        }
        let board = Self { cells, turn };
        (board.is_sound() && kings & !(black | white) == 0).then_some(board)
    }

    /// Reads `W:WK32,5:BK26`, the one form that certificates have.
    pub(super) fn from_fen(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let side = |letter: &str| match letter {
            "B" => Some(Color::Black),
            "W" => Some(Color::White),
            _ => None,
        };
        let turn = side(parts.next()?)?;
        let mut cells = [None; 32];
        for part in parts {
            let side = side(part.get(..1)?)?;
            for word in part[1..].split(',').filter(|word| !word.is_empty()) {
                let number = word.strip_prefix('K').unwrap_or(word);
                let square = number.parse::<usize>().ok()?.checked_sub(1)?;
                let cell = cells.get_mut(square)?;
                let king = number != word;
                if cell.replace(Man { side, king }).is_some() {
                    return None;
                }
            }
        }
        let board = Self { cells, turn };
        board.is_sound().then_some(board)
    }

    /// For messages.
    pub(super) fn fen(&self) -> String {
        let list = |side: Color| {
            let mut words = Vec::new();
            for (square, cell) in self.cells.iter().enumerate() {
                if let Some(man) = cell.filter(|man| man.side == side) {
                    let king = if man.king { "K" } else { "" };
                    words.push(format!("{king}{}", square + 1));
                }
            }
            words.join(",")
        };
        let (white, black) = (list(Color::White), list(Color::Black));
        format!("{}:W{white}:B{black}", self.turn.letter())
    }

    /// Whether `step` can never be taken back: a capture or a man's move.
    pub(super) fn is_progress(&self, (from, _, captured): Step) -> bool {
        captured != 0 || self.cells[from].is_some_and(|man| !man.king)
    }

    pub(super) fn pieces(&self) -> u32 {
        self.cells.iter().flatten().count() as u32
    }

    /// The same board as the databases want it.
    pub(super) fn position(&self) -> Option<Position> {
        let mut setup = Setup::empty(self.turn);
        for (square, cell) in self.cells.iter().enumerate() {
            if let Some(man) = cell {
                let piece = if man.king { Piece::King } else { Piece::Man };
                setup.put(Square::new(square as u32 + 1)?, man.side, piece);
            }
        }
        Position::try_from(setup).ok()
    }

    /// What the databases say, where one look-up is enough: nobody can jump.
    pub(super) fn database_value(&self, tablebase: &Tablebase) -> Option<Wld> {
        let can_jump = |side| !self.all_jumps(side).is_empty();
        if Color::BOTH.into_iter().any(can_jump) || self.pieces() > tablebase.most_pieces() {
            return None;
        }
        tablebase.probe(&self.position()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Move;

    fn board(position: &Position) -> Board {
        let sets = Color::BOTH.map(|color| position.pieces(color).0);
        let [black, white] = sets;
        Board::from_sets([black, white, position.all_kings().0], position.turn())
            .expect("a legal position")
    }

    fn step(mv: &Move) -> Step {
        (mv.from().index(), mv.to().index(), mv.captured().0)
    }

    /// Two generators that share nothing agree along games picked by a fixed rule.
    #[test]
    fn moves_are_those_of_the_rules() {
        for start in 0..60usize {
            let mut position = Position::START;
            for ply in 0..120usize {
                let moves = position.legal_moves();
                let mut wanted: Vec<Step> = moves.iter().map(step).collect();
                wanted.sort_unstable();
                let own = board(&position);
                assert_eq!(own.moves(), wanted, "{}", own.fen());
                assert!(Board::from_fen(&own.fen()).is_some_and(|read| read == own));
                let Some(mv) = moves.get((start * 7 + ply * ply) % moves.len().max(1)) else {
                    break;
                };
                let after = position.play(*mv);
                assert!(own.play(step(mv)) == board(&after), "{}", own.fen());
                position = after;
            }
        }
    }
}
