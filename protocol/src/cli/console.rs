//! `crownhead` on a terminal: a game with a person, with line editing and history.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use engine::engine::Engine;
use protocol::console::{Console, Prompt};
use protocol::databases::{self, CACHE_MB};
use rustyline::DefaultEditor;

use super::session::Session;
use super::{Answer, Failure};

/// Whether a person sits in front of standard input.
pub(super) fn is_wanted() -> bool {
    io::stdin().is_terminal()
}

/// Plays until the person leaves.
pub(super) fn run(session: &Session, out: &mut impl Write) -> Result<Answer, Failure> {
    let mut engine = Engine::new(session.engine()).map_err(|e| Failure::Input(e.to_string()))?;
    let found = databases::open(&session.tablebase(), CACHE_MB)
        .map_err(|error| Failure::Input(error.to_string()))?;
    writeln!(out, "{}", found.line)?;
    engine.set_tablebase(found.tablebase.map(Arc::new));
    let editor = DefaultEditor::new().map_err(|e| Failure::Input(format!("terminal: {e}")))?;
    Console::new(Terminal(editor), out, engine, fastrand::Rng::new()).run()?;
    Ok(Answer::Yes)
}

struct Terminal(DefaultEditor);

impl Prompt for Terminal {
    /// Control-C and control-D both end the conversation.
    fn ask(&mut self, prompt: &str) -> Option<String> {
        let line = self.0.readline(prompt).ok()?;
        // History is a convenience.
        let _ = self.0.add_history_entry(&line);
        Some(line)
    }
}
