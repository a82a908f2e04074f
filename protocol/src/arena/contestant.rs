//! An engine that takes part in a match, as the command line describes it.
//!
//! Owns the text form `cmd=...,name=...,dialect=hub,hash=64,option.X=Y`. Start reading at
//! [`Contestant::from_str`].

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::files;
use super::time::{Allowance, MOST_PLIES};
use crate::client::Recipe;
use crate::dialect::Dialect;

/// The command that stands for this program itself.
pub const SELF: &str = "self";

/// An engine and its conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contestant {
    /// How it is called in the results; unique within a match.
    pub name: String,
    /// The command line, or [`SELF`].
    pub command: String,
    /// The directory it runs in.
    pub directory: Option<PathBuf>,
    /// The dialect it speaks.
    pub dialect: Dialect,
    /// Size of its table in MiB.
    pub hash: Option<u32>,
    /// Its search threads.
    pub threads: Option<u32>,
    /// Further options of its own, by name.
    pub options: Vec<(String, String)>,
    /// What bounds its searches.
    pub allowance: Allowance,
}

/// Why a description is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ContestantError {
    /// No command.
    #[error("engine \"{0}\": no command; expected cmd=PROGRAM, or cmd=self for this engine")]
    NoCommand(String),
    /// A field without its value.
    #[error("engine \"{0}\": \"{1}\" is no KEY=VALUE")]
    NoValue(String, String),
    /// A field that does not exist.
    #[error(
        "engine \"{0}\": unknown key \"{1}\"; expected cmd, name, dir, dialect, hash, threads, \
         time, nodes, depth or option.NAME"
    )]
    UnknownKey(String, String),
    /// A value that cannot be read.
    #[error("engine \"{text}\": {key}={value}: expected {expected}")]
    BadValue {
        /// The whole description.
        text: String,
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// What the value should be.
        expected: String,
    },
    /// Quotes that are not closed.
    #[error("engine \"{0}\": a quote is not closed")]
    OpenQuote(String),
}

impl FromStr for Contestant {
    type Err = ContestantError;

    /// Fields are separated by commas. A value with a comma is put in double quotes; in them `\"`
    /// is a double quote. Within a command, words are split as by a shell; on Windows, where paths
    /// have backslashes, these mean nothing else.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut contestant = Self::default();
        for field in fields(text).ok_or_else(|| ContestantError::OpenQuote(text.into()))? {
            let no_value = || ContestantError::NoValue(text.into(), field.clone());
            let (key, value) = field.split_once('=').ok_or_else(no_value)?;
            contestant.set(key.trim(), value, text)?;
        }
        if contestant.words().is_none() {
            return Err(ContestantError::NoCommand(text.into()));
        }
        if contestant.name.is_empty() {
            contestant.name = contestant.default_name();
        }
        Ok(contestant)
    }
}

/// Splits at the commas outside double quotes and takes the quotes away.
fn fields(text: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let field = fields.last_mut()?;
        match character {
            '"' => quoted = !quoted,
            '\\' if quoted && characters.peek() == Some(&'"') => field.extend(characters.next()),
            ',' if !quoted => fields.push(String::new()),
            other => field.push(other),
        }
    }
    (!quoted).then_some(fields)
}

/// Splits a command as a shell does; where a backslash is text, quotes are all that there is to
/// keep words together. `None` if a quote is open.
fn words(command: &str, backslash_is_text: bool) -> Option<Vec<String>> {
    if !backslash_is_text {
        return shlex::split(command);
    }
    let mut doubled = String::new();
    let mut quote = None;
    for character in command.chars() {
        match (character, quote) {
            ('\\', None | Some('"')) => doubled.push('\\'),
            ('"' | '\'', None) => quote = Some(character),
            (_, Some(open)) if open == character => quote = None,
            _ => {}
        }
        doubled.push(character);
    }
    shlex::split(&doubled)
}

impl Contestant {
    fn set(&mut self, key: &str, value: &str, text: &str) -> Result<(), ContestantError> {
        let bad = |expected: &str| ContestantError::BadValue {
            text: text.into(),
            key: key.into(),
            value: value.into(),
            expected: expected.into(),
        };
        let number = |expected| {
            value
                .parse()
                .ok()
                .filter(|&n| n > 0)
                .ok_or_else(|| bad(expected))
        };
        match key {
            "cmd" => self.command = value.trim().into(),
            "name" => self.name = value.trim().into(),
            "dir" => self.directory = Some(value.into()),
            "dialect" => {
                self.dialect = Dialect::named(value).ok_or_else(|| bad("hub, ugi or cb"))?;
            }
            "hash" => self.hash = Some(number("a number of MiB")?),
            "threads" => self.threads = Some(number("a number of threads")?),
            "depth" => {
                let depth = number("a number of plies, 1 to 200")?;
                if depth > MOST_PLIES {
                    return Err(bad("a number of plies, 1 to 200"));
                }
                self.allowance.depth = Some(depth);
            }
            "nodes" => {
                let nodes = value.parse().ok().filter(|&nodes| nodes > 0);
                self.allowance.nodes = Some(nodes.ok_or_else(|| bad("a number of nodes"))?);
            }
            "time" => {
                let time = value
                    .parse()
                    .map_err(|_| bad("a time such as 0.1 or 10+0.1"))?;
                self.allowance.time = Some(time);
            }
            _ => match key.strip_prefix("option.").filter(|name| !name.is_empty()) {
                Some(name) => self.options.push((name.into(), value.into())),
                None => return Err(ContestantError::UnknownKey(text.into(), key.into())),
            },
        }
        Ok(())
    }

