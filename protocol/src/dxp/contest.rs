//! One game over DXP: the moves, the clock, and how it ended.
//!
//! Owns what is true of the game and says it as a record; sends nothing and searches nothing.

use std::fmt;
use std::time::{Duration, Instant};

use engine::board::Color;
use engine::notation::pdn::{GameResult, PdnGame};
use engine::rules::{Game, Move, Outcome, Position};
use engine::search::{Clock, Limits};

use super::message::Reason;

/// What is thought where neither the game nor its clock says anything.
const UNTIMED: Duration = Duration::from_secs(1);

/// A game that both sides let go on beyond this is ended: what it takes to keep is bounded.
const MOST_PLIES: usize = 4_000;

/// Why a game is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By the rules.
    Rules(Outcome),
    /// The peer said so, from its view.
    Told(Reason),
    /// The number of moves that was agreed has been made.
    MoveLimit,
    /// Longer than any game needs to be.
    Endless,
    /// Somebody at our end stopped it.
    Stopped,
    /// The peer broke the rules or the protocol: how.
    Fault(String),
    /// The peer was not heard of within this time.
    Silent(Duration),
    /// The connection ended.
    Gone,
}

/// A game that is over, whoever ended it.
#[derive(Clone, Debug)]
pub struct Record {
    /// The peer's name, at most 32 characters of ASCII.
    pub peer: String,
    /// What we played.
    pub us: Color,
    /// All moves up to the end.
    pub game: Game,
    /// Why there were no more.
    pub ending: Ending,
}

impl Record {
    /// The result, where the rules or the loser say it. A win or loss is never taken from the
    /// winner's word alone.
    #[must_use]
    pub fn result(&self) -> GameResult {
        match (self.game.outcome(), &self.ending) {
            (Some(Outcome::Win(winner)), _) => Outcome::Win(winner).into(),
            (_, Ending::Told(Reason::Lost)) => Outcome::Win(self.us).into(),
            (_, Ending::Told(Reason::Drawn)) => GameResult::Draw,
            (Some(outcome), _) => outcome.into(),
            _ => GameResult::Unknown,
        }
    }

    /// The game as PDN; `us` is our name.
    #[must_use]
    pub fn to_pdn(&self, us: &str) -> PdnGame {
        let mut pdn = PdnGame::from_game(&self.game);
        let (black, white) = match self.us {
            Color::Black => (us, self.peer.as_str()),
            Color::White => (self.peer.as_str(), us),
        };
        for (name, value) in [
            ("Event", "DXP game"),
            ("Black", black),
            ("White", white),
            ("GameType", "21"),
            ("Termination", &self.ending.to_string()),
        ] {
            pdn.set_tag(name, value);
        }
        pdn.result = self.result();
        pdn
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(outcome) => outcome.fmt(f),
            Self::Told(Reason::Unknown) => f.write_str("ended by the peer"),
            Self::Told(Reason::Lost) => f.write_str("the peer resigned"),
            Self::Told(Reason::Drawn) => f.write_str("the peer said it is drawn"),
            Self::Told(Reason::Won) => f.write_str("the peer said it has won"),
            Self::MoveLimit => f.write_str("all agreed moves are made"),
            Self::Endless => f.write_str("too long"),
            Self::Stopped => f.write_str("stopped"),
            Self::Fault(what) => f.write_str(what),
            Self::Silent(time) => write!(f, "the peer was silent for {} s", time.as_secs()),
            Self::Gone => f.write_str("the peer left"),
        }
    }
}

/// What two sides have agreed on.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) start: Position,
    pub(super) us: Color,
    pub(super) peer: String,
    /// For the moves of each side; 0 for no limit.
    pub(super) minutes: f64,
    /// Of each side; 0 for no limit.
    pub(super) moves: u16,
    /// Whether draws by the rules may be said: pydraughts waits for ever after that.
    pub(super) says_draws: bool,
}

/// A game that is being played.
#[derive(Debug)]
pub(super) struct Contest {
    pub(super) terms: Terms,
    pub(super) game: Game,
    /// What each ply took.
    used: Vec<Duration>,
    /// When the side to move began.
    since: Instant,
}

impl Contest {
    pub(super) fn new(terms: Terms) -> Self {
        Self {
            game: Game::new(terms.start),
            terms,
            used: Vec::new(),
            since: Instant::now(),
        }
    }

    pub(super) fn is_our_turn(&self) -> bool {
        self.game.position().turn() == self.terms.us
    }

    /// When the side to move began to think.
    pub(super) fn since(&self) -> Instant {
        self.since
    }

    /// Plays a legal move of either side; how many seconds it took.
    pub(super) fn play(&mut self, mv: Move) -> u16 {
        let took = self.since.elapsed();
        if self.game.play(mv).is_ok() {
            self.used.push(took);
            self.since = Instant::now();
        }
        took.as_secs_f64().round().min(9999.0) as u16
    }

    /// Why the side to move should end the game instead of moving.
    pub(super) fn is_over(&self) -> Option<Ending> {
        let plies = self.game.moves().len();
        let moves = usize::from(self.terms.moves);
        match self.game.outcome() {
            Some(outcome @ Outcome::Win(_)) => return Some(Ending::Rules(outcome)),
            Some(outcome) if self.terms.says_draws => return Some(Ending::Rules(outcome)),
            _ => {}
        }
        if moves > 0 && plies >= 2 * moves {
            return Some(Ending::MoveLimit);
        }
        (plies >= MOST_PLIES).then_some(Ending::Endless)
    }

