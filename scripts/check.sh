#!/bin/sh
# The whole gate: format, lints, tests and documentation, each with warnings as errors.
# Needs the Rust toolchain that Cargo.toml names, with rustfmt and clippy; nothing else.
set -eu
cd "$(dirname "$0")/.."

echo "== format"
cargo fmt --all --check
echo "== lints"
cargo clippy --workspace --all-targets --locked -- -D warnings
echo "== tests"
cargo test --workspace --locked
echo "== documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
echo "the gate is passed"
