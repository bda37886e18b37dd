//! A whole block device with a queue, and the hardware behind it.

use crate::address::Address;
use crate::device::{DevNumber, DiskKind, Node};
use crate::glob::glob;
use crate::root::Root;
use std::path::{Path, PathBuf};

/// A disk, or a block device made of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// Kernel name.
    pub name: String,
    /// Device number.
    pub number: DevNumber,
    /// Directory in sysfs, links resolved.
    pub sys_dir: PathBuf,
    /// What kind of disk it is.
    pub kind: DiskKind,
    /// NVMe controllers that lead to it (`nvme0`), usually one.
    pub controllers: Vec<String>,
    /// For each way to it, the directories in sysfs of the PCI functions, the root port first, the
    /// endpoint last. A drive with several ports has several ways; a disk that is not on PCI has
    /// none.
    pub ways: Vec<Vec<PathBuf>>,
}

impl Disk {
    /// The disk of a node of a device graph.
    pub fn of(root: &Root, node: &Node) -> Self {
        Self::at(root, node.number, &node.sys_dir)
    }

    /// The disk with this number, in this directory with links resolved. No file of its queue is
    /// read, because the read would wait behind a write that waits for the disk.
    pub fn at(root: &Root, number: DevNumber, sys_dir: &Path) -> Self {
        let name = leaf(sys_dir);
        let controllers = controllers(root, sys_dir);
        Self {
            kind: DiskKind::of(&name),
            name,
            number,
            sys_dir: sys_dir.to_path_buf(),
            ways: ways(root, sys_dir, &controllers),
            controllers: controllers.iter().map(|dir| leaf(dir)).collect(),
        }
    }

    /// A file in its queue directory.
    pub fn queue(&self, file: &str) -> PathBuf {
        self.sys_dir.join("queue").join(file)
    }

    /// The functions of the first way to it, the endpoint last; none where it is not on PCI.
    pub fn functions(&self) -> &[PathBuf] {
        self.ways.first().map_or(&[], Vec::as_slice)
    }

    /// The endpoint's directory in sysfs on the first way.
    pub fn function(&self) -> Option<&Path> {
        self.functions().last().map(PathBuf::as_path)
    }

    /// The addresses of its own PCI functions, each once, in order: several for a drive with
    /// several ports.
    pub fn ends(&self) -> Vec<Address> {
        let ends = self.ways.iter().filter_map(|way| Address::all_in(way.last()?).last().copied());
        let mut ends: Vec<Address> = ends.collect();
        ends.sort();
        ends.dedup();
        ends
    }

    /// The model, as the device gives it.
    pub fn model(&self, root: &Root) -> Option<String> {
        self.first(root, MODEL)
    }

    /// The revision of the firmware.
    pub fn firmware(&self, root: &Root) -> Option<String> {
        self.first(root, FIRMWARE)
    }

    fn first(&self, root: &Root, files: &[&str]) -> Option<String> {
        files.iter().find_map(|file| root.read_text(self.sys_dir.join(file)).ok())
    }

