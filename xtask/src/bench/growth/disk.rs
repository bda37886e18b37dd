//! A new ext4 on a loop device. Where many files were removed, ext4 looks longer for the places of
//! new ones, so each run has a file system of its own.

use std::path::{Path, PathBuf};

use crate::command::{capture, command};

/// Room for the files, and inodes.
const BYTES: u64 = 2 << 30;
const INODES: &str = "200000";

/// Mounted while it lives. It needs root.
pub struct Disk {
    image: PathBuf,
    dir: PathBuf,
}

impl Disk {
    /// Makes and mounts one below `scratch`.
    pub fn new(scratch: &Path) -> Result<Self, String> {
        let disk = Self { image: scratch.join("disk"), dir: scratch.join("mnt") };
        let failed = |e: std::io::Error| format!("{}: {e}", disk.image.display());
        std::fs::create_dir_all(&disk.dir).map_err(failed)?;
        std::fs::File::create(&disk.image).and_then(|file| file.set_len(BYTES)).map_err(failed)?;
        let (image, dir) = (disk.image.to_string_lossy(), disk.dir.to_string_lossy());
        capture(&mut command("mkfs.ext4", &["-q", "-N", INODES, &image]))?;
        capture(&mut command("mount", &["-o", "loop", &image, &dir]))?;
        capture(&mut command("sync", &[]))?;
        drop((image, dir));
        Ok(disk)
    }

    /// Where it is mounted.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // What is left over lies in a directory that is removed, or says so there.
        let _ = capture(&mut command("umount", &[&self.dir.to_string_lossy()]));
        let _ = std::fs::remove_file(&self.image);
    }
}
