//! The most that the generator can do: the jobs of a run run again for a moment,
//! without a target.
//!
//! This happens after the run, so that it neither delays the run nor warms
//! anything up for it. Jobs of one stage run together, as they did in the run,
//! because they share CPUs here too.

use crate::request::Request;
use fathom_engine::log::LogChunk;
use fathom_engine::runner::{LocalThreads, Runner};
use fathom_engine::sink::Sink;
use fathom_engine::target::NoTargets;
use fathom_job::plan::{EndRule, Pace, Plan, PlannedFile, PlannedJob, TargetKind};
use fathom_job::units::{Bytes, Nanos};
use fathom_results::{Calibration, EndedBy, Frame, JobOutcome, JobResult, JobTotals, Phase, RunResult};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A shorter measurement is only a trial; it is not calibrated, which would delay its end.
const MEASURED_MIN: Duration = Duration::from_secs(2);
/// Time of one pass: millions of I/Os, enough to know a share to a percent.
const PASS: Duration = Duration::from_millis(300);
/// The shortest useful pass, where there are many passes.
const PASS_MIN: Duration = Duration::from_millis(50);
/// Time for all passes together, if each of them has at least its shortest time.
const BUDGET: Duration = Duration::from_secs(3);

/// One pass: some jobs of a run, run again.
struct Pass {
    /// The engine that replaces io_uring; any other engine is replaced by `null`.
    ring: &'static str,
    /// Ids of the jobs in the plan of the run; the index is their id in the pass.
    jobs: Vec<u32>,
}

/// Calibrates the jobs that were measured long enough. `local` has the clock of the
/// run; its targets are not used.
pub fn calibrate(run: &RunResult, request: &Request<'_>, local: &LocalThreads) -> Vec<Calibration> {
    let passes = passes(run);
    let each = PASS.min(BUDGET / passes.len().max(1) as u32).max(PASS_MIN);
    let runner = LocalThreads { targets: Arc::new(NoTargets), ..local.clone() };
    passes.iter().flat_map(|pass| pass.go(run, request, each, &runner)).collect()
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
    job.planned.files.iter().any(|file| file.is_on_machine())
}

impl Pass {
    fn go(
        &self,
        run: &RunResult,
        request: &Request<'_>,
        time: Duration,
        runner: &LocalThreads,
    ) -> Vec<Calibration> {
        let planned = |job: &u32| &request.plan.jobs[*job as usize];
        let jobs: Vec<PlannedJob> =
            self.jobs.iter().zip(0..).map(|(job, id)| self.job(planned(job), id, time)).collect();
        let count = jobs.len();
        let mut heard = Heard { totals: vec![JobTotals::default(); count], outcomes: vec![None; count] };
        let plan = Arc::new(Plan { jobs, findings: Vec::new() });
        runner.run(&plan, request.ender.stop(), &mut heard);
        let measured_jobs = heard.totals.iter().zip(&heard.outcomes).zip(&self.jobs);
        measured_jobs
            .filter_map(|((totals, outcome), job)| self.calibration(run, *job, totals, outcome.as_ref()?))
            .collect()
    }

    /// The job as it was, but without a target, a ramp, a start delay and a rate limit.
    fn job(&self, planned: &PlannedJob, id: u32, time: Duration) -> PlannedJob {
        let time = Some(Nanos(time.as_nanos() as u64));
        PlannedJob {
            id,
            stage: 0,
            engine: self.engine(&planned.engine).to_owned(),
            files: planned.files.iter().map(without_target).collect(),
            end: EndRule {
                bytes: None,
                ios: None,
                time,
                loops: 1,
                time_based: true,
                passes: None,
                when_full: false,
            },
            ramp: Nanos(0),
            start_delay: Nanos(0),
            idle_before: Nanos(0),
            pace: Pace::default(),
            // Nothing can be read back from an engine without a target.
            verify: None,
            ..planned.clone()
        }
    }

    fn engine(&self, engine: &str) -> &'static str {
        if engine == "io_uring" { self.ring } else { "null" }
    }

    /// `None` for a job that uses no target anyway, for one that runs in this pass only
    /// because it shares CPUs with others, and for a pass that was cut short.
    fn calibration(
        &self,
        run: &RunResult,
        job: u32,
        totals: &JobTotals,
        outcome: &JobOutcome,
    ) -> Option<Calibration> {
        let result = &run.jobs[job as usize];
        let engine = self.engine(&result.planned.engine);
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

/// Adds up what a pass reports.
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

    /// Making log lines is part of the cost of the job, so they are made; then they are
    /// dropped.
    fn log(&mut self, _: LogChunk) {}
}
