//! The target in words.

use crate::case::Case;
use crate::cell::Cell;
use fathom_job::plan::TargetKind;
use fathom_results::FileRecord;
use fathom_text::quantity::bytes;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Targets that are described, each by its own facts; the others are counted.
const TOLD_MAX: usize = 3;

/// Jobs of a target that are named one by one.
const NAMES_MAX: usize = 2;

/// A target that is told: one file or device, or many files whose names are counted up.
#[derive(Clone)]
struct Told<'a> {
    path: Cow<'a, str>,
    /// What the plan says of it, or of the files that it is one of.
    file: &'a FileRecord,
    /// How many files it is.
    count: u64,
}

/// `SAMSUNG MZ7L3480, 480 GB, SCSI or SATA (/dev/sda)`; `1 GiB on ext4 (scratch file, removed)`. Of several targets each has its
/// jobs: `loop device, 268 MB (/dev/loop3) for a · 64 MiB of /tmp/f on tmpfs for b`.
pub(super) fn measured(case: &Case<'_>) -> String {
    let is_target = |file: &&FileRecord| !file.path.is_empty() && file.kind != TargetKind::None;
    let files = || case.run.record.plan.jobs.iter().flat_map(|job| &job.files).filter(is_target);
    let mut all: Vec<Told<'_>> = Vec::new();
    let mut known: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    for target in files().flat_map(targets) {
        if known.insert(target.path.clone()) && all.len() < TOLD_MAX {
            all.push(target);
        }
    }
    let grounds = case.run.record.grounds();
    // Files on the same device follow each other with the device told once.
    let mut last = String::new();
    let mut told = |target: &Told<'_>| {
        let before = std::mem::take(&mut last);
        match target.file.kind {
            TargetKind::Simulated => simulated(target.file),
            TargetKind::Block => device(case, &target.path, &target.path),
            _ => {
                let ground = grounds.known(&target.path).unwrap_or(&target.path);
                last = place(case, ground);
                let place = if last == before { "" } else { &last };
                format!("{place}{}", of_file(case, ground, target))
            }
        }
    };
    match all.as_slice() {
        [] => without_target(case),
        [only] => told(only),
        several => {
            let each = several.iter().map(|target| format!("{}{}", told(target), jobs_of(case, target)));
            let more = match known.len() - several.len() {
                0 => None,
                1 => Some("1 more target".to_owned()),
                more => Some(format!("{more} more targets")),
            };
            each.chain(more).collect::<Vec<_>>().join(" · ")
        }
    }
}

/// The targets of an entry of the plan: each of a few files, or many files as one.
fn targets(file: &FileRecord) -> Vec<Told<'_>> {
    match file.count <= TOLD_MAX as u64 {
        true => file.paths().map(|path| Told { path, file, count: 1 }).collect(),
        false => vec![Told { path: Cow::Borrowed(&file.path), file, count: file.count }],
    }
}

/// `simulated drive, 60.0 GB (sim:datacentre/64)`.
fn simulated(file: &FileRecord) -> String {
    let size = file.length.map(|length| format!(", {}", bytes(length.0 as f64))).unwrap_or_default();
    format!("simulated drive{size} ({})", file.path)
}

/// ` for a and b`: the jobs that use this target; empty where all do.
fn jobs_of(case: &Case<'_>, target: &Told<'_>) -> String {
    let is_it = |file: &FileRecord| targets(file).iter().any(|own| own.path == target.path);
    // A clone may have files of its own.
    let uses = |cell: &&Cell<'_>| cell.members.iter().any(|clone| clone.planned.files.iter().any(is_it));
    let names: Vec<&str> = case.cells.iter().filter(uses).map(|cell| cell.name()).collect();
    match names.len() {
        n if n == case.cells.len() => String::new(),
        1..=NAMES_MAX => format!(" for {}", names.join(" and ")),
        n => format!(" for {n} jobs"),
    }
}

fn without_target(case: &Case<'_>) -> String {
    let engines = case.run.record.plan.jobs.iter().map(|job| job.engine.as_str());
    match engines.reduce(|one, other| if one == other { one } else { "" }) {
        Some("") | None => "no device: the engines of this run have none".to_owned(),
        Some(engine) => format!("no device: the engine {engine} has none"),
    }
}

/// `1 GiB in /data on ext4 (scratch file, removed)`; `20 GiB of /data/db on xfs`; `1 GiB of each of 8 files from /data/f.0 on xfs`.
fn of_file(case: &Case<'_>, ground: &str, target: &Told<'_>) -> String {
    let fs = case.fact(&format!("target.{ground}.fs_type"));
    let fs = fs.or(case.seen.fs_type.as_deref().filter(|_| case.places.is_one));
    let on = fs.map(|fs| format!(" on {fs}")).unwrap_or_default();
    let Told { path, file, count } = target;
    // `quick` removes its scratch file as soon as it is open.
    match (file.is_scratch(), count) {
        (true, _) => format!("{}{}{on} (scratch file, removed)", file.region(), directory(path)),
        (false, 1) => format!("{} of {path}{on}", file.region()),
        (false, many) => format!("{} of each of {many} files from {path}{on}", file.region()),
    }
}

/// ` in /data` of a scratch file that is not in the working directory.
fn directory(path: &str) -> String {
    let above = path.rsplit_once('/').map(|(above, _)| above).filter(|above| *above != ".");
    above.map(|above| format!(" in {above}")).unwrap_or_default()
}

/// The device below a file, before the words for the file.
fn place(case: &Case<'_>, target: &str) -> String {
    let own = case.fact(&format!("target.{target}.disk"));
    match own.or(case.seen.disk_name.as_deref().filter(|_| case.places.is_one)) {
        Some(disk) => device(case, target, &format!("/dev/{disk}")) + "; ",
        None => String::new(),
    }
}

/// Model or kind, size, and how it is attached, of the device below `target`.
fn device(case: &Case<'_>, target: &str, path: &str) -> String {
    let own = |name: &str| case.fact(&format!("target.{target}.{name}"));
    let fact = |name: &str| own(name).or_else(|| case.target_fact(name).filter(|_| case.places.is_one));
    let fact = |name: &str| fact(name).map(str::trim).filter(|value| !value.is_empty());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_directory_is_not_named() {
        let told = ["/data/s", "data/s", "./s", "s"].map(directory);
        assert_eq!(told, [" in /data", " in data", "", ""]);
    }
}
