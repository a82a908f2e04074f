//! The `crownhead` binary.

fn main() {}
