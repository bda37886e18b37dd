//! A target with the user's name for it, and the devices below it.

use std::cell::OnceCell;
use std::io;
use std::path::{Path, PathBuf};

use super::Scene;
use fathom_device::ask::Question;
use fathom_device::device::{DevNumber, Graph, Node, all_disks};
use fathom_device::inventory::Standing;
use fathom_device::loops::{LoopDevice, loop_devices};
use fathom_device::mounts::Mount;
use fathom_device::root::{Root, Unknown};
use fathom_device::signature::Contents;
use fathom_guard::{Facts, Finding, SharedFacts, inspect};

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

// The guard's findings on each target. The audit uses the facts and the
// inspection of the guard, so that the two cannot disagree.

/// A block device that is a target, with the guard's view of it.
#[derive(Debug)]
pub struct Safety {
    /// Its kernel name.
    pub name: String,
    /// The facts and the findings; unknown where the guard could not read them
    /// and would therefore refuse.
    pub view: Result<(Facts, Vec<Finding>), Unknown>,
}

impl Scene<'_> {
    /// One entry for each target that is a block device. Files and directories
    /// have none, because a write into a file system does not destroy it. There is none for a job that spares the content.
    pub fn safety(&self) -> &[Safety] {
        self.safety.get_or_init(|| self.look_at_safety())
    }

    fn look_at_safety(&self) -> Vec<Safety> {
        let graphs = self.targets.iter().filter(|target| target.mount.is_none());
        let nodes: Vec<&Node> = graphs.filter_map(|t| Some(t.graph.as_ref().ok()?.target())).collect();
        if nodes.is_empty() || self.job.spares_content {
            return Vec::new();
        }
        let surroundings = SharedFacts::read(self.root);
        let safety = |node: &&Node| {
            let facts = surroundings.clone().and_then(|surroundings| {
                Facts::about(self.root, surroundings, node.number, |node| self.look_into(node))
            });
            let view = facts.map(|facts| {
                let findings = inspect(&facts);
                (facts, findings)
            });
            Safety { name: node.name.clone(), view }
        };
        nodes.iter().map(safety).collect()
    }

    fn look_into(&self, node: &Node) -> io::Result<Contents> {
        self.contents_of(&node.name).map_err(io::Error::other)
    }

    /// The contents of the block device with this kernel name.
    pub fn contents_of(&self, node: &str) -> Result<Contents, Unknown> {
        let raw = self.ask(&Question::Contents { node: node.to_owned() })?;
        raw.text.parse().map_err(|_| Unknown::garbled(&raw.path, &raw.text))
    }
}
