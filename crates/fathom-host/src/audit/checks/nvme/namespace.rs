//! The namespaces of a drive: format, cache, content and limits; and its queues.

use super::{Drive, controller_path, each_namespace, feature, namespace_path, no_drive, nsid};
use crate::audit::checks::prelude::*;
use fathom_device::nvme::{Controller, LbaFormat, Namespace};
use fathom_text::quantity::percent_with;

/// The block size that we assume where no job is known.
const BLOCK_ASSUMED_BYTES: u64 = 4096;

/// `nvme.lbaf`: is the drive formatted with its fastest block size?
pub(super) fn lbaf(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let nsid = nsid(scene, disk)?;
    let namespace = Namespace::read(scene.root, &drive.controller, nsid)?;
    let now = namespace.format();
    let list: Vec<String> = namespace.formats.iter().map(describe).collect();
    let raw = format!("in use {}; {}", now.index, list.join("; "));
    let observation = Observation::on(&disk.name).with(namespace_path(drive, nsid), raw);
    let block = scene.job.block_bytes_min.unwrap_or(BLOCK_ASSUMED_BYTES);
    // The page cache reads and writes whole blocks, whatever the job asks for.
    let is_direct = scene.job.direct != Some(false);
    if is_direct && block < u64::from(now.data_bytes) {
        let says = format!("blocks of {block} bytes are refused: the drive's are {} bytes", now.data_bytes);
        return Ok(observation.bad(says));
    }
    Ok(match better(&namespace, now, block) {
        Some(better) => observation.warn_for(
            &[Iops],
            format!(
                "blocks of {} bytes, which the drive calls {}; it calls {} bytes {}",
                now.data_bytes,
                word(now),
                better.data_bytes,
                word(better)
            ),
        ),
        None => observation
            .ok(format!("blocks of {} bytes; the drive calls no other format better", now.data_bytes)),
    })
}

/// The format with the same metadata that is better by the drive's own report
/// and that the job can use.
fn better(namespace: &Namespace, now: LbaFormat, block: u64) -> Option<LbaFormat> {
    let same = namespace.formats.iter().filter(|format| format.metadata_bytes == now.metadata_bytes);
    let fits = same.filter(|format| u64::from(format.data_bytes) <= block);
    let best = fits.min_by_key(|format| format.relative_performance)?;
    (best.relative_performance < now.relative_performance).then_some(*best)
}

fn describe(format: &LbaFormat) -> String {
    format!("{}: {}+{} bytes, {}", format.index, format.data_bytes, format.metadata_bytes, word(*format))
}

fn word(format: LbaFormat) -> &'static str {
    ["best", "better", "good", "degraded"][usize::from(format.relative_performance & 3)]
}

/// The feature "Volatile Write Cache"; bit 0 switches it on.
const FEATURE: u8 = 0x06;

/// `nvme.cache`: does the drive cache writes, and does the kernel flush the cache?
pub(super) fn cache(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let raw = scene.read(disk.queue("write_cache"))?;
    let flushes = match raw.text.as_str() {
        "write back" => true,
        "write through" => false,
        other => return Err(Unknown::garbled(&raw.path, other)),
    };
    let observation = Observation::on(&disk.name).show(&raw);
    Ok(match write_cache(scene, drive) {
        Err(unknown) => observation.without(unknown).info(match flushes {
            true => "the kernel flushes a volatile cache; only root may read whether the cache is on",
            false => "the kernel sends no flushes; only root may read whether the drive has a cache",
        }),
        Ok((cache, raw)) => judge_cache(scene, observation.show(&raw), flushes, cache),
    })
}

/// A drive's volatile cache.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    None,
    Off,
    On,
}

fn write_cache(scene: &Scene<'_>, drive: &Drive) -> Result<(Cache, Raw), Unknown> {
    let controller = Controller::read(scene.root, &drive.controller)?;
    if !controller.has_volatile_cache {
        return Ok((Cache::None, Raw { path: controller_path(drive), text: "VWC 0".to_owned() }));
    }
    let (value, path) = feature(scene, drive, FEATURE)?;
    let cache = if value & 1 == 1 { Cache::On } else { Cache::Off };
    Ok((cache, Raw { path, text: format!("0x{value:08x}") }))
}

