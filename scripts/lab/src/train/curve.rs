//! Learning curves as an SVG picture.

use std::fmt::Write;

use super::descent::Told;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 40.0;

/// Training and validation error by epoch.
#[must_use]
pub fn svg(told: &[Told]) -> String {
    let errors = || told.iter().flat_map(|it| [it.training, it.validation]);
    let low = errors().fold(f64::INFINITY, f64::min);
    let high = errors().fold(low + 1e-9, f64::max);
    let x = |epoch: usize| {
        LEFT + (WIDTH - LEFT - 10.0) * (epoch as f64 - 1.0) / (told.len() as f64 - 1.0).max(1.0)
    };
    let y = |error: f64| 10.0 + (HEIGHT - BOTTOM - 10.0) * (high - error) / (high - low);
    let line = |of: fn(&Told) -> f64| {
        told.iter().fold(String::new(), |mut line, it| {
            let _ = write!(line, "{:.1},{:.1} ", x(it.epoch), y(of(it)));
            line
        })
    };
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="white"/>
<text x="5" y="20">{high:.5}</text><text x="5" y="{:.0}">{low:.5}</text>
<text x="{LEFT}" y="{:.0}">epoch 1</text><text x="{:.0}" y="{:.0}" text-anchor="end">epoch {}</text>
<polyline fill="none" stroke="#2060c0" stroke-width="2" points="{}"/>
<polyline fill="none" stroke="#c04020" stroke-width="2" points="{}"/>
<text x="{:.0}" y="30" fill="#2060c0" text-anchor="end">training</text>
<text x="{:.0}" y="50" fill="#c04020" text-anchor="end">validation</text>
</svg>
"##,
        HEIGHT - BOTTOM,
        HEIGHT - 15.0,
        WIDTH - 10.0,
        HEIGHT - 15.0,
        told.len(),
        line(|it| it.training),
        line(|it| it.validation),
        WIDTH - 20.0,
        WIDTH - 20.0,
    )
}
