//! The messages of DXP as text, both ways.
//!
//! Owns the layouts; knows no game and no stream. What a message means for the game is
//! [`super::peer`]'s affair. Start reading at [`Message::read`].

use std::fmt;

use engine::board::{Bitboard, Color, Square};
use engine::rules::{Move, Position};
use thiserror::Error;

use super::LONGEST;
use crate::error::excerpt;

/// The only version of the protocol.
pub const VERSION: u16 = 1;

/// Columns that a name has.
const NAME: usize = 32;

/// The longest text of a chat message.
const CHAT: usize = LONGEST - 1;

/// A message of either side.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// GAMEREQ: the initiator asks for a game.
    GameRequest(GameRequest),
    /// GAMEACC: the follower's answer, with its name.
    GameAnswer(String, Verdict),
    /// MOVE.
    Move(Played),
    /// GAMEEND: instead of a move, or as the answer to a GAMEEND.
    GameEnd {
        /// How the game ended, as its sender sees it.
        reason: Reason,
        /// Whether the sender wants no other game.
        stop: bool,
    },
    /// CHAT: text for people.
    Chat(String),
    /// BACKREQ: back to where `turn` made its move `number`, from 1.
    BackRequest {
        /// Which move.
        number: u16,
        /// Whose.
        turn: Color,
    },
    /// BACKACC.
    BackAnswer(BackVerdict),
}

/// What the initiator proposes.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRequest {
    /// Its name, at most 32 characters.
    pub name: String,
    /// The protocol's version; only [`VERSION`] is known.
    pub version: u16,
    /// What the follower plays.
    pub follower: Color,
    /// Minutes for the moves of each side; 0 for no limit. Some programs send fractions.
    pub minutes: f64,
    /// After so many moves of each side the game ends; 0 for no limit.
    pub moves: u16,
    /// Where the game begins.
    pub start: Start,
}

/// Where a game begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start position of the game that is played.
    Normal,
    /// A position: the side to move and a letter for each square, see [`super::board`].
    Board(Color, String),
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The game begins.
    Accepted,
    /// The version is not known.
    Version,
    /// Not this game.
    ThisGame,
    /// No game at all.
    AnyGame,
}

/// A move as its ends and the captured pieces say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Seconds that it took, 0 to 9999.
    pub seconds: u16,
    /// Where from.
    pub from: Square,
    /// Where to.
    pub to: Square,
    /// What was captured.
    pub captured: Bitboard,
}

/// How a game ended, from the sender's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not told.
    Unknown,
    /// The sender has lost, or gives up.
    Lost,
    /// Drawn, or so the sender says.
    Drawn,
    /// The sender has won, or so it says.
    Won,
}

/// The answer to a request to go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackVerdict {
    /// The moves are taken back.
    Yes,
    /// The program cannot do it.
    Unsupported,
    /// The game goes on as it is.
    No,
}

/// Why a message makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DxpError {
    /// Nothing before the NUL.
    #[error("empty message")]
    Empty,
    /// It begins with no known letter.
    #[error("unknown message {0}")]
    Unknown(String),
    /// It is too short for its kind: which, and what is missing.
    #[error("{0} message too short: no {1}")]
    Short(&'static str, &'static str),
    /// A field holds something else: message, field, what was expected, what was found.
    #[error("{0} message: {1}: expected {2}, found {3}")]
    Field(&'static str, &'static str, &'static str, String),
    /// Bytes outside of ASCII.
    #[error("message is not ASCII")]
    NotAscii,
    /// More than [`LONGEST`] bytes without a NUL.
    #[error("message longer than {LONGEST} bytes")]
    TooLong,
}

/// Takes the fields of one message in turn.
struct Fields<'a> {
    kind: &'static str,
    rest: &'a str,
}

