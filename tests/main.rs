//! Tests that cross modules or packages; each module has one subject and its data in `tests/data`.

mod array_rules;
mod client;
mod console;
mod damaged;
mod database_search;
mod distances;
mod dxp;
mod json;
mod layering;
mod notation;
mod perft;
mod plain;
mod random_positions;
mod rules;
mod search;
mod sessions;
mod solve;
mod tablebase;
