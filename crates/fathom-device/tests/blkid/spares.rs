//! File systems whose beginning was overwritten are known by their spare
//! superblocks.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::process::Command;

use fathom_device::signature::Contents;

const MIB: u64 = 1 << 20;

/// Makes a file system on an image, overwrites its first `gone_bytes`, and
/// looks at what is left.
#[track_caller]
fn check(size_mib: u64, gone_bytes: u64, mkfs: &[&str], expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("image");
    File::create(&path).unwrap().set_len(size_mib * MIB).unwrap();
    let output = Command::new(mkfs[0]).args(&mkfs[1..]).arg(&path).output();
    let output = output.unwrap_or_else(|e| panic!("{} is needed for this test: {e}", mkfs[0]));
    assert!(output.status.success(), "{mkfs:?}: {}", String::from_utf8_lossy(&output.stderr));
    let image = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    image.write_all_at(&vec![0; gone_bytes as usize], 0).unwrap();
    let contents = Contents::read(&image, size_mib * MIB).unwrap();
    let names: Vec<&str> = contents.signatures.iter().map(|signature| signature.name.as_str()).collect();
    assert_eq!(names, [expected], "{mkfs:?}");
    assert!(contents.first_nonzero_bytes.is_some());
}

#[test]
fn ext4_with_a_zeroed_head() {
    for (size_mib, block) in [(40, "1024"), (80, "2048"), (300, "4096")] {
        check(size_mib, 8 * MIB, &["mkfs.ext4", "-q", "-F", "-b", block], "ext2/3/4 (spare superblock)");
    }
}

/// Groups 1 and 3 are gone as well.
#[test]
fn ext4_of_which_half_is_gone() {
    check(64, 32 * MIB, &["mkfs.ext4", "-q", "-F", "-b", "1024"], "ext2/3/4 (spare superblock)");
    let sparse = ["mkfs.ext4", "-q", "-F", "-b", "1024", "-O", "sparse_super2"];
    check(61, 24 * MIB, &sparse, "ext2/3/4 (spare superblock)");
}

#[test]
fn xfs_with_a_zeroed_head() {
    check(301, 4 * MIB, &["mkfs.xfs", "-q", "-f"], "XFS (allocation group)");
}

#[test]
fn btrfs_with_a_zeroed_head() {
    check(128, 4 * MIB, &["mkfs.btrfs", "-q", "-f"], "btrfs (spare superblock)");
}
