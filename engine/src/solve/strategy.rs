//! From what a prover found to a strategy that is complete in itself.
//!
//! A strategy names one move for each position in which its side moves; every reply leads to
//! another such position, or to an end that needs no proof. A strategy to win lists its positions
//! so that play only ever goes to earlier ones, hence it ends; a strategy to hold may go round
//! for ever. Nothing here depends on the path on which a position was searched, which is what
//! makes repetition harmless. Start reading at [`Builder::win`] and [`Builder::hold`].

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;

use super::leaf::{self, Ends, Leaf};
use super::prover::{Prover, Verdict};
use crate::board::Color;
use crate::rules::law::QUIET_PLIES_TO_DRAW;
use crate::rules::{Move, Position};

/// What a strategy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aim {
    /// The side wins.
    Win,
    /// The side at least draws.
    Hold,
}

/// One move for every position that its side may come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// Whose strategy it is.
    pub side: Color,
    /// What it reaches.
    pub aim: Aim,
    /// Positions with `side` to move, and its move. With [`Aim::Win`] every line goes to
    /// earlier entries only.
    pub steps: Vec<(Position, Move)>,
}

impl Strategy {
    /// Who tries to win.
    pub(super) fn attacker(&self) -> Color {
        match self.aim {
            Aim::Win => self.side,
            Aim::Hold => self.side.opponent(),
        }
    }

    /// Of a strategy to win, whether no more than 80 plies go by without a capture or a man's
    /// move, the database wins at its ends included.
    pub(super) fn is_in_time(&self, root: &Position, ends: &Ends<'_>) -> bool {
        let mut plies = HashMap::new();
        for (position, mv) in &self.steps {
            let next = position.play(*mv);
            let after = self.plies_for_replies(&next, &plies, ends);
            if after > QUIET_PLIES_TO_DRAW {
                return false;
            }
            let is_progress = position.is_irreversible(*mv);
            plies.insert(*position, if is_progress { 1 } else { after + 1 });
        }
        let first = if root.turn() == self.side {
            self.plies_from(root, &plies, ends)
        } else {
            self.plies_for_replies(root, &plies, ends)
        };
        first <= QUIET_PLIES_TO_DRAW
    }

    /// Plies from `position`, the other side to move, to the next progress or the end.
    fn plies_for_replies(
        &self,
        position: &Position,
        plies: &HashMap<Position, u32>,
        ends: &Ends<'_>,
    ) -> u32 {
        if Leaf::of(position, ends).ends_proof() {
            return distance(position, ends);
        }
        let after = |mv: Move| {
            let next = position.play(mv);
            let after = self.plies_from(&next, plies, ends);
            match position.is_irreversible(mv) {
                true if after <= QUIET_PLIES_TO_DRAW => 1,
                _ => after + 1,
            }
        };
        let replies = position.legal_moves().into_iter();
        replies.map(after).max().unwrap_or(1)
    }

    fn plies_from(
        &self,
        position: &Position,
        plies: &HashMap<Position, u32>,
        ends: &Ends<'_>,
    ) -> u32 {
        let step = plies.get(position).copied();
        step.unwrap_or_else(|| distance(position, ends))
    }
}

/// Of an end that is won or lost; beyond every rule if it is not known.
fn distance(position: &Position, ends: &Ends<'_>) -> u32 {
    let distance = ends.tablebase.distance(position).ok().flatten();
    distance.unwrap_or(QUIET_PLIES_TO_DRAW + 1)
}

/// Why there is no strategy yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// The answer was wrong: what was found leans on itself. The search must go on.
    Wrong,
    /// The time is over.
    Stopped,
}

/// Nodes for a position whose entry has left the table.
const REPAIR_BUDGET: u64 = 20_000_000;

/// Collects the steps of one strategy.
pub(super) struct Builder<'p, 'a> {
    prover: &'p mut Prover<'a>,
    steps: Vec<(Position, Move)>,
    /// Where a position stands in `steps`; `None` while it is being worked on.
    places: HashMap<Position, Option<usize>>,
    /// Of a strategy to hold: the positions whose move counts on a position.
    users: HashMap<Position, Vec<Position>>,
}

