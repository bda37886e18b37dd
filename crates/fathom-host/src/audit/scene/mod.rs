//! The facts that all checks of an audit share.
//!
//! A scene is made once for an audit, so that all checks use the same
//! disks, the same devices below a target and the same needs of the job.

mod target;
mod ticks;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::earlier::Earlier;
use super::observation::Observation;
use crate::topology::bus::{Bus, Datasheet, settle};
use crate::topology::function::SlotLabels;
use fathom_device::ask::Question;
use fathom_device::cpus::CpuSet;
use fathom_device::device::{DiskKind, Graph, Node};
use fathom_device::glob::glob;
use fathom_device::inventory::Near;
use fathom_device::inventory::chosen;
use fathom_device::root::{Root, Unknown};

pub use fathom_device::inventory::Disk;
pub use target::{Safety, Target};
pub use ticks::{CpuTimes, Ticks};

/// The file with the figures of each process or kernel thread.
pub const PROCESSES: &str = "/proc/#/stat";

/// The machine, the targets, the job and the earlier counters.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The root of the machine that is read.
    pub root: &'a Root,
    /// The targets that the user named; all real disks if there are none.
    pub targets: Vec<Target>,
    /// The disks at the bottom of the targets, each once.
    pub disks: Vec<Disk>,
    /// Block devices above these disks that are made of others (md, device-mapper, loop).
    pub stacked: Vec<Disk>,
    /// What the job needs, as far as it is known.
    pub job: JobNeeds,
    /// The counters of some time ago; `None` if they were not read.
    pub earlier: Option<Earlier>,
    /// The PCI tree, read when the first check needs it.
    pci: OnceCell<Result<Pci, Unknown>>,
    /// The guard's view of the targets, read when the first check needs it.
    safety: OnceCell<Vec<target::Safety>>,
    /// The names of all processes, read when the first check needs them.
    process_names: OnceCell<Vec<Raw>>,
    /// The figures of all processes, read when the first check needs them.
    process_stats: OnceCell<Vec<Result<Raw, Unknown>>>,
    /// The answers so far, by the path of the question. Several checks have the
    /// same questions, and the inspection of a whole disk reads megabytes.
    answers: RefCell<HashMap<PathBuf, Result<String, Unknown>>>,
}

/// One observation for each subject; a subject whose facts cannot be read is
/// n-a with the reason, and where there is no subject at all, `none` says why.
pub fn each<T>(
    subjects: impl IntoIterator<Item = T>,
    none: impl FnOnce() -> Observation,
    name: impl Fn(&T) -> String,
    one: impl Fn(&T) -> Result<Observation, Unknown>,
) -> Vec<Observation> {
    let judge =
        |subject: T| one(&subject).unwrap_or_else(|unknown| Observation::unknown(name(&subject), unknown));
    let observations: Vec<Observation> = subjects.into_iter().map(judge).collect();
    if observations.is_empty() { vec![none()] } else { observations }
}

/// The last part of a path in sysfs, used as the name of a subject.
pub fn leaf(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether the processors of an x86 machine have a flag.
pub fn has_cpu_flag(root: &Root, flag: &str) -> bool {
    let text = root.read_text("/proc/cpuinfo").unwrap_or_default();
    let flags = text.lines().find(|line| line.starts_with("flags"));
    flags.is_some_and(|line| line.split_whitespace().any(|word| word == flag))
}

/// The text of a file, with its path: what an observation shows as evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// The path on the machine that the audit describes.
    pub path: PathBuf,
    /// Its text, without surrounding white space.
    pub text: String,
}

impl Raw {
    /// The error that the text is not what its file should hold.
    pub fn garbled(&self) -> Unknown {
        Unknown::garbled(&self.path, &self.text)
    }
}

impl Observation {
    /// Adds a text that was read as evidence.
    pub fn show(self, raw: &Raw) -> Self {
        self.with(&raw.path, &raw.text)
    }
}

impl<'a> Scene<'a> {
    /// The machine at `root`, with the named targets, or with every real disk
    /// if there are none.
    pub fn new(root: &'a Root, asked: &[PathBuf], job: JobNeeds, earlier: Option<Earlier>) -> Self {
        let graphs = target::Graphs::new(root);
        let targets = if asked.is_empty() {
            target::all_real(&graphs)
        } else {
            asked.iter().map(|path| Target::among(&graphs, path)).collect()
        };
        let (disks, stacked) = below(root, &targets);
        Self {
            root,
            targets,
            disks,
            stacked,
            job,
            earlier,
            pci: OnceCell::new(),
            safety: OnceCell::new(),
            process_names: OnceCell::new(),
            process_stats: OnceCell::new(),
            answers: RefCell::default(),
        }
    }

