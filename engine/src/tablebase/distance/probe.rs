//! The distance of any position, from what is stored and from the moves.
//!
//! The distance of a won position follows from those of the lost ones that its moves lead to, so
//! one distance needs at most as many look-ups as there are moves. Where a file tells short
//! distances only as short, they are found by a search of as many plies. Start reading at
//! [`Tablebase::distance`].

use std::collections::HashMap;

use super::super::probe::{ProbeError, Tablebase};
use super::super::wld::Wld;
use crate::rules::{Move, Position, law::QUIET_PLIES_TO_DRAW};

/// What is known of a position after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rated {
    /// The move.
    pub mv: Move,
    /// For the side that makes it; `None` where the databases do not say.
    pub value: Option<Wld>,
    /// Plies from before the move to the next capture or man's move; `None` for draws and where the
    /// databases do not say.
    pub distance: Option<u32>,
}

impl Rated {
    /// The place in an order from best to worst for the mover: wins, the shorter the better, then
    /// draws, then losses, the longer the better; what is unknown comes last.
    #[must_use]
    pub fn order(&self) -> (u8, i64) {
        let plies = self.distance.map_or(i64::from(u32::MAX), i64::from);
        match self.value {
            Some(Wld::Win) => (0, plies),
            Some(Wld::Draw) => (1, 0),
            Some(Wld::Loss) => (2, -plies),
            None => (3, 0),
        }
    }
}

/// What is left of `value` under the 40-move rule, `quiet_plies` after the last capture or man's
/// move, with `distance` plies to go to the next one.
#[must_use]
pub fn forty_move_value(value: Wld, distance: Option<u32>, quiet_plies: u32) -> Wld {
    match distance {
        Some(distance) if quiet_plies.saturating_add(distance) > QUIET_PLIES_TO_DRAW => Wld::Draw,
        _ => value,
    }
}

impl Tablebase {
    /// How many plies the best play of both sides takes to the next capture or man's move, or to
    /// the end of the game; `None` in a draw.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] when the values or distances of a slice that is needed are missing or
    /// damaged.
    pub fn distance(&self, position: &Position) -> Result<Option<u32>, ProbeError> {
        match self.probe(position)? {
            Wld::Draw => Ok(None),
            value => self.plies(position, value).map(Some),
        }
    }

    /// Plies from before a winning move to the next capture or man's move, where it is known.
    #[must_use]
    pub fn distance_after(&self, position: &Position, mv: Move) -> Option<u32> {
        if position.is_irreversible(mv) {
            return Some(1);
        }
        let plies = self.plies(&position.play(mv), Wld::Loss).ok()?;
        Some(plies + 1)
    }

    /// Every legal move with its value and distance, in no order.
    #[must_use]
    pub fn rate_moves(&self, position: &Position) -> Vec<Rated> {
        let rate = |mv: Move| {
            let next = position.play(mv);
            let value = self.probe(&next).ok().map(|value| -value);
            let distance = match value {
                None | Some(Wld::Draw) => None,
                Some(_) if position.is_irreversible(mv) => Some(1),
                Some(value) => self.plies(&next, -value).ok().map(|plies| plies + 1),
            };
            Rated {
                mv,
                value,
                distance,
            }
        };
        position.legal_moves().into_iter().map(rate).collect()
    }

    /// The distance of a position that is known to be won or lost.
    fn plies(&self, position: &Position, value: Wld) -> Result<u32, ProbeError> {
        if let Some(plies) = at_once(position) {
            return Ok(plies);
        }
        if value == Wld::Win || position.kings(!position.turn()).is_empty() {
            return self.plies_by_moves(position, value);
        }
        let (plies, least) = self.stored_distance(position)?;
        if plies > least {
            return Ok(u32::from(plies));
        }
        let mut known = HashMap::new();
        for plies in 1..least {
            if self.is_within(position, value, plies, &mut known)? {
                return Ok(u32::from(plies));
            }
        }
        Ok(u32::from(least))
    }

    /// The distance of a won position, or of kings that lose against men, by those of the
    /// successors: these are lost, or men and at distance 1.
    fn plies_by_moves(&self, position: &Position, value: Wld) -> Result<u32, ProbeError> {
        let mut found = None;
        for mv in position.legal_moves() {
            let next = position.play(mv);
            if value == Wld::Win && self.probe(&next)? != Wld::Loss {
                continue;
            }
            let plies = if position.is_irreversible(mv) {
                1
            } else {
                1 + self.plies(&next, -value)?
            };
            found = Some(match (found, value) {
                (None, _) => plies,
                (Some(before), Wld::Win) => plies.min(before),
                (Some(before), _) => plies.max(before),
            });
        }
        Ok(found.unwrap_or(1))
    }

    /// Whether the distance is at most `plies`, by a search; `known` has for positions the plies
    /// that are too few and those that are enough.
    fn is_within(
        &self,
        position: &Position,
        value: Wld,
        plies: u8,
        known: &mut HashMap<Position, (u8, u8)>,
    ) -> Result<bool, ProbeError> {
        if let Some(distance) = at_once(position) {
            return Ok(distance <= u32::from(plies));
        }
        if plies == 0 {
            return Ok(false);
        }
        let (few, enough) = match known.get(position) {
            Some(&bounds) => bounds,
            None => self.stored_bounds(position, value)?,
        };
        if plies <= few || plies >= enough {
            return Ok(plies >= enough);
        }
        let mut within = value == Wld::Loss;
        for mv in position.legal_moves() {
            let next = position.play(mv);
            if value == Wld::Win && self.probe(&next)? != Wld::Loss {
                continue;
            }
            let ends =
                position.is_irreversible(mv) || self.is_within(&next, -value, plies - 1, known)?;
            if ends == (value == Wld::Win) {
                within = ends;
                break;
            }
        }
        let bounds = if within {
            (few, plies)
        } else {
            (plies, enough)
        };
        known.insert(*position, bounds);
        Ok(within)
    }

    /// The plies that are too few and those that are enough, by what is stored.
    fn stored_bounds(&self, position: &Position, value: Wld) -> Result<(u8, u8), ProbeError> {
        if value == Wld::Win || position.kings(!position.turn()).is_empty() {
            return Ok((0, u8::MAX));
        }
        let (plies, least) = self.stored_distance(position)?;
        Ok(if plies > least {
            (plies - 1, plies)
        } else {
            (0, least)
        })
    }
}

/// The distance where it needs no look-up: where every move is a capture or a man's move, or
/// there is none.
fn at_once(position: &Position) -> Option<u32> {
    let kings = position.kings(position.turn());
    (kings.is_empty() || position.has_jump() || !position.can_move()).then_some(1)
}
