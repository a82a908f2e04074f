//! What can be wrong with a line from a client, in the words that Scan uses, with the place.

use engine::notation::{FenError, MoveError};
use thiserror::Error;

/// Why a line was refused. Its text is the one that Hub clients know from Scan;
/// [`ProtocolError::detail`] names the place and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProtocolError {
    /// A blank line.
    #[error("missing command")]
    MissingCommand,
    /// A command that the dialect does not have.
    #[error("bad command")]
    BadCommand,
    /// `set-param` without `name`.
    #[error("missing name")]
    MissingName,
    /// A line beyond [`crate::lines::LONGEST_LINE`].
    #[error("line too long")]
    LineTooLong,
    /// A position that cannot be read or is not legal.
    #[error("bad position")]
    BadPosition(String),
    /// Text that is no move at all.
    #[error("bad move")]
    BadMove(String),
    /// A move that the rules do not allow.
    #[error("illegal move")]
    IllegalMove(String),
    /// A parameter or level out of range: its name, what was expected and what was found.
    #[error("bad value")]
    BadValue(String),
    /// A search thread panicked, which is our fault; an answer comes all the same.
    #[error("search failed")]
    SearchFailed(String),
    /// A part of the endgame databases is damaged and not used.
    #[error("damaged database")]
    Damaged(String),
    /// A search was asked for where the last position sent could not be read.
    #[error("no position")]
    NoPosition,
}

impl ProtocolError {
    /// The place and what was expected there, in one line; `None` where the error says it all.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::BadPosition(detail)
            | Self::BadMove(detail)
            | Self::IllegalMove(detail)
            | Self::BadValue(detail)
            | Self::Damaged(detail)
            | Self::SearchFailed(detail) => Some(detail),
            _ => None,
        }
    }

    /// A bad value of `name`: what was `expected` and what was `found` (shortened).
    #[must_use]
    pub fn bad_value(name: &str, expected: &str, found: &str) -> Self {
        Self::BadValue(format!(
            "{name}: expected {expected}, found {}",
            excerpt(found)
        ))
    }
}

impl From<MoveError> for ProtocolError {
    fn from(error: MoveError) -> Self {
        let detail = error.to_string();
        match error {
            MoveError::Ambiguous { .. }
            | MoveError::JumpGoesOn { .. }
            | MoveError::Illegal { .. } => Self::IllegalMove(detail),
            _ => Self::BadMove(detail),
        }
    }
}

impl From<FenError> for ProtocolError {
    fn from(error: FenError) -> Self {
        Self::BadPosition(error.to_string())
    }
}

/// The beginning of text that came from outside, fit for a one-line message.
#[must_use]
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let clean = |c: char| if c.is_control() || c == '"' { '?' } else { c };
    let mut short: String = text.chars().take(LONGEST).map(clean).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_clean_and_quotable() {
        assert_eq!(excerpt("11-15"), "11-15");
        assert_eq!(excerpt("a\"b\nc\0"), "a?b?c?");
        assert_eq!(excerpt(&"é".repeat(50)), format!("{}...", "é".repeat(40)));
    }
}
