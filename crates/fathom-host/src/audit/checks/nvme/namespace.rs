//! The namespaces of a drive: format, cache, content and limits.

use super::{Drive, controller_path, each_namespace, feature, namespace_path, nsid};
use crate::audit::checks::prelude::*;
use fathom_device::nvme::{Controller, LbaFormat, Namespace};

/// The block size that we assume where no job is known.
const BLOCK_ASSUMED_BYTES: u64 = 4096;

/// `nvme.lbaf`: is the drive formatted with its fastest block size?
pub(super) fn lbaf(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let nsid = nsid(scene, disk)?;
    let namespace = Namespace::read(scene.root, &drive.controller, nsid)?;
    let now = namespace.format();
    let list: Vec<String> = namespace.formats.iter().map(describe).collect();
    let raw = format!("in use {}; {}", now.index, list.join("; "));
    let seen = Observation::on(&disk.name).with(namespace_path(drive, nsid), raw);
    let block = scene.job.block_bytes_min.unwrap_or(BLOCK_ASSUMED_BYTES);
    // The page cache reads and writes whole blocks, whatever the job asks for.
    let is_direct = scene.job.direct != Some(false);
    if is_direct && block < u64::from(now.data_bytes) {
        let says = format!("blocks of {block} bytes are refused: the drive's are {} bytes", now.data_bytes);
        return Ok(seen.bad(says));
    }
    Ok(match better(&namespace, now, block) {
        Some(better) => seen.warn_for(
            &[Iops],
            format!(
                "blocks of {} bytes, which the drive calls {}; it calls {} bytes {}",
                now.data_bytes,
                word(now),
                better.data_bytes,
                word(better)
            ),
        ),
        None => {
            seen.ok(format!("blocks of {} bytes; the drive calls no other format better", now.data_bytes))
        }
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
    let seen = Observation::on(&disk.name).show(&raw);
    Ok(match write_cache(scene, drive) {
        Err(unknown) => seen.without(unknown).info(match flushes {
            true => "the kernel flushes a volatile cache; only root may read whether the cache is on",
            false => "the kernel sends no flushes; only root may read whether the drive has a cache",
        }),
        Ok((cache, raw)) => judge_cache(scene, seen.show(&raw), flushes, cache),
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

fn judge_cache(scene: &Scene<'_>, seen: Observation, flushes: bool, cache: Cache) -> Observation {
    match (cache, flushes) {
        (Cache::None, _) => seen.ok("the drive has no volatile cache"),
        (Cache::On, true) => {
            seen.ok("the cache is on and the kernel flushes it; whether the drive has capacitors is unknown")
        }
        (Cache::On, false) => seen
            .bad("the cache is on and the kernel was told not to flush it: fsync does not make data durable"),
        (Cache::Off, _) if scene.job.writes == Some(false) => {
            seen.info("the drive's write cache is off; the job does not write")
        }
        (Cache::Off, _) => seen.warn_for(
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
    let seen = raws.iter().fold(Observation::on(&disk.name), Observation::show);
    let share = used as f64 / whole.max(1) as f64;
    let percent = format!("{:.1} % of the drive are allocated", share * 100.0);
    let only_writes = scene.job.reads == Some(false);
    Ok(match share {
        _ if used > whole => return Err(raws[0].garbled()),
        share if share >= 1.0 => seen.info("all of the drive is allocated; some drives always report this"),
        share if share >= FULL => seen.ok(percent),
        _ if only_writes => seen.info(format!("{percent}; the job only writes")),
        share if share < EMPTY => seen.bad(format!("{percent}: reads would be answered from the map")),
        _ => seen.warn(format!("{percent}: other reads do not reach the flash")),
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
    let mut seen = each_namespace(scene, sharing);
    let zoned = each_namespace(scene, |scene, disk, _| zones(scene, disk));
    seen.extend(zoned.into_iter().filter(|seen| seen.verdicts.worst() > Grade::Ok));
    seen
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
    let seen = Observation::on(&disk.name).with(&drive.dir, namespaces.join(" ")).show(&zoned);
    let others: Vec<&String> = namespaces.iter().filter(|name| number(name) != number(&disk.name)).collect();
    Ok(match others.as_slice() {
        [] => seen.ok(format!("the only namespace of {}", drive.controller)),
        others => {
            let list: Vec<&str> = others.iter().map(|name| name.as_str()).collect();
            let says = format!("it shares the drive {} with {}", drive.controller, list.join(", "));
            seen.warn_for(&[Repeatability], says)
        }
    })
}

/// `1` of `nvme0n1` and of `nvme0c3n1`.
fn number(name: &str) -> Option<&str> {
    Some(name.rsplit_once('n')?.1)
}

fn zones(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let zoned = scene.read(disk.queue("zoned"))?;
    let seen = Observation::on(&disk.name).show(&zoned);
    let writes_at_random = scene.job.writes != Some(false) && scene.job.random != Some(false);
    Ok(match zoned.text.as_str() {
        "host-managed" if writes_at_random => seen.bad("zoned: random writes are refused"),
        "host-managed" => seen.info("zoned: within a zone it takes writes only in sequence"),
        "host-aware" => seen.info("zoned, but it accepts random writes"),
        _ => seen.ok("not zoned"),
    })
}

/// `nvme.mdts`: is the job's block one command, or several?
pub(super) fn mdts(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (limit_kib, raw) = scene.value::<u64>(disk.queue("max_hw_sectors_kb"))?;
    if limit_kib == 0 {
        return Err(raw.garbled());
    }
    let seen = Observation::on(&disk.name).show(&raw);
    let limit = limit_kib.saturating_mul(1024);
    Ok(match scene.job.block_bytes_max {
        None => seen.info(format!("one command moves {limit_kib} KiB at most")),
        Some(block) if block > limit => seen.info(format!(
            "a block of {} KiB becomes {} commands of at most {limit_kib} KiB",
            block / 1024,
            block.div_ceil(limit)
        )),
        Some(block) => seen
            .ok(format!("a block of {} KiB fits into one command of {limit_kib} KiB", block.div_ceil(1024))),
    })
}
