//! What targets on recorded machines stand on: partitions, arrays, file systems on several devices
//! and on none, loop devices, drives with several ports, persistent memory.

use std::path::Path;

use fathom_device::device::{DevNumber, Graph};
use fathom_device::inventory::{Disk, Standing, near_cpus};
use fathom_device::mounts::mount_of;
use fathom_device::root::Root;
use fathom_device::tree::Tree;

fn machine(text: &str) -> Root {
    let mut tree = Tree::default();
    tree.overlay(text).unwrap();
    Root::held(&tree)
}

/// A block device in this directory below `/sys/devices`.
fn device(name: &str, number: &str, dir: &str) -> String {
    format!(
        "/sys/block/{name} -> ../devices/{dir}\n/sys/class/block/{name} -> ../../devices/{dir}\n\
         /sys/dev/block/{number} -> ../../devices/{dir}\n\
         /sys/devices/{dir}/dev = {number}\n/sys/devices/{dir}/size = 2048\n"
    )
}

const PORT: &str = "pci0000:00/0000:00:17.0";

/// Two SATA disks, one of them with a partition.
fn two_disks() -> String {
    let sda = format!("{PORT}/ata1/block/sda");
    let mut text = device("sda", "8:0", &sda) + &device("sdb", "8:16", &format!("{PORT}/ata2/block/sdb"));
    text += &device("sda1", "8:1", &format!("{sda}/sda1"));
    text += &format!("-/sys/block/sda1\n/sys/devices/{sda}/sda1/partition = 1\n");
    text
}

fn counting(root: &Root, path: &str) -> Vec<String> {
    Standing::of(root, Path::new(path)).unwrap().counting_disks(root).unwrap()
}

fn disk(root: &Root, number: &str) -> Disk {
    let number: DevNumber = number.parse().unwrap();
    let graph = Graph::read(root, number).unwrap();
    Disk::of(root, graph.whole_disk())
}

