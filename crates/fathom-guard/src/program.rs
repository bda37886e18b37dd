//! Where the programs of an administrator are, looked for before anything is changed.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Directories that are missing in the path of some users and of `cron`.
const DIRECTORIES: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/bin"];

/// The program of this name, in the path of this process or in the usual directories.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = DIRECTORIES.iter().map(PathBuf::from);
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .chain(usual)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

/// Whether the kernel has this module, or could load it. Nothing is loaded.
pub(crate) fn has_module(name: &str) -> bool {
    let Some(modprobe) = find("modprobe") else { return false };
    let mut command = Command::new(modprobe);
    command
        .args(["--dry-run", "--quiet", name])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_name_and_a_missing_module_is_not_there() {
        assert!(find("mount").is_some_and(|path| path.is_absolute()));
        assert_eq!(find("fathom-has-no-such-program"), None);
        assert!(!has_module("fathom_has_no_such_module"));
    }
}
