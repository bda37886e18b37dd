//! What a job does, in the words that ORION has for it: a share of reads, a block size, so many I/Os in
//! flight, a time. An option that ORION has no word for is named as lost.

use super::PROGRAM;
use crate::convert::{changed, lost};
use crate::diagnostic::Diagnostic;
use crate::direction::{Direction, PerDirection};
use crate::engine::{self, EngineDef};
use crate::job::Job;
use crate::option::{OptionDef, OptionStatus};
use crate::options;
use crate::parse::default_of;
use crate::plan::{BlockSizes, block_sizes, read_percent};
use crate::units::Nanos;
use crate::value::Mix;

/// What a job does.
#[derive(Clone, Debug)]
pub(super) struct Workload<'a> {
    pub job: &'a Job,
    /// Percent of I/Os that are reads.
    pub reads: u8,
    /// Percent of I/Os that go to a random address.
    pub random: u32,
    pub blocks: BlockSizes,
    /// I/Os in flight of each worker.
    pub depth: u32,
    pub workers: u32,
    pub targets: Vec<String>,
    /// Measured for this long, in seconds; `None` where the job ends after its region.
    pub seconds: Option<u64>,
    /// Warm-up before that.
    pub ramp_seconds: u64,
    pub is_async: bool,
}

/// Options that say how a job is started and reported, and not what it does.
const NEUTRAL: &[&str] = &[
    "name",
    "description",
    "thread",
    "group_reporting",
    "new_group",
    "stonewall",
    "random_generator",
    "randrepeat",
    "randseed",
    "norandommap",
    "softrandommap",
    "clocksource",
    "disable_lat",
    "disable_clat",
    "disable_slat",
    "disable_bw_measurement",
    "unified_rw_reporting",
    "ioengine",
];

/// Options that a command line covers.
const COVERED: &[&str] = &[
    "rw",
    "rwmixread",
    "rwmixwrite",
    "percentage_random",
    "bs",
    "bsrange",
    "bssplit",
    "iodepth",
    "numjobs",
    "filename",
    "runtime",
    "time_based",
    "ramp_time",
    "direct",
    "buffered",
    "file_service_type",
    "offset_increment",
];

impl<'a> Workload<'a> {
    /// The workload of a job, and what of it is lost.
    ///
    /// # Errors
    /// The job has no workload that another program could have.
    pub fn of(job: &'a Job, lost_here: &mut Vec<Diagnostic>) -> Result<Self, Diagnostic> {
        let rw = job.get(&options::RW);
        let name = job.get(&options::IOENGINE);
        let engine = engine::named(&name).filter(|engine| !engine.diskless);
        let at = |finding: Diagnostic, key| {
            job.named(key).map_or(finding.clone(), |setting| finding.at(&setting.span))
        };
        let Some(engine) = engine else {
            let message = format!("job {}: {name} does no I/O that another program could do", job.name);
            return Err(at(Diagnostic::error("no-workload", message), "ioengine"));
        };
        if matches!(rw.mix, Mix::Trim | Mix::TrimWrite) {
            let message = format!("job {}: trims have no counterpart", job.name);
            return Err(at(Diagnostic::error("no-workload", message), "rw"));
        }
        let sizes = block_sizes(job);
        let reads = match rw.mix {
            Mix::ReadWrite => mixed_reads(job, &sizes, lost_here),
            mix => read_percent(job, mix),
        };
        if (1..100).contains(&reads) && sizes.read != sizes.write {
            let message = format!("job {}: writes have the block size of reads there", job.name);
            lost_here.push(lost(message, job.named("bs").map(|setting| &setting.span)));
        }
        let random = if rw.random { job.get(&options::PERCENTAGE_RANDOM).read } else { 0 };
        Ok(Workload {
            reads,
            random,
            blocks: if reads > 0 { sizes.read } else { sizes.write },
            depth: reached(job, engine, lost_here),
            workers: job.get(&options::NUMJOBS),
            targets: job.get(&options::FILENAME).unwrap_or_default(),
            seconds: Some(seconds(job.get(&options::RUNTIME))).filter(|_| job.get(&options::TIME_BASED)),
            ramp_seconds: seconds(job.get(&options::RAMP_TIME)),
            is_async: !engine.is_sync(),
            job,
        })
    }

