//! Arrays, volumes and encryption: the members are refused; the device that is made of them is judged
//! for itself.

use fathom_guard::FindingKind::{Held, Mounted, Signature};
use fathom_lab::{Drive, Scope, sh};

use super::admission::{check_barred, check_free, check_needs_destroy};

fn blank(serials: &[&str]) -> Vec<Drive> {
    let drives: Vec<Drive> = serials.iter().map(|serial| Drive::by_serial(serial)).collect();
    drives.iter().for_each(Drive::blank);
    drives
}

/// Starts an array of LAB-A and LAB-D that has nothing to synchronise.
fn create_array(scope: &mut Scope, drives: &[Drive], level: &str, metadata: &str) {
    let metadata = format!("--metadata={metadata}");
    let mut create = vec!["mdadm", "--create", "/dev/md0", "--run", "--level", level, &metadata];
    create.extend(["--raid-devices=2"]);
    if level != "0" {
        create.push("--assume-clean");
    }
    create.extend(drives.iter().map(|drive| drive.node.as_str()));
    scope.act(&create, &["mdadm", "--stop", "/dev/md0"]);
}

#[test]
fn members_of_an_array_and_the_array() {
    for (level, metadata) in [("0", "1.2"), ("1", "1.0")] {
        let drives = blank(&["LAB-A", "LAB-D"]);
        let mut scope = Scope::new();
        create_array(&mut scope, &drives, level, metadata);
        drives.iter().for_each(|drive| check_barred(&drive.node, drive, Held));
        check_free("/dev/md0");
        scope.end();
        drives.iter().for_each(|drive| check_needs_destroy(&drive.node, Signature));
        drives.iter().for_each(Drive::blank);
    }
}

#[test]
fn a_mounted_array_bars_itself_and_its_members() {
    let drives = blank(&["LAB-A", "LAB-D"]);
    let mut scope = Scope::new();
    create_array(&mut scope, &drives, "0", "1.2");
    sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", "/dev/md0"]);
    scope.mount("/dev/md0");
    drives.iter().for_each(|drive| check_barred(&drive.node, drive, Mounted));
    check_barred("/dev/md0", &drives[0], Mounted);
    scope.end();
    drives.iter().for_each(Drive::blank);
}

#[test]
fn physical_volume_and_logical_volume() {
    let drives = blank(&["LAB-A"]);
    let node = &drives[0].node;
    sh(&["pvcreate", "--quiet", node]);
    sh(&["vgcreate", "--quiet", "lab", node]);
    sh(&["lvcreate", "--quiet", "--yes", "--wipesignatures", "n", "-L", "64M", "-n", "volume", "lab"]);
    let mut scope = Scope::new();
    scope.later(&["vgchange", "-an", "lab"]);
    check_barred(node, &drives[0], Held);
    check_free("/dev/lab/volume");
    scope.end();
    check_needs_destroy(node, Signature);
    drives[0].blank();
}

#[test]
fn encrypted_open_and_closed() {
    let drives = blank(&["LAB-D"]);
    let node = &drives[0].node;
    std::fs::write("/tmp/key", "correct horse").unwrap();
    // The cheapest key derivation: emulated processors would take a minute for the default.
    let cheap = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"];
    let format = ["cryptsetup", "luksFormat", "--batch-mode", "--type", "luks2", "--key-file", "/tmp/key"];
    sh(&[&format[..], &cheap, &[node]].concat());
    check_needs_destroy(node, Signature);
    let mut scope = Scope::new();
    let open = ["cryptsetup", "open", "--key-file", "/tmp/key", node, "secret"];
    scope.act(&open, &["cryptsetup", "close", "secret"]);
    check_barred(node, &drives[0], Held);
    scope.end();
    check_needs_destroy(node, Signature);
    drives[0].blank();
}
