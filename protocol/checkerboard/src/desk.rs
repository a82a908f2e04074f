//! Where commands are answered, also while a search runs: what is set, and what the GUI has told.
//!
//! The vocabulary is [`protocol::cb::Cb`]'s; what only a library has (databases, a help file) is
//! added here. Settings are kept in a file of the same commands. Start reading at
//! [`Desk::command`].

use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, mem};

use engine::engine::EngineOptions;
use engine::eval::Evaluator;
use engine::rules::Game;
use engine::tablebase::Tablebase;
use protocol::cb::Cb;
use protocol::databases::{self, CACHE_MB, Wanted};
use protocol::message::{Codec, Question, Reply, Request, Setting, Settings, Value};

/// The help file, in the folder of the engines.
const HELP: &str = "crownhead.htm";

/// What is set here and not as it is on lines.
const OWN: [&str; 5] = [
    "dbpath",
    "dbmbytes",
    "max_dbpieces",
    "enable_wld",
    "check_wld_dir",
];

/// Databases as a search gets them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Databases(pub(crate) Option<Arc<Tablebase>>);

impl Databases {
    /// Whether both are the same ones.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        }
    }
}

/// What the next search has to know.
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    pub(crate) settings: Settings,
    pub(crate) databases: Databases,
    /// The game that the GUI told.
    pub(crate) game: Option<Game>,
}

impl Orders {
    /// What differs from the settings in use.
    pub(crate) fn changes(&self, in_use: &Settings) -> Vec<Setting> {
        let wanted = &self.settings;
        let each = [
            (
                wanted.hash_mb != in_use.hash_mb,
                Setting::Hash(wanted.hash_mb),
            ),
            (
                wanted.threads != in_use.threads,
                Setting::Threads(wanted.threads),
            ),
            (
                wanted.variety != in_use.variety,
                Setting::Variety(wanted.variety),
            ),
            (wanted.seed != in_use.seed, Setting::Seed(wanted.seed)),
        ];
        let changed = each.into_iter().filter(|(differs, _)| *differs);
        changed.map(|(_, setting)| setting).collect()
    }
}

/// The state between commands.
pub(crate) struct Desk {
    codec: Cb,
    settings: Settings,
    /// `dbpath` as it was set; empty for where databases usually are.
    path: String,
    enabled: bool,
    databases: Databases,
    /// Whether the databases have been looked for.
    opened: bool,
    game: Option<Game>,
    /// Where settings are kept.
    file: Option<PathBuf>,
}

impl Desk {
    /// With the settings of the file, if there is one.
    pub(crate) fn new(file: Option<PathBuf>) -> Self {
        let defaults = EngineOptions::default();
        let mut desk = Self {
            codec: Cb::default(),
            settings: Settings {
                hash_mb: defaults.hash_mb,
                threads: defaults.threads,
                variety: 0,
                seed: 0,
                tablebase_mb: CACHE_MB,
                tablebase_pieces: Settings::MOST_PIECES,
            },
            path: String::new(),
            enabled: true,
            databases: Databases::default(),
            opened: false,
            game: None,
            file: None,
        };
        let kept = file.as_ref().and_then(|file| fs::read_to_string(file).ok());
        for line in kept.unwrap_or_default().lines() {
            // A line of another version that is not understood is passed over.
            let _ = desk.command(line);
        }
        desk.file = file;
        desk
    }

    /// What the next search has to know; the game that was told counts for one search.
    pub(crate) fn orders(&mut self) -> Orders {
        if !self.opened {
            // What was told when the path was set; a search does without.
            let _ = self.open();
        }
        Orders {
            settings: self.settings,
            databases: self.databases.clone(),
            game: self.game.take(),
        }
    }

    /// Takes over what a search could have of the settings that it was given, unless they have
    /// been changed since: what was refused once is not asked for again before every move.
    pub(crate) fn learn(&mut self, asked: &Settings, had: &Settings) {
        if self.settings.hash_mb == asked.hash_mb {
            self.settings.hash_mb = had.hash_mb;
        }
        if self.settings.threads == asked.threads {
            self.settings.threads = had.threads;
        }
    }

    /// Answers a command; `None` if it is not understood.
    pub(crate) fn command(&mut self, command: &str) -> Option<String> {
        let command = command.trim();
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        let (name, value) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let own = match verb {
            "help" => Some(HELP.into()),
            "get" => self.get(name),
            "set" => self.set(name, value.trim()),
            _ => None,
        };
        let answer = match own {
            // Said on lines, these mean less.
            None if verb == "set" && OWN.contains(&name) => None,
            None => self.worded(command),
            own => own,
        };
        if verb == "set" && answer.is_some() && name != "gamehist" {
            self.keep();
        }
        answer
    }

