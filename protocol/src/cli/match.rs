//! `crownhead match`: engine against engine.
//!
//! Owns the arguments, the files that a match leaves and what is shown while it goes on; games,
//! figures and texts are [`protocol::arena`]'s. Start reading at [`Match::run`].

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use engine::tablebase::Tablebase;
use indicatif::{ProgressBar, ProgressStyle};
use protocol::arena::adjudicate::{Adjudication, Consent};
use protocol::arena::contestant::{Contestant, number_namesakes};
use protocol::arena::game::Terms;
use protocol::arena::journal::{BUILDS, Journal};
use protocol::arena::openings::{Opening, Order, Source};
use protocol::arena::pdn::PdnFile;
use protocol::arena::record::GameRecord;
use protocol::arena::report::report_page;
use protocol::arena::runner::Plan;
use protocol::arena::schedule::{Form, Schedule};
use protocol::arena::sprt::{Decision, Scale, Sprt};
use protocol::arena::summary::{Effort, Summary, standing};
use protocol::arena::tally::Tally;
use protocol::arena::time::{Allowance, MOST_PLIES, TimeControl};
use protocol::databases::{self, Wanted};
use serde_json::{Value, json};

use super::{Answer, Failure};

/// For decoded values of the databases that end games.
const JUDGE_CACHE_MB: usize = 16;

/// Play engines against each other, from both sides of each opening.
///
/// With --pdn or --journal a match that was interrupted, even killed, goes on when the same
/// command is given again.
#[derive(Debug, Args)]
pub(super) struct Match {
    /// An engine: cmd=PROGRAM or cmd=self, then name=, dir=, dialect=hub|ugi|cb, hash=MiB, threads=,
    /// time=, nodes=, depth=, option.NAME=VALUE, separated by commas; a value with a comma in
    /// double quotes. Give it twice or more
    #[arg(long = "engine", value_name = "cmd=...", required = true)]
    engines: Vec<Contestant>,
    /// 3move (the playable three-move ballots), 11man, or a file of PDN games or FENs
    #[arg(long, value_name = "3move|11man|FILE", default_value = "11man")]
    openings: Source,
    /// Play the openings that are known to be lost for one side, too
    #[arg(long)]
    lost_openings: bool,
    /// Games for each pair of engines, an even number [default: 100, with --sprt 100000]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(2..=MOST_GAMES))]
    games: Option<usize>,
    /// Time for engines without their own: seconds a move (0.1), a clock (10+0.1) or moves in a
    /// time (40/60+0.5) [default: 0.1, unless --nodes or --depth is given]
    #[arg(long, value_name = "T")]
    time: Option<TimeControl>,
    /// Positions a move, for engines without their own bounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies a move, for engines without their own bounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PLIES)))]
    depth: Option<u32>,
    /// Games at a time [default: the cores divided by the threads of an engine]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_AT_A_TIME))]
    concurrency: Option<usize>,
    /// The first engine meets all others, which do not meet each other
    #[arg(long)]
    gauntlet: bool,
    /// What the order of the openings depends on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Stop once the first of two engines is shown to be stronger by E1 Elo rather than by E0
    #[arg(long, value_name = "E0,E1", value_parser = bounds, allow_hyphen_values = true)]
    sprt: Option<(f64, f64)>,
    /// The scale of --sprt
    #[arg(long, value_enum, default_value_t = SprtScale::Logistic)]
    sprt_scale: SprtScale,
    /// The test's chance of accepting what is only E0
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = probability)]
    alpha: f64,
    /// The test's chance of rejecting what is truly E1
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = probability)]
    beta: f64,
    /// Seconds that a move may take beyond its time without losing the game
    #[arg(long, value_name = "S", default_value = "0.1", value_parser = span)]
    margin: Duration,
    /// Seconds that an engine may take to start, and to move where there is no time limit
    #[arg(long, value_name = "S", default_value = "30", value_parser = patience)]
    timeout: Duration,
    /// End a game as won when both engines say so: men, and plies in a row
    #[arg(long, value_name = "SCORE,PLIES")]
    adjudicate_win: Option<Consent>,
    /// End a game as drawn when no score is larger: men, and plies in a row
    #[arg(long, value_name = "SCORE,PLIES")]
    adjudicate_draw: Option<Consent>,
    /// End a game as soon as the endgame databases know its value: those built in (up to five
    /// pieces) and those that CROWNHEAD_TABLEBASE names. The 40-move rule is not counted
    #[arg(long)]
    adjudicate_tablebase: bool,
    /// Write the games here, with scores, depths and clocks
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    /// Where the match is kept so that it can go on [default: beside the PDN file]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write a page with tables and charts here
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// The event's name in the PDN file
    #[arg(long, value_name = "TEXT", default_value = "Crownhead match")]
    event: String,
    /// One JSON object a game, then one with the figures
    #[arg(long)]
    json: bool,
}

