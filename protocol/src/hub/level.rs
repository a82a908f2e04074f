//! Hub's `level` lines, which bound the next search.

use std::time::Duration;

use engine::score::Depth;
use engine::search::{Clock, Limits};

use super::Line;
use crate::error::ProtocolError;

/// Thinking time where the client sets no level at all: it waits for an answer, and any other
/// choice would be to search for ever.
const UNLEVELLED: Duration = Duration::from_secs(1);

/// Times are capped here, in seconds (about 31 years), since a `Duration` has an end.
const LONGEST: f64 = 1e9;

/// What the `level` lines since the last `go` say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    depth: Option<i16>,
    nodes: Option<u64>,
    move_time: Option<f64>,
    moves: Option<u32>,
    time: Option<f64>,
    inc: Option<f64>,
    infinite: bool,
}

impl Level {
    /// Adds a line; its keys replace earlier ones. `time` wins over `move-time`, both count
    /// together with `depth` and `nodes`, and `infinite` holds until another line comes.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::BadValue`]; nothing of the line is taken over.
    pub fn add(&mut self, line: &Line) -> Result<(), ProtocolError> {
        let mut level = self.clone();
        if let Some(depth) = whole(line, "depth")? {
            level.depth = Some(depth.clamp(1, Depth::MOST.0.into()) as i16);
        }
        if let Some(nodes) = whole(line, "nodes")? {
            level.nodes = Some(nodes.max(1) as u64);
        }
        if let Some(moves) = whole(line, "moves")? {
            // 0 is how some clients write "the rest of the game".
            level.moves = u32::try_from(moves).ok().filter(|&moves| moves > 0);
        }
        level.move_time = real(line, "move-time")?.or(level.move_time);
        level.time = real(line, "time")?.or(level.time);
        level.inc = real(line, "inc")?.or(level.inc);
        level.infinite = line.has("infinite");
        *self = level;
        Ok(())
    }

    /// The clock; what the flag is behind is taken from the increment, which comes before the move.
    fn clock(&self) -> Option<Clock> {
        let time = self.time?;
        let inc = self.inc.unwrap_or(0.0).max(0.0);
        Some(Clock {
            remaining: seconds(time),
            increment: seconds(inc + time.min(0.0)),
            moves_to_go: self.moves,
        })
    }

    fn limits(&self) -> Limits {
        let clock = self.clock();
        let move_time = self.move_time.filter(|_| clock.is_none()).map(seconds);
        Limits {
            depth: self.depth.map(Depth),
            nodes: self.nodes,
            move_time,
            clock,
            infinite: self.infinite,
            ..Limits::default()
        }
    }

    /// `go think`.
    #[must_use]
    pub fn thinking(&self) -> Limits {
        let mut limits = self.limits();
        if limits == Limits::default() {
            limits.move_time = Some(UNLEVELLED);
        }
        limits
    }

    /// `go ponder`: the clock does not run before `ponder-hit`.
    #[must_use]
    pub fn pondering(&self) -> Limits {
        Limits {
            ponder: true,
            ..self.thinking()
        }
    }

    /// `go analyze`: a game clock means nothing here, and without another bound only `stop` ends it.
    #[must_use]
    pub fn analysing(&self) -> Limits {
        let limits = Limits {
            clock: None,
            ..self.limits()
        };
        let endless = limits == Limits::default();
        Limits {
            infinite: limits.infinite || endless,
            analysis: true,
            ..limits
        }
    }
}

fn seconds(time: f64) -> Duration {
    Duration::from_secs_f64(time.clamp(0.0, LONGEST))
}

/// A number with a point or, as the Hub board writes it under some locales, a comma.
fn real(line: &Line, key: &str) -> Result<Option<f64>, ProtocolError> {
    let Some(text) = line.value(key) else {
        return Ok(None);
    };
    let number = text
        .replace(',', ".")
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite());
    let bad = || ProtocolError::bad_value(key, "seconds", text);
    number.ok_or_else(bad).map(Some)
}

fn whole(line: &Line, key: &str) -> Result<Option<i64>, ProtocolError> {
    let Some(text) = line.value(key) else {
        return Ok(None);
    };
    let bad = || ProtocolError::bad_value(key, "a whole number", text);
    text.parse().map_err(|_| bad()).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(lines: &[&str]) -> Level {
        let mut level = Level::default();
        for line in lines {
            level.add(&Line::read(line)).expect(line);
        }
        level
    }

    fn clock(line: &str) -> (f64, f64, Option<u32>) {
        let clock = level(&[line]).thinking().clock.expect(line);
        (
            clock.remaining.as_secs_f64(),
            clock.increment.as_secs_f64(),
            clock.moves_to_go,
        )
    }

    #[test]
    fn clocks_of_real_clients() {
        assert_eq!(clock("level moves=75 time=180.000"), (180.0, 0.0, Some(75)));
        assert_eq!(clock("level time=180,000 inc=0,1"), (180.0, 0.1, None));
        assert_eq!(clock("level time=57.599999999999994 inc=1").1, 1.0);
        assert_eq!(clock("level moves=0 time=5"), (5.0, 0.0, None));
        assert_eq!(clock("level time=1e300 inc=-4"), (LONGEST, 0.0, None));
    }

    #[test]
    fn a_negative_clock_eats_its_increment() {
        let (remaining, increment, _) = clock("level time=-0.05 inc=0.1");
        assert_eq!(remaining, 0.0);
        assert!((increment - 0.05).abs() < 1e-9);
        assert_eq!(clock("level time=-7 inc=0.2"), (0.0, 0.0, None));
    }

    #[test]
    fn keys_combine_and_time_wins_over_move_time() {
        let limits = level(&["level depth=7 nodes=500", "level move-time=0.5"]).thinking();
        assert_eq!(limits.depth, Some(Depth(7)));
        assert_eq!(limits.nodes, Some(500));
        assert_eq!(limits.move_time, Some(Duration::from_millis(500)));
        let limits = level(&["level move-time=0.5 time=3"]).thinking();
        assert!(limits.move_time.is_none() && limits.clock.is_some());
        assert_eq!(
            level(&["level depth=9999"]).thinking().depth,
            Some(Depth::MOST)
        );
    }

    #[test]
    fn without_a_level_thinking_ends_and_analysis_does_not() {
        let none = Level::default();
        assert_eq!(none.thinking().move_time, Some(UNLEVELLED));
        assert!(none.analysing().infinite && none.pondering().ponder);
        let endless = level(&["level infinite"]);
        assert!(endless.thinking().infinite && endless.analysing().infinite);
        assert!(!level(&["level depth=5"]).analysing().infinite);
        assert!(level(&["level time=5"]).analysing().infinite);
    }

    #[test]
    fn bad_values_change_nothing() {
        let mut level = level(&["level depth=7"]);
        let before = level.clone();
        for line in [
            "level depth=x",
            "level time=",
            "level depth=3 inc=NaN",
            "level nodes=1.5",
        ] {
            assert!(level.add(&Line::read(line)).is_err(), "{line}");
            assert_eq!(level, before);
        }
    }
}
