//! What is known of a target before a procedure writes all of it.

use crate::failure::{Exit, Failure};
use crate::reach::is_there;
use crate::simulated::simulated;
use fathom_device::device::{DiskKind, Graph, Identity};
use fathom_device::{ask::Question, inventory, root::Root};
use fathom_job::plan::{TargetKind, TargetLookup};
use fathom_job::units::Bytes;
use fathom_procedures::WriteCache;
use fathom_results::answer::FastAsNew;
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
    /// The unit of direct I/O, also of a file; `None` where it is not known to be possible.
    pub direct_unit: Option<Bytes>,
    /// What fathom has written there.
    pub covered: Covered,
    /// Why the medium needs no preconditioning.
    pub needless: Option<FastAsNew>,
    /// How its write cache is.
    pub write_cache: WriteCache,
    /// It takes writes only at the write pointers of its zones.
    pub is_zoned: bool,
}

impl Aim {
    /// Looks at it.
    pub fn of(target: &Path, here: &Here) -> Result<Aim, Failure> {
        let name = of_os(target);
        if let Some(known) = simulated(&name) {
            let (_, facts) = known?;
            return Ok(Aim {
                is_simulated: true,
                size: facts.size.unwrap_or(Bytes(0)),
                free: None,
                sector: facts.direct_align,
                direct_unit: facts.direct_align,
                covered: Covered::Nothing,
                needless: None,
                write_cache: WriteCache::OfModel,
                is_zoned: facts.zones.is_some(),
            });
        }
        is_there(target)?;
        let facts = here.targets().look_up(&name);
        let usable = [TargetKind::Block, TargetKind::File, TargetKind::Missing];
        if !usable.contains(&facts.kind) || (facts.kind == TargetKind::Missing && target.starts_with("/dev"))
        {
            let what =
                if facts.kind == TargetKind::Directory { "a directory" } else { "no device and no file" };
            let message = format!("{} is {what}", shown::path(target));
            return Err(
                Failure::new(Exit::Usage, message).hint("to list the disks of this machine: fathom devices")
            );
        }
        Ok(Aim {
            is_simulated: false,
            size: facts.size.unwrap_or(Bytes(0)),
            free: facts.free.filter(|_| facts.kind != TargetKind::Block),
            // A file may end with a part of a sector.
            sector: facts.direct_align.filter(|_| facts.kind == TargetKind::Block),
            direct_unit: facts.direct_align,
            covered: Covered::read(here.root(), target),
            needless: Identity::at(here.root(), target).and_then(|device| needless(&device)),
            write_cache: write_cache(here.root(), target),
            is_zoned: facts.zones.is_some(),
        })
    }

    /// Refuses a host-managed zoned device, on which `what` cannot be done because of `why`.
    pub fn refuse_zones(&self, target: &Path, what: &str, why: &str) -> Result<(), Failure> {
        if !self.is_zoned {
            return Ok(());
        }
        let name = shown::path(target);
        let message = format!("{name} is a host-managed zoned device, and {what} there: {why}");
        Err(Failure::new(Exit::Usage, message)
            .hint("a job of zonemode=zbd writes it: rw=write fills it zone by zone, rw=trim empties it"))
    }
}

/// The write cache of a device. The kernel knows only whether an NVMe drive has one, so the drive itself is asked whether it
/// is on.
fn write_cache(root: &Root, target: &Path) -> WriteCache {
    let graph = root.block_number_of(target).and_then(|number| Graph::read(root, number).ok());
    let Some(graph) = graph else { return WriteCache::Unknown };
    let disk = graph.whole_disk();
    let text = root.read_text(disk.sys_dir.join("queue/write_cache")).ok();
    let of_drive = |controller: &String| {
        let question =
            Question::NvmeFeature { controller: controller.clone(), feature: VOLATILE_WRITE_CACHE };
        root.ask(&question).ok()?.first().map(|byte| byte & 1 == 1)
    };
    let answers: Vec<Option<bool>> =
        inventory::Disk::of(root, disk).controllers.iter().map(of_drive).collect();
    match text.as_deref().map(str::trim) {
        Some("write through") => WriteCache::Off,
        Some("write back") if answers.contains(&Some(true)) || answers.is_empty() => WriteCache::On,
        Some("write back") if answers.contains(&None) => WriteCache::Unread,
        Some("write back") => WriteCache::Off,
        _ => WriteCache::Unknown,
    }
}

