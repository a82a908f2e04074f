//! Search and evaluation: fixed positions to a fixed depth, and single evaluations.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::bench::{POSITIONS, run};
use engine::eval::Evaluator;
use engine::notation::fen;
use engine::rules::{Game, Position};

const DEPTH: i16 = 11;

fn positions() -> Vec<Position> {
    POSITIONS
        .iter()
        .map(|text| fen::read(text).expect("a legal FEN"))
        .collect()
}

fn search(criterion: &mut Criterion) {
    let games: Vec<Game> = positions().into_iter().map(Game::new).collect();
    let nodes = run(&games, DEPTH).expect("16 MiB").nodes;
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    group.throughput(Throughput::Elements(nodes));
    group.bench_function("nodes", |bencher| {
        bencher.iter(|| run(black_box(&games), DEPTH));
    });
    group.finish();
}

fn evaluation(criterion: &mut Criterion) {
    let positions = positions();
    let mut evaluator = Evaluator::default();
    let mut group = criterion.benchmark_group("evaluation");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("evaluate", |bencher| {
        bencher.iter(|| {
            positions
                .iter()
                .map(|position| i32::from(evaluator.evaluate_alone(black_box(position)).0))
                .sum::<i32>()
        });
    });
    group.finish();
}

criterion_group!(benches, search, evaluation);
criterion_main!(benches);
