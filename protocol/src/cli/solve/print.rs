//! Results of `solve` for people and as JSON.

use std::io::Write;

use engine::board::Color;
use engine::notation::{diagram, fen, moves};
use engine::rules::{Move, Position};
use engine::solve::Bounds;
use engine::tablebase::Wld;
use protocol::words::{self, better_side};
use serde::Serialize;

use super::super::Failure;
use super::super::check::rules;
use super::Outcome;
use super::explain::Explanation;

/// Refuted first moves that are told.
const MOST_REFUTATIONS: usize = 12;

/// The keys of `--json`.
#[derive(Serialize)]
struct Solved {
    name: String,
    fen: String,
    value: &'static str,
    proven: bool,
    at_least: &'static str,
    at_most: &'static str,
    rules: &'static str,
    line: Vec<String>,
    forced: Vec<bool>,
    keeping: Vec<String>,
    unknown_moves: Vec<String>,
    claim: Option<&'static str>,
    agrees: Option<bool>,
    opinion: Option<f64>,
    nodes: u64,
    seconds: f64,
    certificate: Option<String>,
    certificate_bytes: Option<usize>,
}

pub(super) fn json(outcome: &Outcome, out: &mut impl Write) -> Result<(), Failure> {
    let bounds = outcome.bounds();
    let value = bounds.value();
    let texts = |list: Vec<Move>| -> Vec<String> {
        let text = |mv| moves::write(mv, &outcome.problem.position, outcome.notation);
        list.into_iter().map(text).collect()
    };
    let told = Solved {
        name: outcome.problem.name.clone(),
        fen: fen::write(&outcome.problem.position),
        value: value.map_or("unknown", Wld::name),
        proven: value.is_some(),
        at_least: bounds.lower.name(),
        at_most: bounds.upper.name(),
        rules: rules(outcome.solution.rules),
        line: line_texts(outcome),
        forced: outcome.findings.line.iter().map(|it| it.forced).collect(),
        keeping: texts(value.map_or_else(Vec::new, |value| outcome.findings.keeping(value))),
        unknown_moves: texts(value.map_or_else(Vec::new, |value| outcome.findings.unknown(value))),
        claim: outcome.problem.claim.map(Wld::name),
        agrees: outcome.agrees(),
        opinion: outcome.opinion.as_ref().map(|it| it.score.men()),
        nodes: outcome.solution.nodes,
        seconds: outcome.solution.time.as_secs_f64(),
        certificate: outcome
            .certificate
            .as_ref()
            .map(|path| path.display().to_string()),
        certificate_bytes: outcome.certificate_bytes,
    };
    let line = serde_json::to_string(&told).map_err(std::io::Error::from)?;
    writeln!(out, "{line}")?;
    Ok(())
}

fn line_texts(outcome: &Outcome) -> Vec<String> {
    let line: Vec<Move> = outcome.findings.line.iter().map(|it| it.mv).collect();
    words::line(outcome.problem.position, &line, outcome.notation)
}

/// `White wins`, `draw`, for a value of the side to move.
pub(super) fn result(value: Wld, mover: Color) -> String {
    match value {
        Wld::Win => format!("{mover} wins"),
        Wld::Draw => "draw".into(),
        Wld::Loss => format!("{} wins", mover.opponent()),
    }
}

/// What is known, in words.
pub(super) fn verdict(bounds: Bounds, mover: Color) -> String {
    match (bounds.value(), bounds.lower, bounds.upper) {
        (Some(value), ..) => format!("PROVEN: {}", result(value, mover)),
        (None, Wld::Draw, _) => format!("unknown; PROVEN: {mover} at least draws"),
        (None, _, Wld::Draw) => format!("unknown; PROVEN: {} at least draws", mover.opponent()),
        _ => "unknown".into(),
    }
}

