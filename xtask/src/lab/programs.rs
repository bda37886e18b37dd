//! The programs that lab tests call, and the libraries they need.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::command::command;
use crate::steps::find_program;

/// The programs, which have the same path in the image as here. All others come from busybox. The shell
/// is bash, because the shell of busybox would use its own `mount`.
const PROGRAMS: &[&str] = &[
    "bash",
    "kmod",
    "mount",
    "umount",
    "losetup",
    "swapon",
    "swapoff",
    "mkswap",
    "lsblk",
    "blockdev",
    "blkdiscard",
    "wipefs",
    "sfdisk",
    "fstrim",
    "mkfs.ext4",
    "mkfs.xfs",
    "mkfs.btrfs",
    "btrfs",
    "mdadm",
    "mdmon",
    "lvm",
    "dmsetup",
    "cryptsetup",
    "nvme",
    "hdparm",
    "sg_sanitize",
    "sg_format",
    "sg_unmap",
    "sg_opcodes",
    "sg_vpd",
    "sg_inq",
    "sg_readcap",
    "sg_get_lba_status",
    "sg_raw",
];

/// The static program that contains all the small ones.
const BUSYBOX: &str = "busybox";

/// Names under which a program expects to be called.
const LINKS: &[(&str, &str)] = &[
    ("modprobe", "kmod"),
    ("rmmod", "kmod"),
    ("pvcreate", "lvm"),
    ("pvremove", "lvm"),
    ("vgcreate", "lvm"),
    ("vgchange", "lvm"),
    ("vgremove", "lvm"),
    ("lvcreate", "lvm"),
    ("lvremove", "lvm"),
];

/// Programs and libraries, by their paths on this machine.
pub struct Programs {
    /// The paths of everything that is copied.
    pub files: BTreeSet<PathBuf>,
    /// The static shell and its tools.
    pub busybox: PathBuf,
    /// Links (name, program), both in `/usr/sbin`.
    pub links: &'static [(&'static str, &'static str)],
}

impl Programs {
    /// Finds the programs, and the libraries of these and of `others`.
    pub fn find(others: &[PathBuf]) -> Result<Self, String> {
        let found: Result<Vec<PathBuf>, String> = PROGRAMS.iter().map(|name| find(name)).collect();
        let mut files: BTreeSet<PathBuf> = found?.into_iter().collect();
        let needing: Vec<&PathBuf> = files.iter().chain(others).collect();
        files.extend(libraries(&needing)?);
        Ok(Self { files, busybox: find(BUSYBOX)?, links: LINKS })
    }
}

fn find(name: &str) -> Result<PathBuf, String> {
    find_program(name).ok_or_else(|| format!("the lab needs {name}"))
}

fn libraries(programs: &[&PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut ldd = command("ldd", &[]);
    let output = ldd.args(programs).output().map_err(|e| format!("ldd: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("ldd: {}\n{}", output.status, said.trim()));
    }
    parse_ldd(&String::from_utf8_lossy(&output.stdout))
}

/// The paths in ldd's answer: `name => /path (address)`, and the loader as `/path (address)`.
fn parse_ldd(answer: &str) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for line in answer.lines().map(str::trim) {
        if line.ends_with("not found") {
            return Err(format!("ldd: {line}"));
        }
        let place = line.split_once(" => ").map_or(line, |(_, place)| place);
        if let (true, Some((path, _))) = (place.starts_with('/'), place.split_once(" (")) {
            paths.push(PathBuf::from(path));
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_ldd() {
        let answer = "\
/usr/sbin/mdadm:
\tlinux-vdso.so.1 (0x00007ffd)
\tlibudev.so.1 => /lib/x86_64-linux-gnu/libudev.so.1 (0x00007f1)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f2)
";
        let paths = parse_ldd(answer).unwrap();
        let expected = ["/lib/x86_64-linux-gnu/libudev.so.1", "/lib64/ld-linux-x86-64.so.2"];
        assert_eq!(paths, expected.map(PathBuf::from));
        assert!(parse_ldd("\tlibx.so => not found\n").is_err());
    }
}
