//! The machine, as the job crate needs it: files, variables, targets.

use crate::coverage::Covered;
use crate::notice::{Listener, Message, Notice};
use crate::outputs;
use crate::person::{self, Person};
use crate::runs::RunIndex;
use crate::slow_look::SlowLook;
use crate::state::since_purge;
use crate::{traces, tree};
use fathom_device::Root;
use fathom_device::ask::Question;
use fathom_device::bounded;
use fathom_device::device::Identity;
use fathom_device::sys;
use fathom_device::target::{self as host_target, Inspector, PathFacts};
use fathom_device::zones::DeviceZones;
use fathom_guard::purge::DeviceState;
use fathom_job::parse::{Keywords, Surroundings};
use fathom_job::plan::{
    AtomicLimits, Machine, TargetFacts, TargetKind, TargetLookup, TargetZones, most_open,
};
use fathom_job::trace::{ReplayTerms, TraceFacts, TraceFault};
use fathom_job::units::Bytes;
use fathom_text::carried;
use std::cell::RefCell;
use std::collections::HashMap;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The size of the longest job file, in bytes. A file with ten thousand sections needs a
/// tenth of this.
const JOB_MAX_BYTES: u64 = 16 << 20;

/// The path as named or, if nothing is there, in the directory of the file that includes it.
fn place(path: &str, from: Option<&str>) -> PathBuf {
    let named = carried::to_path(path);
    let beside = from.and_then(|f| carried::to_path(f).parent().map(|dir| dir.join(&named)));
    match beside {
        Some(beside) if !named.exists() => beside,
        _ => named,
    }
}

/// Whether it is a pipe. Only the person who started fathom can have passed one.
fn is_pipe(place: &Path) -> bool {
    std::fs::metadata(place).is_ok_and(|meta| meta.file_type().is_fifo())
}

/// This machine.
pub struct Here {
    root: Root,
    listener: Arc<dyn Listener>,
    slow_look: SlowLook,
    /// The index that is told where runs are saved.
    index: RunIndex,
    /// Files that were read as job files, with the files that they include.
    read: Mutex<Vec<PathBuf>>,
}

impl Here {
    /// This machine as it is. Everything that is to be reported goes to the listener. It has no index of
    /// runs.
    pub fn new(listener: Arc<dyn Listener>) -> Self {
        let slow_look = SlowLook::new(listener.clone());
        Here { root: Root::live(), listener, slow_look, index: RunIndex::default(), read: Mutex::default() }
    }

    /// The same, with the index that is told where runs are saved.
    pub fn with_index(self, index: RunIndex) -> Self {
        Here { index, ..self }
    }

    /// The same, whose looks are those of the process.
    pub fn with_slow_look(self, slow_look: SlowLook) -> Self {
        Here { slow_look, ..self }
    }

    /// The index that is told where runs are saved.
    pub fn index(&self) -> &RunIndex {
        &self.index
    }

    /// The listener that receives every report.
    pub fn listener(&self) -> &Arc<dyn Listener> {
        &self.listener
    }

    /// Reports a message.
    pub fn tell(&self, message: Message) {
        self.listener.notice(Notice::Message(message));
    }

    /// Examines paths that may not answer.
    pub fn slow_look(&self) -> &SlowLook {
        &self.slow_look
    }

    /// The root of its `/sys`, `/proc` and `/dev`.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The files that were read as job files so far, with the files that they include.
    pub fn job_files(&self) -> Vec<PathBuf> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a plan depends on.
    pub fn machine(&self) -> Machine {
        let (memory, available) = (Bytes(self.memory_bytes()), self.memory_available_bytes());
        Machine { cpus: self.cpus(), memory, memory_available: available.map_or(Bytes(u64::MAX), Bytes) }
    }

