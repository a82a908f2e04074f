//! Move generation and perft.

fn main() {}
