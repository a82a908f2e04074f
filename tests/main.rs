//! Tests that cross modules or packages; each module has one subject and its data in `tests/data`.

mod layering;
mod search;