    /// Names each option of the job that ORION has no word for.
    pub fn told_rest(&self, lost_here: &mut Vec<Diagnostic>) {
        for (name, setting) in self.job.settings() {
            let def = options::find(name).filter(|def| !matches!(def.status, OptionStatus::NoEffect(_)));
            let is_lost = |def: &OptionDef| default_of(def).as_ref() != Some(&setting.value);
            if !NEUTRAL.contains(&name) && !COVERED.contains(&name) && def.is_some_and(is_lost) {
                let message =
                    format!("job {}: {name}={} has no counterpart in {PROGRAM}", self.job.name, setting.text);
                lost_here.push(lost(message, Some(&setting.span)));
            }
        }
    }
}

/// Percent of reads in a mix. Where both directions have a rate, the rates decide it, and not `rwmixread`.
fn mixed_reads(job: &Job, sizes: &PerDirection<BlockSizes>, lost_here: &mut Vec<Diagnostic>) -> u8 {
    let asked = read_percent(job, Mix::ReadWrite);
    let (ios, bytes) = (job.get(&options::RATE_IOPS), job.get(&options::RATE));
    // I/Os per second; the error is that of a rate whose blocks have several sizes.
    let rate = |direction: Direction| match (ios[direction], bytes[direction].0, &sizes[direction]) {
        (0, 0, _) => Ok(None),
        (0, bytes, BlockSizes::Fixed(block)) => Ok(Some(bytes as f64 / block.0.max(1) as f64)),
        (0, _, _) => Err(()),
        (ios, _, _) => Ok(Some(f64::from(ios))),
    };
    let key = if ios.read + ios.write > 0 { "rate_iops" } else { "rate" };
    let span = job.named(key).map(|setting| &setting.span);
    match (rate(Direction::Read), rate(Direction::Write)) {
        (Ok(None), Ok(None)) => asked,
        (Ok(Some(read)), Ok(Some(write))) => {
            let exact = 100.0 * read / (read + write);
            let reads = exact.round().clamp(1.0, 99.0) as u8;
            if (exact - f64::from(reads)).abs() > 0.005 {
                let message =
                    format!("job {}: its rates make {exact:.2} % reads, rounded to {reads} %", job.name);
                lost_here.push(changed(message, span));
            }
            reads
        }
        _ => {
            let message = format!(
                "job {}: its rates decide the share of reads, which is not known before it runs: {asked} % takes its place",
                job.name
            );
            lost_here.push(lost(message, span));
            asked
        }
    }
}

/// The depth that is reached: one with a synchronous engine.
fn reached(job: &Job, engine: &EngineDef, lost_here: &mut Vec<Diagnostic>) -> u32 {
    let depth = job.get(&options::IODEPTH);
    if engine.is_sync() && depth > 1 {
        let message = format!(
            "job {}: {} keeps one I/O in flight, so iodepth={depth} is left out",
            job.name, engine.name
        );
        lost_here.push(lost(message, job.named("iodepth").map(|setting| &setting.span)));
        return 1;
    }
    depth
}

/// Whole seconds, at least one for any time.
fn seconds(time: Nanos) -> u64 {
    time.0.div_ceil(1_000_000_000)
}

/// Jobs that run side by side, stage after stage.
pub(super) fn stages(jobs: &[Job]) -> Vec<Vec<&Job>> {
    let mut stages: Vec<Vec<&Job>> = Vec::new();
    for job in jobs {
        match stages.last_mut().filter(|_| !job.get(&options::STONEWALL)) {
            Some(stage) => stage.push(job),
            None => stages.push(vec![job]),
        }
    }
    stages
}
