//! Runs job text on this machine, without a guard: files in a directory of
//! the test's own.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod kernel_events;

use fathom_engine::engine;
use fathom_engine::log::{LogChunk, LogHistogram, LogKind, LogSample};
use fathom_engine::runner::{LocalThreads, Patience, PlanTime};
use fathom_engine::sink::{Sink, Stop, WrongBlock};
use fathom_engine::target::{OpenHow, OpenTarget, TargetSource};
use fathom_job::direction::Direction;
use fathom_job::parse::{self, Adjust, Keywords, Surroundings};
use fathom_job::plan::{AtomicLimits, Machine, Plan, TargetFacts, TargetKind, TargetLookup, plan};
use fathom_job::trace::{ReplayTerms, TraceFacts, TraceFault, scan};
use fathom_job::units::Bytes;
use fathom_results::{Event, Frame, JobOutcome, JobTotals, Phase, VerifyState, Window};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::sync::Arc;

/// Files as they are, opened with the rights that are asked for.
pub struct Files;

impl TargetLookup for Files {
    fn look_up(&self, path: &str) -> TargetFacts {
        match std::fs::metadata(path) {
            Ok(m) if m.file_type().is_block_device() => {
                let size =
                    std::fs::File::open(path).and_then(|mut device| device.seek(SeekFrom::End(0))).ok();
                TargetFacts { kind: TargetKind::Block, size: size.map(Bytes), ..TargetFacts::MISSING }
            }
            Ok(m) if m.file_type().is_char_device() => {
                TargetFacts { kind: TargetKind::Char, ..TargetFacts::MISSING }
            }
            Ok(m) => {
                TargetFacts { kind: TargetKind::File, size: Some(Bytes(m.len())), ..TargetFacts::MISSING }
            }
            Err(_) => TargetFacts { free: Some(Bytes::gib(64)), ..TargetFacts::MISSING },
        }
    }

    /// Every file promises them, so that the kernel is asked.
    fn atomic_writes(&self, _path: &str) -> Option<AtomicLimits> {
        Some(AtomicLimits { least: Bytes(4096), most: Bytes(16 << 10) })
    }

    fn trace(&self, paths: &[String], terms: &ReplayTerms) -> Result<Arc<TraceFacts>, TraceFault> {
        let files = paths.iter().map(std::fs::File::open).collect::<Result<_, _>>()?;
        Ok(Arc::new(scan(files, terms)?))
    }
}

impl TargetSource for Files {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        let flag = |on: bool, flag: i32| if on { flag } else { 0 };
        let flags =
            flag(how.direct, libc::O_DIRECT) | flag(how.sync, libc::O_SYNC) | flag(how.dsync, libc::O_DSYNC);
        // This path is a full device: every write to it fails with ENOSPC.
        let path = if path.ends_with("on-full-disk") { "/dev/full" } else { path };
        let file = OpenOptions::new()
            .read(true)
            .write(how.write)
            .create(how.write)
            .truncate(false)
            .custom_flags(flags)
            .open(path)?;
        let size = if path == "/dev/full" { 1 << 20 } else { file.metadata()?.len() };
        Ok(OpenTarget { fd: file.into(), is_block: false, size, commands: None })
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        std::fs::remove_file(path)
    }
}

/// The same files, and what an earlier run wrote to them, by job.
pub struct FilesAndStates(pub BTreeMap<u32, Arc<VerifyState>>);

impl TargetSource for FilesAndStates {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        Files.open(path, how)
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        Files.unlink(path)
    }

    fn verify_state(&self, job: u32) -> Option<Arc<VerifyState>> {
        self.0.get(&job).cloned()
    }
}

/// The same files, with something that is done by each thread that opens one, before it does.
pub struct WatchedFiles<F>(pub F);

