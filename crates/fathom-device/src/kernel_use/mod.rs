//! The kernel's uses of files: loop devices, swap, mounts, layers of overlays.
//!
//! Writing to such a file changes data below its user. The kernel names these files in its
//! tables, but never by an open file, which is what is asked about here; so each use is compared
//! with that file (see [`same_file`]).
//!
//! [`same_file`]: crate::same_file

mod overlay;

use crate::device::DevNumber;
use crate::loops::{LoopDevice, loop_devices};
use crate::mounts::all_mounts;
use crate::root::{Root, Unknown};
use crate::same_file::{FileId, FileView, Sharing, by_numbers, find, sharing};
use crate::swaps::{Swap, swap_files};
use overlay::{Located, overlays};
use std::fmt;
use std::fs::{File, Metadata};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub use overlay::Overlay;

/// A use that the kernel makes of some file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelUse {
    /// A loop device is over it.
    Loop(LoopDevice),
    /// It is active swap.
    Swap(Swap),
    /// It is mounted, without a device.
    Mount(FileMount),
    /// It is in a layer of an overlay.
    Overlay(Overlay),
}

/// A use of the file in question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUse {
    /// The use.
    pub by: KernelUse,
    /// Whether the file is known to be the one; else it may be.
    pub is_certain: bool,
}

impl KernelUse {
    /// Every use of any file.
    pub fn all(root: &Root) -> Result<Vec<Self>, Unknown> {
        let loops = loop_devices(root)?.into_iter();
        let swaps = swap_files(root)?.into_iter();
        let mounts = file_mounts(root)?.into_iter();
        let overlays = overlays(root)?.into_iter();
        let uses = loops.map(Self::Loop).chain(swaps.map(Self::Swap)).chain(mounts.map(Self::Mount));
        Ok(uses.chain(overlays.map(Self::Overlay)).collect())
    }

    /// Whether this is the other use, looked at again, and has not ended and begun again since.
    /// Sizes and paths of what is in use may change.
    pub fn is_still(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Loop(ours), Self::Loop(theirs)) => {
                let is_path_all = ours.backing.is_none();
                let has_path = ours.backing_file == theirs.backing_file;
                let is_attachment = ours.number == theirs.number && ours.attachment == theirs.attachment;
                is_attachment && ours.backing == theirs.backing && (has_path || !is_path_all)
            }
            _ => self == other,
        }
    }

    /// The file as the kernel names it; of an overlay, where it is mounted.
    pub fn path(&self) -> &PathBuf {
        match self {
            Self::Loop(device) => &device.backing_file,
            Self::Swap(swap) => &swap.path,
            Self::Mount(mount) => &mount.source,
            Self::Overlay(overlay) => &overlay.point,
        }
    }

    fn sharing(&self, root: &Root, file: &FileView, located: &Located<'_>) -> Sharing {
        if let Self::Loop(device) = self {
            // Loop devices over devices are in the graph of devices.
            let is_over_device = device.backing_device.is_some().then_some(Sharing::Different);
            if let Some(sharing) = is_over_device.or_else(|| by_numbers(file, device.backing)) {
                return sharing;
            }
        }
        let (used, may_be) = match self {
            Self::Overlay(overlay) => return overlay.has(located, file),
            Self::Loop(device) => (FileView::behind(root, device), true),
            Self::Swap(swap) => (swap_view(root, swap), may_be_swap(file)),
            // The path is the one of the time of the mount, so nothing can be compared with it.
            Self::Mount(_) => (FileView::unseen(), may_be_erofs(file)),
        };
        match sharing(file, &used) {
            Sharing::Unknown if !may_be => Sharing::Different,
            known => known,
        }
    }
}

/// Which of these uses are, or may be, uses of `file`.
pub fn standing_on(root: &Root, file: &FileView, uses: &[KernelUse]) -> Vec<FileUse> {
    let located = Located::new(root, file);
    let matching = uses.iter().map(|by| (by, by.sharing(root, file, &located)));
    let matching = matching.filter(|(_, sharing)| *sharing != Sharing::Different);
    matching.map(|(by, sharing)| FileUse { by: by.clone(), is_certain: sharing == Sharing::Same }).collect()
}

/// As a clause about the file: "is attached to loop3".
impl fmt::Display for FileUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.is_certain { "is" } else { "may be" };
        match &self.by {
            KernelUse::Loop(device) => write!(f, "{verb} attached to {}", device.name)?,
            KernelUse::Swap(swap) => write!(f, "{verb} the active swap file {}", swap.path.display())?,
            KernelUse::Mount(mount) if mount.is_hidden() => {
                return write!(f, "{verb} mounted where no table of mounts shows it");
            }
            KernelUse::Mount(mount) => write!(f, "{verb} mounted on {}", mount.point.display())?,
            KernelUse::Overlay(overlay) => {
                write!(f, "{verb} in a layer of the overlay on {}", overlay.point.display())?;
                let doubt = ": its mount names the layer by a relative path, and fathom cannot find out whether that is this directory";
                return f.write_str(if self.is_certain { "" } else { doubt });
            }
        }
        if self.is_certain {
            return Ok(());
        }
        write!(
            f,
            ": the kernel names {}, and fathom cannot find out whether that is this file",
            self.by.path().display()
        )
    }
}

