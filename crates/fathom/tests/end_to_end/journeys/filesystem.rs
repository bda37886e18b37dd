//! `fathom filesystem create` on a loop device: refused without consent, made and mounted with it, and measured.

use crate::support::{Loop, fathom, must, own_devices, text};
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

/// What can be checked is checked before the device is written.
#[test]
fn a_place_that_cannot_be_mounted_on_is_known_before_the_device_is_written() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 320);
    let at = |name: &str| dir.path().join(name);
    fs::write(at("plain"), "mine").unwrap();
    fs::create_dir_all(at("full/below")).unwrap();
    fs::create_dir(at("taken")).unwrap();
    std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
    must(Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(at("taken")));
    let _taken = Unmounts(at("taken"));
    for (place, code, why) in [
        (at("plain"), 2, "plain is not a directory"),
        (at("plain/below"), 2, "plain/below is not a directory"),
        (at("dangling"), 2, "dangling is not a directory"),
        (at("full"), 3, "full is not empty"),
        (at("taken"), 3, "something is mounted on"),
        ("/proc/fathom".into(), 3, "is on proc"),
    ] {
        let words =
            ["filesystem", "create", &disk.device, "--kind", "ext4", "--destroy", &disk.consent(), "--at"];
        for more in [&["--plan"][..], &[]] {
            let output = fathom(dir.path()).args(words).arg(&place).args(more).output().unwrap();
            assert_eq!(output.status.code(), Some(code), "{place:?}: {}", text(&output));
            assert!(text(&output).contains(why), "{place:?}: {}", text(&output));
        }
        assert!(fs::read(&disk.backing).unwrap().iter().all(|byte| *byte == 0), "{place:?}: it was written");
    }
    assert_eq!(fs::read_to_string(at("plain")).unwrap(), "mine");
    // A directory that is made for it does not stay where the device is refused.
    let refused =
        fathom(dir.path()).args(["filesystem", "create", &disk.device, "--at", "a/b"]).output().unwrap();
    assert!(refused.status.code() == Some(3) && !at("a").exists(), "{}", text(&refused));
}
