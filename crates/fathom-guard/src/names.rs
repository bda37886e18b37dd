//! Names that a job makes, looks at or removes (docs/adr/0027).
//!
//! Every call is relative to a descriptor of the directory that was judged, with a single name, and follows no link. A
//! name is removed only while it leads to what fathom made, or to a file that was admitted for writing.

use crate::admitted::Admitted;
use crate::error::GuardError;
use crate::file::JudgedDirectory;
use crate::lock::Access;
use crate::open::Guard;
use crate::open::io_error;
use crate::pin::InodeId;
use crate::sys;
use fathom_device::sys::c_name;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

pub use crate::sys::StatCall;

/// A name below a directory that was judged.
#[derive(Debug)]
pub struct AdmittedName {
    path: PathBuf,
    directory: Arc<JudgedDirectory>,
    name: CString,
    is_directory: bool,
    /// What fathom made under it, or may remove.
    ours: Mutex<Option<InodeId>>,
    /// The other name that the file may have.
    other: Option<OtherName>,
}

/// `NAME.renamed`.
#[derive(Debug)]
struct OtherName {
    name: CString,
    /// The file has this name now.
    is_there: AtomicBool,
}

/// What the other name of a file has more than its first one.
const RENAMED: &str = ".renamed";

impl Guard {
    /// Admits a name under which nothing is yet, and that a job makes a file or a directory of.
    ///
    /// # Errors
    /// Its directory is missing, is one of device nodes or of the kernel's own state, or takes no new names.
    pub fn admit_name(&self, path: &Path, is_directory: bool) -> Result<AdmittedName, GuardError> {
        self.may_create(path)?;
        self.name_in_directory(path, is_directory, None)
    }

    /// Admits the two names of a file that a job makes and renames: this one, and the one with `.renamed` behind it.
    ///
    /// # Errors
    /// As [`Guard::admit_name`].
    pub fn admit_renamed(&self, path: &Path) -> Result<AdmittedName, GuardError> {
        let mut other = path.as_os_str().to_owned();
        other.push(RENAMED);
        let other = self.admit_name(Path::new(&other), false)?;
        if !other.is_gone() {
            return Err(io_error("create", other.path(), io::Error::from_raw_os_error(libc::EEXIST)));
        }
        let other = OtherName { name: other.name, is_there: AtomicBool::new(false) };
        Ok(AdmittedName { other: Some(other), ..self.admit_name(path, false)? })
    }

    /// The name of an admitted file. It may be removed if the file was admitted for writing.
    ///
    /// # Errors
    /// Its directory cannot be opened.
    pub fn name_of(&self, admitted: &Admitted) -> Result<AdmittedName, GuardError> {
        let path = admitted.path();
        let id = admitted.pin.id().map_err(|e| io_error("examine", path, e))?;
        let ours = (admitted.access() == Access::Write).then_some(id);
        self.name_in_directory(path, false, ours)
    }

    fn name_in_directory(
        &self,
        path: &Path,
        is_directory: bool,
        ours: Option<InodeId>,
    ) -> Result<AdmittedName, GuardError> {
        let directory = self.judged_directory(path)?;
        let name = c_name(Path::new(path.file_name().unwrap_or_default()));
        let name = name.map_err(|e| io_error("find", path, e))?;
        let ours = Mutex::new(ours);
        Ok(AdmittedName { path: path.to_owned(), directory, name, is_directory, ours, other: None })
    }
}

impl AdmittedName {
    /// The path as it was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a file and opens it. The first time there must be nothing under the name; later it may be the file that was
    /// made before, as [`AdmittedName::forget_other`] has found out.
    pub fn open_new(&self) -> io::Result<File> {
        sys::open_or_create(&self.directory.directory, &self.name, self.ours().is_none())
    }

    /// Notes the file that [`AdmittedName::open_new`] made.
    pub fn note_file(&self, file: &File) {
        self.set(InodeId::of(file).ok());
    }

    /// Gives the file its other name. [`AdmittedName::forget_other`] judges it before.
    pub fn rename(&self) -> io::Result<()> {
        let other = self.other.as_ref().ok_or_else(|| io::Error::from_raw_os_error(libc::EPERM))?;
        let is_there = other.is_there.load(Relaxed);
        let (from, to) = if is_there { (&other.name, &self.name) } else { (&self.name, &other.name) };
        sys::rename_name(&self.directory.directory, from, to)?;
        other.is_there.store(!is_there, Relaxed);
        Ok(())
    }

    /// The name that the file has now.
    fn current(&self) -> &CStr {
        let other = self.other.as_ref().filter(|other| other.is_there.load(Relaxed));
        other.map_or(&self.name, |other| &other.name)
    }

    /// Makes a directory.
    pub fn make_directory(&self) -> io::Result<()> {
        sys::make_directory(&self.directory.directory, &self.name)
    }

    /// Notes what is under the name now: fathom has just made it.
    pub fn note_made(&self) {
        self.set(self.there().ok().flatten());
    }

    /// Asks for the attributes.
    pub fn stat(&self, how: StatCall) -> io::Result<()> {
        sys::ask_attributes(&self.directory.directory, &self.name, how)
    }

    /// Has fathom made it, or may it remove it?
    pub fn is_ours(&self) -> bool {
        self.ours().is_some()
    }

    /// An error if something else than what fathom made, or may remove, is under the name. If nothing is there any more,
    /// nothing is fathom's.
    pub fn forget_other(&self) -> io::Result<()> {
        match (self.there()?, self.ours()) {
            (None, _) => {
                self.set(None);
                Ok(())
            }
            (there, ours) if there == ours => Ok(()),
            _ => Err(io::Error::from_raw_os_error(libc::EPERM)),
        }
    }

