//! A game with a person: shows the board, takes moves, explains what is wrong with them, answers.
//!
//! Owns the conversation; the prompt and the output are given, so that tests can play. Knows
//! nothing of terminals. Start reading at [`Console::run`]; [`level`] is how the engine plays.

mod command;
pub mod level;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use crossbeam::channel::{Sender, unbounded};
use engine::board::Color;
use engine::engine::Engine;
use engine::notation::pdn::{self, PdnGame};
use engine::notation::{Notation, diagram, fen, moves};
use engine::rules::{Game, Position};
use engine::search::{Answer, Limits, Observer, Report};
use engine::tablebase::Damage;

use crate::choice::{Lines, Taste};
use crate::message::Choice;
use crate::words::better_side;
use command::{Command, HELP};
use level::{LEVELS, Level};

/// Where a person types.
pub trait Prompt {
    /// The next line; `None` when there will be no more.
    fn ask(&mut self, prompt: &str) -> Option<String>;
}

/// The level of a first game.
const FIRST_LEVEL: usize = 4;

/// How long a hint may take.
const HINT: Duration = Duration::from_secs(1);

/// One conversation.
pub struct Console<P, W> {
    prompt: P,
    out: W,
    engine: Engine,
    game: Game,
    level: usize,
    /// The side that the engine plays; `None` if it only helps.
    opponent: Option<Color>,
    /// The side whose home row is at the bottom.
    near: Color,
    notation: Notation,
    random: fastrand::Rng,
}

enum Next {
    Go,
    Leave,
}

impl<P: Prompt, W: Write> Console<P, W> {
    /// A person with Black against `engine` at a middling level.
    pub fn new(prompt: P, out: W, engine: Engine, random: fastrand::Rng) -> Self {
        Self {
            prompt,
            out,
            engine,
            game: Game::default(),
            level: FIRST_LEVEL,
            opponent: Some(Color::White),
            near: Color::Black,
            notation: Notation::default(),
            random,
        }
    }

