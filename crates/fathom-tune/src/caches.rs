//! The page cache, dropped on request.
//!
//! It is no setting: nothing stays changed, so there is nothing to put back.

use fathom_device::Root;
use std::io;

/// The file that takes the request (Documentation/admin-guide/sysctl/vm.rst).
const FILE: &str = "/proc/sys/vm/drop_caches";

/// The page cache, and dentries and inodes: the two bits of the request.
const ALL: &str = "3";

/// Why the caches could not be dropped.
#[derive(Debug, thiserror::Error)]
#[error("cannot drop the caches of the kernel: writing to {FILE} failed: {0}")]
pub struct CachesError(io::Error);

/// The size of the page cache before and after it was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DroppedCache {
    /// Before, bytes; `None` where the kernel does not say it.
    pub before_bytes: Option<u64>,
    /// After, bytes.
    pub after_bytes: Option<u64>,
}

/// Has the kernel drop its clean page cache, dentries and inodes. What was written and is not on the
/// disk yet stays in the cache.
///
/// # Errors
/// The kernel refused it: only root may ask.
pub fn drop_caches(root: &Root) -> Result<DroppedCache, CachesError> {
    let before_bytes = cached_bytes(root);
    std::fs::write(root.at(FILE), ALL).map_err(CachesError)?;
    Ok(DroppedCache { before_bytes, after_bytes: cached_bytes(root) })
}

/// The page cache of files, bytes: what `free` counts as cached, without the buffers of devices.
fn cached_bytes(root: &Root) -> Option<u64> {
    let text = root.read_text("/proc/meminfo").ok()?;
    let kib = text.lines().find_map(|line| line.strip_prefix("Cached:")?.trim().strip_suffix("kB"))?;
    kib.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_for_all_of_them() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::recorded(dir.path());
        assert!(drop_caches(&root).unwrap_err().to_string().contains("drop_caches"));
        std::fs::create_dir_all(dir.path().join("proc/sys/vm")).unwrap();
        let unknown = drop_caches(&root).unwrap();
        assert_eq!((unknown.before_bytes, unknown.after_bytes), (None, None));
        std::fs::write(root.at("/proc/meminfo"), "MemFree: 1 kB\nCached:   1024000 kB\nSwapCached: 5 kB\n")
            .unwrap();
        assert_eq!(drop_caches(&root).unwrap().before_bytes, Some(1_048_576_000));
        assert_eq!(std::fs::read_to_string(root.at(FILE)).unwrap(), "3");
    }
}
