//! Whether a file that exists may be replaced by an output.

use super::{OutputTerms, cannot, refused, replace};
use crate::failure::Failure;
use fathom_device::Root;
use fathom_device::mounts::own_mounts;
use fathom_guard::Door;
use fathom_session::outputs::{HEAD_BYTES, is_in_run, is_record, reopen};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Judges the regular file that `pin` leads to. Says where it is, all links
/// followed.
pub(super) fn judge(path: &Path, pin: &File, asked: &OutputTerms<'_>) -> Result<PathBuf, Failure> {
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
        let why = format!("it holds something else, not {}", asked.kind.with_article());
        return Err(with_overwrite(refused(path, asked, &why), path, asked.door));
    }
    if is_mount_point(&real) {
        let why = "a file is mounted on it, so it cannot be replaced in one step";
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

/// `fathom fio` has no such option: `--overwrite` is one of fio's job options.
fn with_overwrite(failure: Failure, path: &Path, door: Door) -> Failure {
    let failure = match door {
        Door::Native => failure.hint(format!("to replace it nevertheless: --overwrite {}", path.display())),
        Door::Fio => failure,
    };
    failure.hint("or name a file that does not exist yet")
}

fn is_same(allowed: &Path, file: &File) -> bool {
    let inode = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    let there = file.metadata().map(inode).ok();
    there.is_some() && std::fs::metadata(allowed).map(inode).ok() == there
}
