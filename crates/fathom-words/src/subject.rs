//! What was measured, in words.

use crate::jobs::{capital, part};
use fathom_job::units::Bytes;
use fathom_results::answer::{AttachedKind, Measured, MeasuredDevice, MeasuredKind};
use fathom_text::quantity::bytes;
use fathom_text::words::counted;

/// `SAMSUNG MZ7L3480, 480 GB, SCSI or SATA (/dev/sda)`; `1 GiB on ext4 (scratch file, removed)`. Of several targets each has its
/// jobs: `loop device, 268 MB (/dev/loop3) for a · 64 MiB of /tmp/f on tmpfs for b`.
pub fn subject(subject: &Measured) -> String {
    let (targets, more) = match subject {
        Measured::NoDevice { engine: None } => {
            return "no device: the engines of this run have none".to_owned();
        }
        Measured::NoDevice { engine: Some(engine) } => {
            return format!("no device: the engine {engine} has none");
        }
        Measured::Numbered { paths } => {
            let numbered = paths.iter().enumerate().map(|(at, path)| format!("{} {path}", at + 1));
            let numbered = numbered.collect::<Vec<_>>().join(", ");
            return format!("{}: {numbered}", counted(paths.len(), "target"));
        }
        Measured::Targets { targets, more } => (targets, *more),
    };
    let mut before: Option<&MeasuredDevice> = None;
    let mut all: Vec<String> = Vec::with_capacity(targets.len());
    for target in targets {
        let jobs = target.jobs.as_ref().map(|jobs| format!(" for {}", part(jobs))).unwrap_or_default();
        all.push(kind(&target.kind, before) + &jobs);
        before = beneath(&target.kind);
    }
    match more {
        0 => {}
        1 => all.push("1 more target".to_owned()),
        more => all.push(format!("{more} more targets")),
    }
    all.join(" · ")
}

/// The name of the first target, and that there are others: `SAMSUNG MZ7L3480, 480 GB and another target`.
pub fn short(subject: &Measured) -> String {
    let Measured::Targets { targets, more } = subject else { return capital(&self::subject(subject)) };
    let Some(first) = targets.first() else { return String::new() };
    let others = targets.len() as u64 - 1 + more;
    let more = match others {
        0 => "",
        1 => " and another target",
        _ => " and other targets",
    };
    capital(&name(&first.kind)) + more
}

/// Is more than one target described?
pub fn are_several(subject: &Measured) -> bool {
    matches!(subject, Measured::Targets { targets, more } if targets.len() as u64 + more > 1)
}

/// A target without its path, where it has another name.
fn name(kind: &MeasuredKind) -> String {
    match kind {
        MeasuredKind::Simulated { bytes, .. } => simulated(*bytes),
        MeasuredKind::Device { device } | MeasuredKind::Files { device: Some(device), .. } => {
            device_parts(device).unwrap_or_else(|| device.path.clone())
        }
        MeasuredKind::Files { .. } => region(kind),
    }
}

fn kind(kind: &MeasuredKind, before: Option<&MeasuredDevice>) -> String {
    match kind {
        MeasuredKind::Simulated { path, bytes } => format!("{} ({path})", simulated(*bytes)),
        MeasuredKind::Device { device } => self::device(device),
        // Files on the same device follow each other, and the device is named once.
        MeasuredKind::Files { device: Some(device), .. } if before != Some(device) => {
            format!("{}; {}", self::device(device), of_file(kind))
        }
        MeasuredKind::Files { .. } => of_file(kind),
    }
}

/// The device below files.
fn beneath(kind: &MeasuredKind) -> Option<&MeasuredDevice> {
    match kind {
        MeasuredKind::Files { device, .. } => device.as_ref(),
        _ => None,
    }
}

/// `simulated drive, 60.0 GB`.
fn simulated(size: Option<u64>) -> String {
    format!("simulated drive{}", size.map(|size| format!(", {}", bytes(size as f64))).unwrap_or_default())
}

/// The region of files, and what becomes of a scratch file: `quick` removes it as soon as it is open.
fn of_file(kind: &MeasuredKind) -> String {
    let is_scratch = matches!(kind, MeasuredKind::Files { is_scratch: true, .. });
    region(kind) + if is_scratch { " (scratch file, removed)" } else { "" }
}

/// `1 GiB in /data on ext4`; `20 GiB of /data/db on xfs`; `1 GiB of each of 8 files from /data/f.0 on xfs`.
fn region(kind: &MeasuredKind) -> String {
    let MeasuredKind::Files { path, files, bytes, is_scratch, fs_type, .. } = kind else {
        return String::new();
    };
    let on = fs_type.as_ref().map(|fs| format!(" on {fs}")).unwrap_or_default();
    let region = bytes.map_or_else(|| "all free space".to_owned(), |size| Bytes(size).to_string());
    match (is_scratch, files) {
        (true, _) => format!("{region}{}{on}", directory(path)),
        (false, 1) => format!("{region} of {path}{on}"),
        (false, many) => format!("{region} of each of {many} files from {path}{on}"),
    }
}

/// ` in /data` of a scratch file that is not in the working directory.
fn directory(path: &str) -> String {
    let above = path.rsplit_once('/').map(|(above, _)| above).filter(|above| *above != ".");
    above.map(|above| format!(" in {above}")).unwrap_or_default()
}

/// Model or kind, size, and how it is attached.
fn device(device: &MeasuredDevice) -> String {
    device_parts(device).map_or_else(|| device.path.clone(), |parts| format!("{parts} ({})", device.path))
}

fn device_parts(device: &MeasuredDevice) -> Option<String> {
    let size = device.bytes.map(|size| bytes(size as f64));
    let kind = device.kind.map(|kind| attached(kind).to_owned());
    let parts = match device.model.clone() {
        Some(model) => [Some(model), size, kind],
        None => [kind, size, None],
    };
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

const fn attached(kind: AttachedKind) -> &'static str {
    match kind {
        AttachedKind::Nvme => "NVMe",
        AttachedKind::Scsi { rotates: Some(true) } => "hard disk on SATA, SAS or USB",
        AttachedKind::Scsi { rotates: Some(false) } => "SSD on SATA, SAS or USB",
        AttachedKind::Scsi { rotates: None } => "SATA, SAS or USB",
        AttachedKind::Virtual => "virtual disk",
        AttachedKind::Mmc => "eMMC or SD card",
        AttachedKind::Pmem => "persistent memory",
        AttachedKind::Loop => "loop device",
        AttachedKind::Ram => "memory",
        AttachedKind::DeviceMapper => "device-mapper volume",
        AttachedKind::Md => "md array",
        AttachedKind::Remote => "remote disk",
        AttachedKind::NullBlk => "null_blk, without storage",
        AttachedKind::Device => "device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_directory_is_not_named() {
        let named = ["/data/s", "data/s", "./s", "s"].map(directory);
        assert_eq!(named, [" in /data", " in data", "", ""]);
    }
}
