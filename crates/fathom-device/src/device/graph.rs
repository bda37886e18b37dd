//! The device graph: a target, everything it is made of and everything made
//! of it.
//!
//! Writing a byte of the target writes a byte of all of them, so the guard
//! asks every question of every node. Siblings (another partition of the same
//! disk, another volume of the same array) share no byte and are left out.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::device::DevNumber;
use crate::loops::{LoopDevice, loop_devices};
use crate::root::{Root, Unknown};
use crate::same_file::Sharing;

/// How a node is related to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The target itself.
    Target,
    /// The disk that the target, or a device under it, is a partition of.
    WholeDisk,
    /// A member that the target is made of (md, device-mapper, bcache), or
    /// the device under a loop device.
    Slave,
    /// A partition of the target or of a device on it.
    Partition,
    /// A device that holds the target or one of its partitions: array,
    /// volume, crypt.
    Holder,
    /// A loop device whose bytes are the target's bytes, or those of the disk
    /// or a member under it.
    Loop,
    /// A loop device that may be over the same file as the target.
    PossibleLoop,
}

impl Relation {
    /// Whether the node's bytes lie within the target's bytes, so that what
    /// it holds would be lost.
    pub fn is_within_target(self) -> bool {
        !matches!(self, Relation::WholeDisk | Relation::Slave)
    }

    /// Whether the target is made of the node: the target itself, its disk, or a device below it.
    pub fn is_made_of(self) -> bool {
        matches!(self, Relation::Target | Relation::WholeDisk | Relation::Slave)
    }
}

/// One block device of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Device number.
    pub number: DevNumber,
    /// Kernel name (`nvme0n1p2`).
    pub name: String,
    /// Path of the node (`/dev/nvme0n1p2`).
    pub dev_path: PathBuf,
    /// Its place relative to the target.
    pub relation: Relation,
    /// Partition number, for a partition.
    pub partition: Option<u32>,
    /// Size in bytes; 0 without a medium.
    pub size_bytes: u64,
    /// Directory in sysfs, as named on the machine described.
    pub sys_dir: PathBuf,
}

/// The target first, then every other node, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    nodes: Vec<Node>,
    under_loops: Vec<DevNumber>,
}

impl Graph {
    /// Reads the graph around the block device `target`.
    pub fn read(root: &Root, target: DevNumber) -> Result<Self, Unknown> {
        Self::among(root, target, &loop_devices(root)?)
    }

    /// The same with loop devices that have been read. Reading them takes a look at every block
    /// device, so where the graphs of many devices are wanted it is done once.
    pub fn among(root: &Root, target: DevNumber, loops: &[LoopDevice]) -> Result<Self, Unknown> {
        let mut walk = Walk { root, loops, visited: HashSet::new(), nodes: Vec::new() };
        let node = walk.node(target, Relation::Target)?;
        walk.visited.insert(target);
        walk.nodes.push(node.clone());
        walk.above(&node)?;
        walk.below(node)?;
        let under_loops = walk.beside()?;
        Ok(Self { nodes: walk.nodes, under_loops })
    }

    /// Whether the target is made of this device: the target itself, its disk, or a device below
    /// it.
    pub fn is_made_of(&self, number: DevNumber) -> bool {
        self.node(number).is_some_and(|node| node.relation.is_made_of())
    }

    /// The whole disks and arrays that the target is made of: its own disk first, then the members
    /// and theirs. A partition among them is represented by its disk.
    pub fn disks(&self) -> impl Iterator<Item = &Node> {
        let own = self.whole_disk();
        let made_of = self.nodes.iter().filter(|node| node.relation.is_made_of() && node.partition.is_none());
        std::iter::once(own).chain(made_of.filter(|node| node.number != own.number))
    }

    /// The target alone: enough for the identity of a whole disk.
    pub(crate) fn of_disk(root: &Root, disk: DevNumber) -> Result<Self, Unknown> {
        let walk = Walk { root, loops: &[], visited: HashSet::new(), nodes: Vec::new() };
        Ok(Self { nodes: vec![walk.node(disk, Relation::Target)?], under_loops: Vec::new() })
    }

