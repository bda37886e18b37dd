//! What the frames of one clone add up to.

use crate::latency_line::LatencyLine;
use crate::outcome::JobOutcome;
use crate::phase::Phase;
use crate::plan::JobRecord;
use crate::series::{SeriesPoint, Thinning};
use crate::totals::JobTotals;
use crate::verification::{FaultAt, Verification};
use crate::window::Window;
use fathom_job::options;

/// One clone's result.
#[derive(Clone, Debug)]
pub struct JobResult {
    /// What was planned.
    pub planned: JobRecord,
    /// Totals of the measured window.
    pub totals: JobTotals,
    /// The windows in order, ramp included; in very long runs, windows are merged.
    pub series: Vec<SeriesPoint>,
    /// How its latency was distributed over time, ramp included.
    pub latency: LatencyLine,
    /// How it ended; `None` if no end was recorded.
    pub outcome: Option<JobOutcome>,
    measured_from_ns: Option<u64>,
    measured_to_ns: u64,
    thinning: Thinning,
}

impl JobResult {
    pub(crate) fn new(planned: &JobRecord, clones: usize) -> Self {
        JobResult {
            planned: planned.clone(),
            totals: JobTotals::default(),
            series: Vec::new(),
            latency: LatencyLine::among(clones),
            outcome: None,
            measured_from_ns: None,
            measured_to_ns: 0,
            thinning: Thinning::among(clones),
        }
    }

    /// Is it in the figures of the result? With `stats=0` a job runs and is not.
    pub fn is_reported(&self) -> bool {
        self.planned.job.get(&options::STATS)
    }

    /// What it verified, if it was to.
    pub fn verification(&self) -> Option<&Verification> {
        self.outcome.as_ref()?.verification.as_deref()
    }

    /// The path of the file that a wrong block is in; empty if the plan has no such file.
    pub fn path_of(&self, fault: &FaultAt) -> &str {
        self.planned.files.get(fault.file as usize).map_or("", |file| file.path.as_str())
    }

    /// Length of the measured window, ns: from its start to the end of its time
    /// or, for a job that ends by its own count, to its last completion. For a
    /// run that was cut short, to the end of the spool.
    pub fn runtime_ns(&self) -> u64 {
        match self.outcome.as_ref().and_then(|o| o.measured_ns) {
            Some((from, to)) => to - from,
            None => self.measured_from_ns.map_or(0, |from| self.measured_to_ns.saturating_sub(from)),
        }
    }

    /// Start of the measured window, ns since the start of the run.
    pub fn measured_from_ns(&self) -> Option<u64> {
        self.outcome.as_ref().and_then(|o| o.measured_ns).map(|m| m.0).or(self.measured_from_ns)
    }

    /// Start and end of the measured window, ns since the start of the run; `None` where nothing was measured.
    pub fn window_ns(&self) -> Option<(u64, u64)> {
        let from = self.measured_from_ns()?;
        Some((from, from + self.runtime_ns()))
    }

    /// All windows were added.
    pub(crate) fn finish(&mut self) {
        self.latency.finish(&mut self.totals);
    }

    pub(crate) fn add(&mut self, window: &Window) {
        match window.phase {
            Phase::Measure => {
                self.totals.add_but_main(window);
                self.measured_from_ns.get_or_insert(window.start_ns);
                self.measured_to_ns = window.end_ns;
            }
            // Not part of the time line, because no I/O was started in it.
            Phase::Drain => return self.totals.add_drained(window),
            Phase::Ramp | Phase::Prepare => {}
        }
        self.latency.add(window, &mut self.totals);
        self.thinning.push(&mut self.series, SeriesPoint::of(window));
    }
}
