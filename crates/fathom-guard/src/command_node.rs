//! Character devices that take the commands of a drive (`/dev/ng0n1`, `/dev/sg0`).
//!
//! Such a device takes every command that is sent to it, past the block layer and past every claim. So the guard admits the block
//! device of the same drive, with all rules for block devices, keeps that for as long as this one, and only then opens the
//! character device.

use crate::admitted::{Admitted, AdmittedKind, AdmittedNode};
use crate::error::GuardError;
use crate::lock::Access;
use crate::open::{Guard, Known, io_error, known_device};
use fathom_device::command_node::CommandNode;
use fathom_device::device::DevNumber;
use fathom_device::sys;
use std::fs::File;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;

impl Guard {
    /// Admits a character device that takes commands; `None` if it is none.
    pub(super) fn admit_node(
        &self,
        known: &mut Known,
        pin: &File,
        path: &Path,
        number: DevNumber,
        access: Access,
    ) -> Result<Option<Admitted>, GuardError> {
        let unpaired = |why: String| GuardError::Unpaired { path: path.to_path_buf(), why };
        let node = CommandNode::read(&self.root, number).map_err(|unknown| unpaired(unknown.to_string()))?;
        let Some(node) = node else { return Ok(None) };
        let answered = sys::reopen(pin, libc::O_NONBLOCK).and_then(|open| node.unit.asked_of(&open));
        let unit = answered.map_err(|e| io_error("open", path, e))?;
        if unit != node.unit {
            return Err(unpaired(format!("it is {unit}, and {} is {}", node.block_name, node.unit)));
        }
        let block = self.admit_partner(known, &node, path, access)?;
        let pin = pin.try_clone().map_err(|e| io_error("examine", path, e))?;
        let node = AdmittedNode { root: self.root.clone(), number, node, block };
        Ok(Some(Admitted::new(path, AdmittedKind::Node(Box::new(node)), access, pin)))
    }

    /// The block device. Messages name the character device, which the user gave, and with it the block device.
    fn admit_partner(
        &self,
        known: &mut Known,
        node: &CommandNode,
        path: &Path,
        access: Access,
    ) -> Result<Arc<Admitted>, GuardError> {
        if let Some(block) = known_device(known, node.block, access) {
            return Ok(block);
        }
        let block_path = node.block_path();
        let failed = |e| io_error("find", &block_path, e);
        let pin = sys::pin(&self.root.at(&block_path)).map_err(failed)?;
        let meta = pin.metadata().map_err(failed)?;
        if !meta.file_type().is_block_device() || DevNumber::from_raw(meta.rdev()) != node.block {
            let why = format!("{} is not the block device of the same drive", block_path.display());
            return Err(GuardError::Unpaired { path: path.to_path_buf(), why });
        }
        let block = Arc::new(self.admit_block(pin, path, node.block, access)?);
        Ok(crate::open::remember_device(known, node.block, block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consent::Consent;
    use crate::judge::Door;
    use fathom_device::root::Root;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    /// A recorded machine on which the number of `/dev/null` is that of a generic device, with these block devices beside it.
    fn machine(blocks: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        let controller = "sys/devices/pci0000:00/nvme/nvme0";
        let node = |name: &str, class: &str, number: &str| {
            let real = PathBuf::from(controller).join(name);
            fs::create_dir_all(dir.path().join(&real)).unwrap();
            fs::create_dir_all(at(&format!("sys/class/{class}"))).unwrap();
            fs::write(dir.path().join(&real).join("dev"), number).unwrap();
            fs::write(dir.path().join(&real).join("nsid"), "1").unwrap();
            symlink(format!("../../../../../class/{class}"), dir.path().join(&real).join("subsystem"))
                .unwrap();
            let below = format!("../../devices/pci0000:00/nvme/nvme0/{name}");
            symlink(below, at(&format!("sys/class/{class}/{name}"))).unwrap();
        };
        node("ng0n1", "nvme-generic", "1:3");
        fs::create_dir_all(at("sys/dev/char")).unwrap();
        symlink("../../devices/pci0000:00/nvme/nvme0/ng0n1", at("sys/dev/char/1:3")).unwrap();
        blocks.iter().for_each(|name| node(name, "block", "259:0"));
        dir
    }

    /// Whatever consent there is, and for reading too: a drive executes a command of a reader as well.
    #[test]
    fn a_node_whose_block_device_is_not_certain_is_not_opened() {
        for blocks in [&[][..], &["nvme0n2"], &["nvme0c0n1"], &["nvme0n1", "nvme1n1"]] {
            let machine = machine(blocks);
            for (door, access) in [(Door::Native, Access::Read), (Door::Fio, Access::Write)] {
                let guard = Guard::new(Root::recorded(machine.path()), door, Consent::default());
                let refused = guard.admit(Path::new("/dev/null"), access).unwrap_err();
                assert!(matches!(refused, GuardError::Unpaired { .. }), "{blocks:?}: {refused}");
                assert!(refused.is_refusal() && !refused.lacks_consent() && !refused.is_usage());
            }
        }
    }

    /// A recorded machine on which the number of `/dev/null` is that of the node of a SCSI device, with these block devices.
    fn scsi_machine(blocks: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        let device = "devices/host0/target0:0:0/0:0:0:0";
        let sg = format!("sys/{device}/scsi_generic/sg0");
        for made in [&sg, "sys/class/scsi_generic", "sys/class/block", "sys/dev/char"] {
            fs::create_dir_all(at(made)).unwrap();
        }
        symlink("../../../../../../class/scsi_generic", at(&sg).join("subsystem")).unwrap();
        symlink(format!("../../{device}/scsi_generic/sg0"), at("sys/dev/char/1:3")).unwrap();
        for name in blocks {
            let block = format!("{device}/block/{name}");
            fs::create_dir_all(at("sys").join(&block)).unwrap();
            fs::write(at("sys").join(&block).join("dev"), "8:0").unwrap();
            symlink(format!("../../{block}"), at("sys/class/block").join(name)).unwrap();
        }
        dir
    }

    /// A tape or an enclosure has no disk, and a disk whose driver is not bound shows none; but it may be in use all the same.
    #[test]
    fn a_scsi_node_whose_disk_is_not_certain_is_not_opened() {
        for blocks in [&[][..], &["sr0"], &["st0"], &["sda", "sdb"]] {
            let machine = scsi_machine(blocks);
            for (door, access) in [(Door::Native, Access::Read), (Door::Fio, Access::Write)] {
                let guard = Guard::new(Root::recorded(machine.path()), door, Consent::default());
                let refused = guard.admit(Path::new("/dev/null"), access).unwrap_err();
                assert!(matches!(refused, GuardError::Unpaired { .. }), "{blocks:?}: {refused}");
                assert!(refused.is_refusal() && !refused.lacks_consent());
            }
        }
        let machine = scsi_machine(&["sda"]);
        let guard = Guard::new(Root::recorded(machine.path()), Door::Native, Consent::default());
        let refused = guard.admit(Path::new("/dev/null"), Access::Read).unwrap_err();
        assert!(matches!(refused, GuardError::Io { .. }), "it does not answer as a SCSI device: {refused}");
    }

    /// With a certain pair the device itself is asked which namespace it is, and this one is none.
    #[test]
    fn a_node_that_does_not_answer_as_a_namespace_is_not_opened() {
        let machine = machine(&["nvme0n1"]);
        let guard = Guard::new(Root::recorded(machine.path()), Door::Native, Consent::default());
        let refused = guard.admit(Path::new("/dev/null"), Access::Read).unwrap_err();
        assert!(matches!(refused, GuardError::Io { .. }), "{refused}");
    }
}
