//! fathom-session: the one path of every run.
//!
//! A [`Request`] of plain values goes in, a saved [`RunResult`](fathom_results::RunResult) comes
//! out. What happens in between reaches the caller as [`Notice`]s. Nothing here reads flags, prints
//! or ends the process, so the binary, tests and later programs use it alike.
//!
//! Guard → run directory → snapshot → engine, with frames going to the spool → record → load. The
//! result that is returned is always the one loaded from the directory, so a later report of it is
//! the same.
#![forbid(unsafe_code)]

mod base;
pub mod baseline;
pub mod bundle;
mod calibrate;
pub mod compared;
pub mod coverage;
mod created;
mod disks;
mod ender;
mod exit;
mod facts;
mod fills;
mod grounds;
mod hang;
mod heartbeat;
mod here;
mod host_watch;
pub mod import;
mod kernel_workers;
mod latest;
mod left_settings;
mod logs;
mod map;
mod names;
mod notice;
pub mod outputs;
mod person;
mod planning;
pub mod power_cut;
pub mod procedure;
mod read_back;
mod refusals;
mod renewal;
mod request;
mod run;
mod run_dir;
mod run_id;
pub mod runs;
mod samples;
mod sink;
mod slow_look;
mod state;
mod steal;
mod stops;
mod target_watch;
mod targets;
mod traces;
mod tree;
mod tuned;
mod verify_states;
mod watch_thread;
mod written;
mod wrong_blocks;

pub use crate::request::RunLabels;
pub use ender::{Cause, Ender};
pub use exit::{Exit, Failure, exit_of, failed_jobs, is_stuck};

pub use here::Here;
pub use left_settings::left_settings;
pub use logs::{AggregateLogs, inflated as inflated_log, log_paths};
pub use notice::{Level, Listener, Message, Notice};
pub use planning::{globals, planned, planned_as_fio, planned_first};
pub use refusals::refusals;
pub use request::{Request, RoundRequest, RunDir, SavedAt};
pub use run::{load, run};
pub use slow_look::SlowLook;
pub use state::{device_states, state_dir};
pub use tuned::{PutBack, Tuned};
pub use verify_states::StatePlaces;