    /// The text of a file.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Raw, Unknown> {
        let path = path.as_ref().to_path_buf();
        let text = self.root.read_text(&path)?;
        Ok(Raw { path, text })
    }

    /// A file that holds one value, with its raw text.
    pub fn value<T: std::str::FromStr>(&self, path: impl AsRef<Path>) -> Result<(T, Raw), Unknown> {
        let raw = self.read(path)?;
        let value = raw.text.parse().map_err(|_| Unknown::garbled(&raw.path, &raw.text))?;
        Ok((value, raw))
    }

    /// The chosen word of a file such as `none [mq-deadline] kyber`.
    pub fn selected(&self, path: impl AsRef<Path>) -> Result<(String, Raw), Unknown> {
        let raw = self.read(path)?;
        let word = chosen(&raw.text).map(str::to_owned);
        Ok((word.ok_or_else(|| Unknown::garbled(&raw.path, &raw.text))?, raw))
    }

    /// The answer to a question, as text. Each question is asked only once.
    pub fn ask(&self, question: &Question) -> Result<Raw, Unknown> {
        let path = question.path();
        let known = self.answers.borrow().get(&path).cloned();
        let answer = known.unwrap_or_else(|| {
            let answer = self.root.ask_text(question);
            self.answers.borrow_mut().insert(path.clone(), answer.clone());
            answer
        });
        Ok(Raw { path, text: answer? })
    }

    /// Whether a unit of systemd runs, by the first word of its state (systemctl(1)).
    pub fn unit(&self, name: &str) -> Result<(bool, Raw), Unknown> {
        let raw = self.ask(&Question::Unit { unit: name.to_owned() })?;
        match raw.text.split_whitespace().next().unwrap_or_default() {
            "active" | "reloading" | "activating" | "refreshing" => Ok((true, raw)),
            "inactive" | "failed" | "deactivating" | "maintenance" => Ok((false, raw)),
            _ => Err(raw.garbled()),
        }
    }

    /// The names of processes and kernel threads, as far as they can be read.
    pub fn process_names(&self) -> &[Raw] {
        let read = || self.glob("/proc/#/comm").into_iter().filter_map(|path| self.read(path).ok()).collect();
        self.process_names.get_or_init(read)
    }

    /// The figures of each process and kernel thread (proc_pid_stat(5)), or why they cannot be read.
    pub fn process_stats(&self) -> &[Result<Raw, Unknown>] {
        let read = || self.glob(PROCESSES).iter().map(|path| self.read(path)).collect();
        self.process_stats.get_or_init(read)
    }

    /// Existing paths that match a [`fathom_device::glob`] pattern.
    pub fn glob(&self, pattern: &str) -> Vec<PathBuf> {
        glob(self.root, pattern)
    }

    /// How much the number in a file grew since the earlier reading, and its
    /// text now. A counter that decreased was reset, which is an error.
    pub fn growth(&self, path: impl AsRef<Path>) -> Result<(u64, Raw), Unknown> {
        let path = path.as_ref();
        let (now, raw) = self.value::<u64>(path)?;
        let before = self.before(path)?.trim();
        let before: u64 = before.parse().map_err(|_| Unknown::garbled(path, before))?;
        let grown = now.checked_sub(before);
        Ok((grown.ok_or_else(|| Unknown::new(path, format!("went back from {before} to {now}")))?, raw))
    }

    /// The text of a file at the earlier reading.
    pub fn before(&self, path: &Path) -> Result<&str, Unknown> {
        match &self.earlier {
            Some(earlier) => earlier.text(path),
            None => Err(Unknown::new(path, "was read only once; two readings are needed to see a change")),
        }
    }

    /// The answer to a question at the earlier reading.
    pub fn answered_before(&self, question: &Question) -> Result<&[u8], Unknown> {
        match &self.earlier {
            Some(earlier) => earlier.answer(question),
            None => Err(Unknown::new(
                question.path(),
                "was asked only once; two answers are needed to see a change",
            )),
        }
    }

    /// CPUs online.
    pub fn cpus_online(&self) -> Result<CpuSet, Unknown> {
        Ok(self.value("/sys/devices/system/cpu/online")?.0)
    }

    /// NUMA nodes, by number, each with its CPUs.
    pub fn nodes(&self) -> Vec<(u32, CpuSet)> {
        let node = |dir: PathBuf| {
            let number = dir.file_name()?.to_str()?.strip_prefix("node")?.parse().ok()?;
            Some((number, self.value(dir.join("cpulist")).ok()?.0))
        };
        self.glob("/sys/devices/system/node/node#").into_iter().filter_map(node).collect()
    }

    /// One observation for each block device of the targets that has a queue.
    pub fn each_queue(&self, one: impl Fn(&Disk) -> Result<Observation, Unknown>) -> Vec<Observation> {
        each(self.queues(), no_disk, |disk| disk.name.clone(), |disk| one(disk))
    }

    /// One observation for each disk at the bottom of the targets.
    pub fn each_disk(&self, one: impl Fn(&Disk) -> Result<Observation, Unknown>) -> Vec<Observation> {
        each(&self.disks, no_disk, |disk| disk.name.clone(), |disk| one(disk))
    }

    /// Every block device of the targets that has a queue: first the disks,
    /// then the devices that are made of them.
    pub fn queues(&self) -> impl Iterator<Item = &Disk> {
        self.disks.iter().chain(&self.stacked)
    }
}

