//! Loop devices over files on tmpfs, and ext4 on one.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::file;
use super::undo::Undo;
use crate::command::need_root;
use crate::command::{capture, command};

/// Attaches a loop device of this size, full of random bytes, that does not use its file's page cache.
pub fn attach(bytes: u64, undo: &mut Undo) -> Result<PathBuf, String> {
    need_root("attaching a loop device")?;
    let backing = file::on_tmpfs(bytes, undo)?;
    attach_file(&backing, undo)
}

/// The same with a file that is one hole.
pub fn attach_hole(bytes: u64, undo: &mut Undo) -> Result<PathBuf, String> {
    need_root("attaching a loop device")?;
    let backing = file::on_tmpfs(0, undo)?;
    let hole = File::options().write(true).open(&backing).and_then(|file| file.set_len(bytes));
    hole.map_err(|e| format!("{}: {e}", backing.display()))?;
    attach_file(&backing, undo)
}

fn attach_file(backing: &Path, undo: &mut Undo) -> Result<PathBuf, String> {
    let backing = backing.to_string_lossy();
    let words = ["--find", "--show", "--direct-io=on", backing.as_ref()];
    let device = capture(&mut command("losetup", &words))?.trim().to_owned();
    let attached = device.clone();
    undo.push(move || act("losetup", &["--detach", &attached]));
    Ok(PathBuf::from(device))
}

/// Makes ext4 on the device, mounts it, and fills a file there.
pub fn file_on_ext4(device: &Path, bytes: u64, undo: &mut Undo) -> Result<PathBuf, String> {
    let path = ext4(device, undo)?.join("bench.dat");
    file::fill(&path, bytes)?;
    Ok(path)
}

/// Makes ext4 on a device or in a file, mounts it, and returns where.
pub fn ext4(device: &Path, undo: &mut Undo) -> Result<PathBuf, String> {
    let device = device.to_string_lossy();
    // mke2fs finishes now what the kernel would otherwise do during a run.
    let at_once = "lazy_itable_init=0,lazy_journal_init=0";
    act("mkfs.ext4", &["-q", "-F", "-E", at_once, device.as_ref()])?;
    let point = tempfile::Builder::new().prefix("fathom-bench-").tempdir();
    let point = point.map_err(|e| format!("a place to mount: {e}"))?.keep();
    let empty = point.clone();
    undo.push(move || std::fs::remove_dir(&empty).map_err(|e| format!("{}: {e}", empty.display())));
    let mounted = point.to_string_lossy().into_owned();
    act("mount", &[device.as_ref(), &mounted])?;
    undo.push(move || act("umount", &[&mounted]));
    Ok(point)
}

fn act(program: &str, words: &[&str]) -> Result<(), String> {
    capture(&mut command(program, words)).map(drop)
}
