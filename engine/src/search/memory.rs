//! How much memory the table may ask for.

use std::fs;

use thiserror::Error;

/// A table size that cannot be had; the engine goes on with `in_use`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{asked} MB for the table cannot be had; {in_use} MB are in use")]
pub struct HashError {
    /// What was asked for, in MiB.
    pub asked: usize,
    /// The size of the table now, in MiB.
    pub in_use: usize,
}

impl HashError {
    pub(super) const fn refused(asked: usize) -> Self {
        Self { asked, in_use: 0 }
    }
}

/// `mb` MiB (0 counts as 1) in bytes.
///
/// # Errors
///
/// [`HashError`] for more than is free: systems that overcommit would grant it and end the
/// process later.
pub(super) fn bytes(mb: usize) -> Result<usize, HashError> {
    let bytes = mb.max(1).checked_mul(1 << 20);
    bytes
        .filter(|&bytes| available().is_none_or(|most| bytes <= most))
        .ok_or(HashError::refused(mb))
}

/// What can be used without swapping, in bytes, where the system tells (Linux).
fn available() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_sizes_are_refused() {
        assert_eq!(bytes(0), Ok(1 << 20));
        assert_eq!(bytes(3), Ok(3 << 20));
        assert_eq!(bytes(usize::MAX), Err(HashError::refused(usize::MAX)));
    }
}