impl<'a> Fields<'a> {
    fn take(&mut self, field: &'static str, length: usize) -> Result<&'a str, DxpError> {
        let Some((head, tail)) = self.rest.split_at_checked(length) else {
            return Err(DxpError::Short(self.kind, field));
        };
        self.rest = tail;
        Ok(head)
    }

    fn bad(&self, field: &'static str, expected: &'static str, found: &str) -> DxpError {
        DxpError::Field(self.kind, field, expected, excerpt(found))
    }

    fn number(&mut self, field: &'static str, length: usize) -> Result<u16, DxpError> {
        let text = self.take(field, length)?;
        let is_number = text.bytes().all(|digit| digit.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_number);
        number.ok_or_else(|| self.bad(field, "digits", text))
    }

    fn square(&mut self, field: &'static str) -> Result<Square, DxpError> {
        let number = self.number(field, 2)?;
        Square::new(number.into()).ok_or_else(|| self.bad(field, "01 to 32", &number.to_string()))
    }

    fn color(&mut self, field: &'static str) -> Result<Color, DxpError> {
        match self.take(field, 1)? {
            "W" => Ok(Color::White),
            "Z" => Ok(Color::Black),
            other => Err(self.bad(field, "W or Z", other)),
        }
    }

    fn name(&mut self) -> Result<String, DxpError> {
        // What a peer calls itself is shown on terminals.
        let shown = |letter: &char| !letter.is_control();
        let name: String = self.take("name", NAME)?.chars().filter(shown).collect();
        Ok(name.trim().to_owned())
    }

    /// Whole minutes, or as Moby Dam writes them `2.5` and `.17`.
    fn minutes(&mut self) -> Result<f64, DxpError> {
        let text = self.take("minutes", 3)?;
        let minutes = text.trim().parse::<f64>().ok();
        let minutes = minutes.filter(|minutes| (0.0..1000.0).contains(minutes));
        minutes.ok_or_else(|| self.bad("minutes", "000 to 999", text))
    }
}

impl Message {
    /// Reads the text before a NUL; blanks and line ends after it do no harm.
    ///
    /// # Errors
    ///
    /// [`DxpError`] with the field that is at fault.
    pub fn read(text: &str) -> Result<Self, DxpError> {
        if !text.is_ascii() {
            return Err(DxpError::NotAscii);
        }
        if text.len() > LONGEST {
            return Err(DxpError::TooLong);
        }
        let text = text.trim_matches(['\r', '\n']);
        let (kind, rest) = text.split_at_checked(1).ok_or(DxpError::Empty)?;
        let fields = |kind| Fields { kind, rest };
        match kind {
            "R" => read_request(fields("GAMEREQ")).map(Self::GameRequest),
            "A" => read_answer(fields("GAMEACC")),
            "M" => read_move(fields("MOVE")).map(Self::Move),
            "E" => read_end(fields("GAMEEND")),
            "C" => Ok(Self::Chat(printable(rest))),
            "B" => read_back_request(fields("BACKREQ")),
            "K" => read_back_answer(fields("BACKACC")),
            _ => Err(DxpError::Unknown(excerpt(text))),
        }
    }
}

fn read_request(mut fields: Fields<'_>) -> Result<GameRequest, DxpError> {
    Ok(GameRequest {
        version: fields.number("version", 2)?,
        name: fields.name()?,
        follower: fields.color("colour of the follower")?,
        minutes: fields.minutes()?,
        moves: fields.number("moves", 3)?,
        start: match fields.take("kind of start", 1)? {
            "A" => Start::Normal,
            "B" => Start::Board(fields.color("side to move")?, fields.rest.trim().to_owned()),
            other => return Err(fields.bad("kind of start", "A or B", other)),
        },
    })
}

fn read_answer(mut fields: Fields<'_>) -> Result<Message, DxpError> {
    let name = fields.name()?;
    let verdict = match fields.take("code", 1)? {
        "0" => Verdict::Accepted,
        "1" => Verdict::Version,
        "2" => Verdict::ThisGame,
        "3" => Verdict::AnyGame,
        other => return Err(fields.bad("code", "0 to 3", other)),
    };
    Ok(Message::GameAnswer(name, verdict))
}

fn read_move(mut fields: Fields<'_>) -> Result<Played, DxpError> {
    let seconds = fields.number("seconds", 4)?;
    let (from, to) = (fields.square("from")?, fields.square("to")?);
    let mut captured = Bitboard::EMPTY;
    for _ in 0..fields.number("number of captures", 2)? {
        let square = fields.square("captured square")?;
        if captured.contains(square) {
            return Err(fields.bad("captured square", "each once", &square.to_string()));
        }
        captured |= square.bit();
    }
    Ok(Played {
        seconds,
        from,
        to,
        captured,
    })
}

fn read_end(mut fields: Fields<'_>) -> Result<Message, DxpError> {
    let reason = match fields.take("reason", 1)? {
        "0" => Reason::Unknown,
        "1" => Reason::Lost,
        "2" => Reason::Drawn,
        "3" => Reason::Won,
        other => return Err(fields.bad("reason", "0 to 3", other)),
    };
    let stop = match fields.take("stop code", 1)? {
        "0" => false,
        "1" => true,
        other => return Err(fields.bad("stop code", "0 or 1", other)),
    };
    Ok(Message::GameEnd { reason, stop })
}

fn read_back_request(mut fields: Fields<'_>) -> Result<Message, DxpError> {
    Ok(Message::BackRequest {
        number: fields.number("move", 3)?,
        turn: fields.color("side to move")?,
    })
}

fn read_back_answer(mut fields: Fields<'_>) -> Result<Message, DxpError> {
    Ok(Message::BackAnswer(match fields.take("code", 1)? {
        "0" => BackVerdict::Yes,
        "1" => BackVerdict::Unsupported,
        "2" => BackVerdict::No,
        other => return Err(fields.bad("code", "0 to 2", other)),
    }))
}

fn letter(color: Color) -> char {
    match color {
        Color::White => 'W',
        Color::Black => 'Z',
    }
}

/// What may stand in a message: ASCII without control characters.
fn printable(text: &str) -> String {
    let plain = |c: char| if matches!(c, ' '..='~') { c } else { '?' };
    text.chars().map(plain).collect()
}

fn cut(text: &str, length: usize) -> String {
    printable(text).chars().take(length).collect()
}

impl fmt::Display for Message {
    /// The text of the message, without its NUL; names and chat are cut to their room.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameRequest(request) => request.fmt(f),
            Self::GameAnswer(name, verdict) => {
                write!(f, "A{:<NAME$}{}", cut(name, NAME), *verdict as u8)
            }
            Self::Move(played) => played.fmt(f),
            Self::GameEnd { reason, stop } => write!(f, "E{}{}", *reason as u8, u8::from(*stop)),
            Self::Chat(text) => write!(f, "C{}", cut(text, CHAT)),
            Self::BackRequest { number, turn } => {
                write!(f, "B{:03}{}", (*number).min(999), letter(*turn))
            }
            Self::BackAnswer(verdict) => write!(f, "K{}", *verdict as u8),
        }
    }
}

