//! Devices under a loop device that another user has claimed.
//!
//! A mount that no table shows (it was unmounted lazily and a file of it is still in use, or no
//! process is left in its namespace) shows only as a claim on its device. The claim on the target
//! itself finds it. If the target is a loop device over that device, the two are claimed
//! separately, so the device under the loop device is tried too.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;

use crate::finding::{Finding, FindingKind, Weight};
use fathom_device::device::{Graph, Node};
use fathom_device::root::Root;

/// What the kernel says of a device that somebody has claimed.
pub(super) const IN_EXCLUSIVE_USE: &str = "is in exclusive use, by a mount, an array or another program";

/// Findings for the claimed devices under the loop devices of the graph.
pub(super) fn in_exclusive_use(root: &Root, graph: &Graph) -> Vec<Finding> {
    let claimed = graph.under_loops().filter(|node| is_claimed(root, node));
    let finding =
        |node: &Node| Finding::new(FindingKind::Claimed, Weight::Absolute, &node.name, IN_EXCLUSIVE_USE);
    claimed.map(finding).collect()
}

fn is_claimed(root: &Root, node: &Node) -> bool {
    claim(root, node).is_err_and(|e| e.raw_os_error() == Some(libc::EBUSY))
}

fn claim(root: &Root, node: &Node) -> io::Result<File> {
    let flags = libc::O_EXCL | libc::O_NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags).open(root.at(&node.dev_path))
}
