//! Makes or replaces a file in one step: after a crash the old or the new one is there.

use crate::signals::RemovedAtSignal;
use fathom_session::outputs::parent;
use std::fs::{File, Metadata, Permissions, symlink_metadata};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;
use tempfile::NamedTempFile;

/// Tries whether the directory takes a new file, and leaves nothing there, also at a signal.
pub(super) fn try_beside(path: &Path) -> io::Result<()> {
    let (file, _removal) = RemovedAtSignal::make(|| beside(path), NamedTempFile::path)?;
    file.close()
}

/// Writes the text beside its place, flushes it, and moves it there. A new file
/// never replaces a file that was made meanwhile; a replaced file keeps its
/// permissions and owner. Returns the file that is there now.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<File> {
    let (filled, file) = moved_there(beside(path)?, path, |file| file.write_all(text.as_bytes()))?;
    filled.map(|()| file)
}

/// The same with what `fill` writes, which may take long, so a signal leaves nothing behind. Its error is the inner one, and then
/// nothing is replaced.
pub(super) fn replace_with<T, E>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let (file, _removal) = RemovedAtSignal::make(|| beside(path), NamedTempFile::path)?;
    moved_there(file, path, fill).map(|(filled, _)| filled)
}

/// The same, with the file.
fn moved_there<T, E>(
    mut file: NamedTempFile,
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
) -> io::Result<(Result<T, E>, File)> {
    let old = symlink_metadata(path).ok();
    let filled = match fill(file.as_file_mut()) {
        Ok(filled) => filled,
        Err(e) => return Ok((Err(e), file.into_file())),
    };
    old.iter().try_for_each(|old| take_after(&file, old))?;
    file.as_file().sync_all()?;
    let moved = if old.is_some() { file.persist(path) } else { file.persist_noclobber(path) };
    moved.map(|file| (Ok(filled), file)).map_err(|e| e.error)
}

fn take_after(file: &NamedTempFile, old: &Metadata) -> io::Result<()> {
    let new = file.as_file().metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root may give a file to another owner. Without that right it keeps ours.
        let _ = fchown(file.as_file(), Some(old.uid()), Some(old.gid()));
    }
    file.as_file().set_permissions(Permissions::from_mode(old.mode() & 0o7777))
}

/// A new file in the same directory, with the permissions that the umask allows.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    // Opened here, so that an error is that of the kernel: `tempfile` puts the random name into it.
    let open = |path: &Path| File::options().read(true).write(true).create_new(true).mode(0o666).open(path);
    tempfile::Builder::new().prefix(".fathom-").make_in(parent(path), open)
}
