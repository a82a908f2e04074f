//! What we say to an engine and how we understand it, in each dialect.
//!
//! Owns the client's half of the vocabulary; the syntax of Hub lines is [`crate::hub::Line`]'s.
//! Knows no process and no clock. Start reading at [`Conversation::hear`].

use engine::board::Color;
use engine::notation::{Notation, fen, moves};
use engine::rules::{Game, Position};

use super::options::Declared;
use super::{Budget, Recipe, Remaining};
use crate::dialect::Dialect;
use crate::hub;

/// What an engine tells about its search. What it does not tell is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// The iteration, in plies.
    pub depth: Option<u32>,
    /// In men, for the side to move.
    pub score: Option<f64>,
    /// Positions searched.
    pub nodes: Option<u64>,
}

impl Info {
    /// Takes over what `news` tells.
    pub(super) fn update(&mut self, news: &Self) {
        self.depth = news.depth.or(self.depth);
        self.score = news.score.or(self.score);
        self.nodes = news.nodes.or(self.nodes);
    }
}

/// A line of the engine, understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Heard {
    /// Nothing that matters here.
    Nothing,
    /// Its introduction is over; it waits for settings.
    Greeted,
    /// It has done what it was told, and can search now.
    Ready,
    /// The state of a search.
    Info(Info),
    /// The end of a search, with the move.
    Done(Option<String>),
    /// The engine complains.
    Complaint(String),
}

/// One conversation.
#[derive(Debug)]
pub(super) struct Conversation {
    dialect: Dialect,
    name: String,
    parameters: Vec<Declared>,
    refused: Vec<String>,
}

impl Conversation {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            name: String::new(),
            parameters: Vec::new(),
            refused: Vec::new(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The settings that the engine, by what it declares, does not take.
    pub(super) fn refused(&self) -> &[String] {
        &self.refused
    }

    /// Whether the engine has told its options.
    pub(super) fn declares_options(&self) -> bool {
        !self.parameters.is_empty()
    }

    /// Asks the engine to introduce itself; the end of that is [`Heard::Greeted`].
    pub(super) fn greeting(&self) -> &'static str {
        match self.dialect {
            Dialect::Hub => "hub",
            Dialect::Ugi => "ugi",
            Dialect::Cb => "name",
        }
    }

