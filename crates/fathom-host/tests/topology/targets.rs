//! Finds the drives under the names that a user gives.

use crate::topology::fixture::text;

use crate::topology::fixture::{aimed, changed, map, tree};

fn selected(name: &str, targets: &[&str]) -> Vec<String> {
    aimed(&tree(name), targets).unwrap().selected.into_iter().collect()
}

#[test]
fn layers_are_followed_down_to_the_drives() {
    let all = ["nvme0n1", "nvme1n1", "nvme2n1"];
    for target in ["/dev/md0", "md0", "/data", "/data/some/file"] {
        assert_eq!(selected("two-sockets", &[target]), all, "{target}");
    }
    assert_eq!(selected("two-sockets", &["nvme2n1"]), ["nvme2n1"]);
    assert_eq!(selected("two-sockets", &["nvme2n1", "/dev/nvme0n1"]), ["nvme0n1", "nvme2n1"]);
    for target in ["/home", "/dev/mapper/luks-root", "/dev/nvme0n1p1", "dm-0"] {
        assert_eq!(selected("laptop", &[target]), ["nvme0n1"], "{target}");
    }
}

#[test]
fn what_leads_nowhere_is_an_error() {
    for target in ["/dev/sdz", "sdz", "", "relative/path"] {
        let error = aimed(&tree("laptop"), &[target]).unwrap_err().to_string();
        assert!(error.contains("is not a block device, file or directory"), "{target}: {error}");
    }
    let error = aimed(&tree("two-sockets"), &["/etc/fstab"]).unwrap_err().to_string();
    assert!(error.contains("is on tmpfs"), "{error}");
}

/// The map shows only the selected drives and the devices that share their links.
#[test]
fn the_map_keeps_to_the_question() {
    let shown = text(&aimed(&tree("two-sockets"), &["nvme0n1"]).unwrap());
    for (what, is_there) in [("43:00.0", true), ("44:00.0", true), ("45:00.0", false), ("81:00.0", false)] {
        assert_eq!(shown.contains(what), is_there, "{what}\n{shown}");
    }
    // One drive alone does not fill the port; with its neighbour it would.
    assert!(shown.contains("info oversubscribed"), "{shown}");
}

#[test]
fn a_loop_device_leads_to_the_drive_under_its_file() {
    let tree = changed(
        "laptop",
        "/sys/class/block/loop0 -> ../../devices/virtual/block/loop0\n\
         /sys/block/loop0 -> ../devices/virtual/block/loop0\n\
         /sys/dev/block/253:0 -> ../../devices/virtual/block/dm-0\n\
         /sys/devices/virtual/block/loop0/dev = 7:0\n\
         /sys/devices/virtual/block/loop0/size = 2048\n\
         /sys/devices/virtual/block/loop0/loop/backing_file = /var/image\n",
    );
    let map = aimed(&tree, &["loop0"]).unwrap();
    assert_eq!(map.selected.iter().collect::<Vec<_>>(), ["nvme0n1"]);
    assert!(map.stacks.iter().any(|stack| stack.name == "loop0" && stack.title == "/var/image"));
    let text = text(&map);
    let line = text.lines().find(|line| line.contains("→ loop0")).unwrap();
    assert!(line.find("→ ext4 /").unwrap() < line.find("→ loop0").unwrap(), "{line}");
}

/// mountinfo names one device of the file system.
#[test]
fn every_device_of_a_file_system_is_selected() {
    let tree = changed(
        "two-sockets",
        "/proc/self/mountinfo <<\n\t20 1 0:30 / /pool rw - btrfs /dev/nvme1n1 rw\n\
         /sys/fs/btrfs/0a/devices/nvme1n1 -> ../../../../class/block/nvme1n1\n\
         /sys/fs/btrfs/0a/devices/nvme2n1 -> ../../../../class/block/nvme2n1\n",
    );
    let map = aimed(&tree, &["/pool/file"]).unwrap();
    assert_eq!(map.selected.iter().collect::<Vec<_>>(), ["nvme1n1", "nvme2n1"]);
}

/// The head of a drive with two paths has no function of its own.
#[test]
fn every_path_of_a_drive_is_followed() {
    let tree = changed(
        "thermal",
        "-/sys/class/block\n-/sys/block\n-/sys/dev/block\n\
         /sys/class/block/nvme0n1 -> ../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1\n\
         /sys/dev/block/259:0 -> ../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1\n\
         /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/dev = 259:0\n\
         /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/size = 2048\n\
         /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/device -> ../../nvme-subsys0\n\
         /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0 -> ../../../pci0000:00/0000:00:01.1/0000:01:00.0/nvme/nvme0\n\
         /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme1 -> ../../../pci0000:00/0000:00:02.1/0000:02:00.0/nvme/nvme1\n\
         /sys/class/block/nvme0c0n1 -> ../../devices/pci0000:00/0000:00:01.1/0000:01:00.0/nvme/nvme0/nvme0c0n1\n\
         /sys/class/block/nvme0c1n1 -> ../../devices/pci0000:00/0000:00:02.1/0000:02:00.0/nvme/nvme1/nvme0c1n1\n\
         /sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/nvme/nvme0/nvme0c0n1/hidden = 1\n\
         /sys/devices/pci0000:00/0000:00:02.1/0000:02:00.0/nvme/nvme1/nvme0c1n1/hidden = 1\n",
    );
    let map = map(&tree);
    let functions: Vec<String> =
        map.block("nvme0n1").unwrap().functions.iter().map(ToString::to_string).collect();
    assert_eq!(functions, ["0000:01:00.0", "0000:02:00.0"]);
    assert_eq!(map.block.len(), 1);
}
