//! Regular files: those that fathom created may be overwritten, others only if the user names them.
//!
//! [`created`](crate::created) decides which files fathom created. A created file also carries an
//! extended attribute. It gives no rights, because it stays when somebody else fills, formats or
//! copies the file: it only shows, to a person and in our refusal, where the file came from.

use crate::admitted::{Admitted, AdmittedKind, Alone};
use crate::created::{Doubt, Entry, Writing, Written};
use crate::error::GuardError;
use crate::finding::{Finding, FindingKind, Refusal, Weight};
use crate::judge::Door;
use crate::lock::Access;
use crate::open::{FileOrigin, Guard, io_error};
use crate::pin::InodeId;
use crate::used_by::refuse_used_by_kernel;
use crate::uses::{List, Uses};
use fathom_device::root::Root;
use fathom_device::sys::{self, lease};
use fathom_device::target::parent;
use fathom_text::shell::quoted;
use std::collections::HashMap;
use std::ffi::{CStr, OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Set on every file that fathom creates.
const MARK: &CStr = c"user.fathom.created";

/// By this time a child process of ours has long started its own program.
const CHILD_STARTS_MAX: Duration = Duration::from_millis(50);

/// File systems whose files are settings of the kernel: `f_type` from linux/magic.h, and configfs
/// and efivarfs from their sources.
const KERNEL_FILE_SYSTEMS: [(u32, &str); 16] = [
    (0x0000_9fa0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x7363_6673, "securityfs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0xcafe_4a11, "bpf"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x0000_1cd1, "devpts"),
    (0x6265_6570, "configfs"),
    (0xde5e_81e4, "efivarfs"),
    (0x6165_676c, "pstore"),
    (0x4249_4e4d, "binfmt_misc"),
    (0x6573_5543, "fusectl"),
    (0x1980_0202, "mqueue"),
];

impl Guard {
    pub(super) fn admit_regular(
        &self,
        pin: File,
        path: &Path,
        access: Access,
        created: bool,
    ) -> Result<Admitted, GuardError> {
        // Before the file is judged: a run that has locked it has changed it, so it would be refused as a file of somebody else.
        // It stays unlocked until it is judged, because nobody may have it open meanwhile.
        self.refuse_in_use(&pin, path, access)?;
        let (is_ours, uses) = match access {
            Access::Write if !created => {
                self.check_writable(&pin, path).map(|(ours, uses)| (ours, Some(uses)))?
            }
            _ => (created, None),
        };
        // Opened once now, so that a lack of permission shows before the run.
        if !created {
            let opened = match access {
                Access::Write => crate::sys::reopen_to_write(&pin, 0),
                Access::Read => sys::reopen(&pin, 0),
            };
            opened.map_err(|e| io_error("open", path, e))?;
        }
        let alone = uses.map(|uses| Alone::new(Arc::clone(&self.uses), uses));
        let locks = self.lock_target(&pin, path, access)?.into_iter().collect();
        Ok(Admitted {
            alone,
            locks,
            ..Admitted::new(path, AdmittedKind::File { created, is_ours }, access, pin)
        })
    }

    /// Returns whether the file is ours, and the uses, none of which is one of the file; an error if
    /// it may not be written.
    fn check_writable(&self, pin: &File, path: &Path) -> Result<(bool, List), GuardError> {
        refuse_kernel_files(pin, path)?;
        let ours = self.is_ours(pin);
        let uses = refuse_used_by_kernel(&self.uses, pin, path, ours.is_ok())?;
        match ours {
            Ok(()) => Ok((true, uses)),
            Err(_) if self.door == Door::Fio || self.may_overwrite(pin, path) => Ok((false, uses)),
            Err(doubt) => Err(foreign(pin, path, &doubt).into()),
        }
    }

    fn is_ours(&self, pin: &File) -> Result<(), Doubt> {
        let Some(created) = &self.created else { return Err(Doubt::NotRecorded { list: None }) };
        // Nothing can be read through an O_PATH descriptor.
        let reader = sys::reopen(pin, 0).map_err(|e| Doubt::Unknown(e.to_string()))?;
        let known = created.check(&reader);
        match (&self.procedure, known) {
            (Some(procedure), Err(doubt)) => created.check_written(procedure, &reader, doubt),
            (_, known) => known,
        }
    }

    /// Notes that the procedure with this id is about to write to files that fathom created, so that it may go on with
    /// them after a kill. `None` where it writes to no such file, and where a kill could not be told from a later change.
    ///
    /// `end_bytes` is that of [`record_created`](Guard::record_created).
    ///
    /// # Errors
    /// Where the note cannot be written.
    pub fn begin_writing(
        &self,
        procedure: &str,
        end_bytes: impl Fn(&Path) -> Option<u64>,
    ) -> io::Result<Option<Writing>> {
        let Some(created) = &self.created else { return Ok(None) };
        let targets = self.all();
        let ours = targets.iter().filter(|t| {
            t.access() == Access::Write && matches!(t.kind(), AdmittedKind::File { is_ours: true, .. })
        });
        let written = |target: &Arc<Admitted>| Written::of(&*target.hold().ok()?, end_bytes(&target.path));
        created.begin_writing(procedure, ours.filter_map(written).collect())
    }

    /// Records the files that fathom created, as they are now, so that a later
    /// guard knows them as ours. Nobody may be writing to them any more: it is
    /// called when all descriptors that were opened for the run are closed. A
    /// file that cannot be recorded is not ours next time.
    ///
    /// `end_bytes` gives the largest length that the run can have given a file, if that is known. A
    /// longer file holds data of somebody else and is not recorded.
    ///
    /// # Errors
    /// Where the record cannot be written.
    pub fn record_created(&self, end_bytes: impl Fn(&Path) -> Option<u64>) -> io::Result<()> {
        let targets = self.all();
        let ours = targets.iter().filter(|t| matches!(t.kind(), AdmittedKind::File { is_ours: true, .. }));
        let mut patience = Patience::of(CHILD_STARTS_MAX);
        let mut entry = |target: &Arc<Admitted>, name: &OsStr| {
            let reader = target.reader()?;
            let meta = reader.metadata()?;
            target.rest.holds(&meta)?;
            // If somebody has mapped a page of the file and written to it, the file system does not
            // see further stores to that page.
            let is_open = patience.is_open_elsewhere(&reader);
            let is_longer = end_bytes(&target.path).is_some_and(|end| meta.len() > end);
            match is_open || is_longer {
                true => Err(io::Error::other("another program writes to it")),
                false => Entry::of(&reader, name),
            }
        };
        let mut places = Places::default();
        let (ours, mut entries): (Vec<_>, HashMap<PathBuf, Vec<Entry>>) = (ours.collect(), HashMap::new());
        for target in &ours {
            let Some((directory, name)) = places.of(&target.path) else { continue };
            if let Ok(entry) = entry(target, &name) {
                let same = entries.entry(directory).or_insert_with(|| Vec::with_capacity(ours.len()));
                same.push(entry);
            }
        }
        match &self.created {
            _ if entries.is_empty() => Ok(()),
            Some(created) => created.record(entries),
            None => Err(io::Error::other("there is no directory for a record of created files")),
        }
    }

    /// The directory of a file that is to be created, which is judged once for all of its files. It
    /// is held open, so the files are created in the directory that was judged.
    pub(super) fn judged_directory(&self, path: &Path) -> Result<Arc<JudgedDirectory>, GuardError> {
        let dir = parent(path);
        let mut last = self.last_directory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(judged) = last.as_ref().filter(|judged| judged.path == dir) {
            return Ok(Arc::clone(judged));
        }
        let real = fs::canonicalize(&dir).map_err(|e| io_error("find", &dir, e))?;
        // A known accident with dd: the disk was unplugged, and dd creates a file of its name,
        // which fills the memory.
        if real.starts_with("/dev") && !real.starts_with("/dev/shm") {
            let path = path.to_path_buf();
            return Err(GuardError::NoSuchDevice { path });
        }
        let directory = sys::pin(&real).map_err(|e| io_error("find", &dir, e))?;
        refuse_kernel_files(&directory, path)?;
        let judged = Arc::new(JudgedDirectory { path: dir, directory });
        *last = Some(Arc::clone(&judged));
        Ok(judged)
    }

    /// An error if a missing file at this path could not be created. Nothing is made.
    ///
    /// # Errors
    /// Its directory is missing, is one of device nodes or of the kernel's own state, or takes no new file.
    pub fn may_create(&self, path: &Path) -> Result<(), GuardError> {
        self.judged_directory(path)?;
        let taken = dangling(path).map_or_else(|| crate::sys::takes_entries(&parent(path)), Err);
        taken.map_err(|e| io_error("create", path, e))
    }

    fn may_overwrite(&self, pin: &File, path: &Path) -> bool {
        let real = sys::path_of(pin).ok();
        let mut named = self.consent.overwrite_files.iter();
        named.any(|allowed| allowed == path || fs::canonicalize(allowed).ok() == real)
    }

    /// Creates the missing file `path` and marks it, if that was asked for.
    pub(super) fn create(
        &self,
        path: &Path,
        access: Access,
        origin: &FileOrigin,
        missing: io::Error,
    ) -> Result<File, GuardError> {
        let judged = self.judged_directory(path)?;
        let FileOrigin::Create { tag } = origin else {
            return Err(io_error("find", path, missing));
        };
        if access == Access::Read {
            return Err(io_error("find", path, missing));
        }
        let name = path.file_name().unwrap_or_default();
        let file = crate::sys::create_new(&judged.directory, name)
            .map_err(|e| io_error("create", path, dangling(path).unwrap_or(e)))?;
        // Where the file system has no such attributes, the file stays unmarked; see the header of
        // this file.
        let _ = crate::sys::set_attribute(file.as_fd(), MARK, tag.as_bytes());
        sys::reopen(&file, libc::O_PATH).map_err(|e| {
            remove_new(&file, path);
            io_error("open", path, e)
        })
    }
}

/// Where files are, links resolved; each directory is looked up once.
#[derive(Default)]
struct Places(HashMap<PathBuf, Option<PathBuf>>);

impl Places {
    /// The directory of a file, and its name there.
    fn of(&mut self, path: &Path) -> Option<(PathBuf, OsString)> {
        if fs::symlink_metadata(path).ok()?.is_symlink() {
            let real = fs::canonicalize(path).ok()?;
            return Some((real.parent()?.to_owned(), real.file_name()?.to_owned()));
        }
        let directory = self.0.entry(parent(path)).or_insert_with_key(|dir| fs::canonicalize(dir).ok());
        Some((directory.clone()?, path.file_name()?.to_owned()))
    }
}

/// Removes a file that was just created and cannot be used, unless its name leads elsewhere by now. The error that keeps it from
/// being used matters more than one of this.
fn remove_new(file: &File, path: &Path) {
    let Ok(ours) = InodeId::of(file) else { return };
    if fs::symlink_metadata(path).is_ok_and(|there| InodeId::told_by(&there) == ours) {
        let _ = fs::remove_file(path);
    }
}

/// The error for a name that is a link to nothing: no file is created through a link.
fn dangling(path: &Path) -> Option<io::Error> {
    let to = fs::read_link(path).ok()?;
    Some(io::Error::other(format!("it is a link to {}, which does not exist", to.display())))
}

/// A directory in which files may be created.
#[derive(Debug)]
pub(super) struct JudgedDirectory {
    path: PathBuf,
    /// `O_PATH`.
    pub(super) directory: File,
}

pub(crate) fn refuse_kernel_files(pin: &File, path: &Path) -> Result<(), GuardError> {
    let on = sys::file_system(pin).map_err(|e| io_error("examine", path, e))?;
    let kernels = KERNEL_FILE_SYSTEMS.iter().find(|(magic, _)| *magic == on.magic);
    let Some((_, name)) = kernels else {
        return Ok(());
    };
    let detail = format!("is on {name}, where writing to a file changes the kernel's own state");
    let refusal = Refusal::absolute(path, FindingKind::KernelFile, detail);
    Err(Box::new(refusal).into())
}

fn foreign(pin: &File, path: &Path, doubt: &Doubt) -> Box<Refusal> {
    let name = path.display().to_string();
    let has_mark = sys::reopen(pin, 0).is_ok_and(|file| sys::has_attribute(&file, MARK));
    let detail = match doubt {
        _ if has_mark => format!("was created by fathom, but {doubt}"),
        Doubt::Unknown(why) => format!("is not known to have been created by fathom: {why}"),
        _ => "was not created by fathom".to_owned(),
    };
    let other_list = match doubt {
        Doubt::NotRecorded { list: Some(_) } if has_mark => Some(
            "or, if a run with another --state-dir made it: name that directory with --state-dir".to_owned(),
        ),
        _ => None,
    };
    let overwrite = format!("to overwrite it anyway: --overwrite {}", quoted(path));
    let another = "or name a file that does not exist yet".to_owned();
    Box::new(Refusal {
        target: path.to_path_buf(),
        device: None,
        findings: vec![Finding::new(FindingKind::ForeignFile, Weight::Foreign, &name, detail)],
        hints: [Some(overwrite), other_list, Some(another)].into_iter().flatten().collect(),
    })
}

// Files that look open elsewhere for a moment.
//
// A child that was just started holds our descriptors until it runs its own
// program. For that long each file that we had open looks as if somebody else
// had it open.

/// Between two looks.
const LOOK: Duration = Duration::from_millis(1);

/// Waits for files that are open elsewhere, up to a limit.
pub(super) struct Patience {
    /// How long all files together are waited for.
    most: Duration,
    /// When the first of them was seen open.
    began: Option<Instant>,
}

impl Patience {
    pub fn of(most: Duration) -> Self {
        Self { most, began: None }
    }

    /// Whether somebody else has the file open and keeps it open.
    pub fn is_open_elsewhere(&mut self, reader: &File) -> bool {
        while lease::is_open_elsewhere(reader).unwrap_or(false) {
            if self.began.get_or_insert_with(Instant::now).elapsed() >= self.most {
                return true;
            }
            std::thread::sleep(LOOK);
        }
        false
    }
}

/// Says whether the kernel uses a file. Replacing the backing file of a loop device removes its
/// name, and emptying it removes its contents: either way the file system on it is lost.
#[derive(Debug)]
pub struct OutputGuard {
    uses: Uses,
}

impl OutputGuard {
    /// For files on the machine at `root`.
    pub fn new(root: Root) -> Self {
        Self { uses: Uses::new(root) }
    }

    /// Refuses a file that a loop device, swap or a mount uses. `file` may be a descriptor that was
    /// opened with `O_PATH`.
    ///
    /// # Errors
    /// [`GuardError::Refused`] with what uses the file, and [`GuardError::CannotTell`] or
    /// [`GuardError::Io`] where the kernel does not say. No consent outweighs any of them.
    pub fn check(&self, file: &File, path: &Path) -> Result<(), GuardError> {
        // What fathom replaces as an output is an output of an earlier run.
        refuse_used_by_kernel(&self.uses, file, path, true).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_closes_soon_is_waited_for_and_who_does_not_is_seen() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let reader = File::open(&path).unwrap();
        let theirs = File::open(&path).unwrap();
        assert!(Patience::of(Duration::from_millis(5)).is_open_elsewhere(&reader));
        let closing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            drop(theirs);
        });
        assert!(!Patience::of(Duration::from_secs(60)).is_open_elsewhere(&reader));
        closing.join().unwrap();
    }
}
