//! The end of a match in figures: as text for people and as an object for programs.
//!
//! Owns what is said about a match, not how games are counted ([`super::tally`]). Start reading
//! at [`Summary::new`].

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::elo::Pentanomial;
use super::record::Reason;
use super::sprt::{Decision, Scale, Sprt};
use super::tally::{Anomaly, Score, Tally, Use};

/// The figures of a match; those without a name are the first engine's against all others.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Finished games of the whole match.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Elo difference; `null` where the results are too one-sided for one.
    pub elo: Option<f64>,
    /// Half of its 95 % interval.
    pub elo_error: Option<f64>,
    /// The same as normalized Elo.
    pub normalized_elo: Option<f64>,
    /// Half of its 95 % interval.
    pub normalized_elo_error: Option<f64>,
    /// Likelihood of superiority, 0 to 1.
    pub los: Option<f64>,
    /// Drawn games among all, 0 to 1.
    pub draw_rate: Option<f64>,
    /// Pairs with 0, 1/2, 1, 3/2 and 2 points.
    pub pentanomial: Pentanomial,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtState>,
    /// All engines, in the order of the command line.
    pub engines: Vec<EngineSummary>,
    /// How the games ended.
    pub endings: Vec<(Reason, u64)>,
    /// Games lost by misbehaviour.
    pub anomalies: Vec<Anomaly>,
    /// What this run of the match took, in seconds.
    pub seconds: f64,
    /// The part of that time, 0 to 1, in which each game in progress had an engine thinking.
    pub core_use: Option<f64>,
    /// Games that were planned.
    pub planned: usize,
}

/// A sequential test as it stands.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SprtState {
    /// Its hypotheses.
    #[serde(flatten)]
    pub test: Sprt,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Where the null hypothesis is accepted.
    pub lower: f64,
    /// Where the alternative is accepted.
    pub upper: f64,
    /// What follows.
    pub decision: Decision,
}

impl SprtState {
    /// The test after these pairs.
    #[must_use]
    pub fn new(test: Sprt, pairs: &Pentanomial) -> Self {
        let (lower, upper) = test.bounds();
        Self {
            test,
            llr: test.log_likelihood_ratio(pairs),
            lower,
            upper,
            decision: test.decision(pairs),
        }
    }
}

/// One engine's part in the match.
#[derive(Clone, Debug, Serialize)]
pub struct EngineSummary {
    /// Its name.
    pub name: String,
    /// Against all others.
    #[serde(flatten)]
    pub score: Score,
    /// Elo difference to the mean of its opponents.
    pub elo: Option<f64>,
    /// Half of its 95 % interval.
    pub elo_error: Option<f64>,
    /// Plies.
    pub mean_depth: Option<f64>,
    /// Positions a second.
    pub nps: Option<f64>,
    /// Seconds.
    pub time_per_move: Option<f64>,
    /// Of the time allowed, 0 to 1.
    pub time_used: Option<f64>,
    /// Seconds.
    pub largest_overrun: f64,
    /// Games lost by misbehaviour.
    pub faults: u64,
}

impl EngineSummary {
    fn new(tally: &Tally, engine: usize) -> Self {
        let score = tally.score(engine);
        let elo = score.pairs.elo();
        let usage: Use = tally.usage(engine);
        Self {
            name: tally.names()[engine].clone(),
            score,
            elo: elo.map(|estimate| estimate.elo),
            elo_error: elo.map(|estimate| estimate.error),
            mean_depth: usage.mean_depth(),
            nps: usage.nodes_per_second(),
            time_per_move: usage.seconds_per_move(),
            time_used: usage.time_used(),
            largest_overrun: usage.largest_overrun,
            faults: usage.faults,
        }
    }
}

/// One run of a match: what it took, and how busy the engines were.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// From the first game's beginning to the last one's end.
    pub wall: Duration,
    /// Seconds in which an engine thought.
    pub busy: f64,
    /// Games at a time.
    pub concurrency: usize,
}

