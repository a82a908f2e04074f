//! The line that the GUI shows while we think, and copies into logs and comments of PDN.

use engine::notation::Notation;
use engine::rules::Position;
use engine::search::Report;
use protocol::words::line;

/// Depth, score for the mover, speed and line. Without braces and line breaks, which would tear
/// comments; what does not fit is cut off behind.
pub(crate) fn status(position: Position, report: &Report) -> String {
    format!(
        "depth {}/{}  score {}  {} kn  {} kn/s  {}",
        report.depth.0,
        report.deepest,
        report.score,
        report.nodes / 1_000,
        report.nodes_per_second() / 1_000,
        line(position, &report.pv, Notation::Numeric).join(" "),
    )
}

/// What went wrong in one search without ending it; it stands before the status.
#[derive(Debug, Default)]
pub(crate) struct Notices(String);

impl Notices {
    /// Adds words that may hold the path of a file, in which braces can be.
    pub(crate) fn add(&mut self, what: &str) {
        let clean = |c: char| match c {
            '{' => '(',
            '}' => ')',
            c if c.is_control() => ' ',
            c => c,
        };
        self.0.extend(what.chars().map(clean).chain("; ".chars()));
    }

    /// The notices before a status.
    pub(crate) fn before(&self, status: &str) -> String {
        format!("{}{status}", self.0)
    }
}
