//! The built binary as people run it: input in, everything it says and how it ends out.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Everything that the binary says to `input`, and how it ends.
pub(crate) fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crownhead"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // The child may refuse its arguments without reading.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("the binary ends")
}