    /// Highest CPU number online, plus one.
    pub fn cpus(&self) -> usize {
        let online = self.root.read_text("/sys/devices/system/cpu/online").unwrap_or_default();
        let last = online.trim().rsplit([',', '-']).next().and_then(|n| n.parse::<usize>().ok());
        last.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |n| n + 1)
    }

    fn memory_bytes(&self) -> u64 {
        self.meminfo_bytes("MemTotal:").unwrap_or(0)
    }

    fn meminfo_bytes(&self, name: &str) -> Option<u64> {
        let text = self.root.read_text("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|l| l.strip_prefix(name))?;
        let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
        Some(kib * 1024)
    }

    /// The smallest of the memory that the machine has available and what each
    /// control group of this process leaves, in bytes
    /// (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst); `None` where the kernel reports
    /// neither.
    fn memory_available_bytes(&self) -> Option<u64> {
        let groups = self.root.read_text("/proc/self/cgroup").unwrap_or_default();
        let left = MEMORY_OF_GROUPS.iter().flat_map(|form| {
            let own = groups.lines().find_map(|line| line.split_once(form.line)?.1.strip_prefix('/'));
            Path::new(own.unwrap_or_default()).ancestors().filter_map(|group| self.left_in(form, group))
        });
        left.chain(self.meminfo_bytes("MemAvailable:")).min()
    }

    /// What a control group leaves. A group without a limit of version 2 says "max".
    fn left_in(&self, form: &GroupMemory, group: &Path) -> Option<u64> {
        let group = Path::new(form.top).join(group);
        let value = |file: &str| self.root.read_value::<u64>(group.join(file)).ok();
        // The kernel can reclaim its inactive cache.
        let stat = self.root.read_text(group.join("memory.stat")).unwrap_or_default();
        let cache = stat.lines().find_map(|line| line.strip_prefix(form.cache)?.trim().parse::<u64>().ok());
        let used = value(form.used)?.saturating_sub(cache.unwrap_or(0));
        Some(value(form.limit)?.saturating_sub(used))
    }

    /// Whether the kernel itself uses the TSC as its clock.
    pub fn kernel_trusts_tsc(&self) -> bool {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        self.root.read_text(path).is_ok_and(|t| t.trim() == "tsc")
    }
}

/// Where a version of control groups has the memory of a group.
struct GroupMemory {
    /// What is before the path of the group in `/proc/self/cgroup`.
    line: &'static str,
    top: &'static str,
    limit: &'static str,
    used: &'static str,
    cache: &'static str,
}

/// Version 2, and version 1.
const MEMORY_OF_GROUPS: [GroupMemory; 2] = [
    GroupMemory {
        line: "0::",
        top: "/sys/fs/cgroup",
        limit: "memory.max",
        used: "memory.current",
        cache: "inactive_file ",
    },
    GroupMemory {
        line: ":memory:",
        top: "/sys/fs/cgroup/memory",
        limit: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        cache: "total_inactive_file ",
    },
];

impl Surroundings for Here {
    fn read(&self, path: &str, from: Option<&str>) -> Result<String, String> {
        let read = match path {
            "-" => bounded::whole(&mut std::io::stdin(), JOB_MAX_BYTES),
            _ => {
                let place = place(path, from);
                self.read.lock().unwrap_or_else(PoisonError::into_inner).push(place.clone());
                self.slow_look.at(&place, || bounded::stream(&place, JOB_MAX_BYTES))
            }
        };
        let bytes = read.map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => e.to_string(),
        })?;
        match bytes.contains(&0) {
            true => Err("it is not a text file: it contains a byte of zero".to_owned()),
            false => Ok(carried::of_text(&bytes)),
        }
    }

    /// A pattern of a few bytes: a FIFO or a device may wait or never end, so it is a regular file.
    fn read_data(&self, path: &str) -> Result<String, String> {
        const DATA_MAX_BYTES: u64 = 1 << 20;
        let place = place(path, None);
        let bytes = self.slow_look.at(&place, || bounded::file(&place, DATA_MAX_BYTES));
        bytes.map(|bytes| carried::of_text(&bytes)).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => e.to_string(),
        })
    }

    /// A file is not shown if the person who started fathom may not read it, or if the
    /// owner of the file that includes it may not.
    fn may_show(&self, path: &str, from: Option<&str>) -> bool {
        let place = place(path, from);
        let owner = from.and_then(|file| Person::owner_of(&carried::to_path(file)));
        path == "-"
            || is_pipe(&place)
            || [person::behind_us(), owner].into_iter().flatten().all(|who| who.may_read(&place))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var_os(carried::to_os(name)).map(carried::of_os)
    }

    fn keywords(&self) -> Keywords {
        Keywords {
            // Every platform that fathom builds for reports it; 4 KiB is
            // x86-64's.
            page_size: self.page_size(),
            memory_mb: self.memory_bytes() >> 20,
            cpus: std::thread::available_parallelism().map_or(1, |n| n.get() as u64),
        }
    }
}

