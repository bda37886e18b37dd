//! How an array is made.

use std::fmt;

use super::{Array, first_number};
use crate::audit::checks::prelude::*;
use fathom_device::root::Root;

/// With more threads than this on each NUMA node, reads can be slower (I-19
/// measured it above 4; 8 leaves room for larger arrays).
const THREADS_PLENTY: u64 = 8;

/// `md.threads`: how many CPUs compute parity?
pub(super) fn threads(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_parity() {
        return Ok(array.seen().not_applicable(format!("{} computes no parity", array.level)));
    }
    let (threads, raw) = scene.value::<u64>(array.file("group_thread_cnt"))?;
    let seen = array.seen().show(&raw);
    Ok(match threads {
        0 if scene.job.writes == Some(false) => seen.info("one thread for all stripes; the job only reads"),
        0 if array.is_of_nvme(scene) => {
            seen.warn_for(&[Iops], "one thread handles the stripes of all the NVMe drives")
        }
        0 => seen.ok("one thread handles the stripes, which is enough for members of this kind"),
        1..=THREADS_PLENTY => seen.ok(format!("{} on each node for the stripes", counted(threads, "thread"))),
        _ => seen.info(format!("{threads} threads on each node: so many can make reads slower")),
    })
}

/// The kernel's default (`NR_STRIPES`, drivers/md/raid5.c).
const DEFAULT: u64 = 256;
/// The values that the kernel accepts (Documentation/admin-guide/md.rst).
const POSSIBLE: std::ops::RangeInclusive<u64> = 17..=32_768;
/// A stripe's share of one member (`STRIPE_SIZE`): a page of 4 KiB.
const PAGE_KIB: u64 = 4;

/// `md.stripe_cache`: how many stripes can the cache hold?
pub(super) fn stripe_cache(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    if !array.has_parity() {
        return Ok(array.seen().not_applicable(format!("{} has no stripe cache", array.level)));
    }
    let (stripes, raw) = scene.value::<u64>(array.file("stripe_cache_size"))?;
    if !POSSIBLE.contains(&stripes) {
        return Err(raw.garbled());
    }
    let seen = array.seen().show(&raw);
    let mib = stripes * PAGE_KIB * array.members(scene).len() as u64 / 1024;
    Ok(match stripes {
        ..=DEFAULT if scene.job.writes == Some(false) => {
            seen.info(format!("{stripes} stripes; the job only reads"))
        }
        ..=DEFAULT if array.is_of_nvme(scene) => {
            seen.warn_for(&[Bandwidth], format!("{stripes} stripes to begin with, too few for NVMe drives"))
        }
        ..=DEFAULT => seen.ok(format!("{stripes} stripes, enough for members of this kind")),
        _ => seen.ok(format!("{stripes} stripes at least, {mib} MiB")),
    })
}

/// Chunk and data disks.
#[derive(Debug, Clone, Copy)]
struct Geometry {
    chunk_bytes: u64,
    members: u64,
    data_disks: u64,
}

/// `md.geometry`: are the job's writes whole stripes?
pub(super) fn geometry(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let (chunk_bytes, chunk) = first_number(scene, array.file("chunk_size"))?;
    let (members, disks) = first_number(scene, array.file("raid_disks"))?;
    let (layout, order) = first_number(scene, array.file("layout"))?;
    let data_disks = data_disks(&array.level, members, layout);
    let data_disks = data_disks.ok_or_else(|| disks.garbled())?;
    let seen = array.seen().show(&chunk).show(&disks).show(&order);
    let geometry = Geometry { chunk_bytes, members, data_disks };
    Ok(match array.has_parity() {
        true => parity(scene, seen, geometry),
        false => other(scene, array, seen, geometry),
    })
}

/// The number of data chunks in a stripe (V-63). The layout of RAID 10 has the
/// number of near copies in its low byte and of far copies in the next byte.
fn data_disks(level: &str, members: u64, layout: u64) -> Option<u64> {
    let disks = match level {
        "raid4" | "raid5" => members.checked_sub(1)?,
        "raid6" => members.checked_sub(2)?,
        "raid1" => 1,
        "raid10" => members / ((layout & 0xff) * (layout >> 8 & 0xff)).max(1),
        _ => members,
    };
    (disks > 0).then_some(disks)
}

fn parity(scene: &Scene<'_>, seen: Observation, geometry: Geometry) -> Observation {
    let Geometry { chunk_bytes, members, data_disks } = geometry;
    let stripe = chunk_bytes.saturating_mul(data_disks);
    let shape = format!("{members} members, {data_disks} of them for data, stripes of {}", size(stripe));
    let job = &scene.job;
    let Some(block) = job.block_bytes_min.filter(|_| job.writes != Some(false)) else {
        return seen.info(shape);
    };
    let is_whole = |bytes: u64| stripe > 0 && bytes.is_multiple_of(stripe);
    let sizes = [job.block_bytes_min, job.block_bytes_max, job.align_bytes];
    if sizes.into_iter().flatten().all(is_whole) {
        return seen.ok(format!("{shape}: writes are whole stripes"));
    }
    match job.random {
        Some(false) => seen.info(format!("{shape}: writes of {} are joined to whole stripes", size(block))),
        _ => seen.warn_for(
            &[Latency, Iops, Bandwidth],
            format!("{shape}: writes of {} must read data and parity first", size(block)),
        ),
    }
}

