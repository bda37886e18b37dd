//! The whole map, and the order in which it is made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::address::Address;
use super::block::{BlockDevice, BlockDevices, MountOn, Stack, disks_under, mounts, stacks};
use super::bus::{Bus, Datasheet, HostBridge, NumaNode, nodes, settle};
use super::fact::Reading;
use super::flags::Flag;
use super::function::{Function, SlotLabels};
use super::{block, flags};
use fathom_device::device::DevNumber;
use fathom_device::inventory::Standing;
use fathom_device::root::{Root, Unknown};
use fathom_text::carried::to_path;
use serde::Serialize;

/// Name and version of the JSON form.
pub const SCHEMA: &str = "fathom.topology/1";

/// What the map is made for.
#[derive(Debug, Clone, Default)]
pub struct MapRequest {
    /// Devices, files or directories, as carried text
    /// ([`fathom_text::carried`]); none: every disk.
    pub targets: Vec<String>,
    /// Rates from data sheets by kernel name, in 10⁶ bytes per second. For
    /// other drives we assume that they need what their link carries.
    pub datasheet_mbps: BTreeMap<String, f64>,
}

/// Why there is no map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// A target leads to no block device.
    #[error(transparent)]
    Aim(#[from] AimError),
    /// A rate was given for a drive that does not exist.
    #[error("a rate was given for {0}, but there is no such disk")]
    NoDisk(String),
    /// The list of devices cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unknown),
}

/// How much of the map could be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Complete {
    /// Whether no file was refused because of missing rights.
    pub root: bool,
    /// The files that were refused, one entry for each kind of file.
    pub missing: Vec<Unknown>,
}

/// The map.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Topology {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Time of the map, in seconds since 1970 (UTC); unknown for a capture.
    pub captured_at_s: Option<u64>,
    /// The id of the boot.
    pub boot_id: Reading<String>,
    /// How much could be read.
    pub complete: Complete,
    /// The targets, as the user wrote them.
    pub targets: Vec<String>,
    /// The disks under the targets, or all disks.
    pub selected: BTreeSet<String>,
    /// The devices that the targets name, or that the named files are on; none without a target.
    #[serde(skip)]
    pub aimed_at: BTreeSet<String>,
    /// NUMA nodes.
    pub numa_nodes: Vec<NumaNode>,
    /// Roots of the PCI tree.
    pub host_bridges: Vec<HostBridge>,
    /// PCI functions.
    pub nodes: Vec<Function>,
    /// Block devices.
    pub block: Vec<BlockDevice>,
    /// Devices that are made of others.
    pub stacks: Vec<Stack>,
    /// Mounts of these devices.
    pub mounts: Vec<MountOn>,
    /// Problems and remarks, the worst first.
    pub flags: Vec<Flag>,
}

impl Topology {
    /// Reads the map. Nothing is changed.
    pub fn read(root: &Root, request: &MapRequest) -> Result<Self, MapError> {
        let slots = SlotLabels::read(root);
        let mut bus = Bus::read(root, &slots)?;
        let blocks = block::read(root)?;
        let aimed_at = aimed_at(root, &blocks, &request.targets)?;
        let selected = selected(&blocks, &aimed_at, &request.targets);
        let functions: BTreeSet<Address> =
            selected.iter().filter_map(|name| blocks.get(name)).flat_map(|b| b.functions.clone()).collect();
        settle(&mut bus, &functions, &datasheet(&blocks, request)?);
        let mut map = Self {
            schema: SCHEMA,
            captured_at_s: root.is_live().then(now_s).flatten(),
            boot_id: Reading::text(root, "/proc/sys/kernel/random/boot_id"),
            complete: complete(&bus, slots.unknown),
            targets: request.targets.clone(),
            selected,
            aimed_at,
            numa_nodes: nodes(root),
            stacks: stacks(root, &blocks),
            mounts: mounts(root, &blocks),
            flags: Vec::new(),
            host_bridges: bus.host_bridges.clone(),
            nodes: Vec::new(),
            block: blocks.into_values().collect(),
        };
        map.flags = flags::find(&flags::Sight::new(&map, &bus));
        map.nodes = bus.functions.into_values().collect();
        Ok(map)
    }

    /// The block device with this name.
    pub fn block(&self, name: &str) -> Option<&BlockDevice> {
        self.block.iter().find(|block| block.name == name)
    }

