//! The line protocols by name, from either end of the line.
//!
//! What a dialect says is the business of its own module ([`crate::hub`], [`crate::cb`],
//! [`crate::ugi`]) for us as an engine, and of [`crate::client`] for us as a client.

use serde::{Deserialize, Serialize};

/// A line protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// Hub version 2.
    #[default]
    Hub,
    /// The Universal Game Interface.
    Ugi,
    /// CheckerBoard's text commands, as lines.
    Cb,
}

impl Dialect {
    /// The dialects by name.
    pub const NAMES: [(&str, Self); 3] = [("hub", Self::Hub), ("ugi", Self::Ugi), ("cb", Self::Cb)];

    /// Its name on the command line, both of `match` and of our own program.
    #[must_use]
    pub fn name(self) -> &'static str {
        let [hub, ugi, cb] = Self::NAMES.map(|(name, _)| name);
        match self {
            Self::Hub => hub,
            Self::Ugi => ugi,
            Self::Cb => cb,
        }
    }

    /// The dialect of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::NAMES.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, dialect)| dialect)
    }
}