/// The most games of a match, over all its pairings: what a tally, and the list of games to come,
/// should hold in memory.
const MOST_GAMES: u64 = 2_000_000;

/// The most games at a time; each takes two processes and six threads.
const MOST_AT_A_TIME: u64 = 1_024;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SprtScale {
    Logistic,
    Normalized,
}

fn bounds(text: &str) -> Result<(f64, f64), String> {
    let read = || {
        let (low, high) = text.split_once(',')?;
        let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
        // Beyond 300 Elo the normalized test has no solution for every result.
        (low < high && low >= -300.0 && high <= 300.0).then_some((low, high))
    };
    read().ok_or_else(|| "expected two numbers of Elo, the lower first, such as 0,5".into())
}

fn probability(text: &str) -> Result<f64, String> {
    let value = text
        .parse()
        .ok()
        .filter(|value| (0.0001..=0.4).contains(value));
    value.ok_or_else(|| "expected a probability of 0.0001 to 0.4".into())
}

fn span(text: &str) -> Result<Duration, String> {
    let value = text
        .parse()
        .ok()
        .filter(|value| (0.0..=86_400.0).contains(value));
    value
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "expected seconds, 0 to 86400, with a decimal point".into())
}

fn patience(text: &str) -> Result<Duration, String> {
    match span(text)? {
        Duration::ZERO => Err("expected more than 0 seconds".into()),
        patience => Ok(patience),
    }
}

