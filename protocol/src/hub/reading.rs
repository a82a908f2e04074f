//! Which way round a client writes its boards.
//!
//! No variant of Hub is standardised for English draughts. Crownhead's own reading is plain:
//! letter n is square n. pydraughts (and lidraughts-bot through it) thinks of White as the first
//! player, so its letters show the opposite colour's piece of square 33-n and the opposite side
//! to move, while its moves carry true numbers. [`Boards`] finds out which one it is.

use engine::notation::moves;
use engine::rules::Position;

use super::read_position;
use crate::error::ProtocolError;
use crate::replay::{Replay, replay};

/// How the letters of a position are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Letter n is square n.
    Plain,
    /// The board is turned by 180 degrees with the colours exchanged, as pydraughts sends it.
    Swapped,
}

impl Reading {
    const BOTH: [Self; 2] = [Self::Plain, Self::Swapped];

    fn apply(self, literal: Position) -> Position {
        match self {
            Self::Plain => literal,
            Self::Swapped => literal.rotated(),
        }
    }
}

/// The parameter `pos-style`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PosStyle {
    /// Find out from what the client sends.
    #[default]
    Auto,
    /// Always as this.
    Fixed(Reading),
}

impl PosStyle {
    /// The values of the parameter, the default first.
    pub const NAMES: [&str; 3] = ["auto", "plain", "swapped"];

    /// Reads a value of the parameter.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "plain" => Some(Self::Fixed(Reading::Plain)),
            "swapped" => Some(Self::Fixed(Reading::Swapped)),
            _ => None,
        }
    }
}

/// Reads `pos` lines, and remembers how this client writes its boards.
#[derive(Debug)]
pub struct Boards {
    /// The parameter.
    pub style: PosStyle,
    /// What an earlier position of this session left no doubt about.
    settled: Option<Reading>,
    /// What to assume while nothing is settled.
    guess: Reading,
}

impl Boards {
    /// Nothing is known yet, and `guess` is assumed where a position leaves both readings open.
    #[must_use]
    pub fn new(guess: Reading) -> Self {
        Self {
            style: PosStyle::Auto,
            settled: None,
            guess,
        }
    }

    /// The client sent `new-game`, which pydraughts never does.
    pub fn saw_new_game(&mut self) {
        self.guess = Reading::Plain;
    }

    /// Sets the board up and plays the moves. In turn: the parameter, the only reading in which
    /// all moves are legal, the start position's side to move, what was settled, the guess.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::BadPosition`] if there is no board to set up. Faulty moves are no error:
    /// see [`Replay::fault`].
    pub fn read(&mut self, letters: &str, moves: &str) -> Result<Replay, ProtocolError> {
        let literal = read_position(letters)?;
        if let PosStyle::Fixed(reading) = self.style {
            return Ok(replay(reading.apply(literal), moves));
        }
        let certain = self.decide(literal, moves);
        self.settled = certain.or(self.settled);
        let reading = self.settled.unwrap_or(self.guess);
        Ok(replay(reading.apply(literal), moves))
    }

    /// The reading that this position leaves no doubt about.
    fn decide(&self, literal: Position, moves: &str) -> Option<Reading> {
        let [plain, swapped] = Reading::BOTH.map(|reading| reach(reading.apply(literal), moves));
        match plain.cmp(&swapped) {
            std::cmp::Ordering::Greater => Some(Reading::Plain),
            std::cmp::Ordering::Less => Some(Reading::Swapped),
            std::cmp::Ordering::Equal if literal == Position::START => Some(Reading::Plain),
            std::cmp::Ordering::Equal if literal == Position::START.rotated() => {
                Some(Reading::Swapped)
            }
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// How many of the moves are legal one after the other.
fn reach(mut position: Position, texts: &str) -> usize {
    let legal = texts.split_whitespace().map_while(|text| {
        let mv = moves::read(text, &position).ok()?;
        position = position.play(mv);
        Some(())
    });
    legal.count()
}

#[cfg(test)]
mod tests {
    use engine::board::Color;

    use super::*;

    const PLAIN: &str = "Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww";
    const SWAPPED: &str = "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww";
    /// `W:WK18,21,30:BK5,7,12` as pydraughts sends it.
    const SETUP: &str = "BeebeeeeeeeebeeBeeeeeweeeeweWeeee";

    fn turn(boards: &mut Boards, letters: &str, moves: &str) -> Color {
        let replay = boards.read(letters, moves).expect(letters);
        assert_eq!(replay.fault, None, "{letters} {moves}");
        replay.game.start().turn()
    }

    #[test]
    fn the_start_position_tells_the_client() {
        for guess in Reading::BOTH {
            assert_eq!(turn(&mut Boards::new(guess), PLAIN, ""), Color::Black);
            assert_eq!(turn(&mut Boards::new(guess), SWAPPED, ""), Color::Black);
            assert_eq!(
                turn(&mut Boards::new(guess), SWAPPED, "11-15 22-18 15x22x18"),
                Color::Black
            );
            // White moves first by agreement: only the plain reading can mean it.
            assert_eq!(
                turn(&mut Boards::new(guess), SWAPPED, "22-18 11-15"),
                Color::White
            );
        }
    }

    #[test]
    fn the_whole_list_decides_where_the_first_move_fits_both() {
        // K1, K32 against K14, K22: 1-5 is legal either way, but not all that follows.
        let letters = "WWeeeeeeeeeBeeeeeeeBeeeeeeeeeeeeW";
        let mut boards = Boards::new(Reading::Plain);
        assert_eq!(
            turn(&mut boards, letters, "1-5 14-18 5-9 18-15"),
            Color::Black
        );
        assert_eq!(boards.settled, Some(Reading::Swapped));
    }

    #[test]
    fn an_open_setup_follows_what_was_settled_then_the_guess() {
        assert_eq!(
            turn(&mut Boards::new(Reading::Plain), SETUP, ""),
            Color::Black
        );
        assert_eq!(
            turn(&mut Boards::new(Reading::Swapped), SETUP, ""),
            Color::White
        );
        let mut boards = Boards::new(Reading::Plain);
        turn(&mut boards, SWAPPED, "");
        assert_eq!(turn(&mut boards, SETUP, ""), Color::White);
        let mut boards = Boards::new(Reading::Swapped);
        boards.saw_new_game();
        assert_eq!(turn(&mut boards, SETUP, ""), Color::Black);
    }

    #[test]
    fn the_parameter_rules() {
        let mut boards = Boards::new(Reading::Plain);
        boards.style = PosStyle::named("swapped").expect("a style");
        assert_eq!(turn(&mut boards, SETUP, ""), Color::White);
        assert_eq!(turn(&mut boards, PLAIN, ""), Color::White);
        boards.style = PosStyle::named("plain").expect("a style");
        assert_eq!(turn(&mut boards, SETUP, ""), Color::Black);
    }

    #[test]
    fn moves_before_a_fault_are_kept() {
        let mut boards = Boards::new(Reading::Plain);
        for (moves, error, place) in [
            ("11-15 1-32", "illegal move", "move 2: 1-32"),
            ("11-15 99-1", "bad move", "move 2: "),
            ("11-15 huh 22-18", "bad move", "move 2: "),
        ] {
            let replay = boards.read(PLAIN, moves).expect(moves);
            let fault = replay.fault.expect(moves);
            assert_eq!(
                (fault.to_string().as_str(), replay.game.moves().len()),
                (error, 1)
            );
            assert!(fault.detail().unwrap_or("").starts_with(place), "{fault:?}");
        }
    }
}
