//! The machine has what the other tests need. What the lab lacks fails here first.

use std::fs;
use std::path::Path;

use fathom_lab::{Drive, Scope, assert_lab, fathom, sh};

#[track_caller]
fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.trim().to_owned()
}

#[test]
fn two_nodes_of_two_processors() {
    assert_lab();
    assert_eq!(text("/sys/devices/system/node/node0/cpulist"), "0-1");
    assert_eq!(text("/sys/devices/system/node/node1/cpulist"), "2-3");
    assert_eq!(text("/sys/devices/system/node/node0/distance"), "10 21");
    let package = |cpu| text(format!("/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"));
    assert_ne!(package(0), package(2));
}

#[test]
fn drives_of_every_family() {
    for (serial, mib) in [
        ("LAB-A", 384),
        ("LAB-B", 128),
        ("LAB-C", 384),
        ("LAB-D", 384),
        ("LAB-E", 96),
        ("LAB-F", 96),
        ("LAB-G", 96),
        ("LAB-H", 96),
        ("LAB-M", 128),
        ("LAB-SCSI", 128),
        ("LAB-ATA", 128),
        ("LAB-VIRTIO", 128),
    ] {
        assert_eq!(Drive::by_serial(serial).size_bytes(), mib << 20, "{serial}");
    }
    assert_eq!(Drive::namespace("LAB-B", 2).size_bytes(), 96 << 20);
    assert_eq!(Drive::by_serial("LAB-ATA").attribute("device/vendor"), "ATA");
    assert_eq!(Drive::by_serial("LAB-C").attribute("queue/logical_block_size"), "4096");
    assert_eq!(Drive::by_serial("LAB-A").attribute("queue/logical_block_size"), "512");
}

#[test]
fn nvme_formats() {
    let said = sh(&["nvme", "id-ns", "-H", &Drive::by_serial("LAB-A").node]);
    for size in ["Data Size: 512 bytes", "Data Size: 4096 bytes"] {
        assert!(said.contains(size), "{said}");
    }
}

#[test]
fn a_drive_on_the_second_node_and_one_on_none() {
    let node = |serial| Drive::by_serial(serial).attribute("device/numa_node");
    assert_eq!(node("LAB-D"), "1");
    assert_ne!(node("LAB-A"), "1");
}

/// Counts the PCIe functions above a drive: the directories above it are its path through the ports.
#[test]
fn a_switch_between_port_and_drive() {
    let hops = |serial: &str| {
        let drive = Drive::by_serial(serial);
        let path = drive.sysfs().canonicalize().unwrap();
        let is_function = |part: &std::ffi::OsStr| part.to_string_lossy().matches(':').count() == 2;
        path.iter().filter(|part| is_function(part)).count()
    };
    assert_eq!(hops("LAB-A"), 2, "root port, drive");
    assert_eq!(hops("LAB-B"), 4, "root port, upstream and downstream port, drive");
}

#[test]
fn one_subsystem_two_controllers() {
    let drive = Drive::by_serial("LAB-M");
    let hidden = fs::read_dir("/sys/block").unwrap().flatten();
    let paths = hidden.map(|entry| entry.path()).filter(|path| {
        let serial = fs::read_to_string(path.join("device/serial")).unwrap_or_default();
        serial.trim() == "LAB-M" && text(path.join("hidden")) == "1"
    });
    assert_eq!(paths.count(), 2, "paths to {}", drive.name);
}

#[test]
fn one_disk_twice() {
    let twins = Drive::all_by_serial("LAB-TWIN", 2);
    assert_eq!(twins[0].attribute("device/wwid"), twins[1].attribute("device/wwid"));
}

#[test]
fn null_blk_with_four_queues_and_one_for_polling() {
    let drive = Drive::unnamed("nullb0");
    assert_eq!(fs::read_dir(drive.sysfs().join("mq")).unwrap().count(), 5);
}

#[test]
fn scsi_debug_is_misaligned_and_thin() {
    let disks = fs::read_dir("/sys/block").unwrap().flatten().map(|entry| entry.path());
    let mut models = disks.filter(|disk| {
        fs::read_to_string(disk.join("device/model")).is_ok_and(|model| model.trim() == "scsi_debug")
    });
    let disk = models.next().expect("scsi_debug has a disk");
    assert_eq!(text(disk.join("queue/physical_block_size")), "4096");
    assert_eq!(text(disk.join("alignment_offset")), "3584");
    assert_ne!(text(disk.join("queue/discard_max_bytes")), "0");
}

#[test]
fn file_systems_arrays_and_volumes() {
    let drive = Drive::by_serial("LAB-A");
    for (make, force) in [("mkfs.ext4", "-F"), ("mkfs.xfs", "-f"), ("mkfs.btrfs", "-f")] {
        sh(&[make, "-q", force, &drive.node]);
        let mut scope = Scope::new();
        let point = scope.mount(&drive.node);
        fs::write(format!("{point}/file"), make).unwrap();
        scope.end();
    }
    drive.blank();
    for level in ["raid0", "raid1", "raid10", "raid6"] {
        assert!(text("/proc/mdstat").contains(level), "{level}");
    }
    assert!(sh(&["dmsetup", "targets"]).contains("striped"));
    for mounted in
        ["/sys/fs/cgroup/cgroup.controllers", "/sys/kernel/debug/block", "/sys/kernel/tracing/events"]
    {
        assert!(fs::exists(mounted).unwrap(), "{mounted}");
    }
}

#[test]
fn fathom_runs() {
    let run = fathom(&["--version"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
