//! What could be measured on this machine, and what measuring it would risk.
//!
//! ```text
//! disks ─► contents (one thread each) ─► the guard's facts ─► its findings ─► one line
//! ```
//! Whether a device may be written is decided by the guard's own rules
//! ([`fathom_guard::inspect`], [`fathom_guard::consent_needed`]), so this list and a run cannot
//! disagree. Nothing is opened for writing.

mod attachment;
mod device;
mod directory;
mod simulated;
mod text;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use fathom_device::ask::Question;
use fathom_device::device::{DevNumber, DiskKind, Graph, Identity, Node, Relation, all_disks};
use fathom_device::loops::loop_devices;
use fathom_device::root::{Root, Unknown};
use fathom_device::signature::Contents;
use fathom_device::threads::side_by_side;
use fathom_guard::SharedFacts;
use serde::Serialize;

pub use attachment::{Attachment, AttachmentKind};
pub use device::{DeviceUse, MeasurableDevice, Writing, WritingVerdict};
pub use directory::ScratchDirectory;
pub use simulated::{SimulatedDevice, SimulatedZones};

/// Name and version of the JSON form. Added fields do not change it.
pub const SCHEMA: &str = "fathom.devices/1";

/// Everything that could be measured. As JSON it is one document.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceList {
    /// Name and version of the form: [`SCHEMA`].
    pub schema: &'static str,
    /// Whole disks, arrays and volumes, each with its partitions. First those that may be written
    /// with the least loss.
    pub devices: Vec<MeasurableDevice>,
    /// Directories in which a scratch file can be measured, the one with the most free space first.
    pub directories: Vec<ScratchDirectory>,
    /// Simulated drives that were named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub simulated: Vec<SimulatedDevice>,
    /// Devices that were left out, because they cannot be measured or nobody would (empty loop
    /// devices, RAM disks, optical drives, read-only images).
    pub left_out: usize,
}

/// Which devices are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// Those that a person would measure.
    Measurable,
    /// Every block device.
    All,
}

impl DeviceList {
    /// Reads the machine at `root`.
    ///
    /// # Errors
    /// Where the machine has no table of block devices that can be read.
    pub fn read(root: &Root, listed: Listed) -> Result<Self, Unknown> {
        let disks = all_disks(root)?;
        let count = disks.len();
        let wanted = disks.into_iter().filter(|disk| listed == Listed::All || is_measurable(disk));
        let numbers: Vec<DevNumber> = wanted.map(|disk| disk.dev).collect();
        let left_out = count - numbers.len();
        // A device that has vanished meanwhile is not listed.
        let devices = ordered(devices(root, &numbers)?.into_iter().flatten().collect());
        let directories = directory::all(root)?;
        Ok(Self { schema: SCHEMA, devices, directories, simulated: Vec::new(), left_out })
    }

    /// These devices alone, which may be partitions, and these simulated drives, without directories.
    ///
    /// # Errors
    /// Where one of them is not there any more.
    pub fn of(root: &Root, numbers: &[DevNumber], simulated: Vec<SimulatedDevice>) -> Result<Self, Unknown> {
        // A list of simulated drives alone needs nothing of the machine.
        let devices = if numbers.is_empty() { Vec::new() } else { devices(root, numbers)? };
        let devices = ordered(devices.into_iter().collect::<Result<_, _>>()?);
        Ok(Self { schema: SCHEMA, devices, directories: Vec::new(), simulated, left_out: 0 })
    }

    /// Devices of which root would know what they hold.
    pub fn needing_root(&self) -> usize {
        let is_unknown = |device: &&MeasurableDevice| device.writing.verdict == WritingVerdict::Unknown;
        self.devices.iter().filter(is_unknown).filter(|device| device.needs_root).count()
    }
}

fn devices(root: &Root, numbers: &[DevNumber]) -> Result<Vec<Result<MeasurableDevice, Unknown>>, Unknown> {
    let surroundings = SharedFacts::read(root);
    let contents = ContentsByNode::read(root, numbers)?;
    let read = |number: &DevNumber| MeasurableDevice::read(root, *number, &surroundings, &contents);
    Ok(numbers.iter().map(read).collect())
}

