//! Endgame databases inside the search: values at the root, agreement with search alone, damage.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use engine::engine::{Engine, EngineOptions};
use engine::notation::fen;
use engine::rules::{Game, Position};
use engine::search::{Answer, Limits, Observer, Report};
use engine::tablebase::{Damage, Tablebase, Wld};
use protocol::databases::{self, CACHE_MB, Wanted};
use serde_json::Value;

use crate::damaged;

/// What is built in, and what `CROWNHEAD_TABLEBASE` names.
static FOUND: LazyLock<Arc<Tablebase>> = LazyLock::new(|| {
    let found = databases::open(&Wanted::Usual, CACHE_MB).expect("sound files");
    Arc::new(found.tablebase.expect("at least what is built in"))
});

fn engine(tablebase: Option<Arc<Tablebase>>) -> Engine {
    let mut engine = Engine::new(EngineOptions {
        hash_mb: 4,
        threads: 1,
    })
    .expect("4 MiB");
    engine.set_tablebase(tablebase);
    engine
}

fn search(engine: &mut Engine, position: Position, limits: Limits) -> Answer {
    engine.new_game();
    engine.set_game(Game::new(position));
    engine.search(limits)
}

/// The labelled positions of at most `pieces` pieces, quiet for both sides.
fn labelled(pieces: u32) -> Vec<(Position, Wld)> {
    let labels: Value =
        serde_json::from_str(include_str!("data/database_labels.json")).expect("JSON");
    let all = labels["positions"].as_array().expect("a list").iter();
    let read = all.map(|label| {
        let value = match label[1].as_str() {
            Some("W") => Wld::Win,
            Some("L") => Wld::Loss,
            _ => Wld::Draw,
        };
        let text = label[0].as_str().expect("a FEN");
        (fen::read(text).expect("a position"), value)
    });
    read.filter(|(position, _)| {
        position.occupied().len() <= pieces && !position.has_jump() && !position.is_threatened()
    })
    .collect()
}

#[test]
fn labelled_positions_have_their_value_at_the_root() {
    let mut engine = engine(Some(FOUND.clone()));
    let mut labelled = labelled(FOUND.most_pieces());
    // Databases have at most four pieces a side.
    labelled.retain(|(position, _)| position.own().len().max(position.theirs().len()) <= 4);
    assert!(labelled.len() > 50);
    for (position, value) in labelled {
        for position in [position, position.rotated()] {
            let answer = search(&mut engine, position, Limits::to_depth(5));
            let text = fen::write(&position);
            assert_eq!(answer.report.proven(), Some(value), "{text}");
            let after = position.play(answer.best.expect("a move"));
            assert_eq!(FOUND.probe(&after), Ok(-value), "{text}");
        }
    }
}

/// Captures lead from six and seven pieces to what is known.
#[test]
fn values_are_found_one_capture_away() {
    let mut with = engine(Some(FOUND.clone()));
    let mut compared = 0;
    for (position, value) in labelled(7) {
        let answer = search(&mut with, position, Limits::to_depth(9));
        if let Some(found) = answer.report.proven() {
            assert_eq!(found, value, "{}", fen::write(&position));
            compared += u32::from(position.occupied().len() > 5);
        }
    }
    assert!(compared >= 20, "{compared}");
}

#[test]
fn searches_with_and_without_databases_agree_on_what_is_proven() {
    let [mut with, mut without] = [Some(FOUND.clone()), None].map(engine);
    let mut compared = 0;
    for (position, _) in labelled(6) {
        let alone = search(&mut without, position, Limits::to_depth(15));
        if let Some(value) = alone.report.proven() {
            let helped = search(&mut with, position, Limits::to_depth(15));
            let text = fen::write(&position);
            assert_eq!(helped.report.proven(), Some(value), "{text}");
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
}

/// Counts what is told about damage.
struct Counter(Arc<AtomicUsize>);

impl Observer for Counter {
    fn report(&mut self, report: &Report) {
        assert_eq!(report.value, None);
    }

    fn answer(&mut self, _: &Answer) {}

    fn damage(&mut self, damage: &Damage) {
        assert!(damage.to_string().contains("is damaged"));
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn damage_is_told_once_and_the_search_goes_on() {
    let folder = damaged::two_pieces();
    let position = fen::read("W:WK32:BK26").expect("a position");
    let mut tablebase = Tablebase::empty(1);
    tablebase.add_folder(folder.path()).expect("sound headers");
    let mut engine = engine(Some(Arc::new(tablebase)));
    let told = Arc::new(AtomicUsize::new(0));
    for _ in 0..3 {
        engine.set_game(Game::new(position));
        engine.go(Limits::to_depth(4), Box::new(Counter(told.clone())));
        engine.wait();
    }
    assert_eq!(told.load(Ordering::Relaxed), 1);
}

#[test]
fn damaged_distances_are_told_too() {
    let folder = damaged::distances_of_two_pieces();
    let mut tablebase = Tablebase::built_in(1);
    tablebase.add_folder(folder.path()).expect("sound headers");
    let position = fen::read("W:WK32:BK26").expect("a position");
    assert_eq!(tablebase.probe(&position), Ok(Wld::Win));
    assert!(tablebase.distance(&position).is_err());
    assert!(tablebase.damage_to_tell().is_some());
    assert!(tablebase.damage_to_tell().is_none());
}

#[test]
fn what_has_more_pieces_than_the_limit_is_not_known() {
    let mut tablebase = Tablebase::built_in(1);
    let [three, four] = ["W:WK32,K31:BK5", "W:WK32,K31:BK5,K6"].map(fen::read);
    let (three, four) = (three.expect("a position"), four.expect("a position"));
    let before = tablebase.probe(&three).expect("a value");
    tablebase.limit_pieces(3);
    assert_eq!(tablebase.most_pieces(), 3);
    assert_eq!(tablebase.probe(&three), Ok(before));
    assert!(tablebase.probe(&four).is_err());
    tablebase.limit_pieces(0);
    assert_eq!(tablebase.most_pieces(), 0);
}