    /// Asks the engine to get ready; it answers [`Heard::Ready`].
    pub(super) fn prepare(&self) -> &'static str {
        match self.dialect {
            Dialect::Hub => "init",
            _ => self.ping(),
        }
    }

    /// Asks for a sign of life; it answers [`Heard::Ready`].
    pub(super) fn ping(&self) -> &'static str {
        match self.dialect {
            Dialect::Hub => "ping",
            Dialect::Ugi => "isready",
            Dialect::Cb => CB_PING.0,
        }
    }

    pub(super) fn new_game(&self) -> &'static str {
        match self.dialect {
            Dialect::Hub => "new-game",
            Dialect::Ugi => "uginewgame",
            Dialect::Cb => "newgame",
        }
    }

    /// The lines that make the settings; notes those that the engine does not
    /// take by its declarations.
    pub(super) fn settings(&mut self, recipe: &Recipe) -> Vec<String> {
        let number = |name: &str, value: Option<u32>| value.map(|v| (name.into(), v.to_string()));
        let common: Vec<(String, String)> = [
            number("hash", recipe.hash),
            number("threads", recipe.threads),
        ]
        .into_iter()
        .flatten()
        .collect();
        let mut lines = Vec::new();
        for (name, value) in common.iter().chain(&recipe.options) {
            match self.declared(name, value) {
                Ok((name, value)) => lines.push(self.set(&name, &value)),
                Err(fault) => self.refused.push(fault),
            }
        }
        // Our letters are plain, and we play English draughts: said to engines that may ask.
        for (name, value) in [("pos-style", "plain"), ("variant", "english")] {
            if self.dialect == Dialect::Hub && self.declares(name) {
                lines.push(self.set(name, value));
            }
        }
        lines
    }

    fn declares(&self, name: &str) -> bool {
        self.parameters.iter().any(|known| known.name == name)
    }

    /// The engine's own spelling of a setting. Scan, and engines after it, call the table
    /// `tt-size` and give the binary logarithm of its entries of 16 bytes.
    fn declared(&self, name: &str, value: &str) -> Result<(String, String), String> {
        if self.dialect == Dialect::Cb {
            // It declares nothing; these two are CheckerBoard's own names.
            let name = match name {
                "hash" => "hashsize",
                "threads" => "searchthreads",
                other => other,
            };
            return Ok((name.into(), value.into()));
        }
        let find = |name: &str| {
            let mut all = self.parameters.iter();
            all.find(|known| known.name.eq_ignore_ascii_case(name))
        };
        let (known, value) = match (find(name), find("tt-size"), value.parse::<u32>()) {
            (Some(known), _, _) => (known, value.to_owned()),
            (None, Some(size), Ok(megabytes @ 1..)) if name == "hash" => {
                (size, (u64::from(megabytes) << 16).ilog2().to_string())
            }
            _ => return Err(self.unknown(name)),
        };
        known
            .check(&value)
            .map_err(|expected| format!("{}={value}: expected {expected}", known.name))?;
        Ok((known.name.clone(), value))
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self
            .parameters
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        if known.is_empty() {
            return format!("declares no options, so not {name}");
        }
        format!("has no option {name}; it has {}", known.join(", "))
    }

    fn set(&self, name: &str, value: &str) -> String {
        match self.dialect {
            Dialect::Hub => hub::Line::new("set-param")
                .with("name", name)
                .with("value", value)
                .to_string(),
            Dialect::Ugi => format!("setoption name {name} value {value}"),
            Dialect::Cb => format!("set {name} {value}"),
        }
    }

    /// The lines that start a search.
    pub(super) fn search(&self, game: &Game, budget: &Budget) -> Vec<String> {
        match self.dialect {
            Dialect::Hub => hub_search(game, budget),
            Dialect::Ugi => ugi_search(game, budget),
            Dialect::Cb => cb_search(game, budget),
        }
    }

    /// Understands a line; whatever makes no sense is [`Heard::Nothing`].
    pub(super) fn hear(&mut self, line: &str) -> Heard {
        match self.dialect {
            Dialect::Hub => self.hear_hub(line),
            Dialect::Ugi => self.hear_ugi(line),
            Dialect::Cb => self.hear_cb(line),
        }
    }

    fn hear_hub(&mut self, line: &str) -> Heard {
        let line = hub::Line::read(line);
        match line.command() {
            "id" => self.name = line.value("name").unwrap_or_default().into(),
            "param" => self.parameters.extend(Declared::from_hub(&line)),
            "error" => {
                let parts = ["message", "detail"].map(|key| line.value(key));
                let parts: Vec<&str> = parts.into_iter().flatten().collect();
                return Heard::Complaint(parts.join(": "));
            }
            "wait" => return Heard::Greeted,
            "ready" | "pong" => return Heard::Ready,
            "info" => {
                return Heard::Info(Info {
                    depth: line.value("depth").and_then(whole),
                    score: line.value("score").and_then(real),
                    nodes: line.value("nodes").and_then(|text| text.parse().ok()),
                });
            }
            "done" => return Heard::Done(line.value("move").map(str::to_owned)),
            _ => {}
        }
        Heard::Nothing
    }

    fn hear_ugi(&mut self, line: &str) -> Heard {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("id") if words.next() == Some("name") => self.name = rest(words),
            Some("option") => self.parameters.extend(Declared::from_ugi(words)),
            Some("ugiok") => return Heard::Greeted,
            Some("readyok") => return Heard::Ready,
            Some("info") => return ugi_info(words),
            Some("error") => return Heard::Complaint(rest(words)),
            Some("bestmove") => return Heard::Done(answer(words.next())),
            _ => {}
        }
        Heard::Nothing
    }

    fn hear_cb(&mut self, line: &str) -> Heard {
        let mut words = line.split_whitespace();
        match words.next() {
            None => Heard::Nothing,
            Some(_) if self.name.is_empty() => {
                self.name = line.trim().into();
                Heard::Greeted
            }
            Some("info") => Heard::Info(worded_info(words)),
            Some("move") => Heard::Done(answer(words.next())),
            Some("?") => Heard::Complaint(line.trim().into()),
            Some(word) if word == CB_PING.1 => Heard::Ready,
            Some(_) => Heard::Nothing,
        }
    }
}

