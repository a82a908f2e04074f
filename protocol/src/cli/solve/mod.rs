//! `crownhead solve`: proven values of positions from books, with certificates.
//!
//! Owns the order of work: read the problems, prove, check the proof, tell. What a proof is stands
//! in `engine::solve`; `source` reads problems, `findings` picks what is worth telling, `print`
//! and `page` tell it.

mod claim;
mod explain;
mod findings;
mod page;
mod print;
mod source;

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use engine::board::Color;
use engine::engine::{Engine, EngineOptions};
use engine::notation::Notation;
use engine::rules::Game;
use engine::search::{Limits, Report};
use engine::solve::{Bounds, Rules, Settings, Solution, Solver, check};
use engine::tablebase::{Tablebase, Wld};
use protocol::databases::{self, Wanted};

use self::explain::Explanation;
use self::findings::Findings;
use self::source::Problem;
use super::analyze::seconds;
use super::input::NotationArgs;
use super::{Answer, Failure, warn};

/// Memory for decoded database values, in MiB.
const CACHE_MB: usize = 256;
/// How long the engine looks at a position that stays unknown.
const OPINION: Duration = Duration::from_millis(500);
/// A long proof saves its progress so often.
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// Prove the value of positions: win, draw or loss, or tell what is known.
#[derive(Debug, Args)]
pub(super) struct Solve {
    /// Positions as FEN, PDN (all its set-ups) or printed boards with their captions: the text
    /// itself, files, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    sources: Vec<String>,
    /// Seconds for each position.
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "10")]
    time: Duration,
    /// Threads.
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Memory for what the search has proven, in MiB.
    #[arg(long, value_name = "MB", default_value_t = 256)]
    hash: usize,
    /// Endgame databases: folders separated as in PATH, built-in, or off [default: those built in
    /// and those found where they usually are].
    #[arg(long, value_name = "DIR")]
    tablebase: Option<OsString>,
    /// What to prove: a win or a draw of the side to move, or whatever is true.
    #[arg(long, value_name = "GOAL", value_enum, default_value_t = Goal::Any)]
    goal: Goal,
    /// Prove under the 40-move rule too: 80 plies without a capture or a man's move, counted from
    /// the position, are a draw. Wins then end in databases only where distances are there.
    #[arg(long)]
    forty: bool,
    /// The value that is claimed for the side to move, whatever a caption says.
    #[arg(long, value_name = "VALUE", value_enum)]
    claim: Option<Claimed>,
    /// Who is to move, whatever the text says.
    #[arg(long, value_name = "SIDE", value_enum)]
    turn: Option<Turn>,
    /// Where the printed solution fails, if it does.
    #[arg(long)]
    explain: bool,
    /// Write the proof, for `crownhead check`; of several positions into FILE-1, FILE-2 ...
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Keep what a long proof has learnt in this file, and go on from it.
    #[arg(long, value_name = "FILE")]
    progress: Option<PathBuf>,
    /// Draw the first position with its solution as SVG.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write all results as one HTML page.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write all results as one Markdown table, with times and sizes.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(flatten)]
    notation: NotationArgs,
    /// Print one JSON object a position.
    #[arg(long)]
    json: bool,
}

/// What is to be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Goal {
    Win,
    Draw,
    Any,
}

/// A claim as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Claimed {
    Win,
    Draw,
    Loss,
}

/// A side by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Turn {
    Black,
    White,
}

/// A problem with all that was found.
struct Outcome {
    problem: Problem,
    solution: Solution,
    findings: Findings,
    /// What the engine thinks of a position whose value is unknown.
    opinion: Option<Report>,
    explanation: Option<Explanation>,
    certificate: Option<PathBuf>,
    /// Its size, written or not.
    certificate_bytes: Option<usize>,
    notation: Notation,
}

impl Outcome {
    fn bounds(&self) -> Bounds {
        self.solution.bounds
    }

