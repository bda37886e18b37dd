//! fathom-job: job text to typed jobs to plan.
//!
//! Pure: no I/O, no clock, no `unsafe`. The caller supplies what must be read (included files,
//! environment, machine facts) through a trait.
#![forbid(unsafe_code)]
#![allow(
    clippy::result_large_err,
    reason = "a diagnostic is made a few times per run, never in a loop that matters"
)]

pub mod convert;
pub mod diagnostic;
pub mod direction;
pub mod distribution;
pub mod engine;
pub mod fio_cli;
pub mod foreign_engines;
pub mod job;
pub mod lint;
pub mod option;
pub mod options;
pub mod parse;
pub mod plan;
pub mod priorities;
pub mod reference;
pub mod steady;
pub mod trace;
pub mod units;
pub mod value;
