//! Installs what the tests need on a fresh Debian machine.
//!
//! The tests compare with fio, make file systems, partition loop devices and count instructions;
//! none of these programs is needed to use fathom.

use std::path::PathBuf;

use crate::command::{capture, cargo, command, is_root, run};

/// A program that a test calls, and the package of Debian 12 that brings it.
struct Need {
    program: &'static str,
    package: &'static str,
}

/// What all tests need.
fn needs() -> impl Iterator<Item = Need> {
    let lines = include_str!("packages.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).map(|(program, package)| need(program, package))
}

const fn need(program: &'static str, package: &'static str) -> Need {
    Need { program, package }
}

/// What `cargo xtask check` needs besides Rust: a compiler for the C of a dependency, and what the tests of the pure crates and
/// of this program call.
const CHECK_NEEDS: &[Need] = &[need("cc", "gcc"), need("chromium", "chromium"), need("cpio", "cpio")];

/// An error that names everything that `cargo xtask check` lacks, so that it is known before minutes of building.
pub fn check_can_begin() -> Result<(), String> {
    let has_component = |name: &str| capture(&mut cargo(&[name, "--version"])).is_ok();
    let lacking = lacking(is_installed, has_component);
    if lacking.is_empty() {
        println!("nothing is missing");
        return Ok(());
    }
    Err(lacking)
}

/// What is missing, and the commands that bring it; empty where nothing is.
fn lacking(has_program: impl Fn(&str) -> bool, has_component: impl Fn(&str) -> bool) -> String {
    let missing: Vec<&Need> = CHECK_NEEDS.iter().filter(|need| !has_program(need.program)).collect();
    let components: Vec<&str> = [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(word, _)| !has_component(word))
        .map(|it| it.1)
        .collect();
    let names: Vec<&str> =
        missing.iter().map(|need| need.program).chain(components.iter().copied()).collect();
    if names.is_empty() {
        return String::new();
    }
    let mut said = format!("these programs are missing, so nothing was checked: {}", names.join(", "));
    if !missing.is_empty() {
        let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
        said += &format!("\n  hint: as root: apt-get install --no-install-recommends {}", packages.join(" "));
    }
    if !components.is_empty() {
        said += &format!("\n  hint: rustup component add {}", components.join(" "));
    }
    said
}

/// Installs the packages of the missing programs. It is an error if that is not allowed or fails.
pub fn install_missing() -> Result<(), String> {
    let packages = missing_packages();
    if packages.is_empty() {
        println!("nothing is missing");
        return Ok(());
    }
    if !is_root() {
        let list = packages.join(" ");
        return Err(format!("these packages are missing, and only root can install them: {list}"));
    }
    // A stale index that still serves the packages is good enough: let the installation decide.
    if let Err(error) = run(&mut command("apt-get", &["update"])) {
        eprintln!("{error}");
    }
    let mut words = vec!["install", "-y", "--no-install-recommends"];
    words.extend(&packages);
    run(command("apt-get", &words).env("DEBIAN_FRONTEND", "noninteractive"))?;
    match missing_packages().as_slice() {
        [] => Ok(()),
        still => Err(format!("still missing: {}", still.join(" "))),
    }
}

fn missing_packages() -> Vec<&'static str> {
    let missing = needs().filter(|need| !is_installed(need.program));
    let mut packages: Vec<_> = missing.map(|need| need.package).collect();
    packages.dedup();
    packages
}

/// Whether the program is there.
fn is_installed(program: &str) -> bool {
    find_program(program).is_some()
}

/// The path of a program, searched as in a root shell, because the PATH of other users often lacks the
/// sbin directories.
pub fn find_program(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories =
        std::env::split_paths(&path).chain(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(Into::into));
    directories.map(|directory| directory.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_there_and_nothing_else() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
    }

    #[test]
    fn all_that_a_check_lacks_is_told_at_once() {
        assert_eq!(lacking(|_| true, |_| true), "");
        assert_eq!(
            lacking(|program| program == "cc", |word| word == "clippy"),
            "these programs are missing, so nothing was checked: chromium, cpio, rustfmt\n  \
             hint: as root: apt-get install --no-install-recommends chromium cpio\n  \
             hint: rustup component add rustfmt"
        );
    }

    /// `test` installs what `check` needs, too.
    #[test]
    fn what_a_check_needs_is_installed_for_a_test() {
        let installs = |need: &&Need| needs().any(|other| other.package == need.package);
        let not: Vec<&str> =
            CHECK_NEEDS.iter().filter(|need| !installs(need)).map(|need| need.package).collect();
        assert_eq!(not, ["gcc"], "g++ brings it");
    }
}
