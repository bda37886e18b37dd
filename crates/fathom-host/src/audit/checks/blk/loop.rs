//! `blk.loop`: is the "disk" a file, memory, or a process?

use std::path::Path;

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, Target};
use fathom_device::device::DiskKind;

pub(super) const CHECK: Check = Check {
    id: "blk.loop",
    title: "Devices with no drive of their own",
    reads: "/sys/block/loopN/loop/backing_file, dio; the device's name",
    why: "A loop device is backed by a file of another file system. Unless it was set up for direct I/O, every block \
          goes through that file system's page cache, and what is measured is memory: reads of a cached file run at \
          many GB/s. zram and brd are memory only; behind nbd, rbd and ublk is a process or a network; behind null_blk \
          is nothing. All are good for learning how fathom works, but say nothing about a drive.",
    judged: "Bad for every goal: loop without direct I/O, loop over a file in memory, RAM disks, null_blk. A loop with \
             direct I/O is a remark (the file system below is measured too), and devices with a process or network \
             behind them warn. Everything else: ok.",
    remedy: "losetup --direct-io=on /dev/loopN, for a file whose file system supports direct I/O; the loop device's \
             block size must be a multiple of the drive's (losetup --sector-size). It is better to name the drive \
             below, or a file on it.",
    needs: Needs::Job,
    kernels: "dio: 4.4 and later",
    sources: &["V-19", "losetup(8)"],
    observe: Observe::Once(|scene| scene.each_queue(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let seen = || Observation::on(&disk.name).with(&disk.sys_dir, &disk.name);
    Ok(match disk.kind {
        DiskKind::Loop => return file_behind(scene, disk),
        DiskKind::Ram => seen().bad("is memory: no drive is behind it"),
        DiskKind::Null => seen().bad("has nothing behind it: it measures the block layer alone"),
        DiskKind::Remote => seen().warn("has a process or a network behind it, which is measured too"),
        DiskKind::Paravirtual => seen().info("was made by a hypervisor (see sys.virt)"),
        DiskKind::Md | DiskKind::DeviceMapper => seen().ok("is made of block devices"),
        _ => seen().ok("is a device of its own"),
    })
}

fn file_behind(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let file = scene.read(disk.sys_dir.join("loop/backing_file"))?;
    let (direct, raw) = scene.value::<u8>(disk.sys_dir.join("loop/dio"))?;
    let seen = Observation::on(&disk.name).show(&file).show(&raw);
    if let Some(fs_type) = in_memory(scene, Path::new(&file.text)) {
        return Ok(seen.bad(format!("is the file {}, which is in memory ({fs_type})", file.text)));
    }
    Ok(match direct {
        0 => seen.bad(format!("is the file {}, through its page cache: memory is measured", file.text)),
        1 => seen.info(format!("is the file {}, by direct I/O through its file system", file.text)),
        _ => return Err(raw.garbled()),
    })
}

fn in_memory(scene: &Scene<'_>, file: &Path) -> Option<String> {
    let mount = Target::find(scene.root, file).mount?;
    matches!(mount.fs_type.as_str(), "tmpfs" | "ramfs" | "hugetlbfs").then_some(mount.fs_type)
}
