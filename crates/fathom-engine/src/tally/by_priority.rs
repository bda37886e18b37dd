//! Latencies by the priority of single I/Os (`cmdprio_percentage`, `cmdprio_bssplit`).

use super::{Detail, Metric, Want};
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::job::Job;
use fathom_job::priorities;
use fathom_results::PriorityWindow;

/// The latencies of each priority that I/Os of a job have; nothing for a job that raises none.
#[derive(Clone, Debug, Default)]
pub struct PriorityTally {
    each: PerDirection<Vec<(u16, Metric)>>,
    /// It keeps the total latency, and not that of the completion.
    is_total: bool,
}

impl PriorityTally {
    /// An empty tally of a job, which keeps these latencies.
    pub fn of(job: &Job, detail: Detail) -> Self {
        let is_total = priorities::are_total(job);
        let want = if is_total { detail.total } else { detail.completion };
        // Priorities that cannot be meant are an error of the plan.
        let all = priorities::of_ios(job).ok().flatten().filter(|_| want != Want::Off).unwrap_or_default();
        let each = |d: Direction| all[d].iter().map(|ioprio| (*ioprio, Metric::new(want))).collect();
        PriorityTally { each: PerDirection::from_fn(each), is_total }
    }

    /// An I/O of this priority.
    pub fn record(&mut self, direction: Direction, ioprio: u16, completion_ns: u64, total_ns: u64) {
        let ns = if self.is_total { total_ns } else { completion_ns };
        if let Some((_, latency)) = self.each[direction].iter_mut().find(|(of, _)| *of == ioprio) {
            latency.record(ns);
        }
    }

    pub(super) fn clear(&mut self) {
        for direction in Direction::ALL {
            self.each[direction].iter_mut().for_each(|(_, latency)| latency.clear());
        }
    }

    /// As it goes to the spool, in the order in which fio prints priorities.
    pub(super) fn windows(&self, direction: Direction) -> Vec<PriorityWindow> {
        let window =
            |(ioprio, latency): &(u16, Metric)| PriorityWindow { ioprio: *ioprio, latency: latency.window() };
        self.each[direction].iter().map(window).collect()
    }
}