    /// The target.
    pub fn target(&self) -> &Node {
        &self.nodes[0]
    }

    /// All nodes, the target first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The devices under the loop devices that the target is made of. A loop device does not claim
    /// what is under it, so another user may have claimed it.
    pub fn under_loops(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| self.under_loops.contains(&node.number))
    }

    /// The node with this number, if it is part of the graph.
    pub fn node(&self, number: DevNumber) -> Option<&Node> {
        self.nodes.iter().find(|node| node.number == number)
    }

    /// The whole disk of the target: its parent for a partition, else itself.
    pub fn whole_disk(&self) -> &Node {
        let parent = self.target().sys_dir.parent();
        let mut disks = self.nodes.iter();
        let disk = disks.find(|n| n.relation == Relation::WholeDisk && Some(n.sys_dir.as_path()) == parent);
        disk.unwrap_or(self.target())
    }
}

struct Walk<'a> {
    root: &'a Root,
    loops: &'a [LoopDevice],
    visited: HashSet<DevNumber>,
    nodes: Vec<Node>,
}

impl Walk<'_> {
    /// What the target is made of: the disk of a partition, the members of an array, the device
    /// under a loop. It does not use recursion, because a recorded machine may stack any number of
    /// devices.
    fn above(&mut self, node: &Node) -> Result<(), Unknown> {
        let mut left = vec![node.clone()];
        while let Some(node) = left.pop() {
            let edges = self.right_above(&node)?;
            left.extend(self.add(edges)?.into_iter().rev());
        }
        Ok(())
    }

    fn right_above(&self, node: &Node) -> Result<Vec<(DevNumber, Relation)>, Unknown> {
        let mut edges = Vec::new();
        if node.partition.is_some()
            && let Some(disk) = node.sys_dir.parent()
        {
            edges.push((self.number_in(disk)?, Relation::WholeDisk));
        }
        for slave in self.linked(&node.sys_dir, "slaves")? {
            edges.push((slave, Relation::Slave));
        }
        let under = self.loops.iter().find(|l| l.number == node.number);
        if let Some(device) = under.and_then(|l| l.backing_device) {
            edges.push((device, Relation::Slave));
        }
        Ok(edges)
    }

    /// What is made of the target: partitions, holders, loops over it.
    fn below(&mut self, node: Node) -> Result<(), Unknown> {
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            let edges = self.right_below(&node)?;
            left.extend(self.add(edges)?.into_iter().rev());
        }
        Ok(())
    }

    fn right_below(&self, node: &Node) -> Result<Vec<(DevNumber, Relation)>, Unknown> {
        let mut edges = Vec::new();
        for name in self.root.list(&node.sys_dir)? {
            let dir = node.sys_dir.join(name);
            if self.root.exists(dir.join("partition")) {
                edges.push((self.number_in(&dir)?, Relation::Partition));
            }
        }
        for holder in self.linked(&node.sys_dir, "holders")? {
            edges.push((holder, Relation::Holder));
        }
        edges.extend(self.loops_on(node.number));
        Ok(edges)
    }

    /// What shares bytes with the target through the devices above it: loop
    /// devices over the whole disk, over a member, or over the file of one of
    /// them, and everything that is made of the device under a loop device.
    /// Other partitions and holders of a disk share nothing. Gives the devices
    /// under loop devices.
    fn beside(&mut self) -> Result<Vec<DevNumber>, Unknown> {
        let mut under_loops = Vec::new();
        let is_above = |node: &&Node| matches!(node.relation, Relation::WholeDisk | Relation::Slave);
        let above: Vec<Node> = self.nodes.iter().filter(is_above).cloned().collect();
        for node in above {
            if self.is_under_a_loop(node.number) {
                under_loops.push(node.number);
                self.below(node)?;
                continue;
            }
            let edges = self.loops_on(node.number);
            for over in self.add(edges)? {
                self.below(over)?;
            }
        }
        Ok(under_loops)
    }

    /// Whether the target is made of a loop device over this one.
    fn is_under_a_loop(&self, number: DevNumber) -> bool {
        let mut loops = self.loops.iter().filter(|l| l.backing_device == Some(number));
        loops.any(|l| {
            let node = self.nodes.iter().find(|node| node.number == l.number);
            node.is_some_and(|node| node.relation.is_made_of())
        })
    }

    /// Loop devices over the node, and those over the same file as the node. `holders` does not
    /// list them.
    fn loops_on(&self, number: DevNumber) -> Vec<(DevNumber, Relation)> {
        let own = self.loops.iter().find(|l| l.number == number);
        let sharing = |l: &LoopDevice| match own {
            _ if l.backing_device == Some(number) => Sharing::Same,
            Some(own) if own.number != l.number => own.sharing(self.root, l),
            _ => Sharing::Different,
        };
        let loops = self.loops.iter().filter_map(|l| match sharing(l) {
            Sharing::Same => Some((l.number, Relation::Loop)),
            Sharing::Unknown => Some((l.number, Relation::PossibleLoop)),
            Sharing::Different => None,
        });
        loops.collect()
    }

    fn add(&mut self, edges: Vec<(DevNumber, Relation)>) -> Result<Vec<Node>, Unknown> {
        let mut added = Vec::new();
        for (number, relation) in edges {
            if self.visited.insert(number) {
                let node = self.node(number, relation)?;
                self.nodes.push(node.clone());
                added.push(node);
            }
        }
        Ok(added)
    }

    fn node(&self, number: DevNumber, relation: Relation) -> Result<Node, Unknown> {
        let sys_dir = sys_dir(self.root, number)?;
        let name = sys_dir.file_name().map(|n| n.to_string_lossy());
        let name = name.unwrap_or_default().into_owned();
        let size = sys_dir.join("size");
        let sectors: u64 = self.root.read_value(&size)?;
        Ok(Node {
            number,
            dev_path: dev_path(self.root, &sys_dir, &name),
            name,
            relation,
            partition: self.root.read_value(sys_dir.join("partition")).ok(),
            // sysfs counts in units of 512 bytes, independent of the sector size
            // (Documentation/ABI/stable/sysfs-block).
            size_bytes: sectors
                .checked_mul(512)
                .ok_or_else(|| Unknown::garbled(&size, &sectors.to_string()))?,
            sys_dir,
        })
    }

    fn number_in(&self, dir: &Path) -> Result<DevNumber, Unknown> {
        self.root.read_value(dir.join("dev"))
    }

    /// The devices that a directory of links names. A directory that is not
    /// there holds nothing: partitions have no `slaves`.
    fn linked(&self, dir: &Path, links: &str) -> Result<Vec<DevNumber>, Unknown> {
        let dir = dir.join(links);
        if !self.root.exists(&dir) {
            return Ok(Vec::new());
        }
        let names = self.root.list(&dir)?;
        names.iter().map(|name| self.number_in(&dir.join(name))).collect()
    }
}

/// The directory in sysfs of a block device, links resolved.
pub(crate) fn sys_dir(root: &Root, number: DevNumber) -> Result<PathBuf, Unknown> {
    root.resolve(format!("/sys/dev/block/{number}"))
}

/// `/dev/` and the name that the kernel gave to devtmpfs; where it does not
/// say, the kernel name with `!` for `/` (cciss, some raid drivers).
fn dev_path(root: &Root, sys_dir: &Path, name: &str) -> PathBuf {
    let uevent = root.read_text(sys_dir.join("uevent")).unwrap_or_default();
    let named = uevent.lines().find_map(|l| l.strip_prefix("DEVNAME="));
    let fallback = name.replace('!', "/");
    Path::new("/dev").join(named.unwrap_or(&fallback))
}