    fn get(&self, name: &str) -> Option<String> {
        Some(match name {
            "dbpath" => self.path.clone(),
            "dbmbytes" => self.settings.tablebase_mb.to_string(),
            "max_dbpieces" => self.settings.tablebase_pieces.to_string(),
            "enable_wld" => u8::from(self.enabled).to_string(),
            _ => return None,
        })
    }

    fn set(&mut self, name: &str, value: &str) -> Option<String> {
        match name {
            "dbpath" => value.clone_into(&mut self.path),
            "dbmbytes" => {
                let size = value.parse::<usize>().ok()?;
                self.settings.tablebase_mb = size.clamp(1, Settings::MOST_TABLEBASE);
            }
            "max_dbpieces" => {
                let most = value.parse::<u32>().ok()?;
                self.settings.tablebase_pieces = most.min(Settings::MOST_PIECES);
            }
            "enable_wld" => self.enabled = value != "0",
            "check_wld_dir" => return Some(self.look(value).1),
            _ => return None,
        }
        Some(self.open())
    }

    /// Looks for the databases anew and says what was found.
    fn open(&mut self) -> String {
        self.opened = true;
        let (found, line) = self.look(&self.path);
        self.databases = Databases(found);
        line
    }

    fn look(&self, path: &str) -> (Option<Arc<Tablebase>>, String) {
        let wanted = match (self.enabled, path.is_empty()) {
            (false, _) => Wanted::Off,
            (true, true) => Wanted::Usual,
            (true, false) => Wanted::Folders(path.into()),
        };
        let (cache, pieces) = (self.settings.tablebase_mb, self.settings.tablebase_pieces);
        let open = |wanted| databases::open_up_to(wanted, cache, pieces);
        match open(&wanted) {
            Ok(found) => (found.tablebase.map(Arc::new), found.line),
            // Those built in are better than none.
            Err(error) => {
                let built_in = open(&Wanted::BuiltIn);
                let built_in = built_in.ok().and_then(|found| found.tablebase);
                (built_in.map(Arc::new), error.to_string())
            }
        }
    }

    /// The commands that are the same on lines.
    fn worded(&mut self, command: &str) -> Option<String> {
        let reply = match self.codec.decode(command).ok()? {
            Request::Say(text) => return Some(text.replace('\n', " ")),
            Request::Ask(question) => return self.tell(question),
            Request::Set(setting) => return self.change(setting),
            Request::Position(game, None) if command.starts_with("set gamehist") => {
                self.game = Some(*game);
                "the game is known"
            }
            _ => return None,
        };
        Some(reply.into())
    }

    fn tell(&mut self, question: Question) -> Option<String> {
        let value = match question {
            Question::Hash => Value::Number(self.settings.hash_mb),
            Question::Threads => Value::Number(self.settings.threads),
            Question::Evaluation(Some(position)) => {
                Value::Score(position, Evaluator::default().evaluate_alone(&position))
            }
            _ => return None,
        };
        Some(self.said(&Reply::Value(question, value)))
    }

    /// Takes a setting over for the next search.
    fn change(&mut self, setting: Setting) -> Option<String> {
        match setting {
            Setting::Hash(mb) if !(1..=Settings::MOST_HASH).contains(&mb) => return None,
            Setting::Hash(mb) => self.settings.hash_mb = mb,
            Setting::Threads(threads) => self.settings.threads = threads,
            Setting::Variety(variety) => self.settings.variety = variety,
            Setting::Seed(seed) => self.settings.seed = seed,
            // Databases belong to all engines of the process and are set elsewhere.
            Setting::Tablebase(_) | Setting::TablebaseCache(_) | Setting::TablebasePieces(_) => {
                return None;
            }
        }
        Some(self.said(&Reply::Changed(setting)))
    }

    fn said(&self, reply: &Reply<'_>) -> String {
        let mut said = String::new();
        let mut write = |line: &str| said.push_str(line);
        self.codec.encode(reply, &mut write);
        mem::take(&mut said)
    }

