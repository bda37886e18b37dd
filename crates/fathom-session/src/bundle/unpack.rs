//! Reads a bundle: verifies it, and unpacks it into a directory of its own.

use super::envelope::{Hashed, archive, begins, unread, verify};
use super::manifest::{self, BundleManifest, MANIFEST_MAX_BYTES};
use super::{changed, foreign};
use crate::exit::{Exit, Failure};
use fathom_results::ReadObstacle;
use fathom_text::carried;
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tar::{Archive, Entries, Entry, EntryType};

/// The longest name in the archive: Linux's longest path, with a zero behind it.
const NAME_MAX_BYTES: u64 = 4096;

/// What helps where the files find no room.
const OTHER_PLACE: &str = "TMPDIR names another directory for temporary files";

/// A bundle that was verified and unpacked. The files are removed with this value.
#[derive(Debug)]
pub struct OpenedBundle {
    /// What it holds.
    pub manifest: BundleManifest,
    unpacked: TemporaryDirectory,
}

impl OpenedBundle {
    /// The directory of the run or the procedure.
    pub fn dir(&self) -> PathBuf {
        self.unpacked.path().join(carried::to_path(&self.manifest.directory))
    }
}

/// A new directory for the files of a bundle, which only this user can read. It is removed with the value.
///
/// # Errors
/// It cannot be made.
pub fn place(path: &Path) -> Result<TemporaryDirectory, Failure> {
    TemporaryDirectory::make("fathom-bundle-").map_err(|e| {
        Failure::new(Exit::Failed, format!("no directory to unpack {}: {e}", path.display()))
            .hint(OTHER_PLACE)
    })
}

/// Verifies the bundle and unpacks it into a directory that [`place`] made.
///
/// # Errors
/// It is no bundle ([`Exit::Usage`]); it was changed, or is made to do harm ([`Exit::Incomplete`]); it cannot be read, or there
/// is no room for its files ([`Exit::Failed`]).
pub fn open(path: &Path, unpacked: TemporaryDirectory) -> Result<OpenedBundle, Failure> {
    let unread = |e: io::Error| unread(path, &e);
    // Opening a FIFO would wait otherwise.
    let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(unread)?;
    if !file.metadata().map_err(unread)?.is_file() || !begins(&mut file).map_err(unread)? {
        let message = format!("{} is no bundle: it does not begin as one", path.display());
        return Err(Failure::new(Exit::Usage, message).hint("to make a bundle of a run: fathom bundle RUN"));
    }
    verify(&mut file).map_err(|why| changed(path, why))?;
    let archive = Archive::new(archive(&mut file).map_err(unread)?);
    let manifest = unpack(archive, unpacked.path()).map_err(|why| why.failure(path))?;
    Ok(OpenedBundle { manifest, unpacked })
}

/// Why a bundle was not unpacked.
enum Stopped {
    /// By what it holds.
    Wrong(String),
    /// By the place for its files.
    Unsaved(io::Error),
}

impl Stopped {
    fn failure(self, bundle: &Path) -> Failure {
        match self {
            Stopped::Wrong(why) => foreign(bundle, why),
            Stopped::Unsaved(e) => {
                let limit = ReadObstacle::of(&e).filter(|obstacle| *obstacle != ReadObstacle::Right);
                Failure::new(Exit::Failed, format!("cannot unpack {}: {e}", bundle.display()))
                    .hint(limit.map_or(OTHER_PLACE, ReadObstacle::hint))
            }
        }
    }
}

fn wrong(why: impl Into<String>) -> Stopped {
    Stopped::Wrong(why.into())
}

fn damaged(e: io::Error) -> Stopped {
    wrong(format!("its archive cannot be read: {e}"))
}

