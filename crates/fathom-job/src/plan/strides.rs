//! Zones of `zonemode=strided`: which parts of a region sequential and random I/O uses, one after the other.

use super::notes::{self, Checked};
use super::{BlockSizes, PlannedJob};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::job::Job;
use crate::options;
use crate::units::Bytes;
use crate::value::Size;

/// The zones of a strided job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StridePlan {
    /// Bytes that a visit to a zone moves (`zonesize`).
    pub size: Bytes,
    /// Bytes of a zone in which its I/O is (`zonerange`).
    pub range: Bytes,
    /// Bytes from the start of a zone to that of the next.
    pub step: Bytes,
}

impl StridePlan {
    /// `64 KiB in each zone of 1 MiB, 1 MiB left out between zones`.
    pub(super) fn words(&self) -> String {
        let between = self.step.0 - self.range.0;
        let between = (between > 0).then(|| format!(", {} left out between zones", Bytes(between)));
        format!("{} in each zone of {}{}", self.size, self.range, between.unwrap_or_default())
    }
}

/// The zones that a job asks for, if it asks for any.
pub fn strides(job: &Job) -> Option<StridePlan> {
    if job.get(&options::ZONEMODE) != "strided" {
        return None;
    }
    let size = job.get(&options::ZONESIZE);
    let range = Some(job.get(&options::ZONERANGE)).filter(|range| range.0 > 0).unwrap_or(size);
    let skip = match job.get(&options::ZONESKIP) {
        Size::Bytes(bytes) => bytes.0,
        Size::Zones(zones) => size.0.saturating_mul(zones.into()),
        Size::Percent(_) => 0,
    };
    (size.0 > 0).then_some(StridePlan { size, range, step: Bytes(range.0.saturating_add(skip)) })
}

/// Do the options of zones belong together, and does the job ask for nothing else that decides where its I/O goes?
pub(super) fn check(planned: &PlannedJob) -> Checked<()> {
    let job = &planned.job;
    if job.get(&options::ZONEMODE) == "zbd" {
        return Ok(());
    }
    let is_strided = job.get(&options::ZONEMODE) == "strided";
    if is_strided != (job.get(&options::ZONESIZE).0 > 0) {
        let message = format!("job {}: zonemode=strided and zonesize need each other, as in fio", job.name);
        return Err(notes::error(job, &options::ZONEMODE, "zones-incomplete", message)
            .hint("zonemode=strided with zonesize=64k zonerange=1m: 64 KiB of each MiB"));
    }
    match is_strided.then(|| other_order(planned)).flatten() {
        Some(other) => Err(with(job, other)),
        None => Ok(()),
    }
}

/// What else decides the offsets of the job.
fn other_order(planned: &PlannedJob) -> Option<&'static str> {
    let job = &planned.job;
    let mut used = Direction::ALL.into_iter().filter(|d| planned.uses(*d));
    let is_fixed = |d: Direction| matches!(planned.block[d], BlockSizes::Fixed(_));
    match () {
        () if job.get(&options::VERIFY) != "0" => Some("verify"),
        () if planned.rw.postfix.is_some_and(|n| n != 0) => Some("a number behind rw"),
        () if !job.get(&options::RANDOM_DISTRIBUTION).is_uniform() => Some("random_distribution"),
        () if planned.rw.random && !planned.draws_each() => Some("percentage_random"),
        () if planned.rw.random && !planned.draws_freely() && !used.all(is_fixed) => {
            Some("a block size that varies, without norandommap,")
        }
        () => None,
    }
}

fn with(job: &Job, other: &str) -> Diagnostic {
    let message = format!("job {}: zonemode=strided with {other} is not in this version", job.name);
    notes::error(job, &options::ZONEMODE, "zones-with", message)
        .hint("leave out one of the two; jobs with offset= and size= reach single parts of a target")
}
