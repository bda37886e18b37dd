//! Runs that were never run: a job file, planned as usual, with windows written
//! through the spool and read back, so that tests see what a report sees.

use fathom_job::direction::{Direction, PerDirection};
use fathom_job::engine::ENGINES;
use fathom_job::parse::{Adjust, Keywords, Surroundings, load_text};
use fathom_job::plan::{Machine, Plan, TargetFacts, TargetKind, TargetLookup, plan};
use fathom_job::units::Bytes;
use fathom_results::answer::limit::{DeviceKind, RateLaw};
use fathom_results::answer::{
    AttachedKind, Gain, Headline, JobHeadline, Measured, MeasuredDevice, MeasuredKind, MeasuredTarget,
    Remark, RemarkKind,
};
use fathom_results::{
    Answer, ClassKind, DeviceClass, DirectionWindow, DiskDelta, EndedBy, Fact, Finish, Frame, JobLimit,
    JobOutcome, JobRecord, LatencyWindow, Limit, Limits, NextStep, Phase, PlanRecord, Reason, RunEnd,
    RunRecord, RunResult, SpoolWriter, Trust, TrustLevel, Usage, Why, Window, load,
};
use fathom_stats::{Histogram, Moments};

pub const SECOND: u64 = 1_000_000_000;

/// What a synthetic run is made of; change it before [`Recipe::run`].
pub struct Recipe {
    /// Text of the job file.
    pub jobs: String,
    /// Seconds of ramp and of measurement.
    pub seconds: (u64, u64),
    /// I/Os per second and direction of a worker, around which windows vary.
    pub rate: u64,
    /// Last changes to each window; its second since the start of the job comes
    /// with it.
    pub shape: fn(u64, &mut Window),
    /// Last changes to the record.
    pub edit: fn(&mut RunRecord),
    /// Last changes to each worker's end.
    pub end: fn(&mut JobOutcome),
}

impl Recipe {
    pub fn new(jobs: &str) -> Self {
        Recipe {
            jobs: jobs.to_owned(),
            seconds: (1, 12),
            rate: 2_000,
            shape: |_, _| (),
            edit: |_| (),
            end: |_| (),
        }
    }

    /// Writes the run and loads it. The directory is gone afterwards; reports
    /// only name it.
    pub fn run(self) -> RunResult {
        let dir = tempfile::tempdir().unwrap();
        let (plan, globals) = planned(&self.jobs);
        let mut record = record(plan, globals, self.seconds);
        (self.edit)(&mut record);
        let mut spool = SpoolWriter::create(dir.path(), &record.id).unwrap();
        for job in &record.plan.jobs {
            self.frames(job).iter().for_each(|frame| spool.append(frame).unwrap());
        }
        match record.finish {
            Some(_) => record.save_sealed(dir.path(), spool.extent()).unwrap(),
            None => record.save(dir.path()).unwrap(),
        }
        let mut run = load(dir.path()).unwrap();
        run.dir = "fathom-runs/synthetic".into();
        run
    }

    fn frames(&self, job: &JobRecord) -> Vec<Frame> {
        let (ramp, measured) = self.seconds;
        // Jobs of a later stage start when those before have ended.
        let start = u64::from(job.stage) * (ramp + measured);
        let mut chance = Chance(u64::from(job.id) * 7919 + 1);
        let mut frames: Vec<Frame> = (0..ramp + measured)
            .map(|second| {
                let phase = if second < ramp { Phase::Ramp } else { Phase::Measure };
                let rate = if second < ramp { self.rate / 2 } else { self.rate };
                let mut window = window(job, phase, start + second, rate, &mut chance);
                (self.shape)(second, &mut window);
                Frame::Window(Box::new(window))
            })
            .collect();
        let mut outcome = outcome(job, (start + ramp, start + ramp + measured));
        (self.end)(&mut outcome);
        frames.push(Frame::Ended(Box::new(outcome)));
        frames
    }
}

/// The limit of one job: its device.
pub fn limits() -> Limits {
    let rate = RateLaw { iops: 80_000.0, mean: None, in_flight: None };
    let limit = Limit::Device { target: DeviceKind::Device, rate, worker_waited: Some(0.8), queueing: None };
    let job = JobLimit { job: "randread".to_owned(), limit, against: Vec::new(), rounds: None };
    Limits { jobs: vec![job], is_part: false }
}

/// A device by its path, with what is known of it.
pub fn device(path: &str, model: Option<&str>, bytes: u64, kind: AttachedKind) -> MeasuredDevice {
    let model = model.map(str::to_owned);
    MeasuredDevice { path: path.to_owned(), model, bytes: Some(bytes), kind: Some(kind) }
}

/// One target.
pub fn measured(kind: MeasuredKind) -> Measured {
    Measured::Targets { targets: vec![MeasuredTarget { kind, jobs: None }], more: 0 }
}

