//! Endgame databases from end to end: built, verified, probed, damaged and built again.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use engine::board::regions;
use engine::notation::fen;
use engine::rules::Position;
use engine::tablebase::distance::{self, coding};
use engine::tablebase::file::{self, Image, Volume};
use engine::tablebase::model::{Counts, Model, UNKNOWN};
use engine::tablebase::unit::{self, UNIT};
use engine::tablebase::{Index, ProbeError, Slice, Tablebase, Walk, Wld};
use protocol::databases::{self, Wanted};
use serde_json::Value;
use tablebase_gen::build::{self, Order};
use tablebase_gen::kernel::Isa;
use tablebase_gen::{distances, stats, verify};

fn build(folder: &Path, pieces: u32, isa: Isa) {
    build_with(folder, pieces, isa, None);
}

fn build_with(folder: &Path, pieces: u32, isa: Isa, distances: Option<u8>) {
    let order = Order {
        pieces,
        per_side: 4,
        out: Some(folder.to_owned()),
        isa,
        distances,
    };
    build::build(&order, |_, _| {}).expect("a build in a new folder");
}

fn facts() -> Value {
    serde_json::from_str(include_str!("data/endgame_counts.json")).expect("JSON")
}

fn check_counts(folder: &Path, pieces: u64) {
    let rows = stats::stats(folder).expect("whole files");
    let number = |value: &Value| value.as_u64().expect("a number");
    let mut compared = 0;
    for fact in facts()["slices"].as_array().expect("a list") {
        let row = rows.iter().find(|row| {
            [
                row.black_men,
                row.black_kings,
                row.white_men,
                row.white_kings,
            ]
            .map(u64::from)
                == ["black_men", "black_kings", "white_men", "white_kings"]
                    .map(|key| number(&fact[key]))
        });
        let Some(row) = row else { continue };
        compared += 1;
        assert_eq!(
            [row.win, row.draw, row.loss],
            ["win", "draw", "loss"].map(|key| number(&fact[key])),
            "{fact}"
        );
    }
    assert_eq!(compared, [0, 0, 4, 16, 41][pieces as usize]);
}

#[test]
fn counts_are_those_of_an_independent_program() {
    let folder = tempfile::tempdir().expect("a folder");
    build(folder.path(), 4, Isa::detect());
    check_counts(folder.path(), 4);
}

