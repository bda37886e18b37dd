//! The names in a directory of runs.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The names of the directories in `dir` that may hold a run, the last first. Names of runs begin
/// with the time in UTC, so among them the newest is first.
///
/// Hidden directories are no runs: a run that begins has a hidden directory until its record is in
/// it. Links are left out, because `latest` would show a run twice.
pub(super) fn last_first(dir: &Path) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.as_bytes().starts_with(b".") && entry.file_type()?.is_dir() {
            names.push(name);
        }
    }
    names.sort_unstable_by(|one, other| other.cmp(one));
    Ok(names)
}