impl Match {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let mut plan = self.plan()?;
        let stop = interrupts()?;
        for warning in plan.rehearse(&stop).map_err(input)? {
            super::tell_progress(&format!("warning: {warning}"));
        }
        let mut keeper = Keeper::open(self, &mut plan)?;
        let games = keeper.missing(plan.schedule.games());
        let wall = if keeper.decided() {
            Duration::ZERO
        } else {
            plan.run(games, &stop, |record| keeper.keep(record, out))?
        };
        let effort = Effort {
            wall,
            busy: keeper.tally.busy_seconds() - keeper.busy_before,
            concurrency: plan.concurrency,
        };
        keeper.bar.finish_and_clear();
        let summary = Summary::new(&keeper.tally, keeper.sprt, &effort, plan.schedule.games());
        if let Some(path) = &self.report {
            let conditions = self.told_conditions(&plan);
            let page = report_page(&summary, &keeper.tally, &keeper.games, &conditions);
            std::fs::write(path, page)?;
        }
        if self.json {
            writeln!(out, "{}", json!(summary))?;
        } else {
            write!(out, "{summary}")?;
        }
        Ok(verdict(&summary))
    }

    /// The engines with their bounds.
    fn contestants(&self) -> Vec<Contestant> {
        let mut common = Allowance {
            time: self.time,
            nodes: self.nodes,
            depth: self.depth,
        };
        if common.is_empty() {
            common.time = Some(TimeControl::PerMove(Duration::from_millis(100)));
        }
        let mut contestants = self.engines.clone();
        for contestant in &mut contestants {
            if contestant.allowance.is_empty() {
                contestant.allowance = common;
            }
        }
        number_namesakes(&mut contestants);
        contestants
    }

    fn form(&self) -> Form {
        if self.gauntlet {
            Form::Gauntlet
        } else {
            Form::RoundRobin
        }
    }

    fn sprt(&self) -> Option<Sprt> {
        self.sprt.map(|(elo0, elo1)| Sprt {
            elo0,
            elo1,
            scale: match self.sprt_scale {
                SprtScale::Logistic => Scale::Logistic,
                SprtScale::Normalized => Scale::Normalized,
            },
            alpha: self.alpha,
            beta: self.beta,
        })
    }

    fn plan(&self) -> Result<Plan, Failure> {
        let contestants = self.contestants();
        if contestants.len() < 2 {
            return Err(input(
                "one engine has no opponent; give --engine twice or more",
            ));
        }
        if self.sprt.is_some() && contestants.len() > 2 {
            return Err(input("--sprt compares two engines; give --engine twice"));
        }
        let games = self
            .games
            .unwrap_or(if self.sprt.is_some() { 100_000 } else { 100 });
        if games % 2 == 1 {
            return Err(input(format!(
                "--games {games}: expected an even number, since each opening is played with both \
                 colours"
            )));
        }
        let openings = self.openings.openings(self.lost_openings).map_err(input)?;
        let order = Order::new(openings.len(), self.seed);
        let pairings = self.form().pairings(contestants.len());
        if games as u64 * pairings.len() as u64 > MOST_GAMES {
            return Err(input(format!(
                "--games {games}: {} pairings play more than {MOST_GAMES} games together",
                pairings.len()
            )));
        }
        Ok(Plan {
            concurrency: self.concurrency(&contestants),
            schedule: Schedule::new(pairings, games / 2, order),
            contestants,
            openings,
            terms: Terms {
                margin: self.margin,
                patience: self.timeout,
                adjudication: self.adjudication(),
                judge: self.judge()?,
            },
            patience: self.timeout,
            own_program: std::env::current_exe()?,
        })
    }

    fn judge(&self) -> Result<Option<Arc<Tablebase>>, Failure> {
        if !self.adjudicate_tablebase {
            return Ok(None);
        }
        let found = databases::open(&Wanted::Usual, JUDGE_CACHE_MB).map_err(input)?;
        Ok(found.tablebase.map(Arc::new))
    }

    fn adjudication(&self) -> Adjudication {
        Adjudication {
            win: self.adjudicate_win,
            draw: self.adjudicate_draw,
        }
    }

    fn concurrency(&self, contestants: &[Contestant]) -> usize {
        let threads = contestants
            .iter()
            .filter_map(|contestant| contestant.threads)
            .max();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let fitting = cores / threads.unwrap_or(1) as usize;
        self.concurrency.unwrap_or(fitting.max(1))
    }

    fn journal_path(&self) -> Option<PathBuf> {
        self.journal.clone().or_else(|| {
            let mut beside = self.pdn.clone()?.into_os_string();
            beside.push(".journal");
            Some(beside.into())
        })
    }

    /// How the match was played, for people.
    fn told_conditions(&self, plan: &Plan) -> Vec<(&'static str, String)> {
        let engines = plan.contestants.iter();
        let times = engines.map(|one| format!("{} {}", one.name, one.allowance));
        let openings = match &self.openings {
            Source::ThreeMove => "three-move ballots".into(),
            Source::ElevenMan => "11-man positions".into(),
            Source::File(path) => path.display().to_string(),
        };
        vec![
            ("Limits", times.collect::<Vec<_>>().join("; ")),
            (
                "Openings",
                format!("{} of {openings}, seed {}", plan.openings.len(), self.seed),
            ),
            ("Games at a time", plan.concurrency.to_string()),
        ]
    }

    /// What must be the same when a match goes on; the number of games may grow.
    fn conditions(&self, plan: &Plan) -> Value {
        json!({
            BUILDS: plan.builds(),
            "engines": plan.contestants,
            "openings": plan.openings.len(),
            "form": self.form(),
            "seed": self.seed,
            "margin": self.margin.as_secs_f64(),
            "adjudication": self.adjudication(),
            "tablebase": self.adjudicate_tablebase,
        })
    }
}

fn input(error: impl std::fmt::Display) -> Failure {
    Failure::Input(error.to_string())
}

/// 1 for a test that has not shown an improvement, and for a match that was interrupted.
fn verdict(summary: &Summary) -> Answer {
    let good = match &summary.sprt {
        Some(sprt) => sprt.decision == Decision::Accepted,
        None => summary.games as usize >= summary.planned,
    };
    if good { Answer::Yes } else { Answer::No }
}

/// Set by the first Ctrl-C or SIGTERM; games in progress are given up then.
fn interrupts() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).map_err(input)?;
    Ok(stop)
}

/// Keeps finished games: in the journal, in the PDN file, in the tally and on the screen.
struct Keeper {
    journal: Option<Journal>,
    pdn: Option<PdnFile>,
    tally: Tally,
    sprt: Option<Sprt>,
    json: bool,
    bar: ProgressBar,
    told: Instant,
    played: Vec<bool>,
    /// Only for the page: empty without one.
    games: Vec<GameRecord>,
    wants_page: bool,
    busy_before: f64,
}

