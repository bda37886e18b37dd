//! `fathom array` at every level, and in suites: they take minutes, so `cargo xtask test` leaves them
//! out, and `cargo xtask lab` runs them.

mod levels;
mod small_writes;
mod suites;