/// A question that every CheckerBoard engine answers, and its answer for English draughts.
const CB_PING: (&str, &str) = ("get gametype", "21");

fn answer(word: Option<&str>) -> Option<String> {
    word.filter(|&word| word != "none").map(str::to_owned)
}

fn rest<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// UGI has no line for complaints; ours, and others', are `info string error ...`.
fn ugi_info<'a>(words: impl Iterator<Item = &'a str>) -> Heard {
    let words: Vec<&str> = words.collect();
    match words[..] {
        ["string", first, ..] if first.trim_end_matches(':').eq_ignore_ascii_case("error") => {
            Heard::Complaint(words[2..].join(" "))
        }
        _ => Heard::Info(worded_info(words.into_iter())),
    }
}

fn whole(text: &str) -> Option<u32> {
    text.parse().ok()
}

fn real(text: &str) -> Option<f64> {
    text.replace(',', ".")
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
}

/// A proven win in a score of men; with [`DATABASE_WIN`], Hub's code for it.
const WIN: f64 = 100.0;
const DATABASE_WIN: f64 = 90.0;

/// `depth 9 score cp 35 nodes 1000 ...`, and the scores that the cb dialect writes in words.
fn worded_info<'a>(mut words: impl Iterator<Item = &'a str>) -> Info {
    let mut info = Info::default();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next().and_then(whole),
            "nodes" => info.nodes = words.next().and_then(|text| text.parse().ok()),
            "score" => info.score = worded_score(&mut words),
            "pv" | "string" => break,
            _ => {}
        }
    }
    info
}

/// `cp 35`, `mate -3` (moves), `+0.35`, `win in 5` (plies), `loss in 5`, `database win`.
fn worded_score<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<f64> {
    match words.next()? {
        "cp" => Some(real(words.next()?)? / 100.0),
        "mate" => {
            let moves = real(words.next()?)?;
            Some((WIN - moves.abs() / 50.0).copysign(moves))
        }
        "database" => Some(if words.next()? == "win" {
            DATABASE_WIN
        } else {
            -DATABASE_WIN
        }),
        side @ ("win" | "loss") => {
            let plies = real(words.nth(1)?)?;
            let won = WIN - plies / 100.0;
            Some(if side == "win" { won } else { -won })
        }
        number => real(number),
    }
}

fn hub_search(game: &Game, budget: &Budget) -> Vec<String> {
    let mut pos = hub::Line::new("pos").with("pos", hub::write_position(&game.start()));
    let played: Vec<String> = game.moves().map(moves::write_hub).collect();
    if !played.is_empty() {
        pos = pos.with("moves", played.join(" "));
    }
    vec![
        pos.to_string(),
        hub_level(game.position().turn(), budget).to_string(),
        "go think".into(),
    ]
}

fn hub_level(turn: Color, budget: &Budget) -> hub::Line {
    let mut level = hub::Line::new("level");
    if let Some(depth) = budget.depth {
        level = level.with("depth", depth);
    }
    if let Some(nodes) = budget.nodes {
        level = level.with("nodes", nodes);
    }
    if let Some(time) = budget.move_time {
        level = level.with("move-time", time.as_secs_f64());
    }
    if let Some(clocks) = budget.clocks {
        let Remaining {
            time,
            increment,
            moves,
        } = clocks[turn.index()];
        if let Some(moves) = moves {
            level = level.with("moves", moves);
        }
        level = level.with("time", format_args!("{:.3}", time.as_secs_f64()));
        if !increment.is_zero() {
            level = level.with("inc", format_args!("{:.3}", increment.as_secs_f64()));
        }
    }
    level
}

