//! What a target is, before anything is done to it: a pure read that neither
//! creates nor opens for I/O.

use crate::command_node::{CommandNode, CommandUnit};
use crate::device::{DevNumber, DiskKind, Graph};
use crate::inventory;
use crate::mounts::{Mount, holding, own_mounts};
use crate::root::Root;
use crate::sys::{self, Extended, FileSystem};
use crate::zones::DeviceZones;
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What the path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PathKind {
    /// A regular file.
    File,
    /// A block device.
    Block,
    /// The generic character device of an NVMe namespace (`/dev/ng0n1`); its facts are those of the block device.
    Namespace,
    /// The generic character device of a SCSI disk (`/dev/sg0`); its facts are those of the block device.
    ScsiNode,
    /// Another character device, a FIFO or a socket.
    Char,
    /// A directory.
    Directory,
    /// Nothing yet.
    Missing,
}

/// The facts a plan needs about a target. `None` is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathFacts {
    /// What it is.
    pub kind: PathKind,
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
    /// Bytes that are allocated for a file; fewer than its size where it has holes.
    pub allocated_bytes: Option<u64>,
    /// A number of that file system, the same for all subvolumes of one: the
    /// packed number of the block device below it, or `st_dev`.
    pub fs_number: Option<u64>,
    /// Inode of an existing file.
    pub inode: Option<u64>,
    /// Whether the kernel says that the disk spins.
    pub rotational: Option<bool>,
    /// The zones of a host-managed device.
    #[serde(skip)]
    pub zones: Option<DeviceZones>,
    /// It is a whole SCSI disk, or its generic character device. The kernel gives a command for a partition, or for a device that
    /// is made of others, to the whole disk.
    #[serde(skip)]
    pub is_scsi_disk: bool,
    /// NUMA node of the disk.
    pub numa_node: Option<u32>,
    /// Kernel name of the whole disk of the device, or under the file.
    pub disk: Option<String>,
    /// Number of the block device, or of the one under the file.
    pub device: Option<DevNumber>,
}

/// Inspects a target. A missing file is described by its directory.
pub fn inspect(root: &Root, path: &Path) -> io::Result<PathFacts> {
    Inspector::new(root).inspect(path)
}

/// Looks at many targets. What they have in common, mounts and disks, is read
/// once: ten thousand files are mostly on one disk.
#[derive(Debug)]
pub struct Inspector<'a> {
    root: &'a Root,
    mounts: OnceCell<Vec<Mount>>,
    /// The device below a mount, by the mount's ID.
    devices: RefCell<HashMap<u64, Option<DevNumber>>>,
    disks: RefCell<HashMap<DevNumber, Rc<Disk>>>,
    /// What holds for the missing files of the directory that was looked at last.
    of_missing: RefCell<Option<(PathBuf, PathFacts)>>,
    file_systems: RefCell<HashMap<MountKey, Option<FileSystem>>>,
}

/// A file system as it is mounted at one place.
type MountKey = (DevNumber, Option<u64>);

impl<'a> Inspector<'a> {
    /// Has not inspected anything yet.
    pub fn new(root: &'a Root) -> Self {
        let (devices, disks, file_systems, of_missing) = Default::default();
        Self { root, mounts: OnceCell::new(), devices, disks, of_missing, file_systems }
    }

