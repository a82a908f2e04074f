//! The example for programs in Python, run as its users run it, where there is a Python.

use std::path::Path;
use std::process::Command;

#[test]
fn the_json_example_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let example = root.join("scripts/examples/json_lines.py");
    let python = Command::new("python3")
        .arg(example)
        .arg(env!("CARGO_BIN_EXE_crownhead"))
        .output();
    // A machine without Python builds and plays all the same.
    let Ok(output) = python else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].contains("best: 15x22 of ['15x22']"), "{text}");
    assert!(lines[1].contains("White wins"), "{text}");
    assert!(lines[3].starts_with("position: FEN column"), "{text}");
}
