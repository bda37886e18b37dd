//! The targets, with what a person recognises them by.

use crate::case::Case;
use crate::cell::Cell;
use fathom_job::plan::TargetKind;
use fathom_results::answer::{AttachedKind, Measured, MeasuredDevice, MeasuredKind, MeasuredTarget};
use fathom_results::{FileRecord, JobsPart};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Targets that are described, each by its own facts; the others are counted.
const DESCRIBED_MAX: usize = 3;

/// A target: one file or device, or many files whose names are counted up.
#[derive(Clone)]
struct Target<'a> {
    path: Cow<'a, str>,
    /// What the plan says of it, or of the files that it is one of.
    file: &'a FileRecord,
    /// How many files it is.
    count: u64,
}

pub(super) fn measured(case: &Case<'_>) -> Measured {
    let is_target = |file: &&FileRecord| !file.path.is_empty() && file.kind != TargetKind::None;
    let files = || case.run.record.plan.jobs.iter().flat_map(|job| &job.files).filter(is_target);
    let mut first: Vec<Target<'_>> = Vec::new();
    let mut known: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    for target in files().flat_map(targets) {
        if known.insert(target.path.clone()) && first.len() < DESCRIBED_MAX {
            first.push(target);
        }
    }
    let (described, is_only) = (first.len(), first.len() == 1);
    let each = first.into_iter().map(|target| MeasuredTarget {
        jobs: if is_only { None } else { jobs_of(case, &target) },
        kind: kind(case, &target),
    });
    match described {
        0 => without_target(case),
        _ => Measured::Targets { targets: each.collect(), more: (known.len() - described) as u64 },
    }
}

/// The targets of an entry of the plan: each of a few files, or many files as one.
fn targets(file: &FileRecord) -> Vec<Target<'_>> {
    match file.count <= DESCRIBED_MAX as u64 {
        true => file.paths().map(|path| Target { path, file, count: 1 }).collect(),
        false => vec![Target { path: Cow::Borrowed(&file.path), file, count: file.count }],
    }
}

fn kind(case: &Case<'_>, target: &Target<'_>) -> MeasuredKind {
    let (file, path) = (target.file, target.path.to_string());
    match file.kind {
        TargetKind::Simulated => MeasuredKind::Simulated { path, bytes: file.length.map(|length| length.0) },
        TargetKind::Block | TargetKind::Namespace | TargetKind::ScsiNode => {
            MeasuredKind::Device { device: device(case, &target.path, &target.path) }
        }
        _ => {
            let grounds = case.run.record.grounds();
            let ground = grounds.known(&target.path).unwrap_or(&target.path);
            let fs_type = case.fact(&format!("target.{ground}.fs_type"));
            let fs_type = fs_type.or(case.surrounds.fs_type.as_deref().filter(|_| case.places.is_one));
            MeasuredKind::Files {
                files: target.count,
                bytes: (!file.is_until_full()).then_some(file.size.0),
                is_scratch: file.is_scratch(),
                fs_type: fs_type.map(str::to_owned),
                device: beneath(case, ground),
                path,
            }
        }
    }
}

/// The jobs that use this target; `None` where all do.
fn jobs_of(case: &Case<'_>, target: &Target<'_>) -> Option<JobsPart> {
    let is_it = |file: &FileRecord| targets(file).iter().any(|own| own.path == target.path);
    // A clone may have files of its own.
    let uses = |cell: &&Cell<'_>| cell.members.iter().any(|clone| clone.planned.files.iter().any(is_it));
    let names: Vec<String> = case.cells.iter().filter(uses).map(|cell| cell.name().to_owned()).collect();
    (names.len() < case.cells.len()).then_some(JobsPart { names, of: case.cells.len() as u64 })
}

fn without_target(case: &Case<'_>) -> Measured {
    let engines = case.run.record.plan.jobs.iter().map(|job| job.engine.as_str());
    let engine = engines.reduce(|one, other| if one == other { one } else { "" });
    Measured::NoDevice { engine: engine.filter(|engine| !engine.is_empty()).map(str::to_owned) }
}

/// The device below a file.
fn beneath(case: &Case<'_>, target: &str) -> Option<MeasuredDevice> {
    let own = case.fact(&format!("target.{target}.disk"));
    let disk = own.or(case.surrounds.disk_name.as_deref().filter(|_| case.places.is_one))?;
    Some(device(case, target, &format!("/dev/{disk}")))
}

/// The device below `target`.
fn device(case: &Case<'_>, target: &str, path: &str) -> MeasuredDevice {
    let own = |name: &str| case.fact(&format!("target.{target}.{name}"));
    let fact = |name: &str| own(name).or_else(|| case.target_fact(name).filter(|_| case.places.is_one));
    let fact = |name: &str| fact(name).map(str::trim).filter(|value| !value.is_empty());
    MeasuredDevice {
        path: path.to_owned(),
        model: fact("model").map(str::to_owned),
        bytes: fact("size_bytes").and_then(|size| size.parse().ok()),
        kind: fact("kind").and_then(|kind| attached(kind, fact("rotational"))),
    }
}

/// The kinds of `fathom_device::DiskKind`, as facts name them.
fn attached(kind: &str, rotational: Option<&str>) -> Option<AttachedKind> {
    Some(match kind {
        "nvme" => AttachedKind::Nvme,
        "scsi" => AttachedKind::Scsi { rotates: rotational.and_then(|rotates| rotates.parse().ok()) },
        "paravirtual" => AttachedKind::Virtual,
        "mmc" => AttachedKind::Mmc,
        "pmem" => AttachedKind::Pmem,
        "loop" => AttachedKind::Loop,
        "ram" => AttachedKind::Ram,
        "devicemapper" => AttachedKind::DeviceMapper,
        "md" => AttachedKind::Md,
        "remote" => AttachedKind::Remote,
        "null" => AttachedKind::NullBlk,
        _ => return None,
    })
}