    /// Inspects a target. A missing file is described by its directory.
    pub fn inspect(&self, path: &Path) -> io::Result<PathFacts> {
        match sys::statx_path(path) {
            Ok(there) => Ok(self.describe(path, &there)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => self.of_missing_in(parent(path)),
            Err(e) => Err(e),
        }
    }

    fn of_missing_in(&self, directory: PathBuf) -> io::Result<PathFacts> {
        if let Some((_, facts)) = self.of_missing.borrow().as_ref().filter(|(known, _)| *known == directory) {
            return Ok(facts.clone());
        }
        let mut facts = self.describe(&directory, &sys::statx_path(&directory)?);
        facts.kind = PathKind::Missing;
        self.of_missing.replace(Some((directory, facts.clone())));
        Ok(facts)
    }

    fn describe(&self, path: &Path, there: &Extended) -> PathFacts {
        let (kind, drive) = self.kind(there);
        let is_block = drive.is_some();
        let mount = self.mount_of(there).filter(|_| !is_block);
        let device = drive.or_else(|| mount.and_then(|mount| self.device_below(mount)));
        let disk = device.map(|number| self.disk(number)).unwrap_or_default();
        let dio = there.dio_align_bytes.or_else(|| disk.dio_align().filter(|_| is_block));
        let file_system = if is_block { None } else { self.file_system(path, there) };
        let size_bytes = match kind {
            PathKind::File => Some(there.size_bytes),
            PathKind::Block | PathKind::Namespace | PathKind::ScsiNode => disk.size_bytes,
            _ => None,
        };
        PathFacts {
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
            allocated_bytes: (kind == PathKind::File).then_some(there.allocated_bytes),
            fs_number: (!is_block).then(|| device.unwrap_or(there.dev).raw()),
            inode: (kind == PathKind::File).then_some(there.inode),
            rotational: disk.rotational,
            zones: disk.zones.filter(|_| kind == PathKind::Block),
            is_scsi_disk: is_block && disk.is_scsi,
            numa_node: disk.numa_node,
            disk: disk.name.clone(),
            device,
        }
    }

    /// What it is, and the number of the block device that it is or leads to.
    fn kind(&self, there: &Extended) -> (PathKind, Option<DevNumber>) {
        match kind(there.mode) {
            PathKind::Block => (PathKind::Block, Some(there.rdev)),
            // Where the block device is not known for certain, the guard says why when it is asked to admit this one.
            PathKind::Char => match CommandNode::read(self.root, there.rdev) {
                Ok(Some(node)) => match node.unit {
                    CommandUnit::Namespace(_) => (PathKind::Namespace, Some(node.block)),
                    CommandUnit::Scsi(_) => (PathKind::ScsiNode, Some(node.block)),
                },
                _ => (PathKind::Char, None),
            },
            other => (other, None),
        }
    }

    /// The node of this path, if it takes the commands of a drive.
    pub fn command_node(&self, path: &Path) -> Option<CommandNode> {
        let there = sys::statx_path(path).ok()?;
        let is_character = there.mode & libc::S_IFMT == libc::S_IFCHR;
        CommandNode::read(self.root, there.rdev).ok().flatten().filter(|_| is_character)
    }

    /// Room on the file system, which is asked once.
    fn file_system(&self, path: &Path, there: &Extended) -> Option<FileSystem> {
        let mut known = self.file_systems.borrow_mut();
        *known.entry((there.dev, there.mount_id)).or_insert_with(|| sys::file_system_at(path).ok())
    }

    fn mount_of(&self, there: &Extended) -> Option<&Mount> {
        holding(self.mounts.get_or_init(|| own_mounts(self.root).unwrap_or_default()), there)
    }

    fn device_below(&self, mount: &Mount) -> Option<DevNumber> {
        *self.devices.borrow_mut().entry(mount.id).or_insert_with(|| mount.block_number(self.root))
    }

    fn disk(&self, number: DevNumber) -> Rc<Disk> {
        let mut disks = self.disks.borrow_mut();
        disks.entry(number).or_insert_with(|| Rc::new(Disk::read(self.root, number))).clone()
    }
}

/// The directory of a path, which is the current one where the path names none.
pub fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn kind(mode: u32) -> PathKind {
    match mode & libc::S_IFMT {
        libc::S_IFREG => PathKind::File,
        libc::S_IFDIR => PathKind::Directory,
        libc::S_IFBLK => PathKind::Block,
        _ => PathKind::Char,
    }
}

/// What `/sys` says of a device and of the whole disk that it is on.
#[derive(Debug, Default)]
struct Disk {
    name: Option<String>,
    /// The size of the device itself, which may be a partition.
    size_bytes: Option<u64>,
    logical_block_bytes: Option<u32>,
    physical_block_bytes: Option<u32>,
    dma_alignment: Option<u32>,
    rotational: Option<bool>,
    zones: Option<DeviceZones>,
    is_scsi: bool,
    numa_node: Option<u32>,
}

impl Disk {
    fn read(root: &Root, number: DevNumber) -> Self {
        let Ok(graph) = Graph::read(root, number) else { return Self::default() };
        let disk = graph.whole_disk();
        let queue = disk.sys_dir.join("queue");
        let value = |file: &str| root.read_value(queue.join(file)).ok();
        Self {
            name: Some(disk.name.clone()),
            size_bytes: Some(graph.target().size_bytes),
            logical_block_bytes: value("logical_block_size"),
            physical_block_bytes: value("physical_block_size"),
            dma_alignment: value("dma_alignment"),
            rotational: value("rotational").map(|flag| flag == 1),
            zones: DeviceZones::read(root, &queue).filter(DeviceZones::is_host_managed),
            is_scsi: graph.target().number == disk.number && DiskKind::is_scsi_disk(&disk.name),
            numa_node: inventory::Disk::of(root, disk).near(root).ok().and_then(|near| near.node),
        }
    }

