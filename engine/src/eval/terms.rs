//! What there is to see on a board, each term counted for both sides and weighed.
//!
//! A term is a number of things found; its weight differs between the full board and the empty
//! one, and the number of pieces interpolates. Terms of the side to move count for it, those of
//! the opponent against it, so that colours are treated alike by construction.

use super::view::View;
use super::weights::{self, Weight};
use crate::board::Direction::{DownLeft, DownRight, UpLeft, UpRight};
use crate::board::steps::step;
use crate::board::{Bitboard, regions};
use crate::rules::Position;

/// The value for the side to move in hundredths of a man, unbounded.
#[inline]
pub(super) fn value(position: &Position) -> i32 {
    let us = View::of(position, position.turn());
    let them = us.opposite();
    let pieces = position.occupied().len() as i32;
    let sum = side(us) - side(them) + shared(position, us);
    sum.at(pieces)
}

/// The terms of one side.
#[inline]
fn side(view: View) -> Weight {
    weights::men_at(view.men)
        + kings(view)
        + back_rank(view)
        + mobility(view)
        + free_men(view)
        + shape(view)
}

/// Terms that concern both sides at once.
#[inline]
fn shared(position: &Position, us: View) -> Weight {
    weights::TO_MOVE + majority(us) + opposition(position)
}

fn count(set: Bitboard) -> i32 {
    set.len() as i32
}

#[inline]
fn kings(view: View) -> Weight {
    if view.kings.is_empty() {
        return Weight::ZERO;
    }
    let behind = count(view.own()) < count(view.foe());
    let sheltered = count(view.kings & regions::DOUBLE_CORNERS);
    let shelter = if behind {
        weights::SHELTER_BEHIND * sheltered
    } else {
        Weight::ZERO
    };
    weights::kings_at(view.kings) + shelter
}

/// The men on the home row, who keep the foe from being crowned.
#[inline]
fn back_rank(view: View) -> Weight {
    if view.foe_men.is_empty() {
        return Weight::ZERO;
    }
    weights::BACK_RANK[(view.men.0 & 15) as usize]
}

/// Steps that are not answered by a jump, and pieces that have none.
#[inline]
fn mobility(view: View) -> Weight {
    let vacant = view.vacant();
    let safe = vacant - view.attacked();
    let steps = [UpLeft, UpRight].map(|direction| step(view.men, direction) & safe);
    let stuck = view.men - (step(vacant, DownLeft) | step(vacant, DownRight));
    let men = weights::MAN_STEP * (count(steps[0]) + count(steps[1]))
        + weights::STUCK_MAN * count(stuck)
        + weights::DOG_HOLE * dog_holes(view);
    if view.kings.is_empty() {
        return men;
    }
    let near_safe =
        step(safe, UpLeft) | step(safe, UpRight) | step(safe, DownLeft) | step(safe, DownRight);
    let reach = step(view.kings, UpLeft)
        | step(view.kings, UpRight)
        | step(view.kings, DownLeft)
        | step(view.kings, DownRight);
    men + weights::KING_STEP * count(reach & safe)
        + weights::TRAPPED_KING * count(view.kings - near_safe)
}

/// A man at the end of the left edge whom a foe on its crownhead holds for ever.
#[inline]
fn dog_holes(view: View) -> i32 {
    const HOLE: Bitboard = Bitboard(1 << 27);
    const KEEPER: Bitboard = Bitboard(1 << 31);
    i32::from(view.men.meets(HOLE) && view.foe_men.meets(KEEPER))
}

/// Men whom nobody can stop, by how far they have come.
#[inline]
fn free_men(view: View) -> Weight {
    let free = view.free_men();
    if free.is_empty() {
        return Weight::ZERO;
    }
    let watched = usize::from(view.foe_kings.any());
    (2..7).fold(Weight::ZERO, |sum, row| {
        let men = count(free & regions::row(row));
        sum + weights::FREE_MAN[watched][row as usize - 2] * men
    })
}

/// Men with support behind them, and men spread evenly.
#[inline]
fn shape(view: View) -> Weight {
    const LEFT: Bitboard = Bitboard(0xCCCC_CCCC);
    let own = view.own();
    let (left, right) = (step(own, UpLeft) & view.men, step(own, UpRight) & view.men);
    let skew = 2 * count(view.men & LEFT) - count(view.men);
    weights::SUPPORTED * count(left | right)
        + weights::DOUBLY_SUPPORTED * count(left & right)
        + weights::SKEW * skew.abs()
}

/// The share of the majority: a piece more is worth more on an emptier board.
#[inline]
fn majority(us: View) -> Weight {
    let (own, foe) = (count(us.own()), count(us.foe()));
    weights::MAJORITY.scaled(weights::MAJORITY_SCALE * (own - foe), own + foe)
}

/// "The move": with equal numbers, the side to move has it if the pieces that stand in the
/// columns of its own home row are odd in number.
#[inline]
fn opposition(position: &Position) -> Weight {
    if count(position.own()) != count(position.theirs()) {
        return Weight::ZERO;
    }
    let system = match position.turn() {
        crate::board::Color::Black => regions::EVEN_ROWS,
        crate::board::Color::White => regions::ODD_ROWS,
    };
    let odd = count(position.occupied() & system) & 1;
    weights::OPPOSITION * (2 * odd - 1)
}