impl Summary {
    /// The figures of a tally.
    #[must_use]
    pub fn new(tally: &Tally, sprt: Option<Sprt>, effort: &Effort, planned: usize) -> Self {
        let score = tally.score(0);
        let (elo, normalized) = (score.pairs.elo(), score.pairs.normalized_elo());
        let available = effort.wall.as_secs_f64() * effort.concurrency as f64;
        let games = score.games();
        Self {
            games: tally.games(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            elo: elo.map(|estimate| estimate.elo),
            elo_error: elo.map(|estimate| estimate.error),
            normalized_elo: normalized.map(|estimate| estimate.elo),
            normalized_elo_error: normalized.map(|estimate| estimate.error),
            los: score.pairs.superiority(),
            draw_rate: (games > 0).then(|| score.draws as f64 / games as f64),
            pentanomial: score.pairs,
            sprt: sprt.map(|test| SprtState::new(test, &score.pairs)),
            engines: (0..tally.names().len())
                .map(|engine| EngineSummary::new(tally, engine))
                .collect(),
            endings: tally
                .reasons()
                .iter()
                .map(|(&reason, &count)| (reason, count))
                .collect(),
            anomalies: tally.anomalies().to_vec(),
            seconds: effort.wall.as_secs_f64(),
            core_use: (available > 0.0).then(|| effort.busy / available),
            planned,
        }
    }
}

/// `+12 -3 =85`, the score of the first engine while a match goes on, with what it means.
#[must_use]
pub fn standing(tally: &Tally, sprt: Option<Sprt>) -> String {
    let score = tally.score(0);
    let mut text = format!("+{} -{} ={}", score.wins, score.losses, score.draws);
    if let Some(estimate) = score.pairs.elo() {
        text.push_str(&format!(
            "  Elo {:+.1} ± {:.1}",
            estimate.elo, estimate.error
        ));
    }
    if let Some(test) = sprt {
        let state = SprtState::new(test, &score.pairs);
        text.push_str(&format!(
            "  LLR {:+.2} ({:.2} to {:.2})",
            state.llr, state.lower, state.upper
        ));
    }
    let faults = tally.anomalies().len();
    if faults > 0 {
        text.push_str(&format!("  faults {faults}"));
    }
    text
}

pub(super) fn signed(value: Option<f64>, error: Option<f64>) -> String {
    match (value, error) {
        (Some(value), Some(error)) => format!("{value:+.1} ± {error:.1}"),
        _ => "-".into(),
    }
}

pub(super) fn percent(part: Option<f64>) -> String {
    part.map_or("-".into(), |part| format!("{:.1} %", part * 100.0))
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, others @ ..] = &self.engines[..] else {
            return Ok(());
        };
        let opponents = match others {
            [only] => only.name.clone(),
            _ => format!("{} others", others.len()),
        };
        writeln!(
            f,
            "{} against {opponents}: +{} -{} ={}",
            first.name, self.wins, self.losses, self.draws
        )?;
        writeln!(
            f,
            "Elo {} (95 %), normalized {}; likelihood of superiority {}; {} drawn",
            signed(self.elo, self.elo_error),
            signed(self.normalized_elo, self.normalized_elo_error),
            percent(self.los),
            percent(self.draw_rate),
        )?;
        writeln!(
            f,
            "Pairs with 0, 1/2, 1, 3/2, 2 points: {:?}",
            self.pentanomial.0
        )?;
        if let Some(sprt) = &self.sprt {
            sprt.fmt(f)?;
        }
        self.write_engines(f)?;
        self.write_endings(f)?;
        writeln!(
            f,
            "{} of {} games; this run took {:.1} s, thinking {} of it",
            self.games,
            self.planned,
            self.seconds,
            percent(self.core_use)
        )
    }
}

impl fmt::Display for SprtState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = match self.test.scale {
            Scale::Logistic => "logistic",
            Scale::Normalized => "normalized",
        };
        let verdict = match self.decision {
            Decision::Open => "not decided",
            Decision::Rejected => "not the improvement asked for",
            Decision::Accepted => "an improvement",
        };
        writeln!(
            f,
            "SPRT of {} against {} {scale} Elo: LLR {:.2} ({:.2} to {:.2}), {verdict}",
            self.test.elo0, self.test.elo1, self.llr, self.lower, self.upper
        )
    }
}

impl Summary {
    fn write_engines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .engines
            .iter()
            .map(|engine| engine.name.chars().count());
        let width = names.max().unwrap_or(0).max(6);
        writeln!(
            f,
            "\n{:width$} {:>6} {:>7} {:>16} {:>6} {:>8} {:>9} {:>7} {:>9} {:>6}",
            "engine",
            "games",
            "score",
            "Elo",
            "depth",
            "kn/s",
            "ms/move",
            "used",
            "over ms",
            "faults"
        )?;
        for engine in &self.engines {
            let games = engine.score.games();
            let share = (games > 0).then(|| engine.score.points() / games as f64);
            let fixed = |value: Option<f64>, scale: f64| {
                value.map_or("-".into(), |value| format!("{:.1}", value * scale))
            };
            writeln!(
                f,
                "{:width$} {games:>6} {:>7} {:>16} {:>6} {:>8} {:>9} {:>7} {:>9.1} {:>6}",
                engine.name,
                percent(share),
                signed(engine.elo, engine.elo_error),
                fixed(engine.mean_depth, 1.0),
                fixed(engine.nps, 1e-3),
                fixed(engine.time_per_move, 1e3),
                percent(engine.time_used),
                engine.largest_overrun * 1e3,
                engine.faults,
            )?;
        }
        writeln!(f)
    }

    fn write_endings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endings: Vec<String> = self
            .endings
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        writeln!(f, "Endings: {}", endings.join(", "))?;
        for anomaly in &self.anomalies {
            writeln!(f, "{anomaly}")?;
        }
        Ok(())
    }
}