// Whether the content of a file allows a use.
//
// An active swap file cannot be written, and erofs finds what it mounts by its superblock, so a
// file without the mark is not the one that is used.

/// The end of the first page of swap (linux/swap.h), for every size of page.
const SWAP: &[u8] = b"SWAPSPACE2";
const PAGE_BYTES: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

/// The magic number of erofs and where its superblock is (fs/erofs/erofs_fs.h).
const EROFS: [u8; 4] = 0xe0f5_e1e2_u32.to_le_bytes();
const EROFS_AT: u64 = 1024;

fn may_be_swap(file: &FileView) -> bool {
    let ends = PAGE_BYTES.iter().map(|page| page - SWAP.len() as u64);
    file.reader().is_none_or(|file| ends.into_iter().any(|at| holds(&file, SWAP, at)))
}

fn may_be_erofs(file: &FileView) -> bool {
    file.reader().is_none_or(|file| holds(&file, &EROFS, EROFS_AT))
}

/// A file that cannot be read may hold anything; one that ends before this place holds nothing
/// there.
fn holds(file: &File, mark: &[u8], at: u64) -> bool {
    let mut bytes = vec![0; mark.len()];
    match file.read_exact_at(&mut bytes, at) {
        Ok(()) => bytes == mark,
        Err(e) => e.kind() != std::io::ErrorKind::UnexpectedEof,
    }
}

/// The file at that path, in the first mount namespace that has a file there that is large enough.
/// An active swap file cannot be removed or renamed, so where there is none, a mount covers it.
fn swap_view(root: &Root, swap: &Swap) -> FileView {
    let fits = |meta: &Metadata| meta.is_file() && meta.len() >= swap.size_bytes;
    let matching = find(root, &swap.path, fits).and_then(|pin| pin.metadata().ok());
    FileView::of_swap(root, &swap.path, matching.map(|meta| FileId::of(&meta)), swap.size_bytes)
}

/// A file that is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMount {
    /// Number of the file system on it.
    pub dev: DevNumber,
    /// Where it is mounted; the directory of all such file systems where no
    /// table of mounts shows it.
    pub point: PathBuf,
    /// The path that the file had when it was mounted.
    pub source: PathBuf,
}

/// Every erofs that is mounted has a directory in here.
const EROFS_NAME: &str = "/sys/fs/erofs";

fn file_mounts(root: &Root) -> Result<Vec<FileMount>, Unknown> {
    let alive = root.list(EROFS_NAME).unwrap_or_default();
    let alive = alive.iter().filter(|name| *name != "features").count();
    if alive == 0 {
        return Ok(Vec::new());
    }
    let mut mounted: Vec<FileMount> = Vec::new();
    for mount in all_mounts(root)?.into_iter().filter(|mount| mount.fs_type == "erofs") {
        if mounted.iter().all(|known| known.dev != mount.dev) {
            let source = PathBuf::from(mount.source);
            mounted.push(FileMount { dev: mount.dev, point: mount.point, source });
        }
    }
    let is_hidden = alive > mounted.len();
    // An erofs on a block device has the number of that device.
    mounted.retain(|mount| mount.dev.is_anonymous());
    mounted.extend(is_hidden.then(FileMount::hidden));
    Ok(mounted)
}

impl FileMount {
    /// One that was unmounted lazily while somebody used it, or that is mounted
    /// where no process is.
    fn hidden() -> Self {
        Self {
            dev: DevNumber::from_raw(0),
            point: EROFS_NAME.into(),
            source: "a file that fathom cannot see".into(),
        }
    }

    /// Whether nothing but its existence is known.
    pub fn is_hidden(&self) -> bool {
        self.point == Path::new(EROFS_NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::Root;
    use crate::tree::Tree;

    /// A loop device over one file; the rest of its description is `more`.
    fn over_a(more: &str) -> KernelUse {
        let mut tree = Tree::default();
        let loop0 = "/sys/block/loop0/dev = 7:0\n/sys/block/loop0/loop/backing_file = /a\n\
                     /.fathom/asked/loop-backing/loop0 = 254:0 4711\n";
        tree.overlay(&format!("{loop0}{more}")).unwrap();
        KernelUse::Loop(loop_devices(&Root::held(&tree)).unwrap().remove(0))
    }

    #[test]
    fn a_device_that_is_attached_again_is_another_use() {
        let first = over_a("/sys/block/loop0/diskseq = 40\n");
        assert!(first.is_still(&over_a("/sys/block/loop0/diskseq = 40\n/sys/block/loop0/size = 8\n")));
        assert!(!first.is_still(&over_a("/sys/block/loop0/diskseq = 41\n")));
        assert!(over_a("").is_still(&over_a("")), "a kernel that does not count");
    }

    #[test]
    fn the_marks_are_found_where_they_are() {
        let file = tempfile::tempfile().unwrap();
        let view = || FileView::of(&Root::live(), &file).unwrap();
        assert!(!may_be_swap(&view()) && !may_be_erofs(&view()));
        file.write_all_at(SWAP, 4096 - 10).unwrap();
        assert!(may_be_swap(&view()) && !may_be_erofs(&view()));
        file.write_all_at(&EROFS, 1024).unwrap();
        assert!(may_be_erofs(&view()));
    }
}
