//! A snapshot of a real device. Needs root, for a loop device.

use std::path::PathBuf;
use std::process::Command;

use fathom_device::Root;
use fathom_host::snapshot::{Snapshot, SnapshotValue};

/// A loop device over a file, detached when dropped.
struct Loop {
    node: PathBuf,
    image: tempfile::NamedTempFile,
}

impl Loop {
    fn attach() -> Loop {
        let image = tempfile::NamedTempFile::new().unwrap();
        image.as_file().set_len(1 << 20).unwrap();
        let output = Command::new("losetup").args(["--show", "-f"]).arg(image.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Loop { node: String::from_utf8(output.stdout).unwrap().trim().into(), image }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.node).status();
    }
}

#[test]
fn a_snapshot_tells_what_a_loop_device_stands_on() {
    let disk = Loop::attach();
    let snapshot = Snapshot::take(&Root::live(), std::slice::from_ref(&disk.node));
    let target = &snapshot.targets[0];
    assert_eq!(target.is_virtual_disk, Some(true));
    let backing = target.facts.iter().find(|fact| fact.name == "loop_backing_file").unwrap();
    assert_eq!(backing.value, Some(SnapshotValue::Text(disk.image.path().display().to_string())));
}
