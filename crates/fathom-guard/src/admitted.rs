//! A target that the guard admitted. Only it gives descriptors.

use crate::finding::Finding;
use crate::lock::{Access, TargetLock};
use crate::pin::{Held, InodeId, Pin};
use crate::used_by::{Doubt, of_others, on_device, on_file, refusal};
use crate::uses::{List, Uses};
use fathom_device::command_node::{CommandNode, CommandUnit};
use fathom_device::device::{DevNumber, Identity};
use fathom_device::kernel_use::KernelUse;
use fathom_device::root::Root;
use fathom_device::sys;
use fathom_device::sys::lease::is_being_written;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How an admitted target is to be opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenFlags {
    /// Open for reading and writing; otherwise only for reading.
    pub write: bool,
    /// `O_DIRECT`.
    pub direct: bool,
    /// `O_SYNC`.
    pub sync: bool,
    /// `O_DSYNC`.
    pub dsync: bool,
    /// `O_APPEND`.
    pub append: bool,
    /// `O_NOATIME`, where the kernel allows it: only the owner of a file and root
    /// may.
    pub noatime: bool,
}

impl OpenFlags {
    fn flags(self) -> i32 {
        let table = [
            (self.direct, libc::O_DIRECT),
            (self.sync, libc::O_SYNC),
            (self.dsync, libc::O_DSYNC),
            (self.append, libc::O_APPEND),
            (self.noatime, libc::O_NOATIME),
        ];
        let set = table.iter().filter(|(wanted, _)| *wanted);
        set.fold(0, |flags, (_, flag)| flags | flag)
    }
}

/// The kind of the admitted target.
#[derive(Debug)]
pub enum AdmittedKind {
    /// A block device and its identity. The identity is `None` only for a reader, where sysfs
    /// cannot be read.
    Block(Option<Box<Identity>>),
    /// A regular file.
    File {
        /// Whether this admission created it.
        created: bool,
        /// Whether fathom created it, now or earlier, and nobody else has
        /// touched it since. Looked up only for a file that will be written.
        is_ours: bool,
    },
    /// A character device that takes the commands of a drive, with its block device.
    Node(Box<AdmittedNode>),
    /// One of the memory devices: null, zero, full, random.
    Memory,
}

/// A target that may be used. While it lives, a block device admitted for writing stays claimed
/// exclusively and its disk stays locked.
#[derive(Debug)]
pub struct Admitted {
    pub(super) path: PathBuf,
    pub(super) kind: AdmittedKind,
    pub(super) access: Access,
    /// The inode that every open goes to.
    pub(super) pin: Pin,
    pub(super) claim: Option<File>,
    /// What keeps other fathoms off the target, and udev off the disk. The first lock of a file is its own.
    pub(super) locks: Vec<Arc<TargetLock>>,
    /// For writing: the uses of files that are known not to be uses of this target.
    pub(super) alone: Option<Alone>,
    /// The state of a file after our last write to it.
    pub(super) rest: Rest,
}

impl Admitted {
    /// One of which nothing is claimed, locked or known.
    pub(super) fn new(path: &Path, kind: AdmittedKind, access: Access, pin: File) -> Self {
        Self {
            path: path.to_path_buf(),
            kind,
            access,
            pin: Pin::Held(pin),
            claim: None,
            locks: Vec::new(),
            alone: None,
            rest: Rest::default(),
        }
    }

    /// The path as it was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is.
    pub fn kind(&self) -> &AdmittedKind {
        &self.kind
    }

    /// What it was admitted for.
    pub fn access(&self) -> Access {
        self.access
    }

    /// The identity of the block device; `None` for a file, and where a reader's device could not
    /// be identified.
    pub fn identity(&self) -> Option<&Identity> {
        match &self.kind {
            AdmittedKind::Block(identity) => identity.as_deref(),
            AdmittedKind::Node(node) => node.block.identity(),
            _ => None,
        }
    }

    /// Whether the device is claimed exclusively.
    pub fn is_claimed(&self) -> bool {
        match &self.kind {
            AdmittedKind::Node(node) => node.block.is_claimed(),
            _ => self.claim.is_some(),
        }
    }

    /// Whether this admission created the file.
    pub fn is_created(&self) -> bool {
        matches!(self.kind, AdmittedKind::File { created: true, .. })
    }

