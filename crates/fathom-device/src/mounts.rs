//! Mounts, by device number and in every mount namespace we may look into,
//! and the members of file systems that span several devices.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::device::DevNumber;
use crate::root::{Root, Unknown};
use crate::sys::{self, Extended};

/// One line of mountinfo (proc_pid_mountinfo(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Mount ID, as `statx` gives it.
    pub id: u64,
    /// ID of the mount that this one is mounted on.
    pub parent: u64,
    /// `MAJ:MIN` of the file system; anonymous for btrfs, overlay, nfs.
    pub dev: DevNumber,
    /// What of the file system is mounted: a directory of it, `/` for all.
    pub root: PathBuf,
    /// Where it is mounted.
    pub point: PathBuf,
    /// File system type.
    pub fs_type: String,
    /// The device, or what the file system gives as its source.
    pub source: String,
    /// Options of the mount, then of the file system.
    pub options: String,
    /// Process whose namespace shows the mount.
    pub pid: u32,
}

/// Our own mounts. This file always exists; if it cannot be read, nothing is known about mounts at
/// all.
pub fn own_mounts(root: &Root) -> Result<Vec<Mount>, Unknown> {
    let path = "/proc/self/mountinfo";
    parse(&root.read_text(path)?, std::process::id())
        .map_err(|line| Unknown::new(path, format!("unexpected line {line:?}")))
}

/// The mount that a file or directory is on; for one that does not exist, that of the nearest
/// directory above it which does.
pub fn mount_of(root: &Root, path: &Path) -> Option<Mount> {
    if !root.is_live() {
        return mount_above(root, &real_path(root, path));
    }
    let absolute = std::path::absolute(path).ok()?;
    let there = absolute.ancestors().find_map(|part| sys::statx_path(part).ok())?;
    let asked = holding(&own_mounts(root).ok()?, &there).cloned();
    // Before 5.8 the kernel does not tell the mount of a file in a btrfs subvolume.
    asked.or_else(|| mount_above(root, &real_path(root, &absolute)))
}

/// The path with the links on it followed, as far as it is there.
fn real_path(root: &Root, path: &Path) -> PathBuf {
    let real = |part: &Path| Some(root.resolve(part).ok()?.join(path.strip_prefix(part).ok()?));
    path.ancestors().find_map(real).unwrap_or_else(|| path.to_path_buf())
}

/// Of these mounts the one that a file is on: by mount ID where the kernel reports it (5.8),
/// because a btrfs subvolume's `st_dev` is in no table; else by device number.
pub(crate) fn holding<'a>(mounts: &'a [Mount], there: &Extended) -> Option<&'a Mount> {
    let by_id = mounts.iter().find(|mount| Some(mount.id) == there.mount_id);
    by_id.or_else(|| mounts.iter().find(|mount| mount.dev == there.dev))
}

/// The mount that a path without links is on, by the table alone. A mount that another one covers
/// holds no path.
pub fn mount_above(root: &Root, path: &Path) -> Option<Mount> {
    let mounts = own_mounts(root).ok()?;
    let depth = |mount: &&Mount| mount.point.components().count();
    let above: Vec<&Mount> = mounts.iter().filter(|mount| path.starts_with(&mount.point)).collect();
    let is_below =
        |mount: &Mount| mounts.iter().any(|under| under.id == mount.parent && under.id != mount.id);
    let first = above.iter().copied().filter(|mount| !is_below(mount)).max_by_key(depth);
    let mut at = first.or_else(|| above.iter().copied().max_by_key(depth))?;
    // Of two mounts on the same one, the path meets the higher first. A recorded table may lead in
    // a circle.
    for _ in 0..above.len() {
        let on_it = above.iter().copied().filter(|mount| mount.parent == at.id && mount.id != at.id);
        let Some(next) = on_it.rev().min_by_key(depth) else { break };
        at = next;
    }
    Some(at.clone())
}

/// Our own mounts, and those of every other mount namespace whose processes we may look at (with
/// root: all that exist). A process that is gone or that we may not read is skipped.
pub fn all_mounts(root: &Root) -> Result<Vec<Mount>, Unknown> {
    let mut mounts = own_mounts(root)?;
    for pid in other_namespaces(root)? {
        let text = root.read_text(format!("/proc/{pid}/mountinfo"));
        mounts.extend(text.ok().and_then(|t| parse(&t, pid).ok()).unwrap_or_default());
    }
    Ok(mounts)
}

/// One process of every mount namespace other than ours, and every process whose namespace we may
/// not read.
pub(crate) fn other_namespaces(root: &Root) -> Result<Vec<u32>, Unknown> {
    let mut visited: HashSet<PathBuf> = HashSet::from_iter(namespace(root, "self"));
    let mut others = pids(root)?;
    others.retain(|pid| namespace(root, &pid.to_string()).is_none_or(|ns| visited.insert(ns)));
    Ok(others)
}

