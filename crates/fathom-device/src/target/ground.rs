//! What a target is on: thousands of files may be on the same.

use std::io;
use std::path::Path;

use crate::sys;

/// What a file has in common with others. Two files with the same are described
/// by the same facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ground {
    /// A file system, by its `st_dev`, as it is mounted at one place. Before
    /// Linux 5.8 the kernel does not tell the mount.
    Mount {
        /// Number of the file system.
        dev: u64,
        /// Number of the mount in this namespace.
        mount: Option<u64>,
    },
    /// A device, which is on nothing else.
    Device,
}

impl Ground {
    /// The ground of a target; for a missing file, that of its directory.
    ///
    /// # Errors
    /// Where neither can be looked at.
    pub fn of(path: &Path) -> io::Result<Self> {
        let there = match sys::statx_path(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => sys::statx_path(&super::parent(path))?,
            there => there?,
        };
        match there.mode & libc::S_IFMT {
            libc::S_IFBLK | libc::S_IFCHR => Ok(Self::Device),
            _ => Ok(Self::Mount { dev: there.dev.raw(), mount: there.mount_id }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_mount_have_one_ground() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, "").unwrap();
        let ground = Ground::of(&file).unwrap();
        assert_eq!(Ground::of(&dir.path().join("missing")).unwrap(), ground);
        assert_ne!(Ground::of(Path::new("/proc/self/status")).unwrap(), ground);
        assert_eq!(Ground::of(Path::new("/dev/null")).unwrap(), Ground::Device);
        assert!(Ground::of(&file.join("deeper")).is_err());
    }
}
