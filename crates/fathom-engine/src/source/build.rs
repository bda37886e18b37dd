//! From a planned job to its descriptor source.

use super::arrivals::Schedule;
use super::bitmap::RandomMap;
use super::budget::{Boundary, Budget};
use super::cadence::Cadence;
use super::files::{FileChooser, Service};
use super::permutation::{Permutation, split_mix};
use super::places::Places;
use super::region::Region;
use super::seed::Random;
use super::sequence::Sequence;
use super::size::SizeMix;
use super::skew::SkewedPlaces;
use super::skew::files::SkewedFiles;
use super::stream::{RandomKind, Stream};
use super::strides::Strides;
use super::{Source, Turns};
use crate::clock::Clock;
use crate::desc::{Desc, DescBlock};
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_job::value::{FileOrder, FileService, Mix};
use std::collections::VecDeque;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BuildError {
    /// The random map does not fit in memory.
    #[error("no memory for the random map of {blocks} blocks (one bit each)")]
    Map { blocks: u64 },
    /// The region cannot hold one block.
    #[error("{path}: the region of {size} bytes is smaller than one block of {block} bytes")]
    Region { path: String, size: u64, block: u64 },
    /// The kernel does not read or write that much in one call.
    #[error("blocks of {block} bytes: one system call moves at most {BLOCK_MAX}")]
    Block { block: u64 },
}

/// `MAX_RW_COUNT` of linux/fs.h: INT_MAX rounded down to a page.
const BLOCK_MAX: u64 = 0x7fff_f000;

