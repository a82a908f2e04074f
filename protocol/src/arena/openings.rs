//! Where the games of a match begin.
//!
//! Owns the sources of openings and their order; the 11-man ones are made in `super::eleven`.
//! Start reading at [`Source::openings`].

use std::path::{Path, PathBuf};
use std::str::FromStr;

use engine::notation::ballot::{Ballot, Deck};
use engine::notation::fen;
use engine::notation::pdn::{PdnGame, Reader};
use engine::rules::{Game, Move, Position};
use thiserror::Error;

use super::eleven::eleven_man;
use super::files;

/// The most that a file of openings may hold, in bytes.
const LARGEST_FILE: u64 = 256 << 20;

/// A position to play from, with the moves that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// What people call it.
    pub name: String,
    /// Where the game record begins.
    pub start: Position,
    /// The moves played before the engines take over; all legal.
    pub moves: Vec<Move>,
    /// Whether one side is known to have lost already.
    pub lost: bool,
}

impl Opening {
    /// A game in which the opening's moves have been played.
    #[must_use]
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        for &mv in &self.moves {
            let played = game.play(mv);
            debug_assert!(played.is_ok(), "an opening holds legal moves only");
        }
        game
    }
}

/// Where openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The three-move ballots of the American Checker Federation.
    ThreeMove,
    /// The 11-man positions.
    ElevenMan,
    /// A file of PDN games or of FENs, one a line.
    File(PathBuf),
}

impl FromStr for Source {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "3move" => Self::ThreeMove,
            "11man" => Self::ElevenMan,
            path => Self::File(path.into()),
        })
    }
}

/// Why openings cannot be had.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("cannot read the openings in {path}: {fault}; expected 3move, 11man or a file", path = .0.display(), fault = .1)]
    Unreadable(PathBuf, std::io::Error),
    /// A line holds no opening.
    #[error("{}, line {line}: {fault}", .path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        fault: String,
    },
    /// Nothing to play.
    #[error("no opening is left to play{}", .0)]
    None(&'static str),
}

impl Source {
    /// The openings in their own order. Those in which the game is over are left out, and so are
    /// those known to be lost, unless `lost` asks for them.
    ///
    /// # Errors
    ///
    /// [`OpeningError`] if the file cannot be read or understood, or nothing is left.
    pub fn openings(&self, lost: bool) -> Result<Vec<Opening>, OpeningError> {
        let mut openings = match self {
            Self::ThreeMove => Ballot::three_move().iter().map(three_move).collect(),
            Self::ElevenMan => eleven_man(),
            Self::File(path) => from_file(path)?,
        };
        openings.retain(|opening| (lost || !opening.lost) && opening.game().outcome().is_none());
        if openings.is_empty() {
            return Err(OpeningError::None(match self {
                Self::File(_) => "; expected PDN games, or a FEN on each line",
                _ => "",
            }));
        }
        Ok(openings)
    }
}

fn three_move(ballot: &Ballot) -> Opening {
    Opening {
        name: format!("{} {}", ballot.number(), ballot.text()),
        start: Position::START,
        moves: ballot.moves().to_vec(),
        lost: ballot.deck() == Deck::Barred,
    }
}

fn from_file(path: &Path) -> Result<Vec<Opening>, OpeningError> {
    let bytes = files::read_bounded(path, LARGEST_FILE)
        .map_err(|error| OpeningError::Unreadable(path.to_owned(), error))?;
    let text = String::from_utf8_lossy(&bytes);
    if text.contains('[') || text.lines().any(|line| line.trim_start().starts_with("1.")) {
        return from_games(path, &bytes);
    }
    from_fens(path, &text)
}

/// Each game up to its end is an opening.
fn from_games(path: &Path, bytes: &[u8]) -> Result<Vec<Opening>, OpeningError> {
    let unreadable = |error| OpeningError::Unreadable(path.to_owned(), error);
    let games: Vec<PdnGame> = Reader::new(bytes)
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    games.iter().map(|game| from_game(path, game)).collect()
}