    /// Writes the settings to their file; without it they last as long as the GUI runs.
    fn keep(&self) {
        let Some(file) = &self.file else { return };
        let Settings {
            hash_mb,
            threads,
            variety,
            tablebase_mb: cache,
            tablebase_pieces: pieces,
            ..
        } = self.settings;
        let (path, enabled) = (&self.path, u8::from(self.enabled));
        let text = format!(
            "set hashsize {hash_mb}\nset searchthreads {threads}\nset variety {variety}\n\
             set dbmbytes {cache}\nset max_dbpieces {pieces}\nset enable_wld {enabled}\n\
             set dbpath {path}\n"
        );
        let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
        // A full disk or a read-only profile is no reason to refuse the setting.
        let _ = folder.and_then(|()| fs::write(file, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_real_gui_are_answered() {
        let mut desk = Desk::new(None);
        for (command, answer) in [
            ("get book", Some("0")),
            ("get movelist B:W1:B", None),
            ("get gametype", Some("21")),
            ("get protocolversion", Some("2")),
            ("get hashsize", Some("64")),
            ("set hashsize 16", Some("hashsize 16")),
            ("get hashsize", Some("16")),
            ("set hashsize 0", None),
            ("set hashsize 99999999", None),
            ("get hashsize", Some("16")),
            ("set searchthreads 2", Some("searchthreads 2")),
            ("get searchthreads", Some("2")),
            ("get dbmbytes", Some("32")),
            ("get max_dbpieces", Some("24")),
            ("set max_dbpieces many", None),
            ("get dbpath", Some("")),
            ("get allscores", Some("0")),
            ("help", Some(HELP)),
            ("", None),
            ("good morning", None),
            ("quit", None),
            ("go infinite", None),
            ("stop", None),
            ("set gamehist B:W1:B", None),
        ] {
            assert_eq!(desk.command(command).as_deref(), answer, "{command}");
        }
        let said = desk
            .command("staticevaluation W:W19,21:B1,K2")
            .expect("a value");
        assert!(said.ends_with("for White"), "{said}");
    }

    #[test]
    fn settings_outlast_the_library_and_paths_keep_their_letters() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("Daten für Żółw").join("my settings.txt");
        let databases = folder.path().join("End games – 8 Steine");
        fs::create_dir(&databases).expect("a folder");
        let databases = databases.display().to_string();
        let mut desk = Desk::new(Some(path.clone()));
        desk.command("set hashsize 3").expect("an answer");
        let found = desk.command(&format!("set dbpath {databases}"));
        assert!(found.is_some_and(|line| line.starts_with("endgame slices")));
        let mut again = Desk::new(Some(path));
        assert_eq!(again.command("get hashsize").as_deref(), Some("3"));
        assert_eq!(again.command("get dbpath"), Some(databases));
        assert!(again.orders().databases.0.is_some());
        let lost = again
            .command("set dbpath /no/such folder")
            .expect("an answer");
        assert!(lost.contains("no/such folder"), "{lost}");
        assert!(
            again.orders().databases.0.is_some(),
            "the built-in ones stay"
        );
        again.command("set enable_wld 0").expect("an answer");
        assert!(again.orders().databases.0.is_none());
    }

    #[test]
    fn databases_are_limited_to_so_many_pieces() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.txt");
        let most = |desk: &mut Desk| {
            let databases = desk.orders().databases.0;
            databases.expect("databases").most_pieces()
        };
        let mut desk = Desk::new(Some(path.clone()));
        assert_eq!(most(&mut desk), 5);
        let said = desk.command("set max_dbpieces 3").expect("an answer");
        assert!(said.contains("12 of 3 (built in)"), "{said}");
        assert_eq!(most(&mut desk), 3);
        let mut again = Desk::new(Some(path));
        assert_eq!(again.command("get max_dbpieces").as_deref(), Some("3"));
        assert_eq!(most(&mut again), 3);
        let said = again.command("set max_dbpieces 0").expect("an answer");
        assert!(said.contains("none"), "{said}");
        assert_eq!(most(&mut again), 0);
        again.command("set max_dbpieces 24").expect("an answer");
        assert_eq!(most(&mut again), 5);
    }

    /// What the user chose meanwhile stays chosen.
    #[test]
    fn what_a_search_could_not_have_is_not_asked_for_again() {
        let mut desk = Desk::new(None);
        desk.command("set hashsize 1048576").expect("an answer");
        let asked = desk.orders().settings;
        let had = Settings {
            hash_mb: 64,
            ..asked
        };
        desk.learn(&asked, &had);
        assert_eq!(desk.orders().settings, had);
        desk.command("set hashsize 8").expect("an answer");
        desk.learn(&asked, &had);
        assert_eq!(desk.command("get hashsize").as_deref(), Some("8"));
    }

    #[test]
    fn a_told_game_counts_once() {
        let mut desk = Desk::new(None);
        let told = desk.command("set gamehist B:WK32:BK1 1-5 32-28");
        assert!(told.is_some());
        let game = desk.orders().game.expect("a game");
        assert_eq!(game.moves().len(), 2);
        assert!(desk.orders().game.is_none());
    }
}