#[test]
fn a_file_on_a_partition_and_on_an_array() {
    let md = device("md0", "9:0", "virtual/block/md0");
    let root = machine(
        &(two_disks()
            + &md
            + &format!(
                "/sys/devices/virtual/block/md0/slaves/sda1 -> ../../../../{PORT}/ata1/block/sda/sda1\n"
            )
            + &format!("/sys/devices/virtual/block/md0/slaves/sdb -> ../../../../{PORT}/ata2/block/sdb\n")
            + "/proc/self/mountinfo <<\n\t20 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
               \t21 20 9:0 / /data rw - xfs /dev/md0 rw\n"),
    );
    assert_eq!(counting(&root, "/file/that/is/not/there/yet"), ["sda"]);
    assert_eq!(counting(&root, "/data/file"), ["md0", "sdb", "sda"]);
    assert_eq!(counting(&root, "/dev/sda1"), ["sda"]);
    let ends: Vec<String> = disk(&root, "8:1").ends().iter().map(ToString::to_string).collect();
    assert_eq!(ends, ["0000:00:17.0"]);
}

/// mountinfo names one device of the file system; its data are on both.
#[test]
fn a_file_system_on_several_devices_stands_on_all() {
    let pool = "/sys/fs/btrfs/0a/devices/sda -> ../../../../block/sda\n\
                /sys/fs/btrfs/0a/devices/sdb -> ../../../../block/sdb\n\
                /proc/self/mountinfo <<\n\t20 1 0:30 / /pool rw - btrfs /dev/sdb rw\n";
    let root = machine(&(two_disks() + pool));
    assert_eq!(counting(&root, "/pool/file"), ["sdb", "sda"]);
    assert_eq!(counting(&root, "/dev/sdb"), ["sdb"], "what is written to a member stays on it");
}

#[test]
fn a_file_system_without_a_device() {
    let nfs = "/proc/self/mountinfo <<\n\t20 1 0:40 / /net rw - nfs4 server:/export rw\n";
    let root = machine(nfs);
    let standing = Standing::of(&root, Path::new("/net/file")).unwrap();
    assert_eq!((standing.mount.unwrap().fs_type.as_str(), standing.devices), ("nfs4", Vec::new()));
    assert_eq!(Standing::of(&root, Path::new("/elsewhere")), None);
}

/// The file's disk is not a part of the loop device: others have their data there.
#[test]
fn a_loop_device_ends_the_way_down() {
    let backing = "/sys/devices/virtual/block/loop0/loop/backing_file = /image\n\
                   /proc/self/mountinfo <<\n\t20 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
    let root = machine(&(two_disks() + &device("loop0", "7:0", "virtual/block/loop0") + backing));
    assert_eq!(counting(&root, "/dev/loop0"), ["loop0"]);
    assert!(disk(&root, "7:0").ways.is_empty());
}

/// `/data` was mounted over after `/data/old`, which no path reaches any more.
#[test]
fn a_covered_mount_holds_no_file() {
    let mounts = "/proc/self/mountinfo <<\n\t20 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                  \t21 20 8:16 / /data/old rw - ext4 /dev/sdb rw\n\
                  \t22 20 0:9 / /data rw - tmpfs tmpfs rw\n\
                  \t23 22 0:10 / /data/new rw - ramfs ramfs rw\n";
    let root = machine(&(two_disks() + mounts));
    let id = |path: &str| mount_of(&root, Path::new(path)).unwrap().id;
    assert_eq!((id("/file"), id("/data/old/file"), id("/data/new/file")), (20, 22, 23));
}

/// The controllers of a subsystem that has two, and of its namespaces: both lead to the first, only
/// one to the second.
#[test]
fn a_drive_with_two_ports() {
    let subsystem = "virtual/nvme-subsystem/nvme-subsys0";
    let controllers =
        ["pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0", "pci0000:80/0000:81:00.0/nvme/nvme1"];
    let mut text = String::new();
    for (at, dir) in controllers.iter().enumerate() {
        text += &format!("/sys/devices/{subsystem}/nvme{at} -> ../../../{dir}\n");
        text += &format!("/sys/devices/{dir}/nvme0c{at}n1/hidden = 1\n");
    }
    text += &format!("/sys/devices/{}/nvme0c1n2/hidden = 1\n", controllers[1]);
    for (name, number) in [("nvme0n1", "259:0"), ("nvme0n2", "259:1")] {
        text += &device(name, number, &format!("{subsystem}/{name}"));
        text += &format!("/sys/devices/{subsystem}/{name}/device -> ../../nvme-subsys0\n");
    }
    text += "/sys/devices/pci0000:80/0000:81:00.0/numa_node = 1\n";
    let root = machine(&text);
    let (both, one) = (disk(&root, "259:0"), disk(&root, "259:1"));
    let ends = |disk: &Disk| disk.ends().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(both.controllers, ["nvme0", "nvme1"]);
    assert_eq!(ends(&both), ["0000:01:00.0", "0000:81:00.0"]);
    assert_eq!(both.ways[0].len(), 2, "the root port, then the endpoint");
    assert_eq!(one.controllers, ["nvme1"]);
    assert_eq!(ends(&one), ["0000:81:00.0"]);
    assert_eq!(one.near(&root).unwrap().node, Some(1));
}

/// I-33: the guide binds its workers to node 1, whose CPUs are 24 to 47.
#[test]
fn cpus_near_a_target_are_those_of_its_node() {
    let nodes =
        "/sys/devices/system/node/node0/cpulist = 0-23\n/sys/devices/system/node/node1/cpulist = 24-47\n";
    let function = format!("/sys/devices/{PORT}/numa_node = 1\n/sys/devices/{PORT}/class = 0x010601\n");
    let near = |text: &str| near_cpus(&machine(&(two_disks() + text)), Path::new("/dev/sda1"));
    assert_eq!(near(&format!("{nodes}{function}")).as_deref(), Some("24-47"));
    let one = "/sys/devices/system/node/node0/cpulist = 0-23\n";
    assert_eq!(near(&format!("{one}{}", function.replace("= 1\n", "= 0\n"))), None, "there is one node only");
    assert_eq!(
        near(&format!("{nodes}{}", function.replace("= 1\n", "= -1\n"))),
        None,
        "the firmware names none"
    );
}

#[test]
fn a_node_without_a_pci_function() {
    let region = "LNXSYSTM:00/ACPI0012:00/ndbus0/region0";
    let pmem = device("pmem0", "259:5", &format!("{region}/namespace0.0/block/pmem0"));
    let root = machine(&(pmem + &format!("/sys/devices/{region}/numa_node = 1\n") + &two_disks()));
    assert_eq!(disk(&root, "259:5").near(&root).unwrap().node, Some(1));
    let unread = disk(&root, "8:0").near(&root).unwrap_err();
    assert!(unread.path.ends_with("0000:00:17.0/numa_node"), "{unread:?}");
}
