//! Simulated drives against theory.
//!
//! One program has these tests, so that it is linked once.

mod queued;
mod text;
mod timing;
mod write_amplification;
mod zoned;
