//! Where the moves are thought about: the player, and the game as far as it is known.
//!
//! One search at a time; no thread of it runs when [`Table::play`] returns. Knows no pointer.

use std::time::Duration;

use engine::engine::EngineOptions;
use engine::rules::{Game, Outcome, Position};
use engine::search::{Answer, Limits};
use protocol::player::{Event, Player};

use crate::desk::{Databases, Orders};
use crate::status::status;
use crate::terms::{self, Board, DRAW, LOSS, Reply, UNKNOWN};

/// How often the GUI's word is looked at, also while nothing happens.
const LOOK: Duration = Duration::from_millis(5);

/// What `getmove` is asked.
pub(crate) struct Call {
    position: Position,
    limits: Limits,
    forgets: bool,
    orders: Orders,
}

impl Call {
    /// Understands the arguments of `getmove`.
    ///
    /// # Errors
    ///
    /// What is wrong with the board.
    pub(crate) fn new(
        board: &Board,
        color: i32,
        max_time: f64,
        info: (i32, i32),
        orders: Orders,
    ) -> Result<Self, String> {
        Ok(Self {
            position: terms::read(board, color)?,
            limits: terms::limits(max_time, info),
            forgets: terms::forgets(info.0),
            orders,
        })
    }
}

/// The player and its memory.
#[derive(Default)]
pub(crate) struct Table {
    player: Option<Player>,
    /// The databases that the player has.
    databases: Databases,
    /// The game up to our last move.
    game: Option<Game>,
}

impl Table {
    /// Searches and plays. `watch` is given news now and then, and says whether to move at once.
    pub(crate) fn play(
        &mut self,
        call: &Call,
        watch: &mut dyn FnMut(Option<&str>) -> bool,
    ) -> Reply {
        watch(Some("thinking"));
        if !call.position.can_move() {
            watch(Some("no legal move"));
            return Reply::nothing(LOSS);
        }
        let game = self.game_of(call);
        let Some(player) = self.prepared(call) else {
            watch(Some("no memory for a search"));
            return Reply::first_move(&terms::write(&call.position), color_code(&call.position));
        };
        let mut search = player.go(game.clone(), call.limits);
        let answer = follow(player, call, watch, |event| {
            if let Event::Report(report) = event {
                search.hear(report);
            }
        });
        let chosen = answer.as_ref().map(|answer| player.choose(&search, answer));
        player.abandon();
        let best = chosen.and_then(|choice| choice.best);
        let best = best.or_else(|| call.position.legal_moves().first().copied());
        let Some(best) = best else {
            return Reply::nothing(LOSS);
        };
        let mut game = game;
        // A legal move; if not, the next call begins a new history.
        self.game = game.play(best).is_ok().then_some(game);
        let searched = answer.filter(|answer| answer.best == Some(best));
        let outcome = self.game.as_ref().and_then(Game::outcome);
        Reply {
            board: Some(terms::write(&call.position.play(best))),
            value: match outcome {
                // By repetition or the 40-move rule, which the GUI does not count.
                Some(Outcome::Draw(_)) => DRAW,
                _ => searched.map_or(UNKNOWN, |answer| terms::value(answer.report.proven())),
            },
        }
    }

    /// After a panic: ends whatever still runs, and begins anew with the next call.
    pub(crate) fn give_up(&mut self) {
        *self = Self::default();
    }

    /// The position with what led to it: as the GUI told, else as we saw it, else nothing.
    fn game_of(&mut self, call: &Call) -> Game {
        let known = self.game.take().filter(|_| !call.forgets);
        let told = call.orders.game.clone();
        let told = told.filter(|game| game.position() == call.position);
        told.or_else(|| known.and_then(|game| continued(game, call.position)))
            .unwrap_or_else(|| Game::new(call.position))
    }

    /// The player with everything set that was asked for since the last search.
    fn prepared(&mut self, call: &Call) -> Option<&mut Player> {
        if self.player.is_none() {
            let options = EngineOptions {
                hash_mb: call.orders.settings.hash_mb,
                threads: call.orders.settings.threads,
            };
            let smallest = EngineOptions {
                hash_mb: 1,
                ..options
            };
            let player = Player::new(options).or_else(|_| Player::new(smallest));
            self.player = player.ok();
            self.databases = Databases::default();
        }
        let player = self.player.as_mut()?;
        // What cannot be had stays as it is: a move is wanted above all.
        let in_use = player.settings();
        for setting in call.orders.changes(&in_use) {
            let _ = player.set(setting);
        }
        if !self.databases.same(&call.orders.databases) {
            self.databases = call.orders.databases.clone();
            player.set_tablebase(self.databases.0.clone());
        }
        if call.forgets {
            player.new_game();
        }
        Some(player)
    }
}

fn color_code(position: &Position) -> i32 {
    match position.turn() {
        engine::board::Color::White => 1,
        engine::board::Color::Black => 2,
    }
}

/// The game with at most one move more, if it leads to `position`.
fn continued(mut game: Game, position: Position) -> Option<Game> {
    let before = game.position();
    if before == position {
        return Some(game);
    }
    let moves = before.legal_moves();
    let mv = moves.iter().find(|&&mv| before.play(mv) == position)?;
    game.play(*mv).ok()?;
    Some(game)
}

/// Waits for the answer, showing news and listening for the word to stop.
fn follow(
    player: &Player,
    call: &Call,
    watch: &mut dyn FnMut(Option<&str>) -> bool,
    mut hear: impl FnMut(&Event),
) -> Option<Answer> {
    let events = player.events();
    loop {
        let event = events.recv_timeout(LOOK).ok();
        if let Some(event) = &event {
            hear(event);
        }
        let (news, answer) = match event {
            Some(Event::Report(report)) if report.line == 1 && !report.pv.is_empty() => {
                (Some(status(call.position, &report)), None)
            }
            Some(Event::Answer(answer)) => {
                let news = !answer.report.pv.is_empty();
                let news = news.then(|| status(call.position, &answer.report));
                (news, Some(answer))
            }
            _ => (None, None),
        };
        if watch(news.as_deref()) {
            player.stop();
        }
        let is_silent = !player.is_searching() && events.is_empty();
        if answer.is_some() || is_silent {
            return answer;
        }
    }
}