impl Here {
    fn page_size(&self) -> u64 {
        let text = self.root.read_text("/proc/self/smaps").unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("KernelPageSize:"));
        let kib = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        kib.unwrap_or(4) * 1024
    }
}

/// The unit of direct I/O. The kernel tells it of files that exist; one that will be made has that of the disk below its
/// directory.
fn direct_align(facts: &PathFacts) -> Option<u64> {
    let of_new = facts.logical_block_bytes.filter(|_| facts.kind == host_target::PathKind::Missing);
    facts.dio_offset_align_bytes.or(of_new).map(u64::from)
}

fn target_zones(zones: &DeviceZones) -> TargetZones {
    let (open, active) = (zones.open_max.unwrap_or(0), zones.active_max.unwrap_or(0));
    TargetZones {
        size: Bytes(zones.size_bytes),
        open_max: most_open(open, active),
        active_max: active,
        write_unit: Bytes(zones.write_unit_bytes.unwrap_or(0).into()),
    }
}

/// The targets of one plan on this machine.
pub struct Targets<'a> {
    root: &'a Root,
    slow_look: &'a SlowLook,
    inspector: Inspector<'a>,
    /// What is known of each device since its last purge.
    since_purge: RefCell<HashMap<String, Option<DeviceState>>>,
    /// What fathom has written over each device.
    covered: RefCell<HashMap<String, Covered>>,
}

impl Here {
    /// Examines targets; what several of them have in common is read once.
    pub fn targets(&self) -> Targets<'_> {
        Targets {
            root: &self.root,
            slow_look: &self.slow_look,
            inspector: Inspector::new(&self.root),
            since_purge: RefCell::default(),
            covered: RefCell::default(),
        }
    }
}