/// How often a log that is no terminal hears of a match.
const NEWS: Duration = Duration::from_secs(30);

impl Keeper {
    fn open(arguments: &Match, plan: &mut Plan) -> Result<Self, Failure> {
        let (journal, games) = match arguments.journal_path() {
            Some(path) => {
                if let (Some(pdn), false) = (&arguments.pdn, path.exists()) {
                    // Before a journal is left beside a file that is not ours.
                    PdnFile::check(pdn, &arguments.event, &[]).map_err(input)?;
                }
                let conditions = arguments.conditions(plan);
                let (journal, games) = Journal::open(&path, &conditions).map_err(input)?;
                if let Some(pdn) = &arguments.pdn {
                    PdnFile::check(pdn, &arguments.event, &games).map_err(input)?;
                }
                (Some(journal), games)
            }
            None => (None, Vec::new()),
        };
        let planned = plan.schedule.games();
        let mut keeper = Self {
            journal,
            pdn: None,
            tally: Tally::new(plan.contestants.iter().map(|c| c.name.clone()).collect()),
            sprt: arguments.sprt(),
            json: arguments.json,
            bar: progress(planned),
            told: Instant::now(),
            played: vec![false; planned],
            games: Vec::new(),
            wants_page: arguments.report.is_some(),
            busy_before: 0.0,
        };
        let games = keeper.resume(games, plan)?;
        keeper.busy_before = keeper.tally.busy_seconds();
        if let Some(path) = &arguments.pdn {
            let pdn = PdnFile::open(path, &arguments.event, &games).map_err(input)?;
            keeper.pdn = Some(pdn);
        }
        if keeper.wants_page {
            keeper.games = games;
        }
        Ok(keeper)
    }

    /// Counts the games of an earlier run, each once, and checks that they belong to this match.
    fn resume(
        &mut self,
        games: Vec<GameRecord>,
        plan: &mut Plan,
    ) -> Result<Vec<GameRecord>, Failure> {
        let mut counted = Vec::new();
        for game in games {
            let number = game.game.wrapping_sub(1);
            // A match may be cut short, too: later games stay in the journal, uncounted.
            if self.played.get(number) != Some(&false) {
                continue;
            }
            let task = plan.schedule.task(number);
            if !belongs(&game, &plan.openings[task.opening]) {
                return Err(input(format!(
                    "game {} of the journal has another opening; the openings have changed since",
                    game.game
                )));
            }
            self.played[number] = true;
            self.tally.add(&game);
            counted.push(game);
        }
        self.bar.set_position(counted.len() as u64);
        Ok(counted)
    }

    fn missing(&self, planned: usize) -> Vec<usize> {
        (0..planned).filter(|&game| !self.played[game]).collect()
    }

    fn decided(&self) -> bool {
        let pairs = self.tally.score(0).pairs;
        self.sprt
            .is_some_and(|sprt| sprt.decision(&pairs) != Decision::Open)
    }

    /// Keeps a game; false once the test is decided.
    fn keep(&mut self, game: &GameRecord, out: &mut impl Write) -> Result<bool, Failure> {
        if let Some(journal) = &mut self.journal {
            journal.add(game).map_err(input)?;
        }
        if let Some(pdn) = &mut self.pdn {
            pdn.add(game)?;
        }
        self.tally.add(game);
        if self.wants_page {
            self.games.push(game.clone());
        }
        if self.json {
            writeln!(out, "{}", json!(game))?;
            out.flush()?;
        }
        self.bar.inc(1);
        let standing = standing(&self.tally, self.sprt);
        if self.bar.is_hidden() && self.told.elapsed() >= NEWS {
            self.told = Instant::now();
            super::tell_progress(&format!("{} games  {standing}", self.tally.games()));
        }
        self.bar.set_message(standing);
        Ok(!self.decided())
    }
}

fn belongs(game: &GameRecord, opening: &Opening) -> bool {
    game.opening_plies == opening.moves.len()
        && game.fen == engine::notation::fen::write(&opening.start)
        && game.opening == opening.name
}

fn progress(games: usize) -> ProgressBar {
    let bar = if io::stderr().is_terminal() {
        ProgressBar::new(games as u64)
    } else {
        ProgressBar::hidden()
    };
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len}  {msg}  {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