/// What is shipped inside the engine is what the generator writes, and its totals are the
/// published ones.
#[test]
fn built_in_images_hold_all_of_five_pieces() {
    let tablebase = Tablebase::built_in(1);
    assert_eq!(tablebase.images().count(), 85);
    assert_eq!(tablebase.most_pieces(), 5);
    for pieces in 2..=5 {
        let mut total = [0; 3];
        for image in tablebase.images() {
            let header = image.header();
            if header.slice.pieces() == pieces {
                let [loss, draw, win] = header.counts;
                total = [total[0] + win, total[1] + draw, total[2] + loss];
            }
        }
        assert_eq!(
            facts()["totals"][pieces.to_string()],
            serde_json::json!(total)
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    build(folder.path(), 3, Isa::detect());
    for image in tablebase
        .images()
        .filter(|it| it.header().slice.pieces() <= 3)
    {
        let built = fs::read(build::path(folder.path(), image.header().slice)).expect("a file");
        assert!(built == image.bytes(), "{}", image.header().slice);
    }
}

/// With `CROWNHEAD_TABLEBASE` naming a folder of more pieces, up to so many.
#[test]
fn labelled_positions_agree() {
    let labels: Value =
        serde_json::from_str(include_str!("data/database_labels.json")).expect("JSON");
    let found = databases::open(&Wanted::Usual, 4).expect("sound files");
    let tablebase = found.tablebase.expect("at least what is built in");
    let pieces = tablebase.most_pieces();
    let mut compared = 0;
    for label in labels["positions"].as_array().expect("a list") {
        let text = label[0].as_str().expect("a FEN");
        let position = fen::read(text).expect("a position");
        let most_a_side = position.own().len().max(position.theirs().len());
        if position.occupied().len() > pieces || most_a_side > 4 {
            continue;
        }
        let expected = match label[1].as_str() {
            Some("W") => Wld::Win,
            Some("L") => Wld::Loss,
            _ => Wld::Draw,
        };
        assert_eq!(tablebase.probe(&position), Ok(expected), "{text}");
        assert_eq!(tablebase.probe(&position.rotated()), Ok(expected), "{text}");
        compared += 1;
    }
    let published = [20, 83, 219, 457];
    assert_eq!(compared, published[pieces.min(7) as usize - 4]);
}

#[test]
fn famous_positions_have_their_values() {
    let tablebase = Tablebase::built_in(1);
    // Pask, Key Endings; Boland; Trice: data with the sources in the project's reference notes.
    for (text, expected) in [
        ("W:WK19,K23:B12,K28", Wld::Win),
        ("B:WK19,K23:B12,K28", Wld::Draw),
        ("W:WK18:BK29,K30", Wld::Draw),
        ("W:WK32:BK26", Wld::Win),
        ("B:WK32:BK26", Wld::Draw),
    ] {
        let position = fen::read(text).expect("a position");
        assert_eq!(tablebase.probe(&position), Ok(expected), "{text}");
    }
}

#[test]
fn too_many_pieces_and_missing_files_are_told_apart_from_values() {
    let tablebase = Tablebase::built_in(1);
    assert!(matches!(
        tablebase.probe(&Position::START),
        Err(ProbeError::Missing(_))
    ));
    let lone = fen::read("W:WK1:B").expect("a position");
    assert_eq!(tablebase.probe(&lone), Ok(Wld::Win));
    assert_eq!(
        tablebase.probe(&lone.with_turn(engine::board::Color::Black)),
        Ok(Wld::Loss)
    );
}

#[test]
fn all_instruction_sets_and_thread_counts_write_the_same_bytes() {
    let first = tempfile::tempdir().expect("a folder");
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool(1)
        .expect("a thread")
        .install(|| build(first.path(), 3, Isa::PORTABLE));
    for isa in Isa::available() {
        let other = tempfile::tempdir().expect("a folder");
        pool(2)
            .expect("threads")
            .install(|| build(other.path(), 3, isa));
        for entry in fs::read_dir(first.path()).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name");
            let [one, two] = [&path, &other.path().join(name)].map(|path| fs::read(path).ok());
            assert!(one == two, "{} with {isa}", path.display());
        }
    }
}

/// What a killed build leaves: whole files, half files under another name, and gaps.
#[test]
fn a_stopped_build_ends_the_same() {
    let whole = tempfile::tempdir().expect("a folder");
    build(whole.path(), 3, Isa::detect());
    let stopped = tempfile::tempdir().expect("a folder");
    build(stopped.path(), 3, Isa::detect());
    for name in ["01-10.ctb", "20-01.ctb", "11-01.ctb"] {
        let path = stopped.path().join(name);
        let bytes = fs::read(&path).expect("a file");
        fs::write(path.with_extension("part"), &bytes[..bytes.len() / 2]).expect("written");
        fs::remove_file(path).expect("removed");
    }
    fs::write(stopped.path().join("01-01.ctb"), b"CROWNTB\0 and no more").expect("written");
    build(stopped.path(), 3, Isa::detect());
    for entry in fs::read_dir(whole.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let again = stopped.path().join(path.file_name().expect("a name"));
        assert!(
            fs::read(&path).ok() == fs::read(again).ok(),
            "{}",
            path.display()
        );
    }
}

/// Puts another file in the place of one that may be mapped: Windows writes to no such file.
fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).expect("the old file goes");
    fs::write(path, bytes).expect("written");
}

fn assert_told(errors: &[String], what: &str) {
    assert!(
        errors.iter().any(|error| error.contains(what)),
        "{errors:?}"
    );
}

fn verified(folder: &Path, pieces: u32) -> verify::Report {
    let order = verify::Order {
        folder: folder.to_owned(),
        pieces,
        per_side: 4,
        complete: 6,
        every: 1,
        work: None,
    };
    verify::verify(&order, |_, _| {}).expect("whole files")
}

#[test]
fn the_verifier_passes_what_was_built() {
    let folder = tempfile::tempdir().expect("a folder");
    build(folder.path(), 3, Isa::detect());
    let report = verified(folder.path(), 3);
    assert_eq!(report.errors, [""; 0]);
    assert_eq!(report.visited, 3_488 + 196_032);
    assert!(report.proved > 100_000);
}

/// What an earlier check has kept is taken over; a file that has changed since is checked again.
#[test]
fn a_stopped_check_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = tempfile::tempdir().expect("a folder");
    build(folder.path(), 3, Isa::detect());
    let order = verify::Order {
        folder: folder.path().to_owned(),
        pieces: 3,
        per_side: 4,
        complete: 3,
        every: 1,
        work: Some(work.path().to_owned()),
    };
    let check = || verify::verify(&order, |_, _| {}).expect("whole files");
    let first = check();
    assert_eq!(first, verified(folder.path(), 3));
    fs::remove_file(work.path().join("11-10.values")).expect("removed");
    fs::write(work.path().join("20-01.values"), b"half").expect("written");
    assert_eq!(check(), first);
    let values = work.path().join("02-10.values");
    let mut bytes = fs::read(&values).expect("kept");
    bytes.iter_mut().for_each(|byte| *byte = 0);
    fs::write(&values, bytes).expect("written");
    assert_eq!(check(), first, "values of the right length that are others");
    plant(folder.path(), kings(), |_, value| value.min(1));
    assert!(!check().errors.is_empty());
}