    /// Whether the claim is what was proven; `None` without a claim or as long as it may be.
    fn agrees(&self) -> Option<bool> {
        let claim = self.problem.claim?;
        let bounds = self.bounds();
        if claim < bounds.lower || claim > bounds.upper {
            return Some(false);
        }
        bounds.value().map(|value| value == claim)
    }
}

impl Solve {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let turn = self.turn.map(|turn| match turn {
            Turn::Black => Color::Black,
            Turn::White => Color::White,
        });
        let problems = source::read_all(&self.sources, turn)?;
        let found = databases::open(&Wanted::option(self.tablebase.as_ref()), CACHE_MB)
            .map_err(|error| Failure::Input(error.to_string()))?;
        let databases = found.line;
        let tablebase = Arc::new(found.tablebase.unwrap_or_else(|| Tablebase::empty(0)));
        let mut bench = Bench::new(self, tablebase)?;
        let several = problems.len() > 1;
        let mut outcomes = Vec::new();
        for (nth, mut problem) in problems.into_iter().enumerate() {
            problem.warnings.iter().for_each(|warning| warn(warning));
            if let Some(claimed) = self.claim {
                problem.claim = Some(claimed.value());
            }
            let place = several.then_some(nth + 1);
            let outcome = self.solve(problem, place, &mut bench)?;
            if self.json {
                print::json(&outcome, out)?;
            } else {
                print::outcome(&outcome, &databases, out)?;
            }
            out.flush()?;
            outcomes.push(outcome);
        }
        if several && !self.json {
            print::table(&outcomes, out)?;
        }
        self.write_pictures(&outcomes)?;
        let good = |it: &Outcome| self.is_answered(it) && it.agrees() != Some(false);
        Ok(if outcomes.iter().all(good) {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    fn is_answered(&self, outcome: &Outcome) -> bool {
        let bounds = outcome.bounds();
        match self.goal {
            Goal::Any => bounds.value().is_some(),
            Goal::Win => bounds.lower == Wld::Win,
            Goal::Draw => bounds.lower >= Wld::Draw,
        }
    }

    fn solve(
        &self,
        problem: Problem,
        place: Option<usize>,
        bench: &mut Bench,
    ) -> Result<Outcome, Failure> {
        bench.solver.clear();
        let position = problem.position;
        self.load_progress(&problem, &bench.solver)?;
        let mut solution = self.prove(&problem, &bench.solver)?;
        let (mut written, mut size) = (None, None);
        if let Some(certificate) = solution.certificate() {
            let bytes = certificate
                .to_bytes(bench.solver.tablebase())
                .map_err(|error| Failure::Input(error.to_string()))?;
            if let Err(refusal) = check::check(&bytes, bench.solver.tablebase()) {
                warn(&format!("the proof was not accepted: {refusal}"));
                solution.bounds = Bounds::OPEN;
                solution.strategies.clear();
            } else {
                size = Some(bytes.len());
                if let Some(path) = &self.certificate {
                    let path = numbered(path, place);
                    write_file(&path, &bytes)?;
                    written = Some(path);
                }
            }
        }
        let open = solution.bounds.value().is_none();
        let spare = self.time.min(Duration::from_secs(1).max(solution.time * 2));
        let findings = Findings::of(&solution, &bench.solver, &mut bench.engine, spare);
        let opinion = open.then(|| bench.opinion(Game::new(position)));
        let explanation = self
            .explain
            .then(|| Explanation::of(&problem, &solution, &bench.solver, self.time));
        Ok(Outcome {
            problem,
            solution,
            findings,
            opinion,
            explanation,
            certificate: written,
            certificate_bytes: size,
            notation: self.notation.notation,
        })
    }

    /// Proves in stretches, so that progress is saved in between.
    fn prove(&self, problem: &Problem, solver: &Solver) -> Result<Solution, Failure> {
        let began = Instant::now();
        let mut nodes = 0;
        loop {
            let left = self.time.saturating_sub(began.elapsed());
            let stretch = if self.progress.is_some() {
                left.min(SAVE_EVERY)
            } else {
                left
            };
            let mut solution = match self.goal {
                Goal::Any => solver.solve(&problem.position, stretch),
                Goal::Win => solver.solve_win(&problem.position, stretch),
                Goal::Draw => solver.solve_draw(&problem.position, stretch),
            };
            nodes += solution.nodes;
            solution.nodes = nodes;
            solution.time = began.elapsed();
            self.save_progress(problem, solver)?;
            let answered = match self.goal {
                Goal::Any => solution.bounds.value().is_some(),
                Goal::Win | Goal::Draw => solution.bounds.claim().is_some(),
            };
            if answered || began.elapsed() >= self.time {
                return Ok(solution);
            }
        }
    }

    fn load_progress(&self, problem: &Problem, solver: &Solver) -> Result<(), Failure> {
        let Some(path) = self.progress.as_ref().filter(|path| path.exists()) else {
            return Ok(());
        };
        let failed =
            |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", path.display()));
        let mut file = File::open(path).map_err(|error| failed(&error))?;
        solver
            .read_progress(&problem.position, &mut file)
            .map_err(|error| failed(&error))?;
        Ok(())
    }

    fn save_progress(&self, problem: &Problem, solver: &Solver) -> Result<(), Failure> {
        let Some(path) = &self.progress else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        solver.write_progress(&problem.position, &mut bytes)?;
        write_file(path, &bytes)
    }

    fn write_pictures(&self, outcomes: &[Outcome]) -> Result<(), Failure> {
        if let (Some(path), Some(first)) = (&self.svg, outcomes.first()) {
            write_file(path, page::picture(first).as_bytes())?;
        }
        if let Some(path) = &self.table {
            write_file(path, print::markdown(outcomes).as_bytes())?;
        }
        if let Some(path) = &self.report {
            write_file(path, page::page(outcomes).as_bytes())?;
        }
        Ok(())
    }
}

impl Claimed {
    const fn value(self) -> Wld {
        match self {
            Self::Win => Wld::Win,
            Self::Draw => Wld::Draw,
            Self::Loss => Wld::Loss,
        }
    }
}

/// What all problems are worked on with.
struct Bench {
    solver: Solver,
    engine: Engine,
}

impl Bench {
    fn new(options: &Solve, tablebase: Arc<Tablebase>) -> Result<Self, Failure> {
        let mut engine = Engine::new(EngineOptions {
            hash_mb: 32,
            threads: 1,
        })
        .map_err(|error| Failure::Input(error.to_string()))?;
        engine.set_tablebase(Some(Arc::clone(&tablebase)));
        let solver = Solver::new(Settings {
            threads: options.threads,
            table_mb: options.hash,
            tablebase,
            rules: if options.forty {
                Rules::FortyMoves
            } else {
                Rules::Endless
            },
        });
        Ok(Self { solver, engine })
    }

    fn opinion(&mut self, game: Game) -> Report {
        self.engine.set_game(game);
        let limits = Limits {
            analysis: true,
            ..Limits::for_time(OPINION)
        };
        self.engine.search(limits).report
    }
}

/// `proof.chc` for one position, `proof-3.chc` for the third of several.
fn numbered(path: &Path, place: Option<usize>) -> PathBuf {
    let Some(place) = place else {
        return path.to_owned();
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut name = format!("{stem}-{place}");
    if let Some(extension) = path.extension() {
        name = format!("{name}.{}", extension.to_string_lossy());
    }
    path.with_file_name(name)
}

/// Writes beside and renames, so that nothing half written is ever there.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error| Failure::Input(format!("{}: cannot write: {error}", path.display()));
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    std::fs::write(&beside, bytes).map_err(failed)?;
    std::fs::rename(&beside, path).map_err(failed)
}
