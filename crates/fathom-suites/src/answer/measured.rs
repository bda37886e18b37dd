//! The target in words.

use crate::case::Case;
use crate::quantity::bytes;
use crate::quick::SCRATCH;
use fathom_job::plan::TargetKind;
use fathom_results::FileRecord;
use std::collections::BTreeSet;

/// `SAMSUNG MZ7L3480, 480 GB, SCSI or SATA (/dev/sda)`; `a scratch file of 1 GiB on …`.
pub(super) fn measured(case: &Case<'_>) -> String {
    let files = case.run.record.plan.jobs.iter().flat_map(|job| &job.files);
    let mut files = files.filter(|file| !file.path.is_empty() && file.kind != TargetKind::None);
    let Some(first) = files.next() else { return without_target(case) };
    let others: BTreeSet<&str> =
        files.map(|file| file.path.as_str()).filter(|path| *path != first.path).collect();
    let told = match first.kind {
        TargetKind::Block => device(case, &first.path, &first.path),
        _ => format!("{}{}", place(case, &first.path), file(first, case.seen.fs_type.as_deref())),
    };
    match others.len() {
        0 => told,
        1 => format!("{told}, and 1 more target"),
        more => format!("{told}, and {more} more targets"),
    }
}

fn without_target(case: &Case<'_>) -> String {
    let engines = case.run.record.plan.jobs.iter().map(|job| job.engine.as_str());
    match engines.reduce(|one, other| if one == other { one } else { "" }) {
        Some("") | None => "no device: the engines of this run have none".to_owned(),
        Some(engine) => format!("no device: the engine {engine} has none"),
    }
}

/// `, a scratch file of 1 GiB on ext4`; `, /data/db of 20 GiB on xfs`.
fn file(file: &FileRecord, fs: Option<&str>) -> String {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let on = fs.map(|fs| format!(" on {fs}")).unwrap_or_default();
    match name.starts_with(SCRATCH) {
        true => format!("a scratch file of {}{on}", file.size),
        false => format!("{} of {}{on}", file.size, file.path),
    }
}

/// The device below a file, before the words for the file.
fn place(case: &Case<'_>, target: &str) -> String {
    match case.seen.disk_name.as_deref() {
        Some(disk) => device(case, target, &format!("/dev/{disk}")) + "; ",
        None => String::new(),
    }
}

/// Model or kind, size, and how it is attached, of the device below `target`.
fn device(case: &Case<'_>, target: &str, path: &str) -> String {
    let own = |name: &str| case.fact(&format!("target.{target}.{name}"));
    // Targets of one file system have their facts under one of them.
    let fact = |name: &str| own(name).or_else(|| case.target_fact(name)).map(str::trim);
    let fact = |name: &str| fact(name).filter(|value| !value.is_empty());
    let size = fact("size_bytes").and_then(|size| size.parse::<f64>().ok()).map(bytes);
    let kind = fact("kind").and_then(|kind| kind_words(kind, fact("rotational")));
    let kind = kind.map(str::to_owned);
    let parts = match fact("model").map(str::to_owned) {
        Some(model) => [Some(model), size, kind],
        None => [kind, size, None],
    };
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { path.to_owned() } else { format!("{} ({path})", parts.join(", ")) }
}

/// The kinds of `fathom_device::DiskKind`, as facts name them.
fn kind_words(kind: &str, rotational: Option<&str>) -> Option<&'static str> {
    Some(match (kind, rotational) {
        ("nvme", _) => "NVMe",
        ("scsi", Some("true")) => "hard disk on SATA, SAS or USB",
        ("scsi", Some("false")) => "SSD on SATA, SAS or USB",
        ("scsi", _) => "SATA, SAS or USB",
        ("paravirtual", _) => "virtual disk",
        ("mmc", _) => "eMMC or SD card",
        ("pmem", _) => "persistent memory",
        ("loop", _) => "loop device",
        ("ram", _) => "memory",
        ("devicemapper", _) => "device-mapper volume",
        ("md", _) => "md array",
        ("remote", _) => "remote disk",
        ("null", _) => "null_blk, without storage",
        _ => return None,
    })
}
