//! The machine as the job crate asks for it: files, variables, targets.

use fathom_host::Root;
use fathom_host::target as host_target;
use fathom_job::parse::{Keywords, Surroundings};
use fathom_job::plan::{Machine, TargetFacts, TargetKind, TargetLookup};
use fathom_job::units::Bytes;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// This machine.
#[derive(Debug)]
pub struct Here {
    root: Root,
    /// Files that were read as job files.
    read: Mutex<Vec<PathBuf>>,
}

impl Here {
    /// This machine, as it runs.
    pub fn new() -> Self {
        Here { root: Root::live(), read: Mutex::default() }
    }

    /// Where its trees are.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Files that were read as job files so far, with what they include.
    pub fn job_files(&self) -> Vec<PathBuf> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a plan depends on.
    pub fn machine(&self) -> Machine {
        Machine { cpus: self.cpus(), memory: Bytes(self.memory_bytes()) }
    }

    /// Highest CPU number online, plus one.
    pub fn cpus(&self) -> usize {
        let online = self.root.read_text("/sys/devices/system/cpu/online").unwrap_or_default();
        let last = online.trim().rsplit([',', '-']).next().and_then(|n| n.parse::<usize>().ok());
        last.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |n| n + 1)
    }

    fn memory_bytes(&self) -> u64 {
        let text = self.root.read_text("/proc/meminfo").unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"));
        let kib = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        kib.unwrap_or(0) * 1024
    }

    /// Does the kernel itself keep time by the TSC?
    pub fn kernel_trusts_tsc(&self) -> bool {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        self.root.read_text(path).is_ok_and(|t| t.trim() == "tsc")
    }
}

impl Surroundings for Here {
    fn read(&self, path: &str, from: Option<&str>) -> Result<String, String> {
        if path == "-" {
            let mut text = String::new();
            return match std::io::stdin().read_to_string(&mut text) {
                Ok(_) => Ok(text),
                Err(e) => Err(e.to_string()),
            };
        }
        let beside = from.and_then(|f| Path::new(f).parent()).map(|dir| dir.join(path));
        let place = match beside {
            Some(beside) if !Path::new(path).exists() => beside,
            _ => PathBuf::from(path),
        };
        self.read.lock().unwrap_or_else(PoisonError::into_inner).push(place.clone());
        let bytes = std::fs::read(&place).map_err(|e| e.to_string())?;
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
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

impl TargetLookup for Here {
    fn look(&self, path: &str) -> TargetFacts {
        let Ok(facts) = host_target::look(&self.root, Path::new(path)) else { return TargetFacts::MISSING };
        let kind = match facts.kind {
            host_target::TargetKind::File => TargetKind::File,
            host_target::TargetKind::Block => TargetKind::Block,
            host_target::TargetKind::Char => TargetKind::Char,
            host_target::TargetKind::Directory => TargetKind::Directory,
            host_target::TargetKind::Missing => TargetKind::Missing,
        };
        TargetFacts {
            kind,
            size: facts.size_bytes.map(Bytes),
            direct_align: facts.dio_offset_align_bytes.filter(|&n| n > 0).map(|n| Bytes(u64::from(n))),
            free: facts.fs_usable_bytes.map(Bytes),
            allocated: facts.allocated_bytes.map(Bytes),
            file_system: facts.fs_number,
            inode: facts.inode,
        }
    }
}