fn other(scene: &Scene<'_>, array: &Array<'_>, seen: Observation, geometry: Geometry) -> Observation {
    let Geometry { chunk_bytes, members, data_disks } = geometry;
    if chunk_bytes == 0 {
        return seen.ok(format!("{} of {members} members, without chunks", array.level));
    }
    let shape = format!("{} of {members} members, chunks of {}", array.level, size(chunk_bytes));
    match scene.job.block_bytes_max {
        Some(block) if block > chunk_bytes => {
            let pieces = block.div_ceil(chunk_bytes);
            seen.info(format!(
                "{shape}: a block of {} goes to {} of them",
                size(block),
                pieces.min(data_disks)
            ))
        }
        Some(block) => seen.ok(format!("{shape}: a block of {} stays on one", size(block))),
        None => seen.ok(shape),
    }
}

/// `md.external`: who keeps the array's metadata?
pub(super) fn external(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let version = scene.read(array.file("metadata_version"))?;
    let seen = array.seen().show(&version);
    // external:imsm on the container, external:/md127/0 on a volume in it; a
    // dash in place of the slash means that mdmon must not start a sync.
    Ok(match version.text.split_once(':') {
        Some(("external", place)) => match place.strip_prefix(['/', '-']) {
            Some(volume) => {
                let container = volume.split('/').next().unwrap_or(volume);
                offered(scene, seen, format!("is a volume in the container {container}"))
            }
            None => {
                offered(scene, seen, format!("is a container of {place} metadata: name the volume in it"))
            }
        },
        None if version.text == "none" => seen.ok("has no metadata on its members"),
        None if version.text.parse::<f32>().is_ok() => {
            seen.ok(format!("the kernel keeps its metadata (version {})", version.text))
        }
        _ => return Err(version.garbled()),
    })
}

/// Adds what the firmware offers, where it says so.
fn offered(scene: &Scene<'_>, seen: Observation, says: String) -> Observation {
    match RaidPlatform::of(scene.root) {
        Some((platform, path)) => {
            let text = platform.to_string();
            let says = format!("{says}; {text}");
            seen.with(path, text).info(says)
        }
        None => seen.info(says),
    }
}

// What the firmware offers for arrays whose metadata it keeps: a table in an EFI variable (contract I-3). The
// layout is that of Intel's capability table, as mdadm reads it (platform-intel.h): after the four bytes of an
// EFI variable's attributes come a signature, the version, and a bit for each RAID level. Which levels there
// are depends on the licence key.

/// The variables of VROC and of its sister product for clients, by their vendor's GUID.
const VARIABLES: [&str; 2] = ["RstUefiV", "RstVmdV"];
const VENDOR: &str = "193dfefa-a445-4302-99d8-ef3aad1a04c6";

/// Attributes of an EFI variable, before its data.
const ATTRIBUTES: usize = 4;
const SIGNATURE: &[u8] = b"$VER";
/// Offsets of 16-bit numbers in the table: four parts of the version, and the levels.
const VERSION: [usize; 4] = [6, 8, 10, 12];
const LEVEL_NAMES: usize = 16;
/// The bit of each level.
const LEVEL_BITS: [(u16, &str); 5] = [(0, "0"), (1, "1"), (2, "10"), (3, "1E"), (4, "5")];

/// What the firmware says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RaidPlatform {
    version: [u16; 4],
    levels: Vec<&'static str>,
}

impl RaidPlatform {
    /// The table of a machine, and its path; `None` if there is none.
    pub fn of(root: &Root) -> Option<(Self, String)> {
        VARIABLES.iter().find_map(|name| {
            let path = format!("/sys/firmware/efi/efivars/{name}-{VENDOR}");
            let bytes = root.read_bytes(&path).ok()?;
            Some((Self::read(bytes.get(ATTRIBUTES..)?)?, path))
        })
    }

    fn read(table: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u16::from_le_bytes([*table.get(at)?, *table.get(at + 1)?]));
        let bits = table.starts_with(SIGNATURE).then(|| number(LEVEL_NAMES)).flatten()?;
        let [major, minor, fix, build] = VERSION.map(number);
        let levels = LEVEL_BITS.iter().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, level)| *level);
        Some(RaidPlatform { version: [major?, minor?, fix?, build?], levels: levels.collect() })
    }
}

impl fmt::Display for RaidPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, fix, build] = self.version;
        write!(f, "the firmware (version {major}.{minor}.{fix}.{build}) ")?;
        match self.levels.is_empty() {
            true => f.write_str("offers no RAID level, so the licence key is missing"),
            false => write!(f, "offers RAID {}", self.levels.join(", ")),
        }
    }
}
