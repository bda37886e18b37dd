//! What a target is, before anything is done to it: a pure read that neither
//! creates nor opens for I/O.

mod disk;
mod ground;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::device::DevNumber;
use crate::mounts::{Mount, own_mounts};
use crate::root::Root;
use crate::sys;
use disk::Disk;

pub use ground::Ground;

/// What the path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A block device.
    Block,
    /// A character device, FIFO or socket.
    Char,
    /// A directory.
    Directory,
    /// Nothing yet.
    Missing,
}

/// The facts a plan needs about a target. `None` is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetFacts {
    /// What it is.
    pub kind: TargetKind,
    /// Size in bytes of a file or device.
    pub size_bytes: Option<u64>,
    /// Logical block in bytes of the device, or of the one under the file.
    pub logical_block_bytes: Option<u32>,
    /// Physical block in bytes, likewise.
    pub physical_block_bytes: Option<u32>,
    /// Alignment of memory in bytes that O_DIRECT needs; 0: no O_DIRECT.
    pub dio_mem_align_bytes: Option<u32>,
    /// Alignment of offset and length in bytes that O_DIRECT needs; 0: no
    /// O_DIRECT.
    pub dio_offset_align_bytes: Option<u32>,
    /// File system type of a file, directory, or a missing file's directory.
    pub fs_type: Option<String>,
    /// Mount options, likewise.
    pub mount_options: Option<String>,
    /// Bytes free for everybody on that file system.
    pub fs_free_bytes: Option<u64>,
    /// Bytes free for us there: root may also use what is reserved for it.
    pub fs_usable_bytes: Option<u64>,
    /// Bytes that a file has there; fewer than its size where it has holes.
    pub allocated_bytes: Option<u64>,
    /// A number of that file system, the same for all subvolumes of one: the
    /// packed number of the block device below it, or `st_dev`.
    pub fs_number: Option<u64>,
    /// Inode of an existing file.
    pub inode: Option<u64>,
    /// Whether the disk is said to spin.
    pub rotational: Option<bool>,
    /// NUMA node of the disk.
    pub numa_node: Option<u32>,
    /// Kernel name of the whole disk of the device, or under the file.
    pub disk: Option<String>,
    /// Number of the block device, or of the one under the file.
    pub device: Option<DevNumber>,
}

/// Looks at a target. A missing file is described by its directory.
pub fn look(root: &Root, path: &Path) -> io::Result<TargetFacts> {
    Looker::new(root).look(path)
}

/// Looks at many targets. What they have in common, mounts and disks, is read
/// once: ten thousand files mostly lie on one disk.
#[derive(Debug)]
pub struct Looker<'a> {
    root: &'a Root,
    mounts: OnceCell<Vec<Mount>>,
    /// The device below a mount, by the mount's ID.
    devices: RefCell<HashMap<u64, Option<DevNumber>>>,
    disks: RefCell<HashMap<DevNumber, Rc<Disk>>>,
}

impl<'a> Looker<'a> {
    /// Has not looked at anything yet.
    pub fn new(root: &'a Root) -> Self {
        Self { root, mounts: OnceCell::new(), devices: RefCell::default(), disks: RefCell::default() }
    }

