//! A target with the user's name for it, and the devices below it.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use fathom_device::device::{DevNumber, Graph, all_disks};
use fathom_device::inventory::Standing;
use fathom_device::loops::{LoopDevice, loop_devices};
use fathom_device::mounts::Mount;
use fathom_device::root::{Root, Unknown};

/// A file, directory or device that is to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The path as it was given.
    pub path: PathBuf,
    /// The file system it is on, for a file or directory.
    pub mount: Option<Mount>,
    /// The block devices below (and above) it, where there are any.
    pub graph: Result<Graph, Unknown>,
    /// The same for the other devices of a file system on several.
    pub others: Vec<Graph>,
}

/// The device graphs of several targets, which share one table of loop devices.
pub(super) struct Graphs<'r> {
    root: &'r Root,
    /// Read for the first target that has a block device.
    loops: OnceCell<Result<Vec<LoopDevice>, Unknown>>,
}

impl<'r> Graphs<'r> {
    pub(super) fn new(root: &'r Root) -> Self {
        Self { root, loops: OnceCell::new() }
    }

    fn read(&self, number: DevNumber) -> Result<Graph, Unknown> {
        let loops = self.loops.get_or_init(|| loop_devices(self.root));
        Graph::among(self.root, number, loops.as_ref().map_err(Clone::clone)?)
    }
}

impl Target {
    /// Looks for it on the machine at `root`.
    pub fn find(root: &Root, path: &Path) -> Self {
        Self::among(&Graphs::new(root), path)
    }

    /// Looks for it on the machine of the graphs.
    pub(super) fn among(graphs: &Graphs<'_>, path: &Path) -> Self {
        let path = path.to_path_buf();
        let Some(Standing { mount, devices }) = Standing::of(graphs.root, &path) else {
            let graph = Err(Unknown::new(&path, "no file system is mounted there"));
            return Self { path, mount: None, graph, others: Vec::new() };
        };
        let graph = match (devices.first(), &mount) {
            (Some(first), _) => graphs.read(*first),
            (None, Some(mount)) => {
                let says = format!("{} has no block device below it", mount.fs_type);
                Err(Unknown::new(&mount.point, says))
            }
            (None, None) => Err(Unknown::missing(&path)),
        };
        let others = devices.iter().skip(1).filter_map(|other| graphs.read(*other).ok()).collect();
        Self { path, mount, graph, others }
    }

    /// The graphs of all its devices.
    pub fn graphs(&self) -> impl Iterator<Item = &Graph> {
        self.graph.iter().chain(&self.others)
    }
}

/// Every disk that is not made of something else.
pub(super) fn all_real(graphs: &Graphs<'_>) -> Vec<Target> {
    let disks = all_disks(graphs.root).unwrap_or_default();
    let real = disks.into_iter().filter(|disk| {
        use fathom_device::device::DiskKind::{DeviceMapper, Loop, Md, Ram};
        disk.size_bytes > 0 && !matches!(disk.kind, DeviceMapper | Loop | Md | Ram)
    });
    let target = |name: String, dev: DevNumber| {
        let graph = graphs.read(dev);
        Target { path: Path::new("/dev").join(name), mount: None, graph, others: Vec::new() }
    };
    real.map(|disk| target(disk.kernel_name, disk.dev)).collect()
}