/// The line with `*` after forced moves and a bar where the databases take over.
pub(super) fn marked_line(outcome: &Outcome) -> String {
    let mut text = String::new();
    let mut by_database = false;
    for (word, played) in line_texts(outcome).iter().zip(&outcome.findings.line) {
        if !text.is_empty() {
            text.push(' ');
        }
        if played.by_database && !by_database {
            text.push_str("| ");
            by_database = true;
        }
        text.push_str(word);
        if played.forced {
            text.push('*');
        }
    }
    text
}

pub(super) fn outcome(
    outcome: &Outcome,
    databases: &str,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let position = outcome.problem.position;
    let turn = position.turn();
    write!(out, "{}", diagram::print(&position, outcome.notation))?;
    let assumed = if outcome.problem.turn_assumed {
        " (assumed; --turn white for the other side)"
    } else {
        ""
    };
    writeln!(out, "\n{}\n{turn} to move{assumed}", fen::write(&position))?;
    writeln!(out, "{}", verdict(outcome.bounds(), turn))?;
    writeln!(out, "rules: {}; {databases}", rules(outcome.solution.rules))?;
    claim(outcome, out)?;
    if !outcome.findings.line.is_empty() {
        writeln!(out, "line: {}", marked_line(outcome))?;
        writeln!(
            out,
            "      (* forced: the only legal move; after | the databases know the value)"
        )?;
    }
    first_moves(outcome, out)?;
    if let Some(report) = &outcome.opinion {
        let better = better_side(report.score, &position);
        let line = words::line(position, &report.pv, outcome.notation).join(" ");
        writeln!(
            out,
            "opinion, not proven: {better} ({})  {line}",
            report.score
        )?;
    }
    if let Some(explanation) = &outcome.explanation {
        writeln!(out, "{}", explained(outcome, explanation))?;
    }
    let seconds = outcome.solution.time.as_secs_f64();
    writeln!(
        out,
        "{} positions searched, {seconds:.2} s",
        outcome.solution.nodes
    )?;
    if let Some(path) = &outcome.certificate {
        writeln!(out, "certificate: {}", path.display())?;
    }
    writeln!(out)?;
    Ok(())
}

fn claim(outcome: &Outcome, out: &mut impl Write) -> Result<(), Failure> {
    let Some(claim) = outcome.problem.claim else {
        return Ok(());
    };
    let claimed = result(claim, outcome.problem.position.turn());
    let verdict = match outcome.agrees() {
        Some(true) => "confirmed",
        Some(false) => "CONTRADICTED",
        None => "not decided",
    };
    writeln!(out, "claim: {claimed}: {verdict}")?;
    Ok(())
}

