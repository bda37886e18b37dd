//! Whether a file that exists may be replaced by an output.

use super::kind::HEAD_BYTES;
use super::{Asked, cannot, refused, replace};
use crate::failure::Failure;
use fathom_device::Root;
use fathom_device::mounts::own_mounts;
use fathom_guard::Door;
use fathom_results::{RunRecord, is_spool};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Judges the regular file that `pin` leads to. Says where it is, all links
/// followed.
pub(super) fn judge(path: &Path, pin: &File, asked: &Asked<'_>) -> Result<PathBuf, Failure> {
    let failed = |e| cannot(path, &e);
    let real = path.canonicalize().map_err(failed)?;
    let mut file = reopen(pin, OpenOptions::new().read(true).write(true)).map_err(failed)?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
    if let Some(user) = asked.in_use.user_of(&real) {
        return Err(refused(path, asked, &format!("it is {user}")));
    }
    if is_record(&head) {
        return Err(refused(path, asked, "it is the record of a run"));
    }
    let may_replace = asked.overwrite.iter().any(|allowed| is_same(allowed, &file));
    let is_of_run = is_in_run(&real);
    if is_of_run && !may_replace {
        return Err(with_overwrite(refused(path, asked, "it belongs to a saved run"), path, asked.door));
    }
    let is_fit = asked.door == Door::Fio || head.is_empty() || asked.kind.is_begun_by(&head);
    if !is_fit && !may_replace {
        let why = format!("it holds something else, not a {}", asked.kind);
        return Err(with_overwrite(refused(path, asked, &why), path, asked.door));
    }
    if is_mount_point(&real) {
        let why = "it is bound over by a mount, so no file can take its place in one step";
        return Err(refused(path, asked, why).hint("name a file in a directory that is mounted"));
    }
    replace::try_beside(&real).map_err(failed)?;
    Ok(real)
}

/// Whether a mount begins at the file, as with a file that a container engine
/// has bound into a container.
fn is_mount_point(real: &Path) -> bool {
    own_mounts(&Root::live()).is_ok_and(|mounts| mounts.iter().any(|mount| mount.point == real))
}

/// Whether an open file is part of a saved run.
pub fn is_saved(path: &Path, file: &mut File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(is_record(&head) || is_in_run(&path.canonicalize()?))
}

/// What no option overrides: without these files a run cannot be read.
fn is_record(head: &[u8]) -> bool {
    is_spool(head) || RunRecord::is_begun_by(head)
}

/// Whether the file lies in the directory of a run.
fn is_in_run(real: &Path) -> bool {
    let spool = real.parent().and_then(|dir| File::open(dir.join("spool")).ok());
    let mut head = [0; 8];
    spool.is_some_and(|mut spool| {
        spool.metadata().is_ok_and(|meta| meta.is_file())
            && spool.read_exact(&mut head).is_ok()
            && is_spool(&head)
    })
}

/// fio's door has no option for it: `--overwrite` is one of fio's job options.
fn with_overwrite(failure: Failure, path: &Path, door: Door) -> Failure {
    let failure = match door {
        Door::Native => failure.hint(format!("to replace it all the same: --overwrite {}", path.display())),
        Door::Fio => failure,
    };
    failure.hint("or name a file that does not exist yet")
}

fn is_same(allowed: &Path, file: &File) -> bool {
    let inode = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    let there = file.metadata().map(inode).ok();
    there.is_some() && std::fs::metadata(allowed).map(inode).ok() == there
}

/// Opens the very file that `pin` leads to.
pub fn reopen(pin: &File, how: &OpenOptions) -> io::Result<File> {
    how.open(format!("/proc/self/fd/{}", pin.as_raw_fd()))
}
