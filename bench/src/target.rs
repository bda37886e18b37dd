//! What the I/O of a case goes to: made for the case, and removed after it.
//!
//! Only targets that are made here are used: new files, loop devices over them, and a zram device that
//! nobody has set up. If one cannot be made on this machine, the reason is printed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use xtask::command::{capture, command, need_root};
use xtask::workspace::{at, read_text, write_file};

/// Kinds of target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// No target: the engine completes the I/O itself.
    Nothing,
    /// A file on the disk under the build directory, read through the page cache.
    CachedFile,
    /// /dev/zram0, filled with data that does not compress, O_DIRECT.
    Zram,
    /// A file on tmpfs.
    TmpfsFile,
    /// The same, of blocks of 4 KiB that can be verified (crc32c).
    #[serde(rename = "verified-4k")]
    Verified4k,
    /// Of blocks of 1 MiB.
    #[serde(rename = "verified-1m")]
    Verified1m,
    /// A loop device with direct I/O over a file on tmpfs, O_DIRECT.
    Loop,
    /// A file on ext4 on such a loop device, O_DIRECT.
    Ext4Direct,
}

/// A target that was made. Dropping it removes it.
pub struct Made {
    /// The lines of the job that name it.
    pub lines: String,
    /// The block device whose counters must agree with the tools.
    pub disk: Option<String>,
    _undo: Undo,
}

/// Large enough that reads are spread beyond the processor's caches.
const CACHED_BYTES: u64 = 256 << 20;
const DEVICE_BYTES: u64 = 512 << 20;

impl Target {
    /// Makes it; `scratch` is on a disk. The error is the reason why it cannot be made here.
    pub fn make(self, scratch: &Path) -> Result<Made, String> {
        let mut undo = Undo::default();
        let (lines, disk) = match self {
            Target::Nothing => ("size=1g\n".to_owned(), None),
            Target::CachedFile => {
                let path = in_directory(scratch, CACHED_BYTES, &mut undo)?;
                (lines(&path, CACHED_BYTES, false), None)
            }
            Target::TmpfsFile => {
                let path = on_tmpfs(CACHED_BYTES, &mut undo)?;
                (lines(&path, CACHED_BYTES, false), None)
            }
            Target::Verified4k => (verified("4k", scratch, &mut undo)?, None),
            Target::Verified1m => (verified("1m", scratch, &mut undo)?, None),
            Target::Zram => {
                set_up(DEVICE_BYTES, &mut undo)?;
                (lines(DEVICE.as_ref(), DEVICE_BYTES, true), Some("zram0".to_owned()))
            }
            Target::Loop => {
                let device = attach(DEVICE_BYTES, &mut undo)?;
                (lines(&device, DEVICE_BYTES, true), file_name(&device))
            }
            Target::Ext4Direct => {
                // A quarter more than the file for ext4's own structures.
                let device = attach(DEVICE_BYTES / 4 * 5, &mut undo)?;
                let path = file_on_ext4(&device, DEVICE_BYTES, &mut undo)?;
                (lines(&path, DEVICE_BYTES, true), file_name(&device))
            }
        };
        Ok(Made { lines, disk, _undo: undo })
    }
}

/// A file on tmpfs in which fio has written blocks of this size that can be verified.
fn verified(block: &str, scratch: &Path, undo: &mut Undo) -> Result<String, String> {
    let lines = lines(&on_tmpfs(CACHED_BYTES, undo)?, CACHED_BYTES, false);
    let job = scratch.join("verified.fio");
    let text =
        format!("[written]\n{lines}rw=write\nioengine=psync\nbs={block}\nverify=crc32c\ndo_verify=0\n");
    write_file(&job, text)?;
    capture(command("fio", &[&job.to_string_lossy()]).current_dir(scratch))?;
    Ok(lines)
}

fn lines(path: &Path, bytes: u64, direct: bool) -> String {
    format!("filename={}\nsize={bytes}\ndirect={}\n", path.display(), u8::from(direct))
}

fn file_name(device: &Path) -> Option<String> {
    device.file_name().map(|name| name.to_string_lossy().into_owned())
}

// Files full of random bytes: nothing below them can compress, merge or skip a block.

const TMPFS: &str = "/dev/shm";

