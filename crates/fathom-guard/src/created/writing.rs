//! Which of fathom's own files a procedure is writing, so that the same procedure can go on after a kill.
//!
//! A run that is killed records nothing at its end. So a note of the files that it may write is made before its first I/O,
//! and a thread gives the note a new time several times a second. After a kill, the time of the note says until when
//! fathom can have written. The procedure may write to a file of its note again if the file is the same one, is no longer
//! than the procedure makes it, and was last changed no later than [`LATE_MAX`] after that time. A change that another
//! program makes within this second cannot be told from one of fathom's own.
//!
//! The kernel sets the time of the last change of a file (`st_ctim`), and no program can set it back. It is compared with
//! the clock of this machine, so the note has only files on file systems that take the time from there.

use super::private_dir::PrivateDir;
use super::{Attachment, CreatedFiles, Doubt, born_ns, changed_ns};
use fathom_device::sys;
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Version of the note.
const FORMAT: u32 = 1;
/// A longer note was not written by fathom: a file takes about 200 bytes.
const BYTES_MAX: u64 = 32 << 20;
/// The most files of a note. A procedure with more of them needs the consent of a person after a kill.
const FILES_MAX: usize = 1 << 16;
/// The most notes of killed procedures that are kept, and the most bytes of them.
const NOTES_MAX: usize = 256;
const NOTES_BYTES_MAX: u64 = 256 << 20;

/// How long after the time of its note a killed process can have changed a file: the time between two renewals, a wake-up that comes
/// late because the machine is busy, and the end of a system call that was on its way.
pub(crate) const LATE_MAX: Duration = Duration::from_secs(1);

/// File systems of this machine, which take the times of files from its clock and change them with every write: `f_type` from
/// linux/magic.h, and f2fs, bcachefs and ZFS from their sources. Those in memory are not among them: a store through a shared
/// mapping does not change the times of their files.
const OF_THIS_CLOCK: [u32; 6] = [
    0x0000_ef53, // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // btrfs
    0xf2f5_2010, // f2fs
    0xca45_1a4e, // bcachefs
    0x2fc1_2fc1, // ZFS
];

/// A file that is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    dev: u64,
    inode: u64,
    born_ns: Option<i64>,
    /// The longest that the procedure makes it, bytes; `None` where that is not known.
    end_bytes: Option<u64>,
    /// Which attachment of the disk it was on; `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attachment: Option<Attachment>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    format: u32,
    files: Vec<Written>,
}

/// The note of a procedure that writes now. If the process is killed, the note stays.
#[derive(Debug)]
pub struct Writing {
    dir: PrivateDir,
    name: String,
    note: File,
}

impl Writing {
    /// Notes that the procedure may be writing until now.
    ///
    /// # Errors
    /// The time cannot be set.
    pub fn renew(&self) -> io::Result<()> {
        self.note.set_modified(SystemTime::now())
    }

    /// Removes the note: the procedure does not write any more.
    ///
    /// # Errors
    /// The note cannot be removed. It is as old as its last renewal, so it allows no more than after a kill.
    pub fn end(self) -> io::Result<()> {
        self.dir.remove(&self.name)
    }
}

impl Written {
    /// `None` where the times of the file do not tell who changed it last.
    pub(crate) fn of(file: &File, end_bytes: Option<u64>) -> Option<Written> {
        let magic = sys::file_system(file).ok()?.magic;
        let meta = OF_THIS_CLOCK.contains(&magic).then(|| file.metadata().ok()).flatten()?;
        let (dev, inode) = (meta.dev(), meta.ino());
        Some(Written { dev, inode, born_ns: born_ns(&meta), end_bytes, attachment: None })
    }

    fn is_of(&self, meta: &Metadata) -> bool {
        (self.dev, self.inode, self.born_ns) == (meta.dev(), meta.ino(), born_ns(meta))
    }
}

impl CreatedFiles {
    /// Notes that the procedure is about to write to these files; `None` where there is none to note, or where they are too many.
    pub(crate) fn begin_writing(
        &self,
        procedure: &str,
        mut files: Vec<Written>,
    ) -> io::Result<Option<Writing>> {
        let Some(name) = name_of(procedure).filter(|_| !files.is_empty() && files.len() <= FILES_MAX) else {
            return Ok(None);
        };
        let mut last = None;
        for file in &mut files {
            let (_, attachment) = last
                .take_if(|(dev, _)| *dev == file.dev)
                .unwrap_or_else(|| (file.dev, Attachment::of(file.dev)));
            file.attachment.clone_from(&attachment);
            last = Some((file.dev, attachment));
        }
        let dir = PrivateDir::prepare(self.dir())?;
        let _lock = dir.lock()?;
        dir.replace(&name, |to| Ok(serde_json::to_writer(to, &Note { format: FORMAT, files })?))?;
        dir.forget_oldest(NOTES_MAX, NOTES_BYTES_MAX, |name| name.starts_with("writing-"))?;
        let note = dir.hold(&name)?;
        Ok(Some(Writing { dir, name, note }))
    }

    /// Whether the procedure was writing to this file when it was killed, and nobody has changed it since. `doubt` says why
    /// the record of the files that were closed does not know it.
    pub(crate) fn check_written(&self, procedure: &str, file: &File, doubt: Doubt) -> Result<(), Doubt> {
        let unknown =
            |e: io::Error| Doubt::Unknown(format!("the note of what the procedure was writing: {e}"));
        let (note, renewed) = match name_of(procedure).map(|name| read(self.dir(), &name)) {
            None => return Err(doubt),
            Some(Err(e)) if e.kind() == io::ErrorKind::NotFound => return Err(doubt),
            Some(note) => note.map_err(unknown)?,
        };
        let meta = file.metadata().map_err(unknown)?;
        let written = note.files.iter().find(|written| written.is_of(&meta)).ok_or(doubt)?;
        if written.end_bytes.is_some_and(|end| meta.len() > end) {
            return Err(Doubt::Longer);
        }
        let now = Attachment::of(meta.dev());
        if written.attachment.as_ref().zip(now.as_ref()).is_some_and(|(then, now)| then.may_differ(now)) {
            return Err(Doubt::Elsewhere);
        }
        let changed_ns = changed_ns(&meta).map_err(unknown)?;
        // A clock that was set back since gives later changes earlier times.
        let is_set_back = unix_ns(SystemTime::now()) < renewed;
        match changed_ns.saturating_sub(renewed) {
            _ if is_set_back => Err(Doubt::ClockSetBack),
            late_ns if late_ns > LATE_MAX.as_nanos() as i64 => Err(Doubt::ChangedAfterKill { late_ns }),
            _ => Ok(()),
        }
    }
}

/// The note, and its last renewal in nanoseconds since 1970.
fn read(dir: &Path, name: &str) -> io::Result<(Note, i64)> {
    let dir = PrivateDir::open(dir)?;
    let renewed = dir.hold(name)?.metadata()?.modified()?;
    let note: Note = serde_json::from_slice(&dir.read(name, BYTES_MAX)?)?;
    match note.format {
        FORMAT => Ok((note, unix_ns(renewed))),
        other => Err(io::Error::other(format!("{name} has the unknown format {other}"))),
    }
}

/// An id is digits and letters; anything else is not used as the name of a file.
fn name_of(procedure: &str) -> Option<String> {
    let is_plain = !procedure.is_empty() && procedure.bytes().all(|b| b.is_ascii_alphanumeric());
    is_plain.then(|| format!("writing-{procedure}.json"))
}

fn unix_ns(time: SystemTime) -> i64 {
    i64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()).unwrap_or(i64::MAX)
}
