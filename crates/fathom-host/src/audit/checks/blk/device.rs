//! What a disk is made of: its blocks, its checksums, what is behind it, and what limits our use of it.

use std::collections::BTreeSet;

use crate::audit::Target;
use crate::audit::checks::prelude::*;
use crate::cgroup::{self, Limits, Line, OWN};
use fathom_device::device::Node;

/// Unit of `start` (Documentation/ABI/stable/sysfs-block).
const SECTOR_BYTES: u64 = 512;

/// `blk.align`: do partitions begin where the drive's blocks begin?
pub(super) fn align(scene: &Scene<'_>) -> Vec<Observation> {
    let mut visited = BTreeSet::new();
    let graphs = scene.targets.iter().filter_map(|target| target.graph.as_ref().ok());
    let nodes = graphs.flat_map(|graph| graph.nodes()).filter(|node| node.partition.is_some());
    let partitions: Vec<&Node> = nodes.filter(|node| visited.insert(node.name.clone())).collect();
    let of_partitions =
        partitions.into_iter().map(|node| Observation::or_unknown(&node.name, partition(scene, node)));
    let none = || Observation::on("host").not_applicable("there is no disk below the target");
    let disks = each(scene.queues(), none, |disk| disk.name.clone(), |disk| align_of(scene, disk));
    of_partitions.chain(disks).collect()
}

