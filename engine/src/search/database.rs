//! Endgame databases inside a search: when they are asked, and what they are worth as scores.
//!
//! As long as the root is unknown, a known value ends a line at once. Once the root itself is
//! known its value is no question any more, and progress is: lines that keep the value go on
//! until a capture or a man's move, and only lines that change it end. Knows positions and scores,
//! not files. Start reading at [`Worker::consult`].

use super::params::{DECODE_DEPTH, TRUSTED_QUIET_PLIES};
use super::root::RootMove;
use super::worker::{Node, Worker};
use crate::rules::{Game, Position};
use crate::score::{Depth, Ply, Score};
use crate::tablebase::{Effort, Tablebase, Wld, forty_move_value};

/// The databases of one search, with what they say of its root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Databases<'a> {
    tablebase: &'a Tablebase,
    most_pieces: u32,
    /// For the side to move at the root, as far as the 40-move rule leaves it.
    root: Option<Wld>,
}

impl<'a> Databases<'a> {
    pub(super) fn new(tablebase: &'a Tablebase, game: &Game) -> Self {
        Self {
            tablebase,
            most_pieces: tablebase.most_pieces(),
            root: tablebase.probe(&game.position()).ok(),
        }
    }

    /// The value of nodes at `ply` that keep the value of the root.
    #[inline]
    fn expected(&self, ply: Ply) -> Option<Wld> {
        if ply.0.is_multiple_of(2) {
            self.root
        } else {
            self.root.map(|value| -value)
        }
    }

    /// Keeps entries of the table apart whose scores mean different things: the value, or the
    /// progress that one side makes.
    pub(super) fn salt(&self, position: &Position) -> u64 {
        const PROGRESS: u64 = 0xD1B5_4A32_D192_ED03;
        let winner = match self.root {
            None => return 0,
            Some(Wld::Draw) => 2,
            Some(Wld::Win) => position.turn().index(),
            Some(Wld::Loss) => position.turn().opponent().index(),
        };
        PROGRESS.rotate_left(winner as u32)
    }

    /// The root moves worth searching, when so many `lines` are asked for: if they are enough,
    /// those that keep the value, and of winning ones those that come nearest to the next capture
    /// or man's move.
    pub(super) fn roots(&mut self, game: &Game, lines: usize) -> Vec<RootMove> {
        let position = game.position();
        let mut roots = RootMove::all(&position);
        let Some(value) = self.root else {
            return roots;
        };
        for root in &mut roots {
            let value = self.tablebase.probe(&position.play(root.mv));
            root.value = value.ok().map(|value| -value);
        }
        let kept = roots.iter().filter(|root| root.value == self.root).count();
        if kept < lines.max(1) {
            roots.sort_by_key(|root| std::cmp::Reverse(root.value));
            return roots;
        }
        roots.retain(|root| root.value == self.root);
        if value == Wld::Win && lines <= 1 {
            self.keep_nearest(game, &mut roots);
        }
        roots
    }

    /// Keeps the winning moves of the least distance, where distances are known. A win that comes
    /// too late for the 40-move rule is played for, but not taken for one.
    fn keep_nearest(&mut self, game: &Game, roots: &mut Vec<RootMove>) {
        for root in roots.iter_mut() {
            root.distance = self.tablebase.distance_after(&game.position(), root.mv);
        }
        let nearest = roots.iter().filter_map(|root| root.distance).min();
        if nearest.is_none() {
            return;
        }
        roots.retain(|root| root.distance == nearest);
        if forty_move_value(Wld::Win, nearest, game.quiet_plies()) != Wld::Win {
            self.root = None;
            for root in roots {
                (root.value, root.distance) = (None, None);
            }
        }
    }
}

impl Worker<'_> {
    /// The score of `node` if the databases decide it. They are asked where nobody can capture,
    /// so that one look-up is enough, and near the horizon only for what is at hand.
    #[inline]
    pub(super) fn consult(&mut self, node: &Node, depth: Depth) -> Option<Score> {
        let shared = self.shared;
        let databases = shared.databases.as_ref()?;
        if node.position.occupied().len() > databases.most_pieces {
            return None;
        }
        self.ask(databases, node, depth)
    }

    fn ask(&mut self, databases: &Databases<'_>, node: &Node, depth: Depth) -> Option<Score> {
        let position = &node.position;
        if position.has_jump() || position.is_threatened() || !position.can_move() {
            return None;
        }
        let effort = if depth.0 >= DECODE_DEPTH {
            Effort::Decode
        } else {
            Effort::AtHand
        };
        self.count_look_up();
        let value = databases.tablebase.probe_quiet(position, effort)?;
        let expected = databases.expected(node.ply) == Some(value);
        match value {
            Wld::Draw => (!expected).then_some(Score::DRAW),
            _ if expected && node.quiet_plies > 0 => None,
            // The 40-move rule may be nearer than the next capture or man's move.
            _ if node.quiet_plies > TRUSTED_QUIET_PLIES => None,
            value => Some(decided(value, node.ply)),
        }
    }

    /// The score of a node whose moves are not searched: the evaluation, within the band of won or
    /// lost positions where the value is known to be that of the root.
    pub(super) fn at_horizon(&mut self, node: &Node, eval: Score) -> Score {
        let shared = self.shared;
        let databases = shared.databases.as_ref();
        let Some(databases) = databases.filter(|it| matches!(it.root, Some(Wld::Win | Wld::Loss)))
        else {
            return eval;
        };
        self.count_look_up();
        match databases.tablebase.probe(&node.position) {
            Ok(Wld::Draw) => Score::DRAW,
            Ok(value) if databases.expected(node.ply) == Some(value) => match value {
                Wld::Win => Score::database_win_by(eval),
                _ => -Score::database_win_by(-eval),
            },
            Ok(value) => decided(value, node.ply),
            Err(_) => eval,
        }
    }
}

/// A win or a loss as the score of a node at `ply`.
fn decided(value: Wld, ply: Ply) -> Score {
    match value {
        Wld::Win => Score::database_win_in(ply.0),
        Wld::Draw => Score::DRAW,
        Wld::Loss => Score::database_loss_in(ply.0),
    }
}