fn unpack(mut archive: Archive<impl Read>, into: &Path) -> Result<BundleManifest, Stopped> {
    // Raw: else a record with a name, whose length the archive tells, would be read into the memory as it is.
    let mut entries = archive.entries().map_err(damaged)?.raw(true);
    let mut next = || next_file(&mut entries);
    let (mut first, name) = next()?.ok_or_else(|| wrong("it is empty"))?;
    let (manifest, text) = manifest_of(&mut first, &name)?;
    let room = Room::at(into).map_err(Stopped::Unsaved)?;
    room.directory(&manifest.directory).map_err(Stopped::Unsaved)?;
    for file in &manifest.files {
        let (mut entry, name) = next()?.ok_or_else(|| wrong(format!("{:?} is missing", file.path)))?;
        let expected = format!("{}/{}", manifest.directory, file.path);
        if name != *carried::to_bytes(&expected) {
            let text_name = String::from_utf8_lossy(&name).into_owned();
            return Err(wrong(format!("it has {text_name:?} in the place of {expected:?}")));
        }
        if entry.header().entry_type() != EntryType::Regular || entry.size() != file.bytes {
            return Err(wrong(format!("{:?} is not the file of the manifest", file.path)));
        }
        let to = room.file(&manifest.directory, &file.path).map_err(Stopped::Unsaved)?;
        if digest_of(&mut entry, to)? != file.sha256 {
            return Err(wrong(format!("{:?} was changed", file.path)));
        }
    }
    has_sums(next()?, &manifest, &text)?;
    match next()? {
        None => Ok(manifest),
        Some((_, name)) => {
            let name = String::from_utf8_lossy(&name).into_owned();
            Err(wrong(format!("{name:?} is not in its manifest")))
        }
    }
}

/// A file of the archive with its name.
type Named<'a, R> = (Entry<'a, R>, Vec<u8>);

/// The next file with its name. A name that has no room in the header is a record of its own before the file, with a zero behind
/// it; fathom writes no other record.
fn next_file<'a, R: Read>(entries: &mut Entries<'a, R>) -> Result<Option<Named<'a, R>>, Stopped> {
    let mut next = || entries.next().transpose().map_err(damaged);
    let Some(mut entry) = next()? else { return Ok(None) };
    match entry.header().entry_type() {
        EntryType::GNULongName => {}
        EntryType::GNULongLink | EntryType::XHeader | EntryType::XGlobalHeader => {
            return Err(wrong("it has a record that fathom does not write"));
        }
        _ => {
            let name = entry.path_bytes().into_owned();
            return Ok(Some((entry, name)));
        }
    }
    if entry.size() > NAME_MAX_BYTES {
        return Err(wrong(format!(
            "it has a name of {} bytes; at most {NAME_MAX_BYTES} are read",
            entry.size()
        )));
    }
    let mut name = Vec::new();
    entry.read_to_end(&mut name).map_err(damaged)?;
    name.truncate(name.strip_suffix(b"\0").map_or(name.len(), <[u8]>::len));
    match next()? {
        Some(file) if file.header().entry_type() != EntryType::GNULongName => Ok(Some((file, name))),
        _ => Err(wrong("it has a name without a file")),
    }
}

/// Are the digests, for other programs, those of the manifest and its files?
fn has_sums<R: Read>(
    last: Option<Named<'_, R>>,
    manifest: &BundleManifest,
    text: &[u8],
) -> Result<(), Stopped> {
    let (expected, path) = (manifest.sums(text), format!("{}/{}", manifest.directory, manifest::SUMS));
    let (mut entry, name) = last.ok_or_else(|| wrong(format!("{:?} is missing", manifest::SUMS)))?;
    let is_file = entry.header().entry_type() == EntryType::Regular;
    if name != *carried::to_bytes(&path) || !is_file || entry.size() != expected.len() as u64 {
        return Err(wrong(format!("its last file is not {:?} of its files", manifest::SUMS)));
    }
    let mut sums = Vec::new();
    entry.read_to_end(&mut sums).map_err(damaged)?;
    match sums == expected {
        true => Ok(()),
        false => Err(wrong(format!("{:?} was changed", manifest::SUMS))),
    }
}

/// The manifest, which is the first file, and its text.
fn manifest_of(entry: &mut Entry<'_, impl Read>, name: &[u8]) -> Result<(BundleManifest, Vec<u8>), Stopped> {
    let is_file = entry.header().entry_type() == EntryType::Regular;
    if !is_file || entry.size() > MANIFEST_MAX_BYTES {
        return Err(wrong("its first file is not a manifest"));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).map_err(damaged)?;
    let manifest = BundleManifest::read(&bytes).map_err(wrong)?;
    let expected = format!("{}/{}", manifest.directory, manifest::FILE);
    match name == &*carried::to_bytes(&expected) {
        true => Ok((manifest, bytes)),
        false => Err(wrong("its first file is not its manifest")),
    }
}