fn ordered(mut devices: Vec<MeasurableDevice>) -> Vec<MeasurableDevice> {
    devices.sort_by_cached_key(|device| {
        (Reverse(device.writing.verdict), device.attached.kind.is_virtual(), natural(&device.name))
    });
    devices
}

/// Whether a person would measure it.
fn is_measurable(disk: &Identity) -> bool {
    let name = disk.kernel_name.as_str();
    let is_part_of_a_card = name.starts_with("mmcblk") && (name.contains("boot") || name.ends_with("rpmb"));
    let is_optical_or_floppy = name.starts_with("sr") || name.starts_with("fd");
    let is_ram_disk = name.starts_with("ram");
    let is_image = disk.kind == DiskKind::Loop && disk.read_only;
    disk.size_bytes > 0 && !is_part_of_a_card && !is_optical_or_floppy && !is_ram_disk && !is_image
}

/// The order in which a person counts: `nvme2n1` before `nvme10n1`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0_u64)];
    let mut is_number = false;
    for c in name.chars() {
        match c.to_digit(10) {
            Some(digit) => {
                let number = &mut parts.last_mut().expect("begins with one part").1;
                *number = number.saturating_mul(10).saturating_add(u64::from(digit));
            }
            None if is_number => parts.push((c.to_string(), 0)),
            None => parts.last_mut().expect("begins with one part").0.push(c),
        }
        is_number = c.is_ascii_digit();
    }
    parts
}

// What is on the devices, read from many at the same time: a device that does not answer delays the
// list by one limit and no more ([`Question::Contents`]).

/// Devices that are read at the same time. Each is asked by a process of its own, and each takes up
/// to 4 MiB of memory.
const AT_ONCE: usize = 16;

/// The contents of devices, by kernel name.
#[derive(Debug, Default)]
struct ContentsByNode(HashMap<String, Result<Contents, Unknown>>);

impl ContentsByNode {
    /// Reads what the guard will ask for: these devices, all that is within them, and the disks
    /// around partitions.
    pub fn read(root: &Root, numbers: &[DevNumber]) -> Result<Self, Unknown> {
        let loops = loop_devices(root)?;
        let mut wanted: Vec<String> = Vec::new();
        for number in numbers {
            // A device that has vanished has no contents.
            let Ok(graph) = Graph::among(root, *number, &loops) else { continue };
            let is_asked = |node: &&Node| {
                node.size_bytes > 0
                    && (node.relation.is_within_target() || node.relation == Relation::WholeDisk)
            };
            wanted.extend(graph.nodes().iter().filter(is_asked).map(|node| node.name.clone()));
        }
        wanted.sort();
        wanted.dedup();
        Ok(Self(read_all(root, wanted)))
    }

    /// The contents of a device; an error for one that was not read.
    pub fn of(&self, node: &str) -> Result<Contents, Unknown> {
        let unread = || Unknown::new(format!("/dev/{node}"), "it was not read");
        self.0.get(node).cloned().unwrap_or_else(|| Err(unread()))
    }

    /// The same for the guard.
    pub fn look_into(&self, node: &Node) -> io::Result<Contents> {
        self.of(&node.name).map_err(|unknown| io::Error::other(unknown.reason))
    }
}

fn read_all(root: &Root, wanted: Vec<String>) -> HashMap<String, Result<Contents, Unknown>> {
    let threads = wanted.len().min(AT_ONCE);
    let waiting = Mutex::new(wanted);
    let by_device = Mutex::new(HashMap::new());
    let work = || {
        while let Some(node) = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            let contents = read(root, &node);
            by_device.lock().unwrap_or_else(PoisonError::into_inner).insert(node, contents);
        }
    };
    side_by_side(threads, work);
    by_device.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn read(root: &Root, node: &str) -> Result<Contents, Unknown> {
    let question = Question::Contents { node: node.to_owned() };
    let text = root.ask_text(&question)?;
    text.parse().map_err(|_| Unknown::garbled(&question.path(), &text))
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn two_comes_before_ten() {
        let mut names = ["nvme10n1", "sdaa", "nvme2n1", "sdb", "nvme2n10", "nvme2n2", "99999999999999999999"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(
            names,
            ["99999999999999999999", "nvme2n1", "nvme2n2", "nvme2n10", "nvme10n1", "sdaa", "sdb"]
        );
    }
}
