//! Checks a certificate, trusting nobody: read this file to know what a proof is worth.
//!
//! It has its own board and its own moves, written for clarity, and shares no code with the
//! search that made the certificate. What it trusts: this file, and the endgame databases (whose
//! checksums the certificate names) with their reader. The format is in `certificate`.
//!
//! The argument. A strategy names a move for each of its positions (steps). After it, every
//! legal reply leads to another step, or to an end whose value is known, so its side is never
//! without an answer. With aim `hold` no end is lost, so the side never loses, even if play goes
//! on for ever, which is a draw. With aim `win` all ends are won and every reply leads to an
//! EARLIER step, so play ends, and ends won. `Strategy::check` does this, 30 lines.
//!
//! Under the 40-move rule a strategy to hold is as good as without it. One to win must besides reach
//! a capture, a man's move or the end within 80 plies wherever it stands; `answers` counts them.

use std::collections::{BTreeMap, HashMap};

use super::leaf::Rules;
use crate::board::{Color, Square};
use crate::rules::law::QUIET_PLIES_TO_DRAW;
use crate::rules::{Piece, Position, Setup};
use crate::tablebase::{Slice, Tablebase, Wld, distance};

/// Why a certificate is refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct Refusal {
    /// The line, the step or the database.
    pub place: String,
    /// What is wrong there.
    pub fault: String,
}

fn refuse<T>(place: impl Into<String>, fault: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal {
        place: place.into(),
        fault: fault.into(),
    })
}

/// What a sound certificate proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// The position, as FEN.
    pub fen: String,
    /// `win`, `draw`, `loss`, `at-least-draw` or `at-most-draw`, for the side to move.
    pub claim: String,
    /// The rules that it is proven under.
    pub rules: Rules,
    /// Positions with a named move.
    pub steps: usize,
    /// Ends that a database decides.
    pub database_ends: u64,
    /// Ends without a legal move.
    pub final_ends: u64,
}

