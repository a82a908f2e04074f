//! Positions, moves and games as text: what real files and people write, and what must read back.

mod books;
mod odd_inputs;
mod round_trips;
mod streams;
