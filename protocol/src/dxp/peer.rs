//! Plays over DXP with whoever is at the other end, as follower or initiator, game after game.
//!
//! Owns what may follow what, and that every game has an end and a record, however the peer
//! behaves: it may vanish, flood, send halves or nonsense. Generic over the streams. Start reading
//! at [`talk`], then `Peer::on_message`.

use std::io::{self, Read, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::{Duration, Instant};

use crossbeam::channel::Receiver;
use crossbeam::select;
use engine::board::Color;
use engine::notation::fen;
use engine::rules::{Outcome, Position};
use engine::search::Limits;

use super::board;
use super::contest::{Contest, Ending, Record, Terms};
use super::message::{BackVerdict, GameRequest, Message, Played, Reason, VERSION, Verdict};
use super::wire::{Wire, listen};
use crate::hub::reading::{PosStyle, Reading};
use crate::lines::Line;
use crate::player::{Event, Player, Search};

/// Senseless messages that are explained; the next one ends the connection.
const MOST_FAULTS: u32 = 10;

/// Chat that is passed on of one connection.
const MOST_CHAT: u32 = 100;

/// How long a program may take to answer where it need not think.
const COURTESY: Duration = Duration::from_secs(10);

/// What pydraughts needs between two messages that follow each other: it takes two that arrive
/// together for one.
pub const PAUSE: Duration = Duration::from_millis(120);

/// How we play.
#[derive(Clone, Debug)]
pub struct PeerOptions {
    /// Our name; the first 32 characters of ASCII are told.
    pub name: String,
    /// What bounds each move; `None` for the clock that the game agrees on.
    pub limits: Option<Limits>,
    /// How the boards of requests are meant.
    pub style: PosStyle,
    /// How long the peer may think about a move, and be idle between games.
    pub patience: Duration,
    /// Kept between messages of ours that follow each other; [`PAUSE`] unless the peer is known to
    /// need none.
    pub pause: Duration,
    /// The games to ask for as initiator; `None` to wait for requests as follower.
    pub offer: Option<Offer>,
}

/// The games that an initiator asks for.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Where each game begins.
    pub start: Position,
    /// What we play in the first game; colours alternate.
    pub us: Color,
    /// For the moves of each side, 0 for no limit.
    pub minutes: u16,
    /// Of each side, 0 for no limit.
    pub moves: u16,
    /// How many games.
    pub games: u32,
}

