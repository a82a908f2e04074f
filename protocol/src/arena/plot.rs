//! Small charts as SVG text, for pages that open without a network.
//!
//! Owns scales, ticks and marks; colours come from the page's style sheet by class. Knows nothing
//! of matches. Start reading at [`Frame`].

use std::fmt::Write as _;

/// The drawing's size and the margins that hold the labels, in user units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;

/// A value with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Band {
    /// Where it stands.
    pub(super) x: f64,
    /// The lower end.
    pub(super) low: f64,
    /// The value.
    pub(super) value: f64,
    /// The upper end.
    pub(super) high: f64,
}

/// A named series of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    /// For the legend.
    pub(super) name: String,
    /// In any order.
    pub(super) values: Vec<f64>,
}

/// The plane of a chart: where values come to stand.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    svg: String,
}

impl Frame {
    /// A plane over these ranges, with its axes.
    fn new(title: &str, x: (f64, f64), y: (f64, f64), x_label: &str, y_label: &str) -> Self {
        let mut frame = Self {
            x: widened(x),
            y: widened(y),
            svg: format!(
                "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
                escaped(title)
            ),
        };
        frame.axes(x_label, y_label);
        frame
    }

    fn across(&self, x: f64) -> f64 {
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    /// Values beyond the range stand at its edge.
    fn down(&self, y: f64) -> f64 {
        let y = y.clamp(self.y.0, self.y.1);
        HEIGHT - BOTTOM - (y - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM)
    }

    fn axes(&mut self, x_label: &str, y_label: &str) {
        for tick in ticks(self.y) {
            let y = self.down(tick);
            let (left, right) = (LEFT, WIDTH - RIGHT);
            let class = if tick == 0.0 { "zero" } else { "grid" };
            self.push(format_args!(
                "<line class=\"{class}\" x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + 4.0,
                short(tick)
            ));
        }
        for tick in ticks(self.x) {
            self.push(format_args!(
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                self.across(tick),
                HEIGHT - BOTTOM + 16.0,
                short(tick)
            ));
        }
        self.push(format_args!(
            "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"label\" transform=\"translate(12 {:.1}) rotate(-90)\" \
             text-anchor=\"middle\">{}</text>",
            f64::midpoint(LEFT, WIDTH - RIGHT),
            HEIGHT - 6.0,
            escaped(x_label),
            f64::midpoint(TOP, HEIGHT - BOTTOM),
            escaped(y_label)
        ));
    }

    fn push(&mut self, part: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.svg.write_fmt(part);
    }

    fn column(&mut self, class: &str, x: (f64, f64), y: f64, title: &str) {
        let (left, right) = (self.across(x.0), self.across(x.1));
        let (top, base) = (self.down(y), self.down(0.0));
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{left:.2}\" y=\"{:.2}\" width=\"{:.2}\" \
             height=\"{:.2}\"><title>{}</title></rect>",
            top.min(base),
            (right - left).max(0.1),
            (top - base).abs(),
            escaped(title)
        ));
    }

    fn finish(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }
}

/// A range with some extent.
fn widened((low, high): (f64, f64)) -> (f64, f64) {
    if high > low {
        (low, high)
    } else {
        (low - 1.0, low + 1.0)
    }
}

/// Round numbers that divide a range into four to nine parts.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|&step| step >= rough)
        .unwrap_or(rough);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|tick| tick as f64 * step).collect()
}

/// Without needless digits.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

/// Text that a page shows as it is.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A line in its band. The vertical range follows the later three quarters, since the first
/// values of a running estimate are wild.
#[must_use]
pub(super) fn banded_line(title: &str, points: &[Band], x_label: &str, y_label: &str) -> String {
    let settled = &points[points.len() / 4..];
    let low = settled.iter().map(|point| point.low).fold(0.0, f64::min);
    let high = settled.iter().map(|point| point.high).fold(0.0, f64::max);
    let end = points.last().map_or(1.0, |point| point.x);
    let mut frame = Frame::new(title, (0.0, end), (low, high), x_label, y_label);
    let path = |frame: &Frame, part: &mut dyn Iterator<Item = (f64, f64)>| -> String {
        part.map(|(x, y)| format!("{:.1},{:.1} ", frame.across(x), frame.down(y)))
            .collect()
    };
    let upper = path(
        &frame,
        &mut points.iter().map(|point| (point.x, point.high)),
    );
    let lower = path(
        &frame,
        &mut points.iter().rev().map(|point| (point.x, point.low)),
    );
    let line = path(
        &frame,
        &mut points.iter().map(|point| (point.x, point.value)),
    );
    frame.push(format_args!(
        "<polygon class=\"band\" points=\"{upper}{lower}\"/>\
         <polyline class=\"line\" points=\"{line}\"/>"
    ));
    frame.finish()
}

