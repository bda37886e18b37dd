//! The proof that the oracle is right: what was in use before the writes is unharmed after them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::World;
use super::undo::patiently;
use crate::image::CANARY;
use crate::kernel::mount::{Request, unmount};
use crate::model::path::Found;
use crate::model::{DeviceId, OURS, Shows, System};
use crate::program::run;

/// A file system that was in use when the writes began.
pub struct Witness {
    devices: Vec<DeviceId>,
    label: &'static str,
    /// Another device has the same file system mounted and may write to it.
    is_second: bool,
}

impl World<'_> {
    /// Remembers what is in use. Called before the writes.
    pub fn witness(&mut self) {
        let alive = self.model.system_ids().filter(|system| self.model.is_alive(*system));
        let on_devices = alive.map(|system| self.model.system(system)).filter(|s| !s.devices.is_empty());
        let witness = |system: &System| Witness {
            devices: system.devices.clone(),
            label: system.label,
            is_second: system.home.is_none(),
        };
        self.witnesses = on_devices.map(witness).collect();
    }

    /// Reads the canary of every mounted file system from its device. Says how many were read.
    pub fn check_mounted(&self) -> io::Result<usize> {
        let points = self.model.mounts_in(OURS).filter(|mount| match &mount.shows {
            Shows::Dir(system, sub) => {
                sub.as_os_str().is_empty() && !self.model.system(*system).devices.is_empty()
            }
            Shows::File(_) => false,
        });
        let visible = |point: &&PathBuf| matches!(self.model.find(OURS, point), Some(Found::Dir(_)));
        let on_top = points
            .filter(|mount| self.model.top(OURS, &mount.point).is_some_and(|top| std::ptr::eq(top, *mount)));
        let points: Vec<&PathBuf> = on_top.map(|mount| &mount.point).filter(visible).collect();
        points.iter().try_for_each(|point| self.check_canary(point))?;
        Ok(points.len())
    }

    fn check_canary(&self, point: &Path) -> io::Result<()> {
        let path = point.join(CANARY);
        let mut file = File::open(&path)?;
        // SAFETY: posix_fadvise takes no pointer. What is read next comes from the device.
        unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        match bytes == self.images.canary {
            true => Ok(()),
            false => Err(io::Error::other(format!("{path:?} changed"))),
        }
    }

    /// Checks the file systems on a loop device and its partitions, which nothing uses any more.
    pub(super) fn check_at_rest(&mut self, disk: DeviceId) -> io::Result<()> {
        let mut wrong = Ok(());
        while let Some(at) = self.witnesses.iter().position(|witness| self.lies_on(witness, disk)) {
            let witness = self.witnesses.swap_remove(at);
            wrong = wrong.and(self.check_witness(&witness));
            self.checked_at_rest += 1;
        }
        wrong
    }

    fn lies_on(&self, witness: &Witness, disk: DeviceId) -> bool {
        witness.devices.iter().any(|device| self.model.chain(*device).contains(&disk))
    }

    fn check_witness(&self, witness: &Witness) -> io::Result<()> {
        let nodes: Vec<PathBuf> = witness.devices.iter().map(|d| self.model.device(*d).node()).collect();
        for node in &nodes {
            patiently(|| OpenOptions::new().read(true).custom_flags(libc::O_EXCL).open(node))?;
        }
        for device in witness.devices.iter().flat_map(|device| self.model.chain(*device)).rev() {
            self.loops.get(&device).map(|attached| attached.forget_cached()).transpose()?;
        }
        // `btrfs check` takes any device with the right UUID, such as a second loop device over the
        // same file. The kernel is given the devices by name, takes those, and verifies its
        // checksums.
        match witness.label {
            "ext4" if !witness.is_second => run("e2fsck -fn", &[&nodes[0]])?,
            "xfs" => run("xfs_repair -n", &[&nodes[0]])?,
            _ => {}
        }
        self.check_by_mounting(witness, &nodes)
    }

    fn check_by_mounting(&self, witness: &Witness, nodes: &[PathBuf]) -> io::Result<()> {
        let point = self.base().join("rest");
        fs::create_dir_all(&point)?;
        let devices: Vec<String> = nodes.iter().map(|node| format!("device={}", node.display())).collect();
        let (kind, flags) = (witness.label, libc::MS_RDONLY);
        let options = match kind {
            "btrfs" => devices.join(","),
            "xfs" => "nouuid,norecovery".to_owned(),
            _ => "noload".to_owned(),
        };
        let request = Request { source: Some(&nodes[0]), kind, flags, options: &options };
        request.at(&point).map_err(|e| io::Error::other(format!("mount {:?} again: {e}", nodes[0])))?;
        let checked = self.check_canary(&point);
        unmount(&point, 0).and(checked)
    }
}
