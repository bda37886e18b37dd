//! The oracle: what a stack is made of and which bytes are in use.
//!
//! It knows only what the steps did. It never asks the machine, so it cannot make a mistake that the
//! guard makes too.

pub mod alive;
pub mod content;
pub mod extent;
pub mod file;
pub mod overlay;
pub mod path;
pub mod standing;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use content::Content;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);
    )*};
}

ids! {
    /// A file: an inode, or a file of an overlay.
    FileId
    /// A file system.
    SystemId
    /// A directory of a file system.
    DirId
    /// A loop device or a partition of one.
    DeviceId
    /// A mount namespace; 0 is that of the test.
    SpaceId
}

pub const OURS: SpaceId = SpaceId(0);

/// A regular file.
pub struct StoredFile {
    pub system: SystemId,
    pub size_bytes: u64,
    /// What a plain file holds.
    pub contents: Vec<Content>,
    /// The file of an overlay shows another file's bytes.
    pub overlay: Option<Shown>,
}

/// Where a file of an overlay has its bytes: above once it was opened for writing, below before.
pub struct Shown {
    pub lower: Option<FileId>,
    pub upper: Option<FileId>,
    pub upper_dir: DirId,
    pub name: OsString,
}

/// A file system.
pub struct System {
    pub label: &'static str,
    /// The devices that it was last mounted from.
    pub devices: Vec<DeviceId>,
    /// The file and position of its first byte.
    pub home: Option<(FileId, u64)>,
    /// The directories that an overlay is made of.
    pub layers: Vec<DirId>,
}

/// What a name in a directory leads to.
#[derive(Clone)]
pub enum Entry {
    File(FileId),
    Link(PathBuf),
    Node(DeviceId),
}

/// A directory.
pub struct Dir {
    pub system: SystemId,
    /// Its path from the root of the file system.
    pub sub: PathBuf,
    pub names: BTreeMap<OsString, Entry>,
    /// An overlay is made of it, so no name in it changes any more.
    pub is_layer: bool,
}

/// What is visible at a mount point.
#[derive(Clone)]
pub enum Shows {
    Dir(SystemId, PathBuf),
    File(FileId),
}

/// One mount in one namespace.
#[derive(Clone)]
pub struct Mount {
    pub space: SpaceId,
    pub shows: Shows,
    pub point: PathBuf,
    pub read_only: bool,
    pub gone: bool,
}

/// What a device is made of.
#[derive(Clone, Copy)]
pub enum Over {
    File(FileId),
    Device(DeviceId),
}

/// A loop device or a partition.
pub struct Device {
    pub name: String,
    pub over: Over,
    pub start: u64,
    pub size_bytes: u64,
    pub read_only: bool,
    pub attached: bool,
    pub is_partition: bool,
}

/// A swap area.
pub struct Swap {
    pub over: Over,
    pub active: bool,
}

/// Everything that the steps made.
#[derive(Default)]
pub struct Model {
    pub files: Vec<StoredFile>,
    pub systems: Vec<System>,
    pub dirs: Vec<Dir>,
    pub mounts: Vec<Mount>,
    pub devices: Vec<Device>,
    pub swaps: Vec<Swap>,
    /// Files that the test holds open.
    pub held: Vec<FileId>,
    /// Namespaces in which no process is left.
    pub empty_spaces: Vec<SpaceId>,
}

impl Model {
    pub fn add_system(&mut self, label: &'static str, root: BTreeMap<OsString, Entry>) -> SystemId {
        let system = SystemId(self.systems.len());
        self.systems.push(System { label, devices: Vec::new(), home: None, layers: Vec::new() });
        self.dirs.push(Dir { system, sub: PathBuf::new(), names: root, is_layer: false });
        system
    }

    pub fn add_dir(&mut self, system: SystemId, sub: PathBuf) -> DirId {
        self.dirs.push(Dir { system, sub, names: BTreeMap::new(), is_layer: false });
        DirId(self.dirs.len() - 1)
    }

    pub fn add_mount(&mut self, space: SpaceId, shows: Shows, point: &Path, read_only: bool) {
        self.mounts.push(Mount { space, shows, point: point.to_path_buf(), read_only, gone: false });
    }

    pub fn add_device(&mut self, device: Device) -> DeviceId {
        self.devices.push(device);
        DeviceId(self.devices.len() - 1)
    }

    pub fn system(&self, id: SystemId) -> &System {
        &self.systems[id.0]
    }

    pub fn device(&self, id: DeviceId) -> &Device {
        &self.devices[id.0]
    }

    /// All devices that are attached now.
    pub fn attached(&self) -> impl Iterator<Item = (DeviceId, &Device)> {
        let all = self.devices.iter().enumerate().map(|(at, device)| (DeviceId(at), device));
        all.filter(|(_, device)| device.attached)
    }

    /// All file systems.
    pub fn system_ids(&self) -> impl Iterator<Item = SystemId> + use<> {
        (0..self.systems.len()).map(SystemId)
    }
}