/// The moves that keep the value, and what refutes the others.
fn first_moves(outcome: &Outcome, out: &mut impl Write) -> Result<(), Failure> {
    let position = outcome.problem.position;
    let Some(value) = outcome.bounds().value().filter(|&value| value != Wld::Loss) else {
        return Ok(());
    };
    let text = |mv: Move| moves::write(mv, &position, outcome.notation);
    let list = |list: &[Move]| {
        list.iter()
            .map(|&mv| text(mv))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let keeping = outcome.findings.keeping(value);
    let unknown = outcome.findings.unknown(value);
    let does = if value == Wld::Win { "wins" } else { "draws" };
    let kind = match (keeping.len(), unknown.len()) {
        (_, 1..) => format!("not known whether others do: {}", list(&unknown)),
        (1, _) if position.legal_moves().len() == 1 => "the only legal move".into(),
        (1, _) => format!("unique: no other move {does}"),
        _ => "dual: several do".into(),
    };
    writeln!(out, "{does}: {}  ({kind})", list(&keeping))?;
    for refuted in outcome.findings.worse(value).take(MOST_REFUTATIONS) {
        let next = position.play(refuted.mv);
        let reply = refuted
            .reply
            .map(|mv| moves::write(mv, &next, outcome.notation));
        let reply = reply.map_or_else(String::new, |text| format!(", refuted by {text}"));
        let result = match refuted.bounds.upper {
            Wld::Loss => "loses",
            _ => "does not win",
        };
        writeln!(out, "   {:>8}  {result}{reply}", text(refuted.mv))?;
    }
    Ok(())
}

/// What became of the printed solution, in words.
pub(super) fn explained(outcome: &Outcome, explanation: &Explanation) -> String {
    let text = |mv: Move, position: &Position| moves::write(mv, position, outcome.notation);
    match explanation {
        Explanation::NothingPrinted => "printed solution: none to look at".into(),
        Explanation::Holds { checked } => format!(
            "printed solution: no move throws anything away ({checked} of {} moves proven)",
            outcome.problem.printed.len()
        ),
        Explanation::Fails {
            ply,
            position,
            mv,
            before,
            after,
            better,
            reply,
        } => {
            let turn = position.turn();
            let played = text(*mv, position);
            let mut told = format!(
                "printed solution: fails at ply {ply}, {turn}'s {played}: before it {}, after it {}",
                result(*before, turn),
                result(*after, turn)
            );
            if let Some(reply) = reply {
                told += &format!("; {} shows it", text(*reply, &position.play(*mv)));
            }
            if let Some(better) = better {
                told += &format!("; {} was right", text(*better, position));
            }
            told
        }
    }
}

/// One line a problem, then the totals.
pub(super) fn table(outcomes: &[Outcome], out: &mut impl Write) -> Result<(), Failure> {
    let width = outcomes
        .iter()
        .map(|it| it.problem.name.chars().count())
        .max();
    let width = width.unwrap_or(0).clamp(4, 40);
    writeln!(
        out,
        "{:width$}  {:7}  {:7}  {:12}  {:>8}  line",
        "name", "claim", "value", "", "s"
    )?;
    for outcome in outcomes {
        let value = outcome.bounds().value().map_or("unknown", Wld::name);
        let agrees = match outcome.agrees() {
            Some(true) => "confirmed",
            Some(false) => "contradicted",
            None => "",
        };
        let line: Vec<String> = line_texts(outcome).into_iter().take(6).collect();
        writeln!(
            out,
            "{:width$}  {:7}  {value:7}  {agrees:12}  {:8.2}  {}",
            outcome.problem.name,
            outcome.problem.claim.map_or("", Wld::name),
            outcome.solution.time.as_secs_f64(),
            line.join(" ")
        )?;
    }
    writeln!(out, "{}", totals(outcomes))?;
    Ok(())
}

/// Every problem as a row of a Markdown table, then the totals.
pub(super) fn markdown(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "| name | position | claim | proven | s | nodes | certificate, bytes |\n|---|---|---|---|--:|--:|--:|\n",
    );
    for outcome in outcomes {
        let bounds = outcome.bounds();
        let proven = match bounds.value() {
            Some(value) => value.name().to_owned(),
            None if bounds == Bounds::OPEN => "unknown".into(),
            None => format!("{} to {}", bounds.lower, bounds.upper),
        };
        let row = [
            outcome.problem.name.replace('|', "/"),
            fen::write(&outcome.problem.position),
            outcome.problem.claim.map_or("", Wld::name).into(),
            proven,
            format!("{:.2}", outcome.solution.time.as_secs_f64()),
            outcome.solution.nodes.to_string(),
            outcome
                .certificate_bytes
                .map_or_else(String::new, |it| it.to_string()),
        ];
        text += &format!("| {} |\n", row.join(" | "));
    }
    text + "\n" + &totals(outcomes) + "\n"
}

/// How many were solved, are open, contradict their claims.
pub(super) fn totals(outcomes: &[Outcome]) -> String {
    let solved = outcomes
        .iter()
        .filter(|it| it.bounds().value().is_some())
        .count();
    let count = |agrees: bool| {
        outcomes
            .iter()
            .filter(|it| it.agrees() == Some(agrees))
            .count()
    };
    format!(
        "{} positions: {solved} solved, {} unknown; claims: {} confirmed, {} contradicted",
        outcomes.len(),
        outcomes.len() - solved,
        count(true),
        count(false)
    )
}
