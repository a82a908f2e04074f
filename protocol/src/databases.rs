//! Where endgame databases are found: what is built in, then folders of files.
//!
//! The folders are those that were asked for, else those that `CROWNHEAD_TABLEBASE` names (both
//! as lists, separated as in `PATH`), else `crownhead/tablebases` in the platform's data folder,
//! if it is there. All of them are read, and later ones win.

use std::convert::Infallible;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use engine::tablebase::{FileError, Tablebase};

/// Memory for decoded values, in MiB, if nothing else is asked for.
pub const CACHE_MB: usize = 32;

/// Which databases are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Those built in and those found where they usually are.
    #[default]
    Usual,
    /// None at all.
    Off,
    /// Only those built in.
    BuiltIn,
    /// Those built in and those in these folders, separated as in `PATH`.
    Folders(OsString),
}

/// `auto` (or nothing), `off`, `built-in`, or folders.
impl FromStr for Wanted {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.trim() {
            "" | "auto" | "<empty>" => Self::Usual,
            "off" | "none" => Self::Off,
            "built-in" => Self::BuiltIn,
            folders => Self::Folders(folders.into()),
        })
    }
}

/// The text that asks for it, as [`Wanted::from_str`] reads it.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usual => f.write_str("auto"),
            Self::Off => f.write_str("off"),
            Self::BuiltIn => f.write_str("built-in"),
            Self::Folders(folders) => write!(f, "{}", folders.display()),
        }
    }
}

impl Wanted {
    /// What a command-line option asks for.
    #[must_use]
    pub fn option(text: Option<&OsString>) -> Self {
        let Some(text) = text else {
            return Self::Usual;
        };
        text.to_str().map_or_else(
            || Self::Folders(text.clone()),
            |text| text.parse().unwrap_or_default(),
        )
    }

    fn folders(&self) -> Vec<PathBuf> {
        let named = match self {
            Self::Off | Self::BuiltIn => return Vec::new(),
            Self::Folders(folders) => Some(folders.clone()),
            Self::Usual => env::var_os("CROWNHEAD_TABLEBASE"),
        };
        match named {
            Some(named) => env::split_paths(&named).collect(),
            None => data_folder()
                .into_iter()
                .filter(|folder| folder.is_dir())
                .collect(),
        }
    }
}

/// Databases, and one line that says what they are.
#[derive(Debug)]
pub struct Found {
    /// The databases; `None` if none were wanted.
    pub tablebase: Option<Tablebase>,
    /// `endgame slices by pieces: 4 of 2, 12 of 3 ...`, for people.
    pub line: String,
}

/// Opens all databases; decoded values are kept in about `cache` megabytes.
///
/// # Errors
///
/// When a folder that was asked for, or that the environment names, cannot be read or holds a
/// file that is no database. The data folder may be absent.
pub fn open(wanted: &Wanted, cache: usize) -> Result<Found, FileError> {
    open_up_to(wanted, cache, u32::MAX)
}

/// [`open`], without positions of more than `pieces` pieces.
///
/// # Errors
///
/// As for [`open`].
pub fn open_up_to(wanted: &Wanted, cache: usize, pieces: u32) -> Result<Found, FileError> {
    if *wanted == Wanted::Off {
        return Ok(Found {
            tablebase: None,
            line: "no endgame databases".into(),
        });
    }
    let mut tablebase = Tablebase::built_in(cache);
    let folders = wanted.folders();
    for folder in &folders {
        tablebase.add_folder(folder)?;
    }
    tablebase.limit_pieces(pieces);
    let line = line(&tablebase, &folders);
    Ok(Found {
        tablebase: Some(tablebase),
        line,
    })
}

fn line(tablebase: &Tablebase, folders: &[PathBuf]) -> String {
    let slices = |pieces: u32| {
        let of = |image: &engine::tablebase::file::Image| image.header().slice.pieces() == pieces;
        tablebase.images().filter(|&image| of(image)).count()
    };
    let mut counts: Vec<String> = (2..=tablebase.most_pieces())
        .map(|pieces| format!("{} of {pieces}", slices(pieces)))
        .collect();
    if counts.is_empty() {
        counts.push("none".into());
    }
    let places: Vec<String> = std::iter::once("built in".to_owned())
        .chain(folders.iter().map(|folder| folder.display().to_string()))
        .collect();
    format!(
        "endgame slices by pieces: {} ({})",
        counts.join(", "),
        places.join(", ")
    )
}

/// The platform's folder for data of this program.
fn data_folder() -> Option<PathBuf> {
    let from = |name: &str| {
        env::var_os(name)
            .filter(|it| !it.is_empty())
            .map(PathBuf::from)
    };
    let base = if cfg!(windows) {
        from("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        from("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        from("XDG_DATA_HOME").or_else(|| from("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("crownhead").join("tablebases"))
}
