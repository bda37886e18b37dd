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

/// Has the kernel drop its clean page cache, dentries and inodes. What was written and is not on the
/// disk yet stays in the cache.
///
/// # Errors
/// The kernel refused it: only root may ask.
pub fn drop_caches(root: &Root) -> Result<(), CachesError> {
    std::fs::write(root.at(FILE), ALL).map_err(CachesError)
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
        drop_caches(&root).unwrap();
        assert_eq!(std::fs::read_to_string(root.at(FILE)).unwrap(), "3");
    }
}