/// The feature of an NVMe drive whose bit 0 is on with its volatile write cache (NVMe base specification 2.0, 5.27.1.4).
const VOLATILE_WRITE_CACHE: u8 = 0x06;

/// Why a medium needs no preconditioning (contract I-31).
fn needless(device: &Identity) -> Option<FastAsNew> {
    let is_optane = device.model.as_ref().is_some_and(|model| model.to_ascii_lowercase().contains("optane"));
    match device.kind {
        _ if is_optane => Some(FastAsNew::Optane),
        DiskKind::Scsi if device.rotational == Some(true) => Some(FastAsNew::HardDisk),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// What is known of the write cache of a disk whose queue has this line; an NVMe drive answers with this feature.
    fn cache(disk: &str, kernel: &str, feature: Option<u32>) -> WriteCache {
        let place = tempfile::tempdir().unwrap();
        let file = |path: PathBuf, bytes: &[u8]| {
            let path = place.path().join(path.strip_prefix("/").unwrap_or(&path));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        let link = |path: String, to: String| {
            let path = place.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(to, path).unwrap();
        };
        let above =
            if disk.starts_with("nvme") { "devices/pci0000:00/nvme/nvme0" } else { "devices/virtual/block" };
        let files = [("dev", "259:0"), ("size", "2048"), ("queue/write_cache", kernel)];
        for (name, text) in files {
            file(format!("sys/{above}/{disk}/{name}").into(), text.as_bytes());
        }
        for (by, name) in [("class/block", disk), ("block", disk), ("dev/block", "259:0")] {
            let up = "../".repeat(by.split('/').count());
            link(format!("sys/{by}/{name}"), format!("{up}{above}/{disk}"));
        }
        if disk.starts_with("nvme") {
            link(format!("sys/{above}/{disk}/device"), "../../nvme0".to_owned());
        }
        if let Some(feature) = feature {
            let question =
                Question::NvmeFeature { controller: "nvme0".to_owned(), feature: VOLATILE_WRITE_CACHE };
            file(question.path(), &feature.to_le_bytes());
        }
        write_cache(&Root::recorded(place.path()), &Path::new("/dev").join(disk))
    }

    #[test]
    fn a_zoned_drive_is_refused_and_no_other() {
        let here = crate::terminal::here();
        for (name, is_refused) in
            [("sim:smr,size=1g", true), ("sim:disk,size=1t", false), ("sim:datacentre/64", false)]
        {
            let target = Path::new(name);
            let refused =
                Aim::of(target, &here).unwrap().refuse_zones(target, "nothing is done", "it has zones");
            assert_eq!(refused.is_err_and(|failure| failure.exit == Exit::Usage), is_refused, "{name}");
        }
    }

    #[test]
    fn an_nvme_drive_is_asked_whether_its_cache_is_on() {
        for (disk, kernel, feature, expected) in [
            ("nvme0n1", "write back", Some(1), WriteCache::On),
            ("nvme0n1", "write back", Some(0), WriteCache::Off),
            ("nvme0n1", "write back", None, WriteCache::Unread),
            ("nvme0n1", "write through", None, WriteCache::Off),
            ("sda", "write back", None, WriteCache::On),
            ("sda", "write through", None, WriteCache::Off),
            ("sda", "", None, WriteCache::Unknown),
        ] {
            assert_eq!(cache(disk, kernel, feature), expected, "{disk} {kernel} {feature:?}");
        }
    }

    #[test]
    fn media_that_need_none_are_told() {
        let device = |kind, model: &str, rotational| {
            let json = serde_json::json!({
                "kernel_name": "d", "dev": { "major": 8, "minor": 0 }, "by_id": [], "size_bytes": 1 << 30,
                "model": model, "rotational": rotational, "read_only": false, "kind": kind,
            });
            needless(&serde_json::from_value(json).unwrap())
        };
        assert_eq!(device("nvme", "INTEL SSDPE21D480GA Optane", false), Some(FastAsNew::Optane));
        assert_eq!(device("scsi", "ST16000NM001G", true), Some(FastAsNew::HardDisk));
        assert_eq!(device("scsi", "Samsung SSD 870", false), None);
        assert_eq!(device("nvme", "SAMSUNG MZQL2", false), None);
        assert_eq!(device("loop", "", true), None, "the kernel says so of loop devices too");
    }
}