impl fmt::Display for GameRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, follower) = (cut(&self.name, NAME), letter(self.follower));
        let (minutes, moves) = (whole_minutes(self.minutes), self.moves.min(999));
        let version = self.version.min(99);
        write!(
            f,
            "R{version:02}{name:<NAME$}{follower}{minutes:03}{moves:03}"
        )?;
        match &self.start {
            Start::Normal => f.write_str("A"),
            Start::Board(turn, squares) => write!(f, "B{}{squares}", letter(*turn)),
        }
    }
}

/// Whole minutes only are in the specification; less than one would mean no limit.
fn whole_minutes(minutes: f64) -> u16 {
    minutes.round().max(minutes.ceil().min(1.0)).min(999.0) as u16
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from.number(), self.to.number());
        let (seconds, count) = (self.seconds.min(9999), self.captured.len());
        write!(f, "M{seconds:04}{from:02}{to:02}{count:02}")?;
        let mut squares = self.captured.squares();
        squares.try_for_each(|square| write!(f, "{:02}", square.number()))
    }
}

impl Played {
    /// The message for a move that took so many seconds.
    #[must_use]
    pub fn new(mv: Move, seconds: u16) -> Self {
        Self {
            seconds,
            from: mv.from(),
            to: mv.to(),
            captured: mv.captured(),
        }
    }

    /// The legal move that is meant; without captured squares, one that its ends leave no doubt
    /// about.
    #[must_use]
    pub fn find(&self, position: &Position) -> Option<Move> {
        let moves = position.legal_moves();
        let mut same_ends = moves
            .iter()
            .filter(|mv| (mv.from(), mv.to()) == (self.from, self.to));
        if self.captured.any() {
            return same_ends.find(|mv| mv.captured() == self.captured).copied();
        }
        let first = same_ends.next()?;
        same_ends.next().is_none().then_some(*first)
    }
}

impl fmt::Display for Verdict {
    /// Why a game was refused.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accepted => "accepted",
            Self::Version => "the version of the protocol is not known",
            Self::ThisGame => "not this game",
            Self::AnyGame => "no games",
        })
    }
}

