//! What the machine has left, where the system tells, and what it keeps on disk.

use std::path::Path;

/// Bytes of memory that can still be used.
#[must_use]
pub fn free_memory() -> Option<u64> {
    proc_kilobytes("/proc/meminfo", "MemAvailable:")
}

/// The most bytes of memory that this process has held.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    proc_kilobytes("/proc/self/status", "VmHWM:")
}

fn proc_kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Bytes that can still be written to the disk of `folder`.
#[must_use]
pub fn free_disk(folder: &Path) -> Option<u64> {
    fs4::available_space(folder).ok()
}

/// Seconds of processor time that all threads of this process have used.
#[must_use]
pub fn processor_seconds() -> Option<f64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let nanoseconds = |thread: std::fs::DirEntry| -> Option<u64> {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    let total: u64 = threads.flatten().filter_map(nanoseconds).sum();
    Some(total as f64 / 1e9)
}

/// Forces the names of the files in a folder to disk.
///
/// # Errors
///
/// If the folder cannot be opened or the disk is at fault.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

/// Windows opens no folder as a file; its file system keeps a journal of names by itself.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}
