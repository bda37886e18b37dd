//! When a measurement has settled: SNIA's rule, which is about rounds, and the rule of fathom, which is
//! about what can be shown.

mod confident;
mod pts;

pub use confident::{Confident, ConfidentTerms, NotSettled};
pub use pts::{PtsGate, ROUNDS_MAX, WINDOW_ROUNDS, steady_round};