/// Writes the content of an entry to a new file, and returns its digest.
fn digest_of(entry: &mut Entry<'_, impl Read>, mut file: File) -> Result<String, Stopped> {
    let mut hashed = Hashed::new(entry);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = hashed.read(&mut buffer).map_err(damaged)?;
        if count == 0 {
            return Ok(hashed.hex());
        }
        io::Write::write_all(&mut file, &buffer[..count]).map_err(Stopped::Unsaved)?;
    }
}

// The directory that takes the files of a bundle, held open: nothing is made in it after it was removed.
//
// A signal removes the directory while another thread still unpacks. By its path that thread would make it again.

/// Only this user reads what is unpacked, also where a file is moved to another place.
const OWN_DIRECTORY: Mode = Mode::RWXU;
const OWN_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// The held directory.
pub(super) struct Room {
    top: OwnedFd,
}

impl Room {
    /// Holds a directory that is there.
    pub fn at(path: &Path) -> io::Result<Room> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Room { top: openat(CWD, path, flags, Mode::empty())? })
    }

    /// Makes a directory in it.
    pub fn directory(&self, name: &str) -> io::Result<()> {
        Ok(mkdirat(&self.top, carried::to_path(name), OWN_DIRECTORY)?)
    }

    /// Makes a file in a directory that was made, with the directories between them. `path` is below that directory.
    pub fn file(&self, directory: &str, path: &str) -> io::Result<File> {
        let mut at: PathBuf = carried::to_path(directory);
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            at.push(carried::to_path(part));
            match parts.peek().map(|_| mkdirat(&self.top, &at, OWN_DIRECTORY)) {
                None | Some(Ok(()) | Err(Errno::EXIST)) => {}
                Some(Err(e)) => return Err(e.into()),
            }
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.top, &at, flags, OWN_FILE)?.into())
    }
}

/// A new directory for temporary files; what it holds is removed with the value.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
}

impl TemporaryDirectory {
    /// Makes one that no other user can read, whatever the umask is.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make(prefix: &str) -> io::Result<Self> {
        let only_own = Permissions::from_mode(0o700);
        let made = tempfile::Builder::new().prefix(prefix).permissions(only_own).tempdir()?;
        Ok(TemporaryDirectory { path: made.keep() })
    }

    /// Leaves it where it is.
    pub fn keep(mut self) -> PathBuf {
        // Without a path there is nothing to remove.
        std::mem::take(&mut self.path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        let _ = remove(&self.path);
    }
}

/// Removes a directory with all that is in it. Never more than one descriptor is open, and none for an empty directory: where
/// a process may hardly open files, `std::fs::remove_dir_all` would leave all of it.
///
/// # Errors
/// Something in it cannot be removed; the rest is gone.
pub fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir(directory) {
        Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => {}
        removed => return removed,
    }
    // The list is closed before the first entry is removed; an entry of it would keep it open. A link is removed, and not what it
    // leads to.
    let of_entry = |entry: fs::DirEntry| (entry.file_type().is_ok_and(|kind| kind.is_dir()), entry.path());
    let entries: Vec<_> =
        fs::read_dir(directory)?.map(|entry| entry.map(of_entry)).collect::<io::Result<_>>()?;
    let mut failed = Ok(());
    for (is_directory, path) in entries {
        let removed = if is_directory { remove(&path) } else { fs::remove_file(&path) };
        failed = failed.and(removed);
    }
    fs::remove_dir(directory).and(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_in_it_goes_and_a_link_leads_nowhere() {
        let kept = tempfile::tempdir().unwrap();
        fs::write(kept.path().join("kept"), "").unwrap();
        let made = TemporaryDirectory::make("fathom-test-").unwrap();
        let path = made.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::create_dir_all(path.join("a/b/c")).unwrap();
        fs::write(path.join("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink(kept.path(), path.join("a/link")).unwrap();
        drop(made);
        assert!(!path.exists() && kept.path().join("kept").exists());
    }
}
