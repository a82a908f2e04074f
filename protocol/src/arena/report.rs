//! A match as one HTML page that opens without a network.
//!
//! Owns what stands on the page; the charts are `super::plot`'s. Start reading at
//! [`report_page`].

use std::collections::BTreeMap;

use engine::board::Color;

use super::elo::Pentanomial;
use super::plot::{Band, Series, banded_line, columns, escaped, histogram};
use super::record::GameRecord;
use super::summary::{Summary, percent, signed};
use super::tally::Tally;

const STYLE: &str = include_str!("report.css");

/// Points of the Elo chart, so that a match of any length draws at once.
const MOST_POINTS: usize = 400;

/// The page of a match; `conditions` says in words how it was played.
#[must_use]
pub fn report_page(
    summary: &Summary,
    tally: &Tally,
    games: &[GameRecord],
    conditions: &[(&str, String)],
) -> String {
    let names = tally.names();
    let title = escaped(&names.join(" \u{2013} "));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    page.push_str(&head(&names[0], summary, conditions));
    page.push_str("<h2>Engines</h2>\n");
    page.push_str(&table(&ENGINE_COLUMNS, &engines(summary)));
    if names.len() > 2 {
        page.push_str("<h2>Who against whom <span class=\"quiet\">(points / games)</span></h2>\n");
        let columns: Vec<&str> = [""]
            .into_iter()
            .chain(names.iter().map(String::as_str))
            .collect();
        page.push_str(&table(&columns, &crosstable(tally)));
    }
    page.push_str(&format!(
        "<h2>{} by colour, and how games ended</h2>\n",
        escaped(&names[0])
    ));
    page.push_str(&table(
        &["colour", "won", "drawn", "lost"],
        &colors(names, games),
    ));
    page.push_str(&endings(summary));
    page.push_str("<h2>Charts</h2>\n<div class=\"charts\">\n");
    page.extend(charts(names, games).iter().map(figure));
    page.push_str(
        "</div>\n<details><summary>All games</summary>\n\
         <p class=\"quiet\">1-0 means that Black, who moves first, has won.</p>\n",
    );
    page.push_str(&table(
        &GAME_COLUMNS,
        &games.iter().map(row).collect::<Vec<_>>(),
    ));
    page.push_str("</details>\n</body>\n</html>\n");
    page
}

const ENGINE_COLUMNS: [&str; 11] = [
    "engine",
    "games",
    "result",
    "score",
    "Elo",
    "depth",
    "kn/s",
    "ms a move",
    "time used",
    "most over, ms",
    "faults",
];

const GAME_COLUMNS: [&str; 7] = [
    "game", "opening", "Black", "White", "result", "ended by", "plies",
];

/// The score and what follows from it.
fn head(first: &str, summary: &Summary, conditions: &[(&str, String)]) -> String {
    let elo = signed(summary.elo, summary.elo_error);
    let mut text = format!(
        "<p class=\"score\">{}: +{} &minus;{} ={}, Elo {elo} <span class=\"quiet\">(95 %)</span></p>\n",
        escaped(first),
        summary.wins,
        summary.losses,
        summary.draws
    );
    let normalized = signed(summary.normalized_elo, summary.normalized_elo_error);
    let mut facts = vec![
        ("Likelihood of superiority", percent(summary.los)),
        ("Normalized Elo", normalized),
        ("Drawn games", percent(summary.draw_rate)),
        (
            "Pairs with 0, \u{BD}, 1, 1\u{BD}, 2 points",
            format!("{:?}", summary.pentanomial.0),
        ),
    ];
    facts.extend(
        summary
            .sprt
            .map(|sprt| ("Sequential test", sprt.to_string())),
    );
    facts.push(("Games", format!("{} of {}", summary.games, summary.planned)));
    let thinking = percent(summary.core_use);
    facts.push((
        "Last run",
        format!("{:.1} s, thinking {thinking} of it", summary.seconds),
    ));
    facts.extend(conditions.iter().cloned());
    text.push_str("<dl>\n");
    for (name, value) in facts {
        text.push_str(&format!(
            "<dt>{}</dt><dd>{}</dd>\n",
            escaped(name),
            escaped(&value)
        ));
    }
    text + "</dl>\n"
}

