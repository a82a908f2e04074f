//! What a match must know of a file before it reads or writes it.
//!
//! Owns the rule that only regular files (or symbolic links to them) hold a match: a device has no
//! end, and a pipe no place to go back to. Knows no format. Start reading at `is_there`.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Whether there is a regular file; false if there is nothing.
///
/// # Errors
///
/// [`ErrorKind::InvalidInput`] if there is something else; whatever the file system reports.
pub(super) fn is_there(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(_) => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is no regular file",
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Reads a file, or a pipe to its end, of at most `most` bytes.
///
/// # Errors
///
/// [`ErrorKind::InvalidInput`] for a device or a directory, [`ErrorKind::FileTooLarge`] for more
/// bytes; whatever the file system reports.
pub(super) fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !is_pipe(path) && !is_there(path)? {
        return Err(ErrorKind::NotFound.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let told = format!("it is larger than {} MiB", most >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, told));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

/// The size and the SHA-256 of a program, as a text for people; it tells builds apart.
///
/// # Errors
///
/// Whatever the file system reports.
pub fn fingerprint(program: &Path) -> io::Result<String> {
    let mut file = File::open(program)?;
    let mut hash = Sha256::new();
    let mut size = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        size += count;
        hash.update(&buffer[..count]);
    }
    let digest: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(format!("{size} bytes, SHA-256 {digest}"))
}

/// Where a program is that is started as `name` in `directory`: by the search path unless the
/// name has a separator. `None` if it is not found.
#[must_use]
pub fn locate(name: &Path, directory: Option<&Path>) -> Option<PathBuf> {
    if name.components().count() > 1 {
        let path = directory.unwrap_or(Path::new("")).join(name);
        return path.is_file().then_some(path);
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_hold_a_match() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        assert!(!is_there(&path).expect("nothing is fine"));
        assert!(read_bounded(&path, 9).is_err());
        fs::write(&path, "12345").expect("a file");
        assert!(is_there(&path).expect("a file is fine"));
        assert_eq!(read_bounded(&path, 5).expect("short"), b"12345");
        let long = read_bounded(&path, 4).expect_err("long");
        assert_eq!(long.kind(), ErrorKind::FileTooLarge);
        assert!(is_there(folder.path()).is_err());
        assert!(read_bounded(folder.path(), 9).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused_through_links_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&socket, &link).expect("a link");
        for odd in [&socket, &link] {
            assert!(is_there(odd).is_err(), "{}", odd.display());
            assert!(read_bounded(odd, 9).is_err(), "{}", odd.display());
        }
    }

    /// The digest of "abc" is the example of FIPS 180-4.
    #[test]
    fn a_fingerprint_is_size_and_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program");
        fs::write(&path, "abc").expect("a file");
        assert_eq!(
            fingerprint(&path).expect("readable"),
            "3 bytes, SHA-256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            locate(Path::new("./program"), Some(folder.path())),
            Some(folder.path().join("./program"))
        );
        assert_eq!(locate(Path::new("no-such-program-anywhere"), None), None);
    }
}