fn no_disk() -> Observation {
    Observation::on("host").not_applicable("there is no disk below the target")
}

// The boot parameters, split into words.

/// The kernel command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootWords {
    /// The whole line.
    pub raw: Raw,
}

impl BootWords {
    /// Every word, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.raw.text.split_whitespace()
    }

    /// Whether the bare word is there.
    pub fn has(&self, word: &str) -> bool {
        self.iter().any(|there| there == word)
    }

    /// The value after `name=`. If there are several, the last one counts, as
    /// for most parameters of the kernel.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.iter().filter_map(|word| word.strip_prefix(name)?.strip_prefix('=')).last()
    }
}

impl Scene<'_> {
    /// Reads the kernel command line.
    pub fn boot_words(&self) -> Result<BootWords, Unknown> {
        Ok(BootWords { raw: self.read("/proc/cmdline")? })
    }
}

// What a job needs from the host. Everything is optional: an audit without a
// job judges by the general rule, and reports that where it matters.

/// The needs of a job, or of several together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobNeeds {
    /// Smallest block of the job, in bytes.
    pub block_bytes_min: Option<u64>,
    /// Largest block of the job, in bytes.
    pub block_bytes_max: Option<u64>,
    /// Every offset of the job is a multiple of this many bytes.
    pub align_bytes: Option<u64>,
    /// I/Os in flight, of all workers together.
    pub iodepth: Option<u64>,
    /// Number of workers.
    pub workers: Option<u64>,
    /// Whether it uses direct I/O.
    pub direct: Option<bool>,
    /// Whether its offsets are random.
    pub random: Option<bool>,
    /// Whether it reads.
    pub reads: Option<bool>,
    /// Whether each pass of its buffered reads begins after the cache has dropped the pages of its files, so that it reads
    /// none of them from memory.
    pub reads_cold: Option<bool>,
    /// Whether it writes.
    pub writes: Option<bool>,
    /// `io_uring`, `libaio`, …
    pub engine: Option<String>,
    /// Whether it polls for completions (`hipri`).
    pub polled: Option<bool>,
    /// CPUs that its workers may use; unset: any.
    pub cpus: Option<CpuSet>,
    /// Bytes of all buffers.
    pub buffer_bytes: Option<u64>,
    /// Whether buffers are registered with the kernel (locked in memory).
    pub registers_buffers: Option<bool>,
    /// Open files, of all workers together.
    pub files: Option<u64>,
    /// Bytes it will write.
    pub written_bytes: Option<u64>,
    /// Seconds it will take.
    pub seconds: Option<u64>,
    /// Whether nothing of the targets' content may be read. A job that only reads destroys nothing, so what is there does not
    /// matter, and a look would take its time and leave megabytes in the page cache.
    pub spares_content: bool,
    /// Whether it ran between the two readings of the counters, so that it may
    /// itself have changed them.
    pub has_run: bool,
    /// Bytes that it moved on the targets between the two readings of the
    /// counters. Unset before a run, when all I/O belongs to others.
    pub moved_bytes: Option<u64>,
    /// Rates of short probes made before the run, in I/Os a second.
    pub probe_iops: Vec<u64>,
}

// Which NUMA node a disk is near to.

