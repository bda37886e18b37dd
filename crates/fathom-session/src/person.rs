//! The person who started this process, and what that person may read.
//!
//! If fathom was started through sudo or pkexec, or its program belongs to another
//! user and runs with that user's rights, it can read more than the person who
//! started it. A message about a wrong line of a job file shows that line; this
//! must not become a way to read `/etc/shadow`.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A user and the one group that is known. Further groups and access lists are not
/// examined: what only they allow counts as forbidden, so in doubt a line is not
/// shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Person {
    user: u32,
    group: Option<u32>,
}

/// The person who started fathom, if the process runs as another user.
pub fn behind_us() -> Option<Person> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    behind(&status, |name| std::env::var(name).ok())
}

/// Finds that person in the process's status and the variables that sudo and pkexec set.
fn behind(status: &str, variable: impl Fn(&str) -> Option<String>) -> Option<Person> {
    let ids = |label: &str| -> Option<(u32, u32)> {
        let line = status.lines().find_map(|line| line.strip_prefix(label))?;
        let mut ids = line.split_whitespace().map(str::parse);
        Some((ids.next()?.ok()?, ids.next()?.ok()?))
    };
    let ((real, effective), group) = (ids("Uid:")?, ids("Gid:").map(|(real, _)| real));
    if real != effective {
        return Some(Person { user: real, group });
    }
    let number = |name| variable(name).and_then(|text| text.parse().ok());
    let user = number("SUDO_UID").or_else(|| number("PKEXEC_UID")).filter(|_| effective == 0)?;
    (user != 0).then(|| Person { user, group: number("SUDO_GID") })
}

impl Person {
    /// The owner of a file.
    pub fn owner_of(path: &Path) -> Option<Person> {
        let meta = std::fs::metadata(path).ok()?;
        (meta.uid() != 0).then(|| Person { user: meta.uid(), group: Some(meta.gid()) })
    }

    /// Whether the person may open the file: read it, and pass every directory
    /// above it. For a link, the file that it leads to counts.
    pub fn may_read(self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else { return false };
        let mut above = real.ancestors();
        let allows = |path: &Path, bit| std::fs::metadata(path).is_ok_and(|meta| self.has(&meta, bit));
        above.next().is_some_and(|file| allows(file, 4)) && above.all(|dir| allows(dir, 1))
    }

    /// One bit of the permissions: 4 to read, 1 to pass through.
    fn has(self, meta: &Metadata, bit: u32) -> bool {
        let shift = match () {
            () if self.user == 0 => return true,
            () if meta.uid() == self.user => 6,
            () if Some(meta.gid()) == self.group => 3,
            () => 0,
        };
        meta.mode() >> shift & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    const ROOT: &str = "Name:\tfathom\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n";

    #[test]
    fn the_person_is_who_asked_for_more_rights() {
        let sudo = |name: &str| (name != "PKEXEC_UID").then(|| "1000".to_owned());
        let nobody = |_: &str| None;
        assert_eq!(behind(ROOT, sudo), Some(Person { user: 1000, group: Some(1000) }));
        assert_eq!(behind(ROOT, nobody), None);
        let plain = ROOT.replace("\t0", "\t1000");
        assert_eq!(behind(&plain, sudo), None, "the variables are left over");
        let lent = "Uid:\t1000\t0\t0\t0\nGid:\t100\t100\t100\t100\n";
        assert_eq!(behind(lent, nobody), Some(Person { user: 1000, group: Some(100) }));
    }

    #[test]
    fn a_file_is_as_open_as_the_way_to_it() {
        let person = Person { user: 65_534, group: Some(65_534) };
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "secret").unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        for (of_dir, of_file, may) in [(0o755, 0o644, true), (0o755, 0o640, false), (0o700, 0o644, false)] {
            set(dir.path(), of_dir);
            set(&file, of_file);
            assert_eq!(person.may_read(&file), may, "{of_dir:o} {of_file:o}");
        }
        assert!(!person.may_read(&dir.path().join("missing")));
    }
}
