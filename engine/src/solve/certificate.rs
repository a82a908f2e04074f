//! Certificates: a claim and the strategies that prove it, as bytes.
//!
//! ```text
//! crownhead certificate 1            a text header, lines ended by \n
//! position W:WK32:BK26
//! rules no-forty                     or forty
//! claim win                          win, draw, loss, at-least-draw, at-most-draw: for the mover
//! database 0101 1a2b3c4d             material with the mover first, CRC-32 of its image; any number
//! strategy White win 123             one or two: side, win or hold, number of steps
//! end
//! step, 13 bytes each                Black's pieces, White's, kings: 32-bit sets, square n being
//!                                    bit n-1, little endian; the move's number, a byte
//! crc32                              of everything before it, little endian
//! ```
//!
//! A step is a position with the strategy's side to move. Its legal moves are numbered from 0 in
//! the order of from, to, captured set. Positions after the opponent's replies are either other
//! steps or ends: positions without a legal move, or positions in which nobody can jump with a
//! database value. With `win` they are earlier steps. This module only writes; `check` reads.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::leaf::{Ends, Leaf, Rules};
use super::strategy::{Aim, Strategy};
use crate::board::Color;
use crate::rules::{Move, Piece, Position};
use crate::tablebase::{Slice, Tablebase, Wld};

/// The first line of a certificate.
pub const MAGIC: &str = "crownhead certificate 1";

/// What a certificate proves of a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The value itself.
    Exactly(Wld),
    /// A draw or a win.
    AtLeastDraw,
    /// A draw or a loss.
    AtMostDraw,
}

impl Claim {
    /// Every claim.
    pub const ALL: [Self; 5] = [
        Self::Exactly(Wld::Loss),
        Self::Exactly(Wld::Draw),
        Self::Exactly(Wld::Win),
        Self::AtLeastDraw,
        Self::AtMostDraw,
    ];

    /// The strategies that prove it, `mover` being the side to move.
    #[must_use]
    pub fn needs(self, mover: Color) -> Vec<(Color, Aim)> {
        let other = mover.opponent();
        match self {
            Self::Exactly(Wld::Win) => vec![(mover, Aim::Win)],
            Self::Exactly(Wld::Loss) => vec![(other, Aim::Win)],
            Self::Exactly(Wld::Draw) => vec![(mover, Aim::Hold), (other, Aim::Hold)],
            Self::AtLeastDraw => vec![(mover, Aim::Hold)],
            Self::AtMostDraw => vec![(other, Aim::Hold)],
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exactly(value) => value.name(),
            Self::AtLeastDraw => "at-least-draw",
            Self::AtMostDraw => "at-most-draw",
        })
    }
}

/// Why a certificate cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// The strategies do not prove the claim.
    #[error("nothing is proven that a certificate could hold")]
    NothingProven,
}

/// A claim with its strategies.
#[derive(Clone, Debug)]
pub struct Certificate<'a> {
    /// The position.
    pub root: Position,
    /// The rules that it is proven under.
    pub rules: Rules,
    /// What is claimed.
    pub claim: Claim,
    /// At least those that [`Claim::needs`].
    pub strategies: Vec<&'a Strategy>,
}

impl Certificate<'_> {
    /// The certificate as bytes, with the checksums of the images of `tablebase` that it uses.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] when a strategy that the claim needs is not there.
    pub fn to_bytes(&self, tablebase: &Tablebase) -> Result<Vec<u8>, CertificateError> {
        let mut chosen = Vec::new();
        for (side, aim) in self.claim.needs(self.root.turn()) {
            let found = self
                .strategies
                .iter()
                .find(|it| it.side == side && it.aim == aim);
            chosen.push(*found.ok_or(CertificateError::NothingProven)?);
        }
        let mut bytes = self.header(&chosen, tablebase).into_bytes();
        for (position, mv) in chosen.iter().flat_map(|it| &it.steps) {
            let sets = Color::BOTH.map(|color| position.pieces(color).0);
            for set in sets.into_iter().chain([position.all_kings().0]) {
                bytes.extend(set.to_le_bytes());
            }
            bytes.push(number(position, *mv));
        }
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        Ok(bytes)
    }

    fn header(&self, strategies: &[&Strategy], tablebase: &Tablebase) -> String {
        let rules = self.rules.name();
        let mut text = format!(
            "{MAGIC}\nposition {}\nrules {rules}\nclaim {}\n",
            fen(&self.root),
            self.claim
        );
        for (slice, sum) in self.databases(strategies, tablebase) {
            text += &format!("database {slice} {sum:08x}\n");
        }
        for strategy in strategies {
            let aim = match strategy.aim {
                Aim::Win => "win",
                Aim::Hold => "hold",
            };
            text += &format!(
                "strategy {} {aim} {}\n",
                strategy.side,
                strategy.steps.len()
            );
        }
        text + "end\n"
    }

    /// The images in which the ends of the strategies are looked up.
    fn databases(&self, strategies: &[&Strategy], tablebase: &Tablebase) -> BTreeMap<String, u32> {
        let mut used = HashSet::new();
        for strategy in strategies {
            let ends = Ends::new(tablebase, self.rules, strategy.attacker());
            let mut note = |position: &Position| {
                if let Leaf::Stored(_) = Leaf::of(position, &ends) {
                    used.insert(Slice::of(position));
                }
            };
            note(&self.root);
            for mv in self.root.legal_moves() {
                note(&self.root.play(mv));
            }
            for (position, mv) in &strategy.steps {
                let next = position.play(*mv);
                note(&next);
                for reply in next.legal_moves() {
                    note(&next.play(reply));
                }
            }
        }
        let images = tablebase.images();
        images
            .filter(|image| used.contains(&image.header().slice))
            .map(|image| {
                (
                    material(image.header().slice),
                    crc32fast::hash(image.bytes()),
                )
            })
            .collect()
    }
}

/// `0101`: the mover's men and kings, then the other side's, in hexadecimal.
pub(super) fn material(slice: Slice) -> String {
    format!("{}{}", slice.own, slice.their)
}

/// The place of `mv` in the order in which `check` numbers moves.
fn number(position: &Position, mv: Move) -> u8 {
    let order = |mv: &Move| (mv.from().number(), mv.to().number(), mv.captured().0);
    let moves = position.legal_moves();
    moves.iter().filter(|it| order(it) < order(&mv)).count() as u8
}

fn fen(position: &Position) -> String {
    let side = |color: Color| {
        let squares = position.pieces(color).squares();
        let pieces: Vec<String> = squares
            .map(|square| match position.at(square) {
                Some((_, Piece::King)) => format!("K{square}"),
                _ => square.to_string(),
            })
            .collect();
        format!("{}{}", color.letter(), pieces.join(","))
    };
    let turn = position.turn().letter();
    format!("{turn}:{}:{}", side(Color::White), side(Color::Black))
}
