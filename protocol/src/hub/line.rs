//! The syntax of a Hub line: a command, then `key=value` pairs and flags.

use std::fmt;

/// A Hub line, of either direction.
///
/// A value is quoted when it is empty or contains a blank or `=`; there is no escape, so a `"`
/// inside a value is written as `'`.
///
/// ```
/// use protocol::hub::Line;
///
/// let line = Line::read(r#"pos  pos=Wbb moves="11-15 22-18" new"#);
/// assert_eq!(line.command(), "pos");
/// assert_eq!(line.value("moves"), Some("11-15 22-18"));
/// assert!(line.has("new"));
/// assert_eq!(Line::new("done").with("move", "11-15").to_string(), "done move=11-15");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    command: String,
    pairs: Vec<(String, Option<String>)>,
}

impl Line {
    /// A line with no pairs yet.
    #[must_use]
    pub fn new(command: &str) -> Self {
        Self {
            command: command.into(),
            pairs: Vec::new(),
        }
    }

    /// With a pair more.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl fmt::Display) -> Self {
        self.pairs.push((key.into(), Some(value.to_string())));
        self
    }

    /// With a flag more.
    #[must_use]
    pub fn flag(mut self, key: &str) -> Self {
        self.pairs.push((key.into(), None));
        self
    }

    /// Takes a line apart. Never fails: a quote that is not closed ends with the line.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut rest = text.trim();
        let command = take(&mut rest, char::is_whitespace).to_string();
        let mut pairs = Vec::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return Self { command, pairs };
            }
            pairs.push(read_pair(&mut rest));
        }
    }

    /// The first word; empty for a blank line.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The value of a key; if it occurs twice, the last one counts.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .rev()
            .find(|(name, _)| name == key)?
            .1
            .as_deref()
    }

    /// Whether the key or flag occurs.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(name, _)| name == key)
    }
}

/// Cuts off what precedes the first character for which `end` holds.
fn take<'a>(rest: &mut &'a str, end: impl Fn(char) -> bool) -> &'a str {
    let (head, tail) = rest.split_at(rest.find(end).unwrap_or(rest.len()));
    *rest = tail;
    head
}

fn read_pair(rest: &mut &str) -> (String, Option<String>) {
    let key = take(rest, |c| c.is_whitespace() || c == '=').to_string();
    // Blanks round the equals sign are not in the specification, but cost nothing to accept.
    let Some(tail) = rest.trim_start().strip_prefix('=') else {
        return (key, None);
    };
    *rest = tail.trim_start();
    let value = match rest.strip_prefix('"') {
        Some(quoted) => {
            *rest = quoted;
            let value = take(rest, |c| c == '"');
            *rest = rest.strip_prefix('"').unwrap_or(rest);
            value
        }
        None => take(rest, char::is_whitespace),
    };
    (key, Some(value.to_string()))
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.command)?;
        for (key, value) in &self.pairs {
            match value {
                None => write!(f, " {key}")?,
                // pydraughts and lidraughts-bot strip the quotes of a pv without looking.
                Some(value) if key != "pv" && is_plain(value) => write!(f, " {key}={value}")?,
                Some(value) => write!(f, " {key}=\"{}\"", quotable(value))?,
            }
        }
        Ok(())
    }
}

fn is_plain(value: &str) -> bool {
    !value.is_empty() && !value.contains(|c: char| c.is_whitespace() || c == '=' || c == '"')
}

/// Without what cannot stand between quotes.
fn quotable(value: &str) -> String {
    value
        .chars()
        .map(|c| match c {
            '"' => '\'',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        let line = Line::new("info")
            .with("depth", 9)
            .with("pv", "11-15")
            .with("note", "a=b c")
            .with("none", "")
            .flag("end");
        let text = line.to_string();
        assert_eq!(text, r#"info depth=9 pv="11-15" note="a=b c" none="" end"#);
        assert_eq!(Line::read(&text), line);
    }

    #[test]
    fn odd_lines_are_taken_apart_without_complaint() {
        for (text, command, key, value) in [
            ("  ping\r", "ping", "x", None),
            ("", "", "x", None),
            ("level time=180,000 time=5", "level", "time", Some("5")),
            (
                "pos moves=\"11-15 22-18",
                "pos",
                "moves",
                Some("11-15 22-18"),
            ),
            ("pos moves = 11-15", "pos", "moves", Some("11-15")),
            ("pos moves=", "pos", "moves", Some("")),
            ("pos =x y", "pos", "", Some("x")),
            ("go think", "go", "think", None),
            (
                "set-param name=\"a\"value=b",
                "set-param",
                "value",
                Some("b"),
            ),
        ] {
            let line = Line::read(text);
            assert_eq!(
                (line.command(), line.value(key)),
                (command, value),
                "{text:?}"
            );
        }
    }

    #[test]
    fn quotes_and_line_ends_never_get_out() {
        let text = Line::new("error")
            .with("message", "say \"x\"\nquit")
            .to_string();
        assert_eq!(text, "error message=\"say 'x' quit\"");
    }
}
