//! Clock commands inside comments: `[%clk 0:05:00]`, `[%emt 3.2]`, `[%clock w0:10:00 B0:09:58]`.
//!
//! Comments keep the text as it was; this reads it.

use std::time::Duration;

/// One clock command of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock<'a> {
    /// `clk`, `emt`, `egt`, `mct`, `clock` and whatever else files hold.
    pub command: &'a str,
    /// What follows, as written.
    pub text: &'a str,
}

impl Clock<'_> {
    /// The first time in the text, if it has one: hours, minutes and seconds with colons, or
    /// seconds alone. A colour letter before it (`w0:10:00`) does not matter.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        let word = self.text.split_whitespace().next()?;
        let word = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let mut seconds = 0.0;
        for part in word.splitn(3, ':') {
            let part: f64 = part.parse().ok()?;
            seconds = seconds * 60.0 + part;
        }
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// The clock commands in a comment, in order.
///
/// ```
/// use engine::notation::pdn::clocks;
///
/// let clock = clocks("a good move [%clk 0:05:30]").next().expect("one command");
/// assert_eq!(clock.command, "clk");
/// assert_eq!(clock.time(), Some(std::time::Duration::from_secs(330)));
/// ```
pub fn clocks(comment: &str) -> impl Iterator<Item = Clock<'_>> {
    comment.split("[%").skip(1).filter_map(|rest| {
        let (inside, _) = rest.split_once(']')?;
        let (command, text) = inside.split_once(' ').unwrap_or((inside, ""));
        Some(Clock {
            command,
            text: text.trim(),
        })
    })
}
