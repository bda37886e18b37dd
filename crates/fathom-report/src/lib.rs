//! fathom-report: reports from a saved result.
//!
//! Every report is a pure function of a [`RunResult`](fathom_results::RunResult):
//! no I/O, no clock, no terminal. So the report at the end of a run and the one
//! printed from its directory a year later are the same bytes.
//!
//! Two families of reports use the same [`Row`]s. fathom's own, [`terminal`] and [`html`], show
//! each number with its unit, its evidence and the doubts about it. fio's, [`fio_json`], [`terse`]
//! and [`normal`], have exactly fio's format, so that the tools which read fio go on working.
#![forbid(unsafe_code)]

mod asked;
mod disk_counts;
mod fio_group;
pub mod fio_json;
mod fio_number;
mod flow;
mod group;
mod host_findings;
pub mod html;
pub mod idleness;
mod latency_classes;
mod latency_goal;
pub mod normal;
mod number;
mod percentile;
mod pool;
mod self_check;
mod spread;
pub mod terminal;
pub mod terse;
mod text;

pub use asked::{StatisticsOptions, Unified};
pub use flow::DirectionFigures;
pub use group::{Row, rows};
pub use pool::{PooledSecond, pool};