/// The result of one job without a latency: `2.00k IOPS, 8.19 MB/s`.
pub fn rate(iops: f64) -> Headline {
    let job = JobHeadline {
        job: "randread".to_owned(),
        ios: (iops * 30.0) as u64,
        runtime_ns: 30_000_000_000,
        unrated: None,
        in_bytes: false,
        iops: Some(iops),
        bytes_per_second: Some(iops * 4096.0),
        half_share: None,
        asked: None,
        fall: None,
        uneven: None,
        sync: None,
        directions: Vec::new(),
    };
    Headline::Jobs { jobs: vec![job], more: 0 }
}

/// An answer with this rate.
pub fn answer(iops: f64) -> Answer {
    Answer {
        measured: measured(MeasuredKind::Device {
            device: device("/dev/loop7", None, 1 << 30, AttachedKind::Loop),
        }),
        result: rate(iops),
        class: Some(DeviceClass {
            kind: ClassKind::SataSsd { read_ns: 97_000.0, reads: 80_000.0, bytes_per_second: 5.3e8 },
            is_virtual: false,
        }),
        trust: Trust {
            level: TrustLevel::Medium,
            reasons: vec![Reason::new(Why::Short { seconds: 12.0 }, TrustLevel::Medium)],
            shortest_s: None,
        },
        limit: Some(limits()),
        remarks: vec![Remark { kind: RemarkKind::Unflushed { jobs: None }, rounds: None }],
        next: NextStep {
            command: "fathom run job.fio --repeat 5".to_owned(),
            gain: Gain::Variation,
            needs_consent: false,
        },
        ..Answer::default()
    }
}

/// A job file of `tests/fixtures`.
pub fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn window(job: &JobRecord, phase: Phase, second: u64, rate: u64, chance: &mut Chance) -> Window {
    let mut counts = Vec::new();
    for direction in Direction::ALL.into_iter().filter(|d| job.uses(*d)) {
        let ios = rate - rate / 10 + chance.below(rate / 5);
        counts.push((direction, direction_window(job, direction, ios, chance)));
    }
    let total: u64 = counts.iter().map(|(_, w)| w.ios).sum();
    let syncs = if option(job, "fsync").is_some() { total } else { 0 };
    let mut depth = [0; 7];
    depth[(job.depth.reachable.max(1).ilog2() as usize).min(6)] = total;
    Window {
        job: job.id,
        phase,
        start_ns: second * SECOND,
        end_ns: (second + 1) * SECOND,
        directions: counts,
        sync: latencies(syncs, 400_000, chance),
        depth,
        submit: [0, total, 0, 0, 0, 0, 0],
        complete: [0, total, 0, 0, 0, 0, 0],
    }
}

fn direction_window(job: &JobRecord, direction: Direction, ios: u64, chance: &mut Chance) -> DirectionWindow {
    let typical = if direction == Direction::Write { 30_000 } else { 85_000 };
    let submission =
        if job.depth.reachable > 1 { latencies(ios, 2_000, chance) } else { LatencyWindow::default() };
    DirectionWindow {
        ios,
        bytes: ios * job.block[direction].max().0,
        total: latencies(ios, typical + 2_000, chance),
        completion: latencies(ios, typical, chance),
        submission,
        ..DirectionWindow::default()
    }
}

/// Latencies with a long tail: most near `typical`, one in a thousand far off.
fn latencies(n: u64, typical: u64, chance: &mut Chance) -> LatencyWindow {
    let (mut moments, mut histogram) = (Moments::new(), Histogram::new());
    for _ in 0..n {
        let usual = typical - typical / 8 + chance.below(typical / 2);
        let ns = if chance.below(1000) == 0 { usual * (5 + chance.below(40)) } else { usual };
        moments.record(ns);
        histogram.record(ns);
    }
    LatencyWindow { moments, histogram: (n > 0).then(|| histogram.sparse()) }
}

fn outcome(job: &JobRecord, (from, to): (u64, u64)) -> JobOutcome {
    JobOutcome {
        job: job.id,
        at_ns: to * SECOND,
        ended_by: EndedBy::Time,
        failure: None,
        first_error: None,
        measured_ns: Some((from * SECOND, to * SECOND)),
        usage: Usage {
            user_ns: (to - from) * 60_000_000,
            system_ns: (to - from) * 140_000_000,
            switches_voluntary: 5_000,
            switches_involuntary: 12,
            faults_minor: 27,
            ..Usage::default()
        },
        layout_bytes: 0,
        sizes: PerDirection::default(),
        notes: Vec::new(),
        verification: None,
    }
}