fn ugi_search(game: &Game, budget: &Budget) -> Vec<String> {
    let mut position = match game.start() {
        Position::START => "position startpos".to_owned(),
        start => format!("position fen {}", fen::write(&start)),
    };
    if game.moves().len() > 0 {
        position.push_str(" moves");
    }
    push_moves(&mut position, game);
    vec![position, ugi_go(game.position().turn(), budget)]
}

fn push_moves(line: &mut String, game: &Game) {
    for (before, mv) in game.history() {
        line.push(' ');
        line.push_str(&moves::write(mv, &before, Notation::Numeric));
    }
}

fn ugi_go(turn: Color, budget: &Budget) -> String {
    let mut go = String::from("go");
    let mut add = |word: &str, value: u128| go.push_str(&format!(" {word} {value}"));
    if let Some(depth) = budget.depth {
        add("depth", depth.into());
    }
    if let Some(nodes) = budget.nodes {
        add("nodes", nodes.into());
    }
    if let Some(time) = budget.move_time {
        add("movetime", time.as_millis());
    }
    if let Some(clocks) = budget.clocks {
        for (clock, (time, increment)) in clocks
            .iter()
            .zip([("p1time", "p1inc"), ("p2time", "p2inc")])
        {
            // UGI's remaining time holds the increment already.
            add(time, (clock.time + clock.increment).as_millis());
            add(increment, clock.increment.as_millis());
        }
        if let Some(moves) = clocks[turn.index()].moves {
            add("movestogo", moves.into());
        }
    }
    go
}

fn cb_search(game: &Game, budget: &Budget) -> Vec<String> {
    let mut setup = format!("setup {}", fen::write(&game.start()));
    push_moves(&mut setup, game);
    vec![setup, cb_go(game.position().turn(), budget)]
}

