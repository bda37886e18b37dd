//! What a target is, before anything is done to it: a pure read that neither
//! creates nor opens for I/O.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::device::{DevNumber, Graph, Node};
use crate::mounts::{Mount, own_mounts};
use crate::root::Root;
use crate::sys;

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
    match sys::pin(path) {
        Ok(pin) => describe(root, &pin),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let mut facts = describe(root, &sys::pin(&parent(path))?)?;
            facts.kind = TargetKind::Missing;
            Ok(facts)
        }
        Err(e) => Err(e),
    }
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn describe(root: &Root, pin: &File) -> io::Result<TargetFacts> {
    let meta = pin.metadata()?;
    let extended = sys::statx_file(pin)?;
    let kind = kind(&meta);
    let is_block = kind == TargetKind::Block;
    let mount = mount_of(root, &meta, extended.mount_id).filter(|_| !is_block);
    let device = match is_block {
        true => Some(DevNumber::from_raw(meta.rdev())),
        false => mount.as_ref().and_then(|mount| mount.block_number(root)),
    };
    let graph = device.and_then(|number| Graph::read(root, number).ok());
    let disk = graph.as_ref().map(Graph::whole_disk);
    let queue = Queue { root, disk };
    let dio = extended.dio_align_bytes.or_else(|| queue.dio_align(is_block));
    let file_system = sys::file_system(pin).ok().filter(|_| !is_block);
    let size_bytes = match kind {
        TargetKind::File => Some(meta.len()),
        TargetKind::Block => graph.as_ref().map(|graph| graph.target().size_bytes),
        _ => None,
    };
    Ok(TargetFacts {
        kind,
        size_bytes,
        logical_block_bytes: queue.value("logical_block_size"),
        physical_block_bytes: queue.value("physical_block_size"),
        dio_mem_align_bytes: dio.map(|(memory, _)| memory),
        dio_offset_align_bytes: dio.map(|(_, offset)| offset),
        fs_type: mount.as_ref().map(|mount| mount.fs_type.clone()),
        mount_options: mount.map(|mount| mount.options),
        fs_free_bytes: file_system.map(|fs| fs.free_bytes),
        fs_usable_bytes: file_system.and_then(|fs| fs.usable_bytes),
        allocated_bytes: (kind == TargetKind::File).then(|| meta.blocks().saturating_mul(512)),
        fs_number: (!is_block).then(|| device.map_or(meta.dev(), DevNumber::raw)),
        inode: (kind == TargetKind::File).then(|| meta.ino()),
        rotational: queue.value::<u8>("rotational").map(|flag| flag == 1),
        numa_node: disk.and_then(|disk| numa_node(root, &disk.sys_dir)),
        disk: disk.map(|disk| disk.name.clone()),
        device,
    })
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

/// By mount ID where the kernel tells (5.8), because a btrfs subvolume's
/// `st_dev` is in no table; else by device number.
fn mount_of(root: &Root, meta: &std::fs::Metadata, id: Option<u64>) -> Option<Mount> {
    let mounts = own_mounts(root).ok()?;
    let number = DevNumber::from_raw(meta.dev());
    let by_id = mounts.iter().find(|mount| Some(mount.id) == id);
    let found = by_id.or_else(|| mounts.iter().find(|mount| mount.dev == number));
    found.cloned()
}

struct Queue<'a> {
    root: &'a Root,
    disk: Option<&'a Node>,
}

impl Queue<'_> {
    fn value<T: std::str::FromStr>(&self, file: &str) -> Option<T> {
        let dir = &self.disk?.sys_dir;
        self.root.read_value(dir.join("queue").join(file)).ok()
    }

    /// Before `statx` told (6.1): a device takes its logical block, and
    /// memory aligned to what its driver's DMA needs (a mask in sysfs since
    /// 6.0, else the logical block again). Of a file the file system decides,
    /// which makes it unknown.
    fn dio_align(&self, is_block: bool) -> Option<(u32, u32)> {
        let block: u32 = self.value("logical_block_size").filter(|_| is_block)?;
        let memory = self.value::<u32>("dma_alignment").map(|mask| mask + 1);
        Some((memory.unwrap_or(block), block))
    }
}

/// The node of the first ancestor in the device tree that has one: a
/// namespace has none, its controller or PCI function does. −1 is unknown.
fn numa_node(root: &Root, sys_dir: &Path) -> Option<u32> {
    let nodes = sys_dir.ancestors().take_while(|dir| dir.starts_with("/sys/devices"));
    let mut texts = nodes.filter_map(|dir| root.read_value::<i64>(dir.join("numa_node")).ok());
    u32::try_from(texts.next()?).ok()
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
}