    /// The words of the command; `None` if there are none or a quote is open.
    fn words(&self) -> Option<Vec<String>> {
        words(&self.command, cfg!(windows)).filter(|words| !words.is_empty())
    }

    /// The program that it runs, `None` if there is none: from one start to the next it may have
    /// been built anew.
    #[must_use]
    pub fn program(&self, own_program: &Path) -> Option<PathBuf> {
        if self.command == SELF {
            return Some(own_program.to_owned());
        }
        let words = self.words()?;
        files::locate(Path::new(words.first()?), self.directory.as_deref())
    }

    fn default_name(&self) -> String {
        if self.command == SELF {
            return env!("CARGO_PKG_NAME").into();
        }
        let words = self.words().unwrap_or_default();
        let program = words.first().map_or("", String::as_str);
        let stem = Path::new(program).file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// How to start it, given our own program and how long it may be silent.
    #[must_use]
    pub fn recipe(&self, own_program: &Path, patience: Duration) -> Recipe {
        let command = if self.command == SELF {
            let program = own_program.to_string_lossy().into_owned();
            vec![program, self.dialect.name().into()]
        } else {
            self.words().unwrap_or_default()
        };
        Recipe {
            command,
            directory: self.directory.clone(),
            dialect: self.dialect,
            hash: self.hash,
            threads: self.threads,
            options: self.options.clone(),
            patience,
        }
    }
}

/// Makes the names of a match unique: the second `a` becomes `a (2)`.
pub fn number_namesakes(contestants: &mut [Contestant]) {
    for at in 1..contestants.len() {
        let (before, rest) = contestants.split_at_mut(at);
        let name = rest[0].name.clone();
        let mut count = 1;
        while before.iter().any(|other| other.name == rest[0].name) {
            count += 1;
            rest[0].name = format!("{name} ({count})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Contestant {
        text.parse().expect(text)
    }

    #[test]
    fn fields_and_quotes() {
        let engine = read(
            r#"cmd="/opt/x y/engine --a 1,2 'b c'",name=Old,dialect=ugi,hash=64,option.Style="a,\"b\"",time=10+0.1,nodes=5000"#,
        );
        assert_eq!(
            (engine.name.as_str(), engine.dialect),
            ("Old", Dialect::Ugi)
        );
        assert_eq!(
            engine.words().expect("words"),
            ["/opt/x", "y/engine", "--a", "1,2", "b c"]
        );
        assert_eq!(engine.options, [("Style".to_owned(), "a,\"b\"".to_owned())]);
        assert_eq!(
            (engine.hash, engine.allowance.nodes),
            (Some(64), Some(5000))
        );
        assert!(engine.allowance.time.is_some());
    }

    #[test]
    fn windows_paths_keep_their_backslashes() {
        let field = fields(r#"cmd="C:\Program Files\a,b.exe",name="\\server\x \"y\"""#);
        let expected = [r"cmd=C:\Program Files\a,b.exe", r#"name=\\server\x "y""#];
        assert_eq!(field.expect("closed quotes"), expected);
        for (command, split) in [
            (
                r"C:\engines\new.exe hub",
                vec![r"C:\engines\new.exe", "hub"],
            ),
            (
                r"'C:\my engines\new.exe' hub",
                vec![r"C:\my engines\new.exe", "hub"],
            ),
            (
                r#""\\server\it's\x.exe" hub"#,
                vec![r"\\server\it's\x.exe", "hub"],
            ),
        ] {
            let found = words(command, true).expect(command);
            assert_eq!(found, split);
        }
        assert_eq!(words("'a", true), None);
        assert_eq!(words(r"a\ b", false), Some(vec!["a b".to_owned()]));
    }

    #[test]
    fn names_come_from_the_program_and_stay_apart() {
        let mut engines = [
            read("cmd=/usr/bin/scan.sh hub"),
            read("cmd=self"),
            read("cmd=self"),
            read("cmd=self,name=crownhead (2)"),
        ];
        number_namesakes(&mut engines);
        let names = engines.map(|engine| engine.name);
        assert_eq!(
            names,
            ["scan", "crownhead", "crownhead (2)", "crownhead (2) (2)"]
        );
    }

    #[test]
    fn faults_are_named() {
        for (text, told) in [
            ("", "is no KEY=VALUE"),
            ("name=x", "no command"),
            ("cmd=", "no command"),
            ("cmd=a,speed=3", "unknown key \"speed\""),
            ("cmd=a,option.=3", "unknown key \"option.\""),
            ("cmd=a,depth=201", "expected a number of plies, 1 to 200"),
            ("cmd=a,hash=0", "hash=0: expected a number of MiB"),
            ("cmd=a,time=1,5", "\"5\" is no KEY=VALUE"),
            ("cmd=a,dialect=uci", "expected hub, ugi or cb"),
            ("cmd=\"a", "a quote is not closed"),
            ("cmd='a", "no command"),
        ] {
            let error = text.parse::<Contestant>().expect_err(text).to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