fn cb_go(turn: Color, budget: &Budget) -> String {
    let mut go = String::from("go");
    let mut add = |word: &str, value: &dyn std::fmt::Display| {
        go.push_str(&format!(" {word} {value}"));
    };
    if let Some(depth) = budget.depth {
        add("depth", &depth);
    }
    if let Some(nodes) = budget.nodes {
        add("nodes", &nodes);
    }
    if let Some(time) = budget.move_time {
        add("time", &time.as_secs_f64());
    }
    if let Some(clocks) = budget.clocks {
        let clock = clocks[turn.index()];
        let (time, increment) = (clock.time.as_secs_f64(), clock.increment.as_secs_f64());
        add("clock", &format_args!("{time} {increment}"));
    }
    go
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const CLOCKS: [Remaining; 2] = [
        Remaining {
            time: Duration::from_millis(9_500),
            increment: Duration::from_millis(100),
            moves: Some(12),
        },
        Remaining {
            time: Duration::from_secs(8),
            increment: Duration::from_millis(200),
            moves: None,
        },
    ];

    fn searches(dialect: Dialect, played: &[&str], budget: &Budget) -> Vec<String> {
        let mut game = Game::default();
        for text in played {
            moves::play(text, &mut game).expect(text);
        }
        Conversation::new(dialect).search(&game, budget)
    }

    #[test]
    fn searches_in_each_dialect() {
        let clocks = Budget {
            clocks: Some(CLOCKS),
            ..Budget::default()
        };
        let fixed = Budget {
            depth: Some(9),
            nodes: Some(500),
            move_time: Some(Duration::from_millis(50)),
            clocks: None,
        };
        let start = "Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww";
        assert_eq!(
            searches(Dialect::Hub, &["11-15", "22-18", "15x22"], &fixed),
            [
                &format!("pos pos={start} moves=\"11-15 22-18 15x22x18\""),
                "level depth=9 nodes=500 move-time=0.05",
                "go think"
            ]
        );
        assert_eq!(
            searches(Dialect::Hub, &[], &clocks)[1],
            "level moves=12 time=9.500 inc=0.100"
        );
        assert_eq!(
            searches(Dialect::Ugi, &["11-15"], &clocks),
            [
                "position startpos moves 11-15",
                "go p1time 9600 p1inc 100 p2time 8200 p2inc 200"
            ]
        );
        assert_eq!(
            searches(Dialect::Cb, &["11-15"], &clocks),
            [
                "setup B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12 11-15",
                "go clock 8 0.2"
            ]
        );
        assert_eq!(
            searches(Dialect::Cb, &[], &fixed)[1],
            "go depth 9 nodes 500 time 0.05"
        );
    }

    #[test]
    fn answers_in_each_dialect() {
        let info = |depth, score, nodes| {
            Heard::Info(Info {
                depth,
                score,
                nodes,
            })
        };
        let done = |text: &str| Heard::Done(Some(text.into()));
        let complaint = |text: &str| Heard::Complaint(text.into());
        let cases = [
            (
                Dialect::Hub,
                "done move=27x11x16x24 ponder=1-5",
                done("27x11x16x24"),
            ),
            (Dialect::Hub, "done", Heard::Done(None)),
            (
                Dialect::Hub,
                "info depth=12 mean-depth=9.1 score=-0,35 nodes=77 pv=\"11-15 22-18\"",
                info(Some(12), Some(-0.35), Some(77)),
            ),
            (
                Dialect::Hub,
                "info depth=x score=#5",
                info(None, None, None),
            ),
            (Dialect::Ugi, "bestmove 11-15 ponder 22-18", done("11-15")),
            (Dialect::Ugi, "bestmove none", Heard::Done(None)),
            (
                Dialect::Ugi,
                "info depth 9 seldepth 12 score cp -35 nodes 77 pv depth 3",
                info(Some(9), Some(-0.35), Some(77)),
            ),
            (
                Dialect::Ugi,
                "info score mate -3",
                info(None, Some(-99.94), None),
            ),
            (
                Dialect::Cb,
                "info depth 9 score +0.35 nodes 77 time 0.10",
                info(Some(9), Some(0.35), Some(77)),
            ),
            (
                Dialect::Cb,
                "info score loss in 12 nodes 5",
                info(None, Some(-99.88), Some(5)),
            ),
            (
                Dialect::Cb,
                "info score database win nodes 5",
                info(None, Some(90.0), Some(5)),
            ),
            (Dialect::Cb, "move 27x18x11 result 3", done("27x18x11")),
            (Dialect::Cb, "21", Heard::Ready),
            (Dialect::Cb, "? bad move", complaint("? bad move")),
            (
                Dialect::Ugi,
                "info string error bad move",
                complaint("bad move"),
            ),
            (Dialect::Ugi, "info string errors 0", info(None, None, None)),
            (
                Dialect::Hub,
                "error message=\"bad move\" detail=1-32",
                complaint("bad move: 1-32"),
            ),
        ];
        for (dialect, line, expected) in cases {
            let mut conversation = Conversation::new(dialect);
            conversation.name = "x".into();
            assert_eq!(conversation.hear(line), expected, "{line}");
        }
    }

    #[test]
    fn settings_use_the_engines_own_names() {
        let recipe = Recipe {
            command: vec![],
            directory: None,
            dialect: Dialect::Hub,
            hash: Some(64),
            threads: Some(2),
            options: vec![("Book".into(), "false".into())],
            patience: Duration::ZERO,
        };
        let mut conversation = Conversation::new(Dialect::Hub);
        for line in [
            "id name=Scan",
            "param name=tt-size value=24 type=int",
            "param name=book value=true type=bool",
            "wait",
        ] {
            conversation.hear(line);
        }
        // 64 MiB of 16-byte entries are 2^22 of them.
        assert_eq!(
            conversation.settings(&recipe),
            [
                "set-param name=tt-size value=22",
                "set-param name=book value=false"
            ]
        );
        assert_eq!(
            (conversation.name(), conversation.refused()),
            (
                "Scan",
                &["has no option threads; it has tt-size, book".to_owned()][..]
            )
        );
    }
}
