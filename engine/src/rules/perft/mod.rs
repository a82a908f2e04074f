//! Perft: how many sequences of moves of a given length a position has, to check and to time
//! move generators by.
//!
//! [`Perft`] counts. It walks the tree down to the last two plies one position at a time; there
//! `frontier` takes over and counts many positions at once, with the loops in `passes`, which
//! `kernel` runs on the best instructions of the machine. Nothing here is used in play.

mod columns;
mod frontier;
mod hops;
mod kernel;
mod node;
mod passes;
mod table;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use thiserror::Error;

use self::frontier::Frontier;
use self::kernel::Kernel;
use self::node::Node;
use self::table::Table;
use super::side::{Side, for_side};
use super::{Position, Route};
use crate::board::Color;

/// The resources asked for cannot be had.
#[derive(Debug, Error)]
pub enum PerftError {
    /// No memory for the table.
    #[error("no memory for a table of {0} MiB")]
    Memory(usize),
    /// No threads.
    #[error("cannot start {0} threads")]
    Threads(usize),
}

/// A counter, with its threads and its table.
///
/// ```
/// use engine::rules::Position;
/// use engine::rules::perft::Perft;
///
/// assert_eq!(Perft::by_route().count(&Position::START, 6), 36_768);
/// ```
pub struct Perft {
    merged: bool,
    kernel: Kernel,
    table: Option<Table>,
    threads: Option<rayon::ThreadPool>,
}

impl Perft {
    /// Counts every route, as published counts do.
    #[must_use]
    pub fn by_route() -> Self {
        Self {
            merged: false,
            kernel: Kernel::best(),
            table: None,
            threads: None,
        }
    }

    /// Counts routes with the same ends round the same captured pieces once, as
    /// [`Position::legal_moves`] lists them.
    #[must_use]
    pub fn merged() -> Self {
        Self {
            merged: true,
            ..Self::by_route()
        }
    }

    /// Counts on `threads` threads instead of the caller's.
    ///
    /// # Errors
    ///
    /// [`PerftError::Threads`] if the system does not give them.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, PerftError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        self.threads = Some(pool.build().map_err(|_| PerftError::Threads(threads))?);
        Ok(self)
    }

    /// Remembers counts in a table of `megabytes` MiB.
    ///
    /// # Errors
    ///
    /// [`PerftError::Memory`] if the system does not give it.
    pub fn with_table(mut self, megabytes: usize) -> Result<Self, PerftError> {
        let table = Table::new(megabytes).map_err(|_| PerftError::Memory(megabytes))?;
        self.table = Some(table);
        Ok(self)
    }

    /// The sequences of `depth` plies from `position`. A side that cannot move ends its
    /// sequence; shorter sequences count nothing.
    #[must_use]
    pub fn count(&self, position: &Position, depth: u8) -> u64 {
        if depth == 0 {
            return 1;
        }
        let root = Node::new(position);
        for_side!(position.turn(), S => match &self.threads {
            Some(pool) => pool.install(|| self.count_shared::<S>(root, depth)),
            None => self.count_alone::<S>(root, depth, &mut self.frontier::<S>(depth)),
        })
    }

    /// The count behind each move of `position`: `depth` plies, this move included. Nothing for
    /// a depth of 0.
    #[must_use]
    pub fn divide(&self, position: &Position, depth: u8) -> Vec<(Route, u64)> {
        let Some(rest) = depth.checked_sub(1) else {
            return Vec::new();
        };
        let mut routes = position.routes();
        if self.merged {
            let mut seen = Vec::new();
            routes.retain(|route| {
                let new = !seen.contains(&route.as_move());
                seen.push(route.as_move());
                new
            });
        }
        let behind = |route: &Route| {
            let child = position.play(route.as_move());
            self.count(&child, rest)
        };
        let counts: Vec<u64> = routes.iter().map(behind).collect();
        routes.into_iter().zip(counts).collect()
    }

    /// Splits the tree into some hundred parts for the threads of the pool.
    fn count_shared<S: Side>(&self, root: Node, depth: u8) -> u64 {
        const PARTS: usize = 512;
        let mut parts = vec![root];
        let mut color = S::COLOR;
        let mut rest = depth;
        while parts.len() < PARTS && rest > table::LEAST_DEPTH {
            parts = for_side!(color, T => self.children::<T>(&parts));
            color = !color;
            rest -= 1;
        }
        for_side!(color, T => parts
            .into_par_iter()
            .map_init(
                || self.frontier::<T>(rest),
                |frontier, part| self.count_alone::<T>(part, rest, frontier),
            )
            .sum())
    }

    fn children<S: Side>(&self, nodes: &[Node]) -> Vec<Node> {
        let mut children = Vec::new();
        for node in nodes {
            node.each_child::<S>(self.merged, |child| children.push(child));
        }
        children
    }

    /// What gathers the last plies of a tree of `depth` plies in which `S` moves first.
    fn frontier<S: Side>(&self, depth: u8) -> Frontier {
        let last: Color = if depth % 2 == 1 {
            S::COLOR
        } else {
            S::COLOR.opponent()
        };
        Frontier::new(last, self.merged, self.kernel)
    }

    fn count_alone<S: Side>(&self, node: Node, depth: u8, frontier: &mut Frontier) -> u64 {
        match &self.table {
            Some(table) if depth >= table::LEAST_DEPTH => {
                self.count_remembered::<S>(table, node, depth, frontier)
            }
            _ => {
                walk::<S>(node, depth, frontier);
                frontier.finish()
            }
        }
    }

    fn count_remembered<S: Side>(
        &self,
        table: &Table,
        node: Node,
        depth: u8,
        frontier: &mut Frontier,
    ) -> u64 {
        if let Some(count) = table.get(node, S::COLOR, depth) {
            return count;
        }
        let mut count = 0;
        if depth == table::LEAST_DEPTH {
            walk::<S>(node, depth, frontier);
            count = frontier.finish();
        } else {
            node.each_child::<S>(self.merged, |child| {
                count += self.count_remembered::<S::Opponent>(table, child, depth - 1, frontier);
            });
        }
        table.put(node, S::COLOR, depth, count);
        count
    }
}

/// Takes the tree below `node` down to the frontier.
fn walk<S: Side>(node: Node, depth: u8, frontier: &mut Frontier) {
    match depth {
        0 => {}
        1 => frontier.gather_leaf(node),
        2 => frontier.gather(node),
        _ => {
            let merged = frontier.merged();
            node.each_child::<S>(merged, |child| {
                walk::<S::Opponent>(child, depth - 1, frontier);
            });
        }
    }
}