    /// Opens the admitted inode, so nobody can put another file or device in its place. Before it
    /// is opened for writing, the guard checks once more that it is the same disk and that nothing
    /// else uses it.
    pub fn open(&self, how: OpenFlags) -> io::Result<OwnedFd> {
        if how.write && self.access < Access::Write {
            let message = format!("{} was admitted for reading only", self.path.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        // A command is neither cached nor synchronous.
        let takes_commands = matches!(self.kind, AdmittedKind::Node(_));
        let how = if takes_commands { OpenFlags { write: how.write, ..OpenFlags::default() } } else { how };
        let reopen = |how: OpenFlags| match how.write {
            true => crate::sys::reopen_to_write(&*self.hold()?, how.flags()),
            false => self.pin.read(&self.path, how.flags()),
        };
        let file = match reopen(how) {
            Err(e) if how.noatime && e.raw_os_error() == Some(libc::EPERM) => {
                reopen(OpenFlags { noatime: false, ..how })?
            }
            file => file?,
        };
        if matches!(self.kind, AdmittedKind::File { is_ours: true, .. }) {
            self.rest.note(&file, how.write);
        }
        if let AdmittedKind::Node(node) = &self.kind {
            node.recheck(&file)?;
        }
        if how.write {
            self.recheck(&file)?;
            let findings = self.new_uses(&file)?;
            if !findings.is_empty() {
                let why = Box::new(refusal(&self.path, findings));
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, *why));
            }
        }
        Ok(file.into())
    }

    /// A descriptor for reading which is the only one that fathom keeps of a file that is locked.
    pub(super) fn reader(&self) -> io::Result<Held<'_>> {
        match self.locks.first() {
            Some(lock) => Ok(Held::Before(lock.file())),
            None => self.pin.read(&self.path, 0).map(Held::Now),
        }
    }

    /// Holds the inode for as long as the returned value lives.
    pub(super) fn hold(&self) -> io::Result<Held<'_>> {
        self.pin.hold(&self.path)
    }

    /// Which of these uses are uses of the target that began after it was admitted for writing.
    pub(super) fn standing(&self, uses: &List, look: Look) -> io::Result<Vec<Finding>> {
        self.alone.as_ref().map_or(Ok(Vec::new()), |alone| alone.among(self, uses, look))
    }

    /// What has begun to use the target, of which `file` is a descriptor.
    fn new_uses(&self, file: &File) -> io::Result<Vec<Finding>> {
        let target = match &self.kind {
            AdmittedKind::Node(node) => &node.block,
            _ => self,
        };
        target.alone.as_ref().map_or(Ok(Vec::new()), |alone| alone.since(target, file))
    }

    fn recheck(&self, file: &File) -> io::Result<()> {
        let AdmittedKind::Block(Some(identity)) = &self.kind else {
            return Ok(());
        };
        match changed(identity, file)? {
            None => Ok(()),
            Some(what) => Err(io::Error::other(format!("{}: {what}", self.path.display()))),
        }
    }

    /// Removes the file if this admission created it and the path still leads to it. Returns
    /// whether it did.
    pub fn remove_created(&self) -> io::Result<bool> {
        if !self.is_created() {
            return Ok(false);
        }
        let ours = self.pin.id()?;
        let there = match fs::symlink_metadata(&self.path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            there => there?,
        };
        if InodeId::told_by(&there) != ours {
            return Ok(false);
        }
        fs::remove_file(&self.path)?;
        Ok(true)
    }
}

/// A character device that takes commands, and what keeps others off its drive.
#[derive(Debug)]
pub struct AdmittedNode {
    pub(super) root: Root,
    /// The character device's number.
    pub(super) number: DevNumber,
    pub(super) node: CommandNode,
    /// The block device of the same drive, admitted for the same.
    pub(super) block: Arc<Admitted>,
}

impl AdmittedNode {
    /// What takes the commands.
    pub fn unit(&self) -> CommandUnit {
        self.node.unit
    }

    /// An error if the open character device is not this one any more, or its block device is another one.
    fn recheck(&self, file: &File) -> io::Result<()> {
        let moved = |what: String| io::Error::other(format!("{}: {what}", self.node.name));
        let number = DevNumber::from_raw(file.metadata()?.rdev());
        let node = CommandNode::read(&self.root, number).map_err(|e| moved(e.to_string()))?;
        if number != self.number || node.as_ref() != Some(&self.node) {
            return Err(moved("another device has its name now".to_owned()));
        }
        let unit = self.node.unit.asked_of(file)?;
        if unit != self.node.unit {
            return Err(moved(format!("{unit} answers now")));
        }
        let (Some(identity), Some(claim)) = (self.block.identity(), &self.block.claim) else { return Ok(()) };
        changed(identity, claim)?.map_or(Ok(()), |what| Err(moved(what)))
    }
}

