//! `crownhead` without a subcommand, and `crownhead hub|cb|ugi`: a session on the standard streams.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Args;
use engine::engine::EngineOptions;
use protocol::databases::Wanted;
use protocol::dialect::Dialect;
use protocol::hub::reading::Reading;
use protocol::json;
use protocol::session::{SessionError, SessionOptions, serve};

use super::{Answer, Failure};

/// What `crownhead json --help` says.
pub(super) const JSON_HELP: &str = "\
Analyse for a program: one JSON object a line in, one out.

Each request is an object; every key may be left out:
  position   FEN, PDN or a printed board [default: the start position]
  moves      moves to play from there: \"11-15 22-18\" or [\"11-15\", \"22-18\"]
  time, depth, nodes
             what bounds the search: seconds, plies (1-200), positions [default: 1 second]
  lines      how many best moves to tell of, 1 to 128 [default: 1]
  notation   \"numeric\" (11-15) or \"algebraic\" (f4-g3)
  id         anything; it comes back with the answer
  progress   true: an object for each iteration comes before the answer
  forget     true: forget what was learnt from the requests before
  stop       true: end the search that runs, with its answer, also when other requests wait
             behind it (up to 16 MiB of them); nothing else may be asked

Requests are answered in turn, each with one object:
  id, fen, turn, legal_moves, outcome (null, or winner and reason), best, ponder (moves or null),
  lines (objects with depth, line, score in men for the side to move, chances (win, draw, loss),
  value (\"win\", \"draw\",
  \"loss\" or null when not proven), better, nodes, seconds, nps, pv), and warning if something
  went wrong without keeping the answer from coming, such as a damaged database;
or, for a request that cannot be met, with id and error.";

/// What can be chosen before the client says anything.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Session {
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MB")]
    hash: Option<usize>,
    /// Search threads.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Endgame databases: folders separated as in PATH, built-in, or off [default: those built in
    /// and those found where they usually are].
    #[arg(long, value_name = "DIR")]
    tablebase: Option<OsString>,
}

impl Session {
    /// The engine as asked for.
    pub(super) fn engine(&self) -> EngineOptions {
        let defaults = EngineOptions::default();
        EngineOptions {
            hash_mb: self.hash.unwrap_or(defaults.hash_mb),
            threads: self.threads.unwrap_or(defaults.threads),
        }
    }

    /// The endgame databases asked for.
    pub(super) fn tablebase(&self) -> Wanted {
        Wanted::option(self.tablebase.as_ref())
    }

    /// Speaks `dialect`, or whatever the first line chooses, until the client leaves.
    pub(super) fn run(
        &self,
        dialect: Option<Dialect>,
        out: &mut impl Write,
    ) -> Result<Answer, Failure> {
        // Clients may read standard error as if it were the protocol, or never and let it fill up;
        // a search that fails is told as an error of the dialect.
        std::panic::set_hook(Box::new(|_| {}));
        let options = SessionOptions {
            dialect,
            guess: likely_reading(),
            engine: self.engine(),
            tablebase: self.tablebase(),
        };
        ended(serve(io::stdin(), out, &options))
    }

    /// Answers JSON lines until the input ends.
    pub(super) fn run_json(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        ended(json::serve(
            io::stdin(),
            out,
            self.engine(),
            &self.tablebase(),
        ))
    }
}

fn ended(session: Result<(), SessionError>) -> Result<Answer, Failure> {
    match session {
        Ok(()) => Ok(Answer::Yes),
        Err(SessionError::Output(error)) => Err(Failure::Output(error)),
        Err(error) => Err(Failure::Input(error.to_string())),
    }
}

/// pydraughts, which turns the board round, starts engines with standard error merged into the
/// pipe of standard output; other clients keep them apart. The hint counts only for set-ups
/// that nothing else decides.
fn likely_reading() -> Reading {
    if outputs_are_merged().unwrap_or(false) {
        Reading::Swapped
    } else {
        Reading::Plain
    }
}

#[cfg(unix)]
fn outputs_are_merged() -> io::Result<bool> {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    let [out, err] = [
        io::stdout().as_fd().try_clone_to_owned()?,
        io::stderr().as_fd().try_clone_to_owned()?,
    ];
    let (out, err) = (File::from(out).metadata()?, File::from(err).metadata()?);
    Ok(out.file_type().is_fifo() && (out.dev(), out.ino()) == (err.dev(), err.ino()))
}

#[cfg(not(unix))]
fn outputs_are_merged() -> io::Result<bool> {
    Ok(false)
}
