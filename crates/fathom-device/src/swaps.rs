//! Active swap: partitions by device number, files by path.

use std::ffi::OsString;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::device::DevNumber;
use crate::mounts::unescape_bytes;
use crate::root::{Root, Unknown};
use crate::same_file::find;

/// One line of `/proc/swaps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// Path as the kernel names it.
    pub path: PathBuf,
    /// The device, for swap on a block device.
    pub device: Option<DevNumber>,
    /// The bytes that are used of the file or device, which is one page larger.
    pub size_bytes: u64,
}

const TABLE: &str = "/proc/swaps";

/// The active swaps. A kernel built without swap has no table and no swap; a
/// swap device that cannot be found again makes the whole answer unknown,
/// because it could be any.
pub fn active_swaps(root: &Root) -> Result<Vec<Swap>, Unknown> {
    let found = lines(root)?.into_iter().map(|(mut swap, is_file)| {
        if !is_file {
            let lost = || Unknown::new(&swap.path, "active swap, but not a block device we can find");
            swap.device = Some(device(root, &swap.path).ok_or_else(lost)?);
        }
        Ok(swap)
    });
    found.collect()
}

/// The active swap files alone.
pub fn swap_files(root: &Root) -> Result<Vec<Swap>, Unknown> {
    let files = lines(root)?.into_iter().filter(|(_, is_file)| *is_file);
    Ok(files.map(|(swap, _)| swap).collect())
}

/// The device at the path, as we see it or as another mount namespace does.
fn device(root: &Root, path: &Path) -> Option<DevNumber> {
    let elsewhere = || {
        let node = find(root, path, |meta| meta.file_type().is_block_device())?;
        Some(DevNumber::from_raw(node.metadata().ok()?.rdev()))
    };
    root.block_number_of(path).or_else(elsewhere)
}

/// Every line, without its device, and whether it is that of a file.
fn lines(root: &Root) -> Result<Vec<(Swap, bool)>, Unknown> {
    if !root.exists(TABLE) {
        return Ok(Vec::new());
    }
    let text = root.read_bytes(TABLE)?;
    let lines = text.split(|byte| *byte == b'\n').skip(1).filter(|line| !line.trim_ascii().is_empty());
    let parsed = lines.map(|line| {
        let odd = || Unknown::new(TABLE, format!("unexpected line {:?}", String::from_utf8_lossy(line)));
        parse(line).ok_or_else(odd)
    });
    parsed.collect()
}

/// Path, type and size in KiB; use and priority do not matter here.
fn parse(line: &[u8]) -> Option<(Swap, bool)> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let path: OsString = unescape_bytes(fields.next()?);
    let is_file = fields.next()? == b"file";
    let size_kib: u64 = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let size_bytes = size_kib.saturating_mul(1024);
    Some((Swap { path: PathBuf::from(path), device: None, size_bytes }, is_file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(swaps: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        std::fs::create_dir_all(at("proc")).unwrap();
        std::fs::create_dir_all(at("sys/class/block/sdb2")).unwrap();
        std::fs::write(at("sys/class/block/sdb2/dev"), "8:18").unwrap();
        std::fs::write(at("proc/swaps"), swaps).unwrap();
        dir
    }

    #[test]
    fn files_and_partitions() {
        let dir =
            tree("Filename Type Size Used Priority\n/dev/sdb2 partition 1 0 -2\n/a\\040b file 1 0 -3\n");
        let swaps = active_swaps(&Root::recorded(dir.path())).unwrap();
        assert_eq!(swaps[0].device.unwrap().to_string(), "8:18");
        assert_eq!(swaps[1].path, PathBuf::from("/a b"));
        assert_eq!(swaps[1].device, None);
    }

    #[test]
    fn a_swap_that_cannot_be_found_is_unknown() {
        let dir = tree("Filename Type Size Used Priority\n/dev/sdz9 partition 1 0 -2\n");
        assert!(active_swaps(&Root::recorded(dir.path())).is_err());
    }
}