#[test]
fn what_is_too_much_for_the_machine_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let order = verify::Order {
        folder: folder.path().to_owned(),
        pieces: 8,
        per_side: 4,
        complete: 8,
        every: 1,
        work: None,
    };
    let refused = verify::verify(&order, |_, _| {}).expect_err("hundreds of gigabytes");
    let text = refused.to_string();
    assert!(
        matches!(refused, verify::VerifyError::Memory { .. }),
        "{text}"
    );
    assert!(text.contains("--complete 7"), "{text}");
}

#[test]
fn the_verifier_finds_all_distances_again() {
    let folder = tempfile::tempdir().expect("a folder");
    build_with(folder.path(), 3, Isa::detect(), Some(1));
    let report = verified(folder.path(), 3);
    assert_eq!(report.errors, [""; 0]);
    assert!(report.distances > 20_000, "{report:?}");
}

/// Rewrites the distances of two kings against one: `change` gets each.
fn plant_distances(folder: &Path, change: impl Fn(u64, u8) -> u8) {
    let slice = Slice::of(&fen::read("B:WK31,K32:BK26").expect("a position"));
    let open = |path: &Path| Arc::new(Volume::open(path).expect("a file"));
    let values = Image::all(&open(&build::path(folder, slice))).expect("images");
    let path = distances::path(folder, slice);
    let images = distance::Image::all(&open(&path)).expect("images");
    let image = &images[0];
    let index = values[0].index();
    let units = (0..index.len().div_ceil(coding::UNIT as u64)).map(|unit| {
        let known = distance::stored_values(&values[0], unit).expect("sound units");
        let kind = |at: usize, walk: &Walk| distance::kind(known[at], walk);
        let plies = image.decode(index, unit, known.len(), kind).expect("sound");
        let first = unit * coding::UNIT as u64;
        let planted: Vec<u8> = (first..)
            .zip(&plies)
            .map(|(number, &plies)| match plies {
                coding::NONE => plies,
                plies => change(number, plies),
            })
            .collect();
        coding::encode(index, unit, &planted, kind)
    });
    let units: Vec<Vec<u8>> = units.collect();
    let header = image.header();
    let longest = (header.longest, header.longest_at);
    let bytes = distance::file::assemble(slice, longest, header.least, &units);
    // Windows writes to no file that is mapped.
    drop(images);
    replace(&path, &bytes.expect("an image"));
}

#[test]
fn a_wrong_distance_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    build_with(folder.path(), 3, Isa::detect(), Some(1));
    plant_distances(folder.path(), |_, plies| plies);
    assert_eq!(verified(folder.path(), 3).errors, [""; 0]);
    plant_distances(folder.path(), |number, plies| {
        plies + 2 * u8::from(number == 5_000)
    });
    plant_distances(folder.path(), |number, plies| {
        plies + 2 * u8::from(number < 2_000)
    });
    let errors = verified(folder.path(), 3).errors;
    assert_told(&errors, "stored, not");
}

#[test]
fn nothing_is_answered_from_damaged_distances() {
    let folder = tempfile::tempdir().expect("a folder");
    build_with(folder.path(), 3, Isa::detect(), Some(1));
    let lost = fen::read("B:WK14,K31:BK4").expect("a position");
    let path = distances::path(folder.path(), Slice::of(&lost));
    let probed = || {
        let mut tablebase = Tablebase::empty(1);
        let added = tablebase.add_folder(folder.path());
        added.ok().map(|()| tablebase.distance(&lost))
    };
    let expected = probed();
    assert!(matches!(expected, Some(Ok(Some(_)))), "{expected:?}");
    let sound = fs::read(&path).expect("a file");
    for at in (0..sound.len()).step_by(1 + sound.len() / 300) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x20;
        replace(&path, &bytes);
        let is_refused = matches!(probed(), None | Some(Err(ProbeError::Damaged(_))));
        // Other groups of units than the one asked for, and the zeros at the end.
        assert!(is_refused || probed() == expected, "byte {at}");
    }
    let errors = verified(folder.path(), 3).errors;
    assert_told(&errors, "damaged");
}