    /// How long our next move may take, by the agreed clock.
    pub(super) fn limits(&self) -> Limits {
        if self.terms.minutes <= 0.0 {
            return Limits::for_time(UNTIMED);
        }
        let ours = |&(ply, _): &(usize, &Duration)| {
            (ply % 2 == 0) == (self.terms.start.turn() == self.terms.us)
        };
        let plies = self.used.iter().enumerate().filter(ours);
        let (made, used) = plies.fold((0, Duration::ZERO), |(made, used), (_, took)| {
            (made + 1, used + *took)
        });
        let all = Duration::from_secs_f64(self.terms.minutes * 60.0);
        let to_go = u32::from(self.terms.moves).saturating_sub(made);
        Limits {
            clock: Some(Clock {
                remaining: all.saturating_sub(used),
                increment: Duration::ZERO,
                moves_to_go: (to_go > 0).then_some(to_go),
            }),
            ..Limits::default()
        }
    }

    /// Goes back to before the move `number` of `turn`; false if that is not behind us.
    pub(super) fn go_back(&mut self, number: u16, turn: Color, first: Color) -> bool {
        let later = usize::from(turn != first);
        let Some(ply) = usize::from(number).checked_sub(1).map(|it| 2 * it + later) else {
            return false;
        };
        if ply >= self.game.moves().len() {
            return false;
        }
        while self.game.moves().len() > ply {
            self.game.undo();
        }
        self.used.truncate(ply);
        self.since = Instant::now();
        true
    }

    pub(super) fn into_record(self, ending: Ending) -> Record {
        Record {
            peer: self.terms.peer,
            us: self.terms.us,
            game: self.game,
            ending,
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::notation::{fen, moves};

    use super::*;

    fn contest(minutes: f64, moves: u16) -> Contest {
        Contest::new(Terms {
            start: Position::START,
            us: Color::Black,
            peer: "Peer".into(),
            minutes,
            moves,
            says_draws: true,
        })
    }

    fn play(contest: &mut Contest, texts: &str) {
        for text in texts.split(' ') {
            let mv = moves::read(text, &contest.game.position()).expect(text);
            contest.play(mv);
        }
    }

    #[test]
    fn the_clock_counts_our_moves_only() {
        let mut contest = contest(1.0, 3);
        play(&mut contest, "11-15 22-18 15x22 25x18");
        contest.used = [10, 20, 5, 40].map(Duration::from_secs).to_vec();
        let clock = contest.limits().clock.expect("a clock");
        assert_eq!(clock.remaining, Duration::from_secs(45));
        assert_eq!(clock.moves_to_go, Some(1));
        contest.terms.us = Color::White;
        let clock = contest.limits().clock.expect("a clock");
        assert_eq!(clock.remaining, Duration::ZERO);
        contest.terms.minutes = 0.0;
        assert_eq!(contest.limits().move_time, Some(UNTIMED));
    }

    #[test]
    fn games_end_at_the_agreed_move() {
        let mut contest = contest(0.0, 1);
        play(&mut contest, "11-15");
        assert_eq!(contest.is_over(), None);
        play(&mut contest, "22-18");
        assert_eq!(contest.is_over(), Some(Ending::MoveLimit));
        let record = contest.into_record(Ending::MoveLimit);
        assert_eq!(record.result(), GameResult::Unknown);
    }

    #[test]
    fn going_back_counts_moves_from_the_first_mover() {
        let texts = "11-15 22-18 15x22 25x18 8-11";
        for (number, turn, plies) in [
            (1, Color::Black, Some(0)),
            (1, Color::White, Some(1)),
            (3, Color::Black, Some(4)),
            (3, Color::White, None),
            (0, Color::Black, None),
            (999, Color::White, None),
        ] {
            let mut contest = contest(0.0, 0);
            play(&mut contest, texts);
            assert_eq!(contest.go_back(number, turn, Color::Black), plies.is_some());
            assert_eq!(contest.game.moves().len(), plies.unwrap_or(5));
            assert_eq!(contest.used.len(), plies.unwrap_or(5));
        }
    }

    #[test]
    fn results_come_from_the_rules_or_the_loser() {
        let record = |board: &str, ending| Record {
            peer: "Peer".into(),
            us: Color::White,
            game: Game::new(fen::read(board).expect(board)),
            ending,
        };
        for (board, ending, result) in [
            ("W:W5:B1", Ending::Gone, GameResult::BlackWins),
            (
                "W:W5:BK20",
                Ending::Told(Reason::Lost),
                GameResult::WhiteWins,
            ),
            ("W:W5:BK20", Ending::Told(Reason::Won), GameResult::Unknown),
            ("W:W5:BK20", Ending::Told(Reason::Drawn), GameResult::Draw),
            ("W:W5:BK20", Ending::Gone, GameResult::Unknown),
        ] {
            assert_eq!(
                record(board, ending.clone()).result(),
                result,
                "{board} {ending}"
            );
        }
        let pdn = record("W:W5:BK20", Ending::Gone).to_pdn("Us");
        assert_eq!(pdn.tag("White"), Some("Us"));
        assert_eq!(pdn.tag("Termination"), Some("the peer left"));
    }
}
