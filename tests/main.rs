//! Tests that cross modules or packages; each module has one subject and its data in `tests/data`.

mod client;
mod layering;
mod search;
mod sessions;
