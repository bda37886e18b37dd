//! The facts that all checks of an audit share.
//!
//! A scene is made once for an audit, so that all checks use the same
//! disks, the same devices below a target and the same needs of the job.

mod boot;
mod cpu_times;
mod disk;
mod job;
mod near;
mod pci;
mod safety;
mod target;
mod ticks;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use boot::BootWords;
pub use cpu_times::CpuTimes;
pub use job::JobNeeds;
pub use pci::Pci;
pub use safety::Safety;
pub use target::Target;
pub use ticks::Ticks;

use super::earlier::Earlier;
use super::observation::Observation;
use fathom_device::ask::Question;
use fathom_device::cpus::CpuSet;
use fathom_device::glob::glob;
pub use fathom_device::inventory::Disk;
use fathom_device::inventory::property::chosen;
use fathom_device::root::{Root, Unknown};

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
    safety: OnceCell<Vec<safety::Safety>>,
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
    let seen: Vec<Observation> = subjects.into_iter().map(judge).collect();
    if seen.is_empty() { vec![none()] } else { seen }
}

/// The last part of a path in sysfs, used as the name of a subject.
pub fn leaf(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
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
        let (disks, stacked) = disk::below(root, &targets);
        let (pci, safety) = (OnceCell::new(), OnceCell::new());
        Self { root, targets, disks, stacked, job, earlier, pci, safety, answers: RefCell::default() }
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
