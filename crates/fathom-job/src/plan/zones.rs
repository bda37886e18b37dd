//! Zones of `zonemode=zbd`: what the zones of a target are, which part of it a job uses, and what goes with zones.

use super::notes::{self, Checked, Notes};
use super::target::{PlannedTarget, TargetFacts, TargetKind, simulated_model};
use super::{BlockSizes, PlannedFile, PlannedJob};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::job::Job;
use crate::option::Key;
use crate::options;
use crate::units::Bytes;
use crate::value::{Mix, Size};
use fathom_sim::{DriveModel, ZonedModel};

/// What is known of a zoned target before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetZones {
    /// Bytes from the start of a zone to that of the next.
    pub size: Bytes,
    /// Most zones that may be open at the same time; 0 is no limit.
    pub open_max: u32,
    /// Most zones that may be partly written, whether they are open or not; 0 is no limit.
    pub active_max: u32,
    /// A write is a multiple of this.
    pub write_unit: Bytes,
}

/// Most zones that may be open where each of them is partly written: the smaller limit. 0 is no limit.
pub fn most_open(open_max: u32, active_max: u32) -> u32 {
    [open_max, active_max].into_iter().filter(|most| *most > 0).min().unwrap_or(0)
}

/// What a job with `zonemode=zbd` asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZonePlan {
    /// `zonesize`; 0 is that of the device.
    pub size: Bytes,
    /// Bytes of a zone that can be written, for a target without zones.
    pub capacity: Bytes,
    /// Zones from the end of one to the next of a sequential job; 0 is none.
    pub skip: Bytes,
    /// Reads go beyond the write pointers.
    pub reads_beyond: bool,
    /// Most partly written zones of all jobs; 0 is the limit of the device.
    pub open_max: u32,
    /// Most partly written zones of this job; 0 is no limit.
    pub own_open_max: u32,
    /// The limits of the device are not kept.
    pub ignores_limits: bool,
    /// Share of the region with data from which on zones are reset.
    pub reset_threshold: f64,
    /// Resets for each write from there on.
    pub reset_frequency: f64,
    /// Goes on in a zone after a failed write.
    pub recovers: bool,
    /// Writes the end of a zone that is too short for a block.
    pub writes_remainder: bool,
}