fn record(plan: Plan, globals: Vec<(String, String)>, (ramp, measured): (u64, u64)) -> RunRecord {
    let stages = plan.jobs.iter().map(|j| u64::from(j.stage) + 1).max().unwrap_or(1);
    RunRecord {
        format: fathom_results::record::FORMAT,
        id: "20261121-033846-synthetic-4f2a".into(),
        name: "synthetic".into(),
        fathom: "0.1.0".into(),
        started_unix_ns: 1_795_232_326_000_000_000,
        command: ["fathom", "run", "synthetic.fio"].map(str::to_owned).to_vec(),
        plan: PlanRecord::from(&plan),
        globals,
        host: vec![
            Fact {
                name: "cpu.model".into(),
                value: Some("An <Honest> CPU".into()),
                source: "/proc/cpuinfo".into(),
            },
            Fact { name: "target.link".into(), value: None, source: "no such file".into() },
        ],
        surroundings: Default::default(),
        disks: Vec::new(),
        process_io: None,
        messages: Vec::new(),
        self_knowledge: Default::default(),
        stops: Vec::new(),
        findings: Vec::new(),
        rules: Vec::new(),
        procedure: None,
        round: None,
        note: None,
        tags: Vec::new(),
        answer: None,
        datasheet: None,
        finish: Some(Finish {
            elapsed_ns: stages * (ramp + measured) * SECOND,
            complete: true,
            ended: RunEnd::ByItself,
            message: None,
        }),
        seal: None,
    }
}

/// A disk that served `ios` reads and as many writes in `ms` milliseconds.
pub fn disk(name: &str, ios: u64, ms: u64) -> DiskDelta {
    DiskDelta {
        disk: name.into(),
        interval_ms: ms,
        ios: [ios, ios, 0],
        merges: [0, 3, 0],
        sectors: [ios * 8, ios * 8, 0],
        ticks_ms: [ms * 3, ms, 0],
        busy_ms: ms * 9 / 10,
        queue_ms: ms * 4,
        flushes: None,
    }
}

fn option<'a>(job: &'a JobRecord, name: &str) -> Option<&'a str> {
    job.job.settings().find(|(n, _)| *n == name).map(|(_, s)| s.text.as_str())
}

fn planned(text: &str) -> (Plan, Vec<(String, String)>) {
    let set =
        load_text("synthetic.fio", text, &Adjust::default(), &World).unwrap_or_else(|e| panic!("{e:?}"));
    // In the order of the file, as the record promises.
    let mut globals = set.globals;
    globals.sort_by_key(|(_, setting)| setting.span.line);
    let globals = globals.iter().map(|(name, s)| ((*name).to_owned(), s.text.clone())).collect();
    let machine = Machine { cpus: 8, memory: Bytes::gib(16), memory_available: Bytes::gib(16) };
    let plan = plan(&set.jobs, ENGINES, &machine, &World).unwrap_or_else(|e| panic!("{e:?}"));
    (plan, globals)
}

/// A world in which every device has 32 MiB and no file exists yet.
struct World;

impl Surroundings for World {
    fn read(&self, path: &str, _from: Option<&str>) -> Result<String, String> {
        Err(format!("{path} is not of this world"))
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn keywords(&self) -> Keywords {
        Keywords { page_size: 4096, memory_mb: 16 << 10, cpus: 8 }
    }
}

impl TargetLookup for World {
    fn look_up(&self, path: &str) -> TargetFacts {
        let free = Some(Bytes::gib(100));
        if path == "/dev/shm" {
            return TargetFacts { kind: TargetKind::Directory, free, ..TargetFacts::MISSING };
        }
        match path.starts_with("/dev/") && !path.starts_with("/dev/shm") {
            true => TargetFacts {
                kind: TargetKind::Block,
                size: Some(Bytes::mib(32)),
                direct_align: Some(Bytes(512)),
                ..TargetFacts::MISSING
            },
            false => TargetFacts { free, ..TargetFacts::MISSING },
        }
    }
}

/// A linear congruential generator (Knuth's MMIX constants): the same run each
/// time is all that is asked of it.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if n == 0 { 0 } else { (self.0 >> 33) % n }
    }
}

/// Writes of 1 MiB, with this number of them in each second.
pub fn writes(each: &[u64]) -> RunResult {
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};
    let job = "rw=write bs=1m ioengine=libaio iodepth=8 direct=1 filename=/data/f";
    let second = |scene: RunBuilder, ios: &u64| {
        scene.seconds(0, 1, &[DirectionLoad::writes(*ios, 1 << 20, 2_000_000)])
    };
    each.iter().fold(RunBuilder::of(job), second).run()
}

/// Such writes whose rate falls at second 12 of 20.
pub fn fallen() -> RunResult {
    writes(&(0..20).map(|second| if second < 12 { 3_000 } else { 400 } + second % 3).collect::<Vec<u64>>())
}
