//! `fathom array` at every level, and in suites: they take minutes, so `cargo xtask test` leaves them
//! out, and `cargo xtask lab` runs them.

#[path = "../array/bench.rs"]
mod bench;
mod levels;
mod small_writes;
mod suites;