fn from_game(path: &Path, game: &PdnGame) -> Result<Opening, OpeningError> {
    if let Some(fault) = &game.fault {
        return Err(OpeningError::Fault {
            path: path.to_owned(),
            line: fault.line,
            fault: fault.to_string(),
        });
    }
    let played = game.replay(usize::MAX);
    let name = game
        .tag("Opening")
        .or(game.tag("Event"))
        .unwrap_or_default();
    Ok(Opening {
        name: format!("{} {name}", game.number).trim_end().into(),
        start: played.start(),
        moves: played.moves().collect(),
        lost: false,
    })
}

/// One FEN a line; blank lines and lines that begin with `#` or `%` do not count.
fn from_fens(path: &Path, text: &str) -> Result<Vec<Opening>, OpeningError> {
    let lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']))
        .map(|(line, text)| {
            let start = fen::read(text).map_err(|error| OpeningError::Fault {
                path: path.to_owned(),
                line,
                fault: error.to_string(),
            })?;
            Ok(Opening {
                name: format!("line {line}"),
                start,
                moves: Vec::new(),
                lost: false,
            })
        })
        .collect()
}

/// The order in which `count` openings are played: all of them, shuffled, before any comes again.
#[derive(Clone, Debug)]
pub struct Order {
    count: usize,
    random: fastrand::Rng,
    drawn: Vec<u32>,
}

impl Order {
    /// The order that belongs to a seed; the same for the same seed and count.
    #[must_use]
    pub fn new(count: usize, seed: u64) -> Self {
        Self {
            count,
            random: fastrand::Rng::with_seed(seed),
            drawn: Vec::new(),
        }
    }

    /// Which opening stands at a place of the order.
    pub fn at(&mut self, place: usize) -> usize {
        while self.drawn.len() <= place {
            let mut round: Vec<u32> = (0..self.count as u32).collect();
            self.random.shuffle(&mut round);
            self.drawn.extend(round);
        }
        self.drawn[place] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opening_comes_once_a_round_and_seeds_repeat() {
        let mut order = Order::new(5, 1);
        let drawn: Vec<usize> = (0..10).map(|place| order.at(place)).collect();
        for round in drawn.chunks(5) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        let mut again = Order::new(5, 1);
        assert_eq!(again.at(9), drawn[9]);
        let mut other = Order::new(5, 2);
        assert_ne!(
            (0..10).map(|place| other.at(place)).collect::<Vec<_>>(),
            drawn
        );
    }

    #[test]
    fn ballots_are_played_unless_barred() {
        let playable = Source::ThreeMove.openings(false).expect("ballots");
        assert_eq!(playable.len(), 156);
        assert!(
            playable
                .iter()
                .all(|opening| opening.game().moves().len() == 3)
        );
        assert_eq!(
            Source::ThreeMove.openings(true).expect("ballots").len(),
            174
        );
        assert_eq!(
            Source::ElevenMan.openings(true).expect("positions").len(),
            2_500
        );
    }

    #[test]
    fn games_are_openings() {
        let path = Path::new("games.pdn");
        let text = "[Event \"A\"]\n1. 11-15 23-19 *\n\n[FEN \"B:W18:B9\"]\n*\n";
        let openings = from_games(path, text.as_bytes()).expect("two games");
        assert_eq!(
            (openings[0].name.as_str(), openings[0].moves.len()),
            ("1 A", 2)
        );
        assert_eq!(fen::write(&openings[1].start), "B:W18:B9");
        let error = from_games(path, b"1. 11-15 *\n1. 11-18 *\n").expect_err("no such move");
        assert!(
            error.to_string().starts_with("games.pdn, line 2: game 2"),
            "{error}"
        );
    }

    #[test]
    fn files_of_fens_are_read_and_faults_have_a_line() {
        let path = Path::new("openings.fen");
        let text = "# two\n\nB:W18:B9\n  W:W22,25:B9,11  \n";
        let openings = from_fens(path, text).expect("two openings");
        assert_eq!(openings.len(), 2);
        assert_eq!(fen::write(&openings[1].start), "W:W22,25:B9,11");
        let error = from_fens(path, "B:W18:B9\nB:W99:B9\n").expect_err("no such square");
        assert!(
            error.to_string().starts_with("openings.fen, line 2: "),
            "{error}"
        );
    }
}
