//! Examines the host around a run: an audit before it, and afterwards what
//! happened during it.
//!
//! The checks are those of `fathom doctor`, with the needs of the job. A check that
//! compares two readings takes the first before the run begins and the second
//! when it ends, while the machine is still hot.

use crate::grounds::PlanGrounds;
use crate::here::Here;
use fathom_host::audit::{Audit, Earlier, Evidence, Grade, JobNeeds, Observation, Scene, checks};
use fathom_job::plan::{Plan, PlannedJob, reads_cold};
use fathom_results::{FindingWeight, HostFinding};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The run has more precise rules for these: they subtract its own I/O.
const OWN_RULES: [&str; 2] = ["sys.steal", "noise.device"];

/// Most findings kept of one check: a hundred CPUs can have the same problem.
const FINDINGS_MAX: usize = 4;

/// A run that is being watched.
pub struct HostWatch {
    targets: Vec<PathBuf>,
    job: JobNeeds,
    earlier: Earlier,
    begun: Instant,
}

impl HostWatch {
    /// Takes the first reading.
    pub fn start(here: &Here, plan: &Plan, grounds: &PlanGrounds) -> Self {
        Self {
            targets: grounds.targets.clone(),
            job: needs(plan),
            earlier: Earlier::take(here.root(), checks::counters()),
            begun: Instant::now(),
        }
    }

    /// Takes the second reading, and returns what happened since the first.
    pub fn end(mut self, here: &Here) -> Vec<HostFinding> {
        self.earlier.elapsed = self.begun.elapsed();
        self.job.has_run = true;
        let scene = Scene::new(here.root(), &self.targets, self.job, Some(self.earlier));
        findings(&Audit::watch(&scene))
    }
}

/// What the audit finds before the run. It waits for nothing: checks that need
/// two readings are made at the end.
pub fn audit(here: &Here, plan: &Plan, grounds: &PlanGrounds) -> Vec<HostFinding> {
    let scene = Scene::new(here.root(), &grounds.targets, needs(plan), None);
    findings(&Audit::take(&scene))
}

fn findings(audit: &Audit) -> Vec<HostFinding> {
    let ours = audit.examined.iter().filter(|examined| !OWN_RULES.contains(&examined.check.id));
    ours.flat_map(|examined| {
        let id = examined.check.id;
        let grave = examined.observations.iter().filter_map(move |observation| finding(id, observation));
        grave.take(FINDINGS_MAX)
    })
    .collect()
}

fn finding(check: &str, observation: &Observation) -> Option<HostFinding> {
    let weight = match observation.verdicts.worst() {
        Grade::Bad => FindingWeight::Bad,
        Grade::Warn => FindingWeight::Warn,
        _ => return None,
    };
    let evidence: Option<&Evidence> = observation.evidence.first();
    let text = |of: fn(&Evidence) -> String| evidence.map(of).unwrap_or_default();
    Some(HostFinding {
        check: check.to_owned(),
        subject: observation.subject.clone(),
        weight,
        says: observation.says.clone(),
        path: text(|e| e.path.display().to_string()),
        raw: text(|e| e.raw.clone().unwrap_or_default()),
    })
}

/// The needs of all jobs of a plan together.
pub(super) fn needs(plan: &Plan) -> JobNeeds {
    let jobs = || plan.jobs.iter();
    let some = |any: bool| (!plan.jobs.is_empty()).then_some(any);
    let sum = |of: fn(&PlannedJob) -> u64| some(true).map(|_| jobs().map(of).sum());
    let time = jobs().filter_map(|job| job.end.time.or(job.expected.time)).map(|time| time.0).max();
    JobNeeds {
        block_bytes_min: jobs().map(|job| job.block_min().0).min(),
        // Trims have a different size limit.
        block_bytes_max: jobs().map(|job| job.transfer_max().0).max().filter(|&bytes| bytes > 0),
        iodepth: sum(|job| u64::from(job.depth.reachable)),
        workers: Some(plan.jobs.len() as u64),
        direct: some(jobs().all(|job| job.direct)),
        random: some(jobs().any(|job| job.rw.random)),
        reads: some(jobs().any(|job| job.uses(fathom_job::direction::Direction::Read))),
        writes: some(jobs().any(PlannedJob::writes)),
        spares_content: !plan.jobs.is_empty() && !jobs().any(PlannedJob::writes),
        reads_cold: some(reads_cold(&plan.jobs)),
        engine: jobs().next().map(|job| job.engine.clone()),
        cpus: cpus(plan),
        buffer_bytes: sum(|job| job.memory.0),
        files: sum(|job| job.files.len() as u64),
        seconds: time.map(|ns| Duration::from_nanos(ns).as_secs()),
        ..JobNeeds::default()
    }
}

/// The CPUs of all jobs, if every job sets its CPUs.
fn cpus(plan: &Plan) -> Option<fathom_device::cpus::CpuSet> {
    let named: Option<Vec<&Vec<usize>>> = plan.jobs.iter().map(|job| job.cpus.as_ref()).collect();
    let all = named?.into_iter().flatten().filter_map(|cpu| u32::try_from(*cpu).ok());
    Some(all.collect())
}
