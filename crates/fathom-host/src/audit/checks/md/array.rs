//! What the checks of md arrays share: which arrays there are, of what level
//! and of which members.

use std::path::{Path, PathBuf};

use crate::audit::{Disk, Observation, Observed, Raw, Scene, each, leaf};
use fathom_device::device::DiskKind;
use fathom_device::root::Unknown;

/// Levels that md knows (drivers/md/md.h). A container is not an array: it
/// holds the metadata of other md devices, the volumes.
const LEVELS: [&str; 10] =
    ["linear", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "multipath", "faulty", "container"];

/// An md array.
#[derive(Debug)]
pub(super) struct Array<'a> {
    /// The block device.
    pub disk: &'a Disk,
    /// `raid5`.
    pub level: String,
}

/// An active member.
#[derive(Debug)]
pub(super) struct Member {
    /// Kernel name of the disk, or of the partition.
    pub name: String,
    /// Its directory below that of the array.
    pub dir: PathBuf,
    /// Directory in sysfs of the disk that it is, or is a partition of.
    pub disk_dir: PathBuf,
}

/// One observation for each array that takes I/O.
pub(super) fn each_array(
    scene: &Scene<'_>,
    one: impl Fn(&Scene<'_>, &Array<'_>) -> Observed,
) -> Vec<Observation> {
    each_md(scene, |scene, array| match array.level.as_str() {
        "container" => {
            Ok(array.seen().not_applicable("holds the metadata of other arrays, and takes no I/O itself"))
        }
        _ => one(scene, array),
    })
}

/// One observation for each md device, containers too.
pub(super) fn each_md(
    scene: &Scene<'_>,
    one: impl Fn(&Scene<'_>, &Array<'_>) -> Observed,
) -> Vec<Observation> {
    let arrays = scene.queues().filter(|disk| disk.kind == DiskKind::Md);
    let none = || Observation::on("host").not_applicable("there is no md array below or above the target");
    each(arrays, none, |disk| disk.name.clone(), |disk| one(scene, &Array::read(scene, disk)?))
}

impl<'a> Array<'a> {
    fn read(scene: &Scene<'_>, disk: &'a Disk) -> Result<Self, Unknown> {
        let raw = scene.read(disk.sys_dir.join("md/level"))?;
        if !LEVELS.contains(&raw.text.as_str()) {
            return Err(raw.garbled());
        }
        Ok(Self { disk, level: raw.text })
    }

    /// A file of the array's directory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.disk.sys_dir.join("md").join(name)
    }

    /// Begins an observation on the array.
    pub fn seen(&self) -> Observation {
        Observation::on(&self.disk.name).with(self.file("level"), &self.level)
    }

    /// Whether it computes parity, and so needs a stripe cache and threads.
    pub fn has_parity(&self) -> bool {
        matches!(self.level.as_str(), "raid4" | "raid5" | "raid6")
    }

    /// Whether it survives the loss of a member, and so has something to sync.
    pub fn has_redundancy(&self) -> bool {
        self.has_parity() || matches!(self.level.as_str(), "raid1" | "raid10")
    }

    /// The active members, in the order of their places.
    pub fn members(&self, scene: &Scene<'_>) -> Vec<Member> {
        let places = scene.glob(&format!("{}/rd#", self.file("").display()));
        places.iter().filter_map(|place| member(scene, place)).collect()
    }

    /// Whether every member is an NVMe drive, for which one thread and a small
    /// cache are the bottleneck.
    pub fn is_of_nvme(&self, scene: &Scene<'_>) -> bool {
        let members = self.members(scene);
        !members.is_empty() && members.iter().all(|member| member.name.starts_with("nvme"))
    }
}

fn member(scene: &Scene<'_>, place: &Path) -> Option<Member> {
    let dir = scene.root.resolve(place).ok()?;
    let block = scene.root.resolve(dir.join("block")).ok()?;
    let is_partition = scene.root.exists(block.join("partition"));
    let disk_dir = if is_partition { block.parent()?.to_path_buf() } else { block.clone() };
    Some(Member { name: leaf(&block), dir, disk_dir })
}

/// The number that a file begins with. While an array is reshaped, the old
/// value follows in brackets; after a limit follows whether it is local or the
/// system's.
pub(super) fn first_number(scene: &Scene<'_>, path: PathBuf) -> Result<(u64, Raw), Unknown> {
    let raw = scene.read(path)?;
    let first = raw.text.split(' ').next().and_then(|word| word.parse().ok());
    Ok((first.ok_or_else(|| raw.garbled())?, raw))
}
