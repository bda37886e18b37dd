//! When a measurement has settled: SNIA's rule, which is about rounds; the rule of fathom, which is about what can
//! be shown; and fio's rule, which ends jobs while they run.

mod confident;
mod confident_rule;
mod fio_rule;
mod pts;
mod seconds;
mod stop_rule;
mod stop_watch;

pub use confident::{Confident, ConfidentTerms};
pub use confident_rule::{AHEAD_S, ConfidentRule};
pub use fio_rule::FioRule;
#[cfg(test)]
pub(crate) use pts::steady_round;
pub use pts::{PtsGate, WINDOW_ROUNDS};
pub use seconds::{Second, Seconds};
pub use stop_rule::StopRule;
pub use stop_watch::StopWatch;
