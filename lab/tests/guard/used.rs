//! Mounts, swap, and other processes.

use std::path::Path;

use fathom_guard::FindingKind::{
    Claimed, Mounted, OpenForWriting, PartitionTable, PoolMember, Signature, Swap,
};
use fathom_guard::{Access, Door};
use fathom_lab::{Drive, Ends, Holder, Scope, fathom, sh};

use super::admission::{check_barred, check_free, check_needs_destroy, guard, refusal};

/// A drive of each family: NVMe on both nodes and behind the switch, SATA, SCSI, virtio.
const SERIALS: [&str; 6] = ["LAB-A", "LAB-C", "LAB-D", "LAB-ATA", "LAB-SCSI", "LAB-VIRTIO"];

fn blank(serial: &str) -> Drive {
    let drive = Drive::by_serial(serial);
    drive.blank();
    drive
}

/// ext4 that is finished when it is made: nothing is written in the background later.
fn make_ext4(node: &str) {
    sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", node]);
}

#[test]
fn blank_drives_are_free() {
    SERIALS.iter().for_each(|serial| check_free(&blank(serial).node));
}

#[test]
fn mounted_whole_disk() {
    for serial in SERIALS {
        let drive = blank(serial);
        make_ext4(&drive.node);
        let mut scope = Scope::new();
        scope.mount(&drive.node);
        check_barred(&drive.node, &drive, Mounted);
        scope.end();
        drive.blank();
    }
}

/// What a mount leaves behind is data, which consent can allow to destroy.
#[test]
fn unmounted_again() {
    let drive = blank("LAB-D");
    make_ext4(&drive.node);
    let mut scope = Scope::new();
    scope.mount(&drive.node);
    scope.end();
    check_needs_destroy(&drive.node, Signature);
    drive.blank();
}

#[test]
fn mounted_partition_bars_itself_and_its_disk() {
    for serial in ["LAB-A", "LAB-C"] {
        let drive = blank(serial);
        let partition = drive.partition_once();
        make_ext4(&partition);
        let mut scope = Scope::new();
        scope.mount(&partition);
        check_barred(&drive.node, &drive, Mounted);
        check_barred(&partition, &drive, Mounted);
        scope.end();
        check_needs_destroy(&drive.node, PartitionTable);
        drive.blank();
    }
}

#[test]
fn mounted_in_another_namespace_only() {
    let drive = blank("LAB-A");
    make_ext4(&drive.node);
    std::fs::create_dir_all("/mnt/elsewhere").unwrap();
    // What the mount itself writes is on the disk before its ends are compared.
    let mount = format!("mount {} /mnt/elsewhere && sync && echo mounted && exec sleep 600", drive.node);
    let hidden = Hidden::start(&mount);
    assert!(!sh(&["cat", "/proc/self/mounts"]).contains("/mnt/elsewhere"), "it is hidden from us");
    check_barred(&drive.node, &drive, Mounted);
    drop(hidden);
    drive.blank();
}

/// A shell in a new mount namespace, which ends with the shell.
struct Hidden(std::process::Child);

impl Hidden {
    fn start(script: &str) -> Self {
        use std::io::{BufRead, BufReader};
        use std::process::{Command, Stdio};
        let words = ["unshare", "-m", "sh", "-c", script];
        let mut child = Command::new("busybox").args(words).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "mounted\n");
        Self(child)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn active_swap() {
    for serial in ["LAB-C", "LAB-SCSI"] {
        let drive = blank(serial);
        sh(&["mkswap", &drive.node]);
        let mut scope = Scope::new();
        scope.act(&["swapon", &drive.node], &["swapoff", &drive.node]);
        check_barred(&drive.node, &drive, Swap);
        scope.end();
        drive.blank();
    }
}

#[test]
fn swap_on_a_partition_bars_the_disk() {
    let drive = blank("LAB-VIRTIO");
    let partition = drive.partition_once();
    sh(&["mkswap", &partition]);
    let mut scope = Scope::new();
    scope.act(&["swapon", &partition], &["swapoff", &partition]);
    check_barred(&drive.node, &drive, Swap);
    check_barred(&partition, &drive, Swap);
    scope.end();
    drive.blank();
}

#[test]
fn second_device_of_a_mounted_btrfs() {
    let (first, second) = (blank("LAB-A"), blank("LAB-D"));
    // The module must see both before one is mounted.
    sh(&["modprobe", "btrfs"]);
    sh(&["mkfs.btrfs", "-q", "-f", "-d", "raid0", "-m", "raid1", &first.node, &second.node]);
    sh(&["btrfs", "device", "scan"]);
    let mut scope = Scope::new();
    scope.mount(&first.node);
    for drive in [&first, &second] {
        check_barred(&drive.node, drive, PoolMember);
    }
    scope.end();
    sh(&["btrfs", "device", "scan", "--forget"]);
    [first, second].iter().for_each(Drive::blank);
}

#[test]
fn held_by_another_process() {
    let drive = blank("LAB-D");
    for how in ["write", "write-exclusive"] {
        let _holder = Holder::open(&drive.node, how);
        check_barred(&drive.node, &drive, OpenForWriting);
    }
    check_free(&drive.node);
}

/// An exclusive reader looks like any reader until the guard claims the device itself, which it does
/// only where consent allows everything else.
#[test]
fn held_exclusively_by_a_reader() {
    let drive = blank("LAB-D");
    let _holder = Holder::open(&drive.node, "read-exclusive");
    let before = Ends::of(&drive.node);
    for (door, destroy) in [(Door::Native, &["LAB-D"][..]), (Door::Fio, &["LAB-D"]), (Door::Fio, &[])] {
        let refused = refusal(guard(door, &[], destroy).admit(Path::new(&drive.node), Access::Write));
        assert!(refused.has(Claimed) && !refused.can_be_overridden(), "{door:?}: {refused}");
    }
    before.assert_unchanged();
}

/// Both commands of the program itself, with a drive that is mounted.
#[test]
fn the_program_refuses_too() {
    let drive = blank("LAB-A");
    make_ext4(&drive.node);
    let mut scope = Scope::new();
    scope.mount(&drive.node);
    let before = Ends::of(&drive.node);
    let job = "/tmp/write.fio";
    let text = format!("[w]\nfilename={}\nrw=write\nbs=4k\nsize=1m\n", drive.node);
    std::fs::write(job, text).unwrap();
    let native = fathom(&["run", job, "--destroy", "LAB-A"]);
    assert_eq!(native.code, Some(3), "{}{}", native.stdout, native.stderr);
    assert!(native.stderr.contains("is mounted on"), "{}", native.stderr);
    let fio = fathom(&["fio", job]);
    assert!(fio.code != Some(0) && fio.stderr.contains("is mounted on"), "{:?} {}", fio.code, fio.stderr);
    before.assert_unchanged();
    scope.end();
    drive.blank();
}
