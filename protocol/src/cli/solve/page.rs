//! Boards with arrows, and all results as one HTML page that opens without a network.

use std::fmt::Write as _;

use engine::board::Square;
use engine::notation::{Notation, diagram, fen};
use engine::rules::Move;

use super::Outcome;
use super::print::{explained, marked_line, totals, verdict};

/// As `notation::diagram` draws: lengths of a square and of the margin.
const CELL: f64 = 48.0;
const MARGIN: f64 = 24.0;

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse}td,th{padding:.2rem .6rem;border-bottom:1px solid #bbb;text-align:left}\
section{display:flex;gap:1.5rem;flex-wrap:wrap;margin:2rem 0;border-top:1px solid #bbb;padding-top:1rem}\
section>div{flex:1 1 20rem}svg{max-width:320px;height:auto}.bad{color:#a3341f;font-weight:bold}";

/// The centre of a square, White at the top.
fn centre(square: Square) -> (f64, f64) {
    let name = Notation::Algebraic.name(square);
    let mut letters = name.bytes();
    let file = letters
        .next()
        .map_or(0, |letter| letter.saturating_sub(b'a'));
    let rank = letters.next().map_or(1, |digit| digit.saturating_sub(b'0'));
    let x = MARGIN + CELL * (f64::from(file) + 0.5);
    let y = MARGIN + CELL * (8.5 - f64::from(rank));
    (x, y)
}

fn arrow(mv: Move, class: &str) -> String {
    let ((x1, y1), (x2, y2)) = (centre(mv.from()), centre(mv.to()));
    format!(
        "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" \
         marker-end=\"url(#tip-{class})\"/>\n"
    )
}

fn tip(class: &str, color: &str) -> String {
    format!(
        "<marker id=\"tip-{class}\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"4\" \
         markerHeight=\"4\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"{color}\"/></marker>"
    )
}

/// The board with the first move of the line and the reply as arrows.
pub(super) fn picture(outcome: &Outcome) -> String {
    let svg = diagram::svg(&outcome.problem.position, outcome.notation);
    let mut arrows = format!(
        "<defs>{}{}</defs><style>.first{{stroke:#1f5fa3;stroke-width:5}}\
         .reply{{stroke:#a3341f;stroke-width:4;stroke-dasharray:6 4}}</style>\n",
        tip("first", "#1f5fa3"),
        tip("reply", "#a3341f")
    );
    for (played, class) in outcome.findings.line.iter().zip(["first", "reply"]) {
        arrows += &arrow(played.mv, class);
    }
    match svg.rfind("</svg>") {
        Some(end) => format!("{}{arrows}{}", &svg[..end], &svg[end..]),
        None => svg,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// All results: the totals, a table, and each position with its picture.
pub(super) fn page(outcomes: &[Outcome]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Solved positions</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>Solved positions</h1>\n<p>{}</p>\n<table>\n\
         <tr><th>name<th>result<th>claim<th>seconds</tr>\n",
        totals(outcomes)
    );
    for (nth, outcome) in outcomes.iter().enumerate() {
        let turn = outcome.problem.position.turn();
        let _ = writeln!(
            page,
            "<tr><td><a href=\"#p{nth}\">{}</a><td>{}<td>{}<td>{:.2}</tr>",
            escaped(&outcome.problem.name),
            verdict(outcome.bounds(), turn),
            claim(outcome),
            outcome.solution.time.as_secs_f64()
        );
    }
    page.push_str("</table>\n");
    for (nth, outcome) in outcomes.iter().enumerate() {
        section(&mut page, nth, outcome);
    }
    page + "</body>\n</html>\n"
}

fn claim(outcome: &Outcome) -> String {
    let Some(claim) = outcome.problem.claim else {
        return String::new();
    };
    match outcome.agrees() {
        Some(true) => format!("{claim}, confirmed"),
        Some(false) => format!("<span class=\"bad\">{claim}, contradicted</span>"),
        None => claim.to_string(),
    }
}

fn section(page: &mut String, nth: usize, outcome: &Outcome) {
    let position = outcome.problem.position;
    let _ = writeln!(
        page,
        "<section id=\"p{nth}\">{}<div><h2>{}</h2><p><code>{}</code><br>{} to move</p>\
         <p><b>{}</b> {}</p>",
        picture(outcome),
        escaped(&outcome.problem.name),
        fen::write(&position),
        position.turn(),
        verdict(outcome.bounds(), position.turn()),
        claim(outcome)
    );
    if !outcome.findings.line.is_empty() {
        let line = escaped(&marked_line(outcome));
        let _ = writeln!(
            page,
            "<p>{line}</p><p><small>* forced; after | by database</small></p>"
        );
    }
    if let Some(explanation) = &outcome.explanation {
        let told = escaped(&explained(outcome, explanation));
        let _ = writeln!(page, "<p>{told}</p>");
    }
    page.push_str("</div></section>\n");
}
