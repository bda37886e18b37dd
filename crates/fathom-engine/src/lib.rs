//! fathom-engine: plan to measured result.
//!
//! The load generator. A [`runner`] starts one worker per planned clone;
//! each worker owns everything it uses and runs a loop that is compiled for its
//! [`engine`]. The results are frames for a [`sink::Sink`]. The engine
//! never judges a result, and never opens a target by its path: a
//! [`target::TargetSource`] opens it.

pub mod clock;
mod command_status;
pub mod cpu;
mod desc;
mod drawn_priorities;
pub mod engine;
#[cfg(test)]
mod fixture;
mod hook;
mod invalidate;
mod layout;
pub mod log;
pub mod memory;
mod nvme_command;
mod nvme_status;
mod pace;
mod payload;
pub mod probe;
pub mod ring;
pub mod runner;
mod schedule;
mod scsi_command;
mod scsi_status;
pub mod simulated;
pub mod sink;
mod source;
mod syscall;
mod tally;
pub mod target;
mod timeline;
mod usage;
mod verify;
mod worker;
mod write_hint;
mod zones;