    /// The disks that lead to this function.
    pub fn disks_of(&self, address: Address) -> impl Iterator<Item = &BlockDevice> {
        self.block.iter().filter(move |block| block.functions.contains(&address))
    }

    /// The flags of a node.
    pub fn flags_of<'a>(&'a self, node: &'a str) -> impl Iterator<Item = &'a Flag> {
        self.flags.iter().filter(move |flag| flag.node == node)
    }
}

fn now_s() -> Option<u64> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// The disks under the devices; without targets, every disk that is hardware.
fn selected(blocks: &BlockDevices, aimed_at: &BTreeSet<String>, targets: &[String]) -> BTreeSet<String> {
    if targets.is_empty() {
        let disks = blocks.values().filter(|block| block.drive.is_some());
        return disks.map(|block| block.name.clone()).collect();
    }
    aimed_at.iter().flat_map(|name| disks_under(blocks, name)).collect()
}

/// The devices that the targets mean.
fn aimed_at(root: &Root, blocks: &BlockDevices, targets: &[String]) -> Result<BTreeSet<String>, AimError> {
    let mut names = BTreeSet::new();
    for target in targets {
        for number in aim(root, target)? {
            let block = blocks.values().find(|block| block.number == number);
            let block = block.ok_or_else(|| AimError::Nothing(target.clone()))?;
            names.insert(block.name.clone());
        }
    }
    Ok(names)
}

fn datasheet(blocks: &BlockDevices, request: &MapRequest) -> Result<Datasheet, MapError> {
    let mut rates = Datasheet::new();
    for (name, rate) in &request.datasheet_mbps {
        let block = blocks.get(name).ok_or_else(|| MapError::NoDisk(name.clone()))?;
        rates.extend(block.functions.iter().map(|address| (*address, *rate)));
    }
    Ok(rates)
}

/// What root could read in addition, each kind of file once.
fn complete(bus: &Bus, slots: Option<Unknown>) -> Complete {
    let config = bus.functions.values().map(|function| &function.payload_bytes);
    let hidden = config.filter(|fact| fact.is_denied()).map(|fact| Unknown {
        path: fact.path.clone(),
        reason: fact.reason.clone().unwrap_or_default(),
        why: fathom_device::root::Why::Denied,
    });
    let denied = slots.into_iter().filter(Unknown::is_denied);
    let missing: Vec<Unknown> = hidden.take(1).chain(denied).collect();
    Complete { root: missing.is_empty(), missing }
}

// Finds the block devices that a user means: `/dev/md0`, `md0`, a by-id link, a
// file, a directory.

/// Why a name leads to no block device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AimError {
    /// Nothing has this name.
    #[error("{0} is not a block device, file or directory here")]
    Nothing(String),
    /// Its file system has no block device.
    #[error("{target} is on {fs_type}, which has no block device under it")]
    NoDevice {
        /// The name that the user gave.
        target: String,
        /// The file system.
        fs_type: String,
    },
}

impl AimError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Nothing(_) => "name a device such as /dev/nvme0n1, or a file or directory on it",
            Self::NoDevice { .. } => "name a file or directory on a disk's file system, or the disk itself",
        }
    }
}

/// The block device with this name, or those under the file or directory with
/// this name. The name is carried text ([`fathom_text::carried`]).
pub fn aim(root: &Root, target: &str) -> Result<Vec<DevNumber>, AimError> {
    let path = &to_path(target);
    let nothing = || AimError::Nothing(target.to_owned());
    if root.block_number_of(path).is_none() && !is_file(root, path) {
        let named = root.block_number_named(target).filter(|_| !target.contains('/'));
        return named.map(|number| vec![number]).ok_or_else(nothing);
    }
    let standing = Standing::of(root, path).ok_or_else(nothing)?;
    match standing.mount {
        Some(mount) if standing.devices.is_empty() => {
            Err(AimError::NoDevice { target: target.to_owned(), fs_type: mount.fs_type })
        }
        _ => Ok(standing.devices),
    }
}

/// A capture has no files, only mounts: there every path outside `/dev` may be
/// one.
fn is_file(root: &Root, path: &Path) -> bool {
    match root.is_live() {
        true => path.exists(),
        false => path.is_absolute() && !path.starts_with("/dev"),
    }
}
