//! Active swap: partitions by device number, files by path.

use std::path::PathBuf;

use crate::device::DevNumber;
use crate::mounts::unescape;
use crate::root::{Root, Unknown};

/// One line of `/proc/swaps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// Path as the kernel names it.
    pub path: PathBuf,
    /// The device, for swap on a block device.
    pub device: Option<DevNumber>,
}

/// The active swaps. A kernel built without swap has no table and no swap; a
/// swap device that cannot be found again makes the whole answer unknown,
/// because it could be any.
pub fn active_swaps(root: &Root) -> Result<Vec<Swap>, Unknown> {
    let table = "/proc/swaps";
    if !root.exists(table) {
        return Ok(Vec::new());
    }
    let text = root.read_text(table)?;
    let lines = text.lines().skip(1);
    lines.map(|line| swap(root, line)).collect()
}

fn swap(root: &Root, line: &str) -> Result<Swap, Unknown> {
    let mut fields = line.split_whitespace();
    let (Some(path), Some(kind)) = (fields.next(), fields.next()) else {
        let reason = format!("unexpected line {line:?}");
        return Err(Unknown::new("/proc/swaps", reason));
    };
    let path = PathBuf::from(unescape(path));
    let device = match kind {
        "file" => None,
        _ => Some(
            root.block_number_of(&path)
                .ok_or_else(|| Unknown::new(&path, "active swap, but not a block device we can find"))?,
        ),
    };
    Ok(Swap { path, device })
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