/// News for people.
#[derive(Debug)]
pub enum Note<'a> {
    /// A game begins: against whom, and what we play.
    Begins(&'a str, Color),
    /// The peer says something.
    Said(&'a str),
    /// The peer sent something that makes no sense: what.
    Fault(&'a str),
    /// Something failed at our end, and the game goes on: what.
    Trouble(&'a str),
    /// A game is over.
    Over(&'a Record),
}

/// Why the conversation has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parting {
    /// All games are played, or one side wants no more.
    Done,
    /// The peer closed the connection.
    Gone,
    /// The peer refused a game.
    Refused(Verdict),
    /// The peer broke the protocol: how.
    Fault(String),
    /// The peer was not heard of within this time.
    Silent(Duration),
    /// We were told to stop.
    Stopped,
}

/// What the conversation is at.
enum State {
    /// No game, since.
    Idle(Instant),
    /// Asked for a game, since.
    Asked(Instant, Terms),
    /// In a game.
    Playing(Contest),
    /// Said that the game is over, and waits for the echo, since.
    Ending(Instant),
}

type Step = io::Result<ControlFlow<Parting>>;

struct Peer<'a, W> {
    wire: Wire<W>,
    player: &'a mut Player,
    options: &'a PeerOptions,
    notes: &'a mut dyn FnMut(Note<'_>),
    state: State,
    search: Option<Search>,
    faults: u32,
    chat: u32,
    /// Games that we have asked for.
    asked: u32,
}

/// Plays until one side leaves, or something arrives on `stop`, or its sender is dropped. Each game
/// that began gets its [`Note::Over`]; no search runs afterwards.
///
/// # Errors
///
/// If no thread can be had. A stream that fails is a peer that has gone.
pub fn talk<R, W>(
    streams: (R, W),
    player: &mut Player,
    options: &PeerOptions,
    stop: &Receiver<()>,
    notes: &mut dyn FnMut(Note<'_>),
) -> io::Result<Parting>
where
    R: Read + Send + 'static,
    W: Write,
{
    let messages = listen(streams.0)?;
    let mut peer = Peer {
        wire: Wire::new(streams.1, options.pause),
        player,
        options,
        notes,
        state: State::Idle(Instant::now()),
        search: None,
        faults: 0,
        chat: 0,
        asked: 0,
    };
    // Whatever writing fails with: nobody is there to read.
    let parting = peer.run(&messages, stop).unwrap_or(Parting::Gone);
    peer.part(&parting);
    Ok(parting)
}

impl<W: Write> Peer<'_, W> {
    fn run(&mut self, messages: &Receiver<Line>, stop: &Receiver<()>) -> io::Result<Parting> {
        let events = self.player.events();
        let mut step = match self.options.offer {
            Some(_) => self.ask()?,
            None => Continue(()),
        };
        loop {
            if let Break(parting) = step {
                return Ok(parting);
            }
            let patience = self.patience();
            if patience.is_zero() {
                // Also where a peer chats without end: `default` is taken only when nobody speaks.
                step = self.on_silence()?;
                continue;
            }
            step = select! {
                recv(messages) -> line => match line {
                    Ok(line) => self.on_line(&line)?,
                    Err(_) => Break(Parting::Gone),
                },
                recv(events) -> event => match event {
                    Ok(event) => self.on_event(event)?,
                    Err(_) => Continue(()),
                },
                recv(stop) -> _ => Break(Parting::Stopped),
                default(patience) => self.on_silence()?,
            };
        }
    }

    /// How much longer the peer may be silent.
    fn patience(&self) -> Duration {
        let (since, patience) = match &self.state {
            State::Idle(since) => (*since, self.options.patience),
            State::Asked(since, _) => (*since, self.options.patience),
            State::Ending(since) => (*since, COURTESY),
            // The search ends by itself.
            State::Playing(_) if self.search.is_some() => return self.options.patience,
            State::Playing(contest) if contest.is_over().is_some() => (contest.since(), COURTESY),
            State::Playing(contest) => (contest.since(), self.options.patience),
        };
        patience.saturating_sub(since.elapsed())
    }

    fn on_silence(&mut self) -> Step {
        match &self.state {
            State::Ending(_) => self.next(),
            State::Playing(_) if self.search.is_some() => Ok(Continue(())),
            // It ought to have said so itself.
            State::Playing(contest) => match contest.is_over() {
                Some(ending) => {
                    self.close(ending);
                    self.next()
                }
                None => Ok(Break(Parting::Silent(self.options.patience))),
            },
            _ => Ok(Break(Parting::Silent(self.options.patience))),
        }
    }

    fn on_line(&mut self, line: &Line) -> Step {
        self.wire.heard();
        let read = match line {
            Line::Text(text) => Message::read(text),
            Line::TooLong => {
                let fault = super::DxpError::TooLong.to_string();
                self.chat(&fault)?;
                return Ok(Break(Parting::Fault(fault)));
            }
        };
        match read {
            Ok(message) => self.on_message(message),
            Err(error) => self.fault(&error.to_string()),
        }
    }

    fn on_message(&mut self, message: Message) -> Step {
        match message {
            Message::GameRequest(request) => self.on_request(&request),
            Message::GameAnswer(name, verdict) => self.on_answer(name, verdict),
            Message::Move(played) => self.on_move(played),
            Message::GameEnd { reason, stop } => self.on_end(reason, stop),
            Message::Chat(text) => {
                self.chat += 1;
                if self.chat <= MOST_CHAT {
                    (self.notes)(Note::Said(&text));
                }
                Ok(Continue(()))
            }
            Message::BackRequest { number, turn } => self.on_back_request(number, turn),
            Message::BackAnswer(_) => self.fault("BACKACC without BACKREQ"),
        }
    }

    fn on_request(&mut self, request: &GameRequest) -> Step {
        match self.judge(request) {
            Ok(terms) => {
                self.answer(Verdict::Accepted)?;
                self.begin(terms)
            }
            Err((verdict, why)) => {
                let step = self.fault(&why)?;
                self.answer(verdict)?;
                Ok(step)
            }
        }
    }

    /// The terms of a game that can be played, or why not.
    fn judge(&self, request: &GameRequest) -> Result<Terms, (Verdict, String)> {
        let refuse = |why: &str| Err((Verdict::ThisGame, why.to_owned()));
        if request.version != VERSION {
            return Err((Verdict::Version, "version 01 only".into()));
        }
        if !matches!(self.state, State::Idle(_)) || self.options.offer.is_some() {
            return refuse("GAMEREQ while there is a game");
        }
        let reading = board::reading(self.options.style, &request.name);
        let start = match board::read(&request.start, reading) {
            Ok(start) => start,
            Err(error) => return refuse(error.detail().unwrap_or_default()),
        };
        if !start.can_move() {
            return refuse("the game is over where it begins");
        }
        Ok(Terms {
            start,
            us: request.follower,
            minutes: request.minutes,
            moves: request.moves,
            says_draws: !board::is_pydraughts(&request.name),
            peer: request.name.clone(),
        })
    }

    fn answer(&mut self, verdict: Verdict) -> io::Result<()> {
        let name = self.options.name.clone();
        self.wire.send(&Message::GameAnswer(name, verdict))
    }

    /// How the boards of our own requests are meant.
    fn our_reading(&self) -> Reading {
        board::reading(self.options.style, &self.options.name)
    }

    /// Asks for the next game of the offer.
    fn ask(&mut self) -> Step {
        let Some(offer) = &self.options.offer else {
            return Ok(Continue(()));
        };
        if self.asked >= offer.games {
            return Ok(Break(Parting::Done));
        }
        let us = if self.asked.is_multiple_of(2) {
            offer.us
        } else {
            !offer.us
        };
        self.asked += 1;
        let request = GameRequest {
            name: self.options.name.clone(),
            version: VERSION,
            follower: !us,
            minutes: offer.minutes.into(),
            moves: offer.moves,
            start: board::write(&offer.start, self.our_reading()),
        };
        let terms = Terms {
            start: offer.start,
            us,
            peer: String::new(),
            minutes: request.minutes,
            moves: request.moves,
            says_draws: true,
        };
        self.wire.send(&Message::GameRequest(request))?;
        self.state = State::Asked(Instant::now(), terms);
        Ok(Continue(()))
    }

    fn on_answer(&mut self, name: String, verdict: Verdict) -> Step {
        let State::Asked(_, terms) = &self.state else {
            return self.fault("GAMEACC without GAMEREQ");
        };
        if verdict != Verdict::Accepted {
            return Ok(Break(Parting::Refused(verdict)));
        }
        let terms = terms.clone();
        self.begin(Terms {
            peer: name,
            ..terms
        })
    }

    fn begin(&mut self, terms: Terms) -> Step {
        (self.notes)(Note::Begins(&terms.peer, terms.us));
        self.player.new_game();
        let contest = Contest::new(terms);
        let is_our_turn = contest.is_our_turn();
        self.state = State::Playing(contest);
        if is_our_turn {
            self.turn()
        } else {
            Ok(Continue(()))
        }
    }

    /// Our turn: a search, or the end of the game.
    fn turn(&mut self) -> Step {
        let State::Playing(contest) = &self.state else {
            return Ok(Continue(()));
        };
        if let Some(ending) = contest.is_over() {
            return self.end(ending);
        }
        let limits = self.options.limits.unwrap_or_else(|| contest.limits());
        self.search = Some(self.player.go(contest.game.clone(), limits));
        Ok(Continue(()))
    }

    fn on_event(&mut self, event: Event) -> Step {
        match (event, self.search.as_mut()) {
            (Event::Report(report), Some(search)) => search.hear(&report),
            (Event::Answer(answer), Some(search)) => {
                let choice = self.player.choose(search, &answer);
                self.search = None;
                if let (State::Playing(contest), Some(mv)) = (&mut self.state, choice.best) {
                    let seconds = contest.play(mv);
                    self.wire.send(&Message::Move(Played::new(mv, seconds)))?;
                }
            }
            (Event::Fault(what) | Event::Damage(what), _) => (self.notes)(Note::Trouble(&what)),
            _ => {}
        }
        Ok(Continue(()))
    }

    fn on_move(&mut self, played: Played) -> Step {
        match &mut self.state {
            State::Playing(contest) if contest.is_our_turn() => self.fault("MOVE out of turn"),
            State::Playing(contest) => match played.find(&contest.game.position()) {
                Some(mv) => {
                    contest.play(mv);
                    self.turn()
                }
                None => self.on_illegal_move(played),
            },
            // It crossed our GAMEEND.
            State::Ending(_) => Ok(Continue(())),
            _ => self.fault("MOVE without a game"),
        }
    }

    fn on_illegal_move(&mut self, played: Played) -> Step {
        let State::Playing(contest) = &self.state else {
            return Ok(Continue(()));
        };
        let what = format!("illegal move {}-{}", played.from, played.to);
        let text = format!("{what} in {}", fen::write(&contest.game.position()));
        if let Break(parting) = self.fault(&text)? {
            return Ok(Break(parting));
        }
        self.end(Ending::Fault(format!("{what} by the peer")))
    }

    /// Ends the game from our side, instead of a move.
    fn end(&mut self, ending: Ending) -> Step {
        let reason = match ending {
            // We are to move and cannot.
            Ending::Rules(Outcome::Win(_)) => Reason::Lost,
            Ending::Rules(Outcome::Draw(_)) => Reason::Drawn,
            _ => Reason::Unknown,
        };
        let stop = match &self.options.offer {
            Some(offer) => self.asked >= offer.games,
            None => false,
        };
        self.close(ending);
        self.wire.send(&Message::GameEnd { reason, stop })?;
        self.state = State::Ending(Instant::now());
        Ok(Continue(()))
    }

    fn on_end(&mut self, reason: Reason, stop: bool) -> Step {
        match &self.state {
            State::Playing(contest) => {
                let over = contest.game.outcome().map(Ending::Rules);
                self.close(over.unwrap_or(Ending::Told(reason)));
                let reason = Reason::Unknown;
                let echo = self.wire.send(&Message::GameEnd { reason, stop });
                // A peer that wants no more may be gone before it hears that we know.
                if !stop {
                    echo?;
                }
            }
            State::Asked(..) => return Ok(Break(Parting::Refused(Verdict::AnyGame))),
            State::Ending(_) | State::Idle(_) => {}
        }
        if stop {
            return Ok(Break(Parting::Done));
        }
        self.next()
    }

    /// After a game.
    fn next(&mut self) -> Step {
        self.state = State::Idle(Instant::now());
        self.ask()
    }

    fn on_back_request(&mut self, number: u16, turn: Color) -> Step {
        let went = match &mut self.state {
            State::Playing(contest) => {
                // pydraughts counts as if White always began.
                let first = if board::is_pydraughts(&contest.terms.peer) {
                    Color::White
                } else {
                    contest.terms.start.turn()
                };
                contest.go_back(number, turn, first)
            }
            _ => false,
        };
        if !went {
            self.wire.send(&Message::BackAnswer(BackVerdict::No))?;
            return Ok(Continue(()));
        }
        self.drop_search();
        self.wire.send(&Message::BackAnswer(BackVerdict::Yes))?;
        match &self.state {
            State::Playing(contest) if contest.is_our_turn() => self.turn(),
            _ => Ok(Continue(())),
        }
    }

    fn drop_search(&mut self) {
        self.search = None;
        self.player.abandon();
    }

    /// The game is over: nobody thinks about it any more, and it is on record.
    fn close(&mut self, ending: Ending) {
        self.drop_search();
        let idle = State::Idle(Instant::now());
        if let State::Playing(contest) = std::mem::replace(&mut self.state, idle) {
            (self.notes)(Note::Over(&contest.into_record(ending)));
        }
    }

    /// Explains what was wrong; after too much of it the conversation ends.
    fn fault(&mut self, what: &str) -> Step {
        (self.notes)(Note::Fault(what));
        self.faults += 1;
        if self.faults > MOST_FAULTS {
            return Ok(Break(Parting::Fault(format!("too many faults: {what}"))));
        }
        self.chat(what)?;
        Ok(Continue(()))
    }

    fn chat(&mut self, text: &str) -> io::Result<()> {
        self.wire.send(&Message::Chat(text.to_owned()))
    }

    /// The end of a game that was under way, and of the conversation.
    fn part(&mut self, parting: &Parting) {
        let playing = matches!(self.state, State::Playing(_));
        self.close(match parting {
            Parting::Done | Parting::Gone | Parting::Refused(_) => Ending::Gone,
            Parting::Fault(what) => Ending::Fault(what.clone()),
            Parting::Silent(time) => Ending::Silent(*time),
            Parting::Stopped => Ending::Stopped,
        });
        if playing && *parting != Parting::Gone {
            let reason = Reason::Unknown;
            // It may be gone as well; then there is nobody to be told.
            let _ = self.wire.send(&Message::GameEnd { reason, stop: true });
        }
    }
}
