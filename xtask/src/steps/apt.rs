//! Installs what the tests need on a fresh Debian machine.
//!
//! The tests compare with fio, make file systems, partition loop devices and count instructions;
//! none of these programs is needed to use fathom.

use std::path::PathBuf;

use crate::command::{command, run};
use crate::privilege::is_root;

/// A program that a test calls, and the package of Debian 12 that brings it.
struct Need {
    program: &'static str,
    package: &'static str,
}

const NEEDS: &[Need] = &[
    need("fio", "fio"),
    // fio computes with keywords (`$ncpus*2`) by calling bc.
    need("bc", "bc"),
    need("valgrind", "valgrind"),
    need("zstd", "zstd"),
    need("mkfs.ext4", "e2fsprogs"),
    need("mkfs.xfs", "xfsprogs"),
    need("mkfs.btrfs", "btrfs-progs"),
    need("mkfs.erofs", "erofs-utils"),
    need("parted", "parted"),
    need("losetup", "mount"),
    need("mkswap", "util-linux"),
    need("unshare", "util-linux"),
    need("e2fsck", "e2fsprogs"),
    need("blkid", "util-linux"),
    need("taskset", "util-linux"),
    need("python3", "python3"),
    // The table of a result is read by pandas. It is no program: this is its first file.
    need("/usr/lib/python3/dist-packages/pandas/__init__.py", "python3-pandas"),
    // The samples beside a run are compared with what these print.
    need("iostat", "sysstat"),
    // The page is opened in a browser.
    need("chromium", "chromium"),
    // The run-time library of the fuzz target is C++.
    need("c++", "g++"),
    // The lab: the emulator, what packs the kernel, and the programs that its tests call there.
    need("qemu-system-x86_64", "qemu-system-x86"),
    need("depmod", "kmod"),
    need("xz", "xz-utils"),
    need("ldd", "libc-bin"),
    need("cpio", "cpio"),
    need("busybox", "busybox-static"),
    need("mdadm", "mdadm"),
    need("lvm", "lvm2"),
    need("dmsetup", "dmsetup"),
    need("cryptsetup", "cryptsetup-bin"),
    need("nvme", "nvme-cli"),
    need("hdparm", "hdparm"),
    need("sg_sanitize", "sg3-utils"),
    need("sfdisk", "fdisk"),
    // Shells and a formatter that read the completions and the manual pages.
    need("bash", "bash"),
    need("zsh", "zsh"),
    need("fish", "fish"),
    need("groff", "groff-base"),
];

const fn need(program: &'static str, package: &'static str) -> Need {
    Need { program, package }
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
    let missing = NEEDS.iter().filter(|need| !is_installed(need.program));
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
}