    /// Looks at a target. A missing file is described by its directory.
    pub fn look(&self, path: &Path) -> io::Result<TargetFacts> {
        match sys::pin(path) {
            Ok(pin) => self.describe(&pin),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let mut facts = self.describe(&sys::pin(&parent(path))?)?;
                facts.kind = TargetKind::Missing;
                Ok(facts)
            }
            Err(e) => Err(e),
        }
    }

    fn describe(&self, pin: &File) -> io::Result<TargetFacts> {
        let meta = pin.metadata()?;
        let extended = sys::statx_file(pin)?;
        let kind = kind(&meta);
        let is_block = kind == TargetKind::Block;
        let mount = self.mount_of(&meta, extended.mount_id).filter(|_| !is_block);
        let device = match is_block {
            true => Some(DevNumber::from_raw(meta.rdev())),
            false => mount.and_then(|mount| self.device_below(mount)),
        };
        let disk = device.map(|number| self.disk(number)).unwrap_or_default();
        let dio = extended.dio_align_bytes.or_else(|| disk.dio_align().filter(|_| is_block));
        let file_system = sys::file_system(pin).ok().filter(|_| !is_block);
        let size_bytes = match kind {
            TargetKind::File => Some(meta.len()),
            TargetKind::Block => disk.size_bytes,
            _ => None,
        };
        Ok(TargetFacts {
            kind,
            size_bytes,
            logical_block_bytes: disk.logical_block_bytes,
            physical_block_bytes: disk.physical_block_bytes,
            dio_mem_align_bytes: dio.map(|(memory, _)| memory),
            dio_offset_align_bytes: dio.map(|(_, offset)| offset),
            fs_type: mount.map(|mount| mount.fs_type.clone()),
            mount_options: mount.map(|mount| mount.options.clone()),
            fs_free_bytes: file_system.map(|fs| fs.free_bytes),
            fs_usable_bytes: file_system.and_then(|fs| fs.usable_bytes),
            allocated_bytes: (kind == TargetKind::File).then(|| meta.blocks().saturating_mul(512)),
            fs_number: (!is_block).then(|| device.map_or(meta.dev(), DevNumber::raw)),
            inode: (kind == TargetKind::File).then(|| meta.ino()),
            rotational: disk.rotational,
            numa_node: disk.numa_node,
            disk: disk.name.clone(),
            device,
        })
    }

    /// By mount ID where the kernel tells (5.8), because a btrfs subvolume's
    /// `st_dev` is in no table; else by device number.
    fn mount_of(&self, meta: &std::fs::Metadata, id: Option<u64>) -> Option<&Mount> {
        let mounts = self.mounts.get_or_init(|| own_mounts(self.root).unwrap_or_default());
        let number = DevNumber::from_raw(meta.dev());
        let by_id = mounts.iter().find(|mount| Some(mount.id) == id);
        by_id.or_else(|| mounts.iter().find(|mount| mount.dev == number))
    }

    fn device_below(&self, mount: &Mount) -> Option<DevNumber> {
        *self.devices.borrow_mut().entry(mount.id).or_insert_with(|| mount.block_number(self.root))
    }

    fn disk(&self, number: DevNumber) -> Rc<Disk> {
        let mut disks = self.disks.borrow_mut();
        disks.entry(number).or_insert_with(|| Rc::new(Disk::read(self.root, number))).clone()
    }
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn kind(meta: &std::fs::Metadata) -> TargetKind {
    let kind = meta.file_type();
    match () {
        () if kind.is_file() => TargetKind::File,
        () if kind.is_dir() => TargetKind::Directory,
        () if kind.is_block_device() => TargetKind::Block,
        () => TargetKind::Char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_a_directory_and_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, [7; 5000]).unwrap();
        let root = Root::live();
        let facts = look(&root, &file).unwrap();
        assert_eq!(facts.kind, TargetKind::File);
        assert_eq!(facts.size_bytes, Some(5000));
        assert!(facts.fs_type.is_some());
        assert!(facts.fs_free_bytes.unwrap() > 0);
        assert_eq!(look(&root, dir.path()).unwrap().kind, TargetKind::Directory);
        let missing = dir.path().join("no");
        let absent = look(&root, &missing).unwrap();
        assert_eq!(absent.kind, TargetKind::Missing);
        assert_eq!(absent.size_bytes, None);
        assert_eq!(absent.fs_type, facts.fs_type);
        assert!(!missing.exists(), "looking creates nothing");
        assert!(look(&root, &missing.join("deeper")).is_err());
    }

    #[test]
    fn a_character_device() {
        let facts = look(&Root::live(), Path::new("/dev/null")).unwrap();
        assert_eq!(facts.kind, TargetKind::Char);
    }

    #[test]
    fn what_files_have_in_common_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        let proc = dir.path().join("proc/self");
        std::fs::create_dir_all(&proc).unwrap();
        std::fs::copy("/proc/self/mountinfo", proc.join("mountinfo")).unwrap();
        let root = Root::recorded(dir.path());
        let looker = Looker::new(&root);
        let first = looker.look(&dir.path().join("0")).unwrap();
        assert!(first.fs_type.is_some());
        std::fs::remove_dir_all(dir.path().join("proc")).unwrap();
        let second = looker.look(&dir.path().join("1")).unwrap();
        assert_eq!((second.fs_type, second.device), (first.fs_type, first.device), "nothing is left to read");
    }
}
