//! When a measurement has settled: SNIA's rule, which is about rounds.

mod pts;

pub use pts::{PtsGate, ROUNDS_MAX, WINDOW_ROUNDS, steady_round};