fn align_of(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (offset, raw) = scene.value::<i64>(disk.sys_dir.join("alignment_offset"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    Ok(match offset {
        0 => observation.ok("its logical blocks are aligned to its physical blocks"),
        // The kernel reports a negative number where the members do not agree.
        ..0 => observation.warn_for(&[Iops, Latency], "its members begin at different offsets"),
        _ => observation
            .warn_for(&[Iops, Latency], format!("its physical blocks are shifted by {offset} bytes")),
    })
}

fn partition(scene: &Scene<'_>, node: &Node) -> Observed {
    let disk = node.sys_dir.parent().unwrap_or(&node.sys_dir);
    let (start, raw) = scene.value::<u64>(node.sys_dir.join("start"))?;
    let (physical, block) = scene.value::<u64>(disk.join("queue/physical_block_size"))?;
    let (optimal, stripe) = scene.value::<u64>(disk.join("queue/optimal_io_size"))?;
    let shift = scene.value::<u64>(disk.join("alignment_offset")).map_or(0, |(bytes, _)| bytes);
    let observation = Observation::on(&node.name).show(&raw).show(&block).show(&stripe);
    if physical == 0 {
        return Err(block.garbled());
    }
    let from = start.saturating_mul(SECTOR_BYTES).saturating_sub(shift);
    if !from.is_multiple_of(physical) {
        let over = from % physical;
        let says = format!("begins {over} bytes into a physical block of {}", size(physical));
        return Ok(observation.bad_for(&[Iops, Latency], says));
    }
    // Some USB bridges give an optimal size of 65,535 sectors, which means nothing.
    let is_stripe = optimal > 0 && optimal.is_multiple_of(physical);
    if is_stripe && !from.is_multiple_of(optimal) {
        let says = format!("begins {} into a stripe of {}", size(from % optimal), size(optimal));
        return Ok(observation.warn_for(&[Bandwidth], says));
    }
    Ok(observation.ok("begins at the start of a block"))
}

/// `blk.512e`: does the drive emulate small sectors?
pub(super) fn e512(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (logical, raw) = scene.value::<u64>(disk.queue("logical_block_size"))?;
    let (physical, stored) = scene.value::<u64>(disk.queue("physical_block_size"))?;
    let observation = Observation::on(&disk.name).show(&raw).show(&stored);
    let job = &scene.job;
    if logical == 0 || physical < logical {
        return Err(stored.garbled());
    }
    if physical == logical {
        return Ok(observation.ok(format!("addressed and stored in blocks of {}", size(physical))));
    }
    let is_partial = |bytes: u64| !bytes.is_multiple_of(physical);
    let partial = [job.block_bytes_min, job.block_bytes_max, job.align_bytes]
        .into_iter()
        .flatten()
        .find(|b| is_partial(*b));
    Ok(match (partial, job.writes, job.block_bytes_min) {
        (Some(bytes), None | Some(true), _) => observation.warn_for(
            &[Iops, Latency],
            format!(
                "writes in steps of {} change only parts of physical blocks of {}",
                size(bytes),
                size(physical)
            ),
        ),
        (Some(bytes), Some(false), _) => {
            observation.info(format!("reads of {} fetch physical blocks of {}", size(bytes), size(physical)))
        }
        (None, _, Some(_)) => {
            observation.ok(format!("the job's blocks are whole physical blocks of {}", size(physical)))
        }
        (None, _, None) => observation.info(format!(
            "addressed by {}, stored by {}: smaller writes are read-modify-write",
            size(logical),
            size(physical)
        )),
    })
}

/// `blk.discard`: can the drive be told what is free?
pub(super) fn discard(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (granularity, raw) = scene.value::<u64>(disk.queue("discard_granularity"))?;
    let (most, limit) = scene.value::<u64>(disk.queue("discard_max_bytes"))?;
    let observation = Observation::on(&disk.name).show(&raw).show(&limit);
    Ok(match (granularity, most) {
        (0, _) | (_, 0) => observation.warn_for(
            &[Repeatability],
            "takes no discards: the drive keeps what earlier tests wrote as valid data",
        ),
        _ => observation.ok(format!("takes discards in steps of {granularity} bytes")),
    })
}

/// `blk.integrity`: does every block carry a checksum of its own?
pub(super) fn integrity(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let dir = disk.sys_dir.join("integrity");
    let format = scene.read(dir.join("format"))?;
    let observation = Observation::on(&disk.name).show(&format);
    // "none": no profile; "nop": metadata without a checksum to compute.
    if matches!(format.text.as_str(), "none" | "nop") {
        return Ok(observation.ok("no checksum is computed"));
    }
    if !is_code(&format.text) {
        return Err(format.garbled());
    }
    let (reads, verify) = scene.value::<u8>(dir.join("read_verify"))?;
    let (writes, generate) = scene.value::<u8>(dir.join("write_generate"))?;
    let observation = observation.show(&verify).show(&generate);
    Ok(match (writes, reads) {
        (0, 0) => observation
            .ok(format!("the format is {}, but checksums are not computed and not checked", format.text)),
        (_, 0) => observation.info(format!("{} is computed for each write", format.text)),
        (0, _) => observation.info(format!("{} is checked after each read", format.text)),
        _ => observation
            .info(format!("{} is computed for each write and checked after each read", format.text)),
    })
}

/// `T10-DIF-TYPE1-CRC`, `T10-DIF-TYPE3-IP`, `EXT-DIF-TYPE1-CRC64`.
fn is_code(name: &str) -> bool {
    name.contains("DIF") && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// `blk.cgroup`: does a control group limit the I/O of the job?
pub(super) fn cgroup(scene: &Scene<'_>) -> ObservedAll {
    let limits = cgroup::limits(scene.root)?;
    Ok(scene.each_queue(|disk| Ok(cgroup_of(&limits, disk))))
}

fn cgroup_of(limits: &Limits, disk: &Disk) -> Observation {
    let number = disk.number.to_string();
    let of_disk = |line: &&Line| line.device == number;
    let caps: Vec<&Line> = limits.caps.iter().filter(of_disk).collect();
    let others: Vec<&Line> = limits.shares.iter().chain(&limits.targets).filter(of_disk).collect();
    let observation = Observation::on(&disk.name).show(&Raw { path: OWN.into(), text: limits.own.clone() });
    let observation = caps
        .iter()
        .chain(&others)
        .fold(observation, |observation, line| observation.with(&line.path, &line.text));
    if let Some(cap) = caps.first() {
        let verdicts = Grades::all(Grade::Warn).and(&[Bandwidth, Iops], Grade::Bad);
        return observation.judge(verdicts, format!("our control group is limited to {}", cap.words));
    }
    if limits.shares.iter().any(|line| line.device == number) {
        return observation.warn_for(
            &[Bandwidth, Iops],
            "iocost divides the disk between control groups by a model, and delays what exceeds it",
        );
    }
    match others.first() {
        Some(target) => {
            observation.info(format!("our control group has a latency target ({})", target.words))
        }
        None => observation.ok("our control group has no limit on it"),
    }
}

/// `blk.loop`: is the "disk" a file, memory, or a process?
pub(super) fn loop_device(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let observe = || Observation::on(&disk.name).with(&disk.sys_dir, &disk.name);
    Ok(match disk.kind {
        DiskKind::Loop => return file_behind(scene, disk),
        DiskKind::Ram => observe().bad("is memory: no drive is behind it"),
        DiskKind::Null => observe().bad("has nothing behind it: it measures the block layer alone"),
        DiskKind::Remote => observe().warn("has a process or a network behind it, which is measured too"),
        DiskKind::Paravirtual => observe().info("was made by a hypervisor (see sys.virt)"),
        DiskKind::Md | DiskKind::DeviceMapper => observe().ok("is made of block devices"),
        _ => observe().ok("is a device of its own"),
    })
}

fn file_behind(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let file = scene.read(disk.sys_dir.join("loop/backing_file"))?;
    let (direct, raw) = scene.value::<u8>(disk.sys_dir.join("loop/dio"))?;
    let observation = Observation::on(&disk.name).show(&file).show(&raw);
    if let Some(fs_type) = in_memory(scene, Path::new(&file.text)) {
        return Ok(observation.bad(format!("is the file {}, which is in memory ({fs_type})", file.text)));
    }
    Ok(match direct {
        0 => {
            observation.bad(format!("is the file {}, through its page cache: memory is measured", file.text))
        }
        1 => observation.info(format!("is the file {}, by direct I/O through its file system", file.text)),
        _ => return Err(raw.garbled()),
    })
}

fn in_memory(scene: &Scene<'_>, file: &Path) -> Option<String> {
    let mount = Target::find(scene.root, file).mount?;
    matches!(mount.fs_type.as_str(), "tmpfs" | "ramfs" | "hugetlbfs").then_some(mount.fs_type)
}
