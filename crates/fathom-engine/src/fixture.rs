//! Plans for unit tests: job text over targets that do not exist.

use crate::clock::Clock;
use crate::desc::Desc;
use crate::engine::oracle::Oracle;
use crate::engine::{self, AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged};
use crate::sink::Stop;
use crate::target::NoTargets;
use crate::worker::{Loan, Shared, SharedByJobs, Worker, WorkerEnd, async_loop};
use fathom_job::engine::EngineDef;
use fathom_job::parse::{self, Adjust, Keywords, Surroundings};
use fathom_job::plan::{Machine, Plan, TargetFacts, TargetKind, TargetLookup, plan};
use fathom_job::units::Bytes;
use std::io;
use std::sync::mpsc::sync_channel;

/// Every path is a file of 1 GiB, or a node for commands of a drive of that size.
struct Gibibytes;

impl TargetLookup for Gibibytes {
    fn look_up(&self, path: &str) -> TargetFacts {
        let kind = match path {
            path if path.starts_with("/dev/ng") => TargetKind::Namespace,
            path if path.starts_with("/dev/sg") => TargetKind::ScsiNode,
            _ => TargetKind::File,
        };
        let is_scsi_disk = kind == TargetKind::ScsiNode;
        TargetFacts { kind, is_scsi_disk, size: Some(Bytes::gib(1)), ..TargetFacts::MISSING }
    }
}

struct Nowhere;

impl Surroundings for Nowhere {
    fn read(&self, path: &str, _from: Option<&str>) -> Result<String, String> {
        Err(format!("no file {path} in a test"))
    }
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
    fn keywords(&self) -> Keywords {
        Keywords { page_size: 4096, memory_mb: 1024, cpus: 2 }
    }
}

pub fn try_planned(text: &str) -> Option<Plan> {
    let jobs = parse::load_text("test", text, &Adjust::default(), &Nowhere).ok()?;
    let machine = Machine { cpus: 2, memory: Bytes::gib(64), memory_available: Bytes::gib(64) };
    plan(&jobs.jobs, &engine::definitions(), &machine, &Gibibytes).ok()
}

pub fn planned(text: &str) -> Plan {
    try_planned(text).unwrap_or_else(|| panic!("no plan for:\n{text}"))
}

/// Probability that counts differ from their weights, which add up to 1, as much
/// as these do or more. Each weight means five expected counts or more.
pub fn fit_p_value(observed: &[u64], weights: &[f64]) -> f64 {
    assert_eq!(observed.len(), weights.len());
    let all = observed.iter().sum::<u64>() as f64;
    let statistic =
        observed.iter().zip(weights).map(|(n, w)| (*n as f64 - w * all).powi(2) / (w * all)).sum();
    fathom_stats::chi_square_p_value(statistic, observed.len() as u64 - 1)
}

/// An oracle that panics at its tenth submit call. No job text names it: a test changes
/// the engine of a planned job.
pub const FRAGILE: EngineEntry = EngineEntry {
    def: EngineDef { name: "fragile", ..engine::oracle::ENTRY.def },
    run: async_loop::run::<Fragile>,
    run_hooked: async_loop::run::<Fragile>,
    ..engine::oracle::ENTRY
};

pub struct Fragile {
    oracle: Oracle,
    calls: u32,
}

impl AsyncEngine for Fragile {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        Oracle::open(context).map(|oracle| Fragile { oracle, calls: 0 })
    }
    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.oracle.replace(by)
    }
    fn stage(&mut self, slot: u32, desc: &Desc) {
        self.oracle.stage(slot, desc);
    }
    fn control(&mut self, slot: u32, desc: &Desc) -> Staged {
        self.oracle.control(slot, desc)
    }
    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        self.calls += 1;
        assert!(self.calls < 10, "an engine that panics, on purpose");
        self.oracle.submit(wait, timeout_ns)
    }
    fn available(&mut self) -> usize {
        self.oracle.available()
    }
    fn reap(&mut self, count: usize, done: impl FnMut(u64, i32)) {
        self.oracle.reap(count, done);
    }
}

/// A worker of the null engine for the first job of a text, run by `run`.
pub fn run_worker(text: &str, run: impl FnOnce(&mut Worker<'_>) -> WorkerEnd) -> WorkerEnd {
    let plan = planned(text);
    let (out, _inbox) = sync_channel(64);
    let (stop, clock) = (Stop::default(), Clock::calibrate(false));
    let loan = Loan::default();
    let shared = Shared {
        targets: &NoTargets,
        open_files_max: usize::MAX,
        clock,
        out,
        stop: &stop,
        loan: &loan,
        jobs: &plan.jobs,
        among_jobs: &SharedByJobs::new(0),
    };
    let entry = engine::find("null").expect("it is registered");
    let worker = Worker::prepare(&plan.jobs[0], entry, &shared, Box::new(|begin| begin()));
    run(&mut worker.unwrap_or_else(|e| panic!("{e:?}")))
}
