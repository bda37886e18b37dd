//! The kernel's uses of files: loop devices, swap, mounts, layers of overlays.
//!
//! Writing to such a file changes data below its user. The kernel names these files in its
//! tables, but never by an open file, which is what is asked about here; so each use is compared
//! with that file (see [`same_file`]).
//!
//! [`same_file`]: crate::same_file

mod content;
mod file_mount;
mod overlay;
mod swap_file;

use std::fmt;
use std::path::PathBuf;

use crate::loops::{LoopDevice, loop_devices};
use crate::root::{Root, Unknown};
use crate::same_file::{FileView, Sharing, by_numbers, sharing};
use crate::swaps::{Swap, swap_files};

use overlay::{Located, overlays};

pub use file_mount::FileMount;
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
        let mounts = file_mount::file_mounts(root)?.into_iter();
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
            if let Some(found) = is_over_device.or_else(|| by_numbers(file, device.backing)) {
                return found;
            }
        }
        let (used, may_be) = match self {
            Self::Overlay(overlay) => return overlay.has(located, file),
            Self::Loop(device) => (FileView::behind(root, device), true),
            Self::Swap(swap) => (swap_file::view(root, swap), content::may_be_swap(file)),
            // The path is the one of the time of the mount, so nothing can be compared with it.
            Self::Mount(_) => (FileView::unseen(), content::may_be_erofs(file)),
        };
        match sharing(file, &used) {
            Sharing::Unknown if !may_be => Sharing::Different,
            found => found,
        }
    }
}

/// Which of these uses are, or may be, uses of `file`.
pub fn standing_on(root: &Root, file: &FileView, uses: &[KernelUse]) -> Vec<FileUse> {
    let located = Located::new(root, file);
    let found = uses.iter().map(|by| (by, by.sharing(root, file, &located)));
    let found = found.filter(|(_, sharing)| *sharing != Sharing::Different);
    found.map(|(by, sharing)| FileUse { by: by.clone(), is_certain: sharing == Sharing::Same }).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
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
}
