//! `fs.type`: which file system does the target have?

use super::mounted::{each_mounted, seen};
use crate::audit::{Check, Grade, Grades, Needs, Observe};

pub(super) const CHECK: Check = Check {
    id: "fs.type",
    title: "File system of the target",
    reads: "/proc/self/mountinfo",
    why: "A test in a file measures the file system as well. XFS and ext4 write in place, and with direct I/O on a \
          file that was written before they add little: in one measurement the raw device was 4 % faster at depth 1. \
          Others copy on write, compress, have a cache of their own, or are on a network; a tmpfs is memory.",
    judged: "xfs and ext4 are ok. ext2, ext3, f2fs and those that copy on write (btrfs, zfs, bcachefs) are a remark; \
             an overlay warns. Networks, FUSE and memory are bad for every goal, because their figures say nothing \
             about a drive.",
    remedy: "Put the file on xfs or ext4, or measure the raw device. Network file systems can be measured too, but the \
             figures are those of the server, the network and the caches.",
    needs: Needs::Job,
    kernels: "all",
    sources: &["V-58", "V-61", "T-53", "I-22"],
    observe: Observe::Once(|scene| {
        each_mounted(scene, |target, mount| {
            let (verdict, says) = judge(&mount.fs_type);
            Ok(seen(target, mount).judge(Grades::all(verdict), format!("on {}, {says}", mount.fs_type)))
        })
    }),
};

fn judge(fs_type: &str) -> (Grade, &'static str) {
    match fs_type {
        "xfs" | "ext4" => (Grade::Ok, "which writes in place"),
        "ext2" | "ext3" => (Grade::Info, "which has no extents: large files cost more metadata"),
        "f2fs" => (Grade::Info, "which appends to a log and cleans it in the background"),
        "btrfs" | "zfs" | "bcachefs" => {
            (Grade::Info, "which writes every block to a new place (see fs.mode)")
        }
        "overlay" | "aufs" | "ecryptfs" => {
            (Grade::Warn, "which is a layer over another file system: name a file there")
        }
        "nfs" | "nfs4" | "cifs" | "smb3" | "ceph" | "9p" | "virtiofs" | "glusterfs" | "lustre" | "afs" => {
            (Grade::Bad, "whose server and network are measured, not a drive here")
        }
        "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => (Grade::Bad, "which is memory: no drive is measured"),
        "proc" | "sysfs" | "cgroup2" | "debugfs" => (Grade::Bad, "which stores no data"),
        fuse if fuse.starts_with("fuse") => (Grade::Bad, "where every I/O goes through another process"),
        _ => (Grade::Info, "which fathom does not know"),
    }
}