/// A table; columns whose first cell begins with a digit or a sign stand to the right.
fn table(columns: &[&str], rows: &[Vec<String>]) -> String {
    let number = |text: &String| text.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c));
    let numbers: Vec<bool> = rows.first().into_iter().flatten().map(number).collect();
    let cell = |tag: &str, at: usize, text: &str| {
        let number = numbers.get(at) == Some(&true);
        let class = if number { " class=\"number\"" } else { "" };
        format!("<{tag}{class}>{}</{tag}>", escaped(text))
    };
    let line = |tag: &str, cells: &mut dyn Iterator<Item = &str>| -> String {
        let cells: String = cells
            .enumerate()
            .map(|(at, text)| cell(tag, at, text))
            .collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = line("th", &mut columns.iter().copied());
    let body: String = rows
        .iter()
        .map(|cells| line("td", &mut cells.iter().map(String::as_str)))
        .collect();
    format!(
        "<div class=\"scroll\"><table>\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )
}

fn endings(summary: &Summary) -> String {
    let endings = summary.endings.iter();
    let counts: Vec<String> = endings
        .map(|(reason, count)| format!("{reason} {count}"))
        .collect();
    let faults = summary.anomalies.iter();
    let faults: String = faults
        .map(|fault| format!("<li>{}</li>\n", escaped(&fault.to_string())))
        .collect();
    format!(
        "<p>{}</p>\n<ul>\n{faults}</ul>\n",
        escaped(&counts.join(", "))
    )
}

fn figure((heading, svg, legend): &(&str, String, Vec<String>)) -> String {
    let legend: String = legend
        .iter()
        .enumerate()
        .map(|(at, name)| {
            format!(
                " <span class=\"legend key{at}\">&#9632; {}</span>",
                escaped(name)
            )
        })
        .collect();
    format!("<figure><figcaption>{heading}{legend}</figcaption>\n{svg}</figure>\n")
}

/// The cells of the table of engines.
fn engines(summary: &Summary) -> Vec<Vec<String>> {
    let fixed = |value: Option<f64>, scale: f64| {
        value.map_or("-".into(), |value| format!("{:.1}", value * scale))
    };
    let row = |engine: &super::summary::EngineSummary| {
        let score = engine.score;
        let games = score.games();
        vec![
            engine.name.clone(),
            games.to_string(),
            format!("+{} -{} ={}", score.wins, score.losses, score.draws),
            percent((games > 0).then(|| score.points() / games as f64)),
            signed(engine.elo, engine.elo_error),
            fixed(engine.mean_depth, 1.0),
            fixed(engine.nps, 1e-3),
            fixed(engine.time_per_move, 1e3),
            percent(engine.time_used),
            format!("{:.1}", engine.largest_overrun * 1e3),
            engine.faults.to_string(),
        ]
    };
    summary.engines.iter().map(row).collect()
}

/// Points of each engine against each other one.
fn crosstable(tally: &Tally) -> Vec<Vec<String>> {
    let names = tally.names();
    let cell = |one: usize, other: usize| {
        let score = tally.between(one, other);
        if one == other || score.games() == 0 {
            return String::new();
        }
        format!("{} / {}", score.points(), score.games())
    };
    let row = |one: usize| {
        let cells = (0..names.len()).map(|other| cell(one, other));
        [names[one].clone()].into_iter().chain(cells).collect()
    };
    (0..names.len()).map(row).collect()
}

/// Wins, draws and losses of the first engine with each colour.
fn colors(names: &[String], games: &[GameRecord]) -> Vec<Vec<String>> {
    let of = |color: Color| {
        let mut counts = [0; 3];
        for game in games.iter().filter(|game| game.player(color) == names[0]) {
            counts[2 - game.result.half_points(color)] += 1;
        }
        let counts = counts.map(|count| count.to_string());
        [color.to_string()].into_iter().chain(counts).collect()
    };
    Color::BOTH.map(of).to_vec()
}

/// Each chart with its heading and its legend.
fn charts(names: &[String], games: &[GameRecord]) -> Vec<(&'static str, String, Vec<String>)> {
    let by_engine = |what: &dyn Fn(&GameRecord, &str) -> Vec<f64>| -> Vec<Series> {
        let of = |name: &String| Series {
            name: name.clone(),
            values: games.iter().flat_map(|game| what(game, name)).collect(),
        };
        names.iter().take(4).map(of).collect()
    };
    let times = by_engine(&|game, name| notes(game, name, |note| Some(note.time * 1e3)));
    let depths = by_engine(&|game, name| notes(game, name, |note| note.depth.map(f64::from)));
    let lengths = Series {
        name: "games".into(),
        values: games.iter().map(|game| game.moves.len() as f64).collect(),
    };
    let legend: Vec<String> = times.iter().map(|series| series.name.clone()).collect();
    let elo = elo_over_games(&names[0], games);
    let by_opening = by_opening(&names[0], games);
    vec![
        (
            "Elo over games, with its 95 % band",
            banded_line("Elo over games", &elo, "games", "Elo"),
            vec![],
        ),
        (
            "Score by opening, sorted",
            columns(
                "Score by opening",
                &by_opening,
                "openings",
                "points won less points lost",
            ),
            vec![],
        ),
        (
            "Length of games",
            histogram("Length of games", &[lengths], "plies", "games"),
            vec![],
        ),
        (
            "Time a move",
            histogram("Time a move", &times, "ms", "moves"),
            legend.clone(),
        ),
        (
            "Depth",
            histogram("Depth", &depths, "plies", "moves"),
            legend,
        ),
    ]
}

fn notes(
    game: &GameRecord,
    name: &str,
    value: impl Fn(&super::record::Note) -> Option<f64>,
) -> Vec<f64> {
    let own = game
        .played()
        .filter(|(mover, _)| game.player(*mover) == name);
    own.filter_map(|(_, note)| value(note)).collect()
}

/// The running estimate of the first engine, pair by pair in the order of their ends.
fn elo_over_games(first: &str, games: &[GameRecord]) -> Vec<Band> {
    let mut pairs = Pentanomial::default();
    let mut halves: BTreeMap<usize, usize> = BTreeMap::new();
    let mut points = Vec::new();
    for game in games
        .iter()
        .filter(|game| game.black == first || game.white == first)
    {
        let half_points = game.half_points(first);
        let Some(other) = halves.remove(&game.pair) else {
            halves.insert(game.pair, half_points);
            continue;
        };
        pairs.add(half_points + other);
        if let Some(estimate) = pairs.elo() {
            points.push(Band {
                x: 2.0 * pairs.pairs() as f64,
                low: estimate.elo - estimate.error,
                value: estimate.elo,
                high: estimate.elo + estimate.error,
            });
        }
    }
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.last().copied();
    let mut thinned: Vec<Band> = points.into_iter().step_by(step).collect();
    if thinned.last().copied() != last {
        thinned.extend(last);
    }
    thinned
}

/// For each opening the first engine's mean of points won less points lost, -1 to 1, ascending.
fn by_opening(first: &str, games: &[GameRecord]) -> Vec<(String, f64)> {
    let mut openings: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for game in games
        .iter()
        .filter(|game| game.black == first || game.white == first)
    {
        let entry = openings.entry(&game.opening).or_default();
        entry.0 += game.half_points(first);
        entry.1 += 1;
    }
    let mean = |(half_points, games): (usize, usize)| half_points as f64 / games as f64 - 1.0;
    let mut means: Vec<(String, f64)> = openings
        .into_iter()
        .map(|(name, counts)| (name.to_owned(), mean(counts)))
        .collect();
    means.sort_by(|one, other| one.1.total_cmp(&other.1));
    means
}

/// The cells of the table of games.
fn row(game: &GameRecord) -> Vec<String> {
    vec![
        game.game.to_string(),
        game.opening.clone(),
        game.black.clone(),
        game.white.clone(),
        game.result.to_string(),
        game.reason.to_string(),
        game.moves.len().to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::record::{GameResult, Reason};
    use super::super::summary::Effort;
    use super::*;

    fn game(number: usize) -> GameRecord {
        let (black, white) = match number % 2 {
            1 => ("<b>A & B</b>", "other"),
            _ => ("other", "<b>A & B</b>"),
        };
        GameRecord {
            game: number,
            pair: number.div_ceil(2),
            black: black.into(),
            white: white.into(),
            opening: format!("\"{}\"", number.div_ceil(2)),
            fen: "B:W21:B1".into(),
            opening_plies: 0,
            moves: vec![],
            notes: vec![],
            result: [GameResult::Black, GameResult::Draw, GameResult::White][number % 3],
            reason: Reason::NoMove,
            detail: "<script>".into(),
            complaints: vec![],
            ended: "2026-01-01T00:00:00Z".into(),
            seconds: 1.0,
        }
    }

    #[test]
    fn pages_stand_alone_and_names_are_harmless() {
        let games: Vec<GameRecord> = (1..=40).map(game).collect();
        let mut tally = Tally::new(vec!["<b>A & B</b>".into(), "other".into()]);
        for game in &games {
            tally.add(game);
        }
        let summary = Summary::new(&tally, None, &Effort::default(), 40);
        let page = report_page(&summary, &tally, &games, &[("Limits", "0.1 s".into())]);
        assert!(page.contains("&lt;b&gt;A &amp; B&lt;/b&gt;"));
        for foreign in ["<b>", "<script", "http:", "https:", "src=", "NaN"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        assert_eq!(page.matches("<svg").count(), 5);
        assert_eq!(page.matches("<tr>").count(), 1 + 2 + 1 + 2 + 1 + 40);
    }
}
