//! Steps that mount and unmount.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::World;
use super::devices::place;
use super::undo::Undo;
use crate::kernel::mount::{Request, bind, make_read_only, tmpfs, unmount};
use crate::model::content::{Content, Kind};
use crate::model::path::Found;
use crate::model::{DeviceId, DirId, FileId, OURS, Shows, SpaceId, SystemId};

impl World<'_> {
    /// Mounts what is on the device at a new directory.
    pub fn mount(
        &mut self,
        space: SpaceId,
        device: DeviceId,
        point: &Path,
        read_only: bool,
    ) -> io::Result<SystemId> {
        let content = self.model.content_on(device);
        let kind = content.and_then(|content| content.kind.file_system());
        let (Some(content), Some(kind)) = (content, kind) else {
            return Err(io::Error::other("no file system"));
        };
        let home = (self.model.origin(device).0, content.start);
        let known = self.model.system_ids().find(|system| self.model.system(*system).home == Some(home));
        let alive = known.filter(|system| self.model.is_alive(*system));
        let second = alive.filter(|system| !self.model.system(*system).devices.contains(&device));
        if alive.is_none() || second.is_some() {
            self.check_unique(content)?;
        }
        if second.is_some() && content.kind != Kind::Ext4 {
            return Err(io::Error::other("two devices of one file system"));
        }
        let devices = self.devices_of(device, content)?;
        let node = self.model.device(device).node();
        let options = self.mount_options(content, &devices, second.is_some());
        let read_only = read_only || second.is_some();
        let flags = if read_only { libc::MS_RDONLY } else { 0 };
        self.make_point(point)?;
        let request = Request { source: Some(&node), kind, flags, options: &options };
        self.at(space, || request.at(point))?;
        let system = known.filter(|_| second.is_none());
        let system = system.unwrap_or_else(|| self.model.add_system(kind, Default::default()));
        let own = &mut self.model.systems[system.0];
        own.devices = devices;
        own.home = second.is_none().then_some(home);
        let how = if read_only { ", read-only" } else { "" };
        self.tell(format!("mount {node:?} at {point:?} in {}{how}", place(space)));
        self.mounted(space, Shows::Dir(system, PathBuf::new()), point, read_only);
        Ok(system)
    }

    /// The kernel takes no second btrfs with the UUID of one that is mounted.
    fn check_unique(&self, content: Content) -> io::Result<()> {
        let alive = self.model.system_ids().filter(|system| self.model.is_alive(*system));
        let mut homes = alive.filter_map(|system| self.model.system(system).home);
        let same = |(file, start): (FileId, u64)| {
            let mut contents = self.model.file(file).contents.iter();
            contents.any(|other| other.start == start && other.kind == content.kind)
        };
        match content.kind.is_unique() && homes.any(same) {
            true => Err(io::Error::other("its UUID is mounted")),
            false => Ok(()),
        }
    }

    fn devices_of(&self, device: DeviceId, content: Content) -> io::Result<Vec<DeviceId>> {
        let Kind::BtrfsHalf(half) = content.kind else {
            return Ok(vec![device]);
        };
        let missing = Kind::BtrfsHalf(1 - half);
        let is_other = |id: &DeviceId| self.model.content_on(*id).is_some_and(|c| c.kind == missing);
        let other = self.model.attached().map(|(id, _)| id).find(is_other);
        let other = other.ok_or_else(|| io::Error::other("the other half is not attached"))?;
        Ok(if half == 0 { vec![device, other] } else { vec![other, device] })
    }

    fn mount_options(&self, content: Content, devices: &[DeviceId], second: bool) -> String {
        let node = |device: &DeviceId| self.model.device(*device).node().display().to_string();
        match content.kind {
            Kind::BtrfsHalf(_) => format!("device={},device={}", node(&devices[0]), node(&devices[1])),
            Kind::Xfs => "nouuid".to_owned(),
            // Nothing that the first mount has half written may be replayed.
            Kind::Ext4 if second => "noload".to_owned(),
            _ => String::new(),
        }
    }

    /// Makes a directory or file visible at a new place.
    pub fn bind(&mut self, space: SpaceId, from: &Path, point: &Path, read_only: bool) -> io::Result<()> {
        let shows = match self.found(space, from)? {
            Found::Dir(dir) => self.shown(dir),
            Found::File(file) => Shows::File(file),
            Found::Device(_) => return Err(io::Error::other("devices are not bound")),
        };
        let through = self.model.top(space, from).is_some_and(|mount| mount.read_only);
        match shows {
            Shows::Dir(..) => self.make_point(point)?,
            Shows::File(_) => drop(File::create_new(point)?),
        }
        self.at(space, || {
            bind(from, point)?;
            if read_only { make_read_only(point) } else { Ok(()) }
        })?;
        let how = if read_only { ", read-only" } else { "" };
        self.tell(format!("mount --bind {from:?} {point:?} in {}{how}", place(space)));
        self.mounted(space, shows, point, read_only || through);
        Ok(())
    }

    /// Mounts an empty file system over a directory.
    pub fn cover(&mut self, space: SpaceId, dir: &Path) -> io::Result<()> {
        if self.base().starts_with(dir) {
            return Err(io::Error::other("this would cover everything"));
        }
        self.at(space, || tmpfs(dir))?;
        let system = self.model.add_system("tmpfs", Default::default());
        self.tell(format!("mount -t tmpfs at {dir:?}, over what is there, in {}", place(space)));
        self.mounted(space, Shows::Dir(system, PathBuf::new()), dir, false);
        Ok(())
    }

    /// Unmounts; `lazy` only hides the mount, and its users go on.
    pub fn unmount(&mut self, space: SpaceId, point: &Path, lazy: bool) -> io::Result<()> {
        let mounts = self.model.mounts.iter().enumerate();
        let mut at_point = mounts.filter(|(_, m)| m.space == space && !m.gone && m.point == point);
        let Some((at, _)) = at_point.next_back().filter(|_| point != self.base()) else {
            return Err(io::Error::other("not a mount point of ours"));
        };
        let flags = if lazy { libc::MNT_DETACH } else { 0 };
        self.at(space, || unmount(point, flags))?;
        for mount in &mut self.model.mounts[at..] {
            mount.gone |= mount.space == space && mount.point.starts_with(point);
        }
        let how = if lazy { " -l" } else { "" };
        self.tell(format!("umount{how} {point:?} in {}", place(space)));
        Ok(())
    }

    /// Mounts an overlay of two directories.
    pub fn overlay(&mut self, lower: &Path, upper: &Path, point: &Path) -> io::Result<()> {
        let (Found::Dir(below), Found::Dir(above)) = (self.found(OURS, lower)?, self.found(OURS, upper)?)
        else {
            return Err(io::Error::other("not directories"));
        };
        let work = upper.with_file_name(format!("work{:02}", self.number()));
        fs::create_dir(&work)?;
        let [lower_name, upper_name, work_name] = [lower, upper, &work].map(|path| path.display());
        let options = format!("lowerdir={lower_name},upperdir={upper_name},workdir={work_name}");
        self.make_point(point)?;
        Request { kind: "overlay", options: &options, ..Request::default() }.at(point)?;
        let system = self.model.merge(below, above);
        self.tell(format!("mount -t overlay at {point:?}, lower {lower:?}, upper {upper:?}"));
        self.mounted(OURS, Shows::Dir(system, PathBuf::new()), point, false);
        Ok(())
    }

    fn shown(&self, dir: DirId) -> Shows {
        let dir = &self.model.dirs[dir.0];
        Shows::Dir(dir.system, dir.sub.clone())
    }

    /// A mount point that is there in every namespace: they all see our first file system.
    fn make_point(&self, point: &Path) -> io::Result<()> {
        match fs::create_dir(point) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    fn mounted(&mut self, space: SpaceId, shows: Shows, point: &Path, read_only: bool) {
        if space == OURS {
            self.undo.push(Undo::Mount(self.model.mounts.len()));
        }
        self.model.add_mount(space, shows, point, read_only);
    }
}
