//! What fio's rule of steady state found in a row.

use crate::row::Row;
use fathom_results::{RunResult, SteadyWindow};

/// The last window of the rule, and its verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyFigures<'a> {
    /// The rule as the job has it: `iops_slope:0.3%`.
    pub rule: &'a str,
    /// Measured seconds until it was met; `None` if it never was.
    pub attained_after_s: Option<u64>,
    /// The values that met it, or the last ones.
    pub window: &'a SteadyWindow,
    /// Means of these values: I/Os per second.
    pub iops_mean: u64,
    /// Bytes per second.
    pub bw_mean: u64,
    /// Completion latency, ns.
    pub lat_mean: u64,
}

impl<'a> SteadyFigures<'a> {
    /// Of a row; `None` if its jobs ask for no steady state, or the run did not come to its end.
    pub fn of(run: &'a RunResult, row: &Row<'_>) -> Option<SteadyFigures<'a>> {
        let first = row.first().id;
        let (stop, window) = run
            .record
            .stops
            .iter()
            .filter(|stop| stop.jobs.contains(&first))
            .find_map(|stop| Some((stop, stop.steady.as_ref()?)))?;
        Some(SteadyFigures {
            rule: &stop.rule,
            attained_after_s: stop.attained_after_s,
            window,
            iops_mean: SteadyWindow::mean_of(&window.iops),
            bw_mean: SteadyWindow::mean_of(&window.bw_bytes),
            lat_mean: SteadyWindow::mean_of(&window.lat_ns),
        })
    }
}
