//! What a target lies on, by its own facts: a run may have several targets, and what is true of one is not true of
//! another.

use crate::cell::Cell;
use crate::surrounds::Surrounds;
use fathom_results::{FileRecord, Grounds, MEMORY_BENEATH, RunResult};
use std::collections::{BTreeSet, HashMap};

/// What some targets of a run lie on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPlace<'a> {
    /// The target whose facts hold here.
    pub path: &'a str,
    /// Kernel name of the disk, where one is known.
    pub disk: Option<&'a str>,
    /// The disk and those below it.
    pub disks: Vec<&'a str>,
    /// The disk is made of something else.
    pub is_virtual: Option<bool>,
    /// The disk is a loop device.
    pub is_loop: bool,
    /// Type of the file system, for files.
    pub fs_type: Option<&'a str>,
    /// The memory below its loop device: a type of file system, or a disk. A kernel thread moves the data there, so the I/O
    /// is no copy by the worker, as it is where the target itself is memory.
    pub memory_beneath: Option<&'a str>,
}

impl TargetPlace<'_> {
    /// Is it memory: tmpfs, zram, brd?
    pub fn is_memory(&self) -> bool {
        is_in_memory(self.fs_type) || self.ram_disk().is_some()
    }

    /// The disk that is memory.
    pub fn ram_disk(&self) -> Option<&str> {
        self.disks.iter().copied().find(|name| name.starts_with("zram") || name.starts_with("ram"))
    }
}

/// Is it a file system without a disk?
pub fn is_in_memory(fs_type: Option<&str>) -> bool {
    matches!(fs_type, Some("tmpfs" | "ramfs" | "devtmpfs"))
}

/// The places of a run, by the jobs that use them.
#[derive(Clone, Debug, Default)]
pub struct TargetPlaces<'a> {
    of_jobs: HashMap<u32, Vec<TargetPlace<'a>>>,
    /// All targets of the run lie on one file system or device.
    pub is_one: bool,
}

impl<'a> TargetPlaces<'a> {
    /// Those of all jobs that reach a disk.
    pub fn of(run: &'a RunResult, surrounds: &'a Surrounds, cells: &[Cell<'a>]) -> Self {
        let grounds = run.record.grounds();
        let on_disk = || cells.iter().filter(|cell| cell.is_on_disk());
        let paths = |cell: &Cell<'a>| paths(&grounds, cell);
        let is_one = on_disk().flat_map(paths).collect::<BTreeSet<_>>().len() < 2;
        let place = |cell: &Cell<'a>, path| place(run, surrounds, path, is_one, cell.is_on_file());
        let of_cell = |cell: &Cell<'a>| paths(cell).into_iter().map(|path| place(cell, path)).collect();
        TargetPlaces { of_jobs: on_disk().map(|cell| (cell.planned().id, of_cell(cell))).collect(), is_one }
    }

    /// Those of a job.
    pub fn of_cell(&self, cell: &Cell<'_>) -> &[TargetPlace<'a>] {
        self.of_jobs.get(&cell.planned().id).map_or(&[], Vec::as_slice)
    }
}

/// The targets whose facts hold for those of a job.
fn paths<'a>(grounds: &Grounds<'a>, cell: &Cell<'a>) -> BTreeSet<&'a str> {
    let files = cell.members.iter().flat_map(|clone| &clone.planned.files);
    files.flat_map(|file: &'a FileRecord| grounds.of_file(file)).collect()
}

/// What the facts of a target say. Where there are none, all that is known of the run's targets is in `surrounds`.
fn place<'a>(
    run: &'a RunResult,
    surrounds: &'a Surrounds,
    path: &'a str,
    is_one: bool,
    is_file: bool,
) -> TargetPlace<'a> {
    let fact = |name: &str| run.record.fact(&format!("target.{path}.{name}"));
    let (disk, fs_type) = (fact("disk"), fact("fs_type"));
    let is_told = disk.is_some() || fs_type.is_some();
    let disk = if is_told { disk } else { surrounds.disk_name.as_deref() };
    let fs_type = if is_told { fs_type } else { surrounds.fs_type.as_deref() };
    let is_virtual = fact("is_virtual_disk").map(|text| text == "true");
    let counted = run.record.disks.iter().map(|delta| delta.disk.as_str());
    // Of one target, all disks that were counted are its disks.
    let below: Vec<&str> = match is_one {
        true => counted.collect(),
        false => fact("disks").map(|names| names.split(' ').collect()).unwrap_or_default(),
    };
    TargetPlace {
        path,
        disk,
        disks: disk.into_iter().chain(below).collect(),
        is_virtual: is_virtual.or(surrounds.is_virtual.filter(|_| is_one || !is_told)),
        is_loop: disk.is_some_and(|disk| disk.starts_with("loop")) || (!is_told && surrounds.is_loop),
        // The file system of a device node says nothing of the device.
        fs_type: fs_type.filter(|_| is_file),
        memory_beneath: fact(MEMORY_BENEATH),
    }
}
