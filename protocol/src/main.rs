//! The `crownhead` binary: one program for people, graphical boards and other engines.
//!
//! Everything lives in [`cli`], one file a subcommand; the protocols themselves are the library
//! next door.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
