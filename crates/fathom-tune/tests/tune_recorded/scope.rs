//! Which disks, controllers and functions a plan may touch.

use std::path::PathBuf;

use fathom_tune::{OwnerKey, Scope};

use crate::machine::Machine;

fn names(keys: &[OwnerKey]) -> Vec<String> {
    let name = |key: &OwnerKey| match key {
        OwnerKey::Controller { name, .. } => name.clone(),
        other => other.to_string(),
    };
    keys.iter().map(name).collect()
}

#[test]
fn the_disks_of_a_file_system_on_several_devices() {
    let machine = Machine::with(
        "/proc/self/mountinfo <<\n\t20 1 0:30 / /pool rw - btrfs /dev/sda rw\n\
         /sys/fs/btrfs/0a/devices/sda -> ../../../../block/sda\n\
         /sys/fs/btrfs/0a/devices/nvme0n1 -> ../../../../block/nvme0n1\n",
    );
    let root = machine.root();
    let scope = Scope::of(&root, &[PathBuf::from("/pool/file")]).unwrap();
    let disks: Vec<&str> = scope.disks.iter().map(|disk| disk.key.name.as_str()).collect();
    assert_eq!(disks, ["sda", "nvme0n1"]);
    assert_eq!(scope.mounts.len(), 1);
    assert_eq!(names(&scope.controllers()), ["nvme0"]);
    assert_eq!(names(&scope.functions()), ["0000:00:01.0", "0000:01:00.0"]);
}

/// A file on a disk that a later mount covers is not there any more.
#[test]
fn a_covered_mount_is_not_touched() {
    let machine = Machine::with(
        "/proc/self/mountinfo <<\n\t20 1 259:0 / / rw - ext4 /dev/nvme0n1 rw\n\
         \t30 20 8:0 / /srv/old rw - ext4 /dev/sda rw\n\
         \t31 20 9:0 / /srv rw - xfs /dev/md0 rw\n",
    );
    let root = machine.root();
    let scope = Scope::of(&root, &[PathBuf::from("/srv/old/file")]).unwrap();
    assert_eq!(scope.mounts[0].fs_type, "xfs");
    assert!(scope.disks.iter().any(|disk| disk.key.name == "md0"), "{:?}", scope.disks);
}
