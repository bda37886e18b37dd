//! The target of a power cut: admitted by the guard, and its promises read from the kernel.

use crate::exit::Failure;
use crate::here::Here;
use crate::{base, created};
use fathom_device::device::{DevNumber, Graph, Identity};
use fathom_device::inventory::Standing;
use fathom_guard::{Access, Admitted, AdmittedKind, Consent, Door, FileOrigin, Guard, GuardError, OpenFlags};
use fathom_text::carried::of_os;
use fathom_verify::power_cut::{Durability, LogTarget};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An admitted target. While it lives, a device that is written stays claimed.
#[derive(Debug)]
pub struct CutTarget {
    /// The guard that admitted it.
    pub guard: Arc<Guard>,
    /// What was admitted.
    pub admitted: Arc<Admitted>,
}

/// Has the guard admit the target; `state_dir` holds the record of the files that fathom created. A missing file is created if
/// it is to be written.
///
/// # Errors
/// The refusals of the guard.
pub fn admit(
    path: &Path,
    access: Access,
    consent: Consent,
    state_dir: Option<PathBuf>,
    here: &Here,
) -> Result<CutTarget, Failure> {
    let guard = base::examining(Guard::new(here.root().clone(), Door::Native, consent), here);
    let guard = Arc::new(created::knowing_created(guard, state_dir, here));
    let origin = match access {
        Access::Write => FileOrigin::Create { tag: concat!("fathom ", env!("CARGO_PKG_VERSION")).to_owned() },
        Access::Read => FileOrigin::Existing,
    };
    let admitted = here.slow_look().at(path, || guard.admit_file(path, access, &origin));
    let failure = |e: GuardError| {
        Failure::of(&e, e.is_refusal(), e.is_usage()).hints(e.hints()).lacking_consent(e.lacks_consent())
    };
    Ok(CutTarget { admitted: admitted.map_err(failure)?, guard })
}

impl CutTarget {
    /// Opens it past the page cache.
    ///
    /// # Errors
    /// Those of the guard and of the file system, which may not do direct I/O.
    pub fn open(&self, write: bool) -> io::Result<File> {
        let how = OpenFlags { write, direct: true, ..OpenFlags::default() };
        self.admitted.open(how).map(File::from)
    }

    /// Opens it for reading through the page cache, where nothing else is possible.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open_cached(&self) -> io::Result<File> {
        self.admitted.open(OpenFlags::default()).map(File::from)
    }

    /// Is it a device?
    pub fn is_device(&self) -> bool {
        matches!(self.admitted.kind(), AdmittedKind::Block(_))
    }

    /// What the log says of it.
    pub fn named(&self, size: u64) -> LogTarget {
        let identity = self.admitted.identity().and_then(name);
        LogTarget { path: of_os(self.admitted.path()), size, identity }
    }
}

/// A name of the device that does not change.
fn name(identity: &Identity) -> Option<String> {
    Consent::word_for(identity, &[])
}

/// Bytes that the disk below the target writes as a whole: its logical block. A file system with larger blocks adds no promise. `None`
/// where no disk is known.
pub fn logical_block(path: &Path, here: &Here) -> Option<u64> {
    of_queues(path, "logical_block_size", here).into_iter().max()
}

/// The longest write that the disk below the target promises to write as a whole, by what the kernel read from it (NVMe: AWUPF and
/// NAWUPF; SCSI: the Block Limits page); Linux 6.11 and later say so. `None` where it promises no more than a logical block.
pub fn atomic_unit(path: &Path, here: &Here) -> Option<u64> {
    of_queues(path, "atomic_write_unit_max_bytes", here).into_iter().min().filter(|bytes| *bytes > 0)
}

/// A number of the queues of the disks below the target.
fn of_queues(path: &Path, attribute: &str, here: &Here) -> Vec<u64> {
    let root = here.root();
    let of_disk = |number: &DevNumber| -> Option<u64> {
        let graph = Graph::read(root, *number).ok()?;
        let file = graph.whole_disk().sys_dir.join("queue").join(attribute);
        root.read_text(file).ok()?.trim().parse().ok()
    };
    let standing = here.slow_look().at(path, || Standing::of(root, path));
    standing.map(|standing| standing.devices.iter().filter_map(of_disk).collect()).unwrap_or_default()
}

/// When a write of the target survives, by what the kernel says of its cache. A device without a volatile cache gets no
/// flushes from the kernel, because each of its completions is the promise. Of a file nothing is known but what an fsync says.
pub fn durability(path: &Path, here: &Here) -> Durability {
    let root = here.root();
    let graph = root.block_number_of(path).and_then(|number| Graph::read(root, number).ok());
    let cache =
        graph.and_then(|graph| root.read_text(graph.whole_disk().sys_dir.join("queue/write_cache")).ok());
    match cache.as_deref().map(str::trim) {
        Some("write through") => Durability::AtCompletion,
        _ => Durability::AtFlush,
    }
}
