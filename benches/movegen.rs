//! Move generation and perft.
//!
//! `legal_moves` and `has_jump` run over all positions three plies from each position of
//! `tests/data/perft.json`, so that the branch predictor cannot learn one board by heart.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::notation::fen;
use engine::rules::Position;
use engine::rules::perft::Perft;

const DATA: &str = include_str!("../tests/data/perft.json");

fn positions() -> Vec<Position> {
    let data: serde_json::Value = serde_json::from_str(DATA).expect("valid JSON");
    let roots = data["positions"].as_array().expect("a list");
    let mut positions: Vec<Position> = roots
        .iter()
        .map(|root| fen::read(root["fen"].as_str().expect("text")).expect("a legal FEN"))
        .collect();
    for _ in 0..3 {
        positions = positions
            .iter()
            .flat_map(|position| {
                position
                    .legal_moves()
                    .into_iter()
                    .map(|mv| position.play(mv))
            })
            .collect();
    }
    positions
}

fn generation(criterion: &mut Criterion) {
    let positions = positions();
    let mut group = criterion.benchmark_group("generation");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("legal_moves", |bencher| {
        bencher.iter(|| {
            let moves = |position: &Position| black_box(position).legal_moves().len();
            positions.iter().map(moves).sum::<usize>()
        });
    });
    group.bench_function("has_jump", |bencher| {
        bencher.iter(|| {
            let must_jump = |position: &&Position| black_box(*position).has_jump();
            positions.iter().filter(must_jump).count()
        });
    });
    group.finish();
}

fn perft(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    let start = Position::START;
    for (name, counter) in [("by route", Perft::by_route()), ("merged", Perft::merged())] {
        group.throughput(Throughput::Elements(counter.count(&start, 9)));
        group.bench_function(name, |bencher| {
            bencher.iter(|| counter.count(black_box(&start), 9));
        });
    }
    // Two plies from 302 positions: hardly anything but the vector loops.
    group.throughput(Throughput::Elements(Perft::by_route().count(&start, 5)));
    group.bench_function("last plies", |bencher| {
        let counter = Perft::by_route();
        bencher.iter(|| counter.count(black_box(&start), 5));
    });
    group.finish();
}

criterion_group!(benches, generation, perft);
criterion_main!(benches);