/// A file in a directory; writing it brings it into the page cache.
pub fn in_directory(directory: &Path, bytes: u64, undo: &mut Undo) -> Result<PathBuf, String> {
    let file = tempfile::Builder::new().prefix("fathom-bench-").tempfile_in(directory);
    let file = file.map_err(|e| format!("a file in {}: {e}", directory.display()))?;
    let path = file.into_temp_path().keep().map_err(|e| e.to_string())?;
    let doomed = path.clone();
    undo.push(move || fs::remove_file(&doomed).map_err(at(&doomed)));
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
    write().map_err(at(path))
}

// Loop devices over files on tmpfs, and ext4 on one.

/// Attaches a loop device of this size, full of random bytes, that does not use its file's page cache.
pub fn attach(bytes: u64, undo: &mut Undo) -> Result<PathBuf, String> {
    need_root("attaching a loop device")?;
    let backing = on_tmpfs(bytes, undo)?;
    attach_file(&backing, undo)
}

/// The same with a file that is one hole.
pub fn attach_hole(bytes: u64, undo: &mut Undo) -> Result<PathBuf, String> {
    need_root("attaching a loop device")?;
    let backing = on_tmpfs(0, undo)?;
    let hole = File::options().write(true).open(&backing).and_then(|file| file.set_len(bytes));
    hole.map_err(at(&backing))?;
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
    fill(&path, bytes)?;
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
    undo.push(move || std::fs::remove_dir(&empty).map_err(at(&empty)));
    let mounted = point.to_string_lossy().into_owned();
    act("mount", &[device.as_ref(), &mounted])?;
    undo.push(move || act("umount", &[&mounted]));
    Ok(point)
}

fn act(program: &str, words: &[&str]) -> Result<(), String> {
    capture(&mut command(program, words)).map(drop)
}

// /dev/zram0: a disk in memory that answers within the submitting call.
//
// A read of an unwritten page would not touch memory, and a read of a compressible page would measure
// the compressor. A read of random data costs one copy, the cheapest read that moves data.

/// The device.
pub const DEVICE: &str = "/dev/zram0";
const SIZE: &str = "/sys/block/zram0/disksize";
const RESET: &str = "/sys/block/zram0/reset";

/// Gives it a size and fills it, but only if nobody else uses it.
pub fn set_up(bytes: u64, undo: &mut Undo) -> Result<(), String> {
    need_root("setting up zram")?;
    if !Path::new(SIZE).exists() {
        return Err(format!("this kernel has no {DEVICE} (try `modprobe zram`)"));
    }
    let size = read_text(SIZE)?;
    if size.trim() != "0" {
        return Err(format!("{DEVICE} is in use (if it is not: `echo 1 > {RESET}`)"));
    }
    write_file(SIZE, bytes.to_string())?;
    undo.push(|| write_file(RESET, "1"));
    fill(Path::new(DEVICE), bytes)
}

// What must be undone when a case has ended, also if it ended early.

/// Acts that remove things; the last one added runs first.
#[derive(Default)]
pub struct Undo {
    acts: Vec<Act>,
}

type Act = Box<dyn FnOnce() -> Result<(), String>>;

impl Undo {
    /// Adds an act.
    pub fn push(&mut self, act: impl FnOnce() -> Result<(), String> + 'static) {
        self.acts.push(Box::new(act));
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        while let Some(act) = self.acts.pop() {
            if let Err(error) = act() {
                eprintln!("left behind: {error}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    #[test]
    fn a_file_is_made_and_taken_away() {
        let scratch = tempfile::tempdir().unwrap();
        let mut undo = Undo::default();
        let path = in_directory(scratch.path(), 1 << 20, &mut undo).unwrap();
        assert_eq!(path.metadata().unwrap().len(), 1 << 20);
        drop(undo);
        assert!(!path.exists());
    }

    #[test]
    fn the_last_made_goes_first_and_a_failure_stops_nothing() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let mut undo = Undo::default();
        for n in 1..=3 {
            let seen = Rc::clone(&seen);
            undo.push(move || {
                seen.borrow_mut().push(n);
                if n == 2 { Err("stuck".to_owned()) } else { Ok(()) }
            });
        }
        drop(undo);
        assert_eq!(*seen.borrow(), [3, 2, 1]);
    }
}
