//! The command line: what is shared by all subcommands, and the way in and out.
//!
//! Each subcommand is a file with its arguments (a clap `Args`) and a `run` that writes to the
//! given output and returns an [`Answer`] or a [`Failure`]. Exit codes: 0 for success, 1 for a
//! negative answer, 2 for bad input, told in one line on standard error. A reader that closes our
//! standard output (`crownhead ... | head`) ends the program quietly.

mod analyze;
mod bench;
mod check;
mod console;
mod dxp;
mod input;
mod r#match;
mod perft;
mod probe;
mod session;
mod show;
mod solve;

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use engine::eval::network::Network;
use protocol::dialect::Dialect;
use thiserror::Error;

/// An engine for English draughts (American checkers).
#[derive(Debug, Parser)]
#[command(name = "crownhead", version, args_conflicts_with_subcommands = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    session: session::Session,
    /// Evaluate with the network of this file instead of the built-in one.
    #[arg(long, value_name = "FILE", env = "CROWNHEAD_NET", global = true)]
    net: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Command),
    Analyze(analyze::Analyze),
    Perft(perft::Command),
    Match(Box<r#match::Match>),
    /// Speak Hub version 2, as Scan, pydraughts and lidraughts-bot do.
    Hub(session::Session),
    /// Speak CheckerBoard's engine commands; `help` lists them.
    Cb(session::Session),
    /// Speak UGI, the Universal Game Interface.
    Ugi(session::Session),
    Dxp(dxp::Dxp),
    /// Analyse for a program: one JSON object a line in, one out.
    #[command(long_about = session::JSON_HELP)]
    Json(session::Session),
    Probe(probe::Probe),
    Solve(Box<solve::Solve>),
    Check(check::Check),
    Show(show::Show),
}

/// What a subcommand found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// All is well: exit code 0.
    Yes,
    /// The question was understood and the answer is no: exit code 1.
    No,
}

/// Why a subcommand could not do its work.
#[derive(Debug, Error)]
enum Failure {
    /// The input is at fault: the message names the place and the mend, in one line.
    #[error("{0}")]
    Input(String),
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

/// Runs the command line of this process.
pub(crate) fn main() -> ExitCode {
    let arguments = match CommandLine::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let ended = run(&arguments, &mut out).and_then(|answer| {
        out.flush()?;
        Ok(answer)
    });
    exit_code(&ended)
}

/// Makes the network of the file at `path` that of the whole program.
fn choose_network(path: &Path) -> Result<(), Failure> {
    let place = path.display();
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::Input(format!("{place}: cannot read: {error}")))?;
    let network =
        Network::read(&bytes).map_err(|error| Failure::Input(format!("{place}: {error}")))?;
    // Nothing else chooses one.
    let _ = network.choose();
    Ok(())
}

fn run(arguments: &CommandLine, out: &mut impl Write) -> Result<Answer, Failure> {
    if let Some(path) = &arguments.net {
        choose_network(path)?;
    }
    match &arguments.command {
        None if console::is_wanted() => console::run(&arguments.session, out),
        None => arguments.session.run(None, out),
        Some(Command::Bench(bench)) => bench.run(out),
        Some(Command::Match(contest)) => contest.run(out),
        Some(Command::Analyze(analyze)) => analyze.run(out),
        Some(Command::Perft(perft)) => perft.run(out),
        Some(Command::Hub(session)) => session.run(Some(Dialect::Hub), out),
        Some(Command::Cb(session)) => session.run(Some(Dialect::Cb), out),
        Some(Command::Ugi(session)) => session.run(Some(Dialect::Ugi), out),
        Some(Command::Dxp(dxp)) => dxp.run(out),
        Some(Command::Json(session)) => session.run_json(out),
        Some(Command::Probe(probe)) => probe.run(out),
        Some(Command::Solve(solve)) => solve.run(out),
        Some(Command::Check(check)) => check.run(out),
        Some(Command::Show(show)) => show.run(out),
    }
}

fn exit_code(ended: &Result<Answer, Failure>) -> ExitCode {
    match ended {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            tell(&failure.to_string());
            ExitCode::from(2)
        }
    }
}

/// One line on standard error. With that closed too there is nobody left to tell.
fn tell(message: &str) {
    let _ = writeln!(io::stderr(), "error: {message}");
}

/// What was odd about the input, in one line on standard error.
fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "warning: {message}");
}

/// A line about work in progress, on standard error.
fn tell_progress(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// Help and version go to standard output; anything else that clap objects to becomes one line.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return match error.print() {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => ExitCode::from(2),
            _ => ExitCode::SUCCESS,
        };
    }
    tell(&one_line(&error.render().to_string()));
    ExitCode::from(2)
}

/// What clap says before its usage text, with where to find help.
fn one_line(message: &str) -> String {
    let told: Vec<&str> = message
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    let told = told.join(" ");
    let told: Vec<String> = told.split(' ').map(input::shorten).collect();
    let told = told.join(" ");
    let told = told.strip_prefix("error: ").unwrap_or(&told);
    format!("{told}; see --help")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn refusals_take_one_line() {
        for arguments in [
            &["crownhead", "perft"][..],
            &["crownhead", "perft", "x"],
            &["crownhead", "perft", "3", "--colour"],
            &["crownhead", "dance"],
            &["crownhead", &"x".repeat(5_000)],
            &["crownhead", "perft", &"9".repeat(5_000)],
        ] {
            let error = CommandLine::try_parse_from(arguments).expect_err("bad arguments");
            let told = one_line(&error.render().to_string());
            assert!(
                !told.contains('\n') && told.ends_with("; see --help"),
                "{told}"
            );
            assert!(
                (25..300).contains(&told.len()) && !told.starts_with("error"),
                "{told}"
            );
        }
    }
}