impl ZonePlan {
    /// `zones of 64 MiB; at most 14 partly written; 64 MiB left out between zones`.
    pub(super) fn words(&self) -> String {
        let sizes = match (self.size.0, self.capacity) {
            (0, _) => "the zones of the target".to_owned(),
            (_, capacity) if capacity == self.size => format!("zones of {}", self.size),
            (_, capacity) => format!("zones of {}, {capacity} of each written", self.size),
        };
        let most =
            |most: u32, whose: &str| (most > 0).then(|| format!("at most {most} partly written{whose}"));
        let parts = [
            Some(sizes),
            most(self.open_max, ""),
            most(self.own_open_max, " by this job"),
            self.ignores_limits.then(|| "the limits of the device are not kept".to_owned()),
            (self.skip.0 > 0).then(|| format!("{} left out between zones", self.skip)),
            self.reads_beyond.then(|| "reads beyond the write pointers".to_owned()),
            (self.reset_frequency > 0.0).then(|| {
                let (threshold, frequency) = (self.reset_threshold, self.reset_frequency);
                format!("{frequency} zone resets for each write while more than {threshold} of the region holds data")
            }),
            self.recovers.then(|| "goes on after a failed write".to_owned()),
            self.writes_remainder.then(|| "writes the short ends of zones".to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// What the job asks for, if its mode is `zbd`.
pub fn zones(job: &Job) -> Option<ZonePlan> {
    if job.get(&options::ZONEMODE) != "zbd" {
        return None;
    }
    let size = job.get(&options::ZONESIZE);
    let capacity = Some(job.get(&options::ZONECAPACITY)).filter(|bytes| bytes.0 > 0).unwrap_or(size);
    let skip = match job.get(&options::ZONESKIP) {
        Size::Bytes(bytes) => bytes,
        Size::Zones(zones) => Bytes(size.0.saturating_mul(zones.into())),
        Size::Percent(_) => Bytes(0),
    };
    Some(ZonePlan {
        size,
        capacity,
        skip,
        reads_beyond: job.get(&options::READ_BEYOND_WP),
        open_max: job.get(&options::MAX_OPEN_ZONES),
        own_open_max: job.get(&options::JOB_MAX_OPEN_ZONES),
        ignores_limits: job.get(&options::IGNORE_ZONE_LIMITS),
        reset_threshold: job.get(&options::ZONE_RESET_THRESHOLD),
        reset_frequency: job.get(&options::ZONE_RESET_FREQUENCY),
        recovers: job.get(&options::RECOVER_ZBD_WRITE_ERROR),
        writes_remainder: job.get(&options::WRITE_ZONE_REMAINDER),
    })
}

/// Bytes of a zone of this target for this job; `None` without zones.
pub(super) fn zone_bytes(job: &Job, facts: &TargetFacts) -> Option<u64> {
    let asked = zones(job)?.size.0;
    let size = facts.zones.map_or(asked, |zones| zones.size.0);
    (size > 0).then_some(size)
}

/// The whole zones within `offset` and `asked` bytes from there, as in fio: the start is rounded up and the end down.
pub(super) fn whole(zone: u64, offset: u64, asked: u64) -> (u64, u64) {
    let end = offset.saturating_add(asked) / zone * zone;
    let start = offset.checked_next_multiple_of(zone).unwrap_or(end);
    (start, end.saturating_sub(start))
}

/// Can the job use the zones of its targets, and does nothing else that it asks for decide where its I/O goes?
pub(super) fn check(planned: &PlannedJob, targets: &[PlannedTarget]) -> Checked<()> {
    match zones(&planned.job) {
        None => targets.iter().try_for_each(|target| needs_none(planned, target)),
        Some(zones) => {
            stands_alone(planned)?;
            targets.iter().try_for_each(|target| suits(planned, &zones, target))
        }
    }
}

/// A host-managed device takes no write that is not at a write pointer.
fn needs_none(planned: &PlannedJob, target: &PlannedTarget) -> Checked<()> {
    if target.facts.zones.is_none() || !planned.writes() {
        return Ok(());
    }
    let message = format!(
        "job {}: {} is a host-managed zoned device, which takes writes only at the write pointers of its zones",
        planned.name, target.path
    );
    Err(notes::error(&planned.job, &options::FILENAME, "zoned-target", message)
        .hint("zonemode=zbd writes there; rw=trim with it empties zones"))
}

fn suits(planned: &PlannedJob, zones: &ZonePlan, target: &PlannedTarget) -> Checked<()> {
    let job = &planned.job;
    let facts = &target.facts;
    if matches!(facts.kind, TargetKind::None | TargetKind::Name | TargetKind::Char) {
        let message = format!("job {}: zonemode=zbd needs a block device, a file or sim:smr", planned.name);
        return Err(notes::error(job, &options::ZONEMODE, "zones-target", message));
    }
    match facts.zones {
        Some(own) => suits_device(planned, zones, target, own)?,
        None if zones.size.0 == 0 => {
            let message = format!(
                "job {}: {} has no zones of its own, so zonemode=zbd needs zonesize",
                job.name, target.path
            );
            return Err(notes::error(job, &options::ZONEMODE, "zones-incomplete", message)
                .hint("zonesize=64m, for example"));
        }
        None => {}
    }
    let size = facts.zones.map_or(zones.size.0, |own| own.size.0);
    let capacity = if facts.zones.is_some() { size } else { zones.capacity.0 };
    fits(planned, zones, size, capacity)
}

/// The zones of a device are as they are.
fn suits_device(
    planned: &PlannedJob,
    zones: &ZonePlan,
    target: &PlannedTarget,
    own: TargetZones,
) -> Checked<()> {
    let (job, path) = (&planned.job, &target.path);
    if target.facts.kind == TargetKind::Block && planned.uses(Direction::Write) {
        takes_writes(planned, path, own)?;
    }
    if zones.size.0 > 0 && zones.size != own.size {
        let message = format!(
            "job {}: the zones of {path} have {} bytes, and zonesize is {}",
            job.name, own.size.0, zones.size.0
        );
        return Err(notes::error(job, &options::ZONESIZE, "zones-device", message).hint("leave zonesize out"));
    }
    if job.is_given(&options::ZONECAPACITY) {
        let message = format!("job {}: the zones of {path} have capacities of their own", job.name);
        return Err(
            notes::error(job, &options::ZONECAPACITY, "zones-device", message).hint("leave zonecapacity out")
        );
    }
    if own.open_max > 0 && zones.open_max > own.open_max && !zones.ignores_limits {
        let message = format!("job {}: at most {} zones of {path} may be open", job.name, own.open_max);
        return Err(notes::error(job, &options::MAX_OPEN_ZONES, "zones-device", message)
            .hint("a smaller max_open_zones, or ignore_zone_limits=1"));
    }
    Ok(())
}

/// Only direct writes arrive in the order in which they are made, and a device takes whole units of its own.
fn takes_writes(planned: &PlannedJob, path: &str, own: TargetZones) -> Checked<()> {
    let (job, unit) = (&planned.job, own.write_unit.0.max(1));
    if !planned.direct {
        let message = format!(
            "job {}: writes to {path} need direct I/O, because the page cache changes their order",
            job.name
        );
        return Err(notes::error(job, &options::DIRECT, "zones-device", message).hint("direct=1"));
    }
    if !planned.block[Direction::Write].divisor().0.is_multiple_of(unit) {
        let option = super::blocks::option_in_force(job);
        let message =
            format!("job {}: writes to {path} are multiples of {unit} bytes, and {option} is not", job.name);
        return Err(notes::error(job, &options::BS, "zones-device", message));
    }
    Ok(())
}

/// Do zones of this size hold the blocks of the job?
fn fits(planned: &PlannedJob, zones: &ZonePlan, size: u64, capacity: u64) -> Checked<()> {
    let job = &planned.job;
    let option = super::blocks::option_in_force(job);
    let refused = |key: &Key<Bytes>, message: String| {
        Err(notes::error(job, key, "zones-odd", format!("job {}: {message}", job.name)))
    };
    if !size.is_multiple_of(512) || !capacity.is_multiple_of(512) {
        return refused(
            &options::ZONESIZE,
            format!("zones of {size} bytes with {capacity} to write are no multiples of 512"),
        );
    }
    if capacity > size {
        return refused(
            &options::ZONECAPACITY,
            format!("zonecapacity of {capacity} bytes is more than a zone of {size}"),
        );
    }
    if !zones.skip.0.is_multiple_of(size) {
        return refused(
            &options::ZONESIZE,
            format!("zoneskip of {} bytes is not a multiple of a zone of {size}", zones.skip.0),
        );
    }
    for direction in Direction::ALL.into_iter().filter(|d| planned.uses(*d)) {
        let sizes = &planned.block[direction];
        if direction == Direction::Trim {
            if *sizes != BlockSizes::Fixed(Bytes(size)) {
                let message =
                    format!("a trim resets a zone, so {option} must be that of a zone, {size} bytes");
                return refused(&options::ZONESIZE, message);
            }
        } else if sizes.max().0 > capacity {
            let message =
                format!("{option} of {} bytes is more than the {capacity} bytes of a zone", sizes.max().0);
            return refused(&options::ZONESIZE, message);
        } else if !size.is_multiple_of(sizes.divisor().0.max(1)) {
            let message = format!(
                "a zone of {size} bytes is not a multiple of the {option} of {} bytes",
                sizes.divisor().0
            );
            return refused(&options::ZONESIZE, message);
        }
    }
    Ok(())
}

/// Code of the finding that a job reads zones of a simulated drive before anything is written there. It is a warning of the plan,
/// because the drive may have been written by a run before this one.
pub const ZONES_EMPTY: &str = "zones-empty";

/// Adds a finding for each job that reads zones which only this run could write, and does not.
pub(super) fn find_empty(jobs: &[PlannedJob], notes: &mut Notes) {
    for job in jobs {
        let reads_only = job.uses(Direction::Read) && !job.uses(Direction::Write);
        let Some(asked) = zones(&job.job).filter(|_| reads_only) else { continue };
        let is_written = |file: &PlannedFile| {
            let others = jobs.iter().filter(|other| other.stage <= job.stage && other.uses(Direction::Write));
            others.flat_map(|other| &other.files).any(|other| other.path == file.path)
        };
        let is_empty = |file: &PlannedFile| needs_data(file, &asked) && !is_written(file);
        if job.files.iter().all(is_empty) {
            notes.push(reads_empty(job));
        }
    }
}

/// Is it a region of a simulated drive in which only what was written can be read?
fn needs_data(file: &PlannedFile, asked: &ZonePlan) -> bool {
    let Some(Ok(DriveModel::Zoned(ZonedModel { zones, .. }))) = simulated_model(&file.path) else {
        return false;
    };
    let is_answered = asked.reads_beyond && zones.reads_unwritten;
    !is_answered && file.offset.0 >= u64::from(zones.conventional) * zones.zone_bytes
}

fn reads_empty(job: &PlannedJob) -> Diagnostic {
    let path = job.files.iter().next().map_or("", |file| file.path.as_str());
    let message = format!(
        "job {}: the zones that it reads are empty: {path} is new at the start, and no job writes them before",
        job.name
    );
    notes::warning(&job.job, &options::RW, ZONES_EMPTY, message)
        .hint("a job of rw=write before it, and stonewall in this one")
        .hint("read_beyond_wp=1 and a drive that answers such reads: sim:smr,reads_unwritten=yes")
}

/// Refuses what cannot be right with zones, or is not built.
fn stands_alone(planned: &PlannedJob) -> Checked<()> {
    let job = &planned.job;
    let Some((other, hint)) = other_order(planned) else { return Ok(()) };
    let message = format!("job {}: zonemode=zbd with {other} is not in this version", job.name);
    Err(notes::error(job, &options::ZONEMODE, "zones-with", message).hint(hint))
}

/// What else decides where the I/O goes, and what to do instead.
fn other_order(planned: &PlannedJob) -> Option<(&'static str, &'static str)> {
    let job = &planned.job;
    let engine = planned.engine_def();
    let leave = "leave out one of the two";
    match () {
        () if job.get(&options::VERIFY) != "0" => Some((
            "verify",
            "what is read back may have been reset by then; verify writes without zonemode=zbd",
        )),
        () if planned.replays.is_some() => Some(("read_iolog", leave)),
        () if planned.compat_fio => Some(("compat=fio", leave)),
        () if planned.rw.mix == Mix::TrimWrite => Some((
            "rw=trimwrite",
            "a write empties a full zone by itself: rw=write, or a job of rw=trim before it",
        )),
        () if planned.rw.postfix.is_some_and(|n| n != 0) => {
            Some(("a number behind rw", "zoneskip leaves out zones"))
        }
        () if planned.rw.random && !planned.draws_each() => Some(("percentage_random", leave)),
        () if planned.rw.random && job.is_given(&options::ZONESKIP) => {
            Some(("zoneskip and random I/O", "zoneskip is for sequential jobs, as in fio"))
        }
        () if job.get(&options::BS_IS_SEQ_RAND) => Some(("bs_is_seq_rand", leave)),
        () if job.get(&options::BS_UNALIGNED) => Some(("bs_unaligned", leave)),
        () if job.get(&options::FILL_DEVICE) => {
            Some(("fill_device", "a sequential job ends with its last zone"))
        }
        () if job.get(&options::FILE_APPEND) => Some(("file_append", leave)),
        () if job.get(&options::OPENFILES).is_some() => {
            Some(("openfiles", "all files stay open; leave it out"))
        }
        () if engine.is_some_and(|e| e.maps_files || e.changes_space || e.names.is_some()) => {
            Some(("this engine", "ioengine=psync, libaio or io_uring"))
        }
        () => None,
    }
}
