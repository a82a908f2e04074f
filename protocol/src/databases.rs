//! Where endgame databases are found: what is built in, then one folder of files.
//!
//! The folder is the one that was asked for, else the one that `CROWNHEAD_TABLEBASE` names,
//! else `crownhead/tablebases` in the platform's data folder, if it is there.

use std::env;
use std::path::{Path, PathBuf};

use engine::tablebase::{FileError, Tablebase};

/// Databases, and one line that says what they are.
#[derive(Debug)]
pub struct Found {
    /// The databases.
    pub tablebase: Tablebase,
    /// `endgames of up to 6 pieces from DIR`, for people.
    pub line: String,
}

/// Opens all databases; decoded values are kept in about `cache` megabytes.
///
/// # Errors
///
/// When the folder that was asked for, or that the environment names, cannot be read or holds a
/// file that is no database. The data folder may be absent.
pub fn open(folder: Option<&Path>, cache: usize) -> Result<Found, FileError> {
    let mut tablebase = Tablebase::built_in(cache);
    let folder = folder
        .map(Path::to_owned)
        .or_else(|| env::var_os("CROWNHEAD_TABLEBASE").map(PathBuf::from))
        .or_else(|| data_folder().filter(|folder| folder.is_dir()));
    let Some(folder) = folder else {
        let line = format!(
            "endgames of up to {} pieces, built in",
            tablebase.most_pieces()
        );
        return Ok(Found { tablebase, line });
    };
    tablebase.add_folder(&folder)?;
    let line = format!(
        "endgames of up to {} pieces, built in and from {}",
        tablebase.most_pieces(),
        folder.display()
    );
    Ok(Found { tablebase, line })
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
