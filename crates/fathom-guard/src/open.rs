//! The guard itself: it takes paths and gives admitted targets.

use crate::admitted::{Admitted, AdmittedKind, Alone, Look};
use crate::consent::Consent;
use crate::created::CreatedFiles;
use crate::error::GuardError;
use crate::file::JudgedDirectory;
use crate::finding::Refusal;
use crate::judge::Door;
use crate::lock::{Access, LOCKED_MAX};
use crate::pin::{HELD_MAX, InodeId, Pin};
use crate::used_by::refusal;
use crate::uses::Uses;
use fathom_device::device::DevNumber;
use fathom_device::root::Root;
use fathom_device::sys;
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard};
use std::{fmt, io};

/// Whether a file must exist or may be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOrigin {
    /// The file must exist.
    Existing,
    /// A missing file is created, and marked as ours with this tag (program, version, run: free
    /// text for a person who finds the file).
    Create {
        /// The tag.
        tag: String,
    },
}

/// One inode or device, under whatever path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Device(DevNumber),
    Character(DevNumber),
    File(InodeId),
}

/// What was admitted so far.
pub(super) type Known = HashMap<Key, Arc<Admitted>>;

/// The block device of this number, if it was admitted for this.
pub(super) fn known_device(known: &Known, number: DevNumber, access: Access) -> Option<Arc<Admitted>> {
    known.get(&Key::Device(number)).filter(|known| known.access >= access).cloned()
}

/// Adds the block device of this number.
pub(super) fn remember_device(known: &mut Known, number: DevNumber, block: Arc<Admitted>) -> Arc<Admitted> {
    known.insert(Key::Device(number), Arc::clone(&block));
    block
}

/// Admits targets, each once, and keeps them until it is dropped: several
/// jobs on one target share the admission, and a device stays claimed from
/// the first phase of a run to the last.
#[derive(Debug)]
pub struct Guard {
    pub(super) root: Root,
    pub(super) door: Door,
    pub(super) consent: Consent,
    pub(super) uses: Arc<Uses>,
    pub(super) created: Option<CreatedFiles>,
    /// The procedure that goes on with what it was writing when it was killed.
    pub(super) procedure: Option<String>,
    listener: Option<Listener>,
    admitted: Mutex<Known>,
    /// Where a file was created last.
    pub(super) last_directory: Mutex<Option<Arc<JudgedDirectory>>>,
    /// How many targets a person was warned of because another process uses them.
    pub(super) warned: AtomicU32,
}