    /// Removes what is under the name, in one call. [`AdmittedName::forget_other`] judges it before.
    pub fn remove(&self) -> io::Result<()> {
        sys::remove_name(&self.directory.directory, self.current(), self.is_directory)
    }

    /// Removes what fathom made, if it is still there.
    pub fn remove_made(&self) -> io::Result<()> {
        self.forget_other()?;
        match self.ours() {
            None => Ok(()),
            Some(_) => {
                self.remove()?;
                self.set(None);
                Ok(())
            }
        }
    }

    /// Is nothing under the name?
    pub fn is_gone(&self) -> bool {
        self.there().is_ok_and(|there| there.is_none())
    }

    fn ours(&self) -> Option<InodeId> {
        *self.ours.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, ours: Option<InodeId>) {
        *self.ours.lock().unwrap_or_else(PoisonError::into_inner) = ours;
    }

    /// What is under the name; a link is not followed.
    fn there(&self) -> io::Result<Option<InodeId>> {
        match sys::pin_name(&self.directory.directory, self.current()) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            file => InodeId::of(&file?).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consent::Consent;
    use crate::judge::Door;
    use fathom_device::root::Root;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn guard() -> Guard {
        Guard::new(Root::live(), Door::Native, Consent::default())
    }

    #[test]
    fn a_name_is_made_once_and_removed_only_while_it_is_ours() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let name = guard().admit_name(&path, false).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert_eq!(name.open_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert!(name.remove_made().is_err() && path.exists());
        fs::remove_file(&path).unwrap();
        name.note_file(&name.open_new().unwrap());
        assert!(name.open_new().is_ok(), "fathom's own is opened again");
        fs::remove_file(&path).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(name.forget_other().is_err() && name.remove_made().is_err());
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        fs::remove_file(&path).unwrap();
        name.forget_other().unwrap();
        name.note_file(&name.open_new().unwrap());
        name.remove_made().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn no_link_is_followed_and_no_other_directory_is_reached() {
        let dir = tempfile::tempdir().unwrap();
        let [real, moved, outside] = ["real", "moved", "outside"].map(|name| dir.path().join(name));
        fs::create_dir(&real).unwrap();
        fs::write(&outside, "kept").unwrap();
        let name = guard().admit_name(&real.join("a"), false).unwrap();
        symlink(&outside, real.join("a")).unwrap();
        assert!(name.open_new().is_err() && name.remove_made().is_err());
        fs::remove_file(real.join("a")).unwrap();
        name.note_file(&name.open_new().unwrap());
        fs::remove_file(real.join("a")).unwrap();
        symlink(&outside, real.join("a")).unwrap();
        assert_eq!(name.open_new().unwrap_err().raw_os_error(), Some(libc::ELOOP));
        fs::remove_file(real.join("a")).unwrap();
        // The directory that was judged is used, whatever has its name now.
        fs::rename(&real, &moved).unwrap();
        fs::create_dir(&real).unwrap();
        name.forget_other().unwrap();
        name.note_file(&name.open_new().unwrap());
        assert!(moved.join("a").exists() && !real.join("a").exists());
        assert_eq!(fs::read(&outside).unwrap(), b"kept");
    }

    #[test]
    fn a_file_goes_between_its_two_names_and_replaces_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] = ["a", "a.renamed"].map(|name| dir.path().join(name));
        let name = guard().admit_renamed(&one).unwrap();
        name.note_file(&name.open_new().unwrap());
        name.rename().unwrap();
        assert!(!one.exists() && other.exists());
        name.forget_other().unwrap();
        fs::write(&one, "theirs").unwrap();
        assert_eq!(name.rename().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        fs::remove_file(&one).unwrap();
        name.rename().unwrap();
        assert!(one.exists() && !other.exists());
        name.rename().unwrap();
        // Another file that has the name now is neither renamed nor removed.
        fs::remove_file(&other).unwrap();
        fs::write(&other, "theirs").unwrap();
        assert!(name.forget_other().is_err() && name.remove_made().is_err());
        fs::remove_file(&other).unwrap();
        assert!(name.forget_other().is_ok() && !name.is_ours());
        assert!(guard().admit_name(&one, false).unwrap().rename().is_err(), "it has one name");
        fs::write(&other, "theirs").unwrap();
        assert!(guard().admit_renamed(&one).is_err(), "the other name is taken");
    }

    #[test]
    fn a_directory_with_something_in_it_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("d");
        let name = guard().admit_name(&path, true).unwrap();
        name.make_directory().unwrap();
        name.note_made();
        name.stat(StatCall::Statx).unwrap();
        fs::write(path.join("f"), "theirs").unwrap();
        assert_eq!(name.remove_made().unwrap_err().raw_os_error(), Some(libc::ENOTEMPTY));
        fs::remove_file(path.join("f")).unwrap();
        name.remove_made().unwrap();
        assert_eq!(name.stat(StatCall::Lstat).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn no_name_is_made_where_files_are_settings_of_the_kernel() {
        for path in ["/proc/fathom", "/dev/fathom", "/sys/fathom"] {
            assert!(guard().admit_name(Path::new(path), true).is_err(), "{path}");
        }
    }

    #[test]
    fn a_file_that_was_admitted_for_reading_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "theirs").unwrap();
        let guard = guard();
        let name = guard.name_of(&guard.admit(&path, Access::Read).unwrap()).unwrap();
        name.stat(StatCall::Stat).unwrap();
        assert!(name.forget_other().is_err() && name.remove_made().is_err() && path.exists());
    }
}