#[cfg(test)]
mod tests {
    use engine::notation::fen;

    use super::*;

    #[test]
    fn messages_read_back_as_written() {
        for text in [
            "R01DXP Client                      W005050BZzzzzzzzzzzzzeeeeeeeewwwwwwwwwwww",
            "R01Scan 3.1                        Z001003A",
            "ADummy 0.1                       0",
            "ADummy 0.1                       3",
            "M0000091300",
            "M000321140117",
            "M001205250412202223",
            "M9999010109171819202122232425",
            "E10",
            "E01",
            "E31",
            "CWhat do you think about move 35?",
            "C",
            "B009W",
            "B001Z",
            "K0",
            "K2",
        ] {
            let message = Message::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(message.to_string(), text);
        }
    }

    #[test]
    fn fractions_of_minutes_are_read() {
        for (text, minutes) in [("2.5", 2.5), (".17", 0.17), ("  5", 5.0), ("000", 0.0)] {
            let request = format!("R01{:<32}Z{text}000A", "Moby Dam");
            match Message::read(&request) {
                Ok(Message::GameRequest(request)) => assert_eq!(request.minutes, minutes),
                other => panic!("{text}: {other:?}"),
            }
        }
        assert_eq!([0.0, 0.17, 2.5, 2e9].map(whole_minutes), [0, 1, 3, 999]);
    }

    #[test]
    fn faults_are_named_with_their_field() {
        for (text, fault) in [
            ("", "empty message"),
            ("\r\n", "empty message"),
            ("X123", "unknown message X123"),
            ("R01Short", "GAMEREQ message too short: no name"),
            ("A", "GAMEACC message too short: no name"),
            ("M0001", "MOVE message too short: no from"),
            (
                "M0001330100",
                "MOVE message: from: expected 01 to 32, found 33",
            ),
            (
                "M+001320100",
                "MOVE message: seconds: expected digits, found +001",
            ),
            ("M0001010599", "MOVE message too short: no captured square"),
            (
                "M000101050202",
                "MOVE message too short: no captured square",
            ),
            (
                "M00010105020202",
                "MOVE message: captured square: expected each once, found 2",
            ),
            ("E", "GAMEEND message too short: no reason"),
            ("E40", "GAMEEND message: reason: expected 0 to 3, found 4"),
            (
                "E02",
                "GAMEEND message: stop code: expected 0 or 1, found 2",
            ),
            ("B01W", "BACKREQ message: move: expected digits, found 01W"),
            ("K3", "BACKACC message: code: expected 0 to 2, found 3"),
            ("C\u{e9}", "message is not ASCII"),
            (&"C".repeat(128), "message longer than 127 bytes"),
        ] {
            let error = Message::read(text).expect_err(text);
            assert_eq!(error.to_string(), fault, "{text}");
        }
    }

    #[test]
    fn chat_and_names_are_cut_to_their_room() {
        let long = "\u{e9}\0".repeat(100);
        let chat = Message::Chat(long.clone()).to_string();
        assert_eq!((chat.len(), chat.is_ascii()), (LONGEST, true));
        let answer = Message::GameAnswer(long, Verdict::Accepted).to_string();
        assert_eq!(answer.len(), 34);
        assert_eq!(Message::read("Ca\tb"), Ok(Message::Chat("a?b".into())));
    }

    #[test]
    fn moves_are_found_by_ends_and_captures() {
        let find = |text: &str, board: &str| {
            let Ok(Message::Move(played)) = Message::read(text) else {
                panic!("{text} is a move");
            };
            played.find(&fen::read(board).expect(board))
        };
        let fork = "B:W23,22,15,14:B11,10";
        assert!(find("M0000102600", fork).is_none());
        let by_captures = [("1422", true), ("1523", true), ("1423", false)];
        for (captured, is_legal) in by_captures {
            let text = format!("M0000102602{captured}");
            assert_eq!(find(&text, fork).is_some(), is_legal, "{text}");
        }
        // Nine captured at once, in any order; and a jump whose ends say it all.
        let tangle = "B:W6,7,8,14,15,16,22,23,24:BK1";
        assert!(find("M0000012809242322161514080706", tangle).is_some());
        assert!(find("M0000181100", "W:W18:B15,8").is_none());
        assert!(find("M0000180400", "W:W18:B15,8").is_some());
        assert!(find("M0000010500", "W:W32:B1").is_none());
    }
}