/// Whom the guard tells what it examines.
struct Listener(Arc<dyn Fn(GuardMessage<'_>) + Send + Sync>);

/// A message of the guard to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardMessage<'a> {
    /// An examination takes time, or has found something.
    Examining(&'a str),
    /// The figures suffer from it.
    Warning(&'a str),
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// The memory devices (major 1; Documentation/admin-guide/devices.txt):
/// minor, and whether writing to it is harmless. Memory itself, ports and the
/// kernel log (1, 2, 4, 11) are not among them.
const MEMORY_DEVICES: [(u32, bool); 5] = [(3, true), (5, true), (7, true), (8, false), (9, false)];

impl Guard {
    /// A guard over the machine at `root`.
    pub fn new(root: Root, door: Door, consent: Consent) -> Self {
        let uses = Arc::new(Uses::new(root.clone()));
        let (admitted, last_directory, warned) = Default::default();
        Self {
            root,
            door,
            consent,
            uses,
            created: None,
            procedure: None,
            listener: None,
            admitted,
            last_directory,
            warned,
        }
    }

    /// The same guard, which recognises the files that fathom created by this record. Without a
    /// record a guard recognises only the files that it creates itself.
    pub fn with_created(self, created: CreatedFiles) -> Self {
        Self { created: Some(created), ..self }
    }

    /// Lets the procedure with this id write to the files that it was writing when it was killed, if nobody has changed them
    /// since.
    pub fn goes_on_with(&mut self, procedure: &str) {
        self.procedure = Some(procedure.to_owned());
    }

    /// The same guard with a listener for messages to a person.
    pub fn telling(self, listener: Arc<dyn Fn(GuardMessage<'_>) + Send + Sync>) -> Self {
        Self { listener: Some(Listener(listener)), ..self }
    }

    pub(super) fn tell(&self, what: GuardMessage<'_>) {
        if let Some(Listener(listener)) = &self.listener {
            listener(what);
        }
    }

    /// Admits a file or device that exists. When several jobs use one target
    /// and one of them writes, ask for writing first: a target that is
    /// already admitted for writing serves readers too.
    pub fn admit(&self, path: &Path, access: Access) -> Result<Arc<Admitted>, GuardError> {
        self.admit_file(path, access, &FileOrigin::Existing)
    }

    /// Admits a file or device; `origin` says whether a missing file is to be
    /// created.
    pub fn admit_file(
        &self,
        path: &Path,
        access: Access,
        origin: &FileOrigin,
    ) -> Result<Arc<Admitted>, GuardError> {
        self.admit_kept(path, access, origin, HELD_MAX)
    }

    /// The same, for a file that a job removes or looks at by its name. No descriptor of it is kept: that would keep it
    /// in memory, and on the disk when its name is removed.
    pub fn admit_unheld(
        &self,
        path: &Path,
        access: Access,
        origin: &FileOrigin,
    ) -> Result<Arc<Admitted>, GuardError> {
        self.admit_kept(path, access, origin, 0)
    }

    /// Keeps descriptors of at most `held_max` files.
    fn admit_kept(
        &self,
        path: &Path,
        access: Access,
        origin: &FileOrigin,
        held_max: usize,
    ) -> Result<Arc<Admitted>, GuardError> {
        let mut known = self.known();
        // A use that began before a file was created is not a use of that file.
        let mut before = None;
        let (pin, created) = match sys::pin(path) {
            Ok(pin) => (pin, false),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                before = self.uses.earlier().ok();
                self.create_or_find(path, access, origin, e)?
            }
            Err(e) => return Err(io_error("find", path, e)),
        };
        let meta = pin.metadata().map_err(|e| io_error("examine", path, e))?;
        let key = key(&meta);
        if let Some(admitted) = known.get(&key).filter(|known| known.access >= access) {
            return Ok(Arc::clone(admitted));
        }
        let mut admitted = self.admit_pinned(&mut known, (pin, &meta), path, access, created)?;
        if known.len() >= LOCKED_MAX.min(held_max) && matches!(admitted.kind, AdmittedKind::File { .. }) {
            admitted.locks.clear();
        }
        if known.len() >= held_max && matches!(admitted.kind, AdmittedKind::File { .. }) {
            admitted.pin = Pin::Named(InodeId::told_by(&meta));
        }
        if let Some(before) = before.filter(|_| created) {
            admitted.alone = Some(Alone::new(Arc::clone(&self.uses), before));
        }
        let admitted = Arc::new(admitted);
        known.insert(key, Arc::clone(&admitted));
        Ok(admitted)
    }

    /// Creates a missing file, or finds the one that another process has created since it was missing; and says whether it was
    /// created.
    fn create_or_find(
        &self,
        path: &Path,
        access: Access,
        origin: &FileOrigin,
        missing: io::Error,
    ) -> Result<(File, bool), GuardError> {
        match self.create(path, access, origin, missing) {
            Ok(pin) => Ok((pin, true)),
            Err(GuardError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                sys::pin(path).map(|pin| (pin, false)).map_err(|e| io_error("find", path, e))
            }
            Err(e) => Err(e),
        }
    }

    /// Everything admitted so far.
    pub fn all(&self) -> Vec<Arc<Admitted>> {
        self.known().values().cloned().collect()
    }

    /// An error if a loop device, swap or a mount has begun to use a target that was admitted for
    /// writing. The check takes a few milliseconds; [`Changes`] says when it is worth making.
    ///
    /// [`Changes`]: crate::Changes
    pub fn still_alone(&self) -> Result<(), Box<Refusal>> {
        // Where this cannot be found out, no use was seen either.
        let Ok(now) = self.uses.now() else { return Ok(()) };
        for target in self.all() {
            let findings = target.standing(&now, Look::All).unwrap_or_default();
            if !findings.is_empty() {
                return Err(Box::new(refusal(target.path(), findings)));
            }
        }
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.admitted.lock().expect("no one panics with the admissions")
    }

    fn admit_pinned(
        &self,
        known: &mut Known,
        (pin, meta): (File, &Metadata),
        path: &Path,
        access: Access,
        created: bool,
    ) -> Result<Admitted, GuardError> {
        let kind = meta.file_type();
        if kind.is_block_device() {
            return self.admit_block(pin, path, DevNumber::from_raw(meta.rdev()), access);
        }
        if kind.is_file() {
            return self.admit_regular(pin, path, access, created);
        }
        if kind.is_char_device() {
            let number = DevNumber::from_raw(meta.rdev());
            return match self.admit_node(known, &pin, path, number, access)? {
                Some(node) => Ok(node),
                None => admit_memory(pin, path, number, access),
            };
        }
        let path = path.to_path_buf();
        if kind.is_dir() {
            return Err(GuardError::Directory { path });
        }
        let kind = if kind.is_fifo() { "FIFO" } else { "socket" };
        Err(GuardError::UnsupportedKind { path, kind })
    }
}

/// A character device may be a controller, a tape or the machine's memory: of those that take no commands, only those that are
/// known to hold nothing are opened.
fn admit_memory(pin: File, path: &Path, number: DevNumber, access: Access) -> Result<Admitted, GuardError> {
    let known = MEMORY_DEVICES.iter().find(|(minor, _)| number == DevNumber { major: 1, minor: *minor });
    let fit = known.is_some_and(|(_, writable)| *writable || access == Access::Read);
    if !fit {
        return Err(GuardError::UnsupportedKind { path: path.to_path_buf(), kind: "character device" });
    }
    Ok(Admitted::new(path, AdmittedKind::Memory, access, pin))
}

fn key(meta: &Metadata) -> Key {
    let (kind, number) = (meta.file_type(), DevNumber::from_raw(meta.rdev()));
    match () {
        () if kind.is_block_device() => Key::Device(number),
        () if kind.is_char_device() => Key::Character(number),
        () => Key::File(InodeId::told_by(meta)),
    }
}

pub(super) fn io_error(act: &'static str, path: &Path, source: io::Error) -> GuardError {
    GuardError::Io { act, path: path.to_path_buf(), source }
}
