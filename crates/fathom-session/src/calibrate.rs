//! What the generator can do at most: the jobs of a run once more, for a moment,
//! with nothing behind them.
//!
//! After the run, so that it can neither be delayed nor warmed by it. Jobs of
//! one stage go together, as they did: they share CPUs here too.

use fathom_engine::log::LogChunk;
use fathom_engine::runner::{self, RunContext};
use fathom_engine::sink::Sink;
use fathom_engine::target::NoTargets;
use fathom_job::plan::{EndRule, Pace, Plan, PlannedFile, PlannedJob, TargetKind};
use fathom_job::units::{Bytes, Nanos};
use fathom_results::{Calibration, EndedBy, Frame, JobOutcome, JobResult, JobTotals, Phase, RunResult};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A shorter measurement is a trial, and is not held up.
const MEASURED_MIN: Duration = Duration::from_secs(2);
/// One pass: millions of I/Os, a share of which is known to a percent.
const PASS: Duration = Duration::from_millis(300);
/// The shortest pass worth anything, where there are many.
const PASS_MIN: Duration = Duration::from_millis(50);
/// All passes together, but for their shortest length.
const BUDGET: Duration = Duration::from_secs(3);

/// One pass: jobs of a run as they are run again.
struct Pass {
    /// What stands in for io_uring; any other engine is replaced by `null`.
    ring: &'static str,
    /// Plan ids in the run, by plan id in the pass.
    jobs: Vec<u32>,
}

/// Calibrates the jobs that were measured long enough; `setting` is that of the
/// run, of which the targets are left out.
pub fn calibrate(run: &RunResult, setting: &RunContext) -> Vec<Calibration> {
    let passes = passes(run);
    let each = PASS.min(BUDGET / passes.len().max(1) as u32).max(PASS_MIN);
    let setting = RunContext { targets: Arc::new(NoTargets), ..setting.clone() };
    passes.iter().flat_map(|pass| pass.go(run, each, &setting)).collect()
}

fn passes(run: &RunResult) -> Vec<Pass> {
    let worthy = |job: &&JobResult| has_target(job) && job.runtime_ns() >= MEASURED_MIN.as_nanos() as u64;
    let stages: BTreeSet<u32> = run.jobs.iter().filter(worthy).map(|job| job.planned.stage).collect();
    let of_stage = |stage: u32| {
        let measured = run.jobs.iter().filter(move |job| job.planned.stage == stage && job.runtime_ns() > 0);
        let has_ring = measured.clone().any(|job| job.planned.engine == "io_uring");
        let jobs: Vec<u32> = measured.map(|job| job.planned.id).collect();
        let rings = if has_ring { &["null", "nop"][..] } else { &["null"] };
        rings.iter().map(move |ring| Pass { ring, jobs: jobs.clone() })
    };
    stages.into_iter().flat_map(of_stage).collect()
}

fn has_target(job: &JobResult) -> bool {
    job.planned.files.iter().any(|file| file.kind != TargetKind::None)
}

impl Pass {
    fn go(&self, run: &RunResult, time: Duration, setting: &RunContext) -> Vec<Calibration> {
        let jobs: Vec<PlannedJob> =
            self.jobs.iter().zip(0..).map(|(job, id)| self.job(run, *job, id, time)).collect();
        let count = jobs.len();
        let mut heard = Heard { totals: vec![JobTotals::default(); count], outcomes: vec![None; count] };
        runner::run(&Arc::new(Plan { jobs, findings: Vec::new() }), setting, &mut heard);
        let told = heard.totals.iter().zip(&heard.outcomes).zip(&self.jobs);
        told.filter_map(|((totals, outcome), job)| self.calibration(run, *job, totals, outcome.as_ref()?))
            .collect()
    }

    /// The job as it was, with nothing behind it and nothing before it.
    fn job(&self, run: &RunResult, job: u32, id: u32, time: Duration) -> PlannedJob {
        let planned = &run.jobs[job as usize].planned;
        let time = Some(Nanos(time.as_nanos() as u64));
        PlannedJob {
            id,
            stage: 0,
            engine: self.engine(planned).to_owned(),
            files: planned.files.iter().map(without_target).collect(),
            end: EndRule { bytes: None, ios: None, time, loops: 1, time_based: true, passes: None },
            ramp: Nanos(0),
            start_delay: Nanos(0),
            pace: Pace::default(),
            ..planned.clone()
        }
    }

    fn engine(&self, planned: &PlannedJob) -> &'static str {
        if planned.engine == "io_uring" { self.ring } else { "null" }
    }

    /// `None` for jobs that reach no target anyway, that this pass runs only as
    /// neighbours, and whose pass was cut short.
    fn calibration(
        &self,
        run: &RunResult,
        job: u32,
        totals: &JobTotals,
        outcome: &JobOutcome,
    ) -> Option<Calibration> {
        let result = &run.jobs[job as usize];
        let engine = self.engine(&result.planned);
        let (from, to) = outcome.measured_ns?;
        let is_whole = outcome.failure.is_none() && outcome.ended_by != EndedBy::Interrupt;
        if !is_whole || !has_target(result) || engine != self.ring {
            return None;
        }
        let least = totals.directions.iter().filter_map(|(_, flow)| flow.total.moments.min()).min();
        Some(Calibration {
            job,
            engine: engine.to_owned(),
            ios: totals.directions.iter().map(|(_, flow)| flow.ios).sum(),
            time_ns: to - from,
            cpu_ns: outcome.usage.user_ns + outcome.usage.system_ns,
            latency_ns_min: least,
        })
    }
}

fn without_target(file: &PlannedFile) -> PlannedFile {
    let (path, kind, none) = (String::new(), TargetKind::None, Bytes(0));
    PlannedFile { path, kind, needs: none, layout: none, ..file.clone() }
}

/// Adds up what a pass says.
struct Heard {
    totals: Vec<JobTotals>,
    outcomes: Vec<Option<JobOutcome>>,
}

impl Sink for Heard {
    fn frame(&mut self, frame: &Frame) {
        match frame {
            Frame::Window(window) if window.phase == Phase::Measure => {
                self.totals[window.job as usize].add(window);
            }
            Frame::Ended(outcome) => self.outcomes[outcome.job as usize] = Some((**outcome).clone()),
            _ => {}
        }
    }

    /// The cost of making log lines is part of what the job can do; the lines
    /// are not wanted.
    fn log(&mut self, _: LogChunk) {}
}
