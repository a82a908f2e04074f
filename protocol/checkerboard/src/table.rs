//! Where the moves are thought about: the player, and the game as far as it is known.
//!
//! One search at a time; no thread of it runs when [`Table::play`] returns. Knows no pointer.

use std::time::Duration;

use engine::engine::EngineOptions;
use engine::rules::{Game, Outcome, Position};
use engine::search::{Answer, Limits};
use protocol::message::Settings;
use protocol::player::{Event, Player};

use crate::desk::{Databases, Orders};
use crate::status::{Notices, status};
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
    /// The settings that were asked for.
    pub(crate) fn settings(&self) -> Settings {
        self.orders.settings
    }

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
        let mut notices = Notices::default();
        let Some(player) = self.prepared(call, &mut notices) else {
            watch(Some("no memory for a search"));
            return Reply::first_move(&terms::write(&call.position), color_code(&call.position));
        };
        let mut search = player.go(game.clone(), call.limits);
        let answer = follow(player, watch, |event| match event {
            Event::Report(report) => {
                search.hear(report);
                let news = report.line == 1 && !report.pv.is_empty();
                news.then(|| notices.before(&status(call.position, report)))
            }
            Event::Answer(answer) => {
                let news = !answer.report.pv.is_empty();
                news.then(|| notices.before(&status(call.position, &answer.report)))
            }
            Event::Fault(what) | Event::Damage(what) => {
                notices.add(what);
                None
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

    /// The settings in use, once there was a search.
    pub(crate) fn settings(&self) -> Option<Settings> {
        self.player.as_ref().map(Player::settings)
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
    fn prepared(&mut self, call: &Call, notices: &mut Notices) -> Option<&mut Player> {
        if self.player.is_none() {
            self.player = new_player(&call.orders.settings);
            self.databases = Databases::default();
        }
        let player = self.player.as_mut()?;
        // What cannot be had stays as it is: a move is wanted above all.
        let in_use = player.settings();
        for setting in call.orders.changes(&in_use) {
            if let Err(error) = player.set(setting) {
                notices.add(error.detail().unwrap_or_default());
            }
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

/// With the table that is asked for, else one of the usual size, else the smallest.
fn new_player(settings: &Settings) -> Option<Player> {
    let sizes = [settings.hash_mb, EngineOptions::default().hash_mb, 1];
    let threads = settings.threads;
    let player = |hash_mb| Player::new(EngineOptions { hash_mb, threads }).ok();
    sizes.into_iter().find_map(player)
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

/// Waits for the answer, showing the news that `hear` makes of events, and listening for the word
/// to stop.
fn follow(
    player: &Player,
    watch: &mut dyn FnMut(Option<&str>) -> bool,
    mut hear: impl FnMut(&Event) -> Option<String>,
) -> Option<Answer> {
    let events = player.events();
    loop {
        let event = events.recv_timeout(LOOK).ok();
        let news = event.as_ref().and_then(&mut hear);
        let answer = match event {
            Some(Event::Answer(answer)) => Some(answer),
            _ => None,
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use engine::notation::fen;
    use engine::tablebase::Tablebase;

    use super::*;

    const QUICK: f64 = 0.03;

    fn call(text: &str, settings: Settings, databases: Option<Arc<Tablebase>>) -> Call {
        let position = fen::read(text).expect(text);
        let orders = Orders {
            settings,
            databases: Databases(databases),
            game: None,
        };
        let color = color_code(&position);
        Call::new(&terms::write(&position), color, QUICK, (0, 0), orders).expect(text)
    }

    /// All texts that were shown during a search.
    fn play(table: &mut Table, call: &Call) -> Vec<String> {
        let mut shown = Vec::new();
        let reply = table.play(call, &mut |text| {
            shown.extend(text.map(str::to_owned));
            false
        });
        assert!(reply.board.is_some());
        shown
    }

    #[test]
    fn a_table_that_cannot_be_had_is_told_and_the_move_comes() {
        let mut desk = crate::desk::Desk::new(None);
        desk.command("set hashsize 1048576").expect("an answer");
        let asked = desk.orders().settings;
        let mut table = Table::default();
        let told = |shown: &[String]| shown.last().expect("a status").contains("1048576");
        let shown = play(&mut table, &call("B:W21-32:B1-12", asked, None));
        let had = table.settings().expect("settings");
        // A machine with that much memory has nothing to tell.
        assert_eq!(told(&shown), had.hash_mb != asked.hash_mb, "{shown:?}");
        assert_eq!(had.hash_mb, 64);
        let shown = play(&mut table, &call("B:W21-32:B1-12", had, None));
        assert!(!told(&shown), "{shown:?}");
    }

    #[test]
    fn a_damaged_database_is_told_once_and_without_braces() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("{ends}");
        fs::create_dir(&folder).expect("a folder");
        for image in Tablebase::built_in(1).images() {
            if image.header().slice.pieces() == 2 {
                let mut bytes = image.bytes().to_vec();
                let last = bytes.iter().rposition(|&byte| byte != 0);
                bytes[last.expect("a payload")] ^= 1;
                let name = format!("{}.ctb", image.header().slice);
                fs::write(folder.join(name), bytes).expect("written");
            }
        }
        let mut tablebase = Tablebase::empty(1);
        tablebase.add_folder(&folder).expect("sound headers");
        let tablebase = Some(Arc::new(tablebase));
        let settings = crate::desk::Desk::new(None).orders().settings;
        let mut table = Table::default();
        let mut ends = || {
            let call = call("W:WK32:BK26", settings, tablebase.clone());
            play(&mut table, &call).pop().expect("a status")
        };
        let first = ends();
        assert!(
            first.contains("(ends)") && first.contains("is damaged"),
            "{first}"
        );
        assert!(
            !first.contains(['{', '}']) && first.contains("depth "),
            "{first}"
        );
        assert!(ends().starts_with("depth "));
    }
}
