//! Files that must not become an output: those of this run, of a saved run, of the kernel.

mod here;

pub use here::{NoFile, no_links, open_here};

use crate::exit::{Exit, Failure};
use fathom_device::Root;
use fathom_device::sys::{proc_path, without_proc};
use fathom_guard::{GuardError, OutputGuard};
use fathom_job::plan::{Plan, TargetKind};
use fathom_results::{RunRecord, is_spool, spool};
use fathom_text::carried::to_path;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Opens the file that `pin` leads to, even if its path now leads to another.
pub fn reopen(pin: &File, how: &OpenOptions) -> io::Result<File> {
    how.open(proc_path(pin)).map_err(without_proc)
}

/// Fails if no new file may be made at this path. In a directory of devices it may
/// not: the disk of that name may have been unplugged, and the file would fill the memory.
pub fn can_be_new(path: &Path) -> io::Result<()> {
    let real = parent(path).canonicalize()?;
    match real.starts_with("/dev") && !real.starts_with("/dev/shm") {
        true => Err(io::Error::other("there is no such device")),
        false => Ok(()),
    }
}

/// The directory of a file.
pub fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Knows the files that the kernel of this machine uses.
#[derive(Debug)]
pub struct KernelFiles(OutputGuard);

impl KernelFiles {
    /// The files of the machine on which the command runs: outputs are written there,
    /// even when the command examines a recorded machine.
    pub fn of_this_machine() -> Self {
        KernelFiles(OutputGuard::new(Root::live()))
    }

    /// Refuses the file that `pin` leads to, if the kernel uses it.
    ///
    /// # Errors
    /// [`Exit::Refused`], also if it cannot be found out whether the kernel uses it.
    pub fn refuse(&self, pin: &File, path: &Path) -> Result<(), Failure> {
        let refused =
            |e: GuardError| Failure::new(Exit::Refused, &e).hints(e.hints()).hint("or name another file");
        self.0.check(pin, path).map_err(refused)
    }
}

/// Bytes that are read from the beginning of a file: the first line can be that
/// long in the record of a job with a long name.
pub const HEAD_BYTES: u64 = 16 << 10;

/// Whether an open file is part of a saved run.
pub fn is_saved(path: &Path, file: &mut File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(is_record(&head) || is_in_run(&path.canonicalize()?))
}

/// Whether a file begins as a spool or a record. No option allows replacing one: without
/// them a run cannot be read.
pub fn is_record(head: &[u8]) -> bool {
    is_spool(head) || RunRecord::is_begun_by(head)
}

/// Whether the file is in the directory of a run.
pub fn is_in_run(real: &Path) -> bool {
    let spool = real.parent().and_then(|dir| File::open(dir.join("spool")).ok());
    let mut head = [0; 8];
    spool.is_some_and(|mut spool| {
        spool.metadata().is_ok_and(|meta| meta.is_file())
            && spool.read_exact(&mut head).is_ok()
            && is_spool(&head)
    })
}

/// The files, with the use of each.
#[derive(Clone, Debug, Default)]
pub struct InUse {
    targets: Arc<Targets>,
    others: Vec<(PathBuf, &'static str)>,
}

/// The targets of a plan; there may be a hundred thousand of them.
#[derive(Debug, Default)]
struct Targets {
    plan: Option<Arc<Plan>>,
    /// The targets; they are looked up for the first output, and most runs have none.
    spots: OnceLock<HashSet<Spot>>,
}

/// A file by its inode and a device by its number, so that every name of it is found; and by its name in a
/// directory, because it may not exist yet.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Spot {
    Device(u64),
    Inode(u64, u64),
    Name(u64, u64, OsString),
}

impl InUse {
    /// The targets of a plan, and the job files that it was made from.
    pub fn by(plan: &Arc<Plan>, jobs: Vec<PathBuf>) -> Self {
        let targets = Arc::new(Targets { plan: Some(plan.clone()), spots: OnceLock::new() });
        let others = jobs.into_iter().map(|job| (job, "a job file of this run")).collect();
        InUse { targets, others }
    }

    /// Adds the files that the run will make in `dir`.
    pub fn add_run(&mut self, dir: &Path) {
        for name in [RunRecord::FILE, RunRecord::TOPOLOGY, spool::FILE, RunRecord::PAGE] {
            self.add(dir.join(name), "a file of this run");
        }
    }

    /// Adds a file, which need not exist.
    pub fn add(&mut self, path: impl Into<PathBuf>, user: &'static str) {
        self.others.push((path.into(), user));
    }

    /// The use of the file in this run, if the run uses it.
    pub fn user_of(&self, path: &Path) -> Option<&'static str> {
        let (asked, mut dirs) = (spots(path, &mut Directories::default()), Directories::default());
        if asked.iter().any(|spot| self.targets.spots().contains(spot)) {
            return Some("a target of this run");
        }
        let mut uses = |other: &Path| spots(other, &mut dirs).iter().any(|spot| asked.contains(spot));
        self.others.iter().find(|(other, _)| uses(other)).map(|(_, user)| *user)
    }
}

impl Targets {
    fn spots(&self) -> &HashSet<Spot> {
        self.spots.get_or_init(|| {
            let files = self.plan.iter().flat_map(|plan| &plan.jobs).flat_map(|job| &job.files);
            let files = files.filter(|f| matches!(f.kind, TargetKind::File | TargetKind::Missing));
            let mut dirs = Directories::default();
            files.flat_map(|file| spots(&to_path(&file.path), &mut dirs)).collect()
        })
    }
}

/// Device and inode of directories that were examined.
type Directories = HashMap<PathBuf, Option<(u64, u64)>>;

fn spots(path: &Path, dirs: &mut Directories) -> Vec<Spot> {
    let look = |dir: &Path| fs::metadata(dir).ok().map(|meta| (meta.dev(), meta.ino()));
    let dir = parent(path);
    let dir = match dirs.get(dir) {
        Some(known) => *known,
        None => *dirs.entry(dir.to_owned()).or_insert_with(|| look(dir)),
    };
    let name = dir.zip(path.file_name()).map(|((dev, inode), name)| Spot::Name(dev, inode, name.to_owned()));
    let of_itself = fs::metadata(path).ok().map(|meta| {
        let is_device = meta.file_type().is_block_device() || meta.file_type().is_char_device();
        if is_device { Spot::Device(meta.rdev()) } else { Spot::Inode(meta.dev(), meta.ino()) }
    });
    of_itself.into_iter().chain(name).collect()
}

/// A name of what is at a path, or would be, that is the same for all paths which lead there.
pub(crate) fn place(path: &Path) -> Option<String> {
    spots(path, &mut Directories::default()).first().map(|spot| format!("{spot:?}"))
}

/// Do two paths lead to the same file or device, or to the same place of one that does not exist yet?
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_any_name_and_before_it_exists() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a"), "").unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        std::os::unix::fs::symlink("a", at("soft")).unwrap();
        let mut in_use = InUse::default();
        in_use.add(at("a"), "used");
        in_use.add(at("new"), "used later");
        for name in ["a", "hard", "soft"] {
            assert_eq!(in_use.user_of(&at(name)), Some("used"), "{name}");
        }
        assert_eq!(
            in_use.user_of(&at("./../").join(dir.path().file_name().unwrap()).join("new")),
            Some("used later")
        );
        fs::write(at("new"), "").unwrap();
        assert_eq!(in_use.user_of(&at("new")), Some("used later"));
        assert_eq!(in_use.user_of(&at("other")), None);
    }
}