// ---------------------------------------------------------------- the board and its moves

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Man {
    side: Color,
    king: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Board {
    /// Square n is at n - 1.
    cells: [Option<Man>; 32],
    turn: Color,
}

/// The most pieces of a side in any database.
const MOST_A_SIDE: u32 = 4;

/// From, to, the set of captured squares: the order of this triple numbers the moves.
type Step = (usize, usize, u32);

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
    fn moves(&self) -> Vec<Step> {
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

    fn play(&self, (from, to, captured): Step) -> Self {
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

    fn from_sets(sets: [u32; 3], turn: Color) -> Option<Self> {
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
    fn from_fen(text: &str) -> Option<Self> {
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
    fn fen(&self) -> String {
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
    fn is_progress(&self, (from, _, captured): Step) -> bool {
        captured != 0 || self.cells[from].is_some_and(|man| !man.king)
    }

    fn pieces(&self) -> u32 {
        self.cells.iter().flatten().count() as u32
    }

    /// The same board as the databases want it.
    fn position(&self) -> Option<Position> {
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
    fn database_value(&self, tablebase: &Tablebase) -> Option<Wld> {
        let can_jump = |side| !self.all_jumps(side).is_empty();
        if Color::BOTH.into_iter().any(can_jump) || self.pieces() > tablebase.most_pieces() {
            return None;
        }
        tablebase.probe(&self.position()?).ok()
    }
}

// ---------------------------------------------------------------- the check

struct Strategy {
    side: Color,
    wins: bool,
    /// How many steps the header promises.
    count: usize,
    /// Each position with the number of its move, in the order of the file.
    steps: Vec<(Board, usize)>,
    places: HashMap<Board, usize>,
}

/// What ends are looked up in, and how many there were.
struct Ends<'a> {
    tablebase: &'a Tablebase,
    /// Under the 40-move rule: wins of the databases count up to so many pieces.
    forty: Option<u32>,
    database: u64,
    last: u64,
}

/// Plies to the next capture, man's move or end of the game at the most; only counted for wins
/// under the 40-move rule.
type Plies = u32;

impl Strategy {
    /// Checks every step, then that the strategy answers the root.
    fn check(&self, root: &Board, ends: &mut Ends<'_>) -> Result<(), Refusal> {
        let mut plies = Vec::with_capacity(self.steps.len());
        for (number, (board, mv)) in self.steps.iter().enumerate() {
            let place = || format!("step {} of {}, {}", number + 1, self.name(), board.fen());
            let moves = board.moves();
            let Some(&mv) = moves.get(*mv) else {
                let fault = format!("its move is number {mv} of {}", moves.len());
                return refuse(place(), fault);
            };
            // With a win, only steps before this one count as answered.
            let limit = if self.wins { number } else { usize::MAX };
            let after = self
                .answers(&board.play(mv), limit, &plies, ends)
                .or_else(|fault| refuse(place(), fault))?;
            plies.push(counted(board.is_progress(mv), after).or_else(|it| refuse(place(), it))?);
        }
        let answered = if root.turn == self.side {
            self.settles(root, usize::MAX, &plies, ends)
        } else {
            self.answers(root, usize::MAX, &plies, ends)
        };
        let place = || format!("the position itself, {}", self.name());
        answered.map(drop).or_else(|fault| refuse(place(), fault))
    }

    /// Whether the strategy has an answer to everything that the opponent, to move on `board`,
    /// can do; `plies` are those of the steps so far.
    fn answers(
        &self,
        board: &Board,
        limit: usize,
        plies: &[Plies],
        ends: &mut Ends<'_>,
    ) -> Result<Plies, String> {
        let moves = board.moves();
        if moves.is_empty() {
            ends.last += 1;
            return Ok(1);
        }
        if let Some(value) = board.database_value(ends.tablebase) {
            return self.accepts(board, value, ends);
        }
        let mut most = 0;
        for mv in moves {
            let after = self
                .settles(&board.play(mv), limit, plies, ends)
                .and_then(|after| counted(board.is_progress(mv), after))
                .map_err(|fault| format!("after the reply {}: {fault}", text(mv)))?;
            most = most.max(after);
        }
        Ok(most)
    }

    /// Whether `board`, with the strategy's side to move, is a step before `limit`, or an end
    /// that serves the aim.
    fn settles(
        &self,
        board: &Board,
        limit: usize,
        plies: &[Plies],
        ends: &mut Ends<'_>,
    ) -> Result<Plies, String> {
        match self.places.get(board) {
            Some(&place) if place < limit => {
                let counts = self.wins && ends.forty.is_some();
                return Ok(if counts { plies[place] } else { 0 });
            }
            Some(&place) => {
                return Err(format!(
                    "play goes to the later step {}, perhaps in a circle",
                    place + 1
                ));
            }
            None => {}
        }
        if board.moves().is_empty() {
            return Err(format!("{} has no move and has lost", self.side));
        }
        match board.database_value(ends.tablebase) {
            Some(value) => self.accepts(board, value, ends),
            None => Err(format!("{} is not answered", board.fen())),
        }
    }

    /// Whether the database's `value` of `board` serves the aim.
    fn accepts(&self, board: &Board, value: Wld, ends: &mut Ends<'_>) -> Result<Plies, String> {
        ends.database += 1;
        let fen = board.fen();
        let value = if board.turn == self.side {
            value
        } else {
            -value
        };
        if value == Wld::Loss || (value == Wld::Draw && self.wins) {
            return Err(format!(
                "by the database {fen} is a {value} for {}",
                self.side
            ));
        }
        let Some(most) = ends.forty.filter(|_| self.wins) else {
            return Ok(0);
        };
        let distance = |position: Position| ends.tablebase.distance(&position).ok().flatten();
        match board.position().and_then(distance) {
            Some(plies) if board.pieces() <= most => Ok(plies),
            _ => Err(format!("{fen} may be won too late for the 40-move rule")),
        }
    }

    fn name(&self) -> String {
        let aim = if self.wins { "win" } else { "hold" };
        format!("{}'s strategy to {aim}", self.side)
    }
}

/// The plies before a move of which `after` are left after it; progress begins the count anew.
fn counted(is_progress: bool, after: Plies) -> Result<Plies, String> {
    if after > QUIET_PLIES_TO_DRAW {
        return Err(format!("the next progress is {after} plies away"));
    }
    Ok(if is_progress { 1 } else { after + 1 })
}

/// Up to how many pieces every win of the databases keeps within the 40-move rule: distances of
/// all slices with kings on both sides are there (elsewhere every other ply is progress), and none
/// is too long. So after the next progress the position is won within the rule again.
pub(super) fn forty_move_pieces(tablebase: &Tablebase) -> u32 {
    let fits = |slice: &Slice| {
        let mut images = tablebase.distances().iter().map(distance::Image::header);
        images.any(|it| it.slice == *slice && u32::from(it.longest) <= QUIET_PLIES_TO_DRAW)
    };
    let with_kings = |slice: &Slice| slice.own.kings > 0 && slice.their.kings > 0;
    let all_fit = |&pieces: &u32| {
        let slices = Slice::all(pieces, MOST_A_SIDE);
        slices.iter().filter(|it| with_kings(it)).all(fits)
    };
    let pieces = 2..=tablebase.most_pieces();
    pieces.take_while(all_fit).last().unwrap_or(0)
}

fn text((from, to, captured): Step) -> String {
    let dash = if captured == 0 { '-' } else { 'x' };
    format!("{}{dash}{}", from + 1, to + 1)
}

/// Checks the bytes of a certificate against these databases.
///
/// # Errors
///
/// [`Refusal`] names the first place that is wrong: damage, a step that is no legal move, a reply
/// without an answer, an end with another value, a strategy to win that goes round in a circle,
/// a database with another checksum, strategies that do not prove the claim.
pub fn check(bytes: &[u8], tablebase: &Tablebase) -> Result<Proven, Refusal> {
    let file = read(bytes)?;
    check_databases(&file.databases, tablebase)?;
    check_claim(&file)?;
    let mut ends = Ends {
        tablebase,
        forty: (file.rules == Rules::FortyMoves).then(|| forty_move_pieces(tablebase)),
        database: 0,
        last: 0,
    };
    for strategy in &file.strategies {
        strategy.check(&file.root, &mut ends)?;
    }
    Ok(Proven {
        fen: file.root.fen(),
        claim: file.claim,
        rules: file.rules,
        steps: file.strategies.iter().map(|it| it.steps.len()).sum(),
        database_ends: ends.database,
        final_ends: ends.last,
    })
}

/// A claim and who must do what for it.
fn check_claim(file: &File) -> Result<(), Refusal> {
    let mover = file.root.turn;
    let needs = match file.claim.as_str() {
        "win" => vec![(mover, true)],
        "loss" => vec![(!mover, true)],
        "draw" => vec![(mover, false), (!mover, false)],
        "at-least-draw" => vec![(mover, false)],
        "at-most-draw" => vec![(!mover, false)],
        other => return refuse("line \"claim\"", format!("{other} is no claim")),
    };
    for (side, wins) in needs {
        if !file
            .strategies
            .iter()
            .any(|it| (it.side, it.wins) == (side, wins))
        {
            let aim = if wins { "win" } else { "hold" };
            let fault = format!("the claim {} needs {side}'s strategy to {aim}", file.claim);
            return refuse("header", fault);
        }
    }
    Ok(())
}

fn check_databases(wanted: &BTreeMap<String, u32>, tablebase: &Tablebase) -> Result<(), Refusal> {
    let mut missing = wanted.clone();
    for image in tablebase.images() {
        let slice = image.header().slice;
        let name = format!("{}{}", slice.own, slice.their);
        if let Some(sum) = missing.remove(&name) {
            let found = crc32fast::hash(image.bytes());
            if found != sum {
                let fault =
                    format!("its checksum is {found:08x}; the certificate relies on {sum:08x}");
                return refuse(format!("database {name}"), fault);
            }
        }
    }
    match missing.keys().next() {
        Some(name) => refuse(
            format!("database {name}"),
            "it is not loaded; see --tablebase",
        ),
        None => Ok(()),
    }
}

// ---------------------------------------------------------------- the file

struct File {
    root: Board,
    rules: Rules,
    claim: String,
    databases: BTreeMap<String, u32>,
    strategies: Vec<Strategy>,
}

const STEP_BYTES: usize = 13;

fn read(bytes: &[u8]) -> Result<File, Refusal> {
    let Some((body, sum)) = bytes.split_last_chunk::<4>() else {
        return refuse("file", "it is too short for a certificate");
    };
    if !body.starts_with(super::certificate::MAGIC.as_bytes()) {
        return refuse("line 1", "it is no certificate of this kind");
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return refuse(
            "file",
            "the checksum at its end is wrong: cut short or damaged",
        );
    }
    let end = b"\nend\n";
    let Some(header) = body.windows(end.len()).position(|window| window == end) else {
        return refuse("header", "it has no line \"end\"");
    };
    let text =
        std::str::from_utf8(&body[..header]).or_else(|_| refuse("header", "it is not text"))?;
    let mut file = read_header(text)?;
    read_steps(&mut file, &body[header + end.len()..])?;
    Ok(file)
}

fn read_header(text: &str) -> Result<File, Refusal> {
    let mut root = None;
    let mut rules = None;
    let mut claim = None;
    let mut databases = BTreeMap::new();
    let mut strategies = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let words: Vec<&str> = line.split(' ').collect();
        let read = match words[..] {
            ["position", fen] => Board::from_fen(fen).map(|board| root = Some(board)),
            ["rules", name] => Rules::ALL
                .into_iter()
                .find(|rules| rules.name() == name)
                .map(|found| rules = Some(found)),
            ["claim", word] => {
                claim = Some(word.to_owned());
                Some(())
            }
            ["database", name, sum] => u32::from_str_radix(sum, 16).ok().map(|sum| {
                databases.insert(name.to_owned(), sum);
            }),
            ["strategy", side, aim, steps] => {
                strategy(side, aim, steps).map(|strategy| strategies.push(strategy))
            }
            _ => None,
        };
        if read.is_none() {
            return refuse(
                format!("line {}", number + 1),
                format!("cannot read {line:?}"),
            );
        }
    }
    let (Some(root), Some(rules), Some(claim)) = (root, rules, claim) else {
        return refuse("header", "the position, the rules or the claim are missing");
    };
    Ok(File {
        root,
        rules,
        claim,
        databases,
        strategies,
    })
}

/// A strategy whose steps follow after the header.
fn strategy(side: &str, aim: &str, steps: &str) -> Option<Strategy> {
    let wins = match aim {
        "win" => true,
        "hold" => false,
        _ => return None,
    };
    Some(Strategy {
        side: Color::BOTH.into_iter().find(|it| it.to_string() == side)?,
        wins,
        count: steps.parse().ok()?,
        steps: Vec::new(),
        places: HashMap::new(),
    })
}

fn read_steps(file: &mut File, bytes: &[u8]) -> Result<(), Refusal> {
    let counts = file.strategies.iter().map(|it| it.count);
    let total = counts.fold(0, usize::saturating_add);
    if bytes.len() != total.saturating_mul(STEP_BYTES) {
        let fault = format!(
            "the header names {total}, the file has {} bytes for them",
            bytes.len()
        );
        return refuse("steps", fault);
    }
    let mut records = bytes.chunks_exact(STEP_BYTES);
    for strategy in &mut file.strategies {
        let name = strategy.name();
        for (place, record) in records.by_ref().take(strategy.count).enumerate() {
            let set = |nth: usize| {
                let word = &record[4 * nth..4 * nth + 4];
                u32::from_le_bytes([word[0], word[1], word[2], word[3]])
            };
            let at = || format!("step {} of {name}", place + 1);
            let Some(board) = Board::from_sets([set(0), set(1), set(2)], strategy.side) else {
                return refuse(at(), "its pieces make no position");
            };
            if strategy.places.insert(board.clone(), place).is_some() {
                return refuse(at(), "its position comes a second time");
            }
            strategy
                .steps
                .push((board, usize::from(record[STEP_BYTES - 1])));
        }
    }
    Ok(())
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

    #[test]
    fn progress_comes_within_eighty_plies() {
        assert_eq!(counted(false, 79), Ok(80));
        assert_eq!(counted(true, 80), Ok(1));
        assert!(counted(true, 81).is_err());
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