impl TargetLookup for Targets<'_> {
    fn place(&self, path: &str) -> String {
        let file = carried::to_path(path);
        // What takes the commands of a drive is the same place as its block device.
        let of_drive = || self.inspector.command_node(&file).map(|node| node.block_path());
        let found = self.slow_look.at(&file, || outputs::place(&of_drive().unwrap_or_else(|| file.clone())));
        found.unwrap_or_else(|| path.to_owned())
    }

    fn never_written(&self, path: &str, start: Bytes, end: Bytes) -> Option<Bytes> {
        let mut known = self.since_purge.borrow_mut();
        let known = known.entry(path.to_owned());
        let state = known.or_insert_with(|| since_purge(&Identity::at(self.root, &carried::to_path(path))?));
        state.as_ref()?.never_written_bytes(start.0, end.0).map(Bytes)
    }

    fn is_written(&self, path: &str, start: Bytes, end: Bytes) -> bool {
        let mut known = self.covered.borrow_mut();
        let known = known.entry(path.to_owned());
        let covered = known.or_insert_with(|| Covered::read(self.root, &carried::to_path(path)));
        covered.is_written(start.0, end.0)
    }

    fn atomic_writes(&self, path: &str) -> Option<AtomicLimits> {
        let path = carried::to_path(path);
        let (least, most) = self.slow_look.at(&path, || sys::atomic_write_bytes(&path)).ok()??;
        Some(AtomicLimits { least: Bytes(least.into()), most: Bytes(most.into()) })
    }

    fn files_below(&self, directory: &str, most: usize) -> Result<Vec<String>, String> {
        let directory = carried::to_path(directory);
        self.slow_look.at(&directory, || tree::files_below(&directory, most))
    }

    fn trace(&self, paths: &[String], terms: &ReplayTerms) -> Result<Arc<TraceFacts>, TraceFault> {
        // A long trace takes its time, which is no sign of a path that does not answer.
        let open = |path: &String| {
            let path = carried::to_path(path);
            self.slow_look.at(&path, || traces::open(&path))
        };
        let files = paths.iter().map(open).collect::<Result<_, _>>()?;
        traces::facts(files, terms, self.root).map(Arc::new)
    }

    fn without_data(&self, path: &str) -> Option<Bytes> {
        let path = carried::to_path(path);
        let question = Question::Extents { path: path.clone() };
        let answer = self.slow_look.at(&path, || self.root.ask(&question)).ok()?;
        let text = String::from_utf8(answer).ok()?;
        let mut numbers = text.split_whitespace().map_while(|word| word.parse::<u64>().ok());
        let (size, written) = (numbers.next()?, numbers.next()?);
        Some(Bytes(size.saturating_sub(written)))
    }

    fn look_up(&self, path: &str) -> TargetFacts {
        let path = carried::to_path(path);
        let facts = match self.slow_look.at(&path, || self.inspector.inspect(&path)) {
            Ok(facts) => facts,
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
                return TargetFacts { kind: TargetKind::Closed, ..TargetFacts::MISSING };
            }
            Err(_) => return TargetFacts::MISSING,
        };
        let kind = match facts.kind {
            host_target::PathKind::File => TargetKind::File,
            host_target::PathKind::Block => TargetKind::Block,
            host_target::PathKind::Namespace => TargetKind::Namespace,
            host_target::PathKind::ScsiNode => TargetKind::ScsiNode,
            host_target::PathKind::Char => TargetKind::Char,
            host_target::PathKind::Directory => TargetKind::Directory,
            host_target::PathKind::Missing => TargetKind::Missing,
        };
        TargetFacts {
            kind,
            size: facts.size_bytes.map(Bytes),
            direct_align: direct_align(&facts).filter(|&n| n > 0).map(Bytes),
            free: facts.fs_usable_bytes.map(Bytes),
            allocated: facts.allocated_bytes.map(Bytes),
            file_system: facts.fs_number,
            inode: facts.inode,
            zones: facts.zones.map(|zones| target_zones(&zones)),
            is_scsi_disk: facts.is_scsi_disk,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct NoListener;

    impl Listener for NoListener {
        fn notice(&self, _: Notice) {}
    }

    /// 900 of 1000 MB are available; the group above, in either version, leaves 200, of which 50 are cache.
    #[test]
    fn what_a_control_group_leaves_is_available() {
        for (line, group, limit, used, cache) in [
            ("0::/a/b\n", "sys/fs/cgroup/a", "memory.max", "memory.current", "inactive_file"),
            (
                "4:memory:/a/b\n0::/\n",
                "sys/fs/cgroup/memory/a",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            ),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let write = |name: &str, text: &str| {
                let path = dir.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            };
            write("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n");
            let here = Here { root: Root::recorded(dir.path()), ..Here::new(Arc::new(NoListener)) };
            assert_eq!(here.memory_available_bytes(), Some(900_000 << 10));
            write("proc/self/cgroup", line);
            write(&format!("{group}/{limit}"), "400000000\n");
            write(&format!("{group}/{used}"), "250000000\n");
            write(&format!("{group}/memory.stat"), &format!("{cache} 50000000\n"));
            assert_eq!(here.memory_available_bytes(), Some(200_000_000), "{limit}");
        }
    }
}
