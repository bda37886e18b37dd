//! Loop devices and what is behind them.
//!
//! The kernel does not list a loop device among the holders of the disk under it, and it does not
//! connect two loop devices over one file. Both are ways to destroy a mounted file system that the
//! graph in sysfs does not show.
//!
//! A path does not say which file is behind a loop device: the file may have other names, and the
//! path may have been removed, covered by a mount, or belong to another mount namespace. The kernel
//! is therefore asked for device and inode. It reports them to root only. Other users have only the
//! path, and [`LoopDevice::is_established`] says whether that can be trusted.

use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::ask::Question;
use crate::device::DevNumber;
use crate::root::{Root, Unknown, Why};
use crate::same_file::{FileId, FileView, Sharing, sharing};

/// An attached loop device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopDevice {
    /// Kernel name (`loop3`).
    pub name: String,
    /// Device number.
    pub number: DevNumber,
    /// Number of the attachment in this boot (`diskseq`). Another one, of the same device over the
    /// same file, has another number. `None` on kernels before 5.15, which do not count.
    pub attachment: Option<u64>,
    /// The file behind it, as the kernel names it. The kernel adds
    /// ` (deleted)` where that name has been removed.
    pub backing_file: PathBuf,
    /// The block device behind it, when the backing file is one.
    pub backing_device: Option<DevNumber>,
    /// The file behind it. `None` where the kernel did not report it and the path does not lead to
    /// a file that the device could be over.
    pub backing: Option<FileId>,
    /// The file reached at least this far when it was attached, in bytes.
    pub end_bytes: u64,
    /// Whether the device takes no writes.
    pub is_read_only: bool,
}

impl LoopDevice {
    /// Whether it is known which file or device is behind it.
    pub fn is_established(&self) -> bool {
        self.backing.is_some() || self.backing_device.is_some()
    }

    /// Whether it shows a part of its file only.
    pub fn is_window(&self, root: &Root) -> bool {
        self.start_and_limit_bytes(root) != (0, 0)
    }

    /// The bytes that it shows of its file, which has `size_bytes`.
    pub fn window(&self, root: &Root, size_bytes: u64) -> Range<u64> {
        let (start, limit) = self.start_and_limit_bytes(root);
        let end = if limit == 0 { size_bytes } else { start.saturating_add(limit).min(size_bytes) };
        start.min(end)..end
    }

    /// Where in the file it begins, and how much it shows of it at most; 0 is
    /// all of it.
    fn start_and_limit_bytes(&self, root: &Root) -> (u64, u64) {
        let value =
            |file: &str| root.read_value(format!("/sys/block/{}/loop/{file}", self.name)).unwrap_or(0);
        (value("offset"), value("sizelimit"))
    }

    /// Whether the bytes of another loop device are bytes of this one. Where in the file each
    /// begins does not matter: a file has one user.
    pub fn sharing(&self, root: &Root, other: &Self) -> Sharing {
        let are_established = self.is_established() && other.is_established();
        // For a machine that was recorded without the kernel's answer, only the paths are known.
        if !are_established && !root.is_live() {
            let is_same = self.backing_file == other.backing_file;
            return if is_same { Sharing::Same } else { Sharing::Different };
        }
        match (self.backing_device, other.backing_device) {
            (Some(ours), Some(theirs)) if ours == theirs => Sharing::Same,
            (None, None) => sharing(&FileView::behind(root, self), &FileView::behind(root, other)),
            _ => Sharing::Different,
        }
    }
}

/// All attached loop devices.
pub fn loop_devices(root: &Root) -> Result<Vec<LoopDevice>, Unknown> {
    let names = root.list("/sys/block")?;
    let loops = names.iter().filter(|name| name.starts_with("loop"));
    let devices: Result<Vec<_>, _> = loops.map(|name| loop_device(root, name)).collect();
    Ok(devices?.into_iter().flatten().collect())
}

/// The file behind the disk of this kernel name, as the kernel names it; `None` if it is not an
/// attached loop device.
pub fn backing_file(root: &Root, name: &str) -> Result<Option<PathBuf>, Unknown> {
    let path = format!("/sys/block/{name}/loop/backing_file");
    match root.read_bytes(&path) {
        // The kernel ends the text with one newline. Any other blank or
        // newline belongs to the name.
        Ok(bytes) => {
            let name = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
            Ok((!name.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(name))))
        }
        // `loop/` exists only while a file is attached; it may have gone in this moment.
        Err(unknown) if unknown.why == Why::Missing || !root.exists(&path) => Ok(None),
        Err(unknown) => Err(unknown),
    }
}