impl<F: Fn() + Sync> TargetSource for WatchedFiles<F> {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        (self.0)();
        Files.open(path, how)
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        Files.unlink(path)
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

/// Everything that a run reported.
#[derive(Default)]
pub struct Heard {
    pub windows: Vec<Window>,
    pub outcomes: Vec<JobOutcome>,
    pub phases: Vec<(u32, Phase, u64)>,
    pub events: Vec<Event>,
    pub samples: Vec<LogSample>,
    pub histograms: Vec<LogHistogram>,
    /// Jobs that were about to start while none ran, how many jobs had begun to measure
    /// by then, and how many had ended.
    pub starts: Vec<(Vec<usize>, usize, usize)>,
    /// Wrong blocks that are to be saved.
    pub wrong_blocks: Vec<WrongBlock>,
    /// By job, the last state of its verification.
    pub states: BTreeMap<u32, Vec<u8>>,
}

impl Sink for Heard {
    fn frame(&mut self, frame: &Frame) {
        match frame {
            Frame::Window(w) => self.windows.push((**w).clone()),
            Frame::Phase { job, phase, at_ns } => self.phases.push((*job, *phase, *at_ns)),
            Frame::Ended(o) => self.outcomes.push((**o).clone()),
            Frame::Event(e) => self.events.push(e.clone()),
            Frame::SampleTables(_) | Frame::Sample(_) => {}
        }
    }
    fn log(&mut self, chunk: LogChunk) {
        for kind in LogKind::OF_VALUES {
            chunk.each(kind, |sample| self.samples.push(sample));
        }
        self.histograms.extend(chunk.histograms.iter().cloned());
    }
    fn wrong_block(&mut self, block: &WrongBlock) {
        self.wrong_blocks.push(block.clone());
    }
    fn verify_state(&mut self, job: u32, file: Vec<u8>) {
        self.states.insert(job, file);
    }
    fn before_start(&mut self, jobs: &[usize]) {
        let measuring = self.phases.iter().filter(|(_, phase, _)| *phase == Phase::Measure).count();
        self.starts.push((jobs.to_vec(), measuring, self.outcomes.len()));
    }
}

impl Heard {
    /// Totals of one job, as a saved run has them.
    pub fn totals(&self, job: u32) -> JobTotals {
        let mut totals = JobTotals::default();
        for window in self.windows.iter().filter(|w| w.job == job) {
            match window.phase {
                Phase::Measure => totals.add(window),
                Phase::Drain => totals.add_drained(window),
                Phase::Ramp | Phase::Prepare => {}
            }
        }
        totals
    }

    /// I/Os and bytes of one direction of a job.
    pub fn moved(&self, job: u32, direction: Direction) -> (u64, u64) {
        let totals = self.totals(job);
        (totals.directions[direction].ios, totals.directions[direction].bytes)
    }

    /// The outcome of a job.
    pub fn outcome(&self, job: u32) -> &JobOutcome {
        self.outcomes.iter().find(|o| o.job == job).expect("the job ended")
    }
}

/// Why a job text cannot be planned.
pub fn unplanned(text: &str) -> String {
    let jobs = parse::load_text("test", text, &Adjust::default(), &Nowhere).expect("it is a job");
    let machine = Machine { cpus: 2, memory: Bytes::gib(1), memory_available: Bytes::gib(1) };
    let errors =
        plan(&jobs.jobs, &engine::definitions(), &machine, &Files).expect_err("it cannot be planned");
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The plan of a job text.
pub fn planned(text: &str) -> Plan {
    let jobs = parse::load_text("test", text, &Adjust::default(), &Nowhere)
        .unwrap_or_else(|e| panic!("{}", e.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")));
    let machine = Machine { cpus: 2, memory: Bytes::gib(1), memory_available: Bytes::gib(1) };
    plan(&jobs.jobs, &engine::definitions(), &machine, &Files)
        .unwrap_or_else(|e| panic!("{}", e.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
}

/// The plan of a job text, if it can be planned.
pub fn try_planned(text: &str) -> Option<Plan> {
    let jobs = parse::load_text("test", text, &Adjust::default(), &Nowhere).ok()?;
    let machine = Machine { cpus: 2, memory: Bytes::gib(1), memory_available: Bytes::gib(1) };
    plan(&jobs.jobs, &engine::definitions(), &machine, &Files).ok()
}

/// Runs a job text to its end.
pub fn run(text: &str) -> Heard {
    run_until(text, &Arc::default())
}

/// Runs a job text until it ends or `interrupt` is requested.
pub fn run_until(text: &str, interrupt: &Arc<Stop>) -> Heard {
    let mut heard = Heard::default();
    run_plan(planned(text), interrupt, &mut heard);
    heard
}

/// Runs a plan with any sink, by the runner that the plan gets.
pub fn run_plan(plan: Plan, interrupt: &Arc<Stop>, sink: &mut dyn Sink) {
    run_on(Arc::new(Files), plan, interrupt, sink);
}

/// The same, on these targets.
pub fn run_on(
    targets: Arc<dyn TargetSource + Send + Sync>,
    plan: Plan,
    interrupt: &Arc<Stop>,
    sink: &mut dyn Sink,
) {
    let time = PlanTime::of(&plan).unwrap_or_else(|e| panic!("{e}"));
    let clock = time.clock(true);
    let local = LocalThreads { targets, clock, patience: Patience::USUAL };
    let end = time.runner(&local, &Arc::default()).run(&Arc::new(plan), interrupt, sink);
    assert!(end.given_up.is_empty(), "no target of these tests hangs");
}
