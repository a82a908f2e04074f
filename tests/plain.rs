//! Plain endgame values: the same as the coded ones, and nothing from damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use engine::rules::Position;
use engine::tablebase::plain::Plain;
use engine::tablebase::{FileError, Index, ProbeError, Slice, Tablebase, Wld};
use tablebase_gen::build::{self, Order};
use tablebase_gen::kernel::Isa;
use tablebase_gen::plain;
use tempfile::TempDir;

/// A folder with the coded values of up to so many pieces.
fn coded(pieces: u32) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let order = Order {
        pieces,
        per_side: 4,
        out: Some(folder.path().to_owned()),
        isa: Isa::detect(),
        distances: None,
    };
    build::build(&order, |_, _| {}).expect("a build in a new folder");
    folder
}

/// The plain files of a folder.
fn plain_files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder)
        .expect("a folder")
        .map(|it| it.expect("a file").path());
    files
        .filter(|path| path.extension().is_some_and(|it| it == "ctp"))
        .collect()
}

fn opened(folder: &Path) -> Result<Tablebase, FileError> {
    let mut tablebase = Tablebase::empty(1);
    tablebase.add_folder(folder)?;
    Ok(tablebase)
}

/// Every so many positions of all slices of `pieces` pieces.
fn positions(pieces: u32, step: usize) -> impl Iterator<Item = Position> {
    let indices = Slice::all(pieces, 4).into_iter().map(Index::new);
    indices.flat_map(move |index| {
        let numbers = (0..index.len()).step_by(step);
        let positions = numbers.filter_map(|number| index.placement(number).position());
        positions.collect::<Vec<_>>()
    })
}

#[test]
fn plain_values_are_the_coded_ones() {
    let folder = coded(4);
    let bytes = plain::unpack(folder.path(), 4, |_, _| {}).expect("whole files");
    let files = plain_files(folder.path());
    let sizes = files
        .iter()
        .map(|path| fs::metadata(path).expect("a file").len());
    assert_eq!(sizes.sum::<u64>(), bytes as u64);
    let (coded, plain) = (
        Tablebase::built_in(1),
        opened(folder.path()).expect("files"),
    );
    let mut values = [0_u32; 3];
    for position in (2..=4).flat_map(|pieces| positions(pieces, 53)) {
        let value = coded.probe(&position).expect("built in");
        assert_eq!(plain.probe(&position), Ok(value), "{position:?}");
        values[value as usize] += 1;
    }
    assert!(values.iter().all(|&count| count > 10_000), "{values:?}");
}

#[test]
fn what_is_there_is_not_written_again() {
    let folder = coded(2);
    let bytes = plain::unpack(folder.path(), 4, |_, _| {}).expect("whole files");
    let file = folder.path().join("01-01.ctp");
    let modified = || {
        fs::metadata(&file)
            .expect("a file")
            .modified()
            .expect("a time")
    };
    let (before, sound) = (modified(), fs::read(&file).expect("a file"));
    assert_eq!(
        plain::unpack(folder.path(), 4, |_, _| {}).expect("files"),
        bytes
    );
    assert_eq!(modified(), before);
    fs::write(&file, &sound[..sound.len() - 1]).expect("written");
    assert!(opened(folder.path()).is_err(), "half a file");
    assert_eq!(
        plain::unpack(folder.path(), 4, |_, _| {}).expect("files"),
        bytes
    );
    assert_eq!(fs::read(&file).expect("a file"), sound);
}

#[test]
fn an_empty_folder_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = plain::unpack(folder.path(), 4, |_, _| {}).expect_err("nothing there");
    assert!(
        error.to_string().contains("no files of up to 4 pieces"),
        "{error}"
    );
}

/// A change of any byte is refused at once, told as damage, or was in the zeros that fill up.
#[test]
fn nothing_is_answered_from_damaged_plain_values() {
    let folder = coded(3);
    plain::unpack(folder.path(), 3, |_, _| {}).expect("whole files");
    let slice = *Slice::all(3, 4)
        .iter()
        .find(|it| it.to_string() == "02-01")
        .expect("a slice");
    let file = folder.path().join(format!("{slice}.ctp"));
    let sound = fs::read(&file).expect("a file");
    let asked: Vec<Position> = positions(3, 211)
        .filter(|it| Slice::of(it) == slice)
        .collect();
    let answers = || -> Option<Vec<Result<Wld, ProbeError>>> {
        let tablebase = opened(folder.path()).ok()?;
        Some(
            asked
                .iter()
                .map(|position| tablebase.probe(position))
                .collect(),
        )
    };
    let expected = answers().expect("sound");
    let (mut refused, mut told) = (0, 0);
    for at in (0..sound.len()).step_by(1 + sound.len() / 400).chain(0..64) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x24;
        fs::remove_file(&file).expect("there");
        fs::write(&file, &bytes).expect("written");
        let Some(found) = answers() else {
            refused += 1;
            continue;
        };
        for (found, expected) in found.iter().zip(&expected) {
            let is_damage = matches!(found, Err(ProbeError::Damaged(_)));
            assert!(is_damage || found == expected, "byte {at}: {found:?}");
            told += u32::from(is_damage);
        }
    }
    assert!(
        refused > 40 && told > 1_000,
        "{refused} refused, {told} told"
    );
}

/// Values of other databases are not mixed with those that are there.
#[test]
fn plain_values_of_another_build_are_refused() {
    let folder = coded(2);
    plain::unpack(folder.path(), 2, |_, _| {}).expect("whole files");
    let coded = folder.path().join("01-01.ctb");
    let mut bytes = fs::read(&coded).expect("a file");
    // One draw more in the header, one loss less, and a header that is sound.
    bytes[24] -= 1;
    bytes[32] += 1;
    let sum = crc32fast::hash(&bytes[..68]);
    bytes[68..72].copy_from_slice(&sum.to_le_bytes());
    fs::write(&coded, &bytes).expect("written");
    let error = opened(folder.path())
        .expect_err("another build")
        .to_string();
    assert!(
        error.contains("01-01.ctp") && error.contains("not made from"),
        "{error}"
    );
    fs::remove_file(&coded).expect("there");
    assert!(opened(folder.path()).is_err(), "plain values alone");
    assert!(Plain::open(&folder.path().join("01-01.ctp")).is_ok());
}