impl Source {
    /// The source of a planned clone that keeps `kept_open` of its files open;
    /// `seed` decides every draw. Intended starts are in ticks of `clock`.
    pub fn new(
        plan: &PlannedJob,
        seed: u64,
        kept_open: usize,
        clock: &Clock,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Source, BuildError> {
        let job = &plan.job;
        check_sizes(plan)?;
        let turns = turns(plan);
        let sizes = PerDirection::from_fn(|d| SizeMix::new(&plan.block[d], job.get(&opt::BS_UNALIGNED)));
        let mut seeds = seed;
        let mut streams = Vec::with_capacity(plan.files.len());
        for file in &plan.files {
            streams.push(stream(plan, file, &sizes, split_mix(&mut seeds), streams.last(), is_stopped)?);
        }
        let has_ramp = plan.has_ramp();
        let mut random = Random::new(split_mix(&mut seeds));
        let mut source = Source {
            files: FileChooser::new(service(plan, &mut random), streams.len(), kept_open, &mut random),
            random,
            streams,
            turns,
            sizes,
            smallest: PerDirection::from_fn(|d| plan.block[d].min().0),
            places: places(plan),
            cadence: cadence(plan),
            budget: Budget::new(&plan.end, plan.block_max().0),
            goes_round: goes_round(plan),
            renews_files: renews_files(plan),
            is_ramp: has_ramp,
            tight: false,
            template: Desc::EMPTY,
            is_stuck: false,
            passes: 0,
            holds_passes: false,
            is_between_passes: false,
            boundary: Boundary::new(plan),
            owed: None,
            // A whole block, one that was held, and the first of a pass: nothing is allocated later.
            unissued: VecDeque::with_capacity(if has_ramp { DescBlock::LEN + 2 } else { 0 }),
            schedules: plan.pace.rate.map(|rate| rate.map(|r| Schedule::new(r, plan.pace.arrivals, clock))),
        };
        source.tight = source.qualifies_for_tight();
        source.template = if source.tight { source.template() } else { Desc::EMPTY };
        Ok(source)
    }
}

/// What a descriptor can say; the plan has looked after the trims.
fn check_sizes(plan: &PlannedJob) -> Result<(), BuildError> {
    let block = plan.transfer_max().0;
    if block > BLOCK_MAX { Err(BuildError::Block { block }) } else { Ok(()) }
}

fn turns(plan: &PlannedJob) -> Turns {
    match plan.rw.mix {
        Mix::Read => Turns::One(Direction::Read),
        Mix::Write => Turns::One(Direction::Write),
        Mix::Trim => Turns::One(Direction::Trim),
        Mix::ReadWrite if plan.read_percent == 100 => Turns::One(Direction::Read),
        Mix::ReadWrite if plan.read_percent == 0 => Turns::One(Direction::Write),
        Mix::ReadWrite => mixed(plan),
        Mix::TrimWrite => Turns::TrimThenWrite,
    }
}

/// Reads and writes. If both have a rate, the rates decide the order; otherwise the mix does.
fn mixed(plan: &PlannedJob) -> Turns {
    let read_percent = u32::from(plan.read_percent);
    match (plan.pace.rate.read.is_some(), plan.pace.rate.write.is_some()) {
        (true, true) => Turns::Scheduled,
        (false, false) => Turns::Mixed { read_percent },
        _ => Turns::HalfScheduled { read_percent },
    }
}

/// Does a direction that is at the end of a file go on at its start, in the
/// same pass? With holes a part of the region stays untouched, and the sequential
/// part of a random job has no end of its own, so the limit in bytes ends the
/// pass. A file that is read and written in sequence is left when one of the
/// two directions ends, as in fio, unless it is the only file of a time-based job.
fn goes_round(plan: &PlannedJob) -> bool {
    let has_hole = plan.rw.postfix.is_some_and(|hole| hole != 0);
    let is_alone = plan.files.len() == 1 && plan.end.time_based;
    let has_zones = Strides::new(plan).is_some();
    !has_zones && (plan.rw.random || has_hole || (is_alone && turns(plan).are_two()))
}

/// With a skewed choice of files, a file that has had all its blocks begins again, as in fio, so that its share stays. What is verified
/// later is written once.
fn renews_files(plan: &PlannedJob) -> bool {
    let is_skewed = matches!(plan.job.get(&opt::FILE_SERVICE_TYPE).order, FileOrder::Skewed(_));
    is_skewed && plan.files.len() > 1 && plan.verify.is_none()
}

fn stream(
    plan: &PlannedJob,
    file: &fathom_job::plan::PlannedFile,
    sizes: &PerDirection<SizeMix>,
    seed: u64,
    before: Option<&Stream>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Stream, BuildError> {
    let unit = plan.block_min().0.max(1);
    let used = Direction::ALL.into_iter().filter(|&d| plan.uses(d));
    let fits_all = used.map(|d| plan.block[d].min().0).max().unwrap_or(unit);
    if file.size.0 < fits_all {
        return Err(BuildError::Region { path: file.path.clone(), size: file.size.0, block: fits_all });
    }
    let hole = if plan.rw.random { 0 } else { plan.rw.postfix.unwrap_or(0) };
    let region = Region {
        base: file.offset.0,
        size: file.size.0,
        align: plan.align.map(|a| a.0.max(1)),
        unit,
        seed,
        first: first(file.size.0, hole, plan.block_max().0),
    };
    if let Some(sequence) = Sequence::new(plan) {
        return Ok(Stream::new(region, RandomKind::Sequence(sequence)));
    }
    if let Some(skew) = SkewedPlaces::new(plan, &region, before.and_then(Stream::skew)) {
        return Ok(Stream::new(region, RandomKind::Skewed(Box::new(skew))));
    }
    let stream = Stream::new(region, random_kind(plan, &region, sizes, is_stopped)?);
    Ok(match Strides::new(plan).filter(|_| plan.rw.random) {
        Some(strides) => stream.in_parts(strides.range()),
        None => stream,
    })
}

/// Where sequential I/O begins in a region of `size` bytes. Only a job that
/// goes backwards begins at the end. A negative hole smaller than a block makes
/// blocks that overlap, and the job still goes forward, as in fio.
fn first(size: u64, hole: i64, largest: u64) -> i64 {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    if hole.unsigned_abs() > largest && hole < 0 { size.saturating_add(hole).max(0) } else { 0 }
}

/// fio's random map, in the form that the job's block sizes need.
fn random_kind(
    plan: &PlannedJob,
    region: &Region,
    sizes: &PerDirection<SizeMix>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<RandomKind, BuildError> {
    let used = Direction::ALL.into_iter().filter(|&d| plan.uses(d));
    let aligned = used.clone().all(|d| plan.align[d].0 == plan.block[d].min().0);
    let is_each_once = plan.rw.random && !plan.draws_freely() && aligned;
    if !is_each_once {
        return Ok(RandomKind::Uniform);
    }
    let fixed = used.clone().all(|d| sizes[d].fixed() == Some(region.unit));
    if fixed {
        let order = Permutation::new(Stream::units(region), region.seed);
        return Ok(RandomKind::Permuted { order, used: 0 });
    }
    if !plan.keeps_random_map() {
        return Ok(RandomKind::Uniform);
    }
    let blocks = Stream::units(region);
    match RandomMap::new(blocks, is_stopped) {
        Some(map) => Ok(RandomKind::Mapped(map)),
        // The job is stopping, and issues nothing any more.
        None if is_stopped() => Ok(RandomKind::Uniform),
        None if plan.job.get(&opt::SOFTRANDOMMAP) => Ok(RandomKind::Uniform),
        None => Err(BuildError::Map { blocks }),
    }
}

fn service(plan: &PlannedJob, random: &mut Random) -> Service {
    let FileService { order, every } = plan.job.get(&opt::FILE_SERVICE_TYPE);
    match order {
        FileOrder::RoundRobin => Service::RoundRobin { every: every.into() },
        FileOrder::Random => Service::Random { every: every.into() },
        FileOrder::Sequential => Service::SEQUENTIAL,
        FileOrder::Skewed(distribution) => {
            let files = SkewedFiles::new(&distribution, plan.files.len(), random.bits(), plan.compat_fio);
            Service::Skewed(Box::new(files))
        }
    }
}

fn places(plan: &PlannedJob) -> Places {
    let postfix = plan.rw.postfix.unwrap_or(0);
    let percent = plan.job.get(&opt::PERCENTAGE_RANDOM);
    let run = if plan.rw.random { u32::try_from(postfix).unwrap_or(0) } else { 0 };
    let strides: Vec<Strides> = plan.files.iter().filter_map(|_| Strides::new(plan)).collect();
    Places {
        random_percent: percent.map(|p| if plan.rw.random { p } else { 0 }),
        run,
        run_left: u32::from(!strides.is_empty()),
        identical: plan.job.get(&opt::RW_SEQUENCER) == "identical",
        last: None,
        hole: if plan.rw.random { 0 } else { postfix },
        strides,
    }
}

fn cadence(plan: &PlannedJob) -> Cadence {
    Cadence::new(
        plan.job.get(&opt::FSYNC),
        plan.job.get(&opt::FDATASYNC),
        plan.job.get(&opt::SYNC_FILE_RANGE).map_or(0, |r| r.every),
    )
}