    /// What follows this word in the part of its path that begins with it and a digit: 3 of
    /// `…/ata3/…`, 0:0:0 of `…/target0:0:0/…`.
    pub fn part(&self, word: &str) -> Option<&str> {
        let mut rests = self.sys_dir.iter().filter_map(|part| part.to_str()?.strip_prefix(word));
        rests.find(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

/// A disk is below its function in sysfs. A disk that several controllers share is not: its
/// controllers are. A driver may also link a disk to its device and keep it elsewhere.
fn ways(root: &Root, sys_dir: &Path, controllers: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let linked = || root.resolve(sys_dir.join("device")).into_iter().collect();
    let mut ways = vec![functions_on(sys_dir)];
    if ways[0].is_empty() {
        let ends = if controllers.is_empty() { linked() } else { controllers.to_vec() };
        ways = ends.iter().map(|dir| functions_on(dir)).collect();
    }
    ways.retain(|way| !way.is_empty());
    ways
}

/// The parts of a path in sysfs that are PCI functions, `DDDD:BB:DD.F`.
fn functions_on(device: &Path) -> Vec<PathBuf> {
    let is_function = |dir: &&Path| leaf(dir).parse::<Address>().is_ok();
    let mut functions: Vec<PathBuf> = device.ancestors().filter(is_function).map(Path::to_path_buf).collect();
    functions.reverse();
    functions
}

/// The model: NVMe controllers, SCSI and ATA.
pub const MODEL: &[&str] = &["device/model"];

/// The firmware's revision: NVMe controllers (`firmware_rev`), SCSI and ATA (`rev`), eMMC
/// (`fwrev`).
pub const FIRMWARE: &[&str] = &["device/firmware_rev", "device/rev", "device/fwrev"];

/// The chosen word of a file such as `none [mq-deadline] kyber`; `None` where no word is chosen.
pub fn chosen(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once('[')?;
    rest.split_once(']').map(|(word, _)| word)
}

/// The directories in sysfs of the controllers that lead to the disk in `sys_dir`, whose names are
/// theirs (`nvme0`). Empty for a disk that is no NVMe namespace.
///
/// The `device` of a namespace is its controller. With native multipath it is the subsystem, which
/// has a link to each of its controllers.
pub(super) fn controllers(root: &Root, sys_dir: &Path) -> Vec<PathBuf> {
    let Ok(device) = root.resolve(sys_dir.join("device")) else { return Vec::new() };
    let name = leaf(&device);
    if !name.starts_with("nvme") {
        return Vec::new();
    }
    if !name.starts_with("nvme-subsys") {
        return vec![device];
    }
    let links = glob(root, &format!("{}/nvme#", device.display()));
    let all: Vec<PathBuf> = links.into_iter().map(|link| root.resolve(&link).unwrap_or(link)).collect();
    let namespace = leaf(sys_dir);
    let attached: Vec<PathBuf> = all.iter().filter(|dir| has_path(root, dir, &namespace)).cloned().collect();
    // A machine that was recorded without the hidden paths does not say which controllers the
    // namespace is attached to.
    if attached.is_empty() { all } else { attached }
}

/// Whether the namespace is attached to this controller: a subsystem can have controllers that do
/// not lead to each of its namespaces. The hidden disk of the path is below its controller.
fn has_path(root: &Root, controller: &Path, namespace: &str) -> bool {
    root.list(controller).unwrap_or_default().iter().any(|name| is_path_of(name, namespace))
}

/// `nvme0c1n2` is a path of `nvme0n2`.
fn is_path_of(path: &str, head: &str) -> bool {
    let numbers = |text: &str| -> Option<(String, String, bool)> {
        let (front, namespace) = text.strip_prefix("nvme")?.rsplit_once('n')?;
        let (subsystem, controller) = front.split_once('c').unwrap_or((front, ""));
        Some((subsystem.to_owned(), namespace.to_owned(), !controller.is_empty()))
    };
    let (Some(path), Some(head)) = (numbers(path), numbers(head)) else {
        return false;
    };
    path.2 && !head.2 && (path.0, path.1) == (head.0, head.1)
}

/// The last part of a path.
fn leaf(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::{is_path_of, *};

    #[test]
    fn functions_are_the_parts_that_are_addresses() {
        let path = Path::new("/sys/devices/pci0000:00/0000:00:03.1/0000:41:00.0/nvme/nvme0");
        let ends: Vec<_> = functions_on(path).iter().map(|dir| leaf(dir)).collect();
        assert_eq!(ends, ["0000:00:03.1", "0000:41:00.0"]);
        assert!(functions_on(Path::new("/sys/devices/virtual/block/md0")).is_empty());
    }

    #[test]
    fn paths_of_a_namespace() {
        assert!(is_path_of("nvme0c1n2", "nvme0n2"));
        for (path, head) in
            [("nvme0c1n1", "nvme0n2"), ("nvme1c1n2", "nvme0n2"), ("nvme0n2", "nvme0n2"), ("sda", "sdb")]
        {
            assert!(!is_path_of(path, head), "{path} {head}");
        }
    }
}