fn judge_cache(scene: &Scene<'_>, observation: Observation, flushes: bool, cache: Cache) -> Observation {
    match (cache, flushes) {
        (Cache::None, _) => observation.ok("the drive has no volatile cache"),
        (Cache::On, true) => observation
            .ok("the cache is on and the kernel flushes it; whether the drive has capacitors is unknown"),
        (Cache::On, false) => observation
            .bad("the cache is on and the kernel was told not to flush it: fsync does not make data durable"),
        (Cache::Off, _) if scene.job.writes == Some(false) => {
            observation.info("the drive's write cache is off; the job does not write")
        }
        (Cache::Off, _) => observation.warn_for(
            &[Latency, Iops, Bandwidth],
            "the drive's write cache is switched off: each write waits for flash",
        ),
    }
}

/// Below the first share the drive is practically empty; from the second on,
/// holes hardly change a mean.
const EMPTY: f64 = 0.01;
const FULL: f64 = 0.90;

/// Bytes of a sector in sysfs's `size`, whatever the drive's blocks are.
const SECTOR_BYTES: u64 = 512;

/// `nvme.utilisation`: does the drive contain data that reads can fetch?
pub(super) fn utilisation(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let (used, whole, raws) = match from_sysfs(scene, disk) {
        Err(unknown) if unknown.why == Why::Missing => from_drive(scene, disk, drive)?,
        answer => answer?,
    };
    let observation = raws.iter().fold(Observation::on(&disk.name), Observation::show);
    let share = used as f64 / whole.max(1) as f64;
    let percent = percent_with(share, 1) + " of the drive are allocated";
    let only_writes = scene.job.reads == Some(false);
    Ok(match share {
        _ if used > whole => return Err(raws[0].garbled()),
        share if share >= 1.0 => {
            observation.info("all of the drive is allocated; some drives always report this")
        }
        share if share >= FULL => observation.ok(percent),
        _ if only_writes => observation.info(format!("{percent}; the job only writes")),
        share if share < EMPTY => observation.bad(format!("{percent}: reads would be answered from the map")),
        _ => observation.warn(format!("{percent}: other reads do not reach the flash")),
    })
}

type Used = (u64, u64, Vec<Raw>);

fn from_sysfs(scene: &Scene<'_>, disk: &Disk) -> Result<Used, Unknown> {
    let (used, raw) = scene.value::<u64>(disk.sys_dir.join("nuse"))?;
    let (block_bytes, block) = scene.value::<u64>(disk.queue("logical_block_size"))?;
    let (sectors, size) = scene.value::<u64>(disk.sys_dir.join("size"))?;
    let whole = sectors.saturating_mul(SECTOR_BYTES) / block_bytes.max(1);
    Ok((used, whole, vec![raw, block, size]))
}