    /// The alignment that O_DIRECT needs, for kernels whose `statx` does not report it (before
    /// 6.1). A device takes its logical block, and memory aligned to what its driver's DMA needs (a
    /// mask in sysfs since 6.0, else the logical block again). For a file its file system decides,
    /// so it is not known.
    fn dio_align(&self) -> Option<(u32, u32)> {
        let block = self.logical_block_bytes?;
        let memory = self.dma_alignment.map(|mask| mask.saturating_add(1));
        Some((memory.unwrap_or(block), block))
    }
}

/// What a file has in common with others. Two files with the same are described
/// by the same facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ground {
    /// A file system, by its `st_dev`, as it is mounted at one place. Before
    /// Linux 5.8 the kernel does not tell the mount.
    Mount {
        /// Number of the file system.
        dev: u64,
        /// Number of the mount in this namespace.
        mount: Option<u64>,
    },
    /// A device, which is on nothing else.
    Device,
}

impl Ground {
    /// The ground of a target; for a missing file, that of its directory.
    ///
    /// # Errors
    /// Where neither can be looked at.
    pub fn of(path: &Path) -> io::Result<Self> {
        let there = match sys::statx_path(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => sys::statx_path(&parent(path))?,
            there => there?,
        };
        match there.mode & libc::S_IFMT {
            libc::S_IFBLK | libc::S_IFCHR => Ok(Self::Device),
            _ => Ok(Self::Mount { dev: there.dev.raw(), mount: there.mount_id }),
        }
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
        let facts = inspect(&root, &file).unwrap();
        assert_eq!(facts.kind, PathKind::File);
        assert_eq!(facts.size_bytes, Some(5000));
        assert!(facts.fs_type.is_some());
        assert!(facts.fs_free_bytes.unwrap() > 0);
        assert_eq!(inspect(&root, dir.path()).unwrap().kind, PathKind::Directory);
        let missing = dir.path().join("no");
        let absent = inspect(&root, &missing).unwrap();
        assert_eq!(absent.kind, PathKind::Missing);
        assert_eq!(absent.size_bytes, None);
        assert_eq!(absent.fs_type, facts.fs_type);
        assert!(!missing.exists(), "looking creates nothing");
        assert!(inspect(&root, &missing.join("deeper")).is_err());
    }

    #[test]
    fn a_character_device() {
        let facts = inspect(&Root::live(), Path::new("/dev/null")).unwrap();
        assert_eq!(facts.kind, PathKind::Char);
    }

    #[test]
    fn what_files_have_in_common_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        let proc = dir.path().join("proc/self");
        std::fs::create_dir_all(&proc).unwrap();
        std::fs::copy("/proc/self/mountinfo", proc.join("mountinfo")).unwrap();
        let root = Root::recorded(dir.path());
        let inspector = Inspector::new(&root);
        let first = inspector.inspect(&dir.path().join("0")).unwrap();
        assert!(first.fs_type.is_some());
        std::fs::remove_dir_all(dir.path().join("proc")).unwrap();
        let second = inspector.inspect(&dir.path().join("1")).unwrap();
        assert_eq!((second.fs_type, second.device), (first.fs_type, first.device), "nothing is left to read");
    }

    #[test]
    fn files_of_one_mount_have_one_ground() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, "").unwrap();
        let ground = Ground::of(&file).unwrap();
        assert_eq!(Ground::of(&dir.path().join("missing")).unwrap(), ground);
        assert_ne!(Ground::of(Path::new("/proc/self/status")).unwrap(), ground);
        assert_eq!(Ground::of(Path::new("/dev/null")).unwrap(), Ground::Device);
        assert!(Ground::of(&file.join("deeper")).is_err());
    }
}
