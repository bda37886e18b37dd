//! `fathom filesystem create` on a loop device: refused without consent, made and mounted with it, and measured.

use crate::support::{Loop, fathom, must};
use std::fs;
use std::process::Command;

/// Unmounts when the test ends, however it ends.
struct Unmounts(std::path::PathBuf);

impl Drop for Unmounts {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// I-22: the file system of the guide, by plan and consent.
#[test]
fn a_file_system_is_made_by_consent_and_measured() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 320);
    let at = dir.path().join("mnt");
    let words = ["filesystem", "create", &disk.device, "--kind", "xfs", "--at", at.to_str().unwrap()];
    let planned = must(fathom(dir.path()).args(words).arg("--plan"));
    assert!(planned.contains("mkfs.xfs") && !at.exists(), "{planned}");
    let refused = fathom(dir.path()).args(words).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    assert!(fs::read(&disk.backing).unwrap().iter().all(|byte| *byte == 0), "nothing was written");

    // A directory that holds something is found before the device is written.
    fs::create_dir(&at).unwrap();
    fs::write(at.join("mine"), "x").unwrap();
    let consent = disk.consent();
    let full = fathom(dir.path()).args(words).args(["--destroy", &consent]).output().unwrap();
    assert_eq!(full.status.code(), Some(3), "{full:?}");
    assert!(fs::read(&disk.backing).unwrap().iter().all(|byte| *byte == 0), "nothing was written");
    fs::remove_file(at.join("mine")).unwrap();

    let _mounted = Unmounts(at.clone());
    must(fathom(dir.path()).args(words).args(["--destroy", &consent]));
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    assert!(
        mounts.lines().any(|line| line.contains(at.to_str().unwrap()) && line.contains(" xfs ")),
        "{mounts}"
    );
    fs::write(dir.path().join("w.fio"), "[w]\nrw=write\nbs=64k\nioengine=psync\ndirect=1\nsize=8m\n")
        .unwrap();
    let target = at.join("file");
    must(fathom(dir.path()).args(["run", "w.fio", "-q", "--target", target.to_str().unwrap()]));
    assert_eq!(fs::metadata(target).unwrap().len(), 8 << 20);
}