fn from_drive(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Result<Used, Unknown> {
    let nsid = nsid(scene, disk)?;
    let namespace = Namespace::read(scene.root, &drive.controller, nsid)?;
    let text = format!("NUSE {} of NCAP {}", namespace.used_blocks, namespace.capacity_blocks);
    let raw = Raw { path: namespace_path(drive, nsid), text };
    Ok((namespace.used_blocks, namespace.capacity_blocks, vec![raw]))
}

/// `nvme.ns_share`: does the drive have other namespaces, and does it accept
/// random writes?
pub(super) fn ns_share(scene: &Scene<'_>) -> Vec<Observation> {
    let mut observations = each_namespace(scene, sharing);
    let zoned = each_namespace(scene, |scene, disk, _| zones(scene, disk));
    observations.extend(zoned.into_iter().filter(|observation| observation.verdicts.worst() > Grade::Ok));
    observations
}

fn sharing(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    // Paths of a multipath namespace are named nvme0c1n1: they are the disk
    // itself. Their last number is the same as the disk's.
    let dir = drive.dir.display();
    let plain = scene.glob(&format!("{dir}/nvme#n#"));
    let paths = scene.glob(&format!("{dir}/nvme#c#n#"));
    let namespaces: Vec<String> = plain.iter().chain(&paths).map(|path| leaf(path)).collect();
    if namespaces.is_empty() {
        return Err(Unknown::missing(drive.dir.join(&disk.name)));
    }
    let zoned = scene.read(disk.queue("zoned"))?;
    if !["none", "host-aware", "host-managed"].contains(&zoned.text.as_str()) {
        return Err(zoned.garbled());
    }
    let observation = Observation::on(&disk.name).with(&drive.dir, namespaces.join(" ")).show(&zoned);
    let others: Vec<&String> = namespaces.iter().filter(|name| number(name) != number(&disk.name)).collect();
    Ok(match others.as_slice() {
        [] => observation.ok(format!("the only namespace of {}", drive.controller)),
        others => {
            let list: Vec<&str> = others.iter().map(|name| name.as_str()).collect();
            let says = format!("it shares the drive {} with {}", drive.controller, list.join(", "));
            observation.warn_for(&[Repeatability], says)
        }
    })
}

/// `1` of `nvme0n1` and of `nvme0c3n1`.
fn number(name: &str) -> Option<&str> {
    Some(name.rsplit_once('n')?.1)
}

fn zones(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let zoned = scene.read(disk.queue("zoned"))?;
    let observation = Observation::on(&disk.name).show(&zoned);
    let writes_at_random = scene.job.writes != Some(false) && scene.job.random != Some(false);
    Ok(match zoned.text.as_str() {
        "host-managed" if writes_at_random => observation.bad("zoned: random writes are refused"),
        "host-managed" => observation.info("zoned: within a zone it takes writes only in sequence"),
        "host-aware" => observation.info("zoned, but it accepts random writes"),
        _ => observation.ok("not zoned"),
    })
}

/// `nvme.mdts`: is the job's block one command, or several?
pub(super) fn mdts(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (limit_kib, raw) = scene.value::<u64>(disk.queue("max_hw_sectors_kb"))?;
    if limit_kib == 0 {
        return Err(raw.garbled());
    }
    let observation = Observation::on(&disk.name).show(&raw);
    let limit = limit_kib.saturating_mul(1024);
    Ok(match scene.job.block_bytes_max {
        None => observation.info(format!("one command moves {limit_kib} KiB at most")),
        Some(block) if block > limit => observation.info(format!(
            "a block of {} KiB becomes {} commands of at most {limit_kib} KiB",
            block / 1024,
            block.div_ceil(limit)
        )),
        Some(block) => observation
            .ok(format!("a block of {} KiB fits into one command of {limit_kib} KiB", block.div_ceil(1024))),
    })
}

// The queues of a drive, and its ways.

const PARAMETER: &str = "/sys/module/nvme/parameters/poll_queues";

/// `nvme.poll_queues`: are there queues for polling, if the job polls?
pub(super) fn poll_queues(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let io_poll = scene.read(disk.queue("io_poll"))?;
    let observation = Observation::on(&disk.name).show(&io_poll);
    // The parameter may have been written after the queues were made, so it
    // is shown but does not decide.
    let observation = match scene.value::<u32>(PARAMETER) {
        Ok((_, raw)) => observation.show(&raw),
        Err(unknown) => observation.without(unknown),
    };
    Ok(match (io_poll.text.as_str(), scene.job.polled) {
        ("1", _) => observation.ok("there are queues for polling"),
        ("0", Some(true)) => {
            observation.bad_for(&[Latency], "the job polls, and the drive has no queue for it")
        }
        ("0", _) => observation.info("no queues for polling, and no job that needs them"),
        (other, _) => return Err(Unknown::garbled(&io_poll.path, other)),
    })
}

/// `nvme.qdepth`: does the job's queue depth reach the drive?
pub(super) fn qdepth(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let (tags, queues, raw) = queues(scene, disk, drive)?;
    let sqsize = scene.read(drive.dir.join("sqsize"));
    let observation = Observation::on(&disk.name).show(&raw);
    let observation = sqsize.into_iter().fold(observation, |observation, raw| observation.show(&raw));
    let have = format!("{queues} queues of {tags}");
    let Some(iodepth) = scene.job.iodepth else {
        return Ok(observation.ok(have));
    };
    let used = scene.job.workers.unwrap_or(1).clamp(1, queues);
    let each = iodepth.div_ceil(used);
    Ok(match each > tags {
        true => observation.info(format!(
            "{have}; the job needs {each} in each of {used}, so {} of them wait in the host",
            each - tags
        )),
        false => observation.ok(format!("{have}; the job needs {each} in each of {used}")),
    })
}

/// Tags of the smallest queue, how many queues there are, and the file read.
fn queues(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Result<(u64, u64, Raw), Unknown> {
    let mut files = scene.glob(&format!("{}/mq/#/nr_tags", disk.sys_dir.display()));
    if files.is_empty() {
        // A disk with several paths has no queues of its own, but its paths have.
        let part = disk.name.rsplit_once('n').map_or("", |(_, number)| number);
        files = scene.glob(&format!("{}/nvme#c#n{part}/mq/#/nr_tags", drive.dir.display()));
    }
    let tags: Vec<(u64, Raw)> =
        files.iter().map(|file| scene.value::<u64>(file)).collect::<Result<_, _>>()?;
    let count = tags.len() as u64;
    let least = tags.into_iter().min_by_key(|(tags, _)| *tags);
    let (least, raw) = least.ok_or_else(|| Unknown::missing(disk.sys_dir.join("mq/0/nr_tags")))?;
    if least == 0 {
        return Err(raw.garbled());
    }
    Ok((least, count, raw))
}

/// States of a controller (drivers/nvme/host/core.c).
const STATES: [&str; 7] = ["new", "live", "resetting", "connecting", "deleting", "deleting (no IO)", "dead"];

/// `nvme.multipath`: how many paths lead to the disk, and which one does I/O use?
pub(super) fn multipath(scene: &Scene<'_>) -> Vec<Observation> {
    let disks = scene.disks.iter().filter(|disk| !disk.controllers.is_empty());
    each(disks, no_drive, |disk| disk.name.clone(), |disk| multipath_of(scene, disk))
}

struct PathOf {
    drive: Drive,
    state: Raw,
    node: Option<i32>,
}

fn multipath_of(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let read = |controller: &String| path_of(scene, controller);
    let paths: Vec<PathOf> = disk.controllers.iter().map(read).collect::<Result<_, _>>()?;
    let observation =
        paths.iter().fold(Observation::on(&disk.name), |observation, path| observation.show(&path.state));
    let down: Vec<String> = paths.iter().filter(|path| path.state.text != "live").map(say_state).collect();
    if !down.is_empty() {
        let says = format!("not all of {} paths are live: {}", paths.len(), down.join(", "));
        return Ok(observation.warn_for(&[Latency, Repeatability], says));
    }
    if let [path] = paths.as_slice() {
        return Ok(observation.ok(format!("one path, through {}", path.drive.controller)));
    }
    let policy = path_policy(scene, disk)?;
    let observation = observation.show(&policy);
    let says = format!("{} paths, chosen by {}", paths.len(), policy.text);
    Ok(match policy.text == "numa" && is_remote(scene, &paths) {
        true => {
            observation.warn_for(&[Latency], format!("{says}, and none is on the node of the job's CPUs"))
        }
        false => observation.info(says),
    })
}

fn path_of(scene: &Scene<'_>, controller: &str) -> Result<PathOf, Unknown> {
    let drive = Drive::of(controller);
    let state = scene.read(drive.dir.join("state"))?;
    if !STATES.contains(&state.text.as_str()) {
        return Err(state.garbled());
    }
    let node = scene.value::<i32>(drive.dir.join("numa_node")).ok().map(|(node, _)| node);
    Ok(PathOf { drive, state, node })
}

fn say_state(path: &PathOf) -> String {
    format!("{} is {}", path.drive.controller, path.state.text)
}

/// The `device` of a multipath disk is its subsystem.
fn path_policy(scene: &Scene<'_>, disk: &Disk) -> Result<Raw, Unknown> {
    let policy = scene.read(Path::new(&disk.sys_dir).join("device/iopolicy"))?;
    match policy.text.as_str() {
        "numa" | "round-robin" | "queue-depth" => Ok(policy),
        other => Err(Unknown::garbled(&policy.path, other)),
    }
}

/// Whether the job's CPUs are known and no path is on one of their nodes.
fn is_remote(scene: &Scene<'_>, paths: &[PathOf]) -> bool {
    let Some(cpus) = &scene.job.cpus else {
        return false;
    };
    let nodes = scene.nodes();
    let near = |path: &PathOf| match path.node {
        Some(node) if node >= 0 => {
            nodes.iter().any(|(number, of)| *number as i32 == node && !of.intersection(cpus).is_empty())
        }
        _ => true,
    };
    !paths.iter().any(near)
}

/// Words of `link_power_management_policy` (drivers/ata/libata-sata.c).
const POLICIES: [&str; 6] = [
    "max_performance",
    "medium_power",
    "med_power_with_dipm",
    "min_power_with_partial",
    "min_power",
    "keep_firmware_settings",
];

/// `scsi.qdepth`: does a SATA or SAS drive take several commands at once, and
/// is its link awake and fast?
pub(super) fn scsi_qdepth(scene: &Scene<'_>) -> Vec<Observation> {
    let none = || Observation::on("host").not_applicable("there is no SATA or SAS drive below the target");
    let disks: Vec<&Disk> = scene.disks.iter().filter(|disk| is_scsi(disk)).collect();
    if disks.is_empty() {
        return vec![none()];
    }
    let name = |disk: &&&Disk| disk.name.clone();
    let mut observations = each(&disks, none, name, |disk| queue(scene, disk));
    // SAS drives have no link policy and no SATA speed, so we do not report that
    // they are missing, only that they are garbled or denied.
    let is_reported = |seen: &Observed| seen.as_ref().err().is_none_or(|unknown| unknown.why != Why::Missing);
    for optional in [queue_policy, speed] {
        let per_disk = disks.iter().map(|disk| (disk, optional(scene, disk)));
        let reported = per_disk.filter(|(_, seen)| is_reported(seen));
        observations.extend(reported.map(|(disk, seen)| Observation::or_unknown(name(&disk), seen)));
    }
    observations
}

fn is_scsi(disk: &Disk) -> bool {
    disk.part("host").is_some() && disk.part("target").is_some()
}

fn queue(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (depth, raw) = scene.value::<u32>(disk.sys_dir.join("device/queue_depth"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    let kind = scene.read(disk.sys_dir.join("device/queue_type"));
    let has_no_queue = kind.as_ref().is_ok_and(|kind| kind.text == "none");
    let observation = kind.into_iter().fold(observation, |observation, raw| observation.show(&raw));
    Ok(match depth {
        0 => return Err(raw.garbled()),
        1 => observation.bad_for(&[Iops], "one command at a time"),
        _ if has_no_queue => {
            observation.bad_for(&[Iops], format!("depth {depth}, but command queueing is off"))
        }
        _ => observation.ok(format!("up to {depth} commands at once")),
    })
}

fn missing(path: PathBuf) -> Unknown {
    Unknown { why: Why::Missing, ..Unknown::missing(path) }
}

fn queue_policy(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let host = disk.part("host").ok_or_else(|| missing(disk.sys_dir.clone()))?;
    let raw = scene.read(format!("/sys/class/scsi_host/host{host}/link_power_management_policy"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    Ok(match raw.text.as_str() {
        "max_performance" => observation.ok("the link stays awake"),
        word if POLICIES.contains(&word) => {
            observation.warn_for(&[Latency], format!("the link may sleep between I/Os ({word})"))
        }
        other => return Err(Unknown::garbled(&raw.path, other)),
    })
}

fn speed(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let ata = disk.part("ata").ok_or_else(|| missing(disk.sys_dir.clone()))?;
    let raw = scene.read(format!("/sys/class/ata_link/link{ata}/sata_spd"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    let is_rotational = scene.value::<u8>(disk.queue("rotational")).is_ok_and(|(value, _)| value == 1);
    Ok(match raw.text.as_str() {
        "6.0 Gbps" => observation.ok("the link runs at 6 Gb/s"),
        slow @ ("3.0 Gbps" | "1.5 Gbps") if is_rotational => {
            observation.info(format!("the link runs at {slow}"))
        }
        slow @ ("3.0 Gbps" | "1.5 Gbps") => observation
            .warn_for(&[Bandwidth], format!("the link runs at {slow}; current drives run at 6.0 Gbps")),
        other => return Err(Unknown::garbled(&raw.path, other)),
    })
}
