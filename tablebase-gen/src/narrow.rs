//! Captures where the opponent has one king or none: a row is one word, passed by value.
//!
//! The same walk as in the module `capture`, whose rows live in memory; here nearly all time
//! would go into handling them. Bit 0 is the whole row when no king is left, else bit `n` is the
//! king on its square `n`, as its owner counts.

use engine::board::{Bitboard, Direction, steps};
use engine::tablebase::index::rank;

use crate::capture::{FORWARD, Scene, Trip};
use crate::lookup::Lookup;

/// What captures lead to; bits of placements that are not legal have no meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) wins: u32,
    pub(crate) saves: u32,
    pub(crate) any: u32,
}

/// The captures of a side whose kings stand on `kings`.
#[inline]
pub(crate) fn captures(scene: &Scene, lookup: &mut Lookup<'_>, kings: Bitboard) -> Word {
    let mut word = Word::default();
    for at in scene.men | kings {
        jumps(scene, lookup, &Trip::start(scene, kings, at), &mut word);
    }
    word
}

/// Adds what each further jump of `trip` leads to.
fn jumps(scene: &Scene, lookup: &mut Lookup<'_>, trip: &Trip, word: &mut Word) {
    let directions: &[Direction] = if trip.is_man {
        &FORWARD
    } else {
        &Direction::ALL
    };
    let blocked = trip.men | trip.kings | scene.their_men | trip.taken_kings;
    let king_left = scene.their_kings > 0 && trip.taken_kings.is_empty();
    for &direction in directions {
        let over = steps::step(trip.at.bit(), direction);
        let landing = steps::step(over, direction);
        let (Some(victim), Some(to)) = (over.first(), landing.first()) else {
            continue;
        };
        if blocked.meets(landing) {
            continue;
        }
        if (scene.their_men - trip.taken_men).contains(victim) {
            let open = if king_left { !to.rotated().bit().0 } else { !0 };
            let found = land(scene, lookup, &trip.over_man(victim, to));
            word.wins |= found.wins & open;
            word.saves |= found.saves & open;
            word.any |= open;
        } else if king_left && !blocked.contains(victim) {
            let found = land(scene, lookup, &trip.over_king(victim, to));
            let bit = victim.rotated().index();
            word.wins |= (found.wins & 1) << bit;
            word.saves |= (found.saves & 1) << bit;
            word.any |= 1 << bit;
        }
    }
}

/// The results after a landing: further jumps where there are any, elsewhere the position that
/// the move leaves.
fn land(scene: &Scene, lookup: &mut Lookup<'_>, trip: &Trip) -> Word {
    let mut word = Word::default();
    jumps(scene, lookup, trip, &mut word);
    let (own, men, kings, their, their_men) = trip.end(scene);
    let planes = lookup.after((own, men), (their, their_men));
    planes.row(rank(kings) as usize, |lost, open| {
        word.wins |= lost[0] & !word.any;
        word.saves |= open[0] & !word.any;
    });
    word
}
