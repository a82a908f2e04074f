//! Games from a position and a list of moves, as every dialect sends them.

use engine::notation::moves;
use engine::rules::{Game, Position};

use crate::error::ProtocolError;

/// A game as far as it could be replayed, and why no further.
#[derive(Debug)]
pub struct Replay {
    /// The game up to the first move that is at fault.
    pub game: Game,
    /// What is wrong with that move, and where it stands in the list.
    pub fault: Option<ProtocolError>,
}

/// Plays moves separated by blanks, in any notation.
#[must_use]
pub fn replay(start: Position, texts: &str) -> Replay {
    let mut game = Game::new(start);
    for (index, text) in texts.split_whitespace().enumerate() {
        if let Err(error) = moves::play(text, &mut game) {
            let fault = placed(ProtocolError::from(error), index + 1);
            return Replay {
                game,
                fault: Some(fault),
            };
        }
    }
    Replay { game, fault: None }
}

fn placed(fault: ProtocolError, number: usize) -> ProtocolError {
    match fault {
        ProtocolError::BadMove(detail) => {
            ProtocolError::BadMove(format!("move {number}: {detail}"))
        }
        ProtocolError::IllegalMove(detail) => {
            ProtocolError::IllegalMove(format!("move {number}: {detail}"))
        }
        other => other,
    }
}