    /// Plays until the person leaves.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn run(mut self) -> io::Result<()> {
        writeln!(
            self.out,
            "Crownhead {}, English draughts. You play Black ( * ), level {} of {}.\n\
             Type a move such as 11-15, or help.\n",
            env!("CARGO_PKG_VERSION"),
            self.level,
            LEVELS.len(),
        )?;
        self.show()?;
        loop {
            self.out.flush()?;
            let prompt = format!("{}> ", self.game.position().turn());
            let Some(line) = self.prompt.ask(&prompt) else {
                return Ok(());
            };
            if let Next::Leave = self.obey(Command::read(&line))? {
                return Ok(());
            }
        }
    }

    fn obey(&mut self, command: Command<'_>) -> io::Result<Next> {
        match command {
            Command::Nothing => {}
            Command::Help => writeln!(self.out, "{HELP}")?,
            Command::New => self.begin_again()?,
            Command::Undo => self.undo()?,
            Command::Board => self.show()?,
            Command::Moves => {
                let list = moves::list(&self.game.position(), self.notation);
                writeln!(self.out, "{}", list.join("  "))?;
            }
            Command::Fen => writeln!(self.out, "{}", fen::write(&self.game.position()))?,
            Command::SetUp(text) => self.set_up(text)?,
            Command::Hint => self.hint()?,
            Command::Level(text) => self.set_level(text)?,
            Command::Side(text) => self.set_side(text)?,
            Command::Flip => {
                self.near = !self.near;
                self.show()?;
            }
            Command::Notation(text) => match text.parse() {
                Ok(notation) => {
                    self.notation = notation;
                    self.show()?;
                }
                Err(error) => writeln!(self.out, "{error}")?,
            },
            Command::Pdn(path) => self.save(path)?,
            Command::Go => self.engine_moves()?,
            Command::Quit => return Ok(self.leave()),
            Command::Play(text) => self.play(text)?,
        }
        Ok(Next::Go)
    }

    fn show(&mut self) -> io::Result<()> {
        let board = diagram::print_from(&self.game.position(), self.notation, self.near);
        writeln!(self.out, "{board}")?;
        self.tell_outcome()
    }

    fn tell_outcome(&mut self) -> io::Result<()> {
        match self.game.outcome() {
            Some(outcome) => writeln!(self.out, "{outcome}. (undo, new, pdn, quit)"),
            None => Ok(()),
        }
    }

    /// One move or several; where one is illegal, nothing is played and the reason is told.
    fn play(&mut self, text: &str) -> io::Result<()> {
        if let Some(outcome) = self.game.outcome() {
            return writeln!(self.out, "The game is over: {outcome}.");
        }
        let mut game = self.game.clone();
        // First as one move: a jump may be typed in pieces.
        let played = match moves::play(text, &mut game) {
            Ok(_) => Ok(()),
            Err(alone) if text.split_whitespace().nth(1).is_none() => Err(alone),
            Err(_) => pdn::play_line(text, &mut game).map_err(|line| line.error),
        };
        if let Err(error) = played {
            let hint = if text.contains(|c: char| c.is_ascii_digit()) {
                ""
            } else {
                " (help lists the commands)"
            };
            return writeln!(self.out, "{error}{hint}");
        }
        self.game = game;
        if self.opponent == Some(self.game.position().turn()) && self.game.outcome().is_none() {
            return self.engine_moves();
        }
        self.show()
    }

    fn engine_moves(&mut self) -> io::Result<()> {
        if let Some(outcome) = self.game.outcome() {
            return writeln!(self.out, "The game is over: {outcome}.");
        }
        let level = Level::numbered(self.level)
            .copied()
            .unwrap_or(LEVELS[LEVELS.len() - 1]);
        let limits = level.limits(&self.game, &mut self.random);
        let choice = self.think(limits, level.taste);
        let Some(best) = choice.best else {
            return Ok(());
        };
        let text = moves::write(best, &self.game.position(), self.notation);
        let mover = self.game.position().turn();
        // The engine answers with legal moves only.
        let _ = self.game.play(best);
        writeln!(self.out, "{mover} (Crownhead) plays {text}\n")?;
        self.show()
    }

    /// Searches and chooses, waiting for the answer.
    fn think(&mut self, limits: Limits, taste: Taste) -> Choice {
        let (sender, reports) = unbounded();
        self.engine.set_game(self.game.clone());
        self.engine.go(limits, Box::new(Collector(sender)));
        self.engine.wait();
        let mut lines = Lines::default();
        let mut best = Choice::default();
        for note in reports.try_iter() {
            match note {
                Note::Report(report) => lines.add(&report),
                // The answer comes all the same; a console that cannot be written to ends elsewhere.
                Note::Trouble(what) => drop(writeln!(self.out, "{what}")),
                Note::Answer(answer) => {
                    best = Choice {
                        best: answer.best,
                        ponder: answer.ponder,
                        score: answer.report.score,
                    };
                }
            }
        }
        lines.choose(taste, best, &mut self.random)
    }

    fn hint(&mut self) -> io::Result<()> {
        let choice = self.think(Limits::for_time(HINT), Taste::BEST);
        let position = self.game.position();
        match choice.best {
            None => self.tell_outcome(),
            Some(best) => {
                let text = moves::write(best, &position, self.notation);
                writeln!(self.out, "{text}: {}", better_side(choice.score, &position))
            }
        }
    }

    /// Back to the person's last move: past the engine's reply to it, if there was one.
    fn undo(&mut self) -> io::Result<()> {
        if self.game.undo().is_none() {
            return writeln!(self.out, "There is nothing to take back.");
        }
        if self.opponent == Some(self.game.position().turn()) && self.game.undo().is_none() {
            // The engine's first move of the game: it may choose again.
            return self.engine_moves();
        }
        self.show()
    }

    fn is_unfinished(&self) -> bool {
        self.game.moves().len() > 0 && self.game.outcome().is_none()
    }

    fn agrees(&mut self, question: &str) -> bool {
        let answer = self.prompt.ask(&format!("{question} (y/n) "));
        answer.is_some_and(|answer| answer.trim().to_ascii_lowercase().starts_with('y'))
    }

    fn begin_again(&mut self) -> io::Result<()> {
        self.begin(Position::START)
    }

    fn begin(&mut self, position: Position) -> io::Result<()> {
        if self.is_unfinished() && !self.agrees("Give up this game?") {
            return Ok(());
        }
        self.engine.new_game();
        self.game = Game::new(position);
        if self.opponent == Some(position.turn()) {
            return self.engine_moves();
        }
        self.show()
    }

    fn set_up(&mut self, text: &str) -> io::Result<()> {
        match fen::read(text) {
            Ok(position) => self.begin(position),
            Err(error) => writeln!(self.out, "{error}"),
        }
    }

    fn set_level(&mut self, text: &str) -> io::Result<()> {
        if let Some(number) = text.parse().ok().filter(|&n| Level::numbered(n).is_some()) {
            self.level = number;
        } else if !text.is_empty() {
            writeln!(self.out, "expected a level from 1 to {}", LEVELS.len())?;
        }
        for (index, level) in LEVELS.iter().enumerate() {
            let mark = if index + 1 == self.level { '>' } else { ' ' };
            writeln!(self.out, "{mark}{:>3}  {}", index + 1, level.words)?;
        }
        Ok(())
    }

    fn set_side(&mut self, text: &str) -> io::Result<()> {
        self.opponent = match text.to_ascii_lowercase().as_str() {
            "black" | "b" => Some(Color::White),
            "white" | "w" => Some(Color::Black),
            "both" | "none" => None,
            _ => return writeln!(self.out, "expected black, white or both"),
        };
        if let Some(opponent) = self.opponent {
            self.near = !opponent;
            if opponent == self.game.position().turn() && self.game.outcome().is_none() {
                return self.engine_moves();
            }
        }
        self.show()
    }

    fn save(&mut self, path: &str) -> io::Result<()> {
        let text = pdn::to_text(&self.record(), self.notation);
        if path.is_empty() {
            return write!(self.out, "{text}");
        }
        if Path::new(path).exists() && !self.agrees(&format!("{path} exists. Write over it?")) {
            return Ok(());
        }
        match fs::write(path, text) {
            Ok(()) => writeln!(self.out, "saved in {path}"),
            Err(error) => writeln!(self.out, "{path}: cannot save: {error}"),
        }
    }

    fn record(&self) -> PdnGame {
        let mut record = PdnGame::from_game(&self.game);
        let name = |color| {
            if self.opponent == Some(color) {
                format!(
                    "Crownhead {}, level {}",
                    env!("CARGO_PKG_VERSION"),
                    self.level
                )
            } else {
                "?".into()
            }
        };
        record.set_tag("Event", "Game on the console");
        record.set_tag("Black", &name(Color::Black));
        record.set_tag("White", &name(Color::White));
        record
    }

    fn leave(&mut self) -> Next {
        if self.is_unfinished() && !self.agrees("Leave this game?") {
            return Next::Go;
        }
        Next::Leave
    }
}

/// What the search said.
enum Note {
    Report(Report),
    Answer(Answer),
    /// What went wrong without keeping the answer from coming.
    Trouble(String),
}

struct Collector(Sender<Note>);

impl Observer for Collector {
    fn report(&mut self, report: &Report) {
        // The receiver lives until the search has ended.
        let _ = self.0.send(Note::Report(report.clone()));
    }

    fn answer(&mut self, answer: &Answer) {
        let _ = self.0.send(Note::Answer(answer.clone()));
    }

    fn damage(&mut self, damage: &Damage) {
        let _ = self.0.send(Note::Trouble(damage.to_string()));
    }

    fn fault(&mut self, what: &str) {
        let _ = self
            .0
            .send(Note::Trouble(format!("The search failed: {what}")));
    }
}
