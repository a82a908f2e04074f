//! Probes of endgame databases and the decoding of units.
//!
//! Uses what is built in, or the files of the folder that `CROWNHEAD_TABLEBASE` names. Positions
//! are drawn evenly from all positions of the most pieces there are. Cold probes find nothing
//! decoded, as the cache has one slot, and nearly nothing in the processor's caches, as each asks
//! for the next positions of many.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::rules::Position;
use engine::tablebase::file::Stored;
use engine::tablebase::model::UNKNOWN;
use engine::tablebase::unit::{UNIT, unit_len};
use engine::tablebase::{Index, Slice, Tablebase, rest};

fn tablebase(cache: usize) -> Tablebase {
    let mut tablebase = Tablebase::built_in(cache);
    if let Some(folder) = std::env::var_os("CROWNHEAD_TABLEBASE") {
        let added = tablebase.add_folder(Path::new(&folder));
        added.expect("CROWNHEAD_TABLEBASE names a folder of whole files");
    }
    tablebase
}

fn random() -> impl FnMut() -> u64 {
    let mut seed = 1_u64;
    move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        seed >> 20
    }
}

/// `count` positions with as many pieces as there are files for, and what `is_wanted`.
fn positions(
    tablebase: &Tablebase,
    count: usize,
    is_wanted: impl Fn(&Position) -> bool,
) -> Vec<Position> {
    let slices = Slice::all(tablebase.most_pieces(), 4).into_iter();
    let indices: Vec<Index> = slices.map(Index::new).collect();
    let total: u64 = indices.iter().map(Index::len).sum();
    let mut next = random();
    let mut found = Vec::new();
    while found.len() < count {
        let mut number = next() % total;
        for index in &indices {
            if number < index.len() {
                let position = index.placement(number).position();
                found.extend(position.filter(|position| is_wanted(position)));
                break;
            }
            number -= index.len();
        }
    }
    found
}

fn probe_all(tablebase: &Tablebase, positions: &[Position]) {
    for position in positions {
        black_box(tablebase.probe(position).expect("a file for every slice"));
    }
}

/// Positions of a cold probe, and how many are asked for at a time.
const MANY: usize = 200_000;
const TIME: usize = 2_000;

fn probes(criterion: &mut Criterion) {
    let (warm, cold) = (tablebase(64), tablebase(0));
    let is_stored = |position: &Position| !rest::is_left_out(position);
    let stored = positions(&warm, TIME, is_stored);
    let many_stored = positions(&warm, MANY, is_stored);
    let any = positions(&warm, MANY, |_| true);
    // What is needed once for a slice (its model, its numbering) is not part of a probe.
    for tablebase in [&warm, &cold] {
        probe_all(tablebase, &any[..TIME]);
        probe_all(tablebase, &many_stored[..TIME]);
        probe_all(tablebase, &stored);
    }
    let mut group = criterion.benchmark_group("probes");
    group.throughput(Throughput::Elements(stored.len() as u64));
    group.bench_function("decoded, of stored values", |bencher| {
        bencher.iter(|| probe_all(&warm, &stored));
    });
    for (name, positions) in [
        ("cold, of stored values", &many_stored),
        ("cold, of any positions", &any),
    ] {
        let mut times = positions.chunks(TIME).cycle();
        group.bench_function(name, |bencher| {
            bencher.iter(|| probe_all(&cold, times.next().unwrap_or_default()));
        });
    }
}

fn decoding(criterion: &mut Criterion) {
    let tablebase = tablebase(0);
    let mut next = random();
    let mut units = Vec::new();
    for image in tablebase.images() {
        let count = image.index().len().div_ceil(UNIT as u64);
        for unit in (0..3).map(|_| next() % count) {
            if let Ok(Stored::Coded(bytes)) = image.stored(unit) {
                units.push((image, unit, bytes));
            }
        }
    }
    let positions = units
        .iter()
        .map(|&(image, unit, _)| unit_len(image.index(), unit));
    let mut group = criterion.benchmark_group("decoding");
    group.throughput(Throughput::Elements(positions.sum::<usize>() as u64));
    group.bench_function("whole units", |bencher| {
        let mut values = [UNKNOWN; UNIT];
        bencher.iter(|| {
            for &(image, unit, bytes) in &units {
                let decoded = image.decode(unit, UNIT, bytes, &mut values);
                decoded.expect("a sound model");
                black_box(&values);
            }
        });
    });
}

criterion_group!(benches, probes, decoding);
criterion_main!(benches);