#[test]
fn samples_find_what_moves_contradict() {
    let folder = tempfile::tempdir().expect("a folder");
    build(folder.path(), 3, Isa::detect());
    let order = verify::Order {
        folder: folder.path().to_owned(),
        pieces: 3,
        per_side: 4,
        complete: 2,
        every: 7,
        work: None,
    };
    let check = || verify::verify(&order, |_, _| {}).expect("whole files");
    let report = check();
    assert_eq!(report.errors, [""; 0]);
    assert!(report.visited > 196_032 / 7, "{report:?}");
    let slice = Slice::of(&fen::read("B:WK32:BK26,K27").expect("a position"));
    plant(folder.path(), slice, |_, value| value.min(1));
    assert!(!check().errors.is_empty());
}

/// Rewrites one file with other values: `change` gets each stored value with its position.
fn plant(folder: &Path, slice: Slice, change: impl Fn(&Position, u8) -> u8) {
    let path = build::path(folder, slice);
    let volume = Arc::new(Volume::open(&path).expect("a file"));
    let images = Image::all(&volume).expect("images");
    let image = &images[0];
    let index = Index::new(slice);
    let mut planted = Vec::new();
    let mut counts = Counts::default();
    for number in 0..index.len().div_ceil(UNIT as u64) {
        let mut values = [UNKNOWN; UNIT];
        match image.stored(number).expect("sound units") {
            file::Stored::All(value) => values.fill(value as u8),
            file::Stored::Coded(bytes) => {
                image
                    .decode(number, UNIT, bytes, &mut values)
                    .expect("a sound model");
            }
        }
        let mut changed = [UNKNOWN; UNIT];
        unit::fill(&index, number, &mut changed, |at| {
            let placement = index.placement(number * UNIT as u64 + at as u64);
            change(
                &placement.position().expect("a legal placement"),
                values[at],
            )
        });
        unit::count(&index, number, &changed, &mut counts);
        planted.push(changed);
    }
    let model = Model::fit(&counts, 1);
    let units: Vec<_> = (0..)
        .zip(&planted)
        .map(|(number, values)| unit::encode(&index, &model, number, values))
        .collect();
    let bytes = file::assemble(&index, image.header().counts, &model, &units);
    // Windows writes to no file that is mapped.
    drop((images, volume));
    replace(&path, &bytes);
}

fn kings() -> Slice {
    Slice::of(&fen::read("B:WK32:BK26").expect("a position"))
}

#[test]
fn a_flipped_win_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    build(folder.path(), 2, Isa::detect());
    let wrong = fen::read("B:WK7:BK1").expect("a position");
    plant(folder.path(), kings(), |position, value| {
        if *position == wrong {
            2 - value.min(1)
        } else {
            value
        }
    });
    let report = verified(folder.path(), 2);
    assert!(
        report
            .errors
            .iter()
            .any(|error| error.contains("stored draw, proved win")),
        "{report:?}"
    );
}

/// Draws between lone kings, called won or lost by the parity of the sum of rows: every move
/// changes the parity, so each value agrees with its successors and yet none has a reason.
#[test]
fn a_cyclic_false_win_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    build(folder.path(), 2, Isa::detect());
    plant(folder.path(), kings(), |position, value| {
        let even = (position.occupied() & regions::ODD_ROWS)
            .len()
            .is_multiple_of(2);
        match (value, even) {
            (1, true) => 2,
            (1, false) => 0,
            _ => value,
        }
    });
    let report = verified(folder.path(), 2);
    let about_kings = |error: &&String| error.starts_with("01-01");
    let (kings, _): (Vec<_>, Vec<_>) = report.errors.iter().partition(about_kings);
    assert!(
        kings.iter().all(|error| error.contains("proved draw")),
        "{kings:?}"
    );
    assert!(!kings.is_empty(), "{report:?}");
}

#[test]
fn nothing_is_answered_from_a_damaged_block() {
    let folder = tempfile::tempdir().expect("a folder");
    build(folder.path(), 2, Isa::detect());
    let path = build::path(folder.path(), kings());
    let sound = fs::read(&path).expect("a file");
    let position = fen::read("B:WK32:BK26").expect("a position");
    for at in (0..sound.len()).step_by(3) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x10;
        replace(&path, &bytes);
        let mut tablebase = Tablebase::empty(1);
        let padding = tablebase.add_folder(folder.path()).is_ok()
            && tablebase.probe(&position) == Ok(Wld::Draw);
        // Only the zeros that fill up the last eight bytes may be other than they were.
        assert!(
            !padding || at >= sound.len() - 7,
            "byte {at} of {}",
            sound.len()
        );
    }
    let report = verified(folder.path(), 2);
    assert!(
        report.errors.is_empty() || report.errors[0].contains("damaged"),
        "{report:?}"
    );
}