fn loop_device(root: &Root, name: &str) -> Result<Option<LoopDevice>, Unknown> {
    let Some(backing_file) = backing_file(root, name)? else { return Ok(None) };
    let dir = Path::new("/sys/block").join(name);
    // It is read before the kernel is asked what is behind the device. If the device is attached
    // again meanwhile, no later answer has this number.
    let attachment = root.read_value(dir.join("diskseq")).ok();
    let number = match root.read_value(dir.join("dev")) {
        Err(_) if !root.exists(&dir) => return Ok(None),
        number => number?,
    };
    let end_bytes = end_bytes(root, name);
    let answer = root.ask_text(&Question::LoopBacking { device: name.to_owned() });
    let (backing, backing_device) = match answer.map(|answer| behind(&answer)) {
        Ok(Some((file, device))) => (Some(file), device),
        // A look at its path would not be answered either.
        Err(unknown) if unknown.why == Why::Silent => (None, None),
        _ => (by_path(root, name, &backing_file, end_bytes), root.block_number_of(&backing_file)),
    };
    Ok(Some(LoopDevice {
        name: name.to_owned(),
        number,
        attachment,
        backing_file,
        backing_device,
        backing,
        end_bytes,
        is_read_only: root.read_text(dir.join("ro")).as_deref() == Ok("1"),
    }))
}

fn behind(answer: &str) -> Option<(FileId, Option<DevNumber>)> {
    let mut words = answer.split(' ');
    let file = FileId { dev: words.next()?.parse().ok()?, inode: words.next()?.parse().ok()? };
    let device = words.next().map(str::parse).transpose().ok()?;
    Some((file, device))
}

/// The file at the path, if the device can be over it: a regular file of just
/// the size that the device has.
fn by_path(root: &Root, name: &str, path: &Path, end_bytes: u64) -> Option<FileId> {
    // In a recorded tree the path would lead to a file of our own.
    let meta = fs::metadata(path).ok().filter(|meta| root.is_live() && meta.is_file())?;
    let limit: u64 = root.read_value(format!("/sys/block/{name}/loop/sizelimit")).unwrap_or(0);
    let fits = match limit {
        // The last part of a sector is left out.
        0 => meta.len() / SECTOR_BYTES == end_bytes / SECTOR_BYTES,
        _ => meta.len() >= end_bytes,
    };
    fits.then(|| FileId::of(&meta))
}

/// sysfs counts in units of 512 bytes, independent of the sector size
/// (Documentation/ABI/stable/sysfs-block).
const SECTOR_BYTES: u64 = 512;

fn end_bytes(root: &Root, name: &str) -> u64 {
    let sectors: u64 = root.read_value(format!("/sys/block/{name}/size")).unwrap_or(0);
    let offset_bytes: u64 = root.read_value(format!("/sys/block/{name}/loop/offset")).unwrap_or(0);
    sectors.saturating_mul(SECTOR_BYTES).saturating_add(offset_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    fn one(more: &str) -> LoopDevice {
        let mut tree = Tree::default();
        let loop0 = "/sys/block/loop0/dev = 7:0\n/sys/block/loop0/size = 8\n\
                     /sys/block/loop0/loop/backing_file = /a b\n/sys/block/loop0/loop/offset = 512\n\
                     /sys/block/loop1/dev = 7:1\n";
        tree.overlay(&format!("{loop0}{more}")).unwrap();
        let mut devices = loop_devices(&Root::held(&tree)).unwrap();
        assert_eq!(devices.len(), 1, "loop1 is not attached");
        devices.remove(0)
    }

    #[test]
    fn what_the_kernel_says_counts() {
        let device = one("/.fathom/asked/loop-backing/loop0 = 254:0 4711\n");
        assert_eq!(device.backing, Some(FileId { dev: "254:0".parse().unwrap(), inode: 4711 }));
        assert_eq!((device.backing_device, device.end_bytes), (None, 8 * 512 + 512));
        let device = one("/.fathom/asked/loop-backing/loop0 = 0:6 99 8:16\n");
        assert_eq!(device.backing_device, Some("8:16".parse().unwrap()));
    }

    #[test]
    fn a_path_in_a_recorded_tree_establishes_nothing() {
        assert!(!one("").is_established());
    }

    #[test]
    fn blanks_belong_to_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("sys/block/loop0/loop");
        fs::create_dir_all(&at).unwrap();
        fs::write(at.join("backing_file"), "/a \n\n").unwrap();
        let root = Root::recorded(dir.path());
        assert_eq!(backing_file(&root, "loop0").unwrap(), Some(PathBuf::from("/a \n")));
        assert_eq!(backing_file(&root, "loop1").unwrap(), None);
    }
}