/// How the open device differs from the one that was judged; `None` if it is the same.
pub(super) fn changed(identity: &Identity, file: &File) -> io::Result<Option<String>> {
    let number = sys::statx_file(file)?.rdev;
    if number != identity.dev {
        return Ok(Some(format!("device {} became {number}", identity.dev)));
    }
    let sequence = sys::disk_sequence(file)?;
    if let (Some(then), Some(now)) = (identity.diskseq, sequence)
        && then != now
    {
        return Ok(Some(format!("disk {then} of this boot became disk {now}")));
    }
    let size = io::Seek::seek(&mut &*file, io::SeekFrom::End(0))?;
    io::Seek::rewind(&mut &*file)?;
    let resized = size != identity.size_bytes;
    Ok(resized.then(|| format!("size {} became {size}", identity.size_bytes)))
}

// Whether nothing else uses a target.
//
// The uses of a target are judged when it is admitted. A loop device, swap or mount that appears
// later is found by a further look: before every opening for writing, and when a run asks.

/// The uses of files that are known not to be uses of the target.
#[derive(Debug)]
pub(super) struct Alone {
    uses: Arc<Uses>,
    cleared: Mutex<List>,
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Only at uses of files that are new.
    New,
    /// Also at the mounts of devices.
    All,
}

impl Alone {
    /// `cleared` are the uses that were read before the target was judged or created.
    pub fn new(uses: Arc<Uses>, cleared: List) -> Self {
        Self { uses, cleared: Mutex::new(cleared) }
    }

    /// Which uses have become uses of the target, of which `file` is a descriptor.
    pub fn since(&self, target: &Admitted, file: &File) -> io::Result<Vec<Finding>> {
        let uses = match target.kind {
            AdmittedKind::File { .. } => self.uses.of_file(file),
            _ => self.uses.now(),
        };
        let findings = self.among(target, &uses.map_err(io::Error::other)?, Look::New)?;
        if findings.is_empty() {
            return Ok(findings);
        }
        // What was found may have ended.
        self.among(target, &self.uses.now().map_err(io::Error::other)?, Look::New)
    }

    /// Which of these uses are uses of the target.
    pub fn among(&self, target: &Admitted, now: &List, look: Look) -> io::Result<Vec<Finding>> {
        let cleared = self.cleared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_new = |by: &&KernelUse| !cleared.iter().any(|known| by.is_still(known));
        let new: Vec<KernelUse> = now.iter().filter(is_new).cloned().collect();
        let findings = match &target.kind {
            AdmittedKind::File { created, is_ours } if !new.is_empty() => {
                let doubt = if *created { Doubt::IsDropped } else { Doubt::Counts };
                let findings = on_file(self.uses.root(), &*target.hold()?, &target.path, &new, doubt)?;
                of_others(findings, *is_ours)
            }
            AdmittedKind::Block(Some(identity)) if !new.is_empty() || look == Look::All => {
                on_device(self.uses.root(), identity.dev).map_err(io::Error::other)?
            }
            _ => Vec::new(),
        };
        if findings.is_empty() {
            *self.cleared.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(now);
        }
        Ok(findings)
    }
}

// The state of a file after fathom's last write to it.
//
// A job that reads a file which fathom laid out does not change it. If the file has changed by the
// end of the run, somebody else has written to it.

/// Size and time of the last change of a file that nobody was writing when we
/// opened it for reading, if we have not opened it for writing since.
#[derive(Debug, Default)]
pub(super) struct Rest(Mutex<Option<Stamp>>);

/// Size in bytes and `st_ctim`.
type Stamp = (u64, i64, i64);

impl Rest {
    /// Notes that we opened the file.
    pub(super) fn note(&self, file: &File, writes: bool) {
        let mut rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *rest = match *rest {
            _ if writes => None,
            Some(stamp) => Some(stamp),
            // Where the kernel does not say whether it is being written, nothing is noted.
            None if is_being_written(file).is_ok_and(|is_written| !is_written) => {
                file.metadata().ok().map(|meta| stamp(&meta))
            }
            None => None,
        };
    }

    /// An error if the file has changed since.
    pub(super) fn holds(&self, meta: &Metadata) -> io::Result<()> {
        let rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *rest {
            Some(then) if then != stamp(meta) => {
                Err(io::Error::other("another program changed it while it was read"))
            }
            _ => Ok(()),
        }
    }
}

fn stamp(meta: &Metadata) -> Stamp {
    (meta.len(), meta.ctime(), meta.ctime_nsec())
}
