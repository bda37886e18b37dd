//! The audit, the map and the snapshot of one target speak of the same disks, functions and node,
//! on every recorded machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fathom_device::root::Root;
use fathom_device::tree::Tree;
use fathom_host::audit::{JobNeeds, Scene};
use fathom_host::snapshot::{Snapshot, SnapshotValue};
use fathom_host::topology::{MapRequest, Topology};

fn machine(name: &str, overlay: &str) -> Root {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/trees/{name}.tree"));
    let mut tree = Tree::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    tree.overlay(overlay).unwrap();
    Root::held(&tree)
}

fn map(root: &Root, target: &str) -> Topology {
    Topology::read(root, &MapRequest { targets: vec![target.to_owned()], ..MapRequest::default() }).unwrap()
}

/// Compares what the three say of a target, and gives the disks at its bottom.
fn disks_of(root: &Root, target: &str) -> Vec<String> {
    let scene = Scene::new(root, &[PathBuf::from(target)], JobNeeds::default(), None);
    let map = map(root, target);
    let audited: BTreeSet<String> = scene.disks.iter().map(|disk| disk.name.clone()).collect();
    assert_eq!(audited, map.selected, "{target}");
    for disk in &scene.disks {
        assert_eq!(disk.ends(), map.block(&disk.name).unwrap().functions, "{target}: {}", disk.name);
        let snapshot = Snapshot::take(root, &[Path::new("/dev").join(&disk.name)]);
        let fact = snapshot.targets[0].facts.iter().find(|fact| fact.name == "numa_node").unwrap();
        let text = scene.node_of(disk).ok().map(|(_, raw)| SnapshotValue::Text(raw.text));
        assert_eq!(fact.value, text, "{target}: {}", disk.name);
    }
    audited.into_iter().collect()
}

#[test]
fn of_devices_partitions_arrays_and_files() {
    let sockets = machine("two-sockets", "");
    assert_eq!(disks_of(&sockets, "/dev/md0"), ["nvme0n1", "nvme1n1", "nvme2n1"]);
    assert_eq!(disks_of(&sockets, "/data/some/file"), ["nvme0n1", "nvme1n1", "nvme2n1"]);
    let laptop = machine("laptop", "");
    for target in ["/home/file", "/dev/nvme0n1p1", "/dev/mapper/luks-root", "/dev/dm-0"] {
        assert_eq!(disks_of(&laptop, target), ["nvme0n1"], "{target}");
    }
    assert_eq!(disks_of(&machine("qemu", ""), "/dev/vda"), ["vda"]);
    assert_eq!(disks_of(&machine("server", ""), "/dev/sda"), ["sda"]);
    assert_eq!(disks_of(&machine("vmd", ""), "/dev/nvme0n1"), ["nvme0n1"]);
}

#[test]
fn of_a_file_system_on_several_devices() {
    let pool = "/proc/self/mountinfo <<\n\t20 1 0:30 / /pool rw - btrfs /dev/nvme1n1 rw\n\
                /sys/fs/btrfs/0a/devices/nvme1n1 -> ../../../../class/block/nvme1n1\n\
                /sys/fs/btrfs/0a/devices/nvme2n1 -> ../../../../class/block/nvme2n1\n";
    assert_eq!(disks_of(&machine("two-sockets", pool), "/pool/file"), ["nvme1n1", "nvme2n1"]);
}

/// The first controller of the subsystem does not lead to this namespace.
#[test]
fn of_a_namespace_behind_one_of_two_controllers() {
    let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    let link = "devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n9";
    let first = "pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0";
    let second = "pci0000:00/0000:00:02.0/0000:02:00.0/nvme/nvme1";
    let root = machine(
        "server",
        &format!(
            "{subsystem}/nvme0 -> ../../../{first}\n{subsystem}/nvme1 -> ../../../{second}\n\
             {subsystem}/nvme0n9/dev = 259:9\n{subsystem}/nvme0n9/size = 2048\n\
             {subsystem}/nvme0n9/device -> ../../nvme-subsys0\n\
             /sys/devices/{second}/nvme0c1n9/hidden = 1\n\
             /sys/block/nvme0n9 -> ../{link}\n/sys/class/block/nvme0n9 -> ../../{link}\n\
             /sys/dev/block/259:9 -> ../../{link}\n"
        ),
    );
    assert_eq!(disks_of(&root, "/dev/nvme0n9"), ["nvme0n9"]);
    let function = map(&root, "/dev/nvme0n9").block("nvme0n9").unwrap().functions[0].to_string();
    assert_eq!(function, "0000:02:00.0");
}
