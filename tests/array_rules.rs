//! The slow twin of the rules: a board of eight by eight cells and one piece at a time, written
//! from the text of the rules alone. It shares no code with the engine's move generator.

use engine::board::{Bitboard, Color, Square};
use engine::rules::{Move, Piece, Position, Setup};

type Cell = Option<(Color, Piece)>;

/// A board by rows from Black's side and files from a, light squares included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ArrayBoard {
    cells: [[Cell; 8]; 8],
    turn: Color,
}

/// A move by square numbers: every square touched, and the captured ones ascending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ArrayMove {
    pub(crate) path: Vec<u32>,
    pub(crate) captured: Vec<u32>,
}

/// Row and file of a square number: 4 is a1, 1 is g1, 8 is b2, 5 is h2.
fn place(number: u32) -> (i32, i32) {
    let (row, from_right) = ((number as i32 - 1) / 4, (number as i32 - 1) % 4);
    (row, 6 + row % 2 - 2 * from_right)
}

fn number((row, file): (i32, i32)) -> u32 {
    (row * 4 + (6 + row % 2 - file) / 2 + 1) as u32
}

impl ArrayBoard {
    pub(crate) fn new(position: &Position) -> Self {
        let mut cells = [[None; 8]; 8];
        for n in 1..=32 {
            let (row, file) = place(n);
            cells[row as usize][file as usize] = position.at(square(n));
        }
        Self {
            cells,
            turn: position.turn(),
        }
    }

    pub(crate) fn position(&self) -> Position {
        let mut setup = Setup::empty(self.turn);
        for n in 1..=32 {
            if let Some(Some((color, piece))) = self.at(place(n)) {
                setup.put(square(n), color, piece);
            }
        }
        Position::try_from(setup).expect("play keeps a legal board")
    }

    /// The cell at a place, or nothing beyond the edge.
    fn at(&self, (row, file): (i32, i32)) -> Option<Cell> {
        let on_board = (0..8).contains(&row) && (0..8).contains(&file);
        on_board.then(|| self.cells[row as usize][file as usize])
    }

    fn set(&mut self, (row, file): (i32, i32), cell: Cell) {
        self.cells[row as usize][file as usize] = cell;
    }

    /// Every legal move by its route.
    pub(crate) fn moves(&self) -> Vec<ArrayMove> {
        let mut jumps = Vec::new();
        let mut steps = Vec::new();
        for n in 1..=32 {
            let Some(Some((color, piece))) = self.at(place(n)) else {
                continue;
            };
            if color == self.turn {
                let mut lifted = self.clone();
                lifted.set(place(n), None);
                lifted.jump_on(piece, vec![n], Vec::new(), &mut jumps);
                self.step(piece, n, &mut steps);
            }
        }
        if jumps.is_empty() { steps } else { jumps }
    }

    fn ways(&self, piece: Piece) -> Vec<(i32, i32)> {
        let forward = if self.turn == Color::Black { 1 } else { -1 };
        let mut ways = vec![(forward, -1), (forward, 1)];
        if piece == Piece::King {
            ways.extend([(-forward, -1), (-forward, 1)]);
        }
        ways
    }

    fn step(&self, piece: Piece, from: u32, steps: &mut Vec<ArrayMove>) {
        let (row, file) = place(from);
        for (up, right) in self.ways(piece) {
            let to = (row + up, file + right);
            if self.at(to) == Some(None) {
                steps.push(ArrayMove {
                    path: vec![from, number(to)],
                    captured: Vec::new(),
                });
            }
        }
    }

    /// Follows a jump: captured pieces stay where they are until it is over.
    fn jump_on(
        &self,
        piece: Piece,
        path: Vec<u32>,
        captured: Vec<u32>,
        jumps: &mut Vec<ArrayMove>,
    ) {
        let (row, file) = place(path[path.len() - 1]);
        let mut ended = true;
        for (up, right) in self.ways(piece) {
            let over = (row + up, file + right);
            let to = (row + 2 * up, file + 2 * right);
            let enemy = matches!(self.at(over), Some(Some((color, _))) if color != self.turn);
            if !enemy || self.at(to) != Some(None) || captured.contains(&number(over)) {
                continue;
            }
            ended = false;
            let mut path = path.clone();
            let mut captured = captured.clone();
            path.push(number(to));
            captured.push(number(over));
            self.jump_on(piece, path, captured, jumps);
        }
        if ended && path.len() > 1 {
            let mut captured = captured;
            captured.sort_unstable();
            jumps.push(ArrayMove { path, captured });
        }
    }

    pub(crate) fn play(&self, mv: &ArrayMove) -> Self {
        let mut board = self.clone();
        let from = place(mv.path[0]);
        let to = place(mv.path[mv.path.len() - 1]);
        let Some(Some((color, piece))) = self.at(from) else {
            panic!("no piece on {}", mv.path[0]);
        };
        let crown_row = if color == Color::Black { 7 } else { 0 };
        let piece = if to.0 == crown_row {
            Piece::King
        } else {
            piece
        };
        board.set(from, None);
        for &n in &mv.captured {
            board.set(place(n), None);
        }
        board.set(to, Some((color, piece)));
        board.turn = !self.turn;
        board
    }

    pub(crate) fn perft(&self, depth: u8, merged: bool) -> u64 {
        let mut moves = self.moves();
        if merged {
            moves.sort_by_key(ArrayMove::outline);
            moves.dedup_by_key(|mv| mv.outline());
        }
        match depth {
            0 => 1,
            1 => moves.len() as u64,
            _ => moves
                .iter()
                .map(|mv| self.play(mv).perft(depth - 1, merged))
                .sum(),
        }
    }
}

impl ArrayMove {
    /// What routes must share to be one move.
    pub(crate) fn outline(&self) -> (u32, u32, Vec<u32>) {
        let (from, to) = (self.path[0], self.path[self.path.len() - 1]);
        (from, to, self.captured.clone())
    }

    pub(crate) fn as_move(&self) -> Move {
        let captured: Bitboard = self.captured.iter().map(|&n| square(n)).collect();
        let (from, to) = (self.path[0], self.path[self.path.len() - 1]);
        Move::jump(square(from), square(to), captured)
    }
}

fn square(number: u32) -> Square {
    Square::new(number).expect("1 to 32")
}

#[test]
fn places_match_the_printed_board() {
    for (n, at) in [
        (1, (0, 6)),
        (4, (0, 0)),
        (5, (1, 7)),
        (8, (1, 1)),
        (32, (7, 1)),
        (29, (7, 7)),
    ] {
        assert_eq!(place(n), at);
    }
    for n in 1..=32 {
        assert_eq!(number(place(n)), n);
    }
}
