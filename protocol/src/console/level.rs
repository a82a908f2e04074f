//! The levels at which people can win.
//!
//! A level is a way of looking, never a die: it sees so many plies, sometimes only the next one,
//! and cannot tell nearly equal moves apart. So it falls into shots that need more moves than it
//! looks ahead, drifts in quiet positions, and never throws a piece away that it sees.

use std::time::Duration;

use engine::rules::Game;
use engine::score::Depth;
use engine::search::Limits;

use crate::choice::Taste;

/// How the console's player looks at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Plies that it looks ahead, exchanges not counted; `None` for full strength.
    pub depth: Option<i16>,
    /// How often it looks only at its next move, in percent.
    pub lapses: u8,
    /// What it cannot tell apart.
    pub taste: Taste,
    /// For people.
    pub words: &'static str,
}

const fn level(depth: i16, lapses: u8, margin: i16, noise: i16, words: &'static str) -> Level {
    let taste = Taste { margin, noise };
    Level {
        depth: Some(depth),
        lapses,
        taste,
        words,
    }
}

/// Level 1 first.
pub const LEVELS: [Level; 10] = [
    level(
        1,
        0,
        90,
        90,
        "beginner: sees what is jumped next, and no shots",
    ),
    level(1, 0, 50, 50, "learns: counts men"),
    level(2, 40, 40, 40, "sees the reply, most of the time"),
    level(3, 30, 32, 32, "sees two-for-one shots at times"),
    level(5, 20, 24, 24, "casual player"),
    level(7, 12, 16, 16, "club player on a bad day"),
    level(9, 6, 12, 12, "club player"),
    level(11, 2, 8, 8, "strong club player"),
    level(15, 0, 4, 4, "master"),
    Level {
        depth: None,
        lapses: 0,
        taste: Taste::BEST,
        words: "full strength, 3 seconds a move",
    },
];

impl Level {
    /// Level `number`, 1 to 10.
    #[must_use]
    pub fn numbered(number: usize) -> Option<&'static Self> {
        LEVELS.get(number.checked_sub(1)?)
    }

    /// What to search for this move.
    #[must_use]
    pub fn limits(&self, game: &Game, random: &mut fastrand::Rng) -> Limits {
        let Some(depth) = self.depth else {
            return Limits::for_time(Duration::from_secs(3));
        };
        let lapse = random.u8(0..100) < self.lapses;
        Limits {
            depth: Some(Depth(if lapse { 1 } else { depth })),
            lines: if self.taste.is_choosy() {
                game.position().legal_moves().len()
            } else {
                1
            },
            ..Limits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise() {
        assert_eq!(Level::numbered(0), None);
        assert_eq!(Level::numbered(11), None);
        for pair in LEVELS.windows(2) {
            assert!(pair[0].depth.unwrap_or(i16::MAX) <= pair[1].depth.unwrap_or(i16::MAX));
            assert!(pair[0].taste.margin > pair[1].taste.margin);
            // A man in sight, 100, is never given away for nothing.
            assert!(pair[0].taste.margin < 100);
        }
    }
}