/// The processes of the machine.
pub fn pids(root: &Root) -> Result<Vec<u32>, Unknown> {
    let names = root.list("/proc")?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

fn namespace(root: &Root, process: &str) -> Option<PathBuf> {
    root.read_link(format!("/proc/{process}/ns/mnt")).ok()
}

fn parse(text: &str, pid: u32) -> Result<Vec<Mount>, String> {
    let lines = text.lines();
    lines.map(|line| parse_line(line, pid).ok_or_else(|| line.to_owned())).collect()
}

fn parse_line(line: &str, pid: u32) -> Option<Mount> {
    let (mount, file_system) = line.split_once(" - ")?;
    let mount: Vec<&str> = mount.split(' ').collect();
    let file_system: Vec<&str> = file_system.split(' ').collect();
    let super_options = file_system.get(2).unwrap_or(&"");
    Some(Mount {
        id: mount.first()?.parse().ok()?,
        parent: mount.get(1)?.parse().ok()?,
        dev: mount.get(2)?.parse().ok()?,
        root: PathBuf::from(unescape(mount.get(3)?)),
        point: PathBuf::from(unescape(mount.get(4)?)),
        fs_type: (*file_system.first()?).to_owned(),
        source: unescape(file_system.get(1)?),
        options: format!("{},{super_options}", mount.get(5)?),
        pid,
    })
}

/// `\040` and its like, as the kernel writes white space in its tables.
pub(crate) fn unescape(text: &str) -> String {
    unescape_bytes(text.as_bytes()).to_string_lossy().into_owned()
}

/// The same for a name that need not be UTF-8.
pub(crate) fn unescape_bytes(mut bytes: &[u8]) -> OsString {
    let mut out = Vec::new();
    while let Some((&byte, rest)) = bytes.split_first() {
        let octal = rest.get(..3).and_then(|d| std::str::from_utf8(d).ok());
        let code = octal.and_then(|d| u8::from_str_radix(d, 8).ok());
        match code {
            Some(code) if byte == b'\\' => {
                out.push(code);
                bytes = &rest[3..];
            }
            _ => {
                out.push(byte);
                bytes = rest;
            }
        }
    }
    OsString::from_vec(out)
}

/// A device that a mounted file system of several devices uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolMember {
    /// The device.
    pub number: DevNumber,
    /// The file system: type and UUID.
    pub pool: String,
}

/// Members of mounted btrfs and bcachefs file systems. mountinfo names one
/// device of such a file system at most, under an anonymous number.
pub fn pool_members(root: &Root) -> Vec<PoolMember> {
    let mut members = Vec::new();
    for uuid in root.list("/sys/fs/btrfs").unwrap_or_default() {
        let dir = PathBuf::from(format!("/sys/fs/btrfs/{uuid}/devices"));
        for name in root.list(&dir).unwrap_or_default() {
            let number = root.block_number_named(&name);
            members.extend(member(number, "btrfs", &uuid));
        }
    }
    for uuid in root.list("/sys/fs/bcachefs").unwrap_or_default() {
        let dir = PathBuf::from(format!("/sys/fs/bcachefs/{uuid}"));
        for name in root.list(&dir).unwrap_or_default() {
            let number = root.read_value(dir.join(name).join("block/dev"));
            members.extend(member(number.ok(), "bcachefs", &uuid));
        }
    }
    members
}

fn member(number: Option<DevNumber>, kind: &str, uuid: &str) -> Option<PoolMember> {
    Some(PoolMember { number: number?, pool: format!("{kind} {uuid}") })
}

impl Mount {
    /// The block device mounted: by number, or through the source where the
    /// number is anonymous.
    pub fn block_number(&self, root: &Root) -> Option<DevNumber> {
        if !self.dev.is_anonymous() {
            return Some(self.dev);
        }
        let source = Path::new(&self.source);
        source.is_absolute().then(|| root.block_number_of(source))?
    }

    /// All block devices of its file system, among these members of file systems on several: first
    /// the one that is mounted. Empty for a file system without a block device.
    pub fn block_numbers(&self, root: &Root, members: &[PoolMember]) -> Vec<DevNumber> {
        let Some(first) = self.block_number(root) else { return Vec::new() };
        let pool = members.iter().find(|member| member.number == first).map(|member| &member.pool);
        let others = members.iter().filter(|member| Some(&member.pool) == pool && member.number != first);
        std::iter::once(first).chain(others.map(|member| member.number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_escapes_and_optional_fields() {
        let line =
            r"36 35 98:0 /mnt1 /a\040b rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue";
        let mount = parse_line(line, 7).unwrap();
        assert_eq!(mount.id, 36);
        assert_eq!(mount.dev.to_string(), "98:0");
        assert_eq!((mount.root.as_path(), mount.point.as_path()), (Path::new("/mnt1"), Path::new("/a b")));
        assert_eq!(mount.fs_type, "ext3");
        assert_eq!(mount.options, "rw,noatime,rw,errors=continue");
    }

    #[test]
    fn a_broken_table_is_an_error_not_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("proc/self")).unwrap();
        std::fs::write(dir.path().join("proc/self/mountinfo"), "nonsense\n").unwrap();
        let unknown = own_mounts(&Root::recorded(dir.path())).unwrap_err();
        assert!(unknown.reason.contains("nonsense"));
    }

    #[test]
    fn unescape_leaves_a_lone_backslash() {
        assert_eq!(unescape(r"a\b\1"), r"a\b\1");
        assert_eq!(unescape(r"\134\011x"), "\\\tx");
    }
}
