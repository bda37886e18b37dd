//! Steps that make loop devices and swap areas.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::World;
use super::undo::Undo;
use crate::image::PARTITIONS;
use crate::kernel::loops::{Loop, Window};
use crate::kernel::{btrfs, open_path, swap};
use crate::model::content::Kind;
use crate::model::path::Found;
use crate::model::{Device, DeviceId, FileId, OURS, Over, SpaceId, Swap};

impl World<'_> {
    /// Attaches a file or a device, named by a path of the namespace, to a loop device.
    pub fn attach(
        &mut self,
        space: SpaceId,
        path: &Path,
        window: Window,
        read_only: bool,
    ) -> io::Result<DeviceId> {
        let over = self.over(space, path)?;
        let open = || OpenOptions::new().read(true).write(!read_only).open(path);
        let backing = self.at(space, open)?;
        if let (Over::File(file), false) = (over, read_only) {
            self.model.copy_up(file);
        }
        let whole = match over {
            Over::File(file) => self.model.file(file).size_bytes,
            Over::Device(device) => self.model.device(device).size_bytes,
        };
        let rest = whole.checked_sub(window.offset_bytes).filter(|rest| *rest > 0);
        let rest = rest.ok_or_else(|| io::Error::other("nothing is left behind the offset"))?;
        let size_bytes = if window.limit_bytes == 0 { rest } else { rest.min(window.limit_bytes) };
        let attached = Loop::attach(&backing, window, read_only)?;
        let name = format!("loop{}", attached.number);
        let Window { offset_bytes, limit_bytes } = window;
        let how = if read_only { ", read-only" } else { "" };
        self.tell(format!(
            "attach {name} to {path:?} in {}, from byte {offset_bytes}, limit {limit_bytes}{how}",
            place(space)
        ));
        let start = offset_bytes;
        let (is_partition, attached_now) = (false, true);
        let device =
            Device { name, over, start, size_bytes, read_only, attached: attached_now, is_partition };
        let device = self.model.add_device(device);
        self.loops.insert(device, attached);
        self.undo.push(Undo::Loop(device));
        self.add_partitions(device)?;
        Ok(device)
    }

    fn over(&self, space: SpaceId, path: &Path) -> io::Result<Over> {
        match self.found(space, path)? {
            Found::File(file) => Ok(Over::File(file)),
            Found::Device(device) => Ok(Over::Device(device)),
            Found::Dir(_) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn add_partitions(&mut self, disk: DeviceId) -> io::Result<()> {
        if self.model.content_on(disk).is_none_or(|content| content.kind != Kind::Table) {
            return Ok(());
        }
        for (at, (start, size_bytes, _)) in PARTITIONS.into_iter().enumerate() {
            let name = format!("{}p{}", self.model.device(disk).name, at + 1);
            let read_only = self.model.device(disk).read_only;
            let (over, attached, is_partition) = (Over::Device(disk), true, true);
            let partition = Device { name, over, start, size_bytes, read_only, attached, is_partition };
            self.loops[&disk].add_partition(at + 1, start, size_bytes)?;
            fs::metadata(partition.node())?;
            self.model.add_device(partition);
        }
        Ok(())
    }

    /// Detaches a loop device that nothing uses.
    pub fn detach(&mut self, device: DeviceId) -> io::Result<()> {
        if self.is_used(device) {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        let attached = self.loops.remove(&device).ok_or_else(|| io::Error::other("not a loop device"))?;
        self.forget_btrfs(device);
        attached.detach()?;
        self.tell(format!("detach {}", self.model.device(device).name));
        self.forget(device);
        Ok(())
    }

    /// Makes the kernel forget a btrfs on the device. If the kernel never knew it, that is not an
    /// error.
    pub(super) fn forget_btrfs(&self, device: DeviceId) {
        if self.model.content_on(device).is_some_and(|content| content.kind.is_unique()) {
            let _ = btrfs::forget(&self.model.device(device).node());
        }
    }

    /// The device and its partitions are gone.
    pub(super) fn forget(&mut self, device: DeviceId) {
        for at in (0..self.model.devices.len()).map(DeviceId) {
            let of_device = self.model.device(at).is_partition && self.model.chain(at).contains(&device);
            if at == device || of_device {
                self.model.devices[at.0].attached = false;
            }
        }
    }

    fn is_used(&self, device: DeviceId) -> bool {
        let stands_on = |user: &DeviceId| self.model.chain(*user).contains(&device);
        let alive = self.model.system_ids().filter(|system| self.model.is_alive(*system));
        let mut mounted = alive.flat_map(|system| self.model.system(system).devices.clone());
        let swaps = self.model.swaps.iter().filter(|swap| swap.active);
        let mut swaps = swaps.filter_map(|swap| match swap.over {
            Over::Device(device) => Some(device),
            Over::File(_) => None,
        });
        let mut loops = self.model.attached().filter(|(id, other)| *id != device && !other.is_partition);
        mounted.any(|d| stands_on(&d)) || swaps.any(|d| stands_on(&d)) || loops.any(|(id, _)| stands_on(&id))
    }

    /// Swaps on a device or file that holds a swap area.
    pub fn swap_on(&mut self, path: &Path) -> io::Result<()> {
        let over = self.over(OURS, path)?;
        let is_area = match over {
            Over::Device(device) => self.model.content_on(device).map(|content| content.kind),
            Over::File(file) => self.swap_in_file(file),
        };
        if is_area != Some(Kind::Swap) {
            return Err(io::Error::other("not a swap area"));
        }
        let file = File::open(path)?;
        swap::on(path)?;
        self.swap_files.push(Some(file));
        self.undo.push(Undo::Swap(self.model.swaps.len()));
        self.model.swaps.push(Swap { over, active: true });
        self.tell(format!("swapon {path:?}"));
        Ok(())
    }

    /// Swaps off again. The area is named by its open file: its path may lead elsewhere by now.
    pub fn swap_off(&mut self, at: usize) -> io::Result<()> {
        let file = self.swap_files[at].as_ref().expect("an active area is kept open");
        swap::off(&open_path(file))?;
        self.swap_files[at] = None;
        self.model.swaps[at].active = false;
        self.tell(format!("swapoff the area that was swapped on as number {}", at + 1));
        Ok(())
    }

    /// Only a file that fills its blocks from the first byte.
    fn swap_in_file(&self, file: FileId) -> Option<Kind> {
        let contents = self.model.contents(file).iter();
        contents.filter(|content| content.start == 0).map(|content| content.kind).next()
    }
}

/// A namespace in words.
pub fn place(space: SpaceId) -> String {
    match space {
        OURS => "our namespace".to_owned(),
        SpaceId(number) => format!("namespace {number}"),
    }
}
