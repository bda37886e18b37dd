//! What is known of a target before a procedure writes all of it.

use crate::failure::{Exit, Failure};
use crate::sized::simulated_size;
use fathom_device::device::{DiskKind, Identity};
use fathom_job::plan::{TargetKind, TargetLookup};
use fathom_job::units::Bytes;
use fathom_session::Here;
use fathom_session::coverage::Covered;
use fathom_text::carried::of_os;
use fathom_text::shown;
use std::path::Path;

/// What is known of the target before anything is written.
#[derive(Debug)]
pub struct Aim {
    /// A simulated drive.
    pub is_simulated: bool,
    /// Its size; 0 for a file that does not exist.
    pub size: Bytes,
    /// Free space of the file system of a file.
    pub free: Option<Bytes>,
    /// Smallest direct I/O; `None` where direct I/O is not possible.
    pub sector: Option<Bytes>,
    /// What fathom has written there.
    pub covered: Covered,
    /// Why the medium needs no preconditioning.
    pub needless: Option<&'static str>,
    /// What the kernel says of its write cache.
    pub write_cache: String,
}

impl Aim {
    /// Looks at it.
    pub fn of(target: &Path, here: &Here) -> Result<Aim, Failure> {
        let name = of_os(target);
        if let Some(size) = simulated_size(target) {
            let size = size?;
            let (covered, needless) = (Covered::Nothing, None);
            return Ok(Aim {
                is_simulated: true,
                size,
                free: None,
                sector: Some(Bytes(512)),
                covered,
                needless,
                write_cache: "a write buffer as the simulated model has it".to_owned(),
            });
        }
        let facts = here.targets().look_up(&name);
        let usable = [TargetKind::Block, TargetKind::File, TargetKind::Missing];
        if !usable.contains(&facts.kind) || (facts.kind == TargetKind::Missing && target.starts_with("/dev"))
        {
            let what =
                if facts.kind == TargetKind::Directory { "a directory" } else { "no device and no file" };
            let said = format!("{} is {what}", shown::path(target));
            return Err(
                Failure::new(Exit::Usage, said).hint("to list the disks of this machine: fathom devices")
            );
        }
        Ok(Aim {
            is_simulated: false,
            size: facts.size.unwrap_or(Bytes(0)),
            free: facts.free.filter(|_| facts.kind != TargetKind::Block),
            // A file may end with a part of a sector.
            sector: facts.direct_align.filter(|_| facts.kind == TargetKind::Block),
            covered: Covered::read(here.root(), target),
            needless: Identity::at(here.root(), target).and_then(|device| needless(&device)),
            write_cache: write_cache(target, here),
        })
    }
}

/// What the kernel says of the write cache of a device, which fathom leaves as it is.
fn write_cache(target: &Path, here: &Here) -> String {
    let device = Identity::at(here.root(), target);
    let file = device.map(|device| format!("/sys/class/block/{}/queue/write_cache", device.kernel_name));
    let text = file.and_then(|file| here.root().read_text(&file).ok());
    match text.as_deref().map(str::trim) {
        Some("write back") => "volatile, on (as it was)".to_owned(),
        Some("write through") => "none, or off (as it was)".to_owned(),
        _ => "not known".to_owned(),
    }
}

/// Why a medium needs no preconditioning (contract I-31).
fn needless(device: &Identity) -> Option<&'static str> {
    let is_optane = device.model.as_ref().is_some_and(|model| model.to_ascii_lowercase().contains("optane"));
    match device.kind {
        _ if is_optane => Some("an Optane drive is as fast new as in use"),
        DiskKind::Scsi if device.rotational == Some(true) => Some("a hard disk is as fast new as in use"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_that_need_none_are_told() {
        let device = |kind, model: &str, rotational| {
            let json = serde_json::json!({
                "kernel_name": "d", "dev": { "major": 8, "minor": 0 }, "by_id": [], "size_bytes": 1 << 30,
                "model": model, "rotational": rotational, "read_only": false, "kind": kind,
            });
            needless(&serde_json::from_value(json).unwrap())
        };
        assert_eq!(
            device("nvme", "INTEL SSDPE21D480GA Optane", false),
            Some("an Optane drive is as fast new as in use")
        );
        assert_eq!(device("scsi", "ST16000NM001G", true), Some("a hard disk is as fast new as in use"));
        assert_eq!(device("scsi", "Samsung SSD 870", false), None);
        assert_eq!(device("nvme", "SAMSUNG MZQL2", false), None);
        assert_eq!(device("loop", "", true), None, "the kernel says so of loop devices too");
    }
}
