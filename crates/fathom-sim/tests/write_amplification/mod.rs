//! The flash translation against theory and published tables.
//!
//! Tables come from Monte Carlo simulations with 2.1 million units, which agree with the mean field
//! (`greedy_write_amplification`) within 0.15 %.

mod invariants;
mod skew;
mod uniform;
mod workload;
