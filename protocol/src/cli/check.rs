//! `crownhead check`: verifies certificates of `crownhead solve`.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use engine::solve::Rules;
use engine::solve::check::{self, Proven};
use engine::tablebase::Tablebase;
use protocol::databases::{self, Wanted};
use serde::Serialize;

use super::{Answer, Failure};

/// Memory for decoded values, in MiB: ends lie scattered over whole databases.
const CACHE_MB: usize = 256;

/// Verify certificates of proven values, with rules of its own and no search.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Certificates to verify.
    #[arg(required = true, value_name = "CERT")]
    certificates: Vec<PathBuf>,
    /// Endgame databases, as for the other commands.
    #[arg(long, value_name = "DIR")]
    tablebase: Option<OsString>,
    /// Print one JSON object a certificate.
    #[arg(long)]
    json: bool,
}

/// The keys of `--json`.
#[derive(Serialize)]
struct Checked {
    certificate: String,
    sound: bool,
    fen: Option<String>,
    claim: Option<String>,
    rules: Option<&'static str>,
    steps: Option<usize>,
    database_ends: Option<u64>,
    final_ends: Option<u64>,
    error: Option<String>,
}

/// How the rules of a proof are named.
pub(super) const fn rules(rules: Rules) -> &'static str {
    match rules {
        Rules::Endless => "endless play is a draw, no 40-move rule",
        Rules::FortyMoves => {
            "endless play and 40 moves without progress, counted from this position, are draws"
        }
    }
}

impl Check {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let found = databases::open(&Wanted::option(self.tablebase.as_ref()), CACHE_MB)
            .map_err(|error| Failure::Input(error.to_string()))?;
        let tablebase = found.tablebase.unwrap_or_else(|| Tablebase::empty(0));
        let mut answer = Answer::Yes;
        for path in &self.certificates {
            let place = path.display().to_string();
            let bytes = std::fs::read(path)
                .map_err(|error| Failure::Input(format!("{place}: cannot read: {error}")))?;
            let result = check::check(&bytes, &tablebase);
            if result.is_err() {
                answer = Answer::No;
            }
            if self.json {
                let told = json(place, result);
                let line = serde_json::to_string(&told).map_err(std::io::Error::from)?;
                writeln!(out, "{line}")?;
                continue;
            }
            match result {
                Ok(proven) => writeln!(out, "{place}: {}", sentence(&proven))?,
                Err(refusal) => writeln!(out, "{place}: REFUSED: {refusal}")?,
            }
        }
        Ok(answer)
    }
}

fn sentence(proven: &Proven) -> String {
    format!(
        "sound: {} is a proven {} for the side to move ({}); {} steps, {} ends by database, {} final",
        proven.fen,
        proven.claim,
        rules(proven.rules),
        proven.steps,
        proven.database_ends,
        proven.final_ends
    )
}

fn json(certificate: String, result: Result<Proven, check::Refusal>) -> Checked {
    let error = result.as_ref().err().map(ToString::to_string);
    let proven = result.ok();
    Checked {
        certificate,
        sound: proven.is_some(),
        rules: proven.as_ref().map(|it| rules(it.rules)),
        steps: proven.as_ref().map(|it| it.steps),
        database_ends: proven.as_ref().map(|it| it.database_ends),
        final_ends: proven.as_ref().map(|it| it.final_ends),
        claim: proven.as_ref().map(|it| it.claim.clone()),
        fen: proven.map(|it| it.fen),
        error,
    }
}
