//! The `tablebase-gen` binary as a process: killed at any moment, with any number of threads, by
//! any instruction set, it ends in the same files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn builder(folder: &Path, pieces: u32, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablebase-gen"));
    command.args(["build", "--json", "--pieces", &pieces.to_string()]);
    command.arg("--out").arg(folder).args(more);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn build(folder: &Path, pieces: u32, more: &[&str]) {
    let status = builder(folder, pieces, more).status().expect("it starts");
    assert!(status.success(), "{more:?}");
}

/// The names and bytes of all finished files.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|it| it == "ctb" || it == "ctd")
        })
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("a file"))
        })
        .collect()
}

/// Kills with SIGKILL after a while; whether it was still running.
fn kill_after(mut child: Child, wait: Duration) -> bool {
    let started = Instant::now();
    while started.elapsed() < wait {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        sleep(Duration::from_millis(1));
    }
    let running = child.try_wait().expect("a child").is_none();
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    running
}

#[test]
fn killed_twenty_times_the_files_are_the_same() {
    let (whole, killed) = (tempfile::tempdir(), tempfile::tempdir());
    let (whole, killed) = (whole.expect("a folder"), killed.expect("a folder"));
    let started = Instant::now();
    build(whole.path(), 4, &[]);
    // Runs get shorter as files are there, and the first may have been slowed by others: the waits
    // follow.
    let mut longest = started.elapsed().mul_f64(0.25);
    let expected = files(whole.path());
    let (mut kills, mut seed) = (0, 1_u64);
    for _ in 0..20 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let wait = longest.mul_f64((seed >> 40) as f64 / f64::from(1 << 24));
        let child = builder(killed.path(), 4, &[]).spawn().expect("it starts");
        if kill_after(child, wait) {
            kills += 1;
        } else {
            longest = longest.mul_f64(0.6);
        }
        for (name, bytes) in files(killed.path()) {
            assert!(bytes == expected[&name], "{name} after {kills} kills");
        }
    }
    build(killed.path(), 4, &[]);
    assert!(kills >= 10, "only {kills} met a running build");
    assert!(files(killed.path()) == expected);
}

#[test]
fn threads_and_instruction_sets_make_no_difference() {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    build(folders[0].path(), 4, &["--threads", "1"]);
    build(folders[1].path(), 4, &["--threads", "2"]);
    build(folders[2].path(), 4, &["--isa", "portable"]);
    let expected = files(folders[0].path());
    assert_eq!(expected.len(), 4 + 12 + 25);
    for folder in &folders[1..] {
        assert!(files(folder.path()) == expected);
    }
}

#[test]
fn threads_and_instruction_sets_make_no_difference_to_distances() {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    build(folders[0].path(), 4, &["--distances", "--threads", "1"]);
    build(folders[1].path(), 4, &["--distances", "--threads", "2"]);
    build(folders[2].path(), 4, &["--distances", "--isa", "portable"]);
    let expected = files(folders[0].path());
    // Of the 4 + 12 + 25 slices, those with kings on both sides.
    assert_eq!(expected.len(), (4 + 12 + 25) + (1 + 4 + 10));
    for folder in &folders[1..] {
        assert!(files(folder.path()) == expected);
    }
}

#[test]
fn a_second_build_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = builder(folder.path(), 5, &["--threads", "1"])
        .spawn()
        .expect("it starts");
    let started = Instant::now();
    while !folder.path().join("build.lock").exists() && started.elapsed().as_secs() < 20 {
        sleep(Duration::from_millis(1));
    }
    // The first one may just have made the file and not have locked it yet.
    sleep(Duration::from_millis(20));
    let second = builder(folder.path(), 2, &[]).status().expect("it starts");
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    assert_eq!(second.code(), Some(2));
    build(folder.path(), 2, &[]);
}

#[test]
fn what_cannot_end_well_is_refused_before_it_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let status = builder(folder.path(), 7, &["--memory", "1"])
        .status()
        .expect("it starts");
    assert_eq!(status.code(), Some(2));
    assert!(files(folder.path()).is_empty());
}
