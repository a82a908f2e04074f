//! Depth-first proof-number search for "the attacker wins", on one thread.
//!
//! Nagai's df-pn with the weak sum (the largest child and one for each other open child), since
//! kings reach the same positions by many ways. Coming back to a position of the path is no win
//! for the attacker; a disproof that rests on that leans on the position it came back to, and
//! counts elsewhere unless that is won. So some disproofs are wrong: `strategy` finds and repairs
//! them. Proofs lean on nothing. Start reading at [`Prover::run`].
//!
//! Tried for draws with kings instead: to choose a move for each position of the holder and to
//! collect what the attacker can reach, until nothing new comes, choosing anew where the attacker
//! breaks through. Of 16 drawn positions of 8 to 10 pieces it closed none that this search leaves
//! open; one had 10 million positions after 100 seconds and still grew.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use super::guess::Guess;
use super::leaf::{self, Ends, Leaf, Rules};
use super::numbers::{INFINITE, MOST, Numbers};
use super::table::{Entry, Table};
use crate::board::Color;
use crate::eval::Evaluator;
use crate::rules::{Key, Move, Position};
use crate::tablebase::Tablebase;

/// The longest line that is followed, in plies.
const LONGEST_PATH: usize = 400;
/// Added to a child for each other thread that works below it.
const CROWDING: u32 = 8;
/// How many disproofs leaning on one another are followed.
const MOST_LEANING: u32 = 4;
/// The stack of a thread that proves: frames hold their children.
pub(super) const STACK_BYTES: usize = 256 << 20;

/// What all threads of a proof share.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) table: &'a Table,
    pub(super) tablebase: &'a Tablebase,
    pub(super) rules: Rules,
    /// How many threads are below a position, by some bits of its key.
    pub(super) busy: Box<[AtomicU8]>,
    pub(super) stop: AtomicBool,
    pub(super) nodes: AtomicU64,
}

const BUSY: usize = 1 << 14;

impl<'a> Shared<'a> {
    pub(super) fn new(table: &'a Table, tablebase: &'a Tablebase, rules: Rules) -> Self {
        Self {
            table,
            tablebase,
            rules,
            busy: (0..BUSY).map(|_| AtomicU8::new(0)).collect(),
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
        }
    }

    fn busy(&self, key: u64) -> &AtomicU8 {
        &self.busy[key as usize % BUSY]
    }
}

/// The key under which `table` knows a position, as seen by one attacker.
pub(super) fn key_for(position: &Position, attacker: Color) -> u64 {
    Key::of(position).0 ^ salt(attacker)
}

const fn salt(attacker: Color) -> u64 {
    match attacker {
        Color::Black => 0,
        Color::White => 0xA076_1D64_78BD_642F,
    }
}

struct Frame {
    key: u64,
    /// Whether the move that led here could be taken back.
    reversible: bool,
}

/// What is known of a node at a moment.
#[derive(Clone, Copy, Debug)]
struct State {
    numbers: Numbers,
    /// Of a disproof: the place on the path on which it leans; [`NOTHING`] for none.
    leans_on: usize,
    /// Of a proof: plies to its end.
    height: u32,
}

const NOTHING: usize = usize::MAX;

impl State {
    const fn of(numbers: Numbers) -> Self {
        Self {
            numbers,
            leans_on: NOTHING,
            height: 0,
        }
    }
}

struct Child {
    position: Position,
    key: u64,
    reversible: bool,
    state: State,
}

/// One thread with one question.
pub(super) struct Prover<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) ends: Ends<'a>,
    attacker: Color,
    evaluator: Evaluator,
    path: Vec<Frame>,
    nodes: u64,
    last_node: u64,
}

