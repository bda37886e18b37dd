//! Cells and the disks that they use, as far as these can be told apart.

use crate::cell::Cell;
use crate::place::is_in_memory;
use crate::surrounds::Surrounds;
use fathom_results::self_check::NoWitness;
use fathom_results::{DiskDelta, Grounds, RunResult};
use std::collections::BTreeSet;

/// Cells that share disks with each other and with no other cell.
pub(super) struct Group<'a> {
    pub(super) cells: Vec<&'a Cell<'a>>,
    disks: BTreeSet<&'a str>,
}

/// The groups of a run; or why its disks cannot be told apart.
pub(super) fn of<'a>(
    run: &'a RunResult,
    surrounds: &'a Surrounds,
    cells: &'a [Cell<'a>],
) -> Result<Vec<Group<'a>>, NoWitness> {
    if run.record.disks.is_empty() && cells.iter().any(Cell::is_on_disk) {
        return Err(NoWitness::NoCounters);
    }
    let grounds = run.record.grounds();
    let on_disk = cells.iter().filter(|cell| cell.is_on_disk());
    let has_others = on_disk.flat_map(|cell| standing(&grounds, cell)).collect::<BTreeSet<_>>().len() > 1;
    let mut groups: Vec<Group<'_>> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.is_on_disk()) {
        let mut joined =
            Group { cells: vec![cell], disks: disks_of(run, surrounds, &grounds, cell, has_others)? };
        if joined.disks.is_empty() {
            continue;
        }
        // In plan order, whichever of its disks a group is found by.
        let (shares, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| !group.disks.is_disjoint(&joined.disks));
        for group in shares.into_iter().rev() {
            joined.cells.splice(0..0, group.cells);
            joined.disks.extend(group.disks);
        }
        groups = apart;
        groups.push(joined);
    }
    match groups.len() {
        0 => Err(NoWitness::NoJobOnDisk),
        1 => Ok(groups),
        _ => stand_apart(run, &grounds, &groups).map(|()| groups),
    }
}

fn disks_of<'a>(
    run: &'a RunResult,
    surrounds: &'a Surrounds,
    grounds: &Grounds<'a>,
    cell: &Cell<'a>,
    has_others: bool,
) -> Result<BTreeSet<&'a str>, NoWitness> {
    let only = match run.record.disks.as_slice() {
        [only] => Some(only.disk.as_str()),
        _ => None,
    };
    let default = surrounds.disk_name.as_deref().or(only);
    let disk = |path| {
        // Another target's disk is not the disk of a target that has facts of its own.
        let has_facts = fact(run, path, "fs_type").is_some() && has_others;
        let default = default.filter(|_| !has_facts);
        let name = fact(run, path, "disk").or(default).ok_or(NoWitness::DiskUnknown)?;
        match fact(run, path, "iostats") {
            Some("false") if counted_nothing(run, name) => {
                Err(NoWitness::NotCounting { disk: name.to_owned() })
            }
            _ => Ok(name),
        }
    };
    // A file in memory has no disk.
    let has_disk = |path: &&str| !is_in_memory(fact(run, path, "fs_type"));
    standing(grounds, cell).into_iter().filter(has_disk).map(disk).collect()
}

/// Whether the disk has no counts in this run. Some drivers, zram among them,
/// count although iostats is 0.
fn counted_nothing(run: &RunResult, disk: &str) -> bool {
    let counted = |delta: &DiskDelta| delta.sectors.iter().any(|sectors| *sectors > 0);
    !run.record.disks.iter().any(|delta| delta.disk == disk && counted(delta))
}

/// A disk below another target counts that one's I/O as well.
fn stand_apart<'a>(run: &'a RunResult, grounds: &Grounds<'a>, groups: &[Group<'a>]) -> Result<(), NoWitness> {
    let names: BTreeSet<&str> = groups.iter().flat_map(|group| group.disks.iter().copied()).collect();
    let loops = names.iter().filter(|name| name.starts_with("loop")).count();
    if loops > 0 && loops < names.len() {
        return Err(NoWitness::LoopMayBeBacked { disks: list(&names) });
    }
    for path in groups.iter().flat_map(|group| &group.cells).flat_map(|cell| standing(grounds, cell)) {
        let Some(stack) = fact(run, path, "disks") else {
            return Err(NoWitness::SeveralDisks { disks: list(&names) });
        };
        let mut stack = stack.split(' ');
        let top = stack.next().unwrap_or_default();
        if let Some(part) = stack.find(|name| names.contains(name)) {
            return Err(NoWitness::PartOfTarget { part: part.to_owned(), whole: top.to_owned() });
        }
    }
    Ok(())
}

/// File systems that read in the thread of the reader, so that the kernel counts the bytes for it. Others read in threads of
/// the kernel (zfs) or in another process (fuse).
const READ_BY_THE_READER: [&str; 7] = ["ext2", "ext3", "ext4", "xfs", "f2fs", "vfat", "exfat"];

impl Group<'_> {
    /// Are all jobs that reach a disk in it?
    pub(super) fn is_all_on_disk(&self, cells: &[Cell<'_>]) -> bool {
        cells.iter().filter(|cell| cell.is_on_disk()).count() == self.cells.len()
    }

    /// Does the kernel count what its jobs read from the disks for this process?
    pub(super) fn reads_by_itself(&self, run: &RunResult, surrounds: &Surrounds) -> bool {
        let grounds = run.record.grounds();
        let of_file = |path: &str| {
            let fs_type = fact(run, path, "fs_type").or(surrounds.fs_type.as_deref());
            fs_type.is_some_and(|fs_type| READ_BY_THE_READER.contains(&fs_type))
        };
        let is_ours =
            |cell: &&Cell<'_>| !cell.is_on_file() || standing(&grounds, cell).into_iter().all(of_file);
        self.cells.iter().all(is_ours)
    }

    /// The counters of its disks, in the order of their names.
    pub(super) fn counted<'a>(&self, run: &'a RunResult) -> Result<Vec<&'a DiskDelta>, NoWitness> {
        let of = |name: &&str| {
            let delta = run.record.disks.iter().find(|delta| delta.disk == *name && delta.interval_ms > 0);
            delta.ok_or_else(|| NoWitness::NotRead { disk: (*name).to_owned() })
        };
        self.disks.iter().map(of).collect()
    }
}

/// The targets that represent those of a cell.
fn standing<'a>(grounds: &Grounds<'a>, cell: &Cell<'a>) -> BTreeSet<&'a str> {
    let files = cell.members.iter().flat_map(|clone| &clone.planned.files);
    files.flat_map(|file| grounds.of_file(file)).collect()
}

fn fact<'a>(run: &'a RunResult, path: &str, what: &str) -> Option<&'a str> {
    let name = format!("target.{path}.{what}");
    run.record.host.iter().find(|fact| fact.name == name)?.value.as_deref()
}

fn list(names: &BTreeSet<&str>) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