impl Scene<'_> {
    /// The node that the disk is near to; `None` where the firmware reports none.
    pub fn node_of(&self, disk: &Disk) -> Result<(Option<u32>, Raw), Unknown> {
        let Near { node, path, text } = disk.near(self.root)?;
        Ok((node, Raw { path, text }))
    }

    /// The node that the disk is near to, and its CPUs, of the nodes that have some; `None` where the firmware
    /// reports none. The observation shows what was read.
    pub fn near_of(
        &self,
        disk: &Disk,
        nodes: Vec<(u32, CpuSet)>,
        observation: Observation,
    ) -> Result<(Observation, Option<(u32, CpuSet)>), Unknown> {
        let (node, raw) = self.node_of(disk)?;
        let observation = observation.show(&raw);
        let Some(node) = node else { return Ok((observation, None)) };
        let near = nodes.into_iter().find(|(number, _)| *number == node);
        near.ok_or_else(|| raw.garbled()).map(|near| (observation, Some(near)))
    }

    /// The nodes that have CPUs. A node may consist of memory only (CXL,
    /// persistent memory); it does not make a CPU remote. Without the list, or
    /// with a garbled list, the nodes are unknown.
    pub fn nodes_with_cpus(&self) -> Result<Vec<(u32, CpuSet)>, Unknown> {
        let dirs = self.glob("/sys/devices/system/node/node#");
        if dirs.is_empty() {
            return Err(Unknown::missing("/sys/devices/system/node/node0/cpulist"));
        }
        for dir in dirs {
            self.value::<CpuSet>(dir.join("cpulist"))?;
        }
        Ok(self.nodes().into_iter().filter(|(_, cpus)| !cpus.is_empty()).collect())
    }
}

// The PCI tree, read once for all checks, because that takes dozens of files
// for each function of the machine.

/// The tree and the names of slots.
#[derive(Debug)]
pub struct Pci {
    /// Every function, with the load that the scene's disks can put on its link.
    pub bus: Bus,
    /// Why the firmware's names of slots are not known, if they are not.
    pub slots_unknown: Option<Unknown>,
}

impl Scene<'_> {
    /// The PCI tree of the machine.
    pub fn pci(&self) -> Result<&Pci, Unknown> {
        self.pci.get_or_init(|| self.read_pci()).as_ref().map_err(Clone::clone)
    }

    fn read_pci(&self) -> Result<Pci, Unknown> {
        let slots = SlotLabels::read(self.root);
        let mut bus = Bus::read(self.root, &slots)?;
        let ends: BTreeSet<_> = self.disks.iter().flat_map(Disk::ends).collect();
        settle(&mut bus, &ends, &Datasheet::new());
        Ok(Pci { bus, slots_unknown: slots.unknown })
    }
}

// The disks of a scene: those at the bottom of the targets, and those that are made of them.

/// The disks at the bottom of the targets, and the devices that are made of them.
fn below(root: &Root, targets: &[Target]) -> (Vec<Disk>, Vec<Disk>) {
    let mut visited = BTreeSet::new();
    let (mut disks, mut stacked) = (Vec::new(), Vec::new());
    for graph in targets.iter().flat_map(Target::graphs) {
        for node in whole(graph) {
            if visited.insert(node.name.clone()) {
                let list = if is_stacked(root, node) { &mut stacked } else { &mut disks };
                list.push(Disk::of(root, node));
            }
        }
    }
    (disks, stacked)
}

/// The target (or its disk), all devices below it and all devices above it,
/// without partitions.
fn whole(graph: &Graph) -> impl Iterator<Item = &Node> {
    graph.nodes().iter().filter(|node| node.partition.is_none())
}

fn is_stacked(root: &Root, node: &Node) -> bool {
    let slaves = root.list(node.sys_dir.join("slaves")).unwrap_or_default();
    !slaves.is_empty() || matches!(DiskKind::of(&node.name), DiskKind::Loop)
}

impl Scene<'_> {
    /// The disks directly below an array or volume; a partition counts as its
    /// disk.
    pub fn members(&self, stacked: &Disk) -> Vec<&Disk> {
        let dir = stacked.sys_dir.join("slaves");
        let names = self.root.list(&dir).unwrap_or_default();
        let slaves: Vec<_> = names.iter().filter_map(|name| self.root.resolve(dir.join(name)).ok()).collect();
        let is_below = |disk: &&Disk| slaves.iter().any(|slave| slave.starts_with(&disk.sys_dir));
        self.disks.iter().filter(is_below).collect()
    }
}