impl<'a> Prover<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, attacker: Color) -> Self {
        Self {
            shared,
            ends: Ends::new(shared.tablebase, shared.rules, attacker),
            attacker,
            evaluator: Evaluator::default(),
            path: Vec::new(),
            nodes: 0,
            last_node: 0,
        }
    }

    pub(super) const fn attacker(&self) -> Color {
        self.attacker
    }

    /// Whether the attacker wins `position`, if that is found within `budget` nodes. What was
    /// learnt stays in the table, so that the next call goes on.
    pub(super) fn run(&mut self, position: &Position, budget: u64) -> Option<bool> {
        let leaf = Leaf::of(position, &self.ends);
        if let Some(value) = leaf.value() {
            return Some(leaf::is_won(value, position.turn(), self.attacker));
        }
        self.last_node = self.nodes.saturating_add(budget);
        self.path.clear();
        let before = self.nodes;
        let limits = Numbers {
            phi: INFINITE,
            delta: INFINITE,
        };
        let key = key_for(position, self.attacker);
        let state = self.search(position, key, false, limits);
        self.shared.nodes.fetch_add(self.nodes - before, Relaxed);
        let attacks = position.turn() == self.attacker;
        state
            .numbers
            .is_settled()
            .then(|| state.numbers.is_won(attacks))
    }

    fn is_stopped(&self) -> bool {
        self.nodes >= self.last_node || self.shared.stop.load(Relaxed)
    }

    /// Works below `position` until its numbers reach `limits`.
    fn search(
        &mut self,
        position: &Position,
        key: u64,
        reversible: bool,
        limits: Numbers,
    ) -> State {
        if self.path.len() >= LONGEST_PATH {
            return State::of(Numbers::SET_ASIDE);
        }
        let began = self.nodes;
        self.nodes += 1;
        let attacks = position.turn() == self.attacker;
        if let Some(state) = self.by_database(position, key) {
            return state;
        }
        self.path.push(Frame { key, reversible });
        let mut children = self.children(position, key);
        let mut state = summary(&children, attacks);
        while !is_over(state.numbers, limits) && !self.is_stopped() {
            let (best, below) = self.choose(&children, limits);
            let child = &children[best];
            let (next, key, reversible) = (child.position, child.key, child.reversible);
            self.shared.busy(key).fetch_add(1, Relaxed);
            children[best].state = self.search(&next, key, reversible, below);
            self.shared.busy(key).fetch_sub(1, Relaxed);
            state = summary(&children, attacks);
        }
        self.path.pop();
        self.store(key, state, attacks, self.nodes - began);
        if state.leans_on >= self.path.len() {
            state.leans_on = NOTHING;
        }
        state
    }

    /// The state of a node that the databases decide; kept in the table, since decoding is slow.
    fn by_database(&self, position: &Position, key: u64) -> Option<State> {
        let value = Leaf::of(position, &self.ends).value()?;
        let won = leaf::is_won(value, position.turn(), self.attacker);
        let attacks = position.turn() == self.attacker;
        let numbers = Numbers::settled(won, attacks);
        let height = u32::from(won);
        let entry = Entry {
            numbers,
            effort: 1,
            height,
            leans_on: 0,
        };
        self.shared.table.put(key, &entry);
        Some(State {
            height,
            ..State::of(numbers)
        })
    }

    fn children(&mut self, position: &Position, key: u64) -> Vec<Child> {
        let moves = position.legal_moves();
        let born = |mv| self.born(position, key, mv);
        let mut children: Vec<Child> = moves.into_iter().map(born).collect();
        // All memory is asked for at once, so that the waits overlap.
        let table = self.shared.table;
        let near = children.iter().fold(0, |all, it| all ^ table.touch(it.key));
        std::hint::black_box(near);
        for child in &mut children {
            child.state = self.look_up(&child.position, child.key, child.reversible);
        }
        children
    }

    /// A child that nobody has looked at.
    fn born(&self, parent: &Position, key: u64, mv: Move) -> Child {
        let unsalted = Key(key ^ salt(self.attacker));
        Child {
            position: parent.play(mv),
            key: unsalted.after(parent, mv).0 ^ salt(self.attacker),
            reversible: !parent.is_irreversible(mv),
            state: State::of(Numbers::SET_ASIDE),
        }
    }

    /// What is known of a child before any work on it; databases are asked when it is its turn.
    fn look_up(&mut self, position: &Position, key: u64, reversible: bool) -> State {
        let attacks = position.turn() == self.attacker;
        if let Some(value) = Leaf::at_hand(position, &self.ends).value() {
            let won = leaf::is_won(value, position.turn(), self.attacker);
            return State::of(Numbers::settled(won, attacks));
        }
        if reversible && let Some(place) = self.earlier(key) {
            return State {
                leans_on: place,
                ..State::of(Numbers::settled(false, attacks))
            };
        }
        let entry = self.shared.table.get(key);
        if let Some(state) = entry.and_then(|entry| self.trusted(&entry)) {
            return state;
        }
        let mut guess = Guess {
            evaluator: &mut self.evaluator,
            tablebase: self.shared.tablebase,
            attacker: self.attacker,
        };
        State::of(guess.numbers(position))
    }

    /// Where on the path the position was, as far back as moves can be taken back.
    fn earlier(&self, key: u64) -> Option<usize> {
        for (place, frame) in self.path.iter().enumerate().rev() {
            if frame.key == key {
                return Some(place);
            }
            if !frame.reversible {
                return None;
            }
        }
        None
    }

    /// The state that an entry gives here; `None` if it leans on what is known to be won. What is
    /// not known yet is trusted: it is mostly held, and `strategy` repairs the rest.
    fn trusted(&self, entry: &Entry) -> Option<State> {
        let state = State {
            numbers: entry.numbers,
            leans_on: NOTHING,
            height: entry.height,
        };
        let mut leans_on = entry.leans_on;
        for _ in 0..MOST_LEANING {
            if leans_on == 0 {
                break;
            }
            if let Some(place) = self.path.iter().position(|frame| frame.key == leans_on) {
                return Some(State {
                    leans_on: place,
                    ..state
                });
            }
            let Some(support) = self.shared.table.get(leans_on) else {
                break;
            };
            // Only what is won has a height.
            if support.height > 0 {
                return None;
            }
            leans_on = support.leans_on;
        }
        Some(state)
    }

    /// The child to work on and how far.
    fn choose(&self, children: &[Child], limits: Numbers) -> (usize, Numbers) {
        let (mut best, mut least, mut second) = (0, u32::MAX, u32::MAX);
        let mut open = 0;
        for (nth, child) in children.iter().enumerate() {
            if child.state.numbers.phi == 0 {
                continue;
            }
            open += 1;
            let crowd = u32::from(self.shared.busy(child.key).load(Relaxed));
            let delta = child.state.numbers.delta + crowd * CROWDING;
            if delta < least {
                (best, second, least) = (nth, least, delta);
            } else {
                second = second.min(delta);
            }
        }
        let numbers = children[best].state.numbers;
        let patience = second.saturating_add(1 + second / 4);
        let delta = limits.phi.min(patience).max(numbers.delta + 1);
        let phi = limits.delta - (open - 1);
        (best, Numbers { phi, delta })
    }

    fn store(&self, key: u64, state: State, attacks: bool, spent: u64) {
        let before = self.shared.table.get(key);
        let settled = state.numbers.is_settled();
        let won = settled && state.numbers.is_won(attacks);
        let mut entry = Entry {
            numbers: state.numbers,
            effort: u32::try_from(spent).unwrap_or(u32::MAX),
            height: state.height,
            leans_on: 0,
        };
        if let Some(leaning) = self.path.get(state.leans_on) {
            entry.leans_on = leaning.key;
        }
        if let Some(before) = before {
            entry.effort = entry.effort.saturating_add(before.effort);
            let firm = before.numbers.is_settled() && before.leans_on == 0;
            if firm && (!settled || (before.height > 0 && !won)) {
                return;
            }
            if won && before.height > 0 {
                entry.height = entry.height.min(before.height);
            }
        }
        self.shared.table.put(key, &entry);
    }

    /// Notes that the attacker wins `position`, which a disproof had overlooked.
    pub(super) fn note_won(&self, position: &Position, height: u32) {
        let attacks = position.turn() == self.attacker;
        let entry = Entry {
            numbers: Numbers::settled(true, attacks),
            effort: 1_000,
            height: height.max(1),
            leans_on: 0,
        };
        let key = key_for(position, self.attacker);
        self.shared.table.put(key, &entry);
    }

    /// Forgets a disproof that does not hold.
    pub(super) fn forget(&self, position: &Position) {
        let entry = Entry {
            numbers: Numbers { phi: 1, delta: 1 },
            effort: 1,
            height: 0,
            leans_on: 0,
        };
        let key = key_for(position, self.attacker);
        self.shared.table.put(key, &entry);
    }

    /// What the table says of `position`: the attacker wins after so many plies at most, or he
    /// does not. Disproofs count whatever they lean on.
    pub(super) fn verdict(&self, position: &Position) -> Option<Verdict> {
        let attacks = position.turn() == self.attacker;
        let entry = self.shared.table.get(key_for(position, self.attacker))?;
        if !entry.numbers.is_settled() {
            return None;
        }
        Some(if entry.numbers.is_won(attacks) {
            Verdict::Won(entry.height)
        } else {
            Verdict::Held {
                leans: entry.leans_on != 0,
            }
        })
    }
}