impl<'p, 'a> Builder<'p, 'a> {
    pub(super) fn new(prover: &'p mut Prover<'a>) -> Self {
        Self {
            prover,
            steps: Vec::new(),
            places: HashMap::new(),
            users: HashMap::new(),
        }
    }

    fn leaf(&self, position: &Position) -> Leaf {
        Leaf::of(position, &self.prover.ends)
    }

    /// The strategy with which the attacker wins `root`.
    pub(super) fn win(mut self, root: &Position) -> Result<Strategy, Gap> {
        let side = self.prover.attacker();
        if !self.leaf(root).ends_proof() {
            if root.turn() == side {
                self.win_from(root)?;
            } else {
                self.win_replies(root)?;
            }
        }
        Ok(Strategy {
            side,
            aim: Aim::Win,
            steps: self.steps,
        })
    }

    /// Steps for every position after the opponent's replies in `position`.
    fn win_replies(&mut self, position: &Position) -> Result<(), Gap> {
        for mv in position.legal_moves() {
            let next = position.play(mv);
            if !self.leaf(&next).ends_proof() {
                self.win_from(&next)?;
            }
        }
        Ok(())
    }

    fn win_from(&mut self, position: &Position) -> Result<(), Gap> {
        match self.places.get(position) {
            Some(Some(_)) => return Ok(()),
            Some(None) => return Err(Gap::Wrong),
            None => {}
        }
        if self.prover.shared.stop.load(Relaxed) {
            return Err(Gap::Stopped);
        }
        self.places.insert(*position, None);
        let mut gap = Gap::Wrong;
        for mv in self.winning_moves(position)? {
            let next = position.play(mv);
            let done = if self.leaf(&next).ends_proof() {
                Ok(())
            } else {
                self.win_replies(&next)
            };
            match done {
                Ok(()) => {
                    self.places.insert(*position, Some(self.steps.len()));
                    self.steps.push((*position, mv));
                    return Ok(());
                }
                Err(Gap::Stopped) => return Err(Gap::Stopped),
                Err(found) => gap = found,
            }
        }
        self.places.remove(position);
        Err(gap)
    }

    /// Moves that are known to win, the shortest proof first.
    fn winning_moves(&mut self, position: &Position) -> Result<Vec<Move>, Gap> {
        let mut found = self.known_wins(position);
        if found.is_empty() {
            match self.prover.run(position, REPAIR_BUDGET) {
                Some(true) => found = self.known_wins(position),
                Some(false) => return Err(Gap::Wrong),
                None => return Err(Gap::Stopped),
            }
        }
        found.sort_by_key(|&(height, _)| height);
        Ok(found.into_iter().map(|(_, mv)| mv).collect())
    }

    fn known_wins(&self, position: &Position) -> Vec<(u32, Move)> {
        let side = self.prover.attacker();
        let moves = position.legal_moves().into_iter();
        let height = |mv: Move| {
            let next = position.play(mv);
            let leaf = self.leaf(&next);
            match leaf.value() {
                Some(value) if !leaf::is_won(value, next.turn(), side) => None,
                // A threat may follow a threat, so jumps and ends come first.
                Some(_) if leaf.ends_proof() => Some(0),
                Some(_) if next.has_jump() => Some(1),
                Some(_) => Some(2),
                None => match self.prover.verdict(&next) {
                    Some(Verdict::Won(height)) => Some(height),
                    _ => None,
                },
            }
        };
        moves.filter_map(|mv| Some((height(mv)?, mv))).collect()
    }

