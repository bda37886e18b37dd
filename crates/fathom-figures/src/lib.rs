//! fathom-figures: a loaded result as figures.
//!
//! Everything that judges, prints, compares or exports a run reads its figures here, so a figure is
//! the same number wherever it stands. Nothing here judges or prints.
//!
//! A [`Row`] is some clones with all that was measured of them: [`rows`] groups them as fio does,
//! [`jobs`] puts each job together with its clones. [`DirectionFigures`] are those of one direction of
//! a row, or of all. The [`Grid`] is the row's time line. [`Whole`] is the whole run. All of them
//! work on what `load` keeps, so their memory does not grow with the length of the run.
#![forbid(unsafe_code)]

mod asked;
mod by_priority;
mod ceiling;
mod cpu;
mod depth_target;
pub mod disk;
pub mod fio;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
mod flow;
mod grid;
mod in_flight;
pub mod latency_classes;
mod latency_goal;
mod latency_time;
mod measured_time;
pub mod metric;
mod percentile;
pub mod programs;
mod rate_fall;
mod rates;
mod result_form;
mod row;
pub mod sampled;
mod series;
mod spread;
mod status_group;
mod steady;
mod whole;
pub mod workload;
mod written;

use fathom_job::units::Bytes;

pub use asked::{StatisticsOptions, Unified};
pub use ceiling::Ceiling;
pub use cpu::{CpuLoad, KernelThreads, Waiting};
pub use depth_target::DepthTarget;
pub use flow::DirectionFigures;
pub use grid::{Grid, GridStep};
pub use in_flight::InFlight;
pub use latency_goal::{LatencyGoalFigures, LatencySearch};
pub use latency_time::{HeatColumn, HeatMap, LatencySpan};
pub use percentile::{Percentile, TAIL_MIN, is_thin};
pub use rate_fall::{LevelRate, RateFall};
pub use rates::UnevenTimes;
pub use result_form::{ResultForm, result_form};
pub use row::{
    Moved, P99_IOS_MIN, Row, as_fio, jobs, reported, reported_jobs, rows, rows_as_fio, rows_of_clones,
};
pub use sampled::{Sampled, SampledSpan};
pub use series::SeriesStep;
pub use spread::RateSpread;
pub use status_group::{GroupFlow, Groups};
pub use steady::SteadyFigures;
pub use whole::Whole;
pub use written::WrittenInAll;

/// From this block size on, bandwidth is the figure that people use; below it, IOPS.
pub const LARGE_BLOCK: Bytes = Bytes(64 << 10);

/// `part / whole`, and 0 where there is no whole: no report has a NaN.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// An amount per second over a time in nanoseconds; 0 without time.
fn per_second(amount: u64, ns: u64) -> f64 {
    ratio(amount as f64 * 1e9, ns as f64)
}