/// A settled entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The attacker wins; the height of the proof.
    Won(u32),
    /// The attacker does not win.
    Held {
        /// If another position is not won either.
        leans: bool,
    },
}

fn is_over(numbers: Numbers, limits: Numbers) -> bool {
    let reached = numbers.phi >= limits.phi || numbers.delta >= limits.delta;
    reached || numbers.is_settled() || numbers.phi >= MOST || numbers.delta >= MOST
}

/// What the children say of their parent.
fn summary(children: &[Child], attacks: bool) -> State {
    let numbers = |child: &Child| child.state.numbers;
    if children.iter().any(|child| numbers(child).delta == 0) {
        let good = children.iter().filter(|child| numbers(child).delta == 0);
        return reached(good, attacks);
    }
    if children.iter().all(|child| numbers(child).phi == 0) {
        return failed(children, attacks);
    }
    let open = children.iter().filter(|child| numbers(child).phi != 0);
    let (mut phi, mut largest, mut count) = (MOST, 0, 0);
    for child in open {
        phi = phi.min(numbers(child).delta);
        largest = largest.max(numbers(child).phi);
        count += 1;
    }
    let delta = (largest + (count - 1)).min(MOST);
    State::of(Numbers { phi, delta })
}

fn reached<'a>(good: impl Iterator<Item = &'a Child>, attacks: bool) -> State {
    let state = State::of(Numbers::REACHED);
    if attacks {
        let height = good.map(|child| child.state.height).min();
        return State {
            height: height.unwrap_or(0) + 1,
            ..state
        };
    }
    let firmest = good.map(|child| child.state.leans_on).max();
    State {
        leans_on: firmest.unwrap_or(NOTHING),
        ..state
    }
}

fn failed(children: &[Child], attacks: bool) -> State {
    let state = State::of(Numbers::FAILED);
    if attacks {
        let weakest = children.iter().map(|child| child.state.leans_on).min();
        return State {
            leans_on: weakest.unwrap_or(NOTHING),
            ..state
        };
    }
    let height = children.iter().map(|child| child.state.height).max();
    State {
        height: height.unwrap_or(0) + 1,
        ..state
    }
}