    /// The strategy with which the side that does not attack holds `root`.
    pub(super) fn hold(mut self, root: &Position) -> Result<Strategy, Gap> {
        let side = self.prover.attacker().opponent();
        let roots = self.needed(root);
        let mut open = roots.clone();
        let mut moves: HashMap<Position, Move> = HashMap::new();
        while let Some(position) = open.pop() {
            if moves.contains_key(&position) {
                continue;
            }
            match self.holding_move(&position, &moves)? {
                Some(mv) => {
                    moves.insert(position, mv);
                    for next in self.needed(&position.play(mv)) {
                        self.users.entry(next).or_default().push(position);
                        open.push(next);
                    }
                }
                None => {
                    // Whoever counted on it must think again.
                    self.prover.note_won(&position, 1);
                    for user in self.users.remove(&position).unwrap_or_default() {
                        if let Some(mv) = moves.remove(&user) {
                            self.prover.note_won(&user.play(mv), 2);
                            self.prover.forget(&user);
                        }
                        open.push(user);
                    }
                    if roots.contains(&position) {
                        return Err(Gap::Wrong);
                    }
                }
            }
        }
        Ok(Strategy {
            side,
            aim: Aim::Hold,
            steps: reachable(&roots, &moves, |position| self.needed(position)),
        })
    }

    /// The positions with the holder to move that `position` is or leads to, ends left out.
    fn needed(&self, position: &Position) -> Vec<Position> {
        if self.leaf(position).ends_proof() {
            return Vec::new();
        }
        if position.turn() != self.prover.attacker() {
            return vec![*position];
        }
        let moves = position.legal_moves().into_iter();
        moves
            .map(|mv| position.play(mv))
            .filter(|next| !self.leaf(next).ends_proof())
            .collect()
    }

    /// A move that holds, as far as is known; `None` if the attacker wins after all.
    fn holding_move(
        &mut self,
        position: &Position,
        chosen: &HashMap<Position, Move>,
    ) -> Result<Option<Move>, Gap> {
        if let Some(mv) = self.known_hold(position, chosen) {
            return Ok(Some(mv));
        }
        if self.leaf(position).value().is_some() {
            return Ok(None);
        }
        self.prover.forget(position);
        match self.prover.run(position, REPAIR_BUDGET) {
            Some(true) => Ok(None),
            Some(false) => match self.known_hold(position, chosen) {
                Some(mv) => Ok(Some(mv)),
                None => Err(Gap::Stopped),
            },
            None => Err(Gap::Stopped),
        }
    }

    /// Among the moves that are known to hold, the one that needs least: an end, then positions
    /// chosen already, then disproofs that lean on nothing.
    fn known_hold(&self, position: &Position, chosen: &HashMap<Position, Move>) -> Option<Move> {
        let attacker = self.prover.attacker();
        let need = |mv: Move| {
            let next = position.play(mv);
            let leaf = self.leaf(&next);
            match leaf.value() {
                Some(value) if leaf::is_won(value, next.turn(), attacker) => None,
                Some(_) if leaf.ends_proof() => Some(0),
                Some(_) => Some(1),
                None => match self.prover.verdict(&next) {
                    Some(Verdict::Held { leans }) => {
                        let fresh = self
                            .needed(&next)
                            .iter()
                            .filter(|it| !chosen.contains_key(it))
                            .count();
                        Some(2 + 2 * fresh + usize::from(leans))
                    }
                    _ => None,
                },
            }
        };
        let moves = position.legal_moves().into_iter();
        moves
            .filter_map(|mv| Some((need(mv)?, mv)))
            .min_by_key(|&(need, _)| need)
            .map(|(_, mv)| mv)
    }
}

/// The steps that are still needed once every choice is made.
fn reachable(
    roots: &[Position],
    moves: &HashMap<Position, Move>,
    needed: impl Fn(&Position) -> Vec<Position>,
) -> Vec<(Position, Move)> {
    let mut steps = Vec::new();
    let mut seen: HashSet<Position> = roots.iter().copied().collect();
    let mut open = roots.to_vec();
    while let Some(position) = open.pop() {
        let Some(&mv) = moves.get(&position) else {
            continue;
        };
        steps.push((position, mv));
        for next in needed(&position.play(mv)) {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    steps
}
