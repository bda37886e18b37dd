//! Files full of random bytes: nothing below them can compress, merge or skip a block.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::undo::Undo;

const TMPFS: &str = "/dev/shm";

/// A file in a directory; writing it brings it into the page cache.
pub fn in_directory(directory: &Path, bytes: u64, undo: &mut Undo) -> Result<PathBuf, String> {
    let file = tempfile::Builder::new().prefix("fathom-bench-").tempfile_in(directory);
    let file = file.map_err(|e| format!("a file in {}: {e}", directory.display()))?;
    let path = file.into_temp_path().keep().map_err(|e| e.to_string())?;
    let doomed = path.clone();
    undo.push(move || fs::remove_file(&doomed).map_err(|e| format!("{}: {e}", doomed.display())));
    fill(&path, bytes)?;
    Ok(path)
}

/// A file on tmpfs.
pub fn on_tmpfs(bytes: u64, undo: &mut Undo) -> Result<PathBuf, String> {
    let mounts = fs::read_to_string("/proc/self/mounts").map_err(|e| format!("/proc/self/mounts: {e}"))?;
    let is_tmpfs = |line: &str| line.split(' ').skip(1).take(2).eq([TMPFS, "tmpfs"]);
    if !mounts.lines().any(is_tmpfs) {
        return Err(format!("{TMPFS} is not a tmpfs"));
    }
    in_directory(Path::new(TMPFS), bytes, undo)
}

/// Writes random bytes from the start and waits until they are stored.
pub fn fill(path: &Path, bytes: u64) -> Result<(), String> {
    let write = || -> io::Result<()> {
        let mut random = File::open("/dev/urandom")?.take(bytes);
        let mut file = File::options().write(true).create(true).truncate(false).open(path)?;
        io::copy(&mut random, &mut file)?;
        file.sync_all()
    };
    write().map_err(|e| format!("{}: {e}", path.display()))
}
