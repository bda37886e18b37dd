//! What uses a target: findings that no consent can outweigh.

use crate::error::GuardError;
use crate::facts::{Facts, SharedFacts};
use crate::finding::{Finding, FindingKind, Refusal, Weight};
use crate::inspect::inspect;
use crate::open::io_error;
use crate::uses::{List, Uses};
use fathom_device::device::DevNumber;
use fathom_device::kernel_use::{FileUse, KernelUse, standing_on};
use fathom_device::loops::LoopDevice;
use fathom_device::root::{Root, Unknown};
use fathom_device::same_file::FileView;
use fathom_device::sys;
use std::fs::File;
use std::io;
use std::path::Path;

/// The findings that mean that somebody else uses a device. An open device is not one of them:
/// programs that watch disks open and close them.
const IN_USE: [FindingKind; 6] = [
    FindingKind::Mounted,
    FindingKind::Swap,
    FindingKind::PoolMember,
    FindingKind::Held,
    FindingKind::LoopBacking,
    FindingKind::SystemDevice,
];

/// Refuses swap files, files behind loop devices and files in layers of overlays: writing to these is writing to what is in
/// use. Returns the uses, none of which is one of the file.
///
/// A file that fathom created may be in the layer of an overlay: it holds nothing of anybody else.
pub(super) fn refuse_used_by_kernel(
    uses: &Uses,
    pin: &File,
    path: &Path,
    is_ours: bool,
) -> Result<List, GuardError> {
    let tell = |unknown| GuardError::CannotTell { path: path.to_path_buf(), unknown };
    let find = |list: &List| {
        let found = on_file(uses.root(), pin, path, list, Doubt::Counts);
        found.map(|found| of_others(found, is_ours)).map_err(|e| io_error("examine", path, e))
    };
    let mut list = uses.of_pin(pin).map_err(tell)?;
    let mut findings = find(&list)?;
    if !findings.is_empty() {
        // What was found may have ended.
        list = uses.now().map_err(tell)?;
        findings = find(&list)?;
    }
    match findings.is_empty() {
        true => Ok(list),
        false => Err(Box::new(refusal(path, findings)).into()),
    }
}

/// Whether a use counts when it is not known whether it is a use of this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It counts: fathom does not write to anything that may be in use.
    Counts,
    /// It does not count: this run created the file while nothing used it, and otherwise any device
    /// that is attached on this machine meanwhile would end the run.
    IsDropped,
}

/// Which of these uses are uses of the file, and what uses those in turn.
pub(super) fn on_file(
    root: &Root,
    pin: &File,
    path: &Path,
    uses: &[KernelUse],
    doubt: Doubt,
) -> io::Result<Vec<Finding>> {
    if uses.is_empty() {
        return Ok(Vec::new());
    }
    let view = FileView::of(root, pin)?;
    let mut standing = standing_on(root, &view, uses);
    standing.retain(|standing| standing.is_certain || doubt == Doubt::Counts);
    let node = path.display().to_string();
    let unnamed = match uses.iter().any(is_swap) {
        true => swap_without_name(&view, &mut standing),
        false => None,
    };
    let unnamed = unnamed.map(|detail| Finding::new(FindingKind::Swap, Weight::Absolute, &node, detail));
    let own = standing.iter().map(|standing| finding(&node, standing)).chain(unnamed);
    let above = standing.iter().filter_map(|standing| match &standing.by {
        KernelUse::Loop(device) => Some(on_loop(root, device)),
        _ => None,
    });
    Ok(each_once(own.chain(above.flatten())))
}

/// The findings that count for a file that fathom created (`is_ours`), or for another one.
pub(super) fn of_others(mut found: Vec<Finding>, is_ours: bool) -> Vec<Finding> {
    found.retain(|finding| !is_ours || finding.kind != FindingKind::OverlayLayer);
    found
}

/// Two loop devices over one file have the same users.
fn each_once(found: impl Iterator<Item = Finding>) -> Vec<Finding> {
    let mut once = Vec::new();
    for finding in found {
        if !once.contains(&finding) {
            once.push(finding);
        }
    }
    once
}

fn is_swap(by: &KernelUse) -> bool {
    matches!(by, KernelUse::Swap(_))
}

/// Finds out whether a file is swap by asking the file itself, where that is allowed: the table of
/// swaps has only names. Returns the text for a file that the table has under another name.
fn swap_without_name(view: &FileView, standing: &mut Vec<FileUse>) -> Option<&'static str> {
    // The kernel answers only a process that may write to the file; nothing is written.
    let pin = view.pin().filter(|_| view.is_owned())?;
    let writer = crate::sys::reopen_to_write(pin, libc::O_NONBLOCK).ok()?;
    let is_active = crate::sys::is_active_swap(&writer).ok()?;
    if !is_active {
        standing.retain(|standing| !is_swap(&standing.by));
    }
    let is_named = standing.iter().any(|standing| is_swap(&standing.by));
    (is_active && !is_named).then_some("is an active swap file, under a name that fathom cannot see")
}

fn finding(node: &str, standing: &FileUse) -> Finding {
    let kind = match &standing.by {
        KernelUse::Loop(_) => FindingKind::LoopBacking,
        KernelUse::Swap(_) => FindingKind::Swap,
        KernelUse::Mount(_) => FindingKind::Mounted,
        KernelUse::Overlay(_) => FindingKind::OverlayLayer,
    };
    Finding::new(kind, Weight::Absolute, node, standing.to_string()).doubted(!standing.is_certain)
}

/// What uses the loop device. It is reported so that the refusal can be understood; the loop device
/// alone is reason enough.
fn on_loop(root: &Root, device: &LoopDevice) -> Vec<Finding> {
    let mut found = on_device(root, device.number).unwrap_or_default();
    found.retain(|finding| finding.kind != FindingKind::LoopBacking);
    found
}

/// The uses of the device or of anything that shares bytes with it.
pub(super) fn on_device(root: &Root, number: DevNumber) -> Result<Vec<Finding>, Unknown> {
    let surroundings = SharedFacts::without_openers(root)?;
    let unread = |_: &_| Err(io::Error::other("its contents are not read"));
    let facts = Facts::about(root, surroundings, number, unread)?;
    let mut found = inspect(&facts);
    found.retain(|finding| IN_USE.contains(&finding.kind));
    Ok(found)
}

pub(super) fn refusal(path: &Path, findings: Vec<Finding>) -> Refusal {
    let mut hints = vec![crate::RELEASE_FIRST.to_owned()];
    let is_doubt = findings.iter().any(|finding| finding.is_doubt);
    if is_doubt && sys::user() != 0 {
        hints.push("root can see which file is behind a loop device".to_owned());
    }
    Refusal { target: path.to_path_buf(), device: None, findings, hints }
}