/// Columns side by side, each with a name; positive, negative and zero ones by class.
#[must_use]
pub(super) fn columns(
    title: &str,
    values: &[(String, f64)],
    x_label: &str,
    y_label: &str,
) -> String {
    let most = values
        .iter()
        .map(|(_, value)| value.abs())
        .fold(0.1, f64::max);
    let count = values.len() as f64;
    let mut frame = Frame::new(title, (0.0, count), (-most, most), x_label, y_label);
    for (at, (name, value)) in values.iter().enumerate() {
        let at = at as f64;
        let class = match value.total_cmp(&0.0) {
            std::cmp::Ordering::Less => "minus",
            std::cmp::Ordering::Equal => "even",
            std::cmp::Ordering::Greater => "plus",
        };
        // A column of no height could not be pointed at.
        let height = if *value == 0.0 { most / 50.0 } else { *value };
        frame.column(
            class,
            (at + 0.1, at + 0.9),
            height,
            &format!("{name}: {}", short(*value)),
        );
    }
    frame.finish()
}

/// How often values fall into each of about thirty classes; up to four series side by side.
/// Values in the highest twentieth, which may lie far out, count in the last class.
#[must_use]
pub(super) fn histogram(title: &str, series: &[Series], x_label: &str, y_label: &str) -> String {
    let mut all: Vec<f64> = series
        .iter()
        .flat_map(|one| one.values.iter().copied())
        .collect();
    all.sort_by(f64::total_cmp);
    let low = all.first().copied().unwrap_or(0.0).min(0.0);
    let high = all
        .get(all.len() * 95 / 100)
        .copied()
        .unwrap_or(1.0)
        .max(low + 1e-9);
    let (first, step, classes) = classes(low, high);
    let counts: Vec<Vec<usize>> = series
        .iter()
        .map(|one| counted(&one.values, first, step, classes))
        .collect();
    let most = counts.iter().flatten().copied().max().unwrap_or(0);
    let end = first + step * classes as f64;
    let mut frame = Frame::new(title, (first, end), (0.0, most as f64), x_label, y_label);
    let width = step * 0.9 / series.len().max(1) as f64;
    for (number, (one, counts)) in series.iter().zip(&counts).enumerate() {
        for (class, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let start = first + step * class as f64;
            let left = start + step * 0.05 + width * number as f64;
            let told = format!(
                "{}, {} to {}: {count}",
                one.name,
                short(start),
                short(start + step)
            );
            frame.column(
                &format!("series{number}"),
                (left, left + width),
                count as f64,
                &told,
            );
        }
    }
    frame.finish()
}

/// Where the classes begin, how wide they are and how many.
fn classes(low: f64, high: f64) -> (f64, f64, usize) {
    let rough = (high - low) / 30.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|&step| step >= rough)
        .unwrap_or(rough);
    let first = (low / step).floor() * step;
    (first, step, ((high - first) / step).floor() as usize + 1)
}

fn counted(values: &[f64], first: f64, step: f64, classes: usize) -> Vec<usize> {
    let mut counts = vec![0; classes];
    for value in values {
        let class = ((value - first) / step + 1e-9) as usize;
        counts[class.min(classes - 1)] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks((0.0, 100.0)), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks((-0.3, 0.25)).len(), 3);
        assert!(ticks((0.0, 7.0)).len() <= 9);
    }

    #[test]
    fn classes_hold_every_value() {
        let values = [0.0, 0.5, 9.99, 10.0, 1e6];
        let (first, step, classes) = classes(0.0, 10.0);
        let counts = counted(&values, first, step, classes);
        assert_eq!(counts.iter().sum::<usize>(), 5);
        assert_eq!((first, step, counts[classes - 1]), (0.0, 0.5, 2));
    }

    #[test]
    fn charts_of_nothing_are_charts() {
        let empty = Series {
            name: "<none>".into(),
            values: vec![],
        };
        for svg in [
            banded_line("t", &[], "x", "y"),
            columns("t", &[], "x", "y"),
            histogram("t", &[], "x", "y"),
            histogram("t", &[empty], "x", "<y>"),
        ] {
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
            assert!(
                !svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<y>"),
                "{svg}"
            );
        }
    }
}
