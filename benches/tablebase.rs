//! Probes of the built-in endgame databases: decoded values at hand, and none at hand.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use engine::rules::Position;
use engine::tablebase::{Index, Slice, Tablebase};

/// `count` positions of five pieces spread over all slices, of which a value is stored.
fn positions(count: usize) -> Vec<Position> {
    let indices: Vec<Index> = Slice::all(5, 4).into_iter().map(Index::new).collect();
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        seed >> 20
    };
    let mut found = Vec::new();
    while found.len() < count {
        let index = &indices[next() as usize % indices.len()];
        let placement = index.placement(next() % index.len());
        found.extend(placement.position().filter(|it| !it.has_jump()));
    }
    found
}

fn probes(criterion: &mut Criterion) {
    let positions = positions(1_000);
    let tablebase = Tablebase::built_in(64);
    let all = |tablebase: &Tablebase| {
        for position in &positions {
            black_box(tablebase.probe(position).is_ok());
        }
    };
    all(&tablebase);
    criterion.bench_function("1000 probes, decoded", |bencher| {
        bencher.iter(|| all(&tablebase));
    });
    criterion.bench_function("1000 probes, cold", |bencher| {
        bencher.iter_batched(
            || {
                let tablebase = Tablebase::built_in(64);
                for image in tablebase.images() {
                    image.index();
                }
                tablebase
            },
            |tablebase| all(&tablebase),
            BatchSize::LargeInput,
        );
    });
}

criterion_group!(benches, probes);
criterion_main!(benches);
